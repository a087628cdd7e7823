// mxv/tile_column on a GPU: the rows of w = A u that u's tiles reach, and no others (ji2022, section 3.3, driven by the vector).
//
// A block takes up to 64 words of u's presence and goes through the lists of the tile columns in which u has an entry, an item a
//   thread; the first to come claims the item's 32 rows, and the block's warps sum those that it claimed as tile_row does. The
//   paper merges columns into the result with atomic additions; rows that are claimed whole keep a float's sum in one order
//   and work for any monoid.
// Who owns what: a thread a word of u's presence, then an item of the lists; a warp 32 rows.
// Memory: u's presence bitmap, the lists of its tiles, a bit for 32 rows, the result's presence, and what tile_row reads of the
//   claimed rows.
// Synchronises: by blocks; between the kernel that clears and the one that claims, which begins while the other runs.
// Determinism: as tile_row; who claims does not matter.
// Cost: entries / 32 words, lists of u's tiles, rows / 32 words cleared; two launches.
// Distance to the limit (H200): 13 to 19 us at a density of 0.0001 on matrices of 13 to 26 M entries, of which 5 are a launch
//   between two events and 2 the clearing: the rest is a chain of some ten dependent loads, with 1.6 MB read on laplace2d:2100.
// Why tile_row was not enough: it asks every tile whether u has something for it.
#pragma once

#include "kernels/cuda/mxv/common_clear.hpp"
#include "kernels/cuda/mxv/common_tile.cuh"
#include "kernels/cuda/mxv/common_tile_full.cuh"

#include <algorithm>
#include <type_traits>

namespace nz::kernels::cuda {

constexpr unsigned column_block = 256;
/// Words of u's presence a block, at most: 32 take the same time. Smaller vectors are shared out over as many blocks as an H200
/// holds at a time.
constexpr int column_range = 64, column_blocks = 8 * 132;

/// What a block has to do: the lists of the tile columns in which u has an entry, one behind another, and the words of
/// the result that it claimed and has not summed yet.
struct column_work {
    unsigned long long lists;           ///< how many, above list_bits, and items in all
    offset_t ends[2 * column_range];    ///< of each list, among all items
    offset_t places[2 * column_range];  ///< of item k: places + k
    unsigned claims;
    index_t claimed[2 * column_block];
};

constexpr int list_bits = 40;

/// Thread k finds the lists of the tiles in word k of the block's range.
template <class Reader>
__device__ void find_lists(const Reader& reader, index_t u_words, int range, column_work& work) {
    const int shift = reader.shift();
    const index_t word = static_cast<index_t>(blockIdx.x) * range + static_cast<index_t>(threadIdx.x);
    if (static_cast<int>(threadIdx.x) >= range || word >= u_words) return;
    std::uint32_t bits = reader.entries.present[word];
    if (shift == 6) bits = word & 1 ? 0 : bits | reader.entries.present[word + 1];
    for (int part = 0; part < 2; ++part) {
        if (!(shift == 4 ? bits >> (16 * part) & 0xffff : part ? 0 : bits)) continue;
        const offset_t column = shift == 4 ? offset_t{word} * 2 + part : word >> (shift - 5);
        const offset_t begin = reader.t.met_starts[column], count = reader.t.met_starts[column + 1] - begin;
        if (count == 0) continue;
        const unsigned long long before = atomicAdd(&work.lists, 1ull << list_bits | count);
        const auto items = static_cast<offset_t>(before & ((1ull << list_bits) - 1));
        work.ends[before >> list_bits] = items + count;
        work.places[before >> list_bits] = begin - items;
    }
}

/// Claims the rows of item k, by words of the result's presence.
template <class Reader>
__device__ void claim_rows(const Reader& reader, offset_t k, std::uint32_t* taken, column_work& work) {
    int low = 0, high = static_cast<int>(work.lists >> list_bits) - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (work.ends[middle] > k)
            high = middle;
        else
            low = middle + 1;
    }
    const int shift = reader.shift();
    const index_t row = reader.t.met_rows[work.places[low] + k];
    const index_t word = shift == 4 ? row / 2 : row << (shift - 5);
    const unsigned wanted = shift == 6 ? 3 : 1;
    const unsigned fresh = wanted & ~(atomicOr(taken + word / 32, wanted << (word % 32)) >> (word % 32));
    for (int n = 0; n < 2; ++n)
        if (fresh >> n & 1) work.claimed[atomicAdd(&work.claims, 1u)] = word + n;
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(column_block)
    tile_column_kernel(Reader reader, index_t u_words, int range, index_t rows, const std::uint32_t* mask,
                       bool complement, std::uint32_t* taken, typename Cell::value* out,
                       std::uint32_t* present) {
    __shared__ tile_scratch<Cell> scratch[column_block / 32];
    __shared__ column_work work;
    if (threadIdx.x == 0) work.lists = 0;
    __syncthreads();
    find_lists(reader, u_words, range, work);
    __syncthreads();
    const auto items = static_cast<offset_t>(work.lists & ((1ull << list_bits) - 1));
    cudaGridDependencySynchronize();  // `taken` and `present` are cleared
    for (offset_t base = 0; base < items; base += column_block) {
        if (threadIdx.x == 0) work.claims = 0;
        __syncthreads();
        if (base + threadIdx.x < items) claim_rows(reader, base + threadIdx.x, taken, work);
        __syncthreads();
        for (unsigned k = threadIdx.x / 32; k < work.claims; k += column_block / 32) {
            const index_t word = work.claimed[k];
            const std::uint32_t permitted = allowed_word(mask, complement, rows, word);
            if (!permitted) continue;
            const unsigned found = reader.sum_word(scratch[threadIdx.x / 32], word, permitted, out);
            if (threadIdx.x % 32 == 0) present[word] = found;
        }
        __syncthreads();
    }
}

template <class Cell>
void tile_column(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    if (!c.u_present) return sum_tile_rows_of_full<Cell>(c, on);
    auto* taken = static_cast<std::uint32_t*>(c.workspace);
    auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
    const auto words = static_cast<index_t>(half_words(c.output_size)),
               u_words = static_cast<index_t>(half_words(c.u_size));
    clear_words(taken, (words + 31) / 32, present, words, stream);
    if (u_words == 0) return;
    const int range = std::min<int>(column_range, (u_words + column_blocks - 1) / column_blocks);
    with_tile_reader<Cell>(c, [&](const auto& reader) {
        cudaLaunchAttribute overlap{};
        overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlap.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t launch{};
        launch.gridDim = blocks_for(u_words, range);
        launch.blockDim = column_block;
        launch.stream = on;
        launch.attrs = &overlap;
        launch.numAttrs = 1;
        check(cudaLaunchKernelEx(&launch, tile_column_kernel<Cell, std::remove_cvref_t<decltype(reader)>>,
                                 reader, u_words, range, c.output_size,
                                 reinterpret_cast<const std::uint32_t*>(c.mask), c.complement, taken,
                                 static_cast<typename Cell::value*>(c.out_values), present));
    });
}

}  // namespace nz::kernels::cuda
