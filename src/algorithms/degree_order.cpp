#include "algorithms/degree_order.hpp"

#include "nonzero/operations.hpp"

namespace nz::algorithms {

vector degrees(const context& ctx, const matrix& a) {
    vector d = vector::full(ctx, a.rows(), scalar(std::int64_t{0}));
    mxv(ctx, d, semiring("plus_pair"), a, vector::full(ctx, a.columns(), scalar(std::int64_t{1})),
        {.accum = binary_id::second});
    return d;
}

matrix upwards(const context& ctx, const matrix& a, const vector& degrees) {
    const auto d = degrees.values<std::int64_t>();
    const auto rises = index_unary_op::make<bool, std::int64_t>(
        "rises", [d](std::int64_t, offset_t i, offset_t j, std::int64_t) {
            const auto of_i = d[static_cast<std::size_t>(i)], of_j = d[static_cast<std::size_t>(j)];
            return of_i != of_j ? of_i < of_j : i < j;
        });
    matrix u(ctx, a.type(), a.rows(), a.columns());
    select(ctx, u, rises, a, scalar(std::int64_t{0}));
    return u;
}

}  // namespace nz::algorithms
