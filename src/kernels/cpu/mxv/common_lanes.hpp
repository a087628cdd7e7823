// Short runs of products summed without a branch on their length: rows of few entries whose lengths vary cost a
// mispredicted branch each in any loop (20 cycles, five products' worth), and compilers turn `k < length ? s + p : s` into
// just that branch. A vector's comparison and selection are never branches.
// Vector types of the compiler (GCC, Clang), not intrinsics: one source for every width that a machine has.
#pragma once

#include "algebra/before_first.hpp"
#include "nonzero/types.hpp"

#include <algorithm>
#include <cstring>

namespace nz::kernels::cpu {

/// Whether sums of this cell can be padded: the monoid has a value that leaves a sum as it is, and the type has vectors.
template <class Cell>
inline constexpr bool pads = !Cell::first_wins && !std::is_same_v<typename Cell::value, bool>;

/// `Lanes` values side by side, and how to pad and to sum them.
template <class Cell, int Lanes>
struct lane_sum {
    using V = typename Cell::value;
    using number =
        std::conditional_t<sizeof(V) == 8, std::int64_t,
                           std::conditional_t<sizeof(V) == 4, std::int32_t,
                                              std::conditional_t<sizeof(V) == 2, std::int16_t, std::int8_t>>>;
    typedef V values __attribute__((vector_size(Lanes * sizeof(V))));
    typedef number numbers __attribute__((vector_size(Lanes * sizeof(V))));

    /// The first `length` as they are, behind them what leaves a sum as it is.
    static values padded(values v, offset_t length) {
        numbers lane;
        values neutral;  // lane by lane: a vector of zeros plus -0 would be one of zeros
        for (int j = 0; j < Lanes; ++j) {
            lane[j] = static_cast<number>(j);
            neutral[j] = algebra::before_first<Cell>();
        }
        return lane < static_cast<number>(std::min<offset_t>(length, Lanes)) ? v : neutral;
    }
    static V total(values v) {
        for (int half = Lanes / 2; half; half /= 2)
            for (int j = 0; j < half; ++j) v[j] = Cell::add(v[j], v[j + half]);
        return v[0];
    }
    /// p(0) + ... + p(length - 1), length >= 1, in an order that follows from `length` alone; p can be read up to the
    /// next multiple of Lanes.
    static V of(const V* p, offset_t length) {
        values sum, next;
        std::memcpy(&sum, p, sizeof(sum));
        sum = padded(sum, length);
        for (offset_t k = Lanes; k < length; k += Lanes) {
            std::memcpy(&next, p + k, sizeof(next));
            next = padded(next, length - k);
            for (int j = 0; j < Lanes; ++j) sum[j] = Cell::add(sum[j], next[j]);
        }
        return total(sum);
    }
};

}  // namespace nz::kernels::cpu
