// mxm_dia/stored on a GPU: C = A B of matrices stored by diagonals (matam2012, Algorithm 4).
//
// Computes: diagonal d of A times diagonal e of B is added to diagonal d + e of C, straight from and to memory, a row to a lane, so that
//   all is read and written coalesced. Two ways: band, where the offsets of both factors follow one another, for the tiles of rows in
//   which no diagonal leaves the matrix; pairs for all other rows, and for diagonals that lie apart.
// band: a tile of 256, 128 or 64 rows -> a block of 256 threads. It brings its rows of A and those of B that they reach into shared
//   memory (the paper brings B's), past the registers. A warp takes 64 of the rows, two neighbouring ones to a lane, and 6 diagonals of
//   C: 12 sums a lane in registers. Going through the rows of B that these reach, 7 values of B and 2 of A serve 12 products, where one
//   by one they would take 24 reads. Every other row lies side by side there, so that lanes do not meet in a bank.
// pairs: a row -> a lane, the diagonals of C shared out over blocks where there are few rows; values come by way of the first-level
//   cache. Places without a product become 0 and are no entries. Beside tiles it is the first blocks of the same launch.
// Shared memory: the tile, 53 KB for 21 diagonals of doubles, four blocks a multiprocessor. Bands too wide for 220 KB (about 105
//   diagonals of doubles by as many) go to pairs.
// Sync: one barrier between bringing and adding. Determinism: the order of k: bit for bit the CPU's.
// Cost: A and C once, B once and what neighbouring tiles share (from the second-level cache). Distance to the limit (H200,
//   double): 63% of the copy rate with 21 diagonals, 75 with 9, 28 with 61: docs/measurements/spgemm.md.
// Tried: rows of B brought through registers, a load at a time (0.39 ms at best for 0.29 on 21 diagonals of a million doubles, H100); four rows
//   a lane, which takes fewer reads but registers for three blocks or two (0.31 at best); tiles of 512 rows, one block (0.48).
// Why mxm/dia_dia was not enough: from and to CSR it moves 12 bytes an entry, and turns every value.
#pragma once

#include "algebra/before_first.hpp"
#include "core/cuda_check.hpp"
#include "kernels/mxm_dia_arguments.hpp"
#include "plan/mxm_dia.hpp"

#include <cuda_pipeline.h>

#include <algorithm>
#include <cstddef>

