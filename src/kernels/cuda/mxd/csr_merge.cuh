// mxd/csr_merge on a GPU: C = A B for dense B and C, entries shared out evenly, rows split where need be (dalton2015's
// partition of SpMV, section III-A, with a row of sums in place of a sum).
//
// Partition: chunk c takes entries [1024 c, 1024 (c+1)); the row that each begins in was found when the matrix came to the
//   device, for mxv/csr_merge. Empty rows are left out (row_numbers) and written by a kernel of their own.
// Reduce: a block brings the chunk's columns and values to shared memory, and marks in a bitmap which entries end rows. Then
//   each group of lanes takes an equal run of entries, whatever rows they lie in: eight rows of B are asked for at once, then
//   added up in order; at a marked entry the row's sums go to C. The number of marks before a run tells its first row.
// Update: a run's sums after its last mark are its tail, in shared memory. A run's first row that began before it waits for
//   the barrier and adds the tails before it, in order. What the chunk leaves open is its carry (workspace), which a second
//   kernel adds to its row, in the order of chunks; a block goes together through a row of more than 32.
// Who owns what: block -> chunk and tile of columns, group of 4 to 16 lanes -> run of entries, lane -> one word of 16 bytes of
//   columns, two from 32 doubles on: so many lanes ask for an entry, find its row's end and make addresses.
// Shared memory: 8 or 12 bytes an entry, heads and tails: 14 to 30 KiB a block. Runs are kept apart by 16 bytes, so that
//   groups of a warp read other banks.
// Determinism: sums depend on where chunks and runs begin, never on timing.
// Cost: nnz * columns products, whatever the row lengths; bytes of A for each tile of 32 doubles (64 where the plan takes wide
//   tiles), C once, B from L2.
// Distance to the limit (H200): docs/measurements/dense.md. Rows of B set it: from the second-level cache or, random columns, from memory,
//   which a floor of A, B and C once does not count. By Nsight Compute, at 8 columns of laplace3d:160: the first-level cache, whose
//   tags are asked for eight rows by every load of a warp, 97% of the time, and which finds one of six, since what is in flight fills
//   it: that is what csr_tiled mends there. At 64 columns of laplace2d:4000 in one tile memory was at 88%, 28 GB for a floor of 17:
//   what blocks in flight read went through the second-level cache before the next line of the mesh came; in two tiles it stays.
//   Tried in prototypes: rows of a chunk in place of runs, 4 or 16 words of B at once, 2,048 entries a chunk, four words a lane, blocks
//   of 128 threads from 32 columns on, 1,280 threads a multiprocessor: slower.
// Why csr_tiled was not enough: its groups have a row each, so that a warp waits for its longest and short rows ask for few
//   rows of B at once.
#pragma once

#include "kernels/cuda/mxd/common_tile.cuh"
#include "storage/device_csr.hpp"

namespace nz::kernels::cuda {

namespace mxd_merge_detail {

inline constexpr int entries = static_cast<int>(storage::merge_chunk_entries);
inline constexpr int words = entries / 32;
/// Rows of B that a lane asks for in one go.
constexpr int at_once(int words_a_lane) { return 8 / words_a_lane; }
/// More groups a block where each is wide, so that runs do not get long.
constexpr int block_threads(int words_a_lane) { return 128 * words_a_lane; }
inline constexpr int threads_an_sm = 1024;  ///< of 64 registers
/// Percent for shared memory: seven blocks of eight fit, and the first-level cache has more for rows of B.
inline constexpr int narrow_carve_out = 60;
inline constexpr int update_block = 128, long_run = 32;

/// A chunk in shared memory. Every 32 entries are followed by a gap of 16 bytes.
template <class T>
struct chunk_entries {
    static constexpr int index_gap = 16 / sizeof(index_t), value_gap = 16 / sizeof(T);
    alignas(16) index_t columns[entries + words * index_gap];
    alignas(16) T values[entries + words * value_gap];
    std::uint32_t ends[words];  ///< bit e: entry e is its row's last
    int rows_before[words + 1];

    static __device__ unsigned column_at(unsigned e) { return e + e / 32 * index_gap; }
    static __device__ unsigned value_at(unsigned e) { return e + e / 32 * value_gap; }

