// Single-source shortest paths: one closure over (min, +). Relaxing every vertex whose distance changed, round after round
// (yang2015, section 6), relaxes the long rows of hubs several times; taking vertices in bands of distance, nearest
// band first, trades a few of those for more rounds, and the width of the bands (delta) is the whole choice: the
// plan takes it from the mean weight and the mean degree.
#include "nonzero/algorithms.hpp"
#include "ops/shortest.hpp"

namespace nz {

shortest_result sssp(const context& ctx, const matrix& a, offset_t source, const shortest_options& options) {
    return ops::shortest(ctx, a, source, options);
}

}  // namespace nz
