// CSR to bit tiles on a GPU: storage/bit_tiles.cpp's arrays, a warp for one to sixteen rows of tiles.
//
// Who owns what: a warp copies its rows' columns, which stand together in the CSR, to shared memory (common_staged.cuh); then
//   each lane walks along its own row there (two rows with tiles of 64). count goes through windows of 1024 columns of tiles:
//   each lane marks the tiles of its row in bytes, which are then counted, and so are the changes of tile along the rows,
//   which are words. Where tiles need a number of entries, windows are of 256 and lanes add up entries and rows in each.
//   fill merges the rows: the warp's smallest column of tiles is the next tile, a lane's word in it is made as it walks, and a
//   ballot says which rows have one. Headers stay with a lane each until there are 32. Entries outside take the place of
//   those walked in shared memory, and go to theirs when all of the row of tiles are known. Rows of tiles that the room (a
//   block's is one and a half times the average) does not hold are walked in the CSR, an entry at a time (R-MAT).
// Memory: the CSR's structure twice, the tiles written once, and 12 bytes a row of tiles written, read and written again: the
//   counts, which a kernel of few blocks adds up, each beginning with the sums that count's blocks before it have left.
// Synchronization: a warp's alone; a block's where sums meet.
// Determinism: every place follows from the counts. Several lanes may mark one byte: with the same value.
// Cost (Nsight Compute, H100, tiles of 32, all kept): on grid2d:2000,0.3, laplace3d:100, banded:1000000,21 and a mesh with blocks
//   of 6 count issued 24.5, 27.1, 23.8 and 11.7 M instructions of a warp (before it asked every two steps whether rows go on),
//   fill 51.1, 49.2, 27.5 and 16.6 M, in 56 to 80% of the slots.
// Distance to the limit (H100, as above): 26 to 43% of the copy rate over the CSR's structure read once and the tiles written;
//   docs/measurements.md has the table. What is left are the instructions, and on the mesh too few warps.
// Without gain: counts added up by blocks that wait for those before them (count, which then merged rows as fill does, took 0.087 ms
//   on the band, fill 0.048: some 1,700 blocks begin together); room for 1.1 times the average (mesh: 0.124 for 0.063 ms);
//   warps of 3072 entries (laplace3d:100: 0.133 to 0.138 for 0.120); in fill a ballot before the walk instead of after it (as
//   many instructions).
// Why walking in the CSR was not enough: a warp's loads lie in as many sectors as it has rows (11 to 21% of the copy rate).
#include "kernels/cuda/tiles/common_bits.hpp"
#include "kernels/cuda/tiles/common_staged.cuh"
#include "storage/bit_tiles.hpp"

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

template <int Size>
using word_type = typename staged_walk<Size>::word_type;

extern __shared__ __align__(16) unsigned bits_memory[];

// What a row of tiles adds to each array, or where its part begins.
struct bit_counts {
    std::uint32_t tiles = 0, words = 0, outside = 0;
};

__device__ inline index_t first_of_warp(const staged_shape& shape) {
    return static_cast<index_t>(blockIdx.x * staged_warps + threadIdx.x / 32) * shape.tile_rows;
}

// All rows walk through a window, which begins with the first column of tiles that has not been looked at, and mark their
// tiles there, or add up their entries and rows where tiles are not kept whatever they hold.
template <int Size, bool Every>
__device__ void walk_window(staged_walk<Size>& walk, unsigned base, unsigned* window, std::uint32_t& runs) {
    constexpr unsigned extent = Every ? 4 * window_words : window_words;
    for (staged_row& row : walk.row) {
        const auto tile_in_window = [&] { return (row.head >> walk.shift) - base; };
        unsigned last = none, tile = tile_in_window();
        if constexpr (Every) {
            while (__any_sync(full_warp, tile < extent))
                for (int turn = 0; turn < 2; ++turn) {
                    row.mark_and_step(shared_address(window), extent, tile, last, runs);
                    last = tile;
                    tile = tile_in_window();
                }
        } else {
            for (unsigned entries = 0; tile < extent;) {
                last = tile;
                ++entries;
                row.step();
                tile = tile_in_window();
                if (tile == last) continue;
                atomicAdd(window + last, entries | 1u << 16);
                entries = 0;
            }
        }
    }
}

