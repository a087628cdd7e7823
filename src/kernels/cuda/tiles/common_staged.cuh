// The entries of a warp's rows of tiles in shared memory, as they stand in the CSR: they are copied side by side, then each
// lane walks along its own rows.
#pragma once

#include "kernels/cuda/tiles/common_walk.cuh"
#include "kernels/device_tiles.hpp"

#include <algorithm>

namespace nz::kernels::cuda {

constexpr unsigned staged_block = 128, staged_warps = staged_block / 32;
constexpr unsigned window_words = 256;  // what a warp counts in

/// What a warp takes, so many rows of tiles, and what a block keeps in shared memory: where rows begin, windows if `windows`,
/// and as many columns as `entries`, those of each warp as far into 16 bytes as they are in the CSR.
struct staged_shape {
    static constexpr int most_tile_rows = 16;
    int tile_rows;
    unsigned entries;
    bool windows;

    __host__ __device__ unsigned start_words(int size) const {  // of a warp
        return (static_cast<unsigned>(tile_rows * size) + 4) & ~3u;
    }
    __host__ __device__ unsigned words_before_columns(int size) const {
        return staged_warps * (start_words(size) + (windows ? window_words : 0));
    }
    __host__ __device__ unsigned words(int size) const {
        return words_before_columns(size) + entries + 8 * staged_warps;
    }
};

/// Short rows of tiles by several, up to 768 entries (grid2d:2000,0.3 by eight: 0.117 ms, by two 0.129), if warps enough are
/// left; room for half as many entries again as rows have on average.
inline staged_shape staged_shape_of(const device_bit_build& b, bool windows) {
    constexpr double entries_a_warp = 768, room = 1.5;
    constexpr index_t warps = 8192;
    const double average = static_cast<double>(b.entries) / std::max(b.tile_rows, index_t{1});
    int rows = 1;
    while (rows < staged_shape::most_tile_rows && 2 * rows * average <= entries_a_warp &&
           b.tile_rows / (2 * rows) >= warps)
        rows *= 2;
    const double entries = std::clamp(average * rows * staged_warps * room, 1024.0, 32768.0);
    return {rows, (static_cast<unsigned>(entries) + 15) & ~15u, windows};
}

__device__ inline unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
__device__ inline void start_copy_of_16(unsigned* to, const index_t* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

/// Places in the CSR are 32 bits: there are fewer than 2^32 entries.
template <int Size>
struct staged_rows {
    const int lane = static_cast<int>(threadIdx.x % 32), tile_rows;
    unsigned* window;   ///< [window_words]
    unsigned* starts;   ///< of rows
    unsigned* columns;  ///< columns[e - bias] is that of entry e
    unsigned most, bias = 0;

    /// The warp's rows of tiles, from `first` on; `memory` is the block's.
    __device__ staged_rows(unsigned* memory, const device_bit_build& b, const staged_shape& shape,
                           index_t first)
        : tile_rows(max(0, min(shape.tile_rows, b.tile_rows - first))) {
        const unsigned warp = threadIdx.x / 32, rows = static_cast<unsigned>(b.rows);
        window = memory + warp * window_words;
        starts = memory + (shape.windows ? staged_warps * window_words : 0) + warp * shape.start_words(Size);
        columns = memory + shape.words_before_columns(Size);
        if (tile_rows == 0) return;
        const auto* offsets = static_cast<const std::uint32_t*>(b.offsets.data);  // their lower halves
        const auto offset = [&](unsigned row) { return offsets + (std::size_t{row} << int{b.offsets.wide}); };
        const unsigned first_row = static_cast<unsigned>(first) * Size;
        for (unsigned r = lane; r <= static_cast<unsigned>(tile_rows) * Size; r += 32)
            start_copy(starts + r, offset(min(first_row + r, rows)));
        const unsigned block_rows = staged_warps * static_cast<unsigned>(shape.tile_rows) * Size,
                       begin = __ldg(offset(blockIdx.x * block_rows)),
                       end = __ldg(offset(min((blockIdx.x + 1) * block_rows, rows)));
        finish_copies();
        __syncwarp();
        // Where all of the block's entries fit they stand one after the other; else each warp has a part of the room.
        const bool together = end - begin <= shape.entries;
        most = together ? shape.entries : (shape.entries / staged_warps) & ~3u;
        columns += 8 * warp + (together ? (starts[0] - begin) & ~3u : warp * most);
    }
    /// Calls near(k) for every row of tiles once its entries are here, or far(k) where they do not fit.
    template <class Near, class Far>
    __device__ void for_each(const index_t* indices, Near&& near, Far&& far) {
        for (int k = 0; k < tile_rows;) {
            const int count = fetch(indices, k);
            for (int i = 0; i < count; ++i) near(k + i);
            if (count == 0) far(k);
            k += max(count, 1);
            __syncwarp();  // before other entries take their place
        }
    }

private:
    // Copies rows of tiles from number k on; returns how many: 0 where not even one fits.
    __device__ int fetch(const index_t* indices, int k) {
        const unsigned begin = starts[k * Size], up_to = starts[min(k + lane + 1, tile_rows) * Size];
        const int count = __popc(__ballot_sync(full_warp, k + lane < tile_rows && up_to - begin <= most));
        if (count == 0) return 0;
        const unsigned end = starts[(k + count) * Size];
        const auto skew =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(indices + begin) / sizeof(index_t)) % 4;
        bias = begin - skew;
        const unsigned body = min(begin + (4 - skew) % 4, end), tail = body + ((end - body) & ~3u);
        for (unsigned e = body + 4 * lane; e < tail; e += 128)
            start_copy_of_16(columns + (e - bias), indices + e);
        const unsigned single = lane < 4 ? begin + lane : tail + lane - 4;
        if (lane < 8 && single < (lane < 4 ? body : end))
            start_copy(columns + (single - bias), reinterpret_cast<const std::uint32_t*>(indices) + single);
        finish_copies();
        __syncwarp();
        return count;
    }
};

/// What stands at `at` in shared memory, or none from `end` on. (From C++ it is twice the instructions.)
__device__ inline unsigned load_before(unsigned at, unsigned end) {
    unsigned x;
    asm volatile(
        "{.reg .pred here; setp.lt.u32 here, %1, %2; mov.u32 %0, 0xffffffff; @here ld.shared.u32 %0, [%1];}"
        : "=r"(x)
        : "r"(at), "r"(end)
        : "memory");
    return x;
}

/// A row in shared memory: the column it stands at, the one after it, and where the next is.
struct staged_row {
    unsigned head, next, at, end;

