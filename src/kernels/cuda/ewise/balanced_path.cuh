// ewise/balanced_path on a GPU: C = A op B entry by entry, as union, intersection, difference or symmetric difference of
// their places, straight from CSR (dalton2015, section III-B).
//
// Partition: the path through the entries of both matrices and the ends of their rows is cut into tiles of 1,983 steps
//   (schedule/balanced.cuh), eight lanes a cut.
// Count: a block of 64 threads takes a tile, whose columns come to shared memory by bulk copies while rows are noted: where each
//   begins in the tile's path, and there, where it ends in A and in B. A thread takes a word, 31 neighbours of the path: it knows their
//   row, bisects in it for the place in A and in B where they begin, and then merges, an entry a step; where a row begins, its
//   ends are read. (31, so that lanes read from other banks of shared memory: with 32 that was the limit.)
//   Tiles with the same rows and columns on both sides (a mesh's matrix and its transpose) are compared, not merged.
//   Of equal columns A's comes first and its pair next, so that all of the merge is two bits an entry of the path: of A or of
//   B, and whether it has its equal on the other side. They, their counts by words and the tile's number of results
//   are kept.
// Fill: a block takes a tile again, the last first: of what count read last much is still in the L2. Four bulk copies bring the columns and values of both slices to shared memory, so that a
//   multiprocessor waits for six tiles' worth of bytes at a time and no register holds them; B's columns stay away where no
//   result is of B alone. Meanwhile two warps add up the results of the tiles before, of those in its group of 256 and of whole groups (a
//   kernel that scanned them between count and fill took 3 us and a launch), and a thread reads the bits of eight neighbours of the path and lists where the results among
//   them come from; then the lanes of a warp take results in their order, four each at once, and write whole sectors. The lane of a
//   pair also reads B's value and combines. Offsets of rows that end in the tile come from the same bits.
// Repeats of a place: the k-th of A is matched with the k-th of B; a cut parts no pair, so counting may begin anew
//   behind it. A thread that begins among repeats counts them.
// Synchronises: barriers within a block, and one for bulk copies; none between blocks. Sums of 256 tiles are added up by
//   atomics on integers. Each kernel is launched close behind the one before (programmatic dependent launch).
// Determinism: no sum of values, no order to choose.
// Cost: |A| + |B| + rows, whatever the rows' lengths; a bisection is as deep as the logarithm of the row.
//   Bytes: columns of A and B once, all of A, B and C once (where all of a tile's results have their place in A, B's columns
//   only once), one byte an entry for the bits, written and read.
// Distance to the limit (H200, double, A + A^T, bytes of A, B and C once against a copy's rate): 72 to 75% on meshes and
//   bands, 65% on random rows of eight; the two reads of the columns cap it near 85%. Of random:1000000,8's 145 us (143 since fill goes backwards) fill
//   takes 105, at 84% of a copy's rate; count 33 for 15 M instructions of a warp, a fifth of its time in wait for a tile's
//   beginning; the cuts 8, a chain of dependent reads. Fill's blocks are for half of their time in wait for what is said of their tile, before
//   anything is sent for. Below some million entries the three launches and the latency of a tile in each are most of the time.
// Tried without gain: for count, each entry of A bisected for in B's row, four at a time (60 us for 41 on random:1000000,8, and
//   136 for 69 on laplace3d:100), eight neighbours a thread in blocks of 256 (58 and 95); for fill, entries to registers (117 us
//   for 106), results written from places that are multiples of 32 (the same), facts of the tile by one thread (the same), blocks that
//   stay and have the next tile's facts and words before its turn (128 for 108, and 185 for 147 in all: they are there before count ends),
//   the results of earlier tiles added up by one warp, of its group and then of groups (laplace3d:100 220 for 213); for count, one
//   counter of all results (84 for 68: 26,700 additions at one address); for the cuts, 16 lanes (laplace3d:100 17 for 14), first looks near
//   where a cut is expected (the same); for fill, bulk copies of values, or of all, that the L2 is told to drop first (laplace3d:100 320 for 300).
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

