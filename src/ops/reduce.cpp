#include "kernels/reference/reduce.hpp"

#include "core/checks.hpp"
#include "ops/checks.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan reduce_plan{"reduce", "reference", tier::generic, "in storage order on one thread"};

}  // namespace

operation_plan reduce(const context& ctx, vector& w, const monoid& add, const matrix& a,
                      const vector_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("reduce", w, input.rows(), input.describe("A"));
    ops::check_mask("reduce", w, options);
    ops::check_kernel("reduce", options.kernel);
    require<not_supported>(
        options.kernel != "blocks",
        "reduce: kernel blocks adds up a vector: leave the pin out for the rows of a matrix");
    ops::write_back(ctx, w, kernels::reference::reduce_rows(ctx, add, input.entries()), options);
    return reduce_plan;
}

// The order of summation depends on the vector alone: the same bits for floats whatever the number of threads.
scalar reduce(const context& ctx, const monoid& add, const vector& u) {
    if (const auto sum = ops::reduce_blocks_on_device(ctx, add, u)) return *sum;
    if (const auto sum = ops::reduce_blocks(ctx, add, u.body())) return *sum;
    return kernels::reference::reduce(add, u.body());
}
scalar reduce(const context& ctx, const monoid& add, const matrix& a) {
    if (const auto sum = ops::reduce_blocks_on_device(ctx, add, a)) return *sum;
    if (const auto sum = ops::reduce_blocks(ctx, add, a.body().rows())) return *sum;
    return kernels::reference::reduce(add, a.body().rows());
}

}  // namespace nz
