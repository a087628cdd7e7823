// sddmm/row_dot on a GPU: T(i,j) = X(i,:) Y(:,j) at given places, a dot product for each (sampled dense-dense product).
//
// Computes: for each place, partial sums of lanes over 16 bytes of every 4th, 8th or 32nd stretch of so many, joined pairwise in the
//   order of lanes.
// Who owns what: a warp -> as many places as its lanes have in four turns, whose first and last row it searches together, 32 rows at a
//   look; 4, 8 or 32 neighbouring lanes -> 8 neighbouring places a turn, whose products they form side by side, so that 8 loads of Y
//   are on their way; a place of the same row as the one before it reads no X. Places are shared out evenly, whatever rows are.
// Memory: places and results once; a row of X from first-level cache for its places; a column of Y for each place, mostly from L2
//   or memory: places * inner values. The plan has X packed by rows and Y by columns where they lie otherwise and are met often
//   enough; else they are read in place with steps, a value at a time, in the same order. No workspace, no barrier.
// Determinism: the order of a sum depends on the number and the type of its products alone.
// Distance to the limit: docs/measurements/dense.md.
// Why the product of X and Y under a mask was not enough: it makes all places.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"
#include "kernels/sddmm_arguments.hpp"

#include <cstring>
#include <limits>

namespace nz::kernels::cuda {

namespace row_dot_detail {

inline constexpr unsigned block = 256;
inline constexpr int together = 8;
/// Turns of a warp, for one search of its rows.
inline constexpr int turns = 4;
/// Bytes of a row of X that 4 lanes, and that 8, share out: with 8 a load takes whole lines of 128.
inline constexpr std::size_t few = 64, several = 2048;

/// Neighbouring values of a row of X or a column of Y: 16 bytes.
template <class T>
struct alignas(16) stretch {
    static constexpr int length = 16 / sizeof(T);
    T x[length];
};

/// base + line * bytes in one instruction: of a line that was widened before, the compiler makes five.
__device__ inline const std::byte* line_at(const std::byte* base, index_t line, int bytes) {
    const std::byte* at;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(at) : "r"(line), "r"(bytes), "l"(base));
    return at;
}

/// How a side's stretches are read. `Whole`: they lie in one piece, and lines begin `line_bytes` apart.
template <class T, bool Whole>
struct line_reader {
    const std::byte* base;
    int line_bytes;
    offset_t line_step, step;
    index_t inner;

    /// From value k of a line on.
    __device__ stretch<T> operator()(index_t line, index_t k) const {
        stretch<T> s;
        if constexpr (Whole) {
            const std::byte* const at =
                line_at(base + offset_t{k} * static_cast<int>(sizeof(T)), line, line_bytes);
            const uint4 words = __ldg(reinterpret_cast<const uint4*>(at));
            memcpy(s.x, &words, sizeof s.x);
        } else {
            const T* const at = reinterpret_cast<const T*>(base) + line * line_step;
#pragma unroll
            for (int v = 0; v < stretch<T>::length; ++v) s.x[v] = k + v < inner ? at[(k + v) * step] : T{};
        }
        return s;
    }
};

/// The row of [low, high) that holds a place; all lanes of the warp call it.
__device__ inline index_t row_of_place(const device_offsets& offsets, offset_t low, offset_t high,
                                       offset_t place) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (;;) {
        const offset_t step = (high - low + 31) / 32, probe = min(low + (lane + 1) * step, high) - 1;
        const unsigned beyond = __ballot_sync(full_warp, offsets[probe + 1] > place);
        const int found = __ffs(static_cast<int>(beyond)) - 1;
        high = min(low + (found + 1) * step, high);
        low += found * step;
        if (step == 1) return static_cast<index_t>(low);
    }
}

