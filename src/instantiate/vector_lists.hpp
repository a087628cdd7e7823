// The manifest of kernels over whole vectors, once for every backend: operators and types, expanded by the units that hold it.
#pragma once

#include "algebra/cell.hpp"
#include "instantiate/vector_cells.hpp"

#include <type_traits>

namespace nz::instantiate {

// The first of some operators that is the one asked for.
template <auto... Op>
struct vector_operators {
    template <class Kernel, class Id, class F>
    static Kernel find(Id asked, F&& kernel_of) {
        Kernel found = nullptr;
        ((asked == Op ? void(found = kernel_of(std::integral_constant<Id, Op>{})) : void()), ...);
        return found;
    }
};

// Calls f with the type, where vectors of it are compiled.
template <class Kernel, class F>
Kernel on_vector_type(dtype type, F&& f) {
    switch (type) {
        case dtype::boolean:
            return f(std::type_identity<bool>{});
        case dtype::int32:
            return f(std::type_identity<std::int32_t>{});
        case dtype::int64:
            return f(std::type_identity<std::int64_t>{});
        case dtype::float32:
            return f(std::type_identity<float>{});
        case dtype::float64:
            return f(std::type_identity<double>{});
        default:
            return nullptr;
    }
}

/// Finds the kernels of a backend, which Backend::words<Op, T>(), apply<Op, T>() and reduce<Op, T>() give.
template <class Backend>
class vector_manifest {
public:
    static auto words(binary_id op, dtype operands) {
        using kernel = typename Backend::words_kernel;
        if (op == binary_id::any) op = binary_id::first;
        if (operands == dtype::boolean) op = truth_function(op);
        return on_vector_type<kernel>(operands, [&]<class T>(std::type_identity<T>) {
            using list =
                std::conditional_t<std::is_same_v<T, bool>, truth_functions, comparisons_and_arithmetic>;
            return list::template find<kernel>(
                op, [](auto id) { return Backend::template words<decltype(id)::value, T>(); });
        });
    }
    static auto apply(unary_id op, dtype type) {
        using kernel = typename Backend::apply_kernel;
        if (!is_floating(type) && op >= unary_id::floor && op <= unary_id::trunc) op = unary_id::identity;
        return on_vector_type<kernel>(type, [&]<class T>(std::type_identity<T>) {
            using list = std::conditional_t<std::is_floating_point_v<T>, floating_maps, maps>;
            return list::template find<kernel>(
                op, [](auto id) { return Backend::template apply<decltype(id)::value, T>(); });
        });
    }
    static auto reduce(binary_id add, dtype type) {
        using kernel = typename Backend::reduce_kernel;
        return on_vector_type<kernel>(type, [&]<class T>(std::type_identity<T>) {
            using list = std::conditional_t<std::is_same_v<T, bool>, truth_sums, sums>;
            return list::template find<kernel>(
                add, [](auto id) { return Backend::template reduce<decltype(id)::value, T>(); });
        });
    }

private:
    // What arithmetic on truth values is.
    static constexpr binary_id truth_function(binary_id op) {
        using enum binary_id;
        return op == minus || op == rminus ? lxor
               : op == div                 ? first
               : op == rdiv                ? second
                                           : algebra::listed(op, dtype::boolean);
    }
    using b = binary_id;
    using comparisons_and_arithmetic =
        vector_operators<b::first, b::second, b::plus, b::minus, b::rminus, b::times, b::div, b::rdiv, b::min,
                         b::max, b::eq, b::ne, b::gt, b::lt, b::ge, b::le>;
    using truth_functions = vector_operators<b::first, b::second, b::lor, b::land, b::lxor, b::lxnor, b::eq,
                                             b::ne, b::gt, b::lt, b::ge, b::le>;
    using sums = vector_operators<b::plus, b::times, b::min, b::max>;
    using truth_sums =
        vector_operators<b::lor, b::land, b::lxor, b::lxnor, b::plus, b::times, b::min, b::max>;
    using u = unary_id;
    using maps = vector_operators<u::identity, u::ainv, u::minv, u::abs, u::lnot, u::one, u::signum>;
    using floating_maps =
        vector_operators<u::identity, u::ainv, u::minv, u::abs, u::lnot, u::one, u::signum, u::floor, u::ceil,
                         u::round, u::trunc, u::sqrt, u::exp, u::expm1, u::log, u::log1p>;
};

}  // namespace nz::instantiate
