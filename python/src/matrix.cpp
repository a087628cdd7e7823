// nonzero.Matrix, and what reads, makes and writes one.
#include "bind.hpp"
#include "storage/matrix_body.hpp"

namespace nz::python {
namespace {

template <class T, class Offset>
csr_view<T, Offset> view_of(index_t rows, index_t columns, const any_array& indptr, const any_array& indices,
                            const std::optional<any_array>& data) {
    return {rows, columns, span_of<Offset>(indptr), indices_of(indices),
            data ? span_of<T>(*data) : std::span<const T>()};
}

py_matrix from_csr(const context& ctx, offset_t rows, offset_t columns, const any_array& indptr,
                   const any_array& indices, const std::optional<any_array>& data, bool copy,
                   nb::object owner) {
    const auto make = [&]<class T, class Offset>() {
        const auto view =
            view_of<T, Offset>(dimension_of(rows), dimension_of(columns), indptr, indices, data);
        if (!copy) {
            auto borrowed = unlocked([&] { return matrix::borrow_csr<T, Offset>(ctx, view); });
            return py_matrix{std::move(borrowed), {}, ctx.gpu() ? hold_on_gpu(std::move(owner), ctx) : owner};
        }
        return py_matrix{unlocked([&] { return matrix::from_csr<T, Offset>(ctx, view); })};
    };
    return dispatch(data ? dtype_of_array(*data) : dtype::boolean, [&]<class T>(std::type_identity<T>) {
        if (indptr.dtype() == nb::dtype<std::int32_t>()) return make.template operator()<T, std::int32_t>();
        if (indptr.dtype() != nb::dtype<std::int64_t>()) throw domain_error("indptr must be int32 or int64");
        return make.template operator()<T, std::int64_t>();
    });
}

py_matrix from_coo(const context& ctx, offset_t rows, offset_t columns, const any_array& row_indices,
                   const any_array& column_indices, const any_array& values, const std::string& duplicates) {
    return dispatch(dtype_of_array(values), [&]<class T>(std::type_identity<T>) {
        return unlocked([&] {
            return py_matrix{
                matrix::build<T>(ctx,
                                 {dimension_of(rows), dimension_of(columns), indices_of(row_indices),
                                  indices_of(column_indices), span_of<T>(values)},
                                 binary_op(duplicates))};
        });
    });
}

// What holds the arrays that a matrix has now, whatever becomes of it: invalidate() changes all that share one.
auto holder_of(const py_matrix& m) {
    return std::pair(matrix(std::make_shared<storage::matrix_body>(m.value.body())), m.owner);
}

// (indptr, indices, data) over the matrix's own memory; data has one element for an iso matrix, none for a pattern.
nb::object csr_arrays(const py_matrix& m) {
    const auto arrays = [&]<class T, class Offset>() {
        const auto view = unlocked([&] { return m.value.csr<T, Offset>(); });
        const auto keep = holder_of(m);
        return nb::make_tuple(array_over(view.offsets, keep), array_over(view.columns, keep),
                              array_over(view.values, keep));
    };
    return dispatch(m.value.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        return unlocked([&] { return m.value.nnz(); }) <= std::numeric_limits<std::int32_t>::max()
                   ? arrays.template operator()<T, std::int32_t>()
                   : arrays.template operator()<T, std::int64_t>();
    });
}

// The same in the memory of a GPU, complete when this returns.
nb::object csr_arrays_on(const py_matrix& m, const context& gpu) {
    const auto arrays = [&]<class T, class Offset>() {
        const auto view = unlocked([&] {
            const auto there = m.value.csr_on<T, Offset>(gpu);
            gpu.wait();
            return there;
        });
        const auto keep = holder_of(m);
        return nb::make_tuple(device_array_over(view.offsets, keep, gpu),
                              device_array_over(view.columns, keep, gpu),
                              device_array_over(view.values, keep, gpu));
    };
    return dispatch(m.value.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        return unlocked([&] { return m.value.nnz(); }) <= std::numeric_limits<std::int32_t>::max()
                   ? arrays.template operator()<T, std::int32_t>()
                   : arrays.template operator()<T, std::int64_t>();
    });
}

nb::dict facts(const py_matrix& m) {
    const matrix_facts f = [&] {
        const nb::gil_scoped_release unlocked;
        return m.value.facts();
    }();
    nb::dict d;
    d["rows"] = f.rows;
    d["columns"] = f.columns;
    d["nnz"] = f.nnz;
    d["degree_mean"] = f.degree_mean;
    d["degree_max"] = f.degree_max;
    d["empty_rows"] = f.empty_rows;
    d["bandwidth_lower"] = f.bandwidth_lower;
    d["bandwidth_upper"] = f.bandwidth_upper;
    d["symmetric_pattern"] = f.symmetric_pattern;
    return d;
}

