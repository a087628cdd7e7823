// Products with dense matrices in the caller's memory, on the host or on a GPU: nothing is copied in or out.
#include "bind.hpp"

namespace nz::python {
namespace {

using dense_array = nb::ndarray<nb::ro, nb::ndim<2>>;
using dense_target = nb::ndarray<nb::ndim<2>>;

// The array's memory by rows or by columns. Python has copied arrays that are neither.
template <class T, class Array>
dense_view<T> view_of(const Array& a) {
    const auto rows = static_cast<offset_t>(a.shape(0)), columns = static_cast<offset_t>(a.shape(1));
    const auto fits = [](offset_t lines, offset_t length, std::int64_t across, std::int64_t along) {
        return (length < 2 || along == 1) && (lines < 2 || across >= length);
    };
    dense_view<T> v{dimension_of(rows), dimension_of(columns), {}};
    if (rows == 0 || columns == 0) return v;
    const bool by_rows = fits(rows, columns, a.stride(0), a.stride(1));
    if (!by_rows && !fits(columns, rows, a.stride(1), a.stride(0)))
        throw domain_error("a dense matrix needs rows or columns without gaps between their values");
    const offset_t lines = by_rows ? rows : columns, length = by_rows ? columns : rows;
    v.order = by_rows ? dense_order::row_major : dense_order::column_major;
    v.stride = lines < 2 ? length : a.stride(by_rows ? 0 : 1);
    v.values = {static_cast<T*>(a.data()), static_cast<std::size_t>((lines - 1) * v.stride + length)};
    return v;
}

dense_input input_of(const dense_array& a) {
    return dispatch(dtype_of_array(a.dtype()),
                    [&]<class T>(std::type_identity<T>) -> dense_input { return view_of<const T>(a); });
}
dense_output output_of(const dense_target& a) {
    return dispatch(dtype_of_array(a.dtype()),
                    [&]<class T>(std::type_identity<T>) -> dense_output { return view_of<T>(a); });
}

dense_options options_of(const std::optional<std::string>& accum, unsigned flags, const std::string& kernel) {
    dense_options o;
    if (accum) o.accum = binary_op(*accum);
    o.mask_structure = flags & structure;
    o.replace = flags & replace;
    o.transpose_a = flags & transpose_a;
    o.transpose_b = flags & transpose_b;
    o.determinism = flags & fast ? determinism::fast : determinism::strict;
    o.kernel = kernel;
    return o;
}

nb::object mxd_(const context& ctx, const dense_target& out, const std::string& ring, const py_matrix& a,
                const dense_array& b, const std::optional<std::string>& accum, unsigned flags,
                const std::string& kernel) {
    const semiring s(ring);
    const dense_options o = options_of(accum, flags, kernel);
    const dense_output c = output_of(out);
    const dense_input operand = input_of(b);
    const any_plan plan = [&] {
        const nb::gil_scoped_release unlocked;
        any_plan done(mxd(ctx, c, s, a.value, operand, o));
        ctx.wait();  // C may lie in the memory of a GPU, for readers on another stream
        return done;
    }();
    return to_python(plan);
}

py_matrix sddmm_(const context& ctx, const py_matrix* out, const std::string& ring, const dense_array& x,
                 const dense_array& y, const py_matrix& m, const std::optional<std::string>& accum,
                 unsigned flags, const std::string& kernel) {
    const semiring s(ring);
    const dense_options o = options_of(accum, flags, kernel);
    const dense_input first = input_of(x), second = input_of(y);
    return run<py_matrix>(
        output(ctx, out, s.value_type(first.type, second.type), m.value.rows(), m.value.columns()),
        [&](matrix& c) { return sddmm(ctx, c, s, first, second, m.value, o); });
}

}  // namespace

void bind_dense(nb::module_& m) {
    m.def("mxd", &mxd_, nb::arg(), nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg().noconvert(),
          nb::arg().none(), nb::arg(), nb::arg());
    m.def("sddmm", &sddmm_, nb::arg(), nb::arg().none(), nb::arg(), nb::arg().noconvert(),
          nb::arg().noconvert(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
    m.def("product_type", [](const std::string& ring, const std::string& a, const std::string& b) {
        return std::string(name_of(semiring(ring).value_type(parse_dtype(a), parse_dtype(b))));
    });
}

}  // namespace nz::python
