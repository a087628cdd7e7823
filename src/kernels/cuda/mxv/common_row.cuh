// One row of a matvec on a GPU: its products, and its sum by one lane, by some lanes, by a warp. Shared by the csr_*
// kernels and by the reduction of gathered products.
#pragma once

#include "algebra/cell.hpp"
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_lanes.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/device_mxv_arguments.hpp"

namespace nz::kernels::cuda {

__device__ inline bool bit_of(const std::uint32_t* words, offset_t i) {
    return __ldg(words + (i >> 5)) >> (i & 31) & 1;
}
/// The bits of word k that a mask lets through, of `size` places.
__device__ inline std::uint32_t allowed_word(const std::uint32_t* mask, bool complement, offset_t size,
                                             offset_t k) {
    const offset_t left = size - k * 32;
    const std::uint32_t valid = left >= 32 ? ~0u : left > 0 ? (1u << left) - 1 : 0;
    return (mask ? (complement ? ~mask[k] : mask[k]) : ~0u) & valid;
}
/// What is read once goes out of the caches first.
template <class T>
__device__ T load_streamed(const T* at) {
    if constexpr (sizeof(T) == 1)
        return *at;
    else
        return __ldcs(at);
}

/// A sum that may have met nothing yet.
template <class Cell>
struct partial {
    using V = typename Cell::value;
    V value{};
    bool met = false;

    /// Adds what comes after it.
    __device__ void add(V x) {
        if constexpr (Cell::first_wins) {
            if (!met) value = x;
        } else {
            value = met ? Cell::add(value, x) : x;
        }
        met = true;
    }
    __device__ void add(const partial& later) {
        if (later.met) add(later.value);
    }
    __device__ bool final() const {
        if constexpr (Cell::terminates)
            return met && Cell::terminal(value);
        else
            return false;
    }
    /// The sum over groups of `width` neighbouring lanes, in their order; right in the first lane of each.
    __device__ void reduce(int width) {
        for (int distance = 1; distance < width; distance *= 2) {
            partial other;
            other.value = from_above(value, distance, width);
            other.met = __shfl_down_sync(full_warp, met, distance, width);
            if ((threadIdx.x & (width - 1)) + distance < width) add(other);
        }
    }
};

/// How products are made, settled once a call: whether values are an array or a constant, whether u has gaps.
template <class Cell, bool Constant, bool Gaps>
struct device_row_reader {
    using T = typename Cell::operand;
    using V = typename Cell::value;

    const index_t* indices;
    const T* values;
    const T* u;
    const std::uint32_t* present;

    explicit device_row_reader(const mxv_arguments& a)
        : indices(a.indices),
          values(static_cast<const T*>(a.values)),
          u(static_cast<const T*>(a.u_values)),
          present(reinterpret_cast<const std::uint32_t*>(a.u_present)) {}

