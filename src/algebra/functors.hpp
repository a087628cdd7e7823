// The one definition of what each operator computes. The table of function pointers (generic path) and the
// compiled kernels (manifest) are both made from these.
#pragma once

#include "nonzero/algebra.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

namespace nz::algebra {

/// Integer arithmetic wraps: done on the unsigned type (at least 32 bits wide, so that promotion cannot
/// overflow).
template <class T>
using wide_unsigned = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

template <class T>
constexpr T divide(T x, T y) {
    if constexpr (std::is_floating_point_v<T>)
        return x / y;
    else if constexpr (std::is_same_v<T, bool>)
        return x;
    else {
        if constexpr (std::is_signed_v<T>) {
            if (y == 0 && x < 0) return std::numeric_limits<T>::min();
            if (y == -1) return static_cast<T>(wide_unsigned<T>(0) - static_cast<wide_unsigned<T>>(x));
        }
        if (y == 0) return x == 0 ? T(0) : std::numeric_limits<T>::max();
        return static_cast<T>(x / y);
    }
}

/// z = x op y for T that the operator is defined on; comparisons return bool, the others T.
template <binary_id Op, class T>
constexpr auto binary(T x, T y) {
    using enum binary_id;
    constexpr bool boolean = std::is_same_v<T, bool>, floating = std::is_floating_point_v<T>;
    if constexpr (Op == first || Op == any)
        return x;
    else if constexpr (Op == second)
        return y;
    else if constexpr (Op == pair)
        return T(1);
    else if constexpr (Op == plus) {
        if constexpr (boolean)
            return x || y;
        else if constexpr (floating)
            return x + y;
        else
            return static_cast<T>(static_cast<wide_unsigned<T>>(x) + static_cast<wide_unsigned<T>>(y));
    } else if constexpr (Op == minus) {
        if constexpr (boolean)
            return x != y;
        else if constexpr (floating)
            return x - y;
        else
            return static_cast<T>(static_cast<wide_unsigned<T>>(x) - static_cast<wide_unsigned<T>>(y));
    } else if constexpr (Op == rminus)
        return binary<minus>(y, x);
    else if constexpr (Op == times) {
        if constexpr (boolean)
            return x && y;
        else if constexpr (floating)
            return x * y;
        else
            return static_cast<T>(static_cast<wide_unsigned<T>>(x) * static_cast<wide_unsigned<T>>(y));
    } else if constexpr (Op == div)
        return divide(x, y);
    else if constexpr (Op == rdiv)
        return divide(y, x);
    else if constexpr (Op == min) {  // NaN only where both are
        if constexpr (floating)
            return y < x || x != x ? y : x;
        else
            return y < x ? y : x;
    } else if constexpr (Op == max) {
        if constexpr (floating)
            return y > x || x != x ? y : x;
        else
            return y > x ? y : x;
    } else if constexpr (Op == eq)
        return x == y;
    else if constexpr (Op == ne)
        return x != y;
    else if constexpr (Op == gt)
        return x > y;
    else if constexpr (Op == lt)
        return x < y;
    else if constexpr (Op == ge)
        return x >= y;
    else if constexpr (Op == le)
        return x <= y;
    else if constexpr (Op == lor)
        return x || y;
    else if constexpr (Op == land)
        return x && y;
    else if constexpr (Op == lxor)
        return x != y;
    else if constexpr (Op == lxnor)
        return x == y;
    else if constexpr (Op == bor)
        return static_cast<T>(x | y);
    else if constexpr (Op == band)
        return static_cast<T>(x & y);
    else if constexpr (Op == bxor)
        return static_cast<T>(x ^ y);
    else if constexpr (Op == bxnor)
        return static_cast<T>(~(x ^ y));
}

/// sqrt and the functions after it are not rounded to integers.
constexpr bool is_floating_only(unary_id op) { return op >= unary_id::sqrt && op <= unary_id::log1p; }

template <unary_id Op, class T>
constexpr T unary(T x) {
    using enum unary_id;
    constexpr bool boolean = std::is_same_v<T, bool>, floating = std::is_floating_point_v<T>;
    if constexpr (Op == identity)
        return x;
    else if constexpr (Op == one)
        return T(1);
    else if constexpr (Op == ainv) {
        if constexpr (boolean)
            return x;
        else if constexpr (floating)
            return -x;
        else
            return static_cast<T>(wide_unsigned<T>(0) - static_cast<wide_unsigned<T>>(x));
    } else if constexpr (Op == minv) {
        if constexpr (boolean)
            return true;
        else
            return divide(T(1), x);
    } else if constexpr (Op == abs) {
        if constexpr (floating)
            return std::fabs(x);
        else if constexpr (std::is_signed_v<T>)
            return x < 0 ? unary<ainv>(x) : x;
        else
            return x;
    } else if constexpr (Op == lnot)
        return static_cast<T>(!x);
    else if constexpr (Op == bnot)
        return static_cast<T>(~x);
    else if constexpr (Op == signum) {
        if constexpr (std::is_signed_v<T> || floating)
            return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
        else
            return x ? T(1) : T(0);
    } else if constexpr (!floating)
        return x;  // floor, ceil, round and trunc
    else if constexpr (Op == floor)
        return std::floor(x);
    else if constexpr (Op == ceil)
        return std::ceil(x);
    else if constexpr (Op == round)
        return std::round(x);
    else if constexpr (Op == trunc)
        return std::trunc(x);
    else if constexpr (Op == sqrt)
        return std::sqrt(x);
    else if constexpr (Op == exp)
        return std::exp(x);
    else if constexpr (Op == expm1)
        return std::expm1(x);
    else if constexpr (Op == log)
        return std::log(x);
    else if constexpr (Op == log1p)
        return std::log1p(x);
}

template <binary_id Op, class T>
constexpr T identity_of() {
    using enum binary_id;
    using limits = std::numeric_limits<T>;
    if constexpr (Op == times || Op == land || Op == lxnor || Op == eq)
        return T(1);
    else if constexpr (Op == min)
        return limits::has_infinity ? limits::infinity() : limits::max();
    else if constexpr (Op == max)
        return limits::has_infinity ? -limits::infinity() : limits::lowest();
    else if constexpr ((Op == band || Op == bxnor) && std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<T>(~T(0));
    else
        return T(0);  // plus, lor, lxor, bor, bxor; any has none and never uses it
}

/// Whether nothing can change x any more under this monoid.
template <binary_id Op, class T>
constexpr bool is_terminal(T x) {
    using enum binary_id;
    using limits = std::numeric_limits<T>;
    constexpr bool boolean = std::is_same_v<T, bool>, integer = std::is_integral_v<T> && !boolean;
    if constexpr (Op == any)
        return true;
    else if constexpr (Op == lor || (boolean && (Op == plus || Op == max)))
        return x;
    else if constexpr (Op == land || (boolean && (Op == times || Op == min)))
        return !x;
    else if constexpr (Op == min)
        return x == (limits::has_infinity ? -limits::infinity() : limits::lowest());
    else if constexpr (Op == max)
        return x == (limits::has_infinity ? limits::infinity() : limits::max());
    else if constexpr (integer && Op == times)
        return x == 0;
    else if constexpr (integer && Op == bor)
        return x == static_cast<T>(~T(0));
    else if constexpr (integer && Op == band)
        return x == 0;
    else
        return false;
}
/// Whether a terminal value exists at all, so that kernels leave the test out where it does not.
template <binary_id Op, class T>
inline constexpr bool has_terminal =
    Op == binary_id::any || Op == binary_id::lor || Op == binary_id::land || Op == binary_id::min ||
    Op == binary_id::max || (std::is_same_v<T, bool> && (Op == binary_id::plus || Op == binary_id::times)) ||
    (std::is_integral_v<T> && (Op == binary_id::times || Op == binary_id::bor || Op == binary_id::band));

}  // namespace nz::algebra