    /// Entries [from, from + count) of A; rows [first, last] of `offsets` meet them. By the whole block.
    template <class Cell, int Threads>
    __device__ void take(const mxd_arguments& a, device_offsets offsets, offset_t from, int count,
                         index_t first, index_t last) {
        const int t = static_cast<int>(threadIdx.x);
        const index_t* const columns_of_a = a.indices + from + t;
        const T* const values_of_a = static_cast<const T*>(a.values) + (a.a_step ? from + t : 0);
        const unsigned value_step = a.a_step ? Threads : 0;
        if (t < words) ends[t] = 0;
#pragma unroll
        for (unsigned k = 0; k < entries / Threads; ++k) {
            const unsigned at = k * Threads + static_cast<unsigned>(t);
            const bool there = at < static_cast<unsigned>(count);
            columns[column_at(at)] = there ? __ldcs(columns_of_a + k * Threads) : 0;
            if constexpr (Cell::reads_a)
                values[value_at(at)] = there ? __ldcs(values_of_a + k * value_step) : T{};
        }
        __syncthreads();
        for (offset_t r = offset_t{first} + t; r <= last; r += Threads) {
            const offset_t distance = offsets[r + 1] - from - 1;
            if (distance >= count) continue;
            const auto end = static_cast<unsigned>(distance);
            atomicOr(ends + end / 32, 1u << end % 32);
        }
        __syncthreads();
        static_assert(words == 32);
        if (t < 32) {
            const int mine = __popc(ends[t]);
            int sum = mine;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const int below = __shfl_up_sync(full_warp, sum, distance);
                if (t >= distance) sum += below;
            }
            rows_before[t] = sum - mine;
            if (t == 31) rows_before[words] = sum;
        }
        __syncthreads();
    }
    __device__ bool ends_at(unsigned e) const { return ends[e / 32] >> e % 32 & 1; }
};

/// The rows of B for `AtOnce` entries from e on, asked for in one go, then f(k, entry of A, row of B) in order.
template <int AtOnce, class Cell, class Tile, class F>
__device__ void for_some(const chunk_entries<typename Cell::operand>& c, const Tile& tile, unsigned e,
                         F&& f) {
    using T = typename Cell::operand;
    constexpr int a_word = 16 / sizeof(T);
    struct alignas(16) four_columns {
        index_t at[4];
    };
    struct alignas(16) some_values {
        T at[a_word];
    };
    const auto* columns = reinterpret_cast<const four_columns*>(c.columns + c.column_at(e));
    const auto* values = reinterpret_cast<const some_values*>(c.values + c.value_at(e));
    T b[AtOnce][Tile::values];
#pragma unroll
    for (int k = 0; k < AtOnce; k += 4) {
        const four_columns four = columns[k / 4];
#pragma unroll
        for (int u = 0; u < 4; ++u) tile.load(four.at[u], b[k + u]);
    }
#pragma unroll
    for (int k = 0; k < AtOnce; k += a_word) {
        some_values x{};
        if constexpr (Cell::reads_a) x = values[k / a_word];
#pragma unroll
        for (int u = 0; u < a_word; ++u) f(k + u, x.at[u], b[k + u]);
    }
}

}  // namespace mxd_merge_detail

