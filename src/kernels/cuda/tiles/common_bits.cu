// CSR to bit tiles on a GPU: storage/bit_tiles.cpp's arrays, a warp for one to sixteen rows of tiles, in one pass.
//
// Who owns what: a warp copies its rows' columns, which stand together in the CSR, to shared memory (common_staged.cuh); then
//   each lane walks along its own row there (two rows at once with tiles of 64; common_marked.cuh) and the rows are merged: the
//   warp's smallest column of tiles is the next tile, a lane's word in it is made as it walks, and a ballot says which rows have
//   one. Rows of 16 entries and more are walked in threes where columns are neighbours (blocks of a mesh with several unknowns a
//   vertex), shorter ones entry by entry with the next one under way. Headers and words wait in shared memory
//   (common_bit_output.cuh); when there are enough of them, one addition to the arrays' counts gives them a place, wherever that
//   is: rows of tiles name their parts by begin and end. So nothing is counted beforehand; the caller has made room for what a
//   sample foresees, and where that is too little the counts say what is needed. A row of tiles with more headers than may wait
//   counts those to come when it gets there. Entries outside take the place of those walked in shared memory, and go to theirs
//   when all of the row of tiles are known. Rows of tiles that the block's room (1.2 to 1.35 times its average) does not hold by
//   themselves are walked in the CSR, an entry at a time, twice (R-MAT).
// Memory: the CSR's structure once, the tiles written once, 16 bytes a row of tiles.
// Synchronization: a warp's alone, before and after entries outside are put where a lane at its row's end looks; a block's where
//   warps have the room in turn; additions to the counts, one for some 100 to 200 words.
// Determinism: what a row of tiles has follows from the matrix; where it stands differs from call to call.
// Cost (Nsight Compute, H100, tiles of 32, all kept; the prototype of this, before it was put into classes): grid2d:2000,0.3, laplace3d:100, banded:1000000,21 and fe_body (x) 6x6 issue
//   64.7, 67.3, 32.1 and 17.1 M instructions of a warp, in 80, 81, 77 and 51% of the slots.
// Distance to the limit (H100): 37 to 55% of the copy rate over the CSR's structure read once and the tiles written;
//   docs/measurements/tiles.md has the table. What is left are the instructions, 12 for a column of a warp's rows and some 35 for a
//   tile; on fe_body (x) 6x6, whose rows of tiles have 1,395 entries, too few warps (of the prototype, with room for 1.6 times the average, 16 at a time).
// Without gain, in the prototype (grid2d:2000,0.3 0.092 ms, laplace3d:100 0.098, banded:1000000,21 0.057, fe_body (x) 6x6 0.044; this
//   takes 0.095, 0.101, 0.059, 0.048): counts first, in a pass of its own (0.120, 0.129, 0.087, 0.075); counts added up by blocks that wait for those before them
//   (some 1,700 blocks begin and end together and wait, wave after wave: grid2d:2000,0.3 0.119, fe_body (x) 6x6 0.122); tiles marked
//   in bytes, marks made ranks, and words put where the ranks say, without merging rows (grid2d:2000,0.3: 61.6 M instructions of a
//   warp for 64.7 M, 0.097 ms for 0.092); rows as runs of neighbouring columns, found entry beside entry on the way to shared
//   memory (laplace3d:100 83.6 M for 67.3 M; tiles of 64 of a mesh with blocks of 6, of which more warps fit, 0.047 ms for
//   0.060, of 32, which the plan takes, 0.044 for 0.042); blocks of 256 threads (0 to 5% slower, but for the band), and of
//   64 (with room for 1.6 times in both 0 to 10% faster than of 128, and 7% slower on fe_body (x) 6x6); warps of 3072 entries; four
//   columns at a time; threes on the grid; several rows of tiles side by side, four rows a lane, as value tiles have it.
// Why walking in the CSR was not enough: a warp's loads lie in as many sectors as it has rows (11 to 21% of the copy rate).
#include "kernels/cuda/common_words.cuh"
#include "kernels/cuda/tiles/common_bit_output.cuh"
#include "kernels/cuda/tiles/common_bits.hpp"
#include "kernels/cuda/tiles/common_marked.cuh"

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

// What the walk meets next, tile by tile.
template <int Size, bool Every, bool Threes>
struct tile_steps {
    static constexpr int rows = Size / 32;
    marked_walk<Size, rows, true> walk;
    unsigned after[rows] = {};
    word_type<Size> word[rows];  // of the tile

