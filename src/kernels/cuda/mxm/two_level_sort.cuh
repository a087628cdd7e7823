// mxm/two_level_sort on a GPU: C = A B by sorting its products, in tiles of equal size (dalton2015, section III-C).
//
// Computes: products are numbered as A's entries make them and cut into tiles of 4,096, wherever rows end. First level: a block
//   sorts its tile's places, the number of the row within the tile above the column, as few bits of both as the tile needs, the
//   product's number in the lower 12 bits of the same word: keys alone move, in 32 bits where these hold it, else in 64. What it
//   leaves is the order, in 16 bits a product, and the number of places of each row that lies in the tile whole. Second level: the
//   places that tiles found of the other rows, those cut, are sorted by row and column with one radix sort of the device, which
//   moves keys, of 32 bits where these hold both, and their numbers, no values. Products are formed last: the tiles are expanded once
//   more, each place's products are added in the order that was left, and sums of cut rows, which stay where tiles found them, are
//   fetched by number in the order of the second sort and reduced by key.
// Steps: expand (starts of each entry's products by a scan; where tiles begin, by search; which rows they cut), count (first
//   level), cut (second level, and the scan that makes offsets), fill. The host reads two sizes between.
// Who owns what: a tile -> a block of 256 threads, 512 neighbouring products -> a warp; in fill a place -> a thread.
// Shared memory: 57 KiB (keys 32, ranks 24) in count, 40 KiB and a byte a value's byte in fill.
// Workspace: 20 bytes an entry of A, 2 a product, 4 a product of a cut row, 28 or 36 a place that a tile has of one (for doubles).
// Sync: the block's barriers between the steps of a tile.
// Determinism: both sorts keep the order of equal keys, and sums follow it: the same bits each time. Those of rows in one tile are
//   the other kernels' bits; in a cut row each tile's products are added first, then the tiles' sums.
// Cost: products, whatever the matrix looks like: a tile is a tile. A row shorter than a tile is cut at most once, so that few
//   places go through the second sort but where rows have more than a thousand products (the paper sends all of them, its first
//   sort knowing columns alone; on laplace3d a sixth remain). Distance to the limit: docs/measurements.md.
// Why it is not the planned one: products that meet often are added faster where they fall than sorted.
#pragma once

#include "kernels/cuda/mxm/common_products.cuh"
#include "kernels/cuda/mxm/hash.cuh"

namespace nz::kernels::cuda {

namespace two_level_detail {

/// A tile's block in shared memory.
template <class Cell>
struct formed_tile {
    union {
        int begins[plan::sort_tile];
        typename Cell::value products[plan::sort_tile];
    };
    index_t columns[plan::sort_tile];
    std::uint16_t order[plan::sort_tile];
    int warp_last[sort_warps], warp_totals[sort_warps];
};

/// The sum of the products of the place that begins at `n` of a tile's order.
template <class Cell>
__device__ typename Cell::value sum_of_place(const formed_tile<Cell>& m, int n, int end) {
    constexpr unsigned number = order_first - 1;
    auto sum = m.products[m.order[n] & number];
    if constexpr (!Cell::first_wins)
        for (++n; n < end && !(m.order[n] & order_first); ++n)
            sum = Cell::add(sum, m.products[m.order[n] & number]);
    return sum;
}

}  // namespace two_level_detail

template <class Cell>
__global__ void __launch_bounds__(sort_block)
    two_level_sort_fill_kernel(device_mxm_side a, device_mxm_side b, hash_detail::products<Cell> of,
                               offset_t a_entries, offset_t products, plan::mxm_sort_parts parts,
                               const offset_t* starts, typename Cell::value* cut_sums, index_t* out_columns,
                               typename Cell::value* out_values) {
    using V = typename Cell::value;
    extern __shared__ uint4 shared_tiles[];
    auto& m = *reinterpret_cast<two_level_detail::formed_tile<Cell>*>(shared_tiles);
    const product_tile tile(parts, blockIdx.x, products, a_entries);
    int owner[sort_each];
    find_owners(parts, tile, m.begins, m.warp_last, owner);  // all have read `begins` when it returns
    unsigned firsts[sort_each];
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        bool first = false;
        if (n < tile.products) {
            const offset_t p = tile.entry + owner[r], q = parts.of_b[p] + tile.first + n;
            m.columns[n] = __ldg(b.columns + q);
            index_t row = 0, k = 0;
            if constexpr (Cell::positional) {
                row = parts.rows[p];
                k = __ldg(a.columns + p);
            }
            m.products[n] = Cell::multiply(of.a(p), of.b(q), row, k);
            m.order[n] = parts.order[tile.first + n];
            first = m.order[n] & order_first;
        }
        firsts[r] = __ballot_sync(full_warp, first);
    }
    int number[sort_each];
    const int places = number_flags(firsts, m.warp_totals, number);  // its barriers let all see the products
    const int first_places = parts.first_places[blockIdx.x], last_places = parts.last_places[blockIdx.x];
    const offset_t cut_start = parts.cut_starts[blockIdx.x];
    // Rows that lie in the tile whole follow one another in the result.
    offset_t begin = 0;
    if (first_places + last_places < places) {
        const index_t cut = parts.cut_rows[blockIdx.x];
        begin = starts[cut >= 0 ? cut + offset_t{1} : offset_t{parts.rows[tile.entry]}] - first_places;
    }
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        if (!(firsts[r] >> threadIdx.x % 32 & 1)) continue;
        const int n = number_in_tile(r), at = number[r] - 1;
        const V sum = two_level_detail::sum_of_place<Cell>(m, n, tile.products);
        if (at < first_places) {
            cut_sums[cut_start + at] = sum;
        } else if (at >= places - last_places) {
            cut_sums[cut_start + first_places + at - (places - last_places)] = sum;
        } else {
            out_columns[begin + at] = m.columns[m.order[n] & (order_first - 1)];
            out_values[begin + at] = sum;
        }
    }
}

