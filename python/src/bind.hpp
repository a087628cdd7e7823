// What the units of the Python module share: the wrapped objects, and conversions between Python's values and ours.
#pragma once

#include "nonzero/nonzero.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace nz::python {

namespace nb = nanobind;

/// What an operation decided; nothing for an object that no operation made. A pinned kernel's id points into the
/// caller's options, which end with the call: it is kept here, with the line.
struct any_plan {
    std::variant<std::monostate, mxv_plan, operation_plan, mxm_plan, dense_plan> decided{};
    std::string line{}, kernel{};

    any_plan() = default;
    template <class Plan>
    any_plan(const Plan& plan) : decided(plan), line(to_string(plan)), kernel(plan.kernel) {}  // NOLINT
};
/// The plan as a nonzero.Plan: its line, and its fields by name.
nb::object to_python(const any_plan& plan);

/// A matrix, the plan of the operation that made it, and the arrays that it borrows.
struct py_matrix {
    nz::matrix value;
    any_plan plan{};
    nb::object owner{};
};
struct py_vector {
    nz::vector value;
    any_plan plan{};
};

using host_array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The same in the memory of the host or of a GPU.
using any_array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>;

/// The dtype of an array's elements. Throws domain_error for one that no matrix holds.
dtype dtype_of_array(nb::dlpack::dtype type);
template <class Array>
dtype dtype_of_array(const Array& a) {
    return dtype_of_array(a.dtype());
}

template <class T, class Array>
std::span<const T> span_of(const Array& a) {
    return {static_cast<const T*>(a.data()), a.shape(0)};
}
/// Row or column numbers. Throws domain_error unless they are int32.
template <class Array>
std::span<const index_t> indices_of(const Array& a) {
    if (a.dtype() != nb::dtype<index_t>()) throw domain_error("row and column numbers must be int32");
    return span_of<index_t>(a);
}

/// A dimension, or a place in one, as the library's views hold it. Throws not_supported or index_out_of_bounds for a larger one.
index_t dimension_of(offset_t n);
index_t place_of(offset_t n, const char* what);
/// An int's value, the nearest that 64 bits hold for others; nothing for what is no int.
std::optional<offset_t> whole_number(nb::handle x);

/// A name of a module, for templates.
struct literal {
    char text[32]{};
    template <std::size_t N>
    consteval literal(const char (&given)[N]) {  // NOLINT(google-explicit-constructor)
        static_assert(N <= sizeof(text));
        std::copy_n(given, N, text);
    }
};
/// A function of a module of the package's Python half. The module is imported once and never given back, so that no destructor
/// runs after the interpreter; the interpreter empties it at its end, so that nothing that it holds is leaked.
template <literal Module>
nb::object python_half(const char* name) {
    // Set under the interpreter's lock: a guard of C++ could wait for that lock.
    static PyObject* module = nullptr;
    if (!module) module = nb::module_::import_(Module.text).release().ptr();
    return nb::handle(module).attr(name);
}
/// The arguments of a constructor, checked and in order, as nonzero._arguments says.
template <class... Types>
std::tuple<Types...> constructor_arguments(const char* type, const nb::args& given, const nb::kwargs& named) {
    return nb::cast<std::tuple<Types...>>(
        python_half<"nonzero._arguments">("of_constructor")(type, given, named));
}

/// bool, int or float, as the scalar's type says.
nb::object to_python(scalar x);
/// The inverse: a bool, an int (int64) or a float (float64); with `type` converted to it.
scalar to_scalar(nb::handle x, std::optional<dtype> type = {});

/// A NumPy array over memory that `keep` holds alive; nothing is copied.
template <class T, class Keep>
nb::object array_over(std::span<const T> values, Keep keep) {
    auto* held = new Keep(std::move(keep));
    const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Keep*>(p); });
    // Of no address NumPy makes an array of its own, which could be written to.
    static constexpr T nothing{};
    const T* const data = values.data() ? values.data() : &nothing;
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {values.size()}, owner));
}
/// Something of a GPU's memory that is in use there until the GPU is through, whoever asked.
template <class Keep>
struct held_on_gpu {
    Keep keep;
    context gpu;

    held_on_gpu(Keep k, context c) : keep(std::move(k)), gpu(std::move(c)) {}
    held_on_gpu(const held_on_gpu&) = delete;
    ~held_on_gpu() {
        try {
            gpu.wait_for_caller();
        } catch (const error&) {  // a GPU that fails uses nothing
        }
    }
};
/// A capsule that holds it.
template <class Keep>
nb::capsule hold_on_gpu(Keep keep, const context& gpu) {
    using held = held_on_gpu<Keep>;
    return nb::capsule(new held(std::move(keep), gpu),
                       [](void* p) noexcept { delete static_cast<held*>(p); });
}
/// An array in the GPU's memory that `keep` holds alive; CuPy, torch and others take it by DLPack.
template <class T, class Keep>
nb::object device_array_over(std::span<const T> values, Keep keep, const context& gpu) {
    const nb::capsule owner = hold_on_gpu(std::move(keep), gpu);
    return nb::cast(nb::ndarray<nb::array_api, T, nb::ndim<1>, nb::device::cuda>(
        const_cast<T*>(values.data()), {values.size()}, owner));
}
/// The values of a dense vector, which they keep alive.
template <class T>
nb::object values_of(const vector& v) {
    return array_over<T>(v.values<T>(), v);
}
/// A NumPy array that takes a vector's memory over.
template <class T>
nb::object array_from(std::vector<T>&& values) {
    auto held = std::make_shared<std::vector<T>>(std::move(values));
    const std::span<const T> all(held->data(), held->size());
    return array_over(all, std::move(held));
}

