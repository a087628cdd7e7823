// CSR to bit tiles on a GPU: storage/bit_tiles.cpp's arrays, a warp for one to sixteen rows of tiles.
//
// Who owns what: a warp copies its rows' columns, which stand together in the CSR, to shared memory (common_staged.cuh); then
//   each lane walks along its own row there (two rows at once with tiles of 64; common_marked.cuh). count goes through windows
//   of 1024 columns of tiles: each lane marks the tiles of its row in bytes, which are then counted, and so are the changes of
//   tile along the rows, which are words. Where tiles need a number of entries, windows are of 256 and lanes add up entries and
//   rows in each. fill merges the rows: the warp's smallest column of tiles is the next tile, a lane's word in it is made as it
//   walks, and a ballot says which rows have one. Rows of 16 entries and more are walked in threes where columns are neighbours
//   (blocks of a mesh with several unknowns a vertex), shorter ones entry by entry with the next one under way. Headers stay
//   with a lane each until there are 32. Entries outside take the place of those walked in shared memory, and go to theirs when
//   all of the row of tiles are known. Rows of tiles that the block's room (1.2 times its average) does not hold by themselves
//   are walked in the CSR, an entry at a time (R-MAT).
// Memory: the CSR's structure twice, the tiles written once, and 12 bytes a row of tiles written, read and written again: the
//   counts, which common_sums.cuh adds up.
// Synchronization: a warp's alone, before and after entries outside are put where a lane at its row's end looks; a block's where
//   sums meet, and where warps have the room in turn.
// Determinism: every place follows from the counts. Several lanes may mark one byte: with the same value.
// Cost (Nsight Compute, H100, tiles of 64, all kept, before shorter rows were walked one by one): on laplace3d:100,
//   banded:1000000,21 and a mesh with blocks of 6 count issued 18.6, 16.1 and 8.3 M instructions of a warp, fill 42.0, 21.4 and
//   16.8 M, in 49, 53 and 39% and in 69, 66 and 56% of the slots.
// Distance to the limit (H100): 23 to 49% of the copy rate over the CSR's structure read once and the tiles written;
//   docs/measurements.md has the table. What is left are the instructions, and on the mesh with tiles of 64 too few warps: a
//   row of tiles has 2,486 entries, so that shared memory holds 16 warps.
// Without gain: counts added up by blocks that wait for those before them (count, which then merged rows as fill does, took 0.087 ms
//   on the band, fill 0.048: some 1,700 blocks begin together); warps of 3072 entries (laplace3d:100: 0.133 to 0.138 for 0.120);
//   in fill a ballot before the walk instead of after it (as many instructions); four columns at a time, neighbours or not
//   (fill on the mesh, tiles of 64: 25.2 M instructions for 16.8); threes on the grid (fill 0.080 and 0.074 ms for 0.077 and
//   0.067 with tiles of 32 and 64); several rows of tiles side by side, four rows a lane, as value tiles have it (grid, tiles of
//   32: count and fill 0.125 ms for 0.119).
// Why walking in the CSR was not enough: a warp's loads lie in as many sectors as it has rows (11 to 21% of the copy rate).
#include "kernels/cuda/tiles/common_bits.hpp"
#include "kernels/cuda/tiles/common_marked.cuh"
#include "kernels/cuda/tiles/common_sums.cuh"
#include "storage/bit_tiles.hpp"

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

template <int Size>
using word_type = std::conditional_t<Size == 64, std::uint64_t, std::uint32_t>;

// What a row of tiles adds to each array, or where its part begins.
struct bit_counts {
    std::uint32_t tiles = 0, words = 0, outside = 0;
};

__device__ inline int bits_in(std::uint32_t x) { return __popc(x); }
__device__ inline int bits_in(std::uint64_t x) { return __popcll(x); }
__device__ inline int lowest(std::uint32_t x) { return __ffs(static_cast<int>(x)) - 1; }
__device__ inline int lowest(std::uint64_t x) { return __ffsll(static_cast<long long>(x)) - 1; }

