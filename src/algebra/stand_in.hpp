// Semirings and operators that are not compiled but have the results of one that is, in another type: each is that one's own, cast.
//
// With `pair` neither operand's value matters: its sums are the number of products under `plus`, and one under all monoids that keep a one.
// `first` and `second` bring a value through as it is, and integers add and multiply modulo a power of two, whatever type is wide enough.
// A float is exact as a double, and so are the least and the greatest of doubles; the sum of two floats in double, rounded once more, is
// theirs. (A count of ones in float32 stops at 2^24, and a count that is cast to it does not.)
#pragma once

#include "algebra/bound.hpp"

#include <array>
#include <optional>
#include <span>

namespace nz::algebra {

/// The type in which an operator on integers that are not compiled has results that, cast back, are its own; nothing where there is none.
/// Division is not among them: what it saturates to is the type's own.
constexpr std::optional<dtype> wider_type(binary_id op, dtype type) {
    using enum binary_id;
    if (is_floating(type) || type == dtype::boolean || op == div || op == rdiv || op > le) return {};
    if (size_of(type) < 4) return dtype::int32;
    const bool ordered = op == min || op == max || op == gt || op == lt || op == ge || op == le;
    if (type == dtype::uint32 || (type == dtype::uint64 && !ordered)) return dtype::int64;
    return {};
}

/// Whether a function leaves values of this type as they are.
constexpr bool keeps_values(unary_id op, dtype type) {
    return op == unary_id::identity || (!is_floating(type) && op >= unary_id::floor && op <= unary_id::trunc);
}
constexpr std::optional<dtype> wider_type(unary_id op, dtype type) {
    using enum unary_id;
    const auto as_sums = wider_type(binary_id::plus, type);
    if (keeps_values(op, type)) return {};
    const bool signless = op == ainv || op == lnot || op == one;
    return op == minv || (type == dtype::uint64 && !signless) ? std::nullopt : as_sums;
}

/// The monoids under which any number of ones is one.
constexpr bool keeps_one(binary_id add) {
    using enum binary_id;
    return add == any || add == min || add == max || add == times || add == land || add == lor ||
           add == band || add == bor;
}

/// The wider types in which the sums of this semiring's products on operands of type `operand` may be formed, first choice first.
inline std::span<const dtype> wider_types(binary_id add, binary_id multiply, dtype operand) {
    using enum binary_id;
    static constexpr std::array float_64{dtype::float64};
    static constexpr std::array narrow{dtype::int32, dtype::int64};
    static constexpr std::array wide{dtype::int64};
    const bool floating = is_floating(operand), truth = operand == dtype::boolean;
    const bool fits_32 = !floating && (size_of(operand) < 4 || operand == dtype::int32);
    const std::span<const dtype> integers = fits_32 ? std::span<const dtype>(narrow) : wide,
                                 modular = size_of(operand) <= 4 ? std::span<const dtype>(narrow) : wide;
    const bool ordered = operand != dtype::uint64, least_or_greatest = add == min || add == max;
    if (multiply == first || multiply == second) {
        if (add == any || (least_or_greatest && ordered && !truth)) return floating ? float_64 : integers;
        if (add == plus && !floating && !truth) return modular;
    }
    if (add == plus && multiply == times && !floating && !truth) return modular;
    if (add == max && multiply == plus && operand == dtype::float32) return float_64;
    const bool picks = (add == min && multiply == max) || (add == max && multiply == min);
    if (picks && !truth && (floating || size_of(operand) <= 4)) return float_64;
    return {};
}

/// Whether all its sums are ones.
inline bool has_ones_alone(const semiring& s) {
    return s.multiply().id() == binary_id::pair && s.add().id() == binary_id::any;
}

/// A semiring that `is_compiled` says yes to, whose results cast to s.value_type(a, b) are those of s on operands of these types; or nothing.
/// Throws domain_error where s is not defined on them.
template <class F>
std::optional<semiring> stand_in(const semiring& s, dtype a, dtype b, F&& is_compiled) {
    const binary_id add = s.add().id(), multiply = s.multiply().id();
    if (!s.add().is_built_in() || multiply == binary_id::user || s.converts_twice(a, b)) return {};
    const auto compiled = [&](binary_id sum, dtype type) -> std::optional<semiring> {
        semiring other(sum, multiply, type);
        return is_compiled(other) ? std::optional(std::move(other)) : std::nullopt;
    };
    const dtype operand = s.operand_type(a, b);
    if (multiply == binary_id::pair) {
        const bound_semiring defined(s, a, b);
        const bool truth = defined.type() == dtype::boolean;
        if (keeps_one(add) || (truth && add == binary_id::plus))
            return compiled(binary_id::any, dtype::boolean);
        return add == binary_id::plus ? compiled(add, dtype::int64) : std::nullopt;
    }
    // What is pinned to a type is rounded to that first.
    const bool as_they_are = (s.ignores_a() || a == operand) && (s.ignores_b() || b == operand);
    if (s.pinned_type() && !as_they_are) return {};
    for (const dtype type : wider_types(add, multiply, operand))
        if (auto other = compiled(add, type)) return other;
    return {};
}

}  // namespace nz::algebra
