#include "plan/transpose.hpp"

#include "core/device.hpp"
#include "kernels/cpu/transpose/convert.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/reference/transpose.hpp"
#include "ops/checks.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/write_back.hpp"

#include <limits>

namespace nz {
namespace {

storage::csr run(const context& ctx, const operation_plan& plan, const matrix& a, bool transposed_twice) {
    const storage::csr& rows = a.body().rows();
    if (transposed_twice) return storage::copy(ctx, rows);
    if (plan.kernel == "reference") return kernels::reference::transpose(ctx, rows);
    return kernels::cpu::transpose_convert(ctx, rows, a.body().has_columns() ? &a.body().columns() : nullptr);
}

}  // namespace

operation_plan transpose(const context& ctx, matrix& c, const matrix& a, const matrix_options& options) {
    const ops::operand input{a, !options.transpose_a};
    ops::check_output("transpose", c, input.rows(), input.columns(), input.describe("A"));
    ops::check_mask("transpose", c, options);
    ops::check_kernel("transpose", options.kernel);
    constexpr offset_t most = std::numeric_limits<std::uint32_t>::max();
    const storage::matrix_body& body = a.body();
    const auto planned = [&](bool on_device) {
        return plan::transpose({options.kernel, options.transpose_a, body.has_columns(),
                                on_device && a.nnz() <= most, body.away()});
    };
    operation_plan plan = planned(ctx.gpu() != nullptr);
    if (plan.on_device) {
        const device::arrivals arrived(ctx);
        if (auto t = ops::if_it_fits<matrix>(
                [&] { return kernels::on_cuda().transpose_convert(c.body().ctx, ctx, a); })) {
            ops::write_back_from_device(ctx, c, std::move(*t), options);
            plan.moved_bytes = arrived.bytes();
            return plan;
        }
        plan = planned(false);
    }
    ops::write_back(ctx, c, run(ctx, plan, a, options.transpose_a), options);
    return plan;
}

matrix transposed(const context& ctx, const matrix& a) {
    if (const auto kept = a.body().turned()) return *kept;
    const context& own = a.body().ctx;
    matrix made(own, a.type(), a.columns(), a.rows());
    transpose(ctx, made, a);
    if (own.memory_limit() || ctx.device_memory_limit()) return made;  // memory may be wanted elsewhere
    return *a.body().keep_turned(std::move(made));
}

}  // namespace nz
