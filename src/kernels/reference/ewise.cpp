#include "kernels/reference/ewise.hpp"

#include "algebra/bound.hpp"
#include "kernels/reference/entries.hpp"
#include "storage/csr_builder.hpp"
#include "storage/vector_builder.hpp"

namespace nz::kernels::reference {
namespace {

enum class join { all, common };

// Of a union both have entries in the result, an operand that the operator ignores too.
algebra::bound_binary bound(join kind, const binary_op& op, dtype a, dtype b) {
    return {op, a, b, kind == join::all ? promote(a, b) : algebra::common_type(op, a, b)};
}

// Joins two lists of entries of row i (0 for vectors); positional operators see (i, index), vectors (index,
// 0).
template <class Places, class Add>
void join_lists(join kind, const algebra::bound_binary& f, dtype x_type, dtype y_type, const entry_list& a,
                const entry_list& b, Places&& places, Add&& add) {
    for_each_in_union(a, b, [&](index_t j, const element* x, const element* y) {
        if (x && y)
            add(j, f(*x, *y, places(j)));
        else if (kind == join::all)
            add(j, x ? cast(*x, x_type, f.type()) : cast(*y, y_type, f.type()));
    });
}

storage::vector_body ewise(join kind, const context& ctx, const binary_op& op, const storage::vector_body& u,
                           const storage::vector_body& v) {
    const algebra::bound_binary f = bound(kind, op, u.type, v.type);
    storage::vector_builder t(ctx, f.type(), u.size);
    join_lists(
        kind, f, u.type, v.type, entries_of(u), entries_of(v),
        [](index_t i) { return algebra::places{i, 0, i, 0}; }, [&](index_t i, element z) { t.add(i, z); });
    return std::move(t).finish();
}

storage::csr ewise(join kind, const context& ctx, const binary_op& op, const storage::csr& a,
                   const storage::csr& b) {
    const algebra::bound_binary f = bound(kind, op, a.type, b.type);
    storage::csr_builder t(ctx, f.type(), a.rows, a.columns);
    entry_list row_of_a(ctx), row_of_b(ctx);
    for (index_t i = 0; i < a.rows; ++i) {
        take_row(a, i, row_of_a);
        take_row(b, i, row_of_b);
        join_lists(
            kind, f, a.type, b.type, row_of_a, row_of_b,
            [i](index_t j) { return algebra::places{i, j, i, j}; },
            [&](index_t j, element z) { t.add(i, j, z); });
    }
    return std::move(t).finish();
}

// Entries of A, and of B where `both_sides`, that the other does not have.
storage::vector_body unmatched(bool both_sides, dtype type, const context& ctx, const storage::vector_body& u,
                               const storage::vector_body& v) {
    storage::vector_builder t(ctx, type, u.size);
    for_each_in_union(entries_of(u), entries_of(v), [&](index_t i, const element* x, const element* y) {
        if (x && !y) t.add(i, cast(*x, u.type, type));
        if (y && !x && both_sides) t.add(i, cast(*y, v.type, type));
    });
    return std::move(t).finish();
}
storage::csr unmatched(bool both_sides, dtype type, const context& ctx, const storage::csr& a,
                       const storage::csr& b) {
    storage::csr_builder t(ctx, type, a.rows, a.columns);
    entry_list row_of_a(ctx), row_of_b(ctx);
    for (index_t i = 0; i < a.rows; ++i) {
        take_row(a, i, row_of_a);
        take_row(b, i, row_of_b);
        for_each_in_union(row_of_a, row_of_b, [&](index_t j, const element* x, const element* y) {
            if (x && !y) t.add(i, j, cast(*x, a.type, type));
            if (y && !x && both_sides) t.add(i, j, cast(*y, b.type, type));
        });
    }
    return std::move(t).finish();
}

}  // namespace

storage::vector_body ewise_difference(const context& ctx, const storage::vector_body& u,
                                      const storage::vector_body& v) {
    return unmatched(false, u.type, ctx, u, v);
}
storage::vector_body ewise_symmetric_difference(const context& ctx, const storage::vector_body& u,
                                                const storage::vector_body& v) {
    return unmatched(true, promote(u.type, v.type), ctx, u, v);
}
storage::csr ewise_difference(const context& ctx, const storage::csr& a, const storage::csr& b) {
    return unmatched(false, a.type, ctx, a, b);
}
storage::csr ewise_symmetric_difference(const context& ctx, const storage::csr& a, const storage::csr& b) {
    return unmatched(true, promote(a.type, b.type), ctx, a, b);
}

storage::vector_body ewise_add(const context& ctx, const binary_op& op, const storage::vector_body& u,
                               const storage::vector_body& v) {
    return ewise(join::all, ctx, op, u, v);
}
storage::csr ewise_add(const context& ctx, const binary_op& op, const storage::csr& a,
                       const storage::csr& b) {
    return ewise(join::all, ctx, op, a, b);
}
storage::vector_body ewise_mult(const context& ctx, const binary_op& op, const storage::vector_body& u,
                                const storage::vector_body& v) {
    return ewise(join::common, ctx, op, u, v);
}
storage::csr ewise_mult(const context& ctx, const binary_op& op, const storage::csr& a,
                        const storage::csr& b) {
    return ewise(join::common, ctx, op, a, b);
}

}  // namespace nz::kernels::reference