template <class Cell, int Lanes, int Words, tile_kind Kind, bool Adds>
__global__ void __launch_bounds__(mxd_merge_detail::block_threads(Words),
                                  mxd_merge_detail::threads_an_sm / mxd_merge_detail::block_threads(Words))
    mxd_merge_kernel(device_mxd_arguments a) {
    using namespace mxd_merge_detail;
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using lane_of_tile = tile_lane<Cell, Lanes, Words, Kind>;
    constexpr int threads = block_threads(Words), groups = threads / Lanes, run = entries / groups,
                  values = lane_of_tile::values, some = at_once(Words);
    static_assert(run % 32 == 0);
    __shared__ chunk_entries<T> chunk;
    __shared__ V heads[groups][Lanes * values], tails[groups][Lanes * values];
    const lane_of_tile tile(a.common);
    const device_offsets offsets = on_device(a.held_offsets);
    const offset_t from = offset_t{blockIdx.x} * entries;
    const int count = static_cast<int>(min(a.common.nnz - from, offset_t{entries}));
    const index_t first = a.chunk_rows[blockIdx.x];
    chunk.template take<Cell, threads>(a.common, offsets, from, count, first,
                                       min(a.chunk_rows[blockIdx.x + 1], a.held_rows - 1));

    const int group = static_cast<int>(threadIdx.x) / Lanes, begin = group * run;
    const int lane = lane_of_tile::lane() * values;
    const bool begun_before = begin ? !chunk.ends_at(begin - 1) : offsets[first] < from;
    const index_t head_row = first + chunk.rows_before[begin / 32];
    const auto finish = [&](index_t r, const V(&all)[values]) {
        const index_t row = a.row_numbers ? a.row_numbers[r] : r;
        Adds ? tile.add_to(row, all) : tile.store(row, all);
    };
    index_t row = head_row;
    V sum[values];
    tile.reset(sum);
    const auto take = [&](bool ends, T x, const T(&b)[values]) {
        tile.add_product(sum, x, b);
        if (!ends) return;
        if (begun_before && row == head_row)
            memcpy(heads[group] + lane, sum, sizeof sum);
        else
            finish(row, sum);
        ++row;
        tile.reset(sum);
    };
    const unsigned end = static_cast<unsigned>(max(begin, min(begin + run, count))),
                   end_of_some = end / some * some;
    unsigned e = static_cast<unsigned>(begin);  // a multiple of 32
#pragma unroll 1
    for (; e < end_of_some; e += some) {
        const unsigned ends = chunk.ends[e / 32] >> e % 32;
        for_some<some, Cell>(chunk, tile, e,
                             [&](int k, T x, const T(&b)[values]) { take(ends >> k & 1, x, b); });
    }
#pragma unroll 1
    for (; e < end; ++e) {  // of the last chunk alone
        T b[values];
        tile.load(chunk.columns[chunk.column_at(e)], b);
        take(chunk.ends_at(e), Cell::reads_a ? chunk.values[chunk.value_at(e)] : T{}, b);
    }
    memcpy(tails[group] + lane, sum, sizeof sum);
    __syncthreads();

    // Sums of tails from the one that the row of group `g`'s first entry begins in, up to g's own, which is left out.
    const auto tails_before = [&](int g, V(&all)[values]) {
        int of = g;
        while (of > 0 && chunk.rows_before[of * (run / 32)] == chunk.rows_before[g * (run / 32)] &&
               !chunk.ends_at(of * run - 1))
            --of;
        tile.reset(all);
        for (; of < g; ++of) {
            V x[values];
            memcpy(x, tails[of] + lane, sizeof x);
            tile.add(all, x);
        }
    };
    V open[values];
    if (begun_before && row > head_row) {
        V head[values];
        memcpy(head, heads[group] + lane, sizeof head);
        tails_before(group, open);
        tile.add(open, head);
        finish(head_row, open);
    }
    if (group != groups - 1) return;
    // The chunk's carry: its last group's tail, and those before it if that group ended no row.
    if (row == head_row && begun_before)
        tails_before(group, open);
    else
        tile.reset(open);
    tile.add(open, sum);
    V* const carry = static_cast<V*>(a.common.workspace) +
                     offset_t{blockIdx.x} * plan::mxd_carry_columns(a.common.columns, sizeof(V)) +
                     tile.tile() + lane / Words;
#pragma unroll
    for (int v = 0; v < values; ++v) carry[lane_of_tile::column_of(v)] = open[v];
}