    __device__ tile_steps(const staged_rows<Size>& from, int k) : walk(from, k, 1) {
        if (!Threes) walk.look_ahead(after);
    }
    // Whether there is a next tile, which has `column`.
    __device__ bool next(unsigned& column) {
        column = walk.next();
        if (!walk.on(column)) return false;
        for (auto& w : word) w = 0;
        if (Threes)
            walk.take_threes(column & ~unsigned{Size - 1}, word);
        else
            walk.take_ahead(column & ~unsigned{Size - 1}, after, word);
        return true;
    }
    // Whether that is a tile.
    __device__ bool kept(int least) const {
        if (Every) return true;
        int entries = 0;
        for (const auto& w : word) entries += bits_in(w);
        return __reduce_add_sync(full_warp, entries) >= least;
    }
};

// From this one on.
template <int Size, bool Every, bool Threes>
__device__ __noinline__ unsigned count_tiles(tile_steps<Size, Every, Threes> steps, int least) {
    unsigned tiles = 1;
    for (unsigned column; steps.next(column);) tiles += steps.kept(least);
    return tiles;
}

// The entries outside of a row of tiles, whose columns stand where its rows begin, up to `end`.
template <int Size>
__device__ storage::tile_range write_outside(const device_bit_build& b, const unsigned* start,
                                             const unsigned* end, int lane) {
    constexpr int rows = Size / 32;
    int count[rows], up_to[rows];
    std::uint32_t all = 0;
    for (int r = 0; r < rows; ++r) {
        count[r] = static_cast<int>(end[r] - start[r]) / 4;
        up_to[r] = lane_group<32>::up_to(count[r]);
        all += static_cast<std::uint32_t>(__shfl_sync(full_warp, up_to[r], 31));
    }
    if (!all) return {};
    std::uint32_t place = take_places_outside(b, all);
    const storage::tile_range range{place, place + all};
    if (!has_room(place, all, b.room.outside)) return range;
    for (int r = 0; r < rows; ++r) {
        std::uint32_t own = place + static_cast<std::uint32_t>(up_to[r] - count[r]);
        for (unsigned at = start[r]; at < end[r]; at += 4, ++own) {
            b.extracted_rows[own] = static_cast<std::uint8_t>(32 * r + lane);
            b.extracted_columns[own] = static_cast<index_t>(load_shared(at) & ~row_mark);
        }
        place += static_cast<std::uint32_t>(__shfl_sync(full_warp, up_to[r], 31));
    }
    return range;
}

// Row of tiles number k of the warp, which is here.
template <int Size, bool Every, bool Threes>
__device__ void make_near(bit_output<Size>& out, const staged_rows<Size>& from, int k) {
    constexpr int rows = Size / 32;
    tile_steps<Size, Every, Threes> steps(from, k);
    unsigned start[rows], apart[rows];  // where rows begin, and where the next entry outside goes
    for (int r = 0; r < rows; ++r) apart[r] = start[r] = steps.walk.at[r];
    out.begin_row();
    for (unsigned column; steps.next(column);) {
        if (steps.kept(out.b.least_entries)) {
            out.put(column, steps.word, k,
                    [&] { return count_tiles<Size, Every, Threes>(steps, out.b.least_entries); });
            continue;
        }
        __syncwarp();  // lanes at their row's end look where the next lane writes
        for (int r = 0; r < rows; ++r)
            for (auto left = steps.word[r]; left; left &= left - 1, apart[r] += 4)
                store_shared(apart[r], (column & ~unsigned{Size - 1}) + lowest(left) | row_mark);
        __syncwarp();
    }
    out.end_row(k);
    if (Every) return;
    const storage::tile_range outside = write_outside<Size>(out.b, start, apart, out.lane);
    if (out.lane == k) out.outside = outside;
}

// Rows 2 l and 2 l + 1 are lane l's in tiles of 64.
template <int Size>
__device__ word_type<Size> occupied_rows(const lane_walk<Size>& walk) {
    if constexpr (Size == 32) {
        return __ballot_sync(full_warp, walk.count[0] != 0);
    } else {
        const auto spread = [](unsigned bits) {  // bit k to bit 2 k
            std::uint64_t x = bits;
            x = (x | x << 16) & 0x0000ffff0000ffff;
            x = (x | x << 8) & 0x00ff00ff00ff00ff;
            x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
            x = (x | x << 2) & 0x3333333333333333;
            return (x | x << 1) & 0x5555555555555555;
        };
        return spread(__ballot_sync(full_warp, walk.count[0] != 0)) |
               spread(__ballot_sync(full_warp, walk.count[1] != 0)) << 1;
    }
}

template <int Size>
struct far_counts {
    bit_counts all;
    int outside[lane_walk<Size>::rows] = {};  // of the lane's rows
};

template <int Size>
__device__ far_counts<Size> count_far(const device_bit_build& b, index_t i) {
    far_counts<Size> c;
    lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
    for (unsigned column; (column = walk.next()) != none; walk.step()) {
        const int entries = walk.measure(column);
        if (entries >= b.least_entries) {
            ++c.all.tiles;
            for (int r = 0; r < walk.rows; ++r)
                c.all.words += __popc(__ballot_sync(full_warp, walk.count[r] != 0));
        } else {
            c.all.outside += entries;
            for (int r = 0; r < walk.rows; ++r) c.outside[r] += walk.count[r];
        }
    }
    return c;
}

