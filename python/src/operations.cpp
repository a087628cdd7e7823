// The operations. Each unwraps, calls without the interpreter's lock, and wraps the result with its plan.
#include "bind.hpp"

namespace nz::python {
namespace {

using accumulator = std::optional<std::string>;

py_vector mxv_(const context& ctx, const py_vector* out, const std::string& ring, const py_matrix& a,
               const py_vector& u, const py_vector* mask, const accumulator& accum, unsigned flags,
               const std::string& kernel) {
    const semiring s(ring);
    const vector_requests q(mask, accum, flags, kernel);
    return run<py_vector>(
        output(ctx, out, s.value_type(a.value.type(), u.value.type()), rows_of(a.value, flags & transpose_a)),
        [&](vector& w) { return mxv(ctx, w, s, a.value, u.value, q.options); });
}

py_vector vxm_(const context& ctx, const py_vector* out, const std::string& ring, const py_vector& u,
               const py_matrix& a, const py_vector* mask, const accumulator& accum, unsigned flags,
               const std::string& kernel) {
    const semiring s(ring);
    const vector_requests q(mask, accum, flags, kernel);
    return run<py_vector>(output(ctx, out, s.value_type(u.value.type(), a.value.type()),
                                 columns_of(a.value, flags & transpose_a)),
                          [&](vector& w) { return vxm(ctx, w, s, u.value, a.value, q.options); });
}

py_matrix mxm_(const context& ctx, const py_matrix* out, const std::string& ring, const py_matrix& a,
               const py_matrix& b, const py_matrix* mask, const accumulator& accum, unsigned flags,
               const std::string& kernel) {
    const semiring s(ring);
    const matrix_requests q(mask, accum, flags, kernel);
    return run<py_matrix>(
        output(ctx, out, s.value_type(a.value.type(), b.value.type()), rows_of(a.value, flags & transpose_a),
               columns_of(b.value, flags & transpose_b)),
        [&](matrix& c) { return mxm(ctx, c, s, a.value, b.value, q.options); });
}

// A union has entries of both; else an operand that the operator ignores has no say.
dtype result_type(const binary_op& op, dtype a, dtype b, bool is_union = false) {
    const dtype both = is_union || op.ignores_first() == op.ignores_second() ? promote(a, b)
                       : op.ignores_first()                                  ? b
                                                                             : a;
    return op.output_type(op.input_type(both));
}

// ewise_add and ewise_mult, of vectors and of matrices.
template <bool Union>
py_vector ewise_vectors(const context& ctx, const py_vector* out, const std::string& name, const py_vector& u,
                        const py_vector& v, const py_vector* mask, const accumulator& accum, unsigned flags,
                        const std::string& kernel) {
    const binary_op op(name);
    const vector_requests q(mask, accum, flags, kernel);
    return run<py_vector>(
        output(ctx, out, result_type(op, u.value.type(), v.value.type(), Union), u.value.size()),
        [&](vector& w) {
            return Union ? ewise_add(ctx, w, op, u.value, v.value, q.options)
                         : ewise_mult(ctx, w, op, u.value, v.value, q.options);
        });
}
template <bool Union>
py_matrix ewise_matrices(const context& ctx, const py_matrix* out, const std::string& name,
                         const py_matrix& a, const py_matrix& b, const py_matrix* mask,
                         const accumulator& accum, unsigned flags, const std::string& kernel) {
    const binary_op op(name);
    const matrix_requests q(mask, accum, flags, kernel);
    return run<py_matrix>(
        output(ctx, out, result_type(op, a.value.type(), b.value.type(), Union),
               rows_of(a.value, flags & transpose_a), columns_of(a.value, flags & transpose_a)),
        [&](matrix& c) {
            return Union ? ewise_add(ctx, c, op, a.value, b.value, q.options)
                         : ewise_mult(ctx, c, op, a.value, b.value, q.options);
        });
}

template <bool Symmetric>
py_vector difference_of_vectors(const context& ctx, const py_vector* out, const py_vector& u,
                                const py_vector& v, const py_vector* mask, const accumulator& accum,
                                unsigned flags, const std::string& kernel) {
    const vector_requests q(mask, accum, flags, kernel);
    const dtype type = Symmetric ? promote(u.value.type(), v.value.type()) : u.value.type();
    return run<py_vector>(output(ctx, out, type, u.value.size()), [&](vector& w) {
        return Symmetric ? ewise_symmetric_difference(ctx, w, u.value, v.value, q.options)
                         : ewise_difference(ctx, w, u.value, v.value, q.options);
    });
}
template <bool Symmetric>
py_matrix difference(const context& ctx, const py_matrix* out, const py_matrix& a, const py_matrix& b,
                     const py_matrix* mask, const accumulator& accum, unsigned flags,
                     const std::string& kernel) {
    const matrix_requests q(mask, accum, flags, kernel);
    const dtype type = Symmetric ? promote(a.value.type(), b.value.type()) : a.value.type();
    return run<py_matrix>(output(ctx, out, type, rows_of(a.value, flags & transpose_a),
                                 columns_of(a.value, flags & transpose_a)),
                          [&](matrix& c) {
                              return Symmetric
                                         ? ewise_symmetric_difference(ctx, c, a.value, b.value, q.options)
                                         : ewise_difference(ctx, c, a.value, b.value, q.options);
                          });
}

// The shape that an operation on one object gives its result.
vector like(const context& ctx, const py_vector* out, dtype type, const vector& u, unsigned) {
    return output(ctx, out, type, u.size());
}
matrix like(const context& ctx, const py_matrix* out, dtype type, const matrix& a, unsigned flags) {
    return output(ctx, out, type, rows_of(a, flags & transpose_a), columns_of(a, flags & transpose_a));
}

template <class Wrapped, class Object>
Wrapped converted(const context& ctx, const Wrapped& u, const std::string& type) {
    return run<Wrapped>(like(ctx, nullptr, parse_dtype(type), u.value, 0),
                        [&](Object& w) { return apply(ctx, w, unary_id::identity, u.value); });
}

template <class Wrapped, class Object>
Wrapped apply_(const context& ctx, const Wrapped* out, const std::string& name, const Wrapped& u,
               const Wrapped* mask, const accumulator& accum, unsigned flags, const std::string& kernel) {
    const unary_op op(name);
    const requests<Wrapped, Object> q(mask, accum, flags, kernel);
    return run<Wrapped>(like(ctx, out, op.output_type(u.value.type()), u.value, flags),
                        [&](Object& w) { return apply(ctx, w, op, u.value, q.options); });
}

// op(x, y) with one side fixed.
template <class Wrapped, class Object>
Wrapped apply_with(const context& ctx, const Wrapped* out, const std::string& name, const Wrapped& u,
                   nb::handle fixed, bool fixed_first, const Wrapped* mask, const accumulator& accum,
                   unsigned flags, const std::string& kernel) {
    const binary_op op(name);
    const scalar x = to_scalar(fixed, u.value.type());
    const requests<Wrapped, Object> q(mask, accum, flags, kernel);
    return run<Wrapped>(like(ctx, out, result_type(op, u.value.type(), u.value.type()), u.value, flags),
                        [&](Object& w) {
                            return fixed_first ? apply(ctx, w, op, x, u.value, q.options)
                                               : apply(ctx, w, op, u.value, x, q.options);
                        });
}

// op(x, i, j, thunk).
template <class Wrapped, class Object>
Wrapped apply_indexed(const context& ctx, const Wrapped* out, const std::string& name, const Wrapped& u,
                      nb::handle thunk, const Wrapped* mask, const accumulator& accum, unsigned flags,
                      const std::string& kernel) {
    const index_unary_op op(name);
    const scalar t = to_scalar(thunk, op.input_type(u.value.type()));
    const requests<Wrapped, Object> q(mask, accum, flags, kernel);
    return run<Wrapped>(like(ctx, out, op.output_type(u.value.type()), u.value, flags),
                        [&](Object& w) { return apply(ctx, w, op, u.value, t, q.options); });
}

template <class Wrapped, class Object>
Wrapped select_(const context& ctx, const Wrapped* out, const std::string& name, const Wrapped& u,
                nb::handle thunk, const Wrapped* mask, const accumulator& accum, unsigned flags,
                const std::string& kernel) {
    const index_unary_op op(name);
    const scalar bound = to_scalar(thunk, op.input_type(u.value.type()));
    const requests<Wrapped, Object> q(mask, accum, flags, kernel);
    return run<Wrapped>(like(ctx, out, u.value.type(), u.value, flags),
                        [&](Object& w) { return select(ctx, w, op, u.value, bound, q.options); });
}

template <class Wrapped>
nb::object reduce_(const context& ctx, const std::string& name, const Wrapped& u) {
    const monoid add{std::string_view(name)};
    const scalar total = [&] {
        const nb::gil_scoped_release unlocked;
        return reduce(ctx, add, u.value);
    }();
    return to_python(total);
}

py_vector reduce_rows(const context& ctx, const py_vector* out, const std::string& name, const py_matrix& a,
                      const py_vector* mask, const accumulator& accum, unsigned flags,
                      const std::string& kernel) {
    const monoid add{std::string_view(name)};
    const vector_requests q(mask, accum, flags, kernel);
    return run<py_vector>(
        output(ctx, out, add.value_type(a.value.type()), rows_of(a.value, flags & transpose_a)),
        [&](vector& w) { return reduce(ctx, w, add, a.value, q.options); });
}

py_matrix transpose_(const context& ctx, const py_matrix* out, const py_matrix& a, const py_matrix* mask,
                     const accumulator& accum, unsigned flags, const std::string& kernel) {
    const matrix_requests q(mask, accum, flags, kernel);
    return run<py_matrix>(output(ctx, out, a.value.type(), rows_of(a.value, !(flags & transpose_a)),
                                 columns_of(a.value, !(flags & transpose_a))),
                          [&](matrix& c) { return transpose(ctx, c, a.value, q.options); });
}

py_matrix kronecker_(const context& ctx, const py_matrix* out, const std::string& name, const py_matrix& a,
                     const py_matrix& b, const py_matrix* mask, const accumulator& accum, unsigned flags,
                     const std::string& kernel) {
    const binary_op op(name);
    const matrix_requests q(mask, accum, flags, kernel);
    return run<py_matrix>(
        output(ctx, out, result_type(op, a.value.type(), b.value.type()),
               rows_of(a.value, flags & transpose_a) * rows_of(b.value, flags & transpose_b),
               columns_of(a.value, flags & transpose_a) * columns_of(b.value, flags & transpose_b)),
        [&](matrix& c) { return kronecker(ctx, c, op, a.value, b.value, q.options); });
}

index_list list_of(const std::optional<host_array>& indices) {
    return indices ? index_list(indices_of(*indices)) : index_list::all();
}

py_matrix extract_(const context& ctx, const py_matrix* out, const py_matrix& a,
                   const std::optional<host_array>& rows, const std::optional<host_array>& columns,
                   const py_matrix* mask, const accumulator& accum, unsigned flags,
                   const std::string& kernel) {
    const matrix_requests q(mask, accum, flags, kernel);
    const index_list i = list_of(rows), j = list_of(columns);
    return run<py_matrix>(output(ctx, out, a.value.type(), i.size(rows_of(a.value, flags & transpose_a)),
                                 j.size(columns_of(a.value, flags & transpose_a))),
                          [&](matrix& c) { return extract(ctx, c, a.value, i, j, q.options); });
}
py_vector extract_vector(const context& ctx, const py_vector* out, const py_vector& u,
                         const std::optional<host_array>& indices, const py_vector* mask,
                         const accumulator& accum, unsigned flags, const std::string& kernel) {
    const vector_requests q(mask, accum, flags, kernel);
    const index_list i = list_of(indices);
    return run<py_vector>(output(ctx, out, u.value.type(), i.size(u.value.size())),
                          [&](vector& w) { return extract(ctx, w, u.value, i, q.options); });
}
py_vector extract_column_(const context& ctx, const py_vector* out, const py_matrix& a, offset_t column,
                          const std::optional<host_array>& rows, const py_vector* mask,
                          const accumulator& accum, unsigned flags, const std::string& kernel) {
    const index_t place = place_of(column, "extract_column: column");
    const vector_requests q(mask, accum, flags, kernel);
    const index_list i = list_of(rows);
    return run<py_vector>(output(ctx, out, a.value.type(), i.size(rows_of(a.value, flags & transpose_a))),
                          [&](vector& w) { return extract_column(ctx, w, a.value, i, place, q.options); });
}

// f(w) -> plan. A few places are written where they lie, which takes w for the call's own: where nobody else has its entries and none of
// u's gaps would have to become one of a full w's. That is short, and done with the interpreter's lock held.
template <class F>
py_vector assigned(py_vector& w, const index_list& places, const py_vector* u, const vector_requests& q,
                   F&& f) {
    constexpr offset_t few = 4096;
    const bool listed = !q.options.mask && u != &w && !places.is_all() && places.size(few) < few;
    const bool lies_here = listed && !w.value.is_shared() && !w.value.on_device() &&
                           w.value.form() != vector_form::sparse && (!u || !u->value.on_device());
    if (!lies_here || (u && !q.options.accum && w.value.form() == vector_form::dense &&
                       u->value.form() != vector_form::dense))
        return run<py_vector>(w.value, f);
    vector own = std::move(w.value);
    any_plan plan;
    try {
        plan = f(own);
    } catch (...) {
        w.value = std::move(own);
        throw;
    }
    w.value = own;
    return {std::move(own), std::move(plan)};
}
py_vector assign_vector(const context& ctx, py_vector& w, const py_vector& u,
                        const std::optional<host_array>& indices, const py_vector* mask,
                        const accumulator& accum, unsigned flags) {
    const vector_requests q(mask, accum, flags, {});
    const index_list i = list_of(indices);
    return assigned(w, i, &u, q, [&](vector& out) { return assign(ctx, out, u.value, i, q.options); });
}
py_vector assign_scalar(const context& ctx, py_vector& w, nb::handle x,
                        const std::optional<host_array>& indices, const py_vector* mask,
                        const accumulator& accum, unsigned flags) {
    const vector_requests q(mask, accum, flags, {});
    const index_list i = list_of(indices);
    const scalar value = to_scalar(x, w.value.type());
    return assigned(w, i, nullptr, q, [&](vector& out) { return assign(ctx, out, value, i, q.options); });
}
py_matrix assign_scalar_to_matrix(const context& ctx, const py_matrix& c, nb::handle x,
                                  const std::optional<host_array>& rows,
                                  const std::optional<host_array>& columns, const py_matrix* mask,
                                  const accumulator& accum, unsigned flags) {
    const matrix_requests q(mask, accum, flags, {});
    const index_list i = list_of(rows), j = list_of(columns);
    const scalar value = to_scalar(x, c.value.type());
    return run<py_matrix>(c.value, [&](matrix& out) { return assign(ctx, out, value, i, j, q.options); });
}
// Into one row, or one column; `places` are along it.
template <bool Row>
py_matrix assign_line(const context& ctx, const py_matrix& c, const py_vector& u, offset_t number,
                      const std::optional<host_array>& places, const py_vector* mask,
                      const accumulator& accum, unsigned flags) {
    const vector_requests q(mask, accum, flags, {});
    const index_list at = list_of(places);
    const index_t line = place_of(number, Row ? "assign_row: row" : "assign_column: column");
    return run<py_matrix>(c.value, [&](matrix& out) {
        return Row ? assign_row(ctx, out, u.value, line, at, q.options)
                   : assign_column(ctx, out, u.value, at, line, q.options);
    });
}
py_matrix assign_matrix(const context& ctx, const py_matrix& c, const py_matrix& a,
                        const std::optional<host_array>& rows, const std::optional<host_array>& columns,
                        const py_matrix* mask, const accumulator& accum, unsigned flags) {
    const matrix_requests q(mask, accum, flags, {});
    const index_list i = list_of(rows), j = list_of(columns);
    return run<py_matrix>(c.value, [&](matrix& out) { return assign(ctx, out, a.value, i, j, q.options); });
}

}  // namespace

void bind_operations(nb::module_& m) {
    const auto x = [] { return nb::arg(); };
    const auto o = [] { return nb::arg().none(); };
    m.def("mxv", &mxv_, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("vxm", &vxm_, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("mxm", &mxm_, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("ewise_add", &ewise_vectors<true>, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("ewise_add", &ewise_matrices<true>, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("ewise_mult", &ewise_vectors<false>, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("ewise_mult", &ewise_matrices<false>, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("difference", &difference_of_vectors<false>, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("symmetric_difference", &difference_of_vectors<true>, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("difference", &difference<false>, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("symmetric_difference", &difference<true>, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("apply", &apply_<py_vector, vector>, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("apply", &apply_<py_matrix, matrix>, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("converted", &converted<py_vector, vector>, x(), x(), x());
    m.def("converted", &converted<py_matrix, matrix>, x(), x(), x());
    m.def("apply_with", &apply_with<py_vector, vector>, x(), o(), x(), x(), x(), x(), o(), o(), x(), x());
    m.def("apply_with", &apply_with<py_matrix, matrix>, x(), o(), x(), x(), x(), x(), o(), o(), x(), x());
    m.def("apply_indexed", &apply_indexed<py_vector, vector>, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("apply_indexed", &apply_indexed<py_matrix, matrix>, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("select", &select_<py_vector, vector>, x(), o(), x(), x(), o(), o(), o(), x(), x());
    m.def("select", &select_<py_matrix, matrix>, x(), o(), x(), x(), o(), o(), o(), x(), x());
    m.def("reduce", &reduce_<py_vector>);
    m.def("reduce", &reduce_<py_matrix>);
    m.def("reduce_rows", &reduce_rows, x(), o(), x(), x(), o(), o(), x(), x());
    m.def("transpose", &transpose_, x(), o(), x(), o(), o(), x(), x());
    m.def(
        "diag",
        [](const context& ctx, const py_vector& v, offset_t k) { return py_matrix{diag(ctx, v.value, k)}; },
        x(), x(), x(), nb::call_guard<nb::gil_scoped_release>());
    m.def(
        "diagonal",
        [](const context& ctx, const py_matrix& a, offset_t k) {
            return py_vector{diagonal(ctx, a.value, k)};
        },
        x(), x(), x(), nb::call_guard<nb::gil_scoped_release>());
    m.def(
        "transposed",
        [](const context& ctx, const py_matrix& a) { return py_matrix{transposed(ctx, a.value)}; }, x(), x(),
        nb::call_guard<nb::gil_scoped_release>());
    m.def("kronecker", &kronecker_, x(), o(), x(), x(), x(), o(), o(), x(), x());
    m.def("extract", &extract_, x(), o(), x(), o(), o(), o(), o(), x(), x());
    m.def("extract", &extract_vector, x(), o(), x(), o(), o(), o(), x(), x());
    m.def("extract_column", &extract_column_, x(), o(), x(), x(), o(), o(), o(), x(), x());
    m.def("assign", &assign_vector, x(), x(), x(), o(), o(), o(), x());
    m.def("assign", &assign_matrix, x(), x(), x(), o(), o(), o(), o(), x());
    m.def("assign_scalar", &assign_scalar, x(), x(), o(), o(), o(), o(), x());
    m.def("assign_scalar", &assign_scalar_to_matrix, x(), x(), o(), o(), o(), o(), o(), x());
    m.def("assign_row", &assign_line<true>, x(), x(), x(), x(), o(), o(), o(), x());
    m.def("assign_column", &assign_line<false>, x(), x(), x(), x(), o(), o(), o(), x());
    m.def("semiring_names", &semiring_names);
}

}  // namespace nz::python