/// What shared memory allows with values of 8 bytes.
constexpr int fill_blocks_an_sm = 6;

/// Where a result comes from: the places in A's and in B's slice that the path has come to, and which of them it is.
constexpr int place_bits = 12;
constexpr std::uint32_t place_mask = (1u << place_bits) - 1, from_a = 1u << 24, from_both = 1u << 25;

/// The list of a warp's sources, of which lanes write eight apart, and seven at the end of a word: to other banks.
constexpr int source_room = warp_words * word_entries;

/// Lists where the results of a warp's words come from, in their order. A thread takes eight neighbours of the path.
__device__ inline void list_sources(const plan::ewise_word* words, std::uint32_t* sources) {
    const unsigned t = threadIdx.x, shift = t % 4 * 8;
    const plan::ewise_word w = words[t / 4];
    const std::uint32_t lower = (1u << shift) - 1;
    const unsigned a = (w.before & 0xffff) + __popc(w.of_a & lower);
    unsigned k = (w.before >> 16) + __popc(w.results & lower) - (words[t / 32 * warp_words].before >> 16);
    std::uint32_t places = a | (t / 4 * word_entries + shift - a) << place_bits;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        const std::uint32_t bit = 1u << j;
        const bool of_a = w.of_a >> shift & bit;
        if (w.results >> shift & bit)
            sources[k++] = places | (of_a ? from_a : 0) | (w.paired >> shift & bit ? from_both : 0);
        places += of_a ? 1 : 1u << place_bits;
    }
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

/// Where a tile lies.
struct tile_facts {
    plan::ewise_cut from;
    int a_size, b_size, rows_end, results;

    __device__ tile_facts(const plan::ewise_parts& parts, unsigned tile)
        : from(parts.cuts[tile]), results(parts.results[tile]) {
        const plan::ewise_cut& to = parts.cuts[tile + 1];
        a_size = static_cast<int>(to.a - from.a);
        b_size = static_cast<int>(to.b - from.b);
        rows_end = to.row - from.row;
    }
    __device__ int size() const { return a_size + b_size; }
    /// Whether all results are of places that A has.
    __device__ bool only_a(set_operation operation) const {
        return operation == set_operation::intersect || operation == set_operation::subtract ||
               (operation == set_operation::unite && results == a_size);
    }
};

/// What a block brings of its tile to shared memory: the words, and the slices of both sides' columns and values.
template <class T>
struct fill_memory {
    using U = bits_of<T>;
    alignas(16) index_t columns[slices_room<index_t>];
    alignas(16) U values[slices_room<U>];
    plan::ewise_word words[plan::ewise_tile_words];
    std::uint32_t sources[path_warps][source_room];
    offset_t earlier[2];                           ///< results of tiles before
    int a_columns, b_columns, a_values, b_values;  ///< where each slice begins
    arrival slices;

    /// The first lanes of four warps send for a slice each: the last ones, for the first two bring words and the next two add.
    static constexpr unsigned senders = 4, adders = plan::ewise_tile_words / 32;
    static_assert(adders + 2 + senders <= path_warps);
    __device__ void send_for(const device_side& a, const device_side& b, const U* of_a, const U* of_b,
                             const tile_facts& tile, set_operation operation) {
        const unsigned sender = threadIdx.x / 32 - (path_warps - senders);
        if (threadIdx.x % 32 || sender >= senders) return;
        const plan::ewise_cut& at = tile.from;
        if (sender < 2)
            send_for(columns, a.columns + at.a, b.columns + at.b, tile.a_size, tile.b_size, a.entries - at.a,
                     b.entries - at.b, sender == 1, tile.only_a(operation), a_columns, b_columns);
        else
            send_for(values, of_a + at.a * a.step, of_b + at.b * b.step,
                     a.step ? tile.a_size : min(tile.a_size, 1), b.step ? tile.b_size : min(tile.b_size, 1),
                     a.step ? a.entries - at.a : 1, b.step ? b.entries - at.b : 1, sender == 3,
                     operation == set_operation::subtract, a_values, b_values);
        slices.close();
    }
    /// One of two slices of an array, A's or B's, unless B's is not needed.
    template <class E>
    __device__ void send_for(E* to, const E* of_a, const E* of_b, int a_size, int b_size, offset_t of_a_left,
                             offset_t of_b_left, bool sends_b, bool only_a, int& a_place, int& b_place) {
        const tile_slice in_a = slice_behind(0, of_a, a_size),
                         in_b = slice_behind(in_a.first + a_size, of_b, b_size);
        if (sends_b) {
            b_place = in_b.first;
            if (!only_a) slices.send_for(to, of_b, in_b, of_b_left);
        } else {
            a_place = in_a.first;
            slices.send_for(to, of_a, in_a, of_a_left);
        }
    }
};