template <class Cell, int Lanes, bool Whole>
__global__ void __launch_bounds__(block, 2)
    sddmm_row_dot_kernel(sddmm_arguments a, int x_bytes, int y_bytes) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    constexpr int length = stretch<T>::length, turn_places = 32 / Lanes * together;
    const device_offsets offsets{a.offsets.data, a.offsets.wide};
    const line_reader<T, Whole> x{static_cast<const std::byte*>(a.x), x_bytes, a.x_row_step, a.x_step,
                                  a.inner},
        y{static_cast<const std::byte*>(a.y), y_bytes, a.y_column_step, a.y_step, a.inner};
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const offset_t begin = (offset_t{blockIdx.x} * block + threadIdx.x) / 32 * turns * turn_places;
    if (begin >= a.nnz) return;
    const offset_t end = min(begin + turns * turn_places, a.nnz);
    const index_t first_row = row_of_place(offsets, 0, a.rows, begin),
                  near = first_row + min(32, a.rows - first_row),
                  last_row = offsets[near] >= end ? row_of_place(offsets, first_row, near, end - 1)
                                                  : row_of_place(offsets, near, a.rows, end - 1);
    for (offset_t turn = begin; turn < end; turn += turn_places) {
        const offset_t first = turn + static_cast<int>(threadIdx.x) % 32 / Lanes * together;
        const auto search = [&](index_t low, offset_t place) {  // the row of a place from `low` on
            for (index_t high = last_row; low < high;) {
                const index_t middle = low + (high - low) / 2;
                if (offsets[middle + offset_t{1}] <= place)
                    low = middle + 1;
                else
                    high = middle;
            }
            return low;
        };
        index_t rows[together], columns[together];
#pragma unroll
        for (int t = 0; t < together; ++t) {
            const offset_t place = min(first + t, end - 1);
            columns[t] = __ldg(a.indices + place);
            if (t == 0)
                rows[t] = search(first_row, place);
            else if (const index_t before = rows[t - 1]; offsets[before + offset_t{1}] > place)
                rows[t] = before;
            else
                rows[t] = offsets[before + offset_t{2}] > place ? before + 1 : search(before + 2, place);
        }
        V sums[together]{};
        const auto add = [&](index_t k, bool begun) {
            stretch<T> of_x, of_y[together];
            if constexpr (Cell::reads_b)
#pragma unroll
                for (int t = 0; t < together; ++t) of_y[t] = y(columns[t], k);
#pragma unroll
            for (int t = 0; t < together; ++t) {
                if constexpr (Cell::reads_a)
                    if (t == 0 || rows[t] != rows[t - 1]) of_x = x(rows[t], k);
#pragma unroll
                for (int v = 0; v < length; ++v) {
                    if (!Whole && v >= a.inner - k) break;
                    const V product = Cell::multiply(of_x.x[v], of_y[t].x[v], 0, 0);
                    if (v == 0 && !begun)
                        sums[t] = product;
                    else if constexpr (!Cell::first_wins)
                        sums[t] = Cell::add(sums[t], product);
                }
            }
        };
        offset_t k = lane * length;
        if (k < a.inner) add(static_cast<index_t>(k), false);
        for (k += Lanes * length; k < a.inner; k += Lanes * length) add(static_cast<index_t>(k), true);
#pragma unroll
        for (int t = 0; t < together; ++t) {
            for (int distance = 1; distance < Lanes; distance *= 2) {
                const V later = from_above(sums[t], distance, Lanes);
                if constexpr (!Cell::first_wins)
                    if (lane + distance < Lanes && (lane + distance) * length < a.inner)
                        sums[t] = Cell::add(sums[t], later);
            }
            if (lane == 0 && first + t < end) static_cast<V*>(a.out_values)[first + t] = sums[t];
        }
    }
}

/// Whether lines of values lie in whole stretches.
template <class T>
bool whole(const void* values, offset_t line_step, offset_t step, index_t inner) {
    constexpr int length = stretch<T>::length;
    return step == 1 && inner % length == 0 && line_step % length == 0 &&
           line_step <= std::numeric_limits<int>::max() / static_cast<offset_t>(sizeof(T)) &&
           reinterpret_cast<std::uintptr_t>(values) % sizeof(stretch<T>) == 0;
}

}  // namespace row_dot_detail

/// Pointers are the device's.
template <class Cell>
void sddmm_row_dot(const sddmm_arguments& a, void* stream) {
    using namespace row_dot_detail;
    using T = typename Cell::operand;
    if (a.nnz == 0) return;
    const bool all_whole = (!Cell::reads_a || whole<T>(a.x, a.x_row_step, a.x_step, a.inner)) &&
                           (!Cell::reads_b || whole<T>(a.y, a.y_column_step, a.y_step, a.inner));
    const auto launch = [&]<int Lanes>() {
        constexpr offset_t a_block = block / Lanes * together * turns;
        const auto blocks = static_cast<unsigned>((a.nnz + a_block - 1) / a_block);
        const auto on = static_cast<cudaStream_t>(stream);
        const auto bytes_of = [&](offset_t step) {
            return static_cast<int>(step) * static_cast<int>(sizeof(T));
        };
        if (all_whole)
            sddmm_row_dot_kernel<Cell, Lanes, true>
                <<<blocks, block, 0, on>>>(a, bytes_of(a.x_row_step), bytes_of(a.y_column_step));
        else
            sddmm_row_dot_kernel<Cell, Lanes, false><<<blocks, block, 0, on>>>(a, 0, 0);
    };
    const std::size_t bytes = static_cast<std::size_t>(a.inner) * sizeof(T);
    bytes <= few       ? launch.template operator()<4>()
    : bytes <= several ? launch.template operator()<8>()
                       : launch.template operator()<32>();
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