/// Cut rows: the sums of a place, whose keys lie side by side, in the order of tiles.
template <class Cell>
__global__ void __launch_bounds__(sort_block)
    two_level_sort_reduce_kernel(offset_t places, plan::mxm_cut_parts cut, int column_bits,
                                 const offset_t* starts, index_t* out_columns,
                                 typename Cell::value* out_values) {
    const offset_t n = offset_t{blockIdx.x} * sort_block + threadIdx.x;
    if (n >= places) return;
    const cut_keys keys(cut);
    const std::uint64_t key = keys[n];
    if (n > 0 && keys[n - 1] == key) return;
    const auto* const sums = static_cast<const typename Cell::value*>(cut.sums);
    auto sum = sums[cut.from[n]];
    if constexpr (!Cell::first_wins)
        for (offset_t next = n + 1; next < places && keys[next] == key; ++next)
            sum = Cell::add(sum, sums[cut.from[next]]);
    const auto rank = static_cast<index_t>(key >> column_bits);
    const offset_t at = starts[cut.row_of_rank[rank]] +
                        (cut.numbers[n] - 1 - static_cast<std::uint32_t>(cut.before_row[rank]));
    out_columns[at] = static_cast<index_t>(key & ((std::uint64_t{1} << column_bits) - 1));
    out_values[at] = sum;
}

template <class Cell>
void two_level_sort_fill(const device_mxm_arguments& k, void* stream) {
    using V = typename Cell::value;
    using memory = two_level_detail::formed_tile<Cell>;
    hash_offsets(k, stream);
    if (k.products == 0) return;
    const auto on = static_cast<cudaStream_t>(stream);
    const plan::mxm_sort_parts parts(k.sort_memory, k.a_entries, k.products, k.sort_scan_bytes);
    const plan::mxm_cut_parts cut(k.cut_memory, k.cut_places, k.cut_rows,
                                  plan::cut_key_bytes(k.columns, k.cut_rows), k.value_bytes,
                                  k.cut_sort_bytes);
    const offset_t* const starts = plan::mxm_device_parts(k.row_parts, k.rows, k.scan_bytes).starts;
    auto* const values = static_cast<V*>(k.out_values);
    allow_shared(two_level_sort_fill_kernel<Cell>, sizeof(memory));
    two_level_sort_fill_kernel<Cell>
        <<<static_cast<unsigned>(plan::sort_tiles(k.products)), sort_block, sizeof(memory), on>>>(
            device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), hash_detail::products<Cell>(k),
            k.a_entries, k.products, parts, starts, static_cast<V*>(cut.sums), k.out_columns, values);
    if (k.cut_places > 0)
        two_level_sort_reduce_kernel<Cell>
            <<<static_cast<unsigned>((k.cut_places + sort_block - 1) / sort_block), sort_block, 0, on>>>(
                k.cut_places, cut, plan::bits_of_column(k.columns), starts, k.out_columns, values);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