/// The results of the tiles before `tile`, by two warps: of those in its group, and of whole groups.
__device__ inline offset_t results_of_group(const plan::ewise_parts& parts, unsigned tile) {
    const unsigned first = tile / plan::ewise_group_tiles * plan::ewise_group_tiles;
    int sum = 0;
#pragma unroll
    for (unsigned k = threadIdx.x % 32; k < plan::ewise_group_tiles; k += 32)
        sum += first + k < tile ? parts.results[first + k] : 0;
    return __reduce_add_sync(full_warp, sum);
}
__device__ inline offset_t results_of_groups(const plan::ewise_parts& parts, unsigned tile) {
    offset_t sum = 0;
#pragma unroll 4
    for (unsigned g = threadIdx.x % 32; g < tile / plan::ewise_group_tiles; g += 32)
        sum += parts.group_results[g];
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(full_warp, sum, distance);
    return sum;
}

/// Results before entry `at` of the path.
__device__ inline int results_before(const plan::ewise_word* words, const tile_facts& tile, int at) {
    if (at >= tile.size()) return tile.results;
    const unsigned word = static_cast<unsigned>(at) / word_entries, entry = at - word * word_entries;
    return static_cast<int>(words[word].before >> 16) + __popc(words[word].results & ((1u << entry) - 1));
}

/// The results of a warp's words: its lanes take them in their order.
template <binary_id Op, class T>
__device__ void write_results(fill_memory<T>& m, const device_side& a, const device_side& b,
                              set_operation operation, int count, index_t* columns, bits_of<T>* values) {
    using U = bits_of<T>;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const std::uint32_t* const sources = m.sources[threadIdx.x / 32];
    columns += lane, values += lane;
    const bool combines = operation == set_operation::unite || operation == set_operation::intersect;
    const unsigned a_mask = a.step ? ~0u : 0, b_mask = b.step ? ~0u : 0;
    const index_t *const a_columns = m.columns + m.a_columns, *const b_columns = m.columns + m.b_columns;
    const U *const a_places = m.values + m.a_values, *const b_places = m.values + m.b_values;
    constexpr int at_once = 4;  // of 32 results
#pragma unroll 1
    for (int k = lane; k - lane < count; k += 32 * at_once, columns += 32 * at_once, values += 32 * at_once) {
        std::uint32_t source[at_once];
        index_t column[at_once];
        U value[at_once];
#pragma unroll
        for (int turn = 0; turn < at_once; ++turn)
            source[turn] = k + turn * 32 < count ? sources[k + turn * 32] : 0;
#pragma unroll
        for (int turn = 0; turn < at_once; ++turn) {
            const bool of_a = source[turn] & from_a;
            const unsigned in_a = source[turn] & place_mask, in_b = source[turn] >> place_bits & place_mask;
            const U* const b_place = b_places + (in_b & b_mask);
            column[turn] = of_a ? a_columns[in_a] : b_columns[in_b];
            value[turn] = of_a ? a_places[in_a & a_mask] : *b_place;
            if (combines && source[turn] & from_both)
                value[turn] = std::bit_cast<U>(static_cast<T>(
                    algebra::binary<Op>(std::bit_cast<T>(value[turn]), std::bit_cast<T>(*b_place))));
        }
#pragma unroll
        for (int turn = 0; turn < at_once; ++turn)
            if (k + turn * 32 < count) {
                __stcs(columns + turn * 32, column[turn]);
                __stcs(values + turn * 32, value[turn]);
            }
    }
}

