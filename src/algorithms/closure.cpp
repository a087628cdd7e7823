// The transitive closure by squaring over (any, pair), which is (or, and) where only places count.
//
//     R = A;     R = R + R R     until R has no more entries than before:
// after k steps R holds every pair joined by a path of at most 2^k edges, so that log2 of the longest shortest path is enough.
// Each step is one SpGEMM of a matrix that fills up: R has as many entries as there are pairs, up to n^2 at 4 bytes, and the
// last product forms up to n of them for each. Where that does not fit the context's memory limit, out_of_memory says so.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"

namespace nz {

closure_result transitive_closure(const context& ctx, const matrix& a, const closure_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "transitive_closure: the matrix is {} x {}; a graph needs a square one",
                                a.rows(), a.columns());
    require<domain_error>(options.max_steps >= 0, "transitive_closure: {} steps cannot be taken",
                          options.max_steps);
    const offset_t n = a.rows();
    const semiring ring(binary_id::any, binary_id::pair, dtype::boolean);
    closure_result r{matrix(ctx, dtype::boolean, n, n), 0, false, 0, {}};
    apply(ctx, r.reach, unary_id::one, a);
    while (r.steps < options.max_steps && !r.complete) {
        const offset_t before = r.reach.nnz();
        const mxm_plan plan =
            mxm(ctx, r.reach, ring, r.reach, r.reach, {.accum = binary_id::lor, .kernel = options.kernel});
        r.plan = to_string(plan);
        r.products += plan.products;
        r.complete = r.reach.nnz() == before;
        ++r.steps;
    }
    if (options.reflexive) {
        matrix itself(ctx, dtype::boolean, n, n);
        for (index_t v = 0; v < static_cast<index_t>(n); ++v) itself.set(v, v, scalar(true));
        ewise_add(ctx, r.reach, binary_id::lor, r.reach, itself);
    }
    return r;
}

}  // namespace nz
