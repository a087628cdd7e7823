// ewise/balanced_path on a GPU: C = A op B entry by entry, as union, intersection, difference or symmetric difference of
// their places, straight from CSR (dalton2015, section III-B).
//
// Partition: the path through the entries of both matrices and the ends of their rows is cut into tiles of 2,047 steps
//   (schedule/balanced.cuh), eight lanes a cut.
// Count: a block takes a tile. The columns of both slices go to shared memory; a thread takes four neighbours of A and
//   looks for them in the same rows of B's slice: in tiles with as many entries of A as of B first at the same distance
//   from the row's begin, where they are when both rows have the same columns, else by bisection, all four halved together
//   whatever they find. Entry i of A, before which k of B's lie, is entry i + k of the path.
//   So all of the merge is two bits an entry of the path: of A or of B, and whether it has its equal on the other side.
//   They, their counts by words of 32 and the tile's number of results are kept; a last small kernel scans the tiles.
// Fill: a block takes a tile again. A thread reads the bits of eight neighbours of the path and lists, in shared memory,
//   where the results among them come from; then the lanes of a warp take results in their order, so that columns and
//   values go from memory to memory by whole sectors. The lane of a pair also reads B's value and combines. Offsets of
//   rows that end in the tile come from the same bits.
// Repeats of a place: the k-th of A is matched with the k-th of B; a cut parts no pair, so counting may begin anew
//   behind it.
// Synchronises: four barriers a block in count, one in fill; none between blocks. Sums of 256 tiles are added up by
//   atomics on integers. Each kernel is launched close behind the one before (programmatic dependent launch).
// Determinism: no sum of values, no order to choose.
// Cost: |A| + |B| + rows, whatever the rows' lengths; a search is as deep as the logarithm of B's part of the row.
//   Bytes: columns of A and B once, all of A, B and C once (of a pair B's column only once), one byte an entry for the
//   bits, written and read.
// Distance to the limit (H100, double, A + A^T, bytes of A, B and C once against a copy's rate): 70 to 73% on meshes and
//   bands, 60% on random rows of eight; the two reads of the columns cap it near 85%. On random:1000000,8 fill takes 156
//   of 217 us at 75% of the memory's rate, half of its warps' time in wait for entries and a fifth for a tile's words;
//   count 48 for 35 M instructions of a warp at half of the memory's rate; the cuts 8, a chain of dependent reads. Below
//   some million entries the four launches and the latency of a tile in each are most of the time.
// Tried without gain: the four searches of a thread one after another, each trying the equal place first (52 us for 48 on
//   random:1000000,8); trying by a vote of the warp, with what was found kept a search (55, and 137 for 110 on laplace3d:100);
//   the ends of rows asked for before sources are listed (fill the same); blocks of 128 in count (45 for 48, 99 for 110,
//   but a multiprocessor set for that much shared memory has less for fill's loads: 227 us for 217 in all, and 218 with
//   fill not close behind), and in fill (a tenth fewer instructions, 169 us for 156).
// Why the reference was not enough: a thread a row reaches 3 to 19% of a copy's rate.
#pragma once

#include "algebra/functors.hpp"
#include "kernels/cuda/ewise/common_path.cuh"

#include <bit>

