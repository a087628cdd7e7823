// Random operands: floats uniform in [0, 1), integers in 0..9, truth values.
#pragma once

#include "io/random_stream.hpp"

#include <type_traits>

namespace nz::cli {

template <class T>
T random_value(io::random_stream& r) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(r.real());
    } else if constexpr (std::is_same_v<T, bool>) {
        return r.below(2) == 1;
    } else {
        return static_cast<T>(r.below(10));
    }
}

}  // namespace nz::cli