/// Bits of the `flags` that operations take.
enum flag : unsigned {
    complement = 1,
    structure = 2,
    replace = 4,
    transpose_a = 8,
    transpose_b = 16,
    fast = 32
};

/// What an operation is asked for beside its operands. Lives as long as the call: the options point into it.
template <class Wrapped, class Object>
struct requests {
    std::string kernel;
    operation_options<Object> options;

    requests(const Wrapped* mask, const std::optional<std::string>& accum, unsigned flags, std::string id)
        : kernel(std::move(id)) {
        options.mask = mask ? &mask->value : nullptr;
        options.mask_complement = flags & complement;
        options.mask_structure = flags & structure;
        options.replace = flags & replace;
        options.transpose_a = flags & transpose_a;
        options.transpose_b = flags & transpose_b;
        options.determinism = flags & fast ? determinism::fast : determinism::strict;
        options.kernel = kernel;
        if (accum) options.accum = binary_op(*accum);
    }
};
using vector_requests = requests<py_vector, vector>;
using matrix_requests = requests<py_matrix, matrix>;

inline offset_t rows_of(const matrix& a, bool transposed) { return transposed ? a.columns() : a.rows(); }
inline offset_t columns_of(const matrix& a, bool transposed) { return transposed ? a.rows() : a.columns(); }
/// The output: the caller's object, or a new one of the type and shape at hand.
inline vector output(const context& ctx, const py_vector* out, dtype type, offset_t size) {
    return out ? out->value : vector(ctx, type, size);
}
inline matrix output(const context& ctx, const py_matrix* out, dtype type, offset_t rows, offset_t columns) {
    return out ? out->value : matrix(ctx, type, rows, columns);
}
/// Runs f(w) -> plan without the interpreter's lock, and gives w with the plan.
template <class Wrapped, class Object, class F>
Wrapped run(Object w, F&& f) {
    any_plan plan;
    {
        const nb::gil_scoped_release unlocked;
        plan = f(w);
    }
    return {std::move(w), std::move(plan)};
}

/// f() without the interpreter's lock.
template <class F>
auto unlocked(F&& f) {
    const nb::gil_scoped_release lock;
    return f();
}
/// All vertices where none are given.
inline std::vector<offset_t> sources_or_all(const std::optional<std::vector<offset_t>>& given,
                                            const matrix& a) {
    if (given) return *given;
    std::vector<offset_t> all(static_cast<std::size_t>(a.rows()));
    std::iota(all.begin(), all.end(), offset_t{0});
    return all;
}

/// Throws Python's KeyboardInterrupt where Ctrl-C was pressed; to be called without the interpreter's lock.
void check_interrupt();

/// A @ B, A[i, j], A[i, j] = x and del A[i, j], which nonzero._operators says by the operations.
template <class Class>
void bind_operators(Class& type) {
    constexpr auto half = &python_half<"nonzero._operators">;
    type.def(
            "astype",
            [](nb::handle a, nb::handle dtype) {
                return python_half<"nonzero._operations">("converted")(a, dtype);
            },
            nb::arg("dtype"),
            nb::sig(std::is_same_v<typename Class::Type, py_matrix>
                        ? "def astype(self, dtype: object) -> Matrix"
                        : "def astype(self, dtype: object) -> Vector"),
            "A new one with values of this dtype, converted: floats are cut to integers, NaN to 0.")
        .def(
            "__matmul__", [](nb::handle a, nb::handle b) { return half("product")(a, b); }, nb::is_operator(),
            nb::sig("def __matmul__(self, other, /)"),
            "mxm, mxv, vxm or mxd over plus_times; `other` may be an array.")
        .def(
            "__rmatmul__", [](nb::handle a, nb::handle b) { return half("product")(b, a); },
            nb::is_operator(), nb::sig("def __rmatmul__(self, other, /)"))
        .def(
            "__getitem__", [](nb::handle a, nb::handle places) { return half("read")(a, places); },
            nb::arg("places").none(), nb::sig("def __getitem__(self, places, /)"),
            "get of one place (None where there is no entry), extract of several: A[i, j], A[i, :], x[i], x[2:5].")
        .def(
            "__setitem__", [](nb::handle a, nb::handle places, nb::handle x) { half("write")(a, places, x); },
            nb::arg("places").none(), nb::arg("x").none(),
            nb::sig("def __setitem__(self, places, x, /) -> None"), "set of one place, assign of several.")
        .def(
            "__delitem__", [](nb::handle a, nb::handle places) { half("erase")(a, places); },
            nb::arg("places").none(), nb::sig("def __delitem__(self, places, /) -> None"),
            "remove of one place.");
    type.attr("__iter__") = nb::none();  // __getitem__ alone would make it a sequence of values
}

void bind_context(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_dia(nb::module_& m);
void bind_vector(nb::module_& m);
void bind_operations(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_products(nb::module_& m);
void bind_algorithms(nb::module_& m);
void bind_vertices(nb::module_& m);
void bind_structure(nb::module_& m);
void bind_reorder(nb::module_& m);

}  // namespace nz::python
