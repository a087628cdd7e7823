// The entries of a warp's rows of tiles in shared memory, as they stand in the CSR: they are copied side by side, then each
// lane walks along its own rows (common_marked.cuh). The room is a block's of four warps; where their entries are more than it
// holds they have it in turn, and rows of tiles that are larger still are left to the caller.
#pragma once

#include "core/cuda_shared.hpp"
#include "kernels/cuda/tiles/common_walk.cuh"
#include "kernels/device_tiles.hpp"

#include <algorithm>

namespace nz::kernels::cuda {

constexpr unsigned staged_block = 128, staged_warps = staged_block / 32;

/// What a warp takes, so many rows of tiles, and what a block keeps in shared memory: where rows begin, as many columns as
/// `entries`, those of each warp as far into 16 bytes as they are in the CSR, and `more_bytes` for each.
struct staged_shape {
    static constexpr int most_tile_rows = 16;
    int tile_rows;
    unsigned entries;
    unsigned more_bytes = 0;
    unsigned step = 1;  ///< every so many blocks one

    __host__ __device__ unsigned start_words(int size) const {  // of a warp
        return (static_cast<unsigned>(tile_rows * size) + 4) & ~3u;
    }
    __host__ __device__ unsigned words_before_columns(int size) const {
        return staged_warps * start_words(size);
    }
    __host__ __device__ unsigned columns() const { return entries + 8 * staged_warps; }
    __host__ __device__ unsigned bytes(int size) const {
        return 4 * words_before_columns(size) + (4 + more_bytes) * columns();
    }
};

inline constexpr double usual_large_room = 1.6;

/// Short rows of tiles by several, up to 768 entries (grid2d:2000,0.3 by eight: 0.117 ms, by two 0.129), if warps enough are
/// left. There is room for a fifth more entries than rows have on average, where rows of tiles are large for `large_room` times as
/// many, for blocks that do not fit wait for their warps one after another (value tiles of 32 of fe_body (x) 6x6 0.116 ms with
/// 1.6, 0.157 with a fifth; H100).
inline staged_shape staged_shape_of(offset_t all_entries, index_t tile_rows, int least_rows = 1,
                                    double large_room = usual_large_room,
                                    int most_rows = staged_shape::most_tile_rows) {
    constexpr double entries_a_warp = 768, large = 1024;
    constexpr index_t warps = 8192;
    const double average = static_cast<double>(all_entries) / std::max(tile_rows, index_t{1}),
                 room = average < large ? 1.2 : large_room;
    int rows = least_rows;
    while (rows < most_rows && 2 * rows * average <= entries_a_warp && tile_rows / (2 * rows) >= warps)
        rows *= 2;
    const double entries = std::clamp(average * rows * staged_warps * room, 1024.0, 32768.0);
    return {rows, (static_cast<unsigned>(entries) + 15) & ~15u};
}

inline unsigned staged_blocks(index_t tile_rows, const staged_shape& shape) {
    const unsigned rows = staged_warps * static_cast<unsigned>(shape.tile_rows);
    return std::max(1u, (static_cast<unsigned>(tile_rows) + rows - 1) / rows);
}

/// kernel(build, shape, more...), which keeps in shared memory what the shape says and `more_bytes` behind that; its blocks.
template <class Kernel, class Build, class... More>
unsigned launch_staged(Kernel* kernel, const Build& b, const staged_shape& shape, void* stream,
                       unsigned more_bytes = 0, const More&... more) {
    constexpr unsigned without_asking = 48u << 10;
    const unsigned bytes = shape.bytes(b.size) + more_bytes;
    if (bytes > without_asking) allow_shared(kernel, bytes);
    const unsigned blocks = (staged_blocks(b.tile_rows, shape) + shape.step - 1) / shape.step;
    kernel<<<blocks, staged_block, bytes, on(stream)>>>(b, shape, more...);
    check(cudaGetLastError());
    return blocks;
}

extern __shared__ __align__(16) unsigned staged_memory[];

__device__ inline index_t first_of_warp(const staged_shape& shape) {
    return static_cast<index_t>(blockIdx.x * shape.step * staged_warps + threadIdx.x / 32) * shape.tile_rows;
}

__device__ inline unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
__device__ inline unsigned load_shared(unsigned at) {
    unsigned x;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}
__device__ inline void store_shared(unsigned at, unsigned x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
}
__device__ inline void store_shared(unsigned at, uint2 x) {
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(x.x), "r"(x.y) : "memory");
}
__device__ inline void start_copy_of_16(unsigned* to, const index_t* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

/// Places in the CSR are of 32 bits: it has fewer than 2^32 entries.
template <int Size>
struct staged_rows {
    const int lane = static_cast<int>(threadIdx.x % 32), tile_rows;
    unsigned* starts;     ///< of rows
    unsigned* columns;    ///< columns[e - bias] is that of entry e
    unsigned char* more;  ///< as many times more_bytes
    unsigned most, bias = 0;
    unsigned offset = 0;  ///< of `columns` among the block's

    /// The warp's rows of tiles, from `first` on.
    template <class Build>
    __device__ staged_rows(const Build& b, const staged_shape& shape, index_t first)
        : tile_rows(max(0, min(shape.tile_rows, b.tile_rows - first))) {
        const unsigned warp = threadIdx.x / 32, rows = static_cast<unsigned>(b.rows);
        starts = staged_memory + warp * shape.start_words(Size);
        columns = staged_memory + shape.words_before_columns(Size);
        const auto* low = static_cast<const std::uint32_t*>(b.offsets.data);
        const auto low_offset = [&](unsigned row) { return low + (std::size_t{row} << int{b.offsets.wide}); };
        const unsigned first_row = static_cast<unsigned>(first) * Size;
        for (unsigned r = lane; tile_rows > 0 && r <= static_cast<unsigned>(tile_rows) * Size; r += 32)
            start_copy(starts + r, low_offset(min(first_row + r, rows)));
        const unsigned block_rows = staged_warps * static_cast<unsigned>(shape.tile_rows) * Size;
        const unsigned block = blockIdx.x * shape.step;
        origin_ = __ldg(low_offset(block * block_rows));
        const std::uint32_t entries = __ldg(low_offset(min((block + 1) * block_rows, rows))) - origin_;
        finish_copies();
        __syncwarp();
        together_ = entries <= shape.entries;
        most = shape.entries;
        if (tile_rows == 0) return;
        offset = 8 * warp + (together_ ? from_origin(0) & ~3u : 0);
        more = reinterpret_cast<unsigned char*>(columns + shape.columns()) + offset * shape.more_bytes;
        columns += offset;
    }
    /// Where row of tiles k begins in the CSR, and how many entries it has.
    __device__ std::uint32_t begin_of(int k) const { return origin_ + from_origin(k); }
    __device__ unsigned entries_of(int k) const { return starts[(k + 1) * Size] - starts[k * Size]; }
    /// Where row of tiles k begins behind `columns`, once it is here.
    __device__ unsigned place_of(int k) const { return starts[k * Size] - bias; }
    /// Whether the room holds all of the block's.
    __device__ bool together() const { return together_; }
    /// Columns that are no longer as they were are fetched once more.
    __device__ void forget() { fetched_ = false; }
    /// Calls near(k, count) once the entries of rows of tiles k, k + 1... are here, and far(k) for each that does not fit. Where all of
    /// the block's fit they are fetched the first time alone.
    template <class Near, class Far>
    __device__ void for_parts(const index_t* indices, Near&& near, Far&& far) {
        if (!together_)
            for (int k = 0; k < tile_rows; ++k)
                if (fitting(k) == 0) far(k);
        for (unsigned turn = 0; turn < (together_ ? 1 : staged_warps); ++turn) {
            if (together_ || turn == threadIdx.x / 32)
                for (int k = 0; k < tile_rows;) {
                    const int count = fitting(k);
                    if (count) {
                        if (!fetched_) fetch(indices, k, count);
                        near(k, count);
                        __syncwarp();  // before other entries take their place
                    }
                    k += max(count, 1);
                }
            if (!together_) __syncthreads();
        }
        fetched_ = together_;
    }
    /// Calls near(k) or far(k) for every row of tiles.
    template <class Near, class Far>
    __device__ void for_each(const index_t* indices, Near&& near, Far&& far) {
        for_parts(
            indices,
            [&](int k, int count) {
                for (int i = 0; i < count; ++i) near(k + i);
            },
            far);
    }

private:
    std::uint32_t origin_;  // where the block begins in the CSR
    // Where all of the block's entries fit they stand one after the other; else the room is each warp's in turn.
    bool together_;
    bool fetched_ = false;

    __device__ unsigned from_origin(int k) const { return starts[k * Size] - static_cast<unsigned>(origin_); }

    // How many rows of tiles from number k on fit.
    __device__ int fitting(int k) const {
        const unsigned begin = starts[k * Size], up_to = starts[min(k + lane + 1, tile_rows) * Size];
        return __popc(__ballot_sync(full_warp, (k + lane < tile_rows) & (up_to - begin <= most)));
    }
    __device__ void fetch(const index_t* indices, int k, int count) {
        const unsigned begin = starts[k * Size], end = starts[(k + count) * Size];
        indices += begin_of(k);
        const auto skew =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(indices) / sizeof(index_t)) % 4;
        bias = begin - skew;
        const unsigned body = min((4 - skew) % 4, end - begin), tail = body + ((end - begin - body) & ~3u);
        for (unsigned e = body + 4 * lane; e < tail; e += 128)
            start_copy_of_16(columns + (e + skew), indices + e);
        const unsigned single = lane < 4 ? lane : tail + lane - 4;
        if (lane < 8 && single < (lane < 4 ? body : end - begin))
            start_copy(columns + (single + skew), reinterpret_cast<const std::uint32_t*>(indices) + single);
        finish_copies();
        __syncwarp();
    }
};

}  // namespace nz::kernels::cuda
