#include "algorithms/degree_order.hpp"

#include "nonzero/operations.hpp"

namespace nz::algorithms {

vector degrees(const context& ctx, const matrix& a) {
    vector d = vector::full(ctx, a.rows(), scalar(std::int64_t{0}));
    mxv(ctx, d, semiring("plus_pair"), a, vector::full(ctx, a.columns(), scalar(std::int64_t{1})),
        {.accum = binary_id::second});
    return d;
}

}  // namespace nz::algorithms