    __device__ bool meets(index_t j) const { return !Gaps || bit_of(present, j); }
    __device__ T entry(offset_t k) const {
        if constexpr (!Cell::reads_a)
            return T{};
        else
            return Constant ? values[0] : values[k];
    }
    /// From now on entry k is the one that was entry `from` + k.
    __device__ void move_to(offset_t from) {
        indices += from;
        if (!Constant && Cell::reads_a) values += from;
    }
    /// u's value at j, where products need one.
    __device__ T operand(index_t j) const {
        if constexpr (Cell::reads_b && sizeof(T) > 1)
            return __ldg(u + j);
        else if constexpr (Cell::reads_b)
            return u[j];
        else
            return T{};
    }
    __device__ V product(T x, index_t i, index_t j) const { return Cell::multiply(x, operand(j), i, j); }
    __device__ void accumulate(partial<Cell>& sum, index_t i, offset_t k) const {
        const index_t j = indices[k];
        if (meets(j)) sum.add(product(entry(k), i, j));
    }
};

/// Adds entries k, k + step, ... below `end` to a sum of none; floats in double: a hub's 200,000 equal ones, of which a lane adds 6,250 to each
/// other, came out 0.02% too small.
template <class Cell, class Reader>
__device__ void add_entries(const Reader& reader, partial<Cell>& sum, index_t row, offset_t k, offset_t end,
                            int step) {
    if constexpr (Cell::add_id == binary_id::plus && std::is_same_v<typename Cell::value, float>) {
        double total = -0.0;  // which leaves a first -0 as it is
        for (; k < end; k += step) {
            partial<Cell> one;
            reader.accumulate(one, row, k);
            if (!one.met) continue;  // 0 would take a -0 away
            total += one.value;
            sum.met = true;
        }
        sum.value = static_cast<float>(total);
    } else {
        for (; k < end; k += step) reader.accumulate(sum, row, k);
    }
}

/// The 32 rows from `first` of which `allowed` says which are wanted and not longer than `longest`: lane k gets
/// row first + k. As many lanes go to a row as its 32 neighbours have entries for on average, so that lanes read
/// side by side. All lanes of the warp call it.
template <class Cell, class Reader, class Offsets>
__device__ partial<Cell> sum_rows(const Reader& reader, Offsets offsets, index_t first, std::uint32_t allowed,
                                  bool early_exit, offset_t longest) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    offset_t begin = 0, end = 0;
    if (allowed >> lane & 1)
        begin = offsets[first + offset_t{lane}], end = offsets[first + offset_t{lane} + 1];
    if (end - begin > longest) end = begin;
    const unsigned entries =
        __reduce_add_sync(full_warp, static_cast<unsigned>(min(end - begin, offset_t{1} << 24)));
    const unsigned wanted = __popc(__ballot_sync(full_warp, end > begin));
    if (wanted == 0) return {};
    int width = 1;
    while (width < 32 && width * 2 * wanted <= entries) width *= 2;
    const int rows_a_turn = 32 / width, turn_of_lane = lane / rows_a_turn;
    const unsigned group = (width == 32 ? full_warp : (1u << width) - 1) << (lane / width * width);
    partial<Cell> mine;
    for (int turn = 0; turn < width; ++turn) {
        const int r = turn * rows_a_turn + lane / width;
        const offset_t from = from_lane(begin, r), to = from_lane(end, r);
        partial<Cell> part;
        if (Cell::first_wins || (Cell::terminates && early_exit)) {
            bool done = from == to;
            for (offset_t k = from; __any_sync(full_warp, !done); k += width) {
                if (!done && k + lane % width < to) reader.accumulate(part, first + r, k + lane % width);
                const unsigned found = __ballot_sync(full_warp, Cell::first_wins ? part.met : part.final());
                done = done || k + width >= to || (found & group);
            }
        } else {
            add_entries(reader, part, first + r, from + lane % width, to, width);
            __syncwarp();
        }
        part.reduce(width);
        const int source = lane % rows_a_turn * width;
        const auto value = from_lane(part.value, source);
        const bool met = from_lane(part.met, source);
        if (turn_of_lane == turn) {
            mine.value = value;
            mine.met = met;
        }
    }
    return mine;
}

/// Calls f.template operator()<Constant, Gaps>() for what the arguments hold.
template <class Cell, class F>
void with_reader_kind(const mxv_arguments& a, F&& f) {
    const bool constant = a.constant || !Cell::reads_a;
    if (constant)
        a.u_present ? f.template operator()<true, true>() : f.template operator()<true, false>();
    else if constexpr (Cell::reads_a)
        a.u_present ? f.template operator()<false, true>() : f.template operator()<false, false>();
}

constexpr unsigned blocks_for(offset_t work, offset_t a_block) {
    return static_cast<unsigned>((work + a_block - 1) / a_block);
}
/// Words of 32 bits in the bitmap of `size` places, which ends with a whole word of 64.
__host__ __device__ constexpr offset_t half_words(offset_t size) { return (size + 63) / 64 * 2; }

}  // namespace nz::kernels::cuda
