// mxv/tile_column on a GPU: the rows of w = A u that u's tiles reach, and no others (ji2022, section 3.3, driven by the vector).
//
// A block takes a stretch of u's presence and goes through the lists of the tile columns in which u has an entry, an item a
//   thread; the first to come claims the item's 64 rows, and puts their number into a list that all blocks share. Then all
//   warps take claims from the list and sum their rows as tile_row does. The paper merges columns into the result with atomic
//   additions; rows that are claimed whole keep a float's sum in one order and work for any monoid.
// Who owns what: a thread a word of u's presence, then an item of the lists; a warp 64 rows.
// Memory: u's presence bitmap, the lists of its tiles, a bit and a number for 64 rows, the result's presence, and what
//   tile_row reads of the claimed rows.
// Synchronises: by blocks, and twice over the grid, whose blocks are all resident: between clearing and the first claim, while
//   lists are found, and before claims are taken.
// Determinism: as tile_row; who claims does not matter.
// Cost: entries / 32 words, lists of u's tiles, rows / 32 words cleared; one launch.
// Distance to the limit (H200): 16 to 18 us at a density of 0.0001 on matrices of 13 to 26 M entries, of which 6 are a
//   cooperative launch with one barrier between two events: the rest is a chain of some twelve dependent loads and atomics.
// Why tile_row was not enough: it asks every tile whether u has something for it. Since it asks strips first it takes 11 to 13 us
//   there; what it asks still grows with the matrix, and here with u's presence alone. Why a block does not sum what it claimed
//   itself: a few blocks hold most claims (1.17, 1.12, 1.17, 1.03 times the time at densities from 0.1 to 0.0001).
#pragma once

#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/mxv/common_tile.cuh"
#include "kernels/cuda/mxv/common_tile_full.cuh"
#include "plan/mxv_workspace.hpp"

#include <utility>

namespace nz::kernels::cuda {

constexpr int column_block = 256, column_blocks_an_sm = 4, column_warps = column_block / 32;

template <class Cell, class Reader>
struct column_arguments {
    Reader reader;
    const bits::word* mask;
    bool complement;
    index_t rows, words;  ///< of the result, and of its presence
    index_t u_words;      ///< of 32 bits
    std::uint32_t* taken;
    std::uint32_t* claims;  ///< how many, then which
    typename Cell::value* out;
    bits::word* present;
};

/// What a block has to do: the lists of the tile columns in which u has an entry, one behind another, and the words of the
/// result that it claimed.
struct column_work {
    unsigned long long lists;           ///< how many, above list_bits, and items in all
    offset_t ends[2 * column_block];    ///< of each list, among all items
    offset_t places[2 * column_block];  ///< of item k: places + k
    unsigned claims;                    ///< of this turn
    std::uint32_t place;                ///< of them among all
    index_t claimed[column_block];
};

constexpr int list_bits = 40;

/// The lists of the tiles in a word of u's presence.
template <class Reader>
__device__ void find_lists(const Reader& reader, index_t word, column_work& work) {
    const int shift = reader.shift;
    std::uint32_t bits = reader.entries.present[word];
    if (shift == 6) bits = word & 1 ? 0 : bits | reader.entries.present[word + 1];
    if (!bits) return;
    const bool one = shift != 4 || (bits & 0xffff), two = shift == 4 && bits >> 16;
    const offset_t column = shift == 4 ? offset_t{word} * 2 : word >> (shift - 5);
    const offset_t* const starts = reader.t.met_starts + column;
    const offset_t ends[3] = {one ? starts[0] : 0, starts[1], two ? starts[2] : 0};
    for (int part = 0; part < 2; ++part) {
        const offset_t count = ends[part + 1] - ends[part];
        if (!(part ? two : one) || count == 0) continue;
        const unsigned long long before = atomicAdd(&work.lists, 1ull << list_bits | count);
        const auto items = static_cast<offset_t>(before & ((1ull << list_bits) - 1));
        work.ends[before >> list_bits] = items + count;
        work.places[before >> list_bits] = ends[part] - items;
    }
}

/// The row of tiles of item k.
template <class Reader>
__device__ index_t row_of_item(const Reader& reader, offset_t k, const column_work& work) {
    int low = 0, high = static_cast<int>(work.lists >> list_bits) - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (work.ends[middle] > k)
            high = middle;
        else
            low = middle + 1;
    }
    return __ldg(reader.t.met + work.places[low] + k);
}

