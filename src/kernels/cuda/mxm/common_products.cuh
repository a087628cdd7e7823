// How a block of mxm/two_level_sort comes by the products of a tile: equal numbers of them, whatever the rows are.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"
#include "plan/mxm_sort_workspace.hpp"

namespace nz::kernels::cuda {

inline plan::mxm_sort_entries sort_entries_of(const device_mxm_arguments& k) {
    return {k.entry_memory, k.rows, k.a_entries, k.sort_scan_bytes};
}
inline plan::mxm_sort_parts sort_parts_of(const device_mxm_arguments& k) {
    return {sort_entries_of(k), k.sort_memory, k.products};
}
inline plan::mxm_range_parts range_parts_of(const device_mxm_arguments& k) {
    return {k.range_memory, k.range_tiles, k.range_slots};
}

/// Where a thread has an item of its own: blocks for so many, and which it has.
inline constexpr unsigned item_block = 256;
inline unsigned blocks_of(offset_t items) {
    return static_cast<unsigned>((items + item_block - 1) / item_block);
}
__device__ inline offset_t thread_number() { return offset_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// The first of [at, end) whose value is beyond `x`, less one: the last that is not.
template <class Values>
__device__ offset_t last_up_to(const Values& values, offset_t at, offset_t end, offset_t x) {
    while (at < end) {
        const offset_t middle = at + (end - at) / 2;
        if (values[middle] <= x)
            at = middle + 1;
        else
            end = middle;
    }
    return at - 1;
}

/// A tile's block: each warp has 512 neighbouring products, 32 of them at a time.
using plan::sort_warps;
inline constexpr int sort_block = sort_warps * 32, sort_each = static_cast<int>(plan::sort_tile) / sort_block,
                     sort_warp_products = 32 * sort_each;
/// One of 32 * sort_each a warp: round r has number (warp, r, lane).
__device__ inline int number_in_tile(int round) {
    const int t = static_cast<int>(threadIdx.x);
    return t / 32 * sort_warp_products + round * 32 + t % 32;
}

/// The products of a tile, and the entries of A they belong to.
struct product_tile {
    offset_t first, entry;
    int products;
    offset_t entries;

    __device__ product_tile(const plan::mxm_sort_parts& parts, offset_t tile, offset_t all,
                            offset_t a_entries)
        : first(tile * plan::sort_tile), entry(parts.entries[tile]) {
        products = static_cast<int>(min(offset_t{plan::sort_tile}, all - first));
        entries = min(parts.entries[tile + 1] + 1, a_entries) - entry;
    }
};

/// The last number that stands in `begins`, [sort_tile], at or before each of a thread's; returns that before the warp's first. Numbers
/// ascend, and 0 is none. `warp_last`: [sort_warps].
__device__ inline int last_begun(const int* begins, int* warp_last, int (&begun)[sort_each]) {
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    int last = 0;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int here = begins[number_in_tile(r)];
        const unsigned up_to = __ballot_sync(full_warp, here != 0) & (~0u >> (31 - lane));
        const int nearest = __shfl_sync(full_warp, here, 31 - __clz(static_cast<int>(up_to | 1)));
        begun[r] = up_to ? nearest : last;
        last = __shfl_sync(full_warp, begun[r], 31);
    }
    if (lane == 31) warp_last[warp] = last;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; ++w) before = max(before, warp_last[w]);
#pragma unroll
    for (int r = 0; r < sort_each; ++r) begun[r] = max(begun[r], before);
    return before;
}

/// Finds the entry, counted from the tile's first, of each product; returns that of the product before the warp's first.
/// `begins`: [sort_tile]; `warp_last`: [sort_warps].
__device__ inline int find_owners(const plan::mxm_sort_parts& parts, const product_tile& tile, int* begins,
                                  int* warp_last, int (&owner)[sort_each]) {
    const int t = static_cast<int>(threadIdx.x);
    for (int n = t; n < static_cast<int>(plan::sort_tile); n += sort_block) begins[n] = 0;
    __syncthreads();
    for (offset_t e = t; e < tile.entries; e += sort_block) {
        const offset_t begin = parts.starts[tile.entry + e] - tile.first,
                       end = parts.starts[tile.entry + e + 1] - tile.first;
        if (end > begin && begin > 0 && begin < tile.products) begins[begin] = static_cast<int>(e);
    }
    __syncthreads();
    return last_begun(begins, warp_last, owner);
}

/// What a tile has of something that lies in order: from which of it on, and how much.
struct tile_piece {
    int begin, size;
};
struct found_pieces {
    int pieces, places;
};
/// Finds the piece of each place of a tile, of those numbered [first, end) that have any, until `most` places are found; `keep` gets a piece's
/// place among them, its number, where it begins, and where in the tile. All have read nothing of `begins`, [sort_tile], before.
template <class PieceOf, class Keep>
__device__ found_pieces find_pieces(index_t first, index_t end, int most, int* begins, int* warp_last,
                                    int (&piece)[sort_each], PieceOf&& piece_of, Keep&& keep) {
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int n = t; n < static_cast<int>(plan::sort_tile); n += sort_block) begins[n] = 0;
    int before = 0;  // places in the lower half, pieces in the upper
    for (index_t base = first; base < end; base += sort_block) {
        const index_t q = base + t;
        const tile_piece of = q < end ? piece_of(q) : tile_piece{};
        const int own = of.size | (of.size > 0) << 16;
        int up_to = sum_up_to<32>(own);
        __syncthreads();  // the clearing of `begins`, and the turn before's reading of what follows
        if (lane == 31) warp_last[warp] = up_to;
        __syncthreads();
        int all = 0;
        for (int w = 0; w < sort_warps; ++w) {
            up_to += w < warp ? warp_last[w] : 0;
            all += warp_last[w];
        }
        const int at = before + up_to - own, start = at & 0xffff, number = at >> 16;
        if (of.size > 0) {
            keep(number, q, of.begin, start);
            begins[start] = number;
        }
        before += all;
        if ((before & 0xffff) == most) break;
    }
    __syncthreads();
    last_begun(begins, warp_last, piece);
    return {before >> 16, before & 0xffff};
}

/// flags up to each number, counted over the block; `warp_totals`: [sort_warps]. Returns their sum.
__device__ inline int number_flags(const unsigned (&flags)[sort_each], int* warp_totals,
                                   int (&up_to)[sort_each]) {
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    int count = 0;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        up_to[r] = count + __popc(flags[r] & (~0u >> (31 - lane)));
        count += __popc(flags[r]);
    }
    if (lane == 0) warp_totals[warp] = count;
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < sort_warps; ++w) {
        before += w < warp ? warp_totals[w] : 0;
        all += warp_totals[w];
    }
#pragma unroll
    for (int r = 0; r < sort_each; ++r) up_to[r] += before;
    __syncthreads();
    return all;
}

}  // namespace nz::kernels::cuda
