#include "kernels/reference/ewise.hpp"

#include "core/checks.hpp"
#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan add_plan{"ewise_add", "reference", tier::generic,
                                  "union of sorted entries, one thread"};
constexpr operation_plan multiply_plan{"ewise_mult", "reference", tier::generic,
                                       "intersection of sorted entries, one thread"};

void check(const operation_plan& plan, const vector& w, const vector& u, const vector& v,
           const vector_options& options) {
    require<dimension_mismatch>(u.size() == v.size(), "{}: {}, {}: the sizes must be equal", plan.operation,
                                ops::describe("u", u), ops::describe("v", v));
    ops::check_output(plan.operation, w, u.size(), ops::describe("u", u));
    ops::check_mask(plan.operation, w, options);
    ops::check_kernel(plan.operation, options.kernel);
}

void check(const operation_plan& plan, const matrix& c, const ops::operand& a, const ops::operand& b,
           const matrix_options& options) {
    require<dimension_mismatch>(a.rows() == b.rows() && a.columns() == b.columns(),
                                "{}: {}, {}: the shapes must be equal", plan.operation, a.describe("A"),
                                b.describe("B"));
    ops::check_output(plan.operation, c, a.rows(), a.columns(), a.describe("A"));
    ops::check_mask(plan.operation, c, options);
    ops::check_kernel(plan.operation, options.kernel);
}

}  // namespace

operation_plan ewise_add(const context& ctx, vector& w, const binary_op& op, const vector& u, const vector& v,
                         const vector_options& options) {
    check(add_plan, w, u, v, options);
    ops::write_back(ctx, w, kernels::reference::ewise_add(ctx, op, u.body(), v.body()), options);
    return add_plan;
}

operation_plan ewise_add(const context& ctx, matrix& c, const binary_op& op, const matrix& a, const matrix& b,
                         const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    check(add_plan, c, left, right, options);
    ops::write_back(ctx, c, kernels::reference::ewise_add(ctx, op, left.entries(), right.entries()), options);
    return add_plan;
}

operation_plan ewise_mult(const context& ctx, vector& w, const binary_op& op, const vector& u,
                          const vector& v, const vector_options& options) {
    check(multiply_plan, w, u, v, options);
    ops::write_back(ctx, w, kernels::reference::ewise_mult(ctx, op, u.body(), v.body()), options);
    return multiply_plan;
}

operation_plan ewise_mult(const context& ctx, matrix& c, const binary_op& op, const matrix& a,
                          const matrix& b, const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    check(multiply_plan, c, left, right, options);
    ops::write_back(ctx, c, kernels::reference::ewise_mult(ctx, op, left.entries(), right.entries()),
                    options);
    return multiply_plan;
}

}  // namespace nz