template <int Size>
__device__ void fill_far(const device_bit_build& b, index_t i, bit_counts place, const far_counts<Size>& c) {
    using word = word_type<Size>;
    constexpr int rows = lane_walk<Size>::rows;
    std::uint32_t apart[rows];
    apart[0] = place.outside +
               lane_walk<Size>::before(rows == 2 ? c.outside[0] + c.outside[rows - 1] : c.outside[0]);
    if (rows == 2) apart[rows - 1] = apart[0] + c.outside[0];
    lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
    for (unsigned column; (column = walk.next()) != none; walk.step()) {
        const bool kept = walk.measure(column) >= b.least_entries;
        const word occupied = occupied_rows(walk);
        word reach = 0;
        for (int r = 0; r < rows; ++r) {
            const int row = walk.lane * rows + r;
            word bits = 0;
            for (int e = 0; e < walk.count[r]; ++e) {
                const index_t j = b.indices[walk.at[r] + e];
                bits |= word{1} << (j & (Size - 1));
                if (kept) continue;
                b.extracted_rows[apart[r]] = static_cast<std::uint8_t>(row);
                b.extracted_columns[apart[r]++] = j;
            }
            reach |= bits;
            const word below = occupied & ((word{1} << row) - 1);
            if (kept && bits) static_cast<word*>(b.row_words)[place.words + bits_in(below)] = bits;
        }
        if (!kept) continue;
        reach = warp_or(reach);
        if (walk.lane == 0)
            static_cast<header_type<Size>*>(b.headers)[place.tiles] = {column, place.words, occupied, reach};
        ++place.tiles;
        place.words += bits_in(occupied);
    }
}

// Row of tiles i, number k of the warp, which does not fit.
template <int Size>
__device__ void make_far(bit_output<Size>& out, index_t i, int k) {
    const device_bit_build& b = out.b;
    const far_counts<Size> c = count_far<Size>(b, i);
    bit_counts place = take_places(b, c.all.tiles, c.all.words);
    if (c.all.outside) place.outside = take_places_outside(b, c.all.outside);
    if (out.lane == k) {
        out.mine = {place.tiles, place.tiles + c.all.tiles};
        out.outside = {place.outside, place.outside + c.all.outside};
    }
    if (has_room(place.tiles, c.all.tiles, b.room.tiles) &&
        has_room(place.words, c.all.words, b.room.words) &&
        has_room(place.outside, c.all.outside, b.room.outside))
        fill_far<Size>(b, i, place, c);
}

template <int Size, bool Every, bool Threes>
__global__ void __launch_bounds__(staged_block)
    make_bits_kernel(const __grid_constant__ device_bit_build b, staged_shape shape, unsigned headers) {
    const index_t first = first_of_warp(shape);
    staged_rows<Size> rows(b, shape, first);
    auto* const room = reinterpret_cast<unsigned char*>(staged_memory) + shape.bytes(Size);
    bit_output<Size> out(b, room + threadIdx.x / 32 * output_bytes<Size>(headers), headers);
    rows.for_each(
        b.indices, [&](int k) { make_near<Size, Every, Threes>(out, rows, k); },
        [&](int k) { make_far<Size>(out, first + k, k); });
    out.finish();
    if (out.lane >= rows.tile_rows) return;
    b.ranges[first + out.lane] = out.mine;
    b.outside_ranges[first + out.lane] = out.outside;
}

// f(Size, whether every tile is kept).
template <class F>
void by_kind(const device_bit_build& b, F&& f) {
    const bool every = b.least_entries <= 1;
    if (b.size == 64)
        every ? f.template operator()<64, true>() : f.template operator()<64, false>();
    else
        every ? f.template operator()<32, true>() : f.template operator()<32, false>();
}

}  // namespace

void make_bit_tiles(const device_bit_build& b, void* stream) {
    constexpr offset_t threes_from = 16;  // entries a row
    constexpr double large_room = 1.35;   // fe_body (x) 6x6 0.044 ms, with 1.6 0.048 (H100, the prototype)
    const staged_shape shape = staged_shape_of(b.entries, b.tile_rows, 1, large_room);
    const bool threes = b.entries >= threes_from * b.rows;
    const unsigned headers = waiting_headers(b);
    check(cudaMemsetAsync(b.counts, 0, sizeof *b.counts, on(stream)));
    by_kind(b, [&]<int Size, bool Every>() {
        const auto kernel =
            threes ? make_bits_kernel<Size, Every, true> : make_bits_kernel<Size, Every, false>;
        launch_staged(kernel, b, shape, stream, staged_warps * output_bytes<Size>(headers), headers);
    });
}

}  // namespace nz::kernels::cuda
