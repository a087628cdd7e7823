// Index types, the eleven data types, and values whose type is known at run time.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

namespace nz {

/// Row and column numbers. A dimension is at most 2^31 - 1 (docs/decisions/0002-index-widths.md).
using index_t = std::int32_t;
/// Positions and counts of entries as callers see them; storage narrows them to 32 bits where they fit.
using offset_t = std::int64_t;

inline constexpr offset_t max_dimension = std::numeric_limits<index_t>::max();

/// The eleven data types of matrix and vector entries.
enum class dtype : std::uint8_t {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64
};

inline constexpr int dtype_count = 11;

namespace detail {
template <class T>
struct dtype_of;
template <>
struct dtype_of<bool> {
    static constexpr dtype value = dtype::boolean;
};
template <>
struct dtype_of<std::int8_t> {
    static constexpr dtype value = dtype::int8;
};
template <>
struct dtype_of<std::int16_t> {
    static constexpr dtype value = dtype::int16;
};
template <>
struct dtype_of<std::int32_t> {
    static constexpr dtype value = dtype::int32;
};
template <>
struct dtype_of<std::int64_t> {
    static constexpr dtype value = dtype::int64;
};
template <>
struct dtype_of<std::uint8_t> {
    static constexpr dtype value = dtype::uint8;
};
template <>
struct dtype_of<std::uint16_t> {
    static constexpr dtype value = dtype::uint16;
};
template <>
struct dtype_of<std::uint32_t> {
    static constexpr dtype value = dtype::uint32;
};
template <>
struct dtype_of<std::uint64_t> {
    static constexpr dtype value = dtype::uint64;
};
template <>
struct dtype_of<float> {
    static constexpr dtype value = dtype::float32;
};
template <>
struct dtype_of<double> {
    static constexpr dtype value = dtype::float64;
};
}  // namespace detail

/// The dtype of a C++ type; not defined for types outside the eleven.
template <class T>
inline constexpr dtype dtype_of = detail::dtype_of<T>::value;

/// A C++ type that a matrix or vector can hold.
template <class T>
concept entry_type = requires { detail::dtype_of<T>::value; };

/// Calls f(std::type_identity<T>{}) with the C++ type of `type`.
template <class F>
constexpr decltype(auto) dispatch(dtype type, F&& f) {
    switch (type) {
        case dtype::boolean:
            return f(std::type_identity<bool>{});
        case dtype::int8:
            return f(std::type_identity<std::int8_t>{});
        case dtype::int16:
            return f(std::type_identity<std::int16_t>{});
        case dtype::int32:
            return f(std::type_identity<std::int32_t>{});
        case dtype::int64:
            return f(std::type_identity<std::int64_t>{});
        case dtype::uint8:
            return f(std::type_identity<std::uint8_t>{});
        case dtype::uint16:
            return f(std::type_identity<std::uint16_t>{});
        case dtype::uint32:
            return f(std::type_identity<std::uint32_t>{});
        case dtype::uint64:
            return f(std::type_identity<std::uint64_t>{});
        case dtype::float32:
            return f(std::type_identity<float>{});
        case dtype::float64:
            break;
    }
    return f(std::type_identity<double>{});
}

/// Bytes of one value.
constexpr std::size_t size_of(dtype type) {
    return dispatch(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}
constexpr bool is_floating(dtype type) { return type == dtype::float32 || type == dtype::float64; }
constexpr bool is_signed_integer(dtype type) { return type >= dtype::int8 && type <= dtype::int64; }
constexpr bool is_unsigned_integer(dtype type) { return type >= dtype::uint8 && type <= dtype::uint64; }

/// "bool", "int8" ... "uint64", "float32", "float64".
std::string_view name_of(dtype type);
/// The inverse of name_of ("float" and "double" are accepted too). Throws domain_error for other words.
dtype parse_dtype(std::string_view word);
/// The type that holds a result of two operand types, bool < integers < floats: the wider one of a kind; the next wider signed
/// type for a signed and an unsigned one, float64 for 64 bits of them; float64 for float32 and an integer of more than 16 bits.
dtype promote(dtype a, dtype b);

/// Converts a value as GraphBLAS typecasts do, and never with undefined behaviour: integers wrap, a float
/// outside an integer's range saturates, NaN becomes 0, anything that is not 0 becomes true.
template <class To, class From>
constexpr To convert(From x) {
    if constexpr (std::is_same_v<To, bool>) {
        return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (x != x) return To(0);
        if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
        if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
        return static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

/// The bits of one value of any dtype; the dtype is known from the context. Unused bits are zero.
struct element {
    std::uint64_t bits = 0;
    friend constexpr bool operator==(element, element) = default;
};

template <entry_type T>
constexpr element to_element(T x) {
    if constexpr (std::is_same_v<T, double>)
        return {std::bit_cast<std::uint64_t>(x)};
    else if constexpr (std::is_same_v<T, float>)
        return {std::bit_cast<std::uint32_t>(x)};
    else if constexpr (std::is_same_v<T, bool>)
        return {x ? 1u : 0u};
    else
        return {static_cast<std::make_unsigned_t<T>>(x)};
}
template <entry_type T>
constexpr T from_element(element e) {
    if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(e.bits);
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<std::uint32_t>(e.bits));
    else
        return static_cast<T>(e.bits);
}

/// Converts the bits of a value from one dtype to another (see convert).
element cast(element x, dtype from, dtype to);

/// One value with its type: what reductions return, and what operations take as thunks and fill values.
class scalar {
public:
    scalar() = default;
    scalar(dtype type, element value) : type_(type), value_(value) {}
    template <entry_type T>
    scalar(T x) : type_(dtype_of<T>), value_(to_element(x)) {}  // NOLINT: a value is a scalar

    dtype type() const { return type_; }
    element bits() const { return value_; }
    element as(dtype to) const { return cast(value_, type_, to); }
    template <entry_type T>
    T get() const {
        return from_element<T>(as(dtype_of<T>));
    }
    friend bool operator==(const scalar&, const scalar&) = default;

private:
    dtype type_ = dtype::float64;
    element value_{};
};

}  // namespace nz
