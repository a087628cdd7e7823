// mxm: check, collect facts, plan, count and fill (mxm_run.cpp), write back; what is not compiled by a semiring that stands in for it.
#include "kernels/reference/mxm.hpp"

#include "algebra/stand_in.hpp"
#include "core/device.hpp"
#include "kernels/cpu/mxm/common_generic.hpp"
#include "ops/composed.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/masks.hpp"
#include "ops/matrix_words.hpp"
#include "ops/mxm_product.hpp"
#include "ops/mxm_strips.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

storage::csr run(const ops::product& p, mxm_plan& plan, const ops::mxm_collected& known) {
    if (plan.kernel == "composed") {
        if (auto t = ops::mxm_composed(p, plan)) return std::move(*t);
        plan.workspace_bytes = 0;
        plan.reads_columns = plan.builds_columns = false;
        ops::go_on_generic(p.ctx, plan);
    }
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

// Values in another type, no wider one, one after the other where they are.
void narrow_in_place(storage::csr& t, dtype type) {
    for (offset_t k = 0; k < t.nnz; ++k)
        storage::store(t.values.data(), type, k, cast(t.value(k), t.type, type));
}

// A product's values in the type that was asked for: one for all where a semiring of ones stood in. What has no room for a second array of
// them does without.
storage::csr in_type(const context& ctx, storage::csr&& t, const semiring& done, dtype type) {
    if (t.type == type) return std::move(t);
    if (algebra::has_ones_alone(done)) {
        t.values = buffer(ctx.memory(), size_of(type));
        t.kind = value_kind::iso;
        storage::store(t.values.data(), type, 0, scalar(true).as(type));
    } else if (auto converted = ops::if_it_fits<buffer>(
                   [&] { return storage::convert_array(ctx, t.values, t.type, type, t.nnz); })) {
        t.values = std::move(*converted);
    } else {
        narrow_in_place(t, type);
    }
    t.type = type;
    return std::move(t);
}
// The same of what a GPU made, there or, in parts or for want of room, in the host's memory.
matrix in_type(const context& ctx, const context& own, matrix&& t, const semiring& done, dtype type) {
    if (t.type() == type) return std::move(t);
    const auto there = [&] {
        return algebra::has_ones_alone(done)
                   ? ops::with_one_value_on_device(ctx, own, t, scalar(type, scalar(true).as(type)))
                   : ops::in_type_on_device(ctx, own, t, type);
    };
    if (t.on_device())
        if (auto converted = ops::if_it_fits<matrix>(there)) return std::move(*converted);
    return storage::make_matrix(own, storage::convert_values(ctx, t.body().rows(), type));
}

// `value` is the result's type: p's own, or what p's values are cast to.
mxm_plan multiply(const context& ctx, matrix& c, const ops::product& p, const matrix_options& options,
                  dtype value) {
    ops::check_product(p, c);
    const context own = c.body().ctx;
    const device::arrivals arrived(ctx);
    const bool composed = !p.cell && options.kernel.empty();
    if (auto there = composed ? ops::mxm_composed_on_device(p, own) : ops::mxm_within_device(p, own)) {
        there->plan.moved_bytes = arrived.bytes();
        ctx.log(to_string(there->plan));
        ops::write_back_from_device(ctx, c, in_type(ctx, own, std::move(there->result), p.ring, value),
                                    options, heeds_mask(there->plan, options));
        return there->plan;
    }
    ops::mxm_collected known;
    const bool turns = options.kernel == "column_column";
    const ops::product& done = turns ? ops::by_columns(p) : p;
    mxm_plan plan = ops::make_plan(done, known);
    if (plan.kernel != "composed") ctx.log(to_string(plan));
    storage::csr t = run(done, plan, known);
    if (turns) t = storage::transpose(ctx, t);
    ops::write_back(ctx, c, in_type(ctx, std::move(t), p.ring, value), options, heeds_mask(plan, options));
    return plan;
}

}  // namespace

mxm_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
             const matrix_options& options) {
    const auto is_compiled = [&](const semiring& other) {
        return ops::mxm_cell_of(other, a.type(), b.type());
    };
    std::optional<semiring> other;
    if (options.kernel != "reference" && !is_compiled(s))
        other = algebra::stand_in(s, a.type(), b.type(), is_compiled);
    const semiring& done = other ? *other : s;
    return multiply(ctx, c, ops::make_product(ctx, done, a, b, options), options,
                    s.value_type(a.type(), b.type()));
}

}  // namespace nz
