// nonzero.DiaMatrix: band matrices stored by diagonals, to and from SciPy's and matrices, and their products.
#include "bind.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace nz::python {
namespace {

struct py_dia {
    dia_matrix value;
    any_plan plan{};
};

using host_lines = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

context chosen(const context* given) {
    return given ? *given : nb::cast<context>(python_half<"nonzero._context">("default_context")());
}

// Where the values can be read here: itself, or a copy of what lies on a GPU.
dia_matrix on_host(const dia_matrix& a) {
    return a.on_device() ? a.in(context({.backend = backend::cpu})) : a;
}

// One of SciPy's diagonals: line `line` of its data holds A(j - offset, j) at j, for these rows.
struct scipy_diagonal {
    std::size_t line;
    index_t offset, first, last;
};

// Those that hold an entry, by ascending offsets.
std::vector<scipy_diagonal> diagonals_inside(offset_t rows, offset_t columns, offset_t width,
                                             std::span<const std::int64_t> offsets) {
    std::vector<scipy_diagonal> found;
    for (std::size_t line = 0; line < offsets.size(); ++line) {
        const offset_t offset = offsets[line];
        if (offset <= -rows || offset >= columns) continue;
        const offset_t first = std::max<offset_t>(0, -offset),
                       last = std::min(rows, std::min(columns, width) - offset);
        if (first < last)
            found.push_back({line, static_cast<index_t>(offset), static_cast<index_t>(first),
                             static_cast<index_t>(last)});
    }
    std::ranges::stable_sort(found, {}, &scipy_diagonal::offset);
    return found;
}

template <class T>
dia_matrix shifted(const context& ctx, index_t rows, index_t columns, const host_lines& data,
                   const std::vector<scipy_diagonal>& diagonals) {
    std::vector<index_t> offsets, first, last;
    const auto height = static_cast<std::size_t>(rows);
    const auto values = std::make_unique<T[]>(diagonals.size() * height);
    for (std::size_t d = 0; d < diagonals.size(); ++d) {
        const scipy_diagonal& from = diagonals[d];
        const T* const line = static_cast<const T*>(data.data()) + from.line * data.shape(1);
        std::copy(line + from.first + from.offset, line + from.last + from.offset,
                  values.get() + d * height + static_cast<std::size_t>(from.first));
        offsets.push_back(from.offset);
        first.push_back(from.first);
        last.push_back(from.last);
    }
    return dia_matrix::from_dia<T>(
        ctx, {rows, columns, offsets, {values.get(), diagonals.size() * height}, rows, first, last});
}

py_dia from_scipy(const nb::object& a, const context* given) {
    const context ctx = chosen(given);
    if (!nb::hasattr(a, "format"))
        throw nb::type_error("DiaMatrix.from_scipy: a dia array of SciPy is needed");
    const auto format = nb::cast<std::string>(a.attr("format"));
    if (format != "dia")
        throw domain_error(
            "DiaMatrix.from_scipy: a dia array is needed, not " + format +
            ": DiaMatrix.from_matrix(nonzero.from_scipy(a)) keeps its entries, a.todia() makes "
            "gaps in its diagonals entries of value 0");
    const nb::object as_array = python_half<"nonzero._exchange">("as_array");
    const auto data = nb::cast<host_lines>(as_array(a.attr("data")));
    const auto offsets = nb::cast<host_array>(as_array(a.attr("offsets")).attr("astype")("int64"));
    const auto [rows, columns] = nb::cast<std::pair<offset_t, offset_t>>(a.attr("shape"));
    if (offsets.shape(0) != data.shape(0))
        throw invalid_format("DiaMatrix.from_scipy: " + std::to_string(offsets.shape(0)) + " offsets of " +
                             std::to_string(data.shape(0)) + " diagonals");
    return unlocked([&, m = rows, n = columns] {
        dia_matrix empty(ctx, dtype_of_array(data), m, n);
        const auto diagonals =
            diagonals_inside(m, n, static_cast<offset_t>(data.shape(1)), span_of<std::int64_t>(offsets));
        if (diagonals.empty()) return py_dia{std::move(empty)};
        return dispatch(empty.type(), [&]<class T>(std::type_identity<T>) {
            return py_dia{shifted<T>(ctx, static_cast<index_t>(m), static_cast<index_t>(n), data, diagonals)};
        });
    });
}

// From the parts of one: values of each diagonal in lines of all rows.
py_dia from_parts(const context& ctx, offset_t rows, offset_t columns, const host_array& offsets,
                  const host_lines& values, const host_array& first_rows, const host_array& last_rows) {
    return dispatch(dtype_of_array(values), [&]<class T>(std::type_identity<T>) {
        const std::span<const T> all(static_cast<const T*>(values.data()), values.size());
        return unlocked([&] {
            return py_dia{
                dia_matrix::from_dia<T>(ctx, {dimension_of(rows), dimension_of(columns), indices_of(offsets),
                                              all, 0, indices_of(first_rows), indices_of(last_rows)})};
        });
    });
}

// SciPy's lines: as many columns as the entries reach, 0 where there is no entry.
template <class T>
nb::object scipy_data(const dia_view<T>& view) {
    std::size_t width = 0;
    for (std::size_t d = 0; d < view.offsets.size(); ++d)
        width = std::max(width, static_cast<std::size_t>(view.last_rows[d] + view.offsets[d]));
    std::shared_ptr<T[]> data(new T[view.offsets.size() * width + 1]());
    unlocked([&] {
        for (std::size_t d = 0; d < view.offsets.size(); ++d) {
            const T* const line = view.values.data() + static_cast<offset_t>(d) * view.stride;
            std::copy(line + view.first_rows[d], line + view.last_rows[d],
                      data.get() + d * width + view.first_rows[d] + view.offsets[d]);
        }
    });
    auto* held = new std::shared_ptr<T[]>(data);
    const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::shared_ptr<T[]>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(data.get(), {view.offsets.size(), width}, owner));
}

