// Weakly connected components: one operation. Over (min, second) it is a product a round and as many rounds as the
// diameter; what the operation does instead is to join the ends of edges until every vertex knows the smallest of its
// component, and to leave out the many edges that only join what is joined already.
#include "ops/components.hpp"

#include "nonzero/algorithms.hpp"

namespace nz {

components_result components(const context& ctx, const matrix& a, const components_options& options) {
    return ops::components(ctx, a, options);
}

}  // namespace nz
