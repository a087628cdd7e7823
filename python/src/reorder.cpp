// Orders of vertices, and matrices and vectors in another order.
#include "bind.hpp"

namespace nz::python {

void bind_reorder(nb::module_& m) {
    m.def("order", [](const context& ctx, const py_matrix& a, const std::string& how) {
        const ordering by = parse_ordering(how);
        return values_of<std::int32_t>(unlocked([&] { return order(ctx, a.value, by); }));
    });
    m.def("permute_matrix", [](const context& ctx, const py_matrix& a, const py_vector& order) {
        return py_matrix{unlocked([&] { return permute(ctx, a.value, order.value); })};
    });
    m.def("permute_vector", [](const context& ctx, const py_vector& v, const py_vector& order) {
        return py_vector{unlocked([&] { return permute(ctx, v.value, order.value); })};
    });
    m.def("restore", [](const context& ctx, const py_vector& v, const py_vector& order, bool vertices) {
        return py_vector{unlocked([&] {
            return vertices ? restore_vertices(ctx, v.value, order.value)
                            : restore(ctx, v.value, order.value);
        })};
    });
}

}  // namespace nz::python
