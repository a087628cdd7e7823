// nonzero.Vector.
#include "bind.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>

namespace nz::python {
namespace {

py_vector from_array(const context& ctx, const any_array& values) {
    return dispatch(dtype_of_array(values), [&]<class T>(std::type_identity<T>) {
        return py_vector{vector::dense<T>(ctx, span_of<T>(values))};
    });
}

py_vector build(const context& ctx, offset_t size, const host_array& indices, const host_array& values,
                const std::string& duplicates) {
    return dispatch(dtype_of_array(values), [&]<class T>(std::type_identity<T>) {
        return unlocked([&] {
            return py_vector{
                vector::build<T>(ctx, size, indices_of(indices), span_of<T>(values), binary_op(duplicates))};
        });
    });
}

// The values of a dense vector as they lie in memory.
nb::object values(const py_vector& v) {
    return dispatch(v.value.type(), [&]<class T>(std::type_identity<T>) {
        return array_over<T>(unlocked([&] { return v.value.values<T>(); }), v.value);
    });
}

// The places and values of all entries; truth values are bytes, since a std::vector<bool> is no array.
template <class T>
auto tuples(const vector& v, std::vector<index_t>& indices) {
    if constexpr (std::is_same_v<T, bool>) {
        const context ctx = v.body_anywhere().ctx;
        vector bytes(ctx, dtype::uint8, v.size());
        apply(ctx, bytes, unary_id::identity, v);
        return tuples<std::uint8_t>(bytes, indices);
    } else {
        std::vector<T> found;
        v.extract_tuples(indices, found);
        return found;
    }
}

// One value a place, `missing` where there is no entry.
nb::object to_numpy(const py_vector& v, nb::handle missing) {
    if (unlocked([&] { return v.value.form(); }) == vector_form::dense) return values(v);
    const scalar filler = to_scalar(missing, v.value.type());
    return dispatch(v.value.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        const auto n = static_cast<std::size_t>(v.value.size());
        auto held = std::make_shared<std::unique_ptr<T[]>>(new T[n]);
        unlocked([&] {
            std::fill_n(held->get(), n, filler.get<T>());
            std::vector<index_t> indices;
            const auto found = tuples<T>(v.value, indices);
            for (std::size_t k = 0; k < indices.size(); ++k)
                (*held)[static_cast<std::size_t>(indices[k])] = static_cast<T>(found[k]);
        });
        const std::span<const T> all(held->get(), n);
        return array_over(all, std::move(held));
    });
}

// The same in the memory of a GPU, complete when this returns.
nb::object values_on(const py_vector& v, const context& gpu, nb::handle missing) {
    std::optional<scalar> filler;
    if (!missing.is_none()) filler = to_scalar(missing, v.value.type());
    return dispatch(v.value.type(), [&]<class T>(std::type_identity<T>) {
        vector whole = v.value;
        const auto there = unlocked([&] {
            if (filler && whole.form() != vector_form::dense) {
                whole = vector(gpu, v.value.type(), v.value.size());
                ewise_add(gpu, whole, binary_id::second, vector::full(gpu, v.value.size(), *filler), v.value);
            }
            const auto values = whole.values_on<T>(gpu);
            gpu.wait();
            return values;
        });
        return device_array_over(there, whole, gpu);
    });
}

nb::object to_dlpack(const py_vector& v, const nb::kwargs& how) {
    if (v.value.on_device())
        return values_on(v, v.value.body_anywhere().ctx, nb::none()).attr("__dlpack__")(**how);
    const nb::object array = values(v);
    try {
        return array.attr("__dlpack__")(**how);
    } catch (nb::python_error& e) {
        if (!e.matches(PyExc_BufferError) || (how.contains("copy") && how["copy"].is(nb::handle(Py_False))))
            throw;
    }
    return array.attr("copy")().attr("__dlpack__")(**how);
}

nb::object entries(const py_vector& v) {
    return dispatch(v.value.type(), [&]<class T>(std::type_identity<T>) -> nb::object {
        std::vector<index_t> indices;
        auto found = unlocked([&] { return tuples<T>(v.value, indices); });
        if constexpr (std::is_same_v<T, bool>) {
            auto bytes = std::make_shared<std::vector<std::uint8_t>>(std::move(found));
            const std::span<const bool> all(reinterpret_cast<const bool*>(bytes->data()), bytes->size());
            return nb::make_tuple(array_from(std::move(indices)), array_over(all, std::move(bytes)));
        } else {
            return nb::make_tuple(array_from(std::move(indices)), array_from(std::move(found)));
        }
    });
}

}  // namespace

