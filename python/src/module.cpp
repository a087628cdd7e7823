// The module nonzero._core: what python/nonzero builds on. Thin: unwrap, call without the interpreter's lock, wrap.
#include "bind.hpp"

#include <cmath>
#include <limits>

namespace nz::python {

dtype dtype_of_array(nb::dlpack::dtype type) {
    std::optional<dtype> found;
    const auto try_type = [&]<class T>(std::type_identity<T>) {
        if (type == nb::dtype<T>()) found = dtype_of<T>;
    };
    for (int k = 0; k < dtype_count && !found; ++k) dispatch(static_cast<dtype>(k), try_type);
    if (!found)
        throw domain_error("an array of bool, int8 to int64, uint8 to uint64, float32 or float64 is needed");
    return *found;
}

nb::object to_python(scalar x) {
    if (x.type() == dtype::boolean) return nb::cast(x.get<bool>());
    if (is_floating(x.type())) return nb::cast(x.get<double>());
    if (x.type() == dtype::uint64) return nb::cast(x.get<std::uint64_t>());
    return nb::cast(x.get<std::int64_t>());
}

index_t dimension_of(offset_t n) {
    if (n < 0) throw domain_error(std::to_string(n) + " rows or columns: a dimension cannot be negative");
    if (n > max_dimension)
        throw not_supported(std::to_string(n) + " rows or columns: the largest dimension is " +
                            std::to_string(max_dimension));
    return static_cast<index_t>(n);
}
index_t place_of(offset_t n, const char* what) {
    if (!std::in_range<index_t>(n))
        throw index_out_of_bounds(std::string(what) + " " + std::to_string(n) + " is outside every matrix");
    return static_cast<index_t>(n);
}

std::optional<offset_t> whole_number(nb::handle x) {
    if (!PyIndex_Check(x.ptr())) return {};
    const nb::object whole = nb::steal(PyNumber_Index(x.ptr()));
    if (!whole.is_valid()) {
        PyErr_Clear();
        return {};
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    if (overflow == 0) return value;
    return overflow < 0 ? std::numeric_limits<offset_t>::min() : std::numeric_limits<offset_t>::max();
}

namespace {

[[noreturn]] void refuse_as_number(nb::handle x) {
    PyErr_Clear();
    const std::string type = nb::type_name(x.type()).c_str();
    throw nb::type_error(("a number is needed, not an object of type " + type).c_str());
}

// An int of more than 64 bits, which a floating type may have.
struct too_large : domain_error {
    using domain_error::domain_error;
};

// Python's numbers and NumPy's alike, and arrays without dimensions.
scalar number_of(nb::handle given, bool as_float = false) {
    nb::object x = nb::borrow(given);
    if (nb::hasattr(x, "ndim") && nb::hasattr(x, "item")) {
        if (nb::cast<int>(x.attr("ndim")) != 0) refuse_as_number(x);
        x = x.attr("item")();
    }
    if (PyBool_Check(x.ptr())) return PyObject_IsTrue(x.ptr()) == 1;
    if (PyIndex_Check(x.ptr()) && !as_float) {
        const nb::object whole = nb::steal(PyNumber_Index(x.ptr()));
        if (!whole.is_valid()) refuse_as_number(x);
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
        if (overflow == 0) return static_cast<std::int64_t>(value);
        const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(whole.ptr()) : 0;
        if (overflow > 0 && !PyErr_Occurred()) return static_cast<std::uint64_t>(large);
        PyErr_Clear();
        throw too_large(nb::cast<std::string>(nb::str(whole)) + " has more than 64 bits");
    }
    const double value = PyFloat_AsDouble(x.ptr());
    if (value == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) refuse_as_number(x);
        PyErr_Clear();
        throw too_large("an int of that many digits is beyond float64");
    }
    return value;
}

// Whether a type of whole numbers has this one.
bool has(dtype type, scalar x) {
    return dispatch(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
            return true;
        } else if (is_floating(x.type())) {
            const double value = x.get<double>(), beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
            return value == std::floor(value) && value < beyond &&
                   value >= (std::is_signed_v<T> ? -beyond : 0);
        } else if (x.type() == dtype::uint64) {
            return std::in_range<T>(x.get<std::uint64_t>());
        } else {
            return std::in_range<T>(x.get<std::int64_t>());
        }
    });
}

}  // namespace

// Not GraphBLAS's typecast: a number that a type of whole numbers does not have is refused, as NumPy refuses it.
scalar to_scalar(nb::handle x, std::optional<dtype> type) {
    const scalar given = [&] {
        try {
            return number_of(x);
        } catch (const too_large&) {
            if (!type || !is_floating(*type)) throw;
            return number_of(x, true);
        }
    }();
    if (!type) return given;
    if (!has(*type, given))
        throw domain_error(nb::cast<std::string>(nb::str(x)) + " is no value of " +
                           std::string(name_of(*type)) + ": make the operand of a type that has it (astype)");
    return scalar(*type, given.as(*type));
}

