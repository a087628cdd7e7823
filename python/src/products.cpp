// Sparse products beside mxm itself: what one will take, one whose places are known, and alpha A x + beta y.
#include "bind.hpp"

namespace nz::python {
namespace {

matrix_options transposes(unsigned flags) {
    matrix_options o;
    o.transpose_a = flags & transpose_a;
    o.transpose_b = flags & transpose_b;
    return o;
}

nb::dict estimate(const context& ctx, const std::string& ring, const py_matrix& a, const py_matrix& b,
                  unsigned flags) {
    const semiring s(ring);
    const mxm_estimate e = [&] {
        const nb::gil_scoped_release unlocked;
        return estimate_mxm(ctx, s, a.value, b.value, transposes(flags));
    }();
    nb::dict d;
    d["products"] = e.products;
    d["most_entries"] = e.most_entries;
    d["expected_entries"] = e.expected_entries;
    d["sampled_rows"] = e.sampled_rows;
    d["most_bytes"] = e.most_bytes;
    d["expected_bytes"] = e.expected_bytes;
    return d;
}

// A pattern, and what it was found for: the product that it fills is the same.
struct py_pattern {
    mxm_pattern value;
    std::string ring;
    unsigned flags;
    offset_t rows, columns;
};

py_pattern find(const context& ctx, const std::string& ring, const py_matrix& a, const py_matrix& b,
                unsigned flags, const std::string& kernel) {
    const semiring s(ring);
    matrix_options o = transposes(flags);
    o.kernel = kernel;
    const nb::gil_scoped_release unlocked;
    return {find_pattern(ctx, s, a.value, b.value, o), ring, flags & (transpose_a | transpose_b),
            rows_of(a.value, flags & transpose_a), columns_of(b.value, flags & transpose_b)};
}

py_matrix fill(const context& ctx, const py_matrix* out, const py_pattern& p, const std::string& ring,
               const py_matrix& a, const py_matrix& b, const py_matrix* mask,
               const std::optional<std::string>& accum, unsigned flags, const std::string& kernel) {
    if (ring != p.ring)
        throw domain_error("mxm: the pattern was found over " + p.ring + ", the product is over " + ring);
    if ((flags & (transpose_a | transpose_b)) != p.flags)
        throw domain_error("mxm: the pattern was found with other transposes");
    const offset_t rows = rows_of(a.value, flags & transpose_a),
                   columns = columns_of(b.value, flags & transpose_b);
    if (rows != p.rows || columns != p.columns)
        throw dimension_mismatch("mxm: the pattern is that of a product of " + std::to_string(p.rows) +
                                 " x " + std::to_string(p.columns) + ", this product is " +
                                 std::to_string(rows) + " x " + std::to_string(columns));
    const semiring s(ring);
    const matrix_requests q(mask, accum, flags, kernel);
    return run<py_matrix>(output(ctx, out, s.value_type(a.value.type(), b.value.type()), p.rows, p.columns),
                          [&](matrix& c) { return mxm(ctx, c, s, a.value, b.value, p.value, q.options); });
}

// The result, and how it was divided.
std::pair<py_matrix, nb::dict> hybrid(const context& ctx, const py_matrix* out, const std::string& ring,
                                      const py_matrix& a, const py_matrix& b, double cpu_share,
                                      const py_matrix* mask, const std::optional<std::string>& accum,
                                      unsigned flags, const std::string& kernel) {
    const semiring s(ring);
    const matrix_requests q(mask, accum, flags, kernel);
    hybrid_report report;
    py_matrix c = run<py_matrix>(
        output(ctx, out, s.value_type(a.value.type(), b.value.type()), rows_of(a.value, flags & transpose_a),
               columns_of(b.value, flags & transpose_b)),
        [&](matrix& w) {
            report = mxm_hybrid(ctx, w, s, a.value, b.value, {cpu_share}, q.options);
            return report.on_gpu;
        });
    nb::dict d;
    d["cpu_share"] = report.cpu_share;
    d["cpu_ms"] = report.cpu_ms;
    d["gpu_ms"] = report.gpu_ms;
    d["on_cpu"] = to_python(any_plan(report.on_cpu));
    d["on_gpu"] = to_python(any_plan(report.on_gpu));
    return {std::move(c), std::move(d)};
}

py_vector spmv_(const context& ctx, const py_vector* y, double alpha, const py_matrix& a, const py_vector& x,
                double beta, const std::string& type, unsigned flags, const std::string& kernel) {
    const vector_requests q(nullptr, {}, flags, kernel);
    return run<py_vector>(output(ctx, y, parse_dtype(type), rows_of(a.value, flags & transpose_a)),
                          [&](vector& w) { return spmv(ctx, w, alpha, a.value, x.value, beta, q.options); });
}

}  // namespace

void bind_products(nb::module_& m) {
    nb::class_<py_pattern>(
        m, "MxmPattern",
        "The places of a product, found once: find_pattern makes one, mxm(pattern=) fills it.")
        .def_prop_ro(
            "entries", [](const py_pattern& p) { return p.value.entries(); }, "Entries of the product.")
        .def_prop_ro(
            "plan", [](const py_pattern& p) { return to_python(any_plan(p.value.plan())); },
            "How the places were found, and how they are filled.")
        .def("__repr__",
             [](const py_pattern& p) {
                 return "<nonzero.MxmPattern " + std::to_string(p.rows) + " x " + std::to_string(p.columns) +
                        ", " + std::to_string(p.value.entries()) + " entries, " + p.ring + ">";
             })
        .def_ro("semiring", &py_pattern::ring)
        .def_prop_ro("shape", [](const py_pattern& p) { return std::pair(p.rows, p.columns); });
    m.def("estimate_mxm", &estimate);
    m.def("find_pattern", &find);
    m.def("mxm_fill", &fill, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg());
    m.def("mxm_hybrid", &hybrid, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg());
    m.def("spmv", &spmv_, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg(), nb::arg());
}

}  // namespace nz::python
