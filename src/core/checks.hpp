// Formatting of error messages in one place.
#pragma once

#include "nonzero/errors.hpp"
#include "nonzero/types.hpp"

#include <fmt/format.h>

namespace nz {

/// Throws Error with a formatted message.
template <class Error, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}
/// Throws Error with a formatted message unless `condition` holds.
template <class Error, class... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
    if (!condition) fail<Error>(format, std::forward<Args>(args)...);
}
inline void check_dimension(offset_t n, const char* what) {
    require<domain_error>(n >= 0, "{} is {}: a dimension cannot be negative", what, n);
    require<not_supported>(n <= max_dimension, "{} is {}: the largest dimension is {}", what, n,
                           max_dimension);
}

}  // namespace nz
