#include "kernels/reference/kronecker.hpp"

#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {

operation_plan kronecker(const context& ctx, matrix& c, const binary_op& op, const matrix& a, const matrix& b,
                         const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    ops::check_output("kronecker", c, left.rows() * right.rows(), left.columns() * right.columns(),
                      left.describe("A") + " and " + right.describe("B"));
    ops::check_mask("kronecker", c, options);
    ops::check_kernel("kronecker", options.kernel);
    ops::write_back(ctx, c, kernels::reference::kronecker(ctx, op, left.entries(), right.entries()), options);
    return {"kronecker", "reference", tier::generic, "block by block, one thread"};
}

}  // namespace nz