nb::object to_scipy(const py_dia& a) {
    const dia_matrix here = on_host(a.value);
    return dispatch(here.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        const dia_view<T> view = here.dia<T>();
        const nb::object offsets = array_over(view.offsets, here).attr("copy")();
        return nb::module_::import_("scipy.sparse")
            .attr("dia_array")(nb::make_tuple(scipy_data(view), offsets),
                               nb::arg("shape") = nb::make_tuple(view.rows, view.columns));
    });
}

nb::object values(const py_dia& a) {
    const dia_matrix here = on_host(a.value);
    return dispatch(here.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        const dia_view<T> view = here.dia<T>();
        auto* held = new dia_matrix(here);
        const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<dia_matrix*>(p); });
        return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<2>>(
            view.values.data(), {view.offsets.size(), static_cast<std::size_t>(view.rows)}, owner,
            {view.stride, 1}));
    });
}

// One of the three lists of numbers, which lie on the host.
template <class Part>
nb::object numbers(const py_dia& a, Part part) {
    return dispatch(a.value.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        return array_over(part(a.value.dia<T>()), a.value);
    });
}

std::string text(const py_dia& a) {
    const auto counted = [](offset_t n, const char* one, const char* more) {
        return ", " + std::to_string(n) + " " + (n == 1 ? one : more);
    };
    return "<nonzero.DiaMatrix " + std::to_string(a.value.rows()) + " x " +
           std::to_string(a.value.columns()) + counted(a.value.diagonals(), "diagonal", "diagonals") +
           counted(a.value.nnz(), "entry", "entries") + ", " + std::string(name_of(a.value.type())) + ">";
}

py_dia mxm_(const context& ctx, const std::string& ring, const py_dia& a, const py_dia& b) {
    const semiring s(ring);
    return run<py_dia>(dia_matrix(ctx, s.value_type(a.value.type(), b.value.type()), 0, 0),
                       [&](dia_matrix& c) { return mxm(ctx, c, s, a.value, b.value); });
}

constexpr const char* about =
    "A band matrix stored by diagonals. Diagonal d holds A(i, i + offsets[d]) in values[d, i] for the rows i from\n"
    "first_rows[d] to last_rows[d] - 1: each of these places is an entry, also with the value 0, and no other is.\n"
    "It never changes. mxm takes two.\n\n"
    ">>> import numpy as np, scipy.sparse\n"
    ">>> import nonzero as nz\n"
    ">>> s = scipy.sparse.dia_array(([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0, 1]), shape=(3, 3))\n"
    ">>> a = nz.DiaMatrix.from_scipy(s)\n"
    ">>> a\n"
    "<nonzero.DiaMatrix 3 x 3, 2 diagonals, 5 entries, float64>\n"
    ">>> a.values[1, :2]\n"
    "array([5., 6.])\n"
    ">>> c = nz.mxm(\"plus_times\", a, a)\n"
    ">>> c.offsets.tolist(), np.array_equal(c.to_scipy().toarray(), (s @ s).toarray())\n"
    "([0, 1, 2], True)\n"
    ">>> nz.DiaMatrix.from_matrix(c.to_matrix()).nnz\n"
    "6";

