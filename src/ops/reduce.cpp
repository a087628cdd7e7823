#include "kernels/reference/reduce.hpp"

#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan plan{"reduce", "reference", tier::generic, "in storage order on one thread"};

}  // namespace

operation_plan reduce(const context& ctx, vector& w, const monoid& add, const matrix& a,
                      const vector_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("reduce", w, input.rows(), input.describe("A"));
    ops::check_mask("reduce", w, options);
    ops::check_kernel("reduce", options.kernel);
    ops::write_back(ctx, w, kernels::reference::reduce_rows(ctx, add, input.entries()), options);
    return plan;
}

// One thread in storage order: the same bits for floats whatever the number of threads.
scalar reduce(const context&, const monoid& add, const vector& u) {
    return kernels::reference::reduce(add, u.body());
}
scalar reduce(const context&, const monoid& add, const matrix& a) {
    return kernels::reference::reduce(add, a.body().rows());
}

}  // namespace nz
