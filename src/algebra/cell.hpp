// A semiring fixed at compile time: what kernels are instantiated with, and what the manifest lists.
#pragma once

#include "algebra/functors.hpp"

namespace nz::algebra {

/// The id under which cells list an operator of this type: over bool plus and max are lor, times and min land.
constexpr binary_id listed(binary_id op, dtype type) {
    if (type != dtype::boolean) return op;
    if (op == binary_id::plus || op == binary_id::max) return binary_id::lor;
    if (op == binary_id::times || op == binary_id::min) return binary_id::land;
    return op;
}

/// Monoid Add over the results of Multiply on operands of type T.
template <binary_id Add, binary_id Multiply, class T>
struct cell {
    static constexpr binary_id add_id = Add, multiply_id = Multiply;
    static constexpr bool positional = Multiply >= binary_id::firsti && Multiply <= binary_id::secondj;
    static constexpr bool reads_a =
        !positional && Multiply != binary_id::second && Multiply != binary_id::pair;
    static constexpr bool reads_b =
        !positional && Multiply != binary_id::first && Multiply != binary_id::pair;
    static constexpr bool first_wins = Add == binary_id::any;

    using operand = T;
    static constexpr auto product_of(T a, T b) {
        if constexpr (positional)
            return T{};
        else
            return binary<Multiply>(a, b);
    }
    using value = decltype(product_of(T{}, T{}));
    static constexpr bool terminates = has_terminal<Add, value>;

    /// The product of A(i, k) and u(k).
    static constexpr value multiply(T a, T b, index_t i, index_t k) {
        if constexpr (Multiply == binary_id::firsti)
            return static_cast<value>(i);
        else if constexpr (Multiply == binary_id::firstj || Multiply == binary_id::secondi)
            return static_cast<value>(k);
        else if constexpr (Multiply == binary_id::secondj)
            return value{};
        else
            return binary<Multiply>(a, b);
    }
    static constexpr value add(value x, value y) { return static_cast<value>(binary<Add>(x, y)); }
    static constexpr bool terminal(value x) { return is_terminal<Add>(x); }
};

}  // namespace nz::algebra
