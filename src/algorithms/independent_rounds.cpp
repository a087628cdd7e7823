#include "algorithms/independent_rounds.hpp"

#include "io/random_stream.hpp"
#include "nonzero/operations.hpp"

#include <bit>

namespace nz::algorithms {

vector priorities(const context& ctx, const matrix& a, vertex_order order, std::uint64_t seed) {
    const offset_t n = a.rows();
    vector degrees = vector::full(ctx, n, scalar(std::int64_t{0})), p(ctx, dtype::int64, n);
    if (order != vertex_order::hashed)
        mxv(ctx, degrees, semiring("plus_pair_int64"), a, vector::full(ctx, n, scalar(std::int64_t{1})),
            {.accum = binary_id::second});
    const std::uint64_t key = io::mix(seed + 1);
    const auto number = index_unary_op::make<std::int64_t, std::int64_t>(
        "priority", [key, order](std::int64_t degree, offset_t v, offset_t, std::int64_t) {
            const int width = std::bit_width(static_cast<std::uint64_t>(degree));  // at most 31
            const auto rank =
                static_cast<std::uint64_t>(order == vertex_order::small_degrees_first ? 31 - width : width);
            const auto id = static_cast<std::uint64_t>(v);
            return static_cast<std::int64_t>(rank << 58 | io::mix(key ^ io::mix(id + 1)) >> 37 << 31 | id);
        });
    apply(ctx, p, number, degrees, scalar(std::int64_t{0}));
    p.convert_to(vector_form::dense);
    return p;
}

vector first_independent_set(const context& ctx, const matrix& a, vector candidates, int& rounds,
                             std::string& plan) {
    const offset_t n = a.rows();
    const semiring highest(binary_id::max, binary_id::second, dtype::int64),
        any(binary_id::any, binary_id::pair, dtype::boolean);
    vector members(ctx, dtype::boolean, n);
    for (; candidates.count() > 0; ++rounds) {
        const vector_options among{.mask = &candidates, .mask_structure = true};
        vector best(ctx, dtype::int64, n), first(ctx, dtype::boolean, n), taken(ctx, dtype::boolean, n),
            decided(ctx, dtype::boolean, n), others(ctx, dtype::int64, n);
        plan = to_string(mxv(ctx, best, highest, a, candidates, among));
        ewise_add(ctx, best, binary_id::max, best, candidates);
        ewise_mult(ctx, first, binary_id::eq, best, candidates);
        select(ctx, taken, index_unary_id::valueeq, first, scalar(true));
        mxv(ctx, decided, any, a, taken, among);
        for (vector* known : {&members, &decided})
            apply(ctx, *known, unary_id::identity, taken, {.accum = binary_id::second});
        apply(ctx, others, unary_id::identity, candidates,
              {.mask = &decided, .mask_structure = true, .mask_complement = true});
        candidates = std::move(others);
    }
    return members;
}

}  // namespace nz::algorithms
