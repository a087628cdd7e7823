// How the length of a path is kept, whatever the type of the weights.
#pragma once

#include "nonzero/types.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nz::storage {

/// The length of a path as an unsigned word whose order is that of the lengths, as the bits of floats from 0 on are; all
/// ones where there is no path. Weight: int32, int64, float or double.
template <class Weight>
struct path_length {
    using key = std::conditional_t<sizeof(Weight) == 4, std::uint32_t, std::uint64_t>;
    static constexpr key unreached = ~key{0};

    static constexpr key of(Weight w) { return std::bit_cast<key>(w); }
    /// The length with one more edge; unreached where that is infinite or beyond Weight.
    static constexpr key add(key length, Weight w) {
        if constexpr (std::is_integral_v<Weight>) {
            const key sum = length + static_cast<key>(w);  // both below half of key's range
            return sum > static_cast<key>(std::numeric_limits<Weight>::max()) ? unreached : sum;
        } else {
            const Weight sum = std::bit_cast<Weight>(length) + w;
            return sum <= std::numeric_limits<Weight>::max() ? std::bit_cast<key>(sum) : unreached;
        }
    }
    /// The bound of the bucket that begins at `length`: above it even where delta is lost in rounding.
    static constexpr key bound(key length, Weight delta) {
        const key sum = add(length, delta);
        return sum > length ? sum : length + 1;
    }
};

/// Whether a value may be the length of an edge where lengths are of `type`.
template <class T>
constexpr bool is_length(T x, dtype type) {
    if constexpr (std::is_floating_point_v<T>)
        return x >= 0;  // not for NaN
    else if constexpr (std::is_unsigned_v<T>)
        return sizeof(T) < 8 || type != dtype::int64 ||
               x <= static_cast<T>(std::numeric_limits<std::int64_t>::max());
    else
        return x >= 0;
}

/// Calls f(std::type_identity<Weight>{}) with the C++ type of distances.
template <class F>
decltype(auto) with_weight(dtype type, F&& f) {
    switch (type) {
        case dtype::int32:
            return f(std::type_identity<std::int32_t>{});
        case dtype::int64:
            return f(std::type_identity<std::int64_t>{});
        case dtype::float32:
            return f(std::type_identity<float>{});
        default:
            return f(std::type_identity<double>{});
    }
}

}  // namespace nz::storage