    __device__ void begin(unsigned from, unsigned to) {
        end = to;
        head = load_before(from, end);
        next = load_before(from + 4, end);
        at = from + 8;
    }
    __device__ void step() {
        head = next;
        next = load_before(at, end);
        at += 4;
    }
    /// Where the column lies in `tile` of a window of `extent` bytes, marks the tile and steps; `runs` counts the tiles that
    /// are not `last`. (From C++ it is twice the instructions.)
    __device__ void mark_and_step(unsigned window, unsigned extent, unsigned tile, unsigned last,
                                  std::uint32_t& runs) {
        asm volatile(
            "{.reg .pred here, more;"
            "setp.lt.u32 here, %6, %7;"
            "@here st.shared.u8 [%4], %5;"
            "setp.ne.and.u32 more, %6, %8, here;"
            "@more add.u32 %3, %3, 1;"
            "@here mov.u32 %0, %1;"
            "setp.lt.and.u32 more, %2, %9, here;"
            "@here mov.u32 %1, 0xffffffff;"
            "@more ld.shared.u32 %1, [%2];"
            "@here add.u32 %2, %2, 4;}"
            : "+r"(head), "+r"(next), "+r"(at), "+r"(runs)
            : "r"(window + tile), "r"(1u), "r"(tile), "r"(extent), "r"(last), "r"(end)
            : "memory");
    }
};

/// One row of tiles in the hands of a warp: its rows merged by column of tiles. Lane l has row l, with tiles of 64 row
/// 32 + l too.
template <int Size>
struct staged_walk {
    static constexpr int rows = Size / 32, shift = Size == 32 ? 5 : 6;
    static constexpr unsigned beyond = none >> shift;  // of all columns
    using word_type = std::conditional_t<Size == 64, std::uint64_t, std::uint32_t>;
    unsigned start[rows];  ///< where the rows begin in shared memory
    staged_row row[rows];

    __device__ staged_walk(const staged_rows<Size>& from, int k) {
        const unsigned columns = shared_address(from.columns) - 4 * from.bias;
        for (int r = 0; r < rows; ++r) {
            const unsigned* const at = from.starts + k * Size + 32 * r + from.lane;
            start[r] = columns + 4 * at[0];
            row[r].begin(start[r], columns + 4 * at[1]);
        }
    }
    /// The next column of tiles, or beyond.
    __device__ unsigned next() const {
        const unsigned least = rows == 2 ? min(row[0].head, row[rows - 1].head) : row[0].head;
        return __reduce_min_sync(full_warp, least) >> shift;
    }
    /// Row r of the tile in this column.
    __device__ word_type take(int r, unsigned column) {
        word_type word = 0;
        while (row[r].head >> shift == column) {
            word |= word_type{1} << (row[r].head % Size);
            row[r].step();
        }
        return word;
    }
};

}  // namespace nz::kernels::cuda
