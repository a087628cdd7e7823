#include "nonzero/types.hpp"

#include "core/checks.hpp"
#include "nonzero/views.hpp"

#include <array>

namespace nz {
namespace {
constexpr std::array<std::string_view, dtype_count> names = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"};
}

std::string_view name_of(dtype type) { return names[static_cast<std::size_t>(type)]; }
std::string_view name_of(dense_order order) { return order == dense_order::row_major ? "row" : "column"; }

dtype parse_dtype(std::string_view word) {
    for (int k = 0; k < dtype_count; ++k)
        if (names[k] == word) return static_cast<dtype>(k);
    if (word == "float") return dtype::float32;
    if (word == "double") return dtype::float64;
    fail<domain_error>("'{}' is not a type; the types are {}", word, fmt::join(names, ", "));
}

dtype promote(dtype a, dtype b) {
    if (a == b) return a;
    if (a == dtype::boolean) return b;
    if (b == dtype::boolean) return a;
    if (is_floating(a) || is_floating(b)) {
        const dtype other = is_floating(a) ? b : a;
        const dtype floating = is_floating(a) ? a : b;
        if (is_floating(other)) return dtype::float64;
        return floating == dtype::float32 && size_of(other) > 2 ? dtype::float64 : floating;
    }
    if (is_signed_integer(a) == is_signed_integer(b)) return size_of(a) > size_of(b) ? a : b;
    const dtype with_sign = is_signed_integer(a) ? a : b, without = is_signed_integer(a) ? b : a;
    if (size_of(with_sign) > size_of(without)) return with_sign;
    switch (size_of(without)) {
        case 1:
            return dtype::int16;
        case 2:
            return dtype::int32;
        case 4:
            return dtype::int64;
        default:
            return dtype::float64;
    }
}

element cast(element x, dtype from, dtype to) {
    if (from == to) return x;
    return dispatch(from, [&]<class F>(std::type_identity<F>) {
        return dispatch(
            to, [&]<class T>(std::type_identity<T>) { return to_element(convert<T>(from_element<F>(x))); });
    });
}

}  // namespace nz
