// Facts of every operator that the generic path needs, one row each.
#pragma once

#include "nonzero/algebra.hpp"

#include <span>
#include <string_view>

namespace nz::algebra {

/// What an operator's operands are converted to.
enum class domain : std::uint8_t { any_type, logical, integers, floating, positions };
enum class result : std::uint8_t { operand, truth };

struct binary_row {
    binary_id id;
    std::string_view name;
    domain inputs;
    result output;
    bool commutative, is_monoid, idempotent;
};
struct unary_row {
    unary_id id;
    std::string_view name;
    domain inputs;
};
struct index_unary_row {
    index_unary_id id;
    std::string_view name;
};

std::span<const binary_row> binary_rows();
std::span<const unary_row> unary_rows();
std::span<const index_unary_row> index_unary_rows();

}  // namespace nz::algebra
