#include "kernels/reference/select.hpp"

#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan plan{"select", "reference", tier::generic,
                              "entry by entry through a function pointer, one thread"};

}  // namespace

operation_plan select(const context& ctx, vector& w, const index_unary_op& op, const vector& u, scalar thunk,
                      const vector_options& options) {
    ops::check_output("select", w, u.size(), ops::describe("u", u));
    ops::check_mask("select", w, options);
    ops::check_kernel("select", options.kernel);
    const auto keep = algebra::entry_function_of(op, u.type(), thunk);
    ops::write_back(ctx, w, kernels::reference::select(ctx, keep, u.body()), options);
    return plan;
}

operation_plan select(const context& ctx, matrix& c, const index_unary_op& op, const matrix& a, scalar thunk,
                      const matrix_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("select", c, input.rows(), input.columns(), input.describe("A"));
    ops::check_mask("select", c, options);
    ops::check_kernel("select", options.kernel);
    const auto keep = algebra::entry_function_of(op, a.type(), thunk);
    ops::write_back(ctx, c, kernels::reference::select(ctx, keep, input.entries()), options);
    return plan;
}

}  // namespace nz