template <binary_id Op, class T>
__global__ void __launch_bounds__(path_block, fill_blocks_an_sm)
    balanced_path_fill_kernel(device_side a, device_side b, const bits_of<T>* a_values,
                              const bits_of<T>* b_values, set_operation operation, plan::ewise_parts parts,
                              offset_writer offsets, index_t* columns, bits_of<T>* values) {
    __shared__ fill_memory<T> m;
    const unsigned t = threadIdx.x, warp = t / 32;
    if (t == 0) m.slices.start(m.senders);
    __syncthreads();
    // Backwards: of what the count read last much is still in the second-level cache.
    const unsigned number = gridDim.x - 1 - blockIdx.x;
    cudaGridDependencySynchronize();
    if (t < plan::ewise_tile_words)
        m.words[t] = parts.words[std::size_t{number} * plan::ewise_tile_words + t];
    const tile_facts tile(parts, number);
    m.send_for(a, b, a_values, b_values, tile, operation);
    // The ends of rows are asked for with the slices.
    const offset_t first_row = offset_t{tile.from.row} + 1;
    int r = static_cast<int>(t);
    const bool ends_row = r < tile.rows_end;
    const offset_t a_end = ends_row ? a.offsets[first_row + r] : 0,
                   b_end = ends_row ? b.offsets[first_row + r] : 0;
    if (warp == m.adders || warp == m.adders + 1) {
        const offset_t earlier =
            warp == m.adders ? results_of_group(parts, number) : results_of_groups(parts, number);
        if (t % 32 == 0) m.earlier[warp - m.adders] = earlier;
    }
    __syncthreads();
    const offset_t first_result = m.earlier[0] + m.earlier[1];
    const auto put_offset = [&](int r, offset_t both) {
        const auto end = static_cast<int>(both - tile.from.a - tile.from.b);
        offsets(first_row + r, first_result + results_before(m.words, tile, end));
    };
    list_sources(m.words, m.sources[warp]);
    if (number == 0 && t == 0) offsets(0, 0);
    if (ends_row) put_offset(r, a_end + b_end);
#pragma unroll 1
    for (r += path_block; r < tile.rows_end; r += path_block)
        put_offset(r, a.offsets[first_row + r] + b.offsets[first_row + r]);
    constexpr int warp_entries = warp_words * word_entries;
    const int place = static_cast<int>(warp) * warp_entries;
    if (place >= tile.size()) return;
    __syncwarp();
    const int begin = results_before(m.words, tile, place),
              end = results_before(m.words, tile, place + warp_entries);
    m.slices.wait();
    write_results<Op, T>(m, a, b, operation, end - begin, columns + first_result + begin,
                         values + first_result + begin);
}

template <binary_id Op, class T>
void balanced_path_fill(const device_ewise_arguments& k, void* stream) {
    using U = bits_of<T>;
    const offset_t tiles = plan::ewise_tiles(k.rows, k.a_entries, k.b_entries);
    launch_close(balanced_path_fill_kernel<Op, T>, static_cast<unsigned>(tiles), path_block,
                 static_cast<cudaStream_t>(stream), true, device_side(k.a, k.a_entries),
                 device_side(k.b, k.b_entries), static_cast<const U*>(k.a.values),
                 static_cast<const U*>(k.b.values), k.operation, plan::ewise_parts(k.workspace, tiles),
                 offset_writer{k.offsets, k.wide}, k.columns, static_cast<U*>(k.values));
}

}  // namespace nz::kernels::cuda
