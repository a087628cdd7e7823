#include "kernels/reference/reduce.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/reduce/rows.hpp"
#include "ops/checks.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/reduce_device.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan reduce_plan{"reduce", "reference", tier::generic, "in storage order on one thread"};
constexpr operation_plan row_sums_plan{"reduce", "rows", tier::compiled, "rows in storage order, shared out"};
constexpr operation_plan row_sums_on_gpu{"reduce", "rows", tier::compiled, "chunks of entries shared out",
                                         true};

storage::vector_body reduce_rows(const context& ctx, const monoid& add, const storage::csr& a) {
    storage::vector_body sums =
        storage::make_vector_body(ctx, add.value_type(a.type), a.rows, vector_form::bitmap, 0, false);
    kernels::reduce_rows_arguments k;
    k.add = &add;
    k.a = kernels::csr_entries(a);
    k.threads = ctx.threads();
    k.sums = sums.values.data();
    k.present = sums.words();
    sums.count = kernels::cpu::reduce_rows(k);
    return sums;
}

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
    const bool reference = options.kernel == "reference";
    const device::arrivals arrived(ctx);
    if (!reference)
        if (auto t = ops::if_it_fits<vector>([&] { return ops::reduce_rows_on_device(ctx, add, input); })) {
            operation_plan plan = row_sums_on_gpu;
            plan.moved_bytes = arrived.bytes();
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            return plan;
        }
    ops::write_back(ctx, w,
                    reference ? kernels::reference::reduce_rows(ctx, add, input.entries())
                              : reduce_rows(ctx, add, input.entries()),
                    options);
    return reference ? reduce_plan : row_sums_plan;
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