template <int Size, bool Every>
__device__ bit_counts count_near(const device_bit_build& b, const staged_rows<Size>& from, int k) {
    uint4* const window = reinterpret_cast<uint4*>(from.window);
    staged_walk<Size> walk(from, k);
    bit_counts c;
    for (unsigned base; (base = walk.next()) != walk.beyond;) {
        window[from.lane] = window[from.lane + 32] = {};
        __syncwarp();
        walk_window<Size, Every>(walk, base, from.window, c.words);
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
    staged_rows<Size> rows(bits_memory, b, shape, first);
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

constexpr unsigned scan_block = 1024, most_scan_blocks = 128;

// What a block adds up: `part` rows of tiles, one of the three arrays; count had so many blocks, of so many rows of tiles each.
struct scan_shape {
    unsigned count_blocks;
    index_t count_rows, part;
};

__global__ void __launch_bounds__(scan_block) scan_bits_kernel(device_bit_build b, scan_shape shape) {
    __shared__ std::uint32_t sums[scan_block / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::uint32_t* const counts = blockIdx.y == 0   ? b.tile_offsets
                                  : blockIdx.y == 1 ? b.word_offsets
                                                    : b.extracted_offsets;
    const auto* of_blocks = static_cast<const std::uint32_t*>(b.temporary) + blockIdx.y * shape.count_blocks;
    const index_t first = static_cast<index_t>(blockIdx.x) * shape.part,
                  end = first + min(b.tile_rows - first, shape.part);
    std::uint32_t before = 0;
    for (unsigned k = threadIdx.x; k < static_cast<unsigned>(first / shape.count_rows); k += scan_block)
        before += of_blocks[k];
    before = __reduce_add_sync(full_warp, before);
    if (lane == 0) sums[warp] = before;
    __syncthreads();
    before = __reduce_add_sync(full_warp, sums[lane]);
    for (index_t turn = first; turn < end; turn += scan_block) {
        const index_t i = turn + static_cast<index_t>(threadIdx.x);
        const std::uint32_t own = i < end ? counts[i] : 0,
                            up_to = lane_group<32>::up_to(static_cast<int>(own));
        __syncthreads();
        if (lane == 31) sums[warp] = up_to;
        __syncthreads();
        const std::uint32_t of_warp = sums[lane],
                            earlier = __reduce_add_sync(full_warp, lane < warp ? of_warp : 0);
        if (i < end) counts[i] = before + earlier + up_to - own;
        before += __reduce_add_sync(full_warp, of_warp);
    }
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) counts[b.tile_rows] = before;
}

__device__ inline int bits_in(std::uint32_t x) { return __popc(x); }
__device__ inline int bits_in(std::uint64_t x) { return __popcll(x); }
__device__ inline int lowest(std::uint32_t x) { return __ffs(static_cast<int>(x)) - 1; }
__device__ inline int lowest(std::uint64_t x) { return __ffsll(static_cast<long long>(x)) - 1; }

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
__device__ void write_outside(const device_bit_build& b, const staged_walk<Size>& walk, const unsigned* end,
                              std::uint32_t place, int lane) {
    for (int r = 0; r < walk.rows; ++r) {
        const auto count = static_cast<int>(end[r] - walk.start[r]) / 4;
        const int up_to = lane_group<32>::up_to(count);
        std::uint32_t own = place + static_cast<std::uint32_t>(up_to - count);
        for (unsigned at = walk.start[r]; at < end[r]; at += 4, ++own) {
            b.extracted_rows[own] = static_cast<std::uint8_t>(32 * r + lane);
            b.extracted_columns[own] = static_cast<index_t>(load_before(at, none));
        }
        place += static_cast<std::uint32_t>(__shfl_sync(full_warp, up_to, 31));
    }
}

template <int Size, bool Every>
__device__ void fill_near(const device_bit_build& b, staged_walk<Size> walk, bit_counts place, int lane) {
    constexpr int rows = staged_walk<Size>::rows;
    const unsigned lower = (1u << lane) - 1;
    unsigned apart[rows];  // where the next entry outside goes
    for (int r = 0; r < rows; ++r) apart[r] = walk.start[r];
    header_turn<Size> headers{static_cast<header_type<Size>*>(b.headers) + place.tiles};
    for (unsigned column; (column = walk.next()) != walk.beyond;) {
        word_type<Size> word[rows];
        int entries = 0;
        for (int r = 0; r < rows; ++r) {
            word[r] = walk.take(r, column);
            if (!Every) entries += bits_in(word[r]);
        }
        if (!Every && __reduce_add_sync(full_warp, entries) < b.least_entries) {
            for (int r = 0; r < rows; ++r)
                for (; word[r]; word[r] &= word[r] - 1, apart[r] += 4)
                    asm volatile("st.shared.u32 [%0], %1;" ::"r"(apart[r]),
                                 "r"(column * Size + lowest(word[r]))
                                 : "memory");
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
        headers.put({column, place.words, occupied}, lane);
        place.words = after;
    }
    headers.flush(lane);
    if (!Every) write_outside(b, walk, apart, place.outside, lane);
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

template <int Size, bool Every>
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
    staged_rows<Size> rows(bits_memory, b, shape, first);
    rows.for_each(
        b.indices, [&](int k) { fill_near<Size, Every>(b, staged_walk<Size>(rows, k), place_of(k), lane); },
        [&](int k) { fill_far<Size>(b, first + k, place_of(k)); });
}

unsigned blocks_of(const device_bit_build& b, const staged_shape& shape) {
    const unsigned rows = staged_warps * static_cast<unsigned>(shape.tile_rows);
    return std::max(1u, (static_cast<unsigned>(b.tile_rows) + rows - 1) / rows);
}

template <class Kernel>
void launch(Kernel* kernel, const device_bit_build& b, const staged_shape& shape, void* stream) {
    constexpr unsigned without_asking = 48u << 10;
    const unsigned bytes = shape.words(b.size) * static_cast<unsigned>(sizeof(unsigned));
    if (bytes > without_asking)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
    kernel<<<blocks_of(b, shape), staged_block, bytes, on(stream)>>>(b, shape);
    check(cudaGetLastError());
}

bool keeps_every_tile(const device_bit_build& b) { return b.least_entries <= 1; }

}  // namespace

std::size_t bit_sum_bytes(index_t tile_rows) {
    return 3 * sizeof(std::uint32_t) * (static_cast<std::size_t>(tile_rows) / staged_warps + 1);
}

void count_bit_tiles(const device_bit_build& b, void* stream) {
    const staged_shape shape = staged_shape_of(b, true);
    const bool every = keeps_every_tile(b);
    launch(b.size == 64 ? (every ? count_bits_kernel<64, true> : count_bits_kernel<64, false>)
                        : (every ? count_bits_kernel<32, true> : count_bits_kernel<32, false>),
           b, shape, stream);
    const unsigned turns = std::max(1u, (static_cast<unsigned>(b.tile_rows) + scan_block - 1) / scan_block),
                   turns_a_block = (turns + most_scan_blocks - 1) / most_scan_blocks;
    const scan_shape scan{blocks_of(b, shape), static_cast<index_t>(staged_warps) * shape.tile_rows,
                          static_cast<index_t>(turns_a_block * scan_block)};
    const dim3 blocks((turns + turns_a_block - 1) / turns_a_block, 3);
    scan_bits_kernel<<<blocks, scan_block, 0, on(stream)>>>(b, scan);
    check(cudaGetLastError());
}

void fill_bit_tiles(const device_bit_build& b, void* stream) {
    const bool every = keeps_every_tile(b);
    launch(b.size == 64 ? (every ? fill_bits_kernel<64, true> : fill_bits_kernel<64, false>)
                        : (every ? fill_bits_kernel<32, true> : fill_bits_kernel<32, false>),
           b, staged_shape_of(b, false), stream);
}

}  // namespace nz::kernels::cuda
