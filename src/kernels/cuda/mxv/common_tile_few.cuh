// Rows of tiles of a matvec on a GPU where u has few entries: most rows get no result, and strips of 64 rows and 16 columns say
// so many at a time. For tile_row.
//
// A warp goes through the strips of some words of the result's presence, at most 32 words; a strip in whose columns u has an
//   entry marks its word. Words without a mark are cleared; the others go into a list in shared memory, from which the block's
//   warps take one at a time and sum it as everywhere (common_tile). The words of a block's warps are far apart, since rows that
//   are met are near each other: a warp that sums two words, one after the other, makes all wait for it.
// Memory: four bytes a strip and two of u's presence; what sum_word reads for the words in the list.
// Loads that wait for each other before a word is summed: where strips begin; strips; u's bits.
#pragma once

#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/mxv/common_tile.cuh"

#include <algorithm>

namespace nz::kernels::cuda {

constexpr int few_block = 512, few_blocks_an_sm = 2, few_warps = few_block / 32;

template <class Cell, class Reader>
struct few_arguments {
    Reader reader;
    index_t words, stretch;  ///< of the result's presence, and of them that a warp looks at together
    const bits::word* mask;
    bool complement;
    typename Cell::value* out;
    bits::word* present;
};

/// The words from `first` on, before `last`, that have a strip in whose columns u has an entry: bit k of a word whose number
/// modulo 32 is k.
template <class Reader>
__device__ unsigned words_met(const Reader& reader, index_t first, index_t last) {
    constexpr int at_once = 8;
    const auto* const u = reinterpret_cast<const std::uint16_t*>(reader.entries.present);
    const offset_t begin = __ldg(reader.t.met_starts + first), end = __ldg(reader.t.met_starts + last);
    unsigned met = 0;
    for (offset_t k = begin + threadIdx.x % 32; k < end; k += 32 * at_once) {
        std::uint32_t strip[at_once];
        std::uint16_t bits[at_once];
#pragma unroll
        for (int q = 0; q < at_once; ++q)
            strip[q] = k + 32 * q < end ? static_cast<std::uint32_t>(__ldg(reader.t.met + k + 32 * q)) : 0;
#pragma unroll
        for (int q = 0; q < at_once; ++q) bits[q] = k + 32 * q < end ? __ldg(u + (strip[q] >> 5)) : 0;
#pragma unroll
        for (int q = 0; q < at_once; ++q)
            if (bits[q]) met |= 1u << (strip[q] & 31);
    }
    return __reduce_or_sync(full_warp, met);
}

/// Clears the words of a warp's stretch that are not met, and lists the others.
template <class Cell, class Reader>
__device__ void look_at_stretch(const few_arguments<Cell, Reader>& a, index_t first, index_t* list,
                                int& count) {
    const index_t last = min(first + a.stretch, a.words),
                  word = first + static_cast<index_t>(threadIdx.x % 32);
    const unsigned found = words_met(a.reader, first, last);
    const bool met = word < last && found >> (word & 31) & 1;
    if (word < last && !met) a.present[word] = 0;
    const unsigned all = __ballot_sync(full_warp, met);
    if (!all) return;
    int at = threadIdx.x % 32 == 0 ? atomicAdd(&count, __popc(all)) : 0;
    at = __shfl_sync(full_warp, at, 0);
    if (met) list[at + __popc(all & ((1u << threadIdx.x % 32) - 1))] = word;
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(few_block, few_blocks_an_sm)
    tile_few_kernel(const __grid_constant__ few_arguments<Cell, Reader> a) {
    __shared__ tile_scratch<Cell> scratch[few_warps];
    __shared__ index_t list[few_warps * 32];
    __shared__ int counts[2];  // of this turn and the next
    const int warp = static_cast<int>(threadIdx.x / 32);
    const auto blocks = static_cast<index_t>(gridDim.x);
    if (threadIdx.x < 2) counts[threadIdx.x] = 0;
    __syncthreads();
    int turn = 0;
    for (offset_t base = 0; base < a.words; base += offset_t{blocks} * few_warps * a.stretch, turn ^= 1) {
        const offset_t first =
            base + (offset_t{warp} * blocks + static_cast<offset_t>(blockIdx.x)) * a.stretch;
        if (first < a.words) look_at_stretch(a, static_cast<index_t>(first), list, counts[turn]);
        __syncthreads();
        const int total = counts[turn];
        if (threadIdx.x == 0) counts[turn ^ 1] = 0;
        for (int k = warp; k < total; k += few_warps) {
            const index_t word = list[k];
            const std::uint64_t permitted = allowed_rows(a.mask, a.complement, a.reader.rows, word);
            const std::uint64_t found =
                permitted ? a.reader.sum_word(scratch[warp], word, permitted, a.out) : 0;
            if (threadIdx.x % 32 == 0) a.present[word] = found;
        }
        __syncthreads();
    }
}

template <class Cell>
void sum_tile_rows_of_few(const mxv_arguments& c, cudaStream_t stream) {
    const auto words = static_cast<index_t>(bits::words_for(c.output_size));
    const index_t blocks = few_blocks_an_sm * multiprocessors_here(), warps = blocks * few_warps;
    const index_t stretch = std::min<index_t>(32, (words + warps - 1) / warps);
    with_tile_reader<Cell>(c, [&]<class Reader>(const Reader& reader) {
        const few_arguments<Cell, Reader> all{reader,       words,
                                              stretch,      c.mask,
                                              c.complement, static_cast<typename Cell::value*>(c.out_values),
                                              c.out_present};
        tile_few_kernel<<<std::min(blocks_for(words, few_warps * stretch), static_cast<unsigned>(blocks)),
                          few_block, 0, stream>>>(all);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
