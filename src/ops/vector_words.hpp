// Whole vectors, dense or bitmaps, on the compiled kernels: what elementwise operations, apply, reduce and accumulators
// share. Each says nothing where it does not serve, and the caller takes the reference.
#pragma once

#include "kernels/vector_arguments.hpp"
#include "nonzero/algebra.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz::ops {

/// The kernel of an operator and the type that it takes operands in, this one or a wider one; null where there is none. Its results are
/// of type `result`, and those of the operator are they, cast to `type`.
struct compiled_words {
    kernels::words_kernel kernel = nullptr;
    dtype operands = dtype::float64, result = dtype::float64, type = dtype::float64;
};
compiled_words find_compiled(const binary_op& op, dtype both);

/// The comparison of a value with the thunk that an operator by value is.
binary_op comparison_by(const index_unary_op& op);

/// A vector as an operand of a type that is not sparse; what had to be made for it is kept here.
class words_operand {
public:
    words_operand(const storage::vector_body& v, dtype type);
    const kernels::words_side& side() const { return side_; }

private:
    std::optional<storage::vector_body> own_;
    kernels::words_side side_;
};

/// u op v as union or intersection, where at least one of them is not sparse.
std::optional<storage::vector_body> join_words(const context& ctx, kernels::set_operation operation,
                                               const binary_op& op, const storage::vector_body& u,
                                               const storage::vector_body& v);
/// op(x, u) at every entry of u, or op(u, x).
std::optional<storage::vector_body> apply_words(const context& ctx, const binary_op& op, scalar x,
                                                const storage::vector_body& u);
std::optional<storage::vector_body> apply_words(const context& ctx, const binary_op& op,
                                                const storage::vector_body& u, scalar x);
/// f(u) at every entry of u.
std::optional<storage::vector_body> apply_words(const context& ctx, const unary_op& f,
                                                const storage::vector_body& u);
/// w = op(w, t) where both have an entry, the one that is there elsewhere; false where it does not serve. w is not
/// sparse; a sparse t costs its entries alone.
bool accumulate_words(const context& ctx, const binary_op& op, vector& w, const storage::vector_body& t);
/// The sum of u's entries in u's type, the identity where there is none.
std::optional<scalar> reduce_blocks(const context& ctx, const monoid& add, const storage::vector_body& u);
std::optional<scalar> reduce_blocks(const context& ctx, const monoid& add, const storage::csr& a);

}  // namespace nz::ops
