#include "plan/mxm.hpp"

#include "core/checks.hpp"
#include "kernels/cpu/mxm/row_row.hpp"
#include "kernels/reference/mxm.hpp"
#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {

operation_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
                   const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    require<dimension_mismatch>(left.columns() == right.rows(),
                                "mxm: {}, {}: the columns of the first must equal the rows of the second",
                                left.describe("A"), right.describe("B"));
    ops::check_output("mxm", c, left.rows(), right.columns(),
                      left.describe("A") + " and " + right.describe("B"));
    ops::check_mask("mxm", c, options);
    ops::check_kernel("mxm", options.kernel);
    const operation_plan plan = plan::mxm({options.kernel});
    auto product = plan.kernel == "reference"
                       ? kernels::reference::mxm(ctx, s, left.entries(), right.entries())
                       : kernels::cpu::mxm_row_row(ctx, s, left.entries(), right.entries());
    ops::write_back(ctx, c, std::move(product), options);
    return plan;
}

}  // namespace nz