namespace nz::kernels::cuda {

namespace mxm_dia_detail {

inline constexpr unsigned block = 256, warp_lanes = 32;
inline constexpr int warps = block / warp_lanes, each = plan::stored_rows, together = plan::stored_together;
/// Blocks that fill any GPU a few times over.
inline constexpr unsigned enough_blocks = 512;

/// Where the first product wins, diagonals are gone through from the last, and the last to come stays.
template <class Cell>
__device__ void add(typename Cell::value& sum, typename Cell::value product) {
    if constexpr (Cell::first_wins)
        sum = product;
    else
        sum = Cell::add(sum, product);
}
template <class Cell>
__device__ typename Cell::value nothing() {
    if constexpr (Cell::first_wins) return {};
    return algebra::before_first<Cell>();
}

/// `rows` rows of each diagonal, to where every other lies side by side. Values of 4 and 8 bytes go past the registers: all are under
/// way at once until brought().
template <class T>
__device__ void bring(T* to, int pitch, const T* from, offset_t stride, int diagonals, int rows) {
    const int lane = static_cast<int>(threadIdx.x % warp_lanes);
    for (int d = static_cast<int>(threadIdx.x / warp_lanes); d < diagonals;
         d += static_cast<int>(block / warp_lanes)) {
        const T* const line = from + d * stride + lane;
        T* const out = to + (d * each + lane % each) * pitch + lane / each;
#pragma unroll 4
        for (int x = 0; x < rows - lane; x += static_cast<int>(warp_lanes)) {
            if constexpr (sizeof(T) >= 4)
                __pipeline_memcpy_async(out + x / each, line + x, sizeof(T));
            else
                out[x / each] = line[x];
        }
    }
}
__device__ inline void brought() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/// The longest sums are those in the middle of C's diagonals: these first, and warps take turns forth and back, so that all have about
/// as much to add.
__device__ inline int group_of(int number, int groups) {
    const int half = (number + 1) / 2;
    return (groups - 1) / 2 + (number % 2 ? half : -half);
}

/// A lane's values of neighbouring rows: written at once, 16 bytes of the largest types.
template <class V>
struct alignas(sizeof(V) * each) neighbours {
    V at[each];
};

/// How the rows that are no tile's are shared out: so many blocks for the rows of every diagonal, times so many parts of the diagonals.
struct others {
    unsigned row_blocks, parts;
    explicit others(const mxm_dia_arguments& k) {
        const offset_t rows = k.c_stride - (k.band_last - k.band_first);
        row_blocks = static_cast<unsigned>((rows + block - 1) / block);
        parts = std::clamp(row_blocks ? enough_blocks / row_blocks : 0u, 1u,
                           static_cast<unsigned>(k.c_diagonals));
    }
    __host__ __device__ unsigned blocks() const { return row_blocks * parts; }
};

/// each before k.band_first and from k.band_last on, to the end of the diagonals' memory.
template <class Cell>
__device__ void add_pairs(const mxm_dia_arguments& k, const others& shared_out) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    offset_t i = offset_t{blockIdx.x % shared_out.row_blocks} * block + threadIdx.x;
    if (i >= k.band_first) i += k.band_last - k.band_first;
    if (i >= k.c_stride) return;
    for (auto c = static_cast<index_t>(blockIdx.x / shared_out.row_blocks); c < k.c_diagonals;
         c += static_cast<index_t>(shared_out.parts)) {
        const dia_sum of = k.sums[c];
        V sum = nothing<Cell>();
        bool met = false;
        for (index_t n = 0; n < of.pairs_end - of.pairs_begin; ++n) {
            const dia_pair p = k.pairs[Cell::first_wins ? of.pairs_end - 1 - n : of.pairs_begin + n];
            if (i < p.first || i >= p.last) continue;
            T left{}, right{};
            if constexpr (Cell::reads_a) left = static_cast<const T*>(k.a)[p.a * k.a_stride + i];
            if constexpr (Cell::reads_b) right = static_cast<const T*>(k.b)[p.b * k.b_stride + i + p.shift];
            add<Cell>(
                sum, Cell::multiply(left, right, static_cast<index_t>(i), static_cast<index_t>(i + p.shift)));
            met = true;
        }
        static_cast<V*>(k.c)[c * k.c_stride + i] = met ? sum : V{};
    }
}

}  // namespace mxm_dia_detail