// A warp's rows of tiles, and one of them in the hands of its lanes.
template <int Size>
using bit_rows = staged_rows<Size, std::uint32_t>;
template <int Size>
using bit_walk = marked_walk<Size, Size / 32, true>;

// All rows walk through a window, which begins with the first tile that has not been looked at, and add up their entries and
// rows in each tile.
template <int Size>
__device__ void sum_window(bit_walk<Size>& walk, unsigned base, unsigned* window) {
    unsigned after[Size / 32];
    walk.look_ahead(after);
    for (int r = 0; r < Size / 32; ++r) {
        unsigned tile = (walk.head[r] - base) / Size;
        for (unsigned entries = 0; tile < window_words;) {
            const unsigned last = tile;
            ++entries;
            walk.head[r] = after[r];
            walk.at[r] += 4;
            after[r] = load_shared(walk.at[r] + 4);
            tile = (walk.head[r] - base) / Size;
            if (tile == last) continue;
            atomicAdd(window + last, entries | 1u << 16);
            entries = 0;
        }
    }
}

template <int Size, bool Every>
__device__ bit_counts count_near(const device_bit_build& b, const bit_rows<Size>& from, int k) {
    constexpr unsigned extent = Every ? 4 * window_words : window_words;
    uint4* const window = reinterpret_cast<uint4*>(from.window);
    bit_walk<Size> walk(from, k, 1);
    bit_counts c;
    for (unsigned column; walk.on(column = walk.next());) {
        // All of it below what rows are marked with.
        const unsigned base = min(column & ~unsigned{Size - 1}, row_mark - extent * Size);
        window[from.lane] = window[from.lane + 32] = {};
        __syncwarp();
        if constexpr (Every)
            walk.mark(base, shared_address(window), extent, c.words);
        else
            sum_window<Size>(walk, base, from.window);
        __syncwarp();
        for (const uint4& four : {window[from.lane], window[from.lane + 32]})
            for (const unsigned found : {four.x, four.y, four.z, four.w}) {
                const unsigned entries = found & 0xffff;
                const bool kept = entries >= static_cast<unsigned>(b.least_entries);
                c.tiles += Every ? __popc(found) : kept;
                if (Every) continue;
                c.words += kept ? found >> 16 : 0;
                c.outside += kept ? 0 : entries;
            }
        __syncwarp();  // before the next window takes its place
    }
    return {__reduce_add_sync(full_warp, c.tiles), __reduce_add_sync(full_warp, c.words),
            Every ? 0 : __reduce_add_sync(full_warp, c.outside)};
}

template <int Size>
__device__ bit_counts count_far(const device_bit_build& b, index_t i) {
    bit_counts c;
    lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
    for (unsigned column; (column = walk.next()) != none; walk.step()) {
        const int entries = walk.measure(column);
        if (entries < b.least_entries) {
            c.outside += entries;
            continue;
        }
        ++c.tiles;
        for (int r = 0; r < walk.rows; ++r) c.words += __popc(__ballot_sync(full_warp, walk.count[r] != 0));
    }
    return c;
}

// Writes what each row of tiles has, and the sums of each block to the temporary memory: [3][blocks].
template <int Size, bool Every>
__global__ void __launch_bounds__(staged_block)
    count_bits_kernel(const __grid_constant__ device_bit_build b, staged_shape shape) {
    __shared__ bit_counts sums[staged_warps];
    const int lane = static_cast<int>(threadIdx.x % 32);
    const index_t first = first_of_warp(shape);
    bit_rows<Size> rows(b, shape, first);
    bit_counts mine;  // of the row of tiles with the lane's number
    const auto note = [&](int k, const bit_counts& c) {
        if (lane == k) mine = c;
    };
    rows.for_each(
        b.indices, [&](int k) { note(k, count_near<Size, Every>(b, rows, k)); },
        [&](int k) { note(k, count_far<Size>(b, first + k)); });
    if (lane < rows.tile_rows) {
        b.tile_offsets[first + lane] = mine.tiles;
        b.word_offsets[first + lane] = mine.words;
        b.extracted_offsets[first + lane] = mine.outside;
    }
    const bit_counts sum{__reduce_add_sync(full_warp, mine.tiles), __reduce_add_sync(full_warp, mine.words),
                         __reduce_add_sync(full_warp, mine.outside)};
    if (lane == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 3) return;
    std::uint32_t all = 0;
    for (const bit_counts& s : sums) all += reinterpret_cast<const std::uint32_t*>(&s)[threadIdx.x];
    static_cast<std::uint32_t*>(b.temporary)[threadIdx.x * gridDim.x + blockIdx.x] = all;
}

