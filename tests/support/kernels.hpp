// The kernels that tests go through.
#pragma once

#include "kernels/kernel_ids.hpp"
#include "nonzero/algebra.hpp"

#include <string_view>
#include <vector>

namespace nz::test {

/// Every id of an operation that the CPU has.
inline std::vector<std::string_view> kernels_on_cpu(std::string_view operation) {
    std::vector<std::string_view> ids;
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == operation && k.cpu == kernels::presence::here) ids.push_back(k.id);
    return ids;
}

/// Whether operators and functions over whole vectors of a type are compiled for it, or for a wider one that has their results.
constexpr bool has_own_words(dtype type) {
    return type == dtype::boolean || type == dtype::int32 || type == dtype::int64 || is_floating(type);
}
constexpr bool words_serve(binary_id op, dtype type) {
    using enum binary_id;
    if (op == pair || has_own_words(type)) return op != pair;
    return op != div && op != rdiv &&
           (type != dtype::uint64 || (op != min && op != max && (op < gt || op > le)));
}
constexpr bool words_serve(unary_id op, dtype type) {
    using enum unary_id;
    if (op == bnot || has_own_words(type)) return op != bnot;
    return op != minv && (type != dtype::uint64 || (op != abs && op != signum));
}

}  // namespace nz::test