void bind_vector(nb::module_& m) {
    nb::class_<py_vector> type(
        m, "Vector",
        "A vector of one of eleven types, with an entry at every place ('dense') or at some ('bitmap', 'sparse').");
    type.def(
            "__init__",
            [](py_vector* self, const nb::args& given, const nb::kwargs& named) {
                const auto [ctx, element, size] =
                    constructor_arguments<context, std::string, offset_t>("Vector", given, named);
                new (self) py_vector{vector(ctx, parse_dtype(element), size)};
            },
            nb::sig("def __init__(self, ctx: Context, dtype: object, size: int) -> None"),
            "One without entries; dense, build and full make one of entries.")
        .def_static("_from_array", &from_array)
        .def_static("_build", &build)
        .def_static(
            "_full",
            [](const context& ctx, offset_t size, nb::handle value, const std::optional<std::string>& type) {
                return py_vector{vector::full(
                    ctx, size, to_scalar(value, type ? std::optional(parse_dtype(*type)) : std::nullopt))};
            },
            nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
        .def_prop_ro("size", [](const py_vector& v) { return v.value.size(); })
        .def_prop_ro(
            "count", [](const py_vector& v) { return v.value.count(); },
            nb::call_guard<nb::gil_scoped_release>(),  // a GPU's result is counted now
            "Entries present.")
        .def_prop_ro("dtype", [](const py_vector& v) { return std::string(name_of(v.value.type())); })
        .def_prop_ro(
            "form", [](const py_vector& v) { return std::string(name_of(v.value.form())); },
            nb::call_guard<nb::gil_scoped_release>(), "'dense', 'bitmap' or 'sparse'.")
        .def_prop_ro(
            "plan", [](const py_vector& x) { return to_python(x.plan); },
            "What the operation that made this vector chose to do, in one line.")
        .def("__repr__",
             [](const py_vector& v) {
                 return "<nonzero.Vector of " + std::to_string(v.value.size()) + ", " +
                        std::to_string(v.value.count()) + (v.value.count() == 1 ? " entry, " : " entries, ") +
                        std::string(name_of(v.value.type())) + ", " + std::string(name_of(v.value.form())) +
                        ">";
             })
        .def(
            "get",
            [](const py_vector& v, offset_t i) -> nb::object {
                const auto x = v.value.get(i);
                return x ? to_python(*x) : nb::none();
            },
            nb::arg("i"), "The entry's value, or None where there is none.")
        .def(
            "set",
            [](py_vector& v, offset_t i, nb::handle x) { v.value.set(i, to_scalar(x, v.value.type())); },
            nb::arg("i"), nb::arg("x").none(), nb::sig("def set(self, i: int, x: object) -> None"),
            "Writes a value, of the vector's type, at place i.")
        .def(
            "remove", [](py_vector& v, offset_t i) { v.value.remove(i); }, nb::arg("i"),
            "Removes the entry at place i, if there is one.")
        .def(
            "clear", [](py_vector& v) { v.value.clear(); }, "Removes all entries.")
        .def(
            "resize", [](py_vector& v, offset_t size) { v.value.resize(size); }, nb::arg("size"),
            "Another size; entries outside it go.")
        // What an operation that was given an output leaves in it.
        .def("_take", [](py_vector& self, const py_vector& result) { self = result; })
        .def(
            "copy", [](const py_vector& v) { return py_vector{v.value}; },
            "Another vector with these entries; the arrays are shared until one of the two changes.")
        .def("__reduce__", [](nb::handle v) { return python_half<"nonzero._convert">("_reduced")(v); })
        .def(
            "_save",
            [](const py_vector& v, const context& ctx, const std::string& path) { save(ctx, v.value, path); },
            nb::call_guard<nb::gil_scoped_release>())
        .def("values", &values,
             "The values of a dense vector as a read-only NumPy array over the vector's own memory: no copy.")
        .def(
            "to_numpy", &to_numpy, nb::arg("missing") = 0,
            "One value a place as a read-only NumPy array, `missing` where there is no entry: values() of a dense vector,\n"
            "a new array of the others.")
        .def(
            "__array__",
            [](const py_vector& v, nb::handle type, nb::handle copy) {
                const nb::object own = values(v), in = type.is_none() ? own.attr("dtype") : nb::borrow(type);
                if (copy.is_none() || nb::cast<bool>(copy))
                    return own.attr("astype")(in, nb::arg("copy") = !copy.is_none());
                if (!own.attr("dtype").equal(nb::module_::import_("numpy").attr("dtype")(in)))
                    throw nb::value_error("values of another dtype are a copy, which copy=False forbids");
                return own;
            },
            nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
            "NumPy's protocol: np.asarray(v) of a dense vector is values(), without a copy.")
        .def(
            "__dlpack__", &to_dlpack,
            "DLPack's protocol, over the memory of a dense vector: the GPU's where the vector lies there (write nothing\n"
            "into it), else the host's, read-only; a copy for those whose DLPack knows no read-only memory (before 1.0).")
        .def("__dlpack_device__",
             [](const py_vector& v) { return nb::make_tuple(v.value.on_device() ? 2 : 1, 0); })
        .def(
            "values_on", &values_on, nb::arg("ctx"), nb::arg("missing") = nb::none(),
            "values() in the memory of this context's GPU, copied there only where they are not. cupy.from_dlpack and\n"
            "torch.from_dlpack take them without a copy; write nothing into them. Where places have no entry, a new array\n"
            "with `missing` there.")
        .def_prop_ro(
            "on_device", [](const py_vector& v) { return v.value.on_device(); },
            "Whether a GPU alone has the entries; what looks at them on the host copies them first.")
        .def("entries", &entries, "(indices, values) of the entries present, in order, as NumPy arrays.")
        .def(
            "__contains__",
            [](const py_vector& v, nb::handle i) {
                const auto place = whole_number(i);
                if (!place) throw nb::type_error("`in` asks whether a place has an entry: a place is an int");
                return *place >= 0 && *place < v.value.size() && v.value.contains(*place);
            },
            nb::arg("i").none(), nb::sig("def __contains__(self, i: object, /) -> bool"),
            "Whether there is an entry at place i: False outside the vector too.")
        .def("__len__", [](const py_vector& v) { return v.value.size(); });
    type.attr("__copy__") = type.attr("copy");
    bind_operators(type);
}

}  // namespace nz::python
