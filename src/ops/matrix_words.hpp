// The values of a matrix gone through as those of a dense vector: places stay as they are. Both say nothing where they do not serve.
#pragma once

#include "ops/checks.hpp"
#include "storage/csr.hpp"
#include "storage/vector_body.hpp"

#include <functional>
#include <optional>

namespace nz::ops {

/// The value that stands for all of A's entries, from wherever it lies; nothing where each has its own.
std::optional<scalar> one_value_of(const context& ctx, const matrix& a);
/// A's values as a dense vector's, for as long as A has them: one where it stands for all. Nothing for more than a vector holds.
std::optional<storage::vector_body> values_as_vector(const context& ctx, const storage::csr& a);
/// The same on the context's GPU.
std::optional<vector> values_as_vector_on_device(const context& ctx, const operand& a);

/// f of A's values on the context's GPU, where both stay; the result is of context `own`.
std::optional<matrix> apply_to_values_on_device(const context& ctx, const context& own, const operand& a,
                                                const std::function<std::optional<vector>(const vector&)>& f);
/// f of A's values on the host, once where one stands for all.
std::optional<storage::csr> apply_to_values(
    const context& ctx, const storage::csr& a,
    const std::function<std::optional<storage::vector_body>(const storage::vector_body&)>& f);
/// A matrix that lies there, with its values in another type.
matrix in_type_on_device(const context& ctx, const context& own, const matrix& a, dtype type);
/// A matrix's places there with x in all of them.
matrix with_one_value_on_device(const context& ctx, const context& own, const matrix& a, scalar x);
/// A's places without its values: a pattern of its arrays, which are lent.
storage::csr pattern_of(const storage::csr& a, dtype type);
/// A CSR of A's places with room for values of this type and kind.
storage::csr with_places_of(const context& ctx, const storage::csr& a, dtype type, value_kind kind);

}  // namespace nz::ops
