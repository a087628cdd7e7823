// What a sum is before its first product.
#pragma once

#include "algebra/functors.hpp"

namespace nz::algebra {

/// x such that x + y is y bit for bit. Not the identity where that would change a sign (0 + -0) or hide a NaN (min over
/// infinity). Of no use where the first product wins.
template <class Cell>
constexpr typename Cell::value before_first() {
    using V = typename Cell::value;
    if constexpr (std::is_floating_point_v<V> && Cell::add_id == binary_id::plus)
        return -V(0);
    else if constexpr (std::is_floating_point_v<V> &&
                       (Cell::add_id == binary_id::min || Cell::add_id == binary_id::max))
        return std::numeric_limits<V>::quiet_NaN();
    else
        return identity_of<Cell::add_id, V>();
}

}  // namespace nz::algebra
