#include "instantiate/vector_cells.hpp"
#include "kernels/cpu/apply/words.hpp"
#include "kernels/cpu/ewise/words.hpp"
#include "kernels/cpu/reduce/blocks.hpp"

namespace nz::instantiate {
namespace {

using enum binary_id;

// The first of some operators that is the one asked for.
template <auto... Op>
struct operators {
    template <class Kernel, class Id, class F>
    static Kernel find(Id asked, F&& kernel_of) {
        Kernel found = nullptr;
        ((asked == Op ? void(found = kernel_of(std::integral_constant<Id, Op>{})) : void()), ...);
        return found;
    }
};
using comparisons_and_arithmetic =
    operators<first, second, plus, minus, rminus, times, div, rdiv, min, max, eq, ne, gt, lt, ge, le>;
using truth_functions = operators<first, second, lor, land, lxor, lxnor, eq, ne, gt, lt, ge, le>;
using sums = operators<plus, times, min, max>;
using truth_sums = operators<lor, land, lxor, lxnor, plus, times, min, max>;
using maps = operators<unary_id::identity, unary_id::ainv, unary_id::minv, unary_id::abs, unary_id::lnot,
                       unary_id::one>;

// Calls f with the type, where vectors of it are compiled.
template <class Kernel, class F>
Kernel on_type(dtype type, F&& f) {
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

}  // namespace

kernels::words_kernel find_words(binary_id op, dtype operands) {
    if (op == any) op = first;
    return on_type<kernels::words_kernel>(operands, [&]<class T>(std::type_identity<T>) {
        using list = std::conditional_t<std::is_same_v<T, bool>, truth_functions, comparisons_and_arithmetic>;
        return list::template find<kernels::words_kernel>(
            op, [](auto id) { return &kernels::cpu::words<id(), T>; });
    });
}

kernels::apply_kernel find_apply(unary_id op, dtype type) {
    return on_type<kernels::apply_kernel>(type, [&]<class T>(std::type_identity<T>) {
        return maps::find<kernels::apply_kernel>(op,
                                                 [](auto id) { return &kernels::cpu::apply_words<id(), T>; });
    });
}

kernels::reduce_kernel find_reduce(binary_id add, dtype type) {
    return on_type<kernels::reduce_kernel>(type, [&]<class T>(std::type_identity<T>) {
        using list = std::conditional_t<std::is_same_v<T, bool>, truth_sums, sums>;
        return list::template find<kernels::reduce_kernel>(
            add, [](auto id) { return &kernels::cpu::reduce_blocks<id(), T>; });
    });
}

}  // namespace nz::instantiate