__global__ void __launch_bounds__(scan_block) scan_bits_kernel(device_bit_build b, scan_shape shape) {
    std::uint32_t* const counts = blockIdx.y == 0   ? b.tile_offsets
                                  : blockIdx.y == 1 ? b.word_offsets
                                                    : b.extracted_offsets;
    scan_part(counts, static_cast<const std::uint32_t*>(b.temporary) + blockIdx.y * shape.count_blocks,
              b.tile_rows, shape);
}

template <int Size>
using header_type = storage::tile_header<word_type<Size>>;

// Headers go to memory 32 at a time, a lane each.
template <int Size>
struct header_turn {
    header_type<Size>* to;
    header_type<Size> mine{};
    int count = 0;

    __device__ void put(const header_type<Size>& h, int lane) {
        if (lane == count) mine = h;
        if (++count == 32) flush(lane);
    }
    __device__ void flush(int lane) {
        if (lane < count) to[lane] = mine;
        to += count;
        count = 0;
    }
};

// The entries outside of a row of tiles, whose columns stand where its rows begin, up to `end`.
template <int Size>
__device__ void write_outside(const device_bit_build& b, const unsigned* start, const unsigned* end,
                              std::uint32_t place, int lane) {
    for (int r = 0; r < Size / 32; ++r) {
        const auto count = static_cast<int>(end[r] - start[r]) / 4;
        const int up_to = lane_group<32>::up_to(count);
        std::uint32_t own = place + static_cast<std::uint32_t>(up_to - count);
        for (unsigned at = start[r]; at < end[r]; at += 4, ++own) {
            b.extracted_rows[own] = static_cast<std::uint8_t>(32 * r + lane);
            b.extracted_columns[own] = static_cast<index_t>(load_shared(at) & ~row_mark);
        }
        place += static_cast<std::uint32_t>(__shfl_sync(full_warp, up_to, 31));
    }
}

template <int Size, bool Every, bool Threes>
__device__ void fill_near(const device_bit_build& b, const bit_rows<Size>& from, int k, bit_counts place,
                          int lane) {
    constexpr int rows = Size / 32;
    bit_walk<Size> walk(from, k, 1);
    const unsigned lower = (1u << lane) - 1;
    unsigned start[rows], apart[rows];  // where rows begin, and where the next entry outside goes
    for (int r = 0; r < rows; ++r) apart[r] = start[r] = walk.at[r];
    unsigned after[rows] = {};
    if (!Threes) walk.look_ahead(after);
    header_turn<Size> headers{static_cast<header_type<Size>*>(b.headers) + place.tiles};
    for (unsigned column; walk.on(column = walk.next());) {
        word_type<Size> word[rows] = {};
        if (Threes)
            walk.take_threes(column & ~unsigned{Size - 1}, word);
        else
            walk.take_ahead(column & ~unsigned{Size - 1}, after, word);
        int entries = 0;
        for (int r = 0; r < rows; ++r)
            if (!Every) entries += bits_in(word[r]);
        if (!Every && __reduce_add_sync(full_warp, entries) < b.least_entries) {
            __syncwarp();  // lanes at their row's end look where the next lane writes
            for (int r = 0; r < rows; ++r)
                for (; word[r]; word[r] &= word[r] - 1, apart[r] += 4)
                    store_shared(apart[r], (column & ~unsigned{Size - 1}) + lowest(word[r]) | row_mark);
            __syncwarp();
            continue;
        }
        word_type<Size> occupied = 0;
        std::uint32_t after = place.words;
        for (int r = 0; r < rows; ++r) {
            const unsigned here = __ballot_sync(full_warp, word[r] != 0);
            if (word[r]) static_cast<word_type<Size>*>(b.row_words)[after + __popc(here & lower)] = word[r];
            after += __popc(here);
            occupied |= word_type<Size>{here} << (32 * r);
        }
        headers.put({column / Size, place.words, occupied}, lane);
        place.words = after;
    }
    headers.flush(lane);
    if (!Every) write_outside<Size>(b, start, apart, place.outside, lane);
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
__device__ void fill_far(const device_bit_build& b, index_t i, bit_counts place) {
    using word = word_type<Size>;
    constexpr int rows = lane_walk<Size>::rows;
    int mine[rows] = {};
    if (b.least_entries > 1) {
        lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
        for (unsigned column; (column = walk.next()) != none; walk.step())
            if (walk.measure(column) < b.least_entries)
                for (int r = 0; r < rows; ++r) mine[r] += walk.count[r];
    }
    std::uint32_t apart[rows];
    apart[0] = place.outside + lane_walk<Size>::before(rows == 2 ? mine[0] + mine[rows - 1] : mine[0]);
    if (rows == 2) apart[rows - 1] = apart[0] + mine[0];
    lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
    for (unsigned column; (column = walk.next()) != none; walk.step()) {
        const bool kept = walk.measure(column) >= b.least_entries;
        const word occupied = occupied_rows(walk);
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
            const word below = occupied & ((word{1} << row) - 1);
            if (kept && bits) static_cast<word*>(b.row_words)[place.words + bits_in(below)] = bits;
        }
        if (!kept) continue;
        if (walk.lane == 0)
            static_cast<header_type<Size>*>(b.headers)[place.tiles] = {column, place.words, occupied};
        ++place.tiles;
        place.words += bits_in(occupied);
    }
}

