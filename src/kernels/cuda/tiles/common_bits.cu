// CSR to bit tiles on a GPU: a group of lanes for a row of tiles, as common_build.cu has where rows are long. A lane's entries in a
// tile are one word.
#include "kernels/cuda/tiles/common_bits.hpp"
#include "kernels/cuda/tiles/common_walk.cuh"
#include "storage/bit_tiles.hpp"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

template <int Size>
using word_type = std::conditional_t<Size == 64, std::uint64_t, std::uint32_t>;

template <int Size>
__global__ void __launch_bounds__(build_block) count_bits_kernel(device_bit_build b) {
    const index_t i = tile_row_of_group<Size>();
    if (i > b.tile_rows) return;
    std::uint32_t tiles = 0, words = 0, outside = 0;
    if (i < b.tile_rows) {
        lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
        for (unsigned column; (column = walk.next()) != none; walk.step()) {
            const int entries = walk.measure(column);
            if (entries < b.least_entries) {
                outside += entries;
                continue;
            }
            ++tiles;
            for (int r = 0; r < walk.rows; ++r) words += __popc(__ballot_sync(walk.mask, walk.count[r] != 0));
        }
    }
    if (threadIdx.x % lane_walk<Size>::group == 0) {
        b.tile_offsets[i] = tiles;
        b.word_offsets[i] = words;
        b.extracted_offsets[i] = outside;
    }
}

// Rows 2 l and 2 l + 1 are lane l's in tiles of 64; each gets the number of occupied rows before it.
template <int Size>
__device__ word_type<Size> occupied_rows(const lane_walk<Size>& walk) {
    if constexpr (Size == 32) {
        return __ballot_sync(walk.mask, walk.count[0] != 0);
    } else {
        const auto spread = [](unsigned bits) {  // bit k to bit 2 k
            std::uint64_t x = bits;
            x = (x | x << 16) & 0x0000ffff0000ffff;
            x = (x | x << 8) & 0x00ff00ff00ff00ff;
            x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
            x = (x | x << 2) & 0x3333333333333333;
            return (x | x << 1) & 0x5555555555555555;
        };
        return spread(__ballot_sync(walk.mask, walk.count[0] != 0)) |
               spread(__ballot_sync(walk.mask, walk.count[1] != 0)) << 1;
    }
}

template <int Size>
__global__ void __launch_bounds__(build_block) fill_bits_kernel(device_bit_build b) {
    using word = word_type<Size>;
    using header = storage::tile_header<word>;
    constexpr int rows = lane_walk<Size>::rows;
    const index_t i = tile_row_of_group<Size>();
    auto* headers = static_cast<header*>(b.headers);
    if (i >= b.tile_rows) {
        if (i == b.tile_rows && threadIdx.x % lane_walk<Size>::group == 0) headers[b.tiles] = {0, b.words, 0};
        return;
    }
    std::uint32_t tile = b.tile_offsets[i], place = b.word_offsets[i], apart[rows] = {};
    const std::uint32_t outside = b.extracted_offsets[i];
    if (b.extracted_offsets[i + 1] != outside) {
        int mine[rows] = {};
        lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
        for (unsigned column; (column = walk.next()) != none; walk.step())
            if (walk.measure(column) < b.least_entries)
                for (int r = 0; r < rows; ++r) mine[r] += walk.count[r];
        apart[0] = outside + walk.before(rows == 2 ? mine[0] + mine[rows - 1] : mine[0]);
        if (rows == 2) apart[rows - 1] = apart[0] + mine[0];
    }
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
            const int before = Size == 64 ? __popcll(below) : __popc(static_cast<unsigned>(below));
            if (kept && bits) static_cast<word*>(b.row_words)[place + before] = bits;
        }
        if (!kept) continue;
        if (walk.lane == 0) headers[tile] = {column, place, occupied};
        ++tile;
        place += Size == 64 ? __popcll(occupied) : __popc(static_cast<unsigned>(occupied));
    }
}

void sum_up(const device_bit_build& b, std::uint32_t* counts, void* stream) {
    std::size_t bytes = b.temporary_bytes;
    check(cub::DeviceScan::ExclusiveSum(b.temporary, bytes, counts, counts, b.tile_rows + 1, on(stream)));
}

unsigned blocks_for_groups(const device_bit_build& b) { return blocks_of((offset_t{b.tile_rows} + 1) * 32); }

}  // namespace

void count_bit_tiles(const device_bit_build& b, void* stream) {
    if (b.size == 64)
        count_bits_kernel<64><<<blocks_for_groups(b), build_block, 0, on(stream)>>>(b);
    else
        count_bits_kernel<32><<<blocks_for_groups(b), build_block, 0, on(stream)>>>(b);
    check(cudaGetLastError());
    for (std::uint32_t* counts : {b.tile_offsets, b.word_offsets, b.extracted_offsets})
        sum_up(b, counts, stream);
}

void fill_bit_tiles(const device_bit_build& b, void* stream) {
    if (b.size == 64)
        fill_bits_kernel<64><<<blocks_for_groups(b), build_block, 0, on(stream)>>>(b);
    else
        fill_bits_kernel<32><<<blocks_for_groups(b), build_block, 0, on(stream)>>>(b);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
