#include "algorithms/degree_order.hpp"

#include "nonzero/operations.hpp"
#include "ops/vectors_device.hpp"

namespace nz::algorithms {

vector degrees(const context& ctx, const matrix& a) {
    vector d = ops::full(ctx, a.rows(), scalar(std::int64_t{0}));
    mxv(ctx, d, semiring("plus_pair_int64"), a, ops::full(ctx, a.columns(), scalar(std::int64_t{1})),
        {.accum = binary_id::second});
    return d;
}

}  // namespace nz::algorithms