template <int Size, bool Every, bool Threes>
__global__ void __launch_bounds__(staged_block)
    fill_bits_kernel(const __grid_constant__ device_bit_build b, staged_shape shape) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        static_cast<header_type<Size>*>(b.headers)[b.tiles] = {0, b.words, 0};
    const int lane = static_cast<int>(threadIdx.x % 32);
    const index_t first = first_of_warp(shape);
    if (first >= b.tile_rows) return;
    const index_t own = min(first + lane, b.tile_rows);
    const bit_counts mine{b.tile_offsets[own], b.word_offsets[own], b.extracted_offsets[own]};
    const auto place_of = [&](int k) {
        return bit_counts{__shfl_sync(full_warp, mine.tiles, k), __shfl_sync(full_warp, mine.words, k),
                          __shfl_sync(full_warp, mine.outside, k)};
    };
    bit_rows<Size> rows(b, shape, first);
    rows.for_each(
        b.indices, [&](int k) { fill_near<Size, Every, Threes>(b, rows, k, place_of(k), lane); },
        [&](int k) { fill_far<Size>(b, first + k, place_of(k)); });
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

std::size_t bit_sum_bytes(index_t tile_rows) {
    return 3 * sizeof(std::uint32_t) * (static_cast<std::size_t>(tile_rows) / staged_warps + 1);
}

void count_bit_tiles(const device_bit_build& b, void* stream) {
    staged_shape shape = staged_shape_of(b.entries, b.tile_rows);
    shape.windows = true;
    by_kind(b,
            [&]<int Size, bool Every>() { launch_staged(count_bits_kernel<Size, Every>, b, shape, stream); });
    const scan_shape scan = scan_shape_of(b.tile_rows, shape);
    scan_bits_kernel<<<dim3(scan.blocks(b.tile_rows), 3), scan_block, 0, on(stream)>>>(b, scan);
    check(cudaGetLastError());
}

void fill_bit_tiles(const device_bit_build& b, void* stream) {
    const staged_shape shape = staged_shape_of(b.entries, b.tile_rows);
    constexpr offset_t threes_from = 16;  // entries a row
    const bool threes = b.entries >= threes_from * b.rows;
    by_kind(b, [&]<int Size, bool Every>() {
        launch_staged(threes ? fill_bits_kernel<Size, Every, true> : fill_bits_kernel<Size, Every, false>, b,
                      shape, stream);
    });
}

}  // namespace nz::kernels::cuda