namespace nz::kernels::cuda {

template <class T>
using bits_of =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Results that a lane asks for before it waits for the first.
constexpr int fill_turns = 4;
/// What 48 registers a thread allow; with 40 some go to memory and back.
constexpr int fill_blocks_an_sm = 5;

/// Where a result comes from: the places in A's and in B's slice that the path has come to, and which of them it is.
constexpr int place_bits = 12;
constexpr std::uint32_t place_mask = (1u << place_bits) - 1, from_a = 1u << 24, from_both = 1u << 25;

/// The list of a warp's sources, one word longer every 32, so that lanes that write eight apart meet other banks.
constexpr int source_room = warp_words * 33;
__device__ inline unsigned source_at(unsigned k) { return k + k / 32; }

/// Lists where the results of a warp's words come from, in their order. A thread takes eight neighbours of the path.
__device__ inline void list_sources(const plan::ewise_word* words, std::uint32_t* sources) {
    const unsigned t = threadIdx.x, shift = t % 4 * 8;
    const plan::ewise_word w = words[t / 4];
    const std::uint32_t lower = (1u << shift) - 1;
    const unsigned a = (w.before & 0xffff) + __popc(w.of_a & lower);
    unsigned k = (w.before >> 16) + __popc(w.results & lower) - (words[t / 32 * warp_words].before >> 16);
    std::uint32_t places = a | (t * 8 - a) << place_bits;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        const std::uint32_t bit = 1u << j;
        const bool of_a = w.of_a >> shift & bit;
        if (w.results >> shift & bit)
            sources[source_at(k++)] =
                places | (of_a ? from_a : 0) | (w.paired >> shift & bit ? from_both : 0);
        places += of_a ? 1 : 1u << place_bits;
    }
}

/// What the results of one tile are read from and written to, by positions in the tile.
template <class U>
struct tile_arrays {
    const index_t *a_columns, *b_columns;
    const U *a_values, *b_values;
    unsigned a_mask, b_mask;  ///< 0: one value stands for all
    index_t* columns;
    U* values;
};

/// A lane's part of up to fill_turns * 32 results, those from place `first` of the tile's on: all of them where All, else
/// `count`.
template <binary_id Op, class T, bool All>
__device__ void fill_some(const tile_arrays<bits_of<T>>& t, const std::uint32_t* sources, int first,
                          int count, bool combines) {
    using U = bits_of<T>;
    const int lane = static_cast<int>(threadIdx.x % 32);
    index_t columns[fill_turns];
    U values[fill_turns], others[fill_turns];
    bool both[fill_turns];
#pragma unroll
    for (int k = 0; k < fill_turns; ++k) {
        if (!All && lane + k * 32 >= count) continue;
        const std::uint32_t source = sources[k * 33];
        const bool of_a = source & from_a;
        const unsigned in_b = source >> place_bits & place_mask, place = of_a ? source & place_mask : in_b;
        both[k] = combines && source & from_both;
        columns[k] = __ldcs((of_a ? t.a_columns : t.b_columns) + place);
        values[k] = __ldcs((of_a ? t.a_values : t.b_values) + (place & (of_a ? t.a_mask : t.b_mask)));
        if (both[k]) others[k] = __ldcs(t.b_values + (in_b & t.b_mask));
    }
#pragma unroll
    for (int k = 0; k < fill_turns; ++k) {
        if (!All && lane + k * 32 >= count) continue;
        if (both[k])
            values[k] = std::bit_cast<U>(static_cast<T>(
                algebra::binary<Op>(std::bit_cast<T>(values[k]), std::bit_cast<T>(others[k]))));
        __stcs(t.columns + first + lane + k * 32, columns[k]);
        __stcs(t.values + first + lane + k * 32, values[k]);
    }
}

/// The results of a warp's words: `count` of them, beginning at place `first` of the tile's.
template <binary_id Op, class T>
__device__ void fill_results(const tile_arrays<bits_of<T>>& t, const std::uint32_t* sources, int first,
                             int count, bool combines) {
    constexpr int some = fill_turns * 32;
    const std::uint32_t* mine = sources + threadIdx.x % 32;
#pragma unroll 1
    for (; count >= some; count -= some, first += some, mine += fill_turns * 33)
        fill_some<Op, T, true>(t, mine, first, count, combines);
    if (count > 0) fill_some<Op, T, false>(t, mine, first, count, combines);
}

/// Where the result offsets of C are written.
struct offset_writer {
    void* offsets;
    bool wide;
    __device__ void operator()(offset_t row, offset_t place) const {
        if (wide)
            static_cast<std::int64_t*>(offsets)[row] = place;
        else
            static_cast<std::int32_t*>(offsets)[row] = static_cast<std::int32_t>(place);
    }
};