/// Carries of one row stand one after another: a group adds them, all groups of the block where they are many.
template <class Cell, int Lanes, tile_kind Kind>
__global__ void __launch_bounds__(mxd_merge_detail::update_block)
    mxd_merge_update_kernel(device_mxd_arguments a, int chunks) {
    using namespace mxd_merge_detail;
    using V = typename Cell::value;
    using lane_of_tile = tile_lane<Cell, Lanes, 1, Kind>;
    constexpr int groups = update_block / Lanes, values = lane_of_tile::values;
    __shared__ V parts[groups][Lanes * values];
    __shared__ int counts[groups];
    const lane_of_tile tile(a.common);
    const device_offsets offsets = on_device(a.held_offsets);
    const int group = static_cast<int>(threadIdx.x) / Lanes, lane = lane_of_tile::lane() * values;
    const int block_chunk = static_cast<int>(blockIdx.x) * groups, c = block_chunk + group;
    const index_t stride = plan::mxd_carry_columns(a.common.columns, sizeof(V));
    const V* const carries = static_cast<const V*>(a.common.workspace) + tile.tile() + lane;
    index_t r = -1;
    int count = 0;  // carries of row r from chunk c on
    if (c + 1 < chunks) {
        r = a.chunk_rows[c + 1];
        const offset_t begin = r < a.held_rows ? offsets[r] : 0;
        // The first chunk of the row carries; the last one, which the row ends in, does not.
        if (r < a.held_rows && begin < (c + offset_t{1}) * entries && begin >= offset_t{c} * entries)
            count = static_cast<int>((offsets[r + offset_t{1}] - 1) / entries - c);
    }
    if (lane == 0) counts[group] = count;
    const auto number = [&](index_t held) { return a.row_numbers ? a.row_numbers[held] : held; };
    const auto add_carries = [&](int from, int to, V(&sum)[values]) {
        tile.reset(sum);
#pragma unroll 4
        for (int k = from; k < to; ++k) {
            V x[values];
#pragma unroll
            for (int v = 0; v < values; ++v) x[v] = carries[offset_t{k} * stride + v];
            tile.add(sum, x);
        }
    };
    V sum[values];
    if (count > 0 && count <= long_run) {
        add_carries(c, c + count, sum);
        tile.add_to(number(r), sum);
    }
    if (!__syncthreads_or(count > long_run)) return;
    for (int g = 0; g < groups; ++g) {
        const int all = counts[g], share = (all + groups - 1) / groups;
        if (all <= long_run) continue;
        const int from = min(group * share, all);
        add_carries(block_chunk + g + from, block_chunk + g + min(from + share, all), sum);
#pragma unroll
        for (int v = 0; v < values; ++v) parts[group][lane + v] = sum[v];
        __syncthreads();
        if (group == g) {
            tile.reset(sum);
            for (int of = 0; of < groups && of * share < all; ++of) {
                V x[values];
#pragma unroll
                for (int v = 0; v < values; ++v) x[v] = parts[of][lane + v];
                tile.add(sum, x);
            }
            tile.add_to(number(r), sum);
        }
        __syncthreads();
    }
}

/// What rows without entries hold.
template <class V>
__global__ void __launch_bounds__(mxd_merge_detail::update_block)
    mxd_empty_rows_kernel(device_mxd_arguments a, V none) {
    const index_t row = static_cast<index_t>(blockIdx.x * mxd_merge_detail::update_block + threadIdx.x);
    const device_offsets offsets = on_device(a.common.offsets);
    const bool empty = row < a.common.rows && offsets[row] == offsets[row + offset_t{1}];
    const index_t lane = static_cast<index_t>(threadIdx.x % 32);
    for (unsigned left = __ballot_sync(full_warp, empty); left; left &= left - 1) {
        V* const c = static_cast<V*>(a.common.c) + (row - lane + __ffs(left) - 1) * a.common.c_row_step;
        for (offset_t j = lane; j < a.common.columns; j += 32) c[j] = none;
    }
}

template <class Cell>
void mxd_csr_merge(const device_mxd_arguments& a, void* stream) {
    using namespace mxd_merge_detail;
    using V = typename Cell::value;
    const auto on = static_cast<cudaStream_t>(stream);
    const auto blocks = [](offset_t n, int a_block) {
        return static_cast<unsigned>((n + a_block - 1) / a_block);
    };
    if (a.held_rows < a.common.rows && !a.common.accumulates)
        mxd_empty_rows_kernel<V><<<blocks(a.common.rows, update_block), update_block, 0, on>>>(
            a, algebra::identity_of<Cell::add_id, V>());
    const unsigned chunks = blocks(a.common.nnz, entries);
    if (chunks > 0)
        for_columns<Cell>(a, [&](const device_mxd_arguments& part) {
            const auto run = [&]<int Lanes, int Words, tile_kind Kind>(unsigned tiles) {
                auto kernel = mxd_merge_kernel<Cell, Lanes, Words, Kind, false>;
                if constexpr (Kind != tile_kind::full)
                    if (part.common.accumulates) kernel = mxd_merge_kernel<Cell, Lanes, Words, Kind, true>;
                if constexpr (Words == 1)
                    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                               narrow_carve_out));
                kernel<<<dim3(chunks, tiles), block_threads(Words), 0, on>>>(part);
                constexpr int lanes = Lanes * Words;
                if (chunks > 1)
                    mxd_merge_update_kernel<Cell, lanes, Kind>
                        <<<dim3(blocks(chunks, update_block / lanes), tiles), update_block, 0, on>>>(
                            part, static_cast<int>(chunks));
            };
            if (part.wide_tiles)
                with_tile<Cell, plan::mxd_tile_bytes_wide>(part.common, run);
            else
                with_tile<Cell, plan::mxd_tile_bytes_narrow>(part.common, run);
        });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