void check_interrupt() {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

namespace {

// Each of the library's errors becomes the class of the same name in nonzero.errors, with the same text.
void translate(const std::exception_ptr& thrown, void*) {
    const auto raise = [](const char* name, const std::exception& e) {
        const nb::object type = nb::module_::import_("nonzero.errors").attr(name);
        PyErr_SetString(type.ptr(), e.what());
    };
    try {
        std::rethrow_exception(thrown);
    } catch (const dimension_mismatch& e) {
        raise("DimensionMismatch", e);
    } catch (const domain_error& e) {
        raise("DomainError", e);
    } catch (const index_out_of_bounds& e) {
        raise("IndexOutOfBounds", e);
    } catch (const invalid_format& e) {
        raise("InvalidFormat", e);
    } catch (const out_of_memory& e) {
        raise("OutOfMemory", e);
    } catch (const not_supported& e) {
        raise("NotSupported", e);
    } catch (const device_error& e) {
        raise("DeviceError", e);
    } catch (const error& e) {
        raise("Error", e);
    }
}

}  // namespace

void bind_context(nb::module_& m) {
    nb::class_<context>(
        m, "Context",
        "Where operations compute: a backend, threads and limits of memory, which objects share.")
        .def(
            "__init__",
            [](context* self, const nb::args& given, const nb::kwargs& named) {
                const auto [backend_name, threads, memory_limit, device_memory_limit, stream] =
                    constructor_arguments<std::string, int, std::size_t, std::size_t, std::uintptr_t>(
                        "Context", given, named);
                const auto chosen =
                    backend_name == "auto"  ? backend::automatic
                    : backend_name == "cpu" ? backend::cpu
                    : backend_name == "cuda"
                        ? backend::cuda
                        : throw domain_error("backend is auto, cpu or cuda, not '" + backend_name + "'");
                // Products and searches say what they do in a line each: there Ctrl-C is heard, between the steps of algorithms.
                new (self) context({.backend = chosen,
                                    .threads = threads,
                                    .memory_limit = memory_limit,
                                    .device_memory_limit = device_memory_limit,
                                    .stream = reinterpret_cast<void*>(stream),
                                    .log = [](std::string_view) { check_interrupt(); }});
            },
            nb::sig("def __init__(self, backend: str = 'auto', threads: int = 0, memory_limit: int = 0, "
                    "device_memory_limit: int = 0, stream: object = 0) -> None"),
            "Where work runs and what it may use.\n\nbackend: 'auto' (the GPU where there is one), 'cpu' or 'cuda'.\n"
            "threads: 0 for all. memory_limit: bytes alive at a time on the host, 0 for no limit. device_memory_limit: the\n"
            "same on the GPU, 0 for memory_limit there too. stream: a CUDA stream of CuPy's or torch's, kept from then on, or\n"
            "the address of one that is alive as long as the context and all that it made: all work on the GPU goes there, in the\n"
            "stream's order, and waits for no other; 0 for one of its own.")
        .def("__repr__",
             [](const context& c) {
                 return "<nonzero.Context " + std::string(name_of(c.backend())) +
                        (c.device().empty() ? "" : ", " + c.device()) + ", " + std::to_string(c.threads()) +
                        (c.threads() == 1 ? " thread>" : " threads>");
             })
        .def_prop_ro("backend", [](const context& c) { return std::string(name_of(c.backend())); })
        .def_prop_ro("device", &context::device, "The GPU's name; empty on the CPU.")
        .def_prop_ro("threads", &context::threads)
        .def_prop_ro("memory_limit", &context::memory_limit, "Bytes; 0: no limit.")
        .def_prop_ro("device_memory_limit", &context::device_memory_limit,
                     "Bytes on the GPU; 0: no limit, or no GPU.")
        .def_prop_ro("device_peak_bytes", &context::device_peak_bytes,
                     "The most that was alive on the GPU at a time; 0 on the CPU.")
        .def_prop_ro("bytes_in_use", &context::bytes_in_use)
        .def_prop_ro("peak_bytes", &context::peak_bytes)
        .def("reset_peak", &context::reset_peak)
        .def(
            "wait", &context::wait, nb::call_guard<nb::gil_scoped_release>(),
            "Returns when the GPU has done all that was asked of it through this context; at once on the CPU.");
}

NB_MODULE(_core, m) {
    m.doc() = "The compiled half of nonzero.";
    m.attr("__version__") = std::string(version());
    nb::register_exception_translator(translate);
    bind_context(m);
    bind_matrix(m);
    bind_dia(m);
    bind_vector(m);
    bind_operations(m);
    bind_dense(m);
    bind_products(m);
    bind_algorithms(m);
    bind_vertices(m);
    bind_structure(m);
    bind_reorder(m);
}

}  // namespace nz::python
