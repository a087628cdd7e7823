// mxm: check, collect facts, plan, count and fill (mxm_run.cpp), write back.
#include "kernels/reference/mxm.hpp"

#include "core/device.hpp"
#include "kernels/cpu/mxm/common_generic.hpp"
#include "ops/masks.hpp"
#include "ops/mxm_product.hpp"
#include "ops/mxm_strips.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

storage::csr run(const ops::product& p, mxm_plan& plan, const ops::mxm_collected& known) {
    if (plan.kernel == "reference") return kernels::reference::mxm(p.ctx, p.ring, p.a(), p.b());
    if (plan.kernel == "generic") {
        if (!p.options.mask) return kernels::cpu::mxm_generic(p.ctx, p.ring, p.a(), p.b(), {});
        const storage::csr& mask = p.options.mask->body().rows();
        const auto passing = ops::mask_places(p.ctx, mask, p.options.mask_structure);
        return kernels::cpu::mxm_generic(p.ctx, p.ring, p.a(), p.b(),
                                         {passing ? &*passing : &mask, p.options.mask_complement});
    }
    const mxm_plan uncut = plan;
    storage::csr t = ops::run_compiled(p, plan, known);
    if (!(plan == uncut)) p.ctx.log(to_string(plan));
    return t;
}

// Whether the kernel wrote nothing that the mask bars.
bool heeds_mask(const mxm_plan& plan, const matrix_options& options) {
    return options.mask && (plan.kernel.starts_with("masked") || plan.kernel == "generic");
}

}  // namespace

mxm_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
             const matrix_options& options) {
    const ops::product p = ops::make_product(ctx, s, a, b, options);
    ops::check_product(p, c);
    const device::arrivals arrived(ctx);
    if (auto t = ops::mxm_within_device(p, c.body().ctx)) {
        t->plan.moved_bytes = arrived.bytes();
        ctx.log(to_string(t->plan));
        ops::write_back_from_device(ctx, c, std::move(t->result), options, heeds_mask(t->plan, options));
        return t->plan;
    }
    ops::mxm_collected known;
    const bool turns = options.kernel == "column_column";
    const ops::product& done = turns ? ops::by_columns(p) : p;
    mxm_plan plan = ops::make_plan(done, known);
    ctx.log(to_string(plan));
    storage::csr t = run(done, plan, known);
    if (turns) t = storage::transpose(ctx, t);
    ops::write_back(ctx, c, std::move(t), options, heeds_mask(plan, options));
    return plan;
}

}  // namespace nz