read_options reading(bool symmetrize, bool complex_modulus, std::uint64_t seed) {
    return {
        .complex_modulus = complex_modulus, .symmetrize = symmetrize, .seed = seed, .progress = [](double) {
            check_interrupt();
        }};
}

py_vector load_vector_source(const context& ctx, const std::string& source, bool complex_modulus) {
    const nb::gil_scoped_release unlocked;
    return py_vector{load_vector(ctx, source, reading(false, complex_modulus, 1))};
}

nb::tuple load_source(const context& ctx, const std::string& source, bool symmetrize, bool complex_modulus,
                      std::uint64_t seed) {
    auto found = [&] {
        const nb::gil_scoped_release unlocked;
        return load(ctx, source, reading(symmetrize, complex_modulus, seed));
    }();
    return nb::make_tuple(py_matrix{std::move(found.matrix)}, array_from(std::move(found.original_ids)));
}

}  // namespace

void bind_matrix(nb::module_& m) {
    nb::class_<py_matrix> type(
        m, "Matrix",
        "A sparse matrix in CSR, of one of eleven types: an entry is a place and a value, zeros too. values_held says\n"
        "whether every entry has its own value, all have one, or none (a pattern, whose entries are 1).");
    type.def(
            "__init__",
            [](py_matrix* self, const nb::args& given, const nb::kwargs& named) {
                const auto [ctx, element, rows, columns] =
                    constructor_arguments<context, std::string, offset_t, offset_t>("Matrix", given, named);
                new (self) py_matrix{matrix(ctx, parse_dtype(element), rows, columns)};
            },
            nb::sig("def __init__(self, ctx: Context, dtype: object, rows: int, columns: int) -> None"),
            "One without entries; load, from_coo, from_csr and from_scipy make one of entries.")
        .def_static("_from_csr", &from_csr, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
                    nb::arg().none(), nb::arg(), nb::arg().none())
        .def_static("_from_coo", &from_coo)
        .def_prop_ro("shape", [](const py_matrix& a) { return std::pair(a.value.rows(), a.value.columns()); })
        .def_prop_ro(
            "nnz", [](const py_matrix& a) { return a.value.nnz(); }, nb::call_guard<nb::gil_scoped_release>(),
            "Entries, explicit zeros among them.")
        .def_prop_ro("dtype", [](const py_matrix& a) { return std::string(name_of(a.value.type())); })
        .def_prop_ro(
            "values_held",
            [](const py_matrix& a) {
                const auto kind = a.value.values_held();
                return kind == value_kind::full ? "full" : kind == value_kind::iso ? "iso" : "pattern";
            },
            "'full' (one an entry), 'iso' (one for all) or 'pattern' (none: every entry is 1).")
        .def_prop_ro(
            "plan", [](const py_matrix& x) { return to_python(x.plan); },
            "What the operation that made this matrix chose to do, in one line.")
        .def("__repr__",
             [](const py_matrix& a) {
                 const auto kind = a.value.values_held();
                 return "<nonzero.Matrix " + std::to_string(a.value.rows()) + " x " +
                        std::to_string(a.value.columns()) + ", " + std::to_string(a.value.nnz()) +
                        (a.value.nnz() == 1 ? " entry, " : " entries, ") +
                        std::string(name_of(a.value.type())) +
                        (kind == value_kind::full  ? ">"
                         : kind == value_kind::iso ? ", iso>"
                                                   : ", pattern>");
             })
        .def(
            "get",
            [](const py_matrix& a, offset_t i, offset_t j) -> nb::object {
                const auto x = a.value.get(i, j);
                return x ? to_python(*x) : nb::none();
            },
            nb::arg("i"), nb::arg("j"), "The entry's value, or None where there is none.")
        .def(
            "set",
            [](py_matrix& a, offset_t i, offset_t j, nb::handle x) {
                a.value.set(i, j, to_scalar(x, a.value.type()));
            },
            nb::arg("i"), nb::arg("j"), nb::arg("x").none(),
            nb::sig("def set(self, i: int, j: int, x: object) -> None"),
            "Writes a value, of A's type, at place (i, j).")
        .def(
            "remove", [](py_matrix& a, offset_t i, offset_t j) { a.value.remove(i, j); }, nb::arg("i"),
            nb::arg("j"), "Removes the entry at place (i, j), if there is one.")
        .def(
            "clear", [](py_matrix& a) { a.value.clear(); }, "Removes all entries.")
        .def(
            "resize", [](py_matrix& a, offset_t rows, offset_t columns) { a.value.resize(rows, columns); },
            nb::arg("rows"), nb::arg("columns"), "Another shape; entries outside it go.")
        // What an operation that was given an output leaves in it.
        .def("_take", [](py_matrix& self, const py_matrix& result) { self = result; })
        .def(
            "copy", [](const py_matrix& a) { return py_matrix{a.value, {}, a.owner}; },
            "Another matrix with these entries; the arrays are shared until one of the two changes. Arrays that are borrowed stay "
            "those of their owner: copy.deepcopy() has its own.")
        .def("__reduce__", [](nb::handle a) { return python_half<"nonzero._convert">("_reduced")(a); })
        .def("facts", &facts,
             "Cached structure: degrees, bandwidth, symmetry. The first call reads the matrix.")
        .def(
            "validate", [](const py_matrix& a) { a.value.validate(); },
            nb::call_guard<nb::gil_scoped_release>(),
            "Raises InvalidFormat unless the arrays are a CSR with ascending columns in every row.")
        .def(
            "invalidate", [](py_matrix& a) { a.value.invalidate(); },
            "The values of the borrowed arrays changed: forget what was derived from them. Other columns are borrowed anew.")
        .def(
            "expect_products", [](const py_matrix& a, offset_t count) { a.value.expect_products(count); },
            nb::arg("count"),
            "Says that about so many products with vectors will follow, until the matrix changes: mxv may then make a copy\n"
            "that takes the time of dozens of products and makes each faster (kernels dia_slice, bsr_row, ell_slice, csr_ranked,\n"
            "csr_binned, tile_row). Sums of floats may be taken in another order from then on.")
        .def(
            "csr_arrays", &csr_arrays,
            "(indptr, indices, data) as read-only NumPy arrays over the matrix's own memory: no copy. data has one\n"
            "element for an iso matrix and none for a pattern.")
        .def(
            "csr_arrays_on", &csr_arrays_on, nb::arg("ctx"),
            "csr_arrays() in the memory of this context's GPU, copied there only where they are not; data has one element\n"
            "for an iso matrix and for a pattern. cupy.from_dlpack and torch.from_dlpack take them without a copy; write\n"
            "nothing into them.")
        .def(
            "entries", [](nb::handle a) { return python_half<"nonzero._convert">("entries")(a); },
            nb::sig("def entries(self) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]"),
            "(rows, columns, values) of the entries, row by row, as NumPy arrays: what from_coo takes.")
        .def(
            "to_numpy",
            [](nb::handle a, nb::handle missing) {
                return python_half<"nonzero._convert">("filled")(a, missing);
            },
            nb::arg("missing") = 0, nb::sig("def to_numpy(self, missing: object = 0) -> numpy.ndarray"),
            "A new NumPy array of two dimensions, `missing` where there is no entry.")
        .def(
            "__array__",
            [](nb::handle a, nb::handle type, nb::handle copy) {
                return python_half<"nonzero._convert">("as_whole_array")(a, type, copy);
            },
            nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
            "NumPy's protocol, for a matrix with an entry at every place; others go by to_numpy or to_scipy.")
        .def_prop_ro(
            "on_device", [](const py_matrix& a) { return a.value.on_device(); },
            "Whether a GPU alone has the entries; what looks at them on the host copies them first.")
        .def(
            "_save",
            [](const py_matrix& a, const context& ctx, const std::string& path, const std::string& layout) {
                save(ctx, a.value, path, {.layout = parse_file_layout(layout)});
            },
            nb::call_guard<nb::gil_scoped_release>())
        .def(
            "_spy",
            [](const py_matrix& a, const context& ctx, const std::string& path, int pixels) {
                save_spy(ctx, a.value, path, pixels);
            },
            nb::call_guard<nb::gil_scoped_release>());
    type.attr("__copy__") = type.attr("copy");
    bind_operators(type);
    type.def_prop_ro(
        "T", [](nb::handle a) { return python_half<"nonzero._operations">("kept_transpose")(a); },
        nb::for_getter(nb::sig("def T(self) -> Matrix")),
        "The transpose, kept with A until its entries change; transpose(A) makes one that is not.");
    // NumPy leaves `array @ A` to the matrix.
    type.attr("__array_ufunc__") = nb::none();
    m.def("load", &load_source);
    m.def("load_vector", &load_vector_source);
    m.def("generators", [] {
        nb::list lines;
        for (const auto& line : generators()) lines.append(line);
        return lines;
    });
}

}  // namespace nz::python