/// Claims a word of the result's presence a thread; negative: none.
__device__ inline void claim(std::uint32_t* taken, std::uint32_t* claims, index_t word, column_work& work) {
    if (threadIdx.x == 0) work.claims = 0;
    __syncthreads();
    if (word >= 0) {
        const unsigned bit = 1u << (word % 32);
        if (!(atomicOr(taken + word / 32, bit) & bit)) work.claimed[atomicAdd(&work.claims, 1u)] = word;
    }
    __syncthreads();
    if (threadIdx.x == 0 && work.claims) work.place = atomicAdd(claims, work.claims);
    __syncthreads();
    if (threadIdx.x < work.claims)
        claims[1 + work.place + threadIdx.x] = static_cast<std::uint32_t>(work.claimed[threadIdx.x]);
    __syncthreads();
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(column_block, column_blocks_an_sm)
    tile_column_kernel(const __grid_constant__ column_arguments<Cell, Reader> a) {
    __shared__ tile_scratch<Cell> scratch[column_warps];
    __shared__ column_work work;
    const auto grid = cooperative_groups::this_grid();
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
    const auto blocks = static_cast<index_t>(gridDim.x), block = static_cast<index_t>(blockIdx.x);
    for (index_t k = block * column_block + thread; k < a.words; k += blocks * column_block) {
        a.present[k] = 0;
        if (k < (a.words + 31) / 32) a.taken[k] = 0;
    }
    if (block == 0 && thread == 0) *a.claims = 0;
    auto cleared = grid.barrier_arrive();
    bool waits = true;
    const index_t stretch = min((a.u_words + blocks - 1) / blocks, column_block);
    for (index_t from = block * stretch; from < a.u_words; from += blocks * stretch) {
        if (thread == 0) work.lists = 0;
        __syncthreads();
        if (thread < stretch && from + thread < a.u_words) find_lists(a.reader, from + thread, work);
        __syncthreads();
        const auto items = static_cast<offset_t>(work.lists & ((1ull << list_bits) - 1));
        for (offset_t base = 0; base < items; base += column_block) {
            const index_t row = base + thread < items ? row_of_item(a.reader, base + thread, work) : -1;
            if (waits) grid.barrier_wait(std::move(cleared));
            waits = false;
            claim(a.taken, a.claims, row < 0 ? -1 : row >> (6 - a.reader.shift), work);
        }
        __syncthreads();
    }
    if (waits) grid.barrier_wait(std::move(cleared));
    grid.sync();
    // Claims of one block go to different multiprocessors.
    for (auto k = static_cast<std::uint32_t>(warp * blocks + block), end = fresh(*a.claims); k < end;
         k += static_cast<std::uint32_t>(blocks * column_warps)) {
        const auto word = static_cast<index_t>(fresh(a.claims[1 + k]));
        const std::uint64_t permitted = allowed_rows(a.mask, a.complement, a.rows, word);
        if (!permitted) continue;
        const std::uint64_t found = a.reader.sum_word(scratch[warp], word, permitted, a.out);
        if (thread % 32 == 0) a.present[word] = found;
    }
}

template <class Cell>
void tile_column(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    if (!c.u_present) return sum_tile_rows_of_full<Cell>(c, on);
    auto* const taken = static_cast<std::uint32_t*>(c.workspace);
    auto* const claims = reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(c.workspace) +
                                                          plan::tile_column_taken_bytes(c.output_size));
    with_tile_reader<Cell>(c, [&]<class Reader>(const Reader& reader) {
        const column_arguments<Cell, Reader> all{reader,
                                                 c.mask,
                                                 c.complement,
                                                 c.output_size,
                                                 static_cast<index_t>(bits::words_for(c.output_size)),
                                                 static_cast<index_t>(half_words(c.u_size)),
                                                 taken,
                                                 claims,
                                                 static_cast<typename Cell::value*>(c.out_values),
                                                 c.out_present};
        launch_resident<tile_column_kernel<Cell, Reader>>(all, {column_block, 1, column_blocks_an_sm},
                                                          multiprocessors_here(), on);
    });
}

}  // namespace nz::kernels::cuda
