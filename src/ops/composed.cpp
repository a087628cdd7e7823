#include "ops/composed.hpp"

#include "algebra/bound.hpp"
#include "kernels/cpu/mxm/common_composed.hpp"
#include "ops/vector_words.hpp"

namespace nz::ops {

std::optional<kernels::composed_multiply> composed_multiply_of(const semiring& s, dtype a, dtype b) {
    const algebra::bound_semiring defined(s, a, b);
    if (s.multiply().positional()) return {};
    const dtype operand = s.operand_type(a, b);
    const compiled_words c = find_compiled(s.multiply(), operand);
    if (!c.kernel) return {};
    return kernels::composed_multiply{
        c.kernel, a, b, operand, c.operands, c.result, c.type, defined.type(), s.ignores_a(), s.ignores_b()};
}

storage::csr mxm_composed(const product& p) {
    const semiring places(binary_id::any, binary_id::pair, dtype::boolean);
    matrix_options options = p.options;
    options.kernel = {};
    const product q = make_product(p.ctx, places, p.left.a, p.right.a, options);
    mxm_collected known;
    mxm_plan plan = make_plan(q, known);
    storage::csr t = run_compiled(q, plan, known);
    const auto multiply = composed_multiply_of(p.ring, p.left.a.type(), p.right.a.type());
    kernels::cpu::mxm_composed(p.ctx, p.ring, *multiply, p.a(), p.b(), t);
    return t;
}

}  // namespace nz::ops
