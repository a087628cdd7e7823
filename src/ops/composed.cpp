#include "ops/composed.hpp"

#include "algebra/bound.hpp"
#include "kernels/cpu/mxd/common_composed.hpp"
#include "kernels/cpu/mxm/common_composed.hpp"
#include "kernels/cpu/mxv/common_composed.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/vector_words.hpp"
#include "plan/mxv_workspace.hpp"

namespace nz::ops {

std::optional<kernels::composed_multiply> composed_multiply_of(const semiring& s, dtype a, dtype b) {
    const algebra::bound_semiring defined(s, a, b);
    if (s.multiply().positional() || s.converts_twice(a, b)) return {};
    const dtype operand = s.operand_type(a, b);
    const compiled_words c = find_compiled(s.multiply(), operand);
    if (!c.kernel) return {};
    return kernels::composed_multiply{
        c.kernel, a, b, operand, c.operands, c.result, c.type, defined.type(), s.ignores_a(), s.ignores_b()};
}

std::optional<composed_ring> composed_ring_of(const semiring& s, dtype a, dtype b) {
    const auto multiply = composed_multiply_of(s, a, b);
    if (!multiply || !s.add().is_built_in()) return {};
    const binary_id add = s.add().id() == binary_id::any ? binary_id::first : s.add().id();
    const compiled_words c = find_compiled(add, multiply->value);
    if (!c.kernel || c.operands != multiply->value || c.result != multiply->value) return {};
    return composed_ring{*multiply, c.kernel};
}

std::optional<storage::vector_body> mxv_composed(const mxv_product& p, const bits::word* mask) {
    const auto multiply = composed_multiply_of(p.ring, p.a.type(), p.u.type());
    return if_it_fits<storage::vector_body>([&] {
        return kernels::cpu::mxv_composed(p.ctx, p.ring, *multiply, p.pulled(true), p.u.body(), mask,
                                          p.options.mask_complement);
    });
}

std::optional<storage::csr> mxm_composed(const product& p, mxm_plan& plan) {
    const semiring any_pair(binary_id::any, binary_id::pair, dtype::boolean);
    matrix_options options = p.options;
    options.kernel = {};
    const product places = make_product(p.ctx, any_pair, p.left.a, p.right.a, options);
    const auto multiply = composed_multiply_of(p.ring, p.left.a.type(), p.right.a.type());
    const auto columns = static_cast<index_t>(p.right.columns());
    return if_it_fits<storage::csr>([&] {
        mxm_collected known;
        mxm_plan of_places = make_plan(places, known);
        plan.reads_columns = of_places.reads_columns;
        plan.builds_columns = of_places.builds_columns;
        const std::size_t words = plan::padded(static_cast<std::size_t>(columns) * sizeof(index_t)),
                          block = plan::composed_workspace(plan.products, size_of(multiply->operands),
                                                           size_of(p.value), true, 1);
        const auto threads = static_cast<std::size_t>(
            std::max(plan::composed_threads(plan.products, columns, p.ctx.threads()), 1));
        plan.workspace_bytes = std::max(of_places.workspace_bytes, threads * (words + block));
        p.ctx.log(to_string(plan));
        storage::csr t = run_compiled(places, of_places, known);
        kernels::cpu::mxm_composed(p.ctx, p.ring, *multiply, p.a(), p.b(), known.products.data(),
                                   static_cast<int>(threads), t);
        return t;
    });
}

bool mxd_composed(const mxd_product& p, const storage::dense& b, const storage::dense& t) {
    const auto ring = composed_ring_of(p.ring, p.left.a.type(), b.type);
    return if_it_fits<bool>([&] {
               kernels::cpu::mxd_composed(p.ctx, p.ring, ring->multiply, ring->add, p.a(), b, t);
               return true;
           })
        .has_value();
}

}  // namespace nz::ops