template <class Cell>
__global__ void __launch_bounds__(mxm_dia_detail::block, plan::stored_blocks)
    mxm_dia_band_kernel(mxm_dia_arguments k, mxm_dia_detail::others shared_out) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using namespace mxm_dia_detail;
    extern __shared__ uint4 shared_diagonals[];
    if (blockIdx.x < shared_out.blocks()) return add_pairs<Cell>(k, shared_out);
    const int n_a = k.a_band, n_b = k.b_band, n_c = n_a + n_b - 1;
    const int b_rows = k.tile_rows + n_a - 1, a_pitch = plan::stored_pitch(k.tile_rows),
              b_pitch = plan::stored_pitch(b_rows);
    T* const a = reinterpret_cast<T*>(shared_diagonals);
    T* const b = a + plan::padded(static_cast<std::size_t>(n_a * a_pitch * each) * sizeof(T)) / sizeof(T);
    const index_t row_from =
        k.band_first + static_cast<index_t>(blockIdx.x - shared_out.blocks()) * k.tile_rows;
    if constexpr (Cell::reads_a)
        bring(a, a_pitch, static_cast<const T*>(k.a) + row_from, k.a_stride, n_a, k.tile_rows);
    if constexpr (Cell::reads_b)
        bring(b, b_pitch, static_cast<const T*>(k.b) + row_from + k.a_shift, k.b_stride, n_b, b_rows);
    brought();
    const int lane = static_cast<int>(threadIdx.x % warp_lanes),
              warp = static_cast<int>(threadIdx.x / warp_lanes),
              sets = k.tile_rows / (static_cast<int>(warp_lanes) * each),
              groups = (n_c + together - 1) / together;
    for (int turn = 0; turn * warps < sets * groups; ++turn) {
        const int item = turn * warps + (turn % 2 ? warps - 1 - warp : warp);
        if (item >= sets * groups) continue;
        const int c_from = group_of(item / sets, groups) * together,
                  set_from = item % sets * static_cast<int>(warp_lanes), at = set_from + lane;
        V sums[together][each];
#pragma unroll
        for (int g = 0; g < together; ++g)
#pragma unroll
            for (int r = 0; r < each; ++r) sums[g][r] = nothing<Cell>();
        // Step s is the s-th row of B that the lane's first row reaches: the lane's row r meets it by A's diagonal s - r.
        const int low = max(0, c_from - n_b + 1), high = min(n_a, c_from + together) + each - 1;
        for (int n = 0; n < high - low; ++n) {
            const int s = Cell::first_wins ? high - 1 - n : low + n, top = c_from - s;
            const index_t i = row_from + each * at, inner = i + k.a_shift + s;
            T left[each];
#pragma unroll
            for (int r = 0; r < each; ++r)
                left[r] =
                    Cell::reads_a && s >= r && s - r < n_a ? a[((s - r) * each + r) * a_pitch + at] : T{};
            const T* of_b = b + (top * each + s % each) * b_pitch + at + s / each;
            const bool whole = s >= each - 1 && s < n_a && top >= 0 && top + together + each - 2 < n_b;
            if (whole) {
#pragma unroll
                for (int x = 0; x < together + each - 1; ++x) {
                    const T right = Cell::reads_b ? of_b[x * each * b_pitch] : T{};
#pragma unroll
                    for (int r = 0; r < each; ++r)
                        if (x >= r && x - r < together)
                            add<Cell>(sums[x - r][r], Cell::multiply(left[r], right, i + r, inner));
                }
                continue;
            }
#pragma unroll
            for (int x = 0; x < together + each - 1; ++x) {
                if (top + x < 0 || top + x >= n_b) continue;
                const T right = Cell::reads_b ? of_b[x * each * b_pitch] : T{};
#pragma unroll
                for (int r = 0; r < each; ++r)
                    if (x >= r && x - r < together && s >= r && s - r < n_a)
                        add<Cell>(sums[x - r][r], Cell::multiply(left[r], right, i + r, inner));
            }
        }
        V* const out = static_cast<V*>(k.c) + row_from + each * set_from;
#pragma unroll
        for (int g = 0; g < together; ++g) {
            if (c_from + g >= n_c) break;
            neighbours<V> mine;
#pragma unroll
            for (int r = 0; r < each; ++r) mine.at[r] = sums[g][r];
            reinterpret_cast<neighbours<V>*>(out + (c_from + g) * k.c_stride)[lane] = mine;
        }
    }
}

template <class Cell>
__global__ void __launch_bounds__(mxm_dia_detail::block)
    mxm_dia_pairs_kernel(mxm_dia_arguments k, mxm_dia_detail::others shared_out) {
    mxm_dia_detail::add_pairs<Cell>(k, shared_out);
}

template <class Cell>
void mxm_dia_stored(const mxm_dia_arguments& k, void* stream) {
    using namespace mxm_dia_detail;
    if (k.c_diagonals == 0 || k.c_stride == 0) return;
    const auto on = static_cast<cudaStream_t>(stream);
    const others shared_out(k);
    if (k.tile_rows) {
        const auto kernel = mxm_dia_band_kernel<Cell>;
        const std::size_t shared =
            plan::stored_tile_bytes(k.tile_rows, k.a_band, k.b_band, sizeof(typename Cell::operand));
        const auto tiles = static_cast<unsigned>((k.band_last - k.band_first) / k.tile_rows);
        // The most of any call: another thread's may lie between this and the launch.
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(plan::stored_tile_most)));
        kernel<<<shared_out.blocks() + tiles, block, shared, on>>>(k, shared_out);
    } else {
        mxm_dia_pairs_kernel<Cell><<<shared_out.blocks(), block, 0, on>>>(k, shared_out);
    }
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