/// A tile's words and where it lies, in shared memory: one thread reads it, and no register holds it.
struct tile_view {
    plan::ewise_word words[plan::ewise_tile_words];
    plan::ewise_cut from;
    offset_t first_result;
    int rows_end, size, results;

    __device__ void bring(const plan::ewise_parts& parts, unsigned tile) {
        const unsigned t = threadIdx.x;
        if (t < plan::ewise_tile_words) {
            words[t] = parts.words[std::size_t{tile} * plan::ewise_tile_words + t];
        } else if (t == plan::ewise_tile_words) {
            const plan::ewise_cut &at = parts.cuts[tile], &to = parts.cuts[tile + 1];
            from.a = at.a;
            from.b = at.b;
            from.row = at.row;
            rows_end = to.row - from.row;
            size = static_cast<int>(to.a - from.a + to.b - from.b);
            first_result = parts.starts[tile];
            results = parts.results[tile];
        }
        __syncthreads();
    }
    /// Results before entry `at` of the path.
    __device__ int results_before(int at) const {
        if (at >= size) return results;
        const plan::ewise_word& w = words[at / 32u];
        return static_cast<int>(w.before >> 16) + __popc(w.results & ((1u << at % 32u) - 1));
    }
};

template <binary_id Op, class T>
__global__ void __launch_bounds__(path_block, fill_blocks_an_sm)
    balanced_path_fill_kernel(device_side a, device_side b, const bits_of<T>* a_values,
                              const bits_of<T>* b_values, bool combines, plan::ewise_parts parts,
                              offset_writer offsets, index_t* columns, bits_of<T>* values) {
    __shared__ tile_view tile;
    __shared__ std::uint32_t sources[path_warps][source_room];
    cudaGridDependencySynchronize();
    tile.bring(parts, blockIdx.x);
    const unsigned t = threadIdx.x, warp = t / 32;
    list_sources(tile.words, sources[warp]);
    if (blockIdx.x == 0 && t == 0) offsets(0, 0);
    for (int r = static_cast<int>(t); r < tile.rows_end; r += path_block) {
        const offset_t row = offset_t{tile.from.row} + r + 1;
        const int end = static_cast<int>(a.offsets[row] - tile.from.a + b.offsets[row] - tile.from.b);
        offsets(row, tile.first_result + tile.results_before(end));
    }
    const int place = static_cast<int>(warp * warp_words * 32);
    if (place >= tile.size) return;
    __syncwarp();
    const int begin = tile.results_before(place), end = tile.results_before(place + warp_words * 32);
    const tile_arrays<bits_of<T>> arrays{
        a.columns + tile.from.a,         b.columns + tile.from.b,   a_values + tile.from.a * a.step,
        b_values + tile.from.b * b.step, a.step ? ~0u : 0,          b.step ? ~0u : 0,
        columns + tile.first_result,     values + tile.first_result};
    fill_results<Op, T>(arrays, sources[warp], begin, end - begin, combines);
}

template <binary_id Op, class T>
void balanced_path_fill(const device_ewise_arguments& k, void* stream) {
    using U = bits_of<T>;
    const offset_t tiles = plan::ewise_tiles(k.rows, k.a_entries, k.b_entries);
    launch_close(balanced_path_fill_kernel<Op, T>, static_cast<unsigned>(tiles), path_block,
                 static_cast<cudaStream_t>(stream), true, device_side(k.a), device_side(k.b),
                 static_cast<const U*>(k.a.values), static_cast<const U*>(k.b.values),
                 k.operation == set_operation::unite || k.operation == set_operation::intersect,
                 plan::ewise_parts(k.workspace, tiles), offset_writer{k.offsets, k.wide}, k.columns,
                 static_cast<U*>(k.values));
}

}  // namespace nz::kernels::cuda