using dia_class = nb::class_<py_dia>;

void bind_conversions(dia_class& type) {
    const auto ctx = [] { return nb::arg("ctx").none() = nb::none(); };
    type.def_static(
            "from_scipy", &from_scipy, nb::arg("a"), nb::kw_only(), ctx(),
            "Copies SciPy's dia_array or dia_matrix, which has the columns where `values` has the rows: data[k, j] is\n"
            "A(j - offsets[k], j). Every place that SciPy stores inside the matrix is an entry, zeros too: none from\n"
            "the width of `data` on where that is narrower than the matrix; what lies outside is left out. Offsets may\n"
            "come in any order. Raises DomainError for other formats and types, InvalidFormat for repeated offsets.")
        .def_static(
            "from_matrix",
            [](const py_matrix& a, const context* given) {
                const context c = chosen(given);
                return unlocked([&] { return py_dia{dia_matrix::from_matrix(c, a.value)}; });
            },
            nb::arg("a"), nb::kw_only(), ctx(),
            "The entries of a Matrix. Raises NotSupported, naming the place, for a diagonal with a gap, and where the\n"
            "diagonals would take over four times the memory of the matrix.")
        .def(
            "to_matrix",
            [](const py_dia& a, const context* given) {
                const context c = chosen(given);
                return unlocked([&] { return py_matrix{a.value.to_matrix(c)}; });
            },
            nb::kw_only(), ctx(), "The same entries as a Matrix.")
        .def(
            "to_scipy", &to_scipy,
            "A new scipy.sparse.dia_array, with columns up to that of the last entry. Places of a diagonal before and\n"
            "after its entries hold 0, which SciPy counts as stored.");
}

void bind_parts(dia_class& type) {
    type.def_prop_ro("shape", [](const py_dia& a) { return std::pair(a.value.rows(), a.value.columns()); })
        .def_prop_ro(
            "nnz", [](const py_dia& a) { return a.value.nnz(); }, "Entries, explicit zeros among them.")
        .def_prop_ro("dtype", [](const py_dia& a) { return std::string(name_of(a.value.type())); })
        .def_prop_ro(
            "offsets",
            [](const py_dia& a) { return numbers(a, [](const auto& view) { return view.offsets; }); },
            "j - i of each diagonal's entries A(i, j), ascending: a read-only NumPy array.")
        .def_prop_ro(
            "first_rows",
            [](const py_dia& a) { return numbers(a, [](const auto& view) { return view.first_rows; }); },
            "The row of each diagonal's first entry.")
        .def_prop_ro(
            "last_rows",
            [](const py_dia& a) { return numbers(a, [](const auto& view) { return view.last_rows; }); },
            "One past the row of each diagonal's last entry.")
        .def_prop_ro(
            "values", &values,
            "A read-only NumPy array, [diagonal, row], over the matrix's own memory, or a copy of a GPU's. Places\n"
            "before first_rows and from last_rows on are no entries and hold anything.")
        .def_prop_ro(
            "on_device", [](const py_dia& a) { return a.value.on_device(); },
            "Whether the values lie in a GPU's memory.")
        .def_prop_ro(
            "plan", [](const py_dia& a) { return to_python(a.plan); },
            "What the product that made this matrix chose to do, in one line.");
}

}  // namespace

void bind_dia(nb::module_& m) {
    dia_class type(m, "DiaMatrix", about);
    type.def(
            "__init__",
            [](py_dia* self, const nb::args& given, const nb::kwargs& named) {
                const auto [c, element, rows, columns] =
                    constructor_arguments<context, std::string, offset_t, offset_t>("DiaMatrix", given,
                                                                                    named);
                new (self) py_dia{dia_matrix(c, parse_dtype(element), rows, columns)};
            },
            nb::sig("def __init__(self, ctx: Context, dtype: object, rows: int, columns: int) -> None"))
        .def("__repr__", &text)
        .def("__reduce__", [](nb::handle a) { return python_half<"nonzero._convert">("_reduced_dia")(a); })
        .def_static("_from_parts", &from_parts);
    bind_conversions(type);
    bind_parts(type);
    m.def("mxm_dia", &mxm_);
}

}  // namespace nz::python
