#include "instantiate/ewise_cells.hpp"
#include "kernels/cpu/ewise/balanced_path.hpp"

#include <array>

namespace nz::instantiate {
namespace {

struct ewise_cell {
    binary_id op;
    dtype type;
    kernels::ewise_kernel fill;
};

template <class T, binary_id... Op>
constexpr std::array<ewise_cell, sizeof...(Op)> cells() {
    return {ewise_cell{Op, dtype_of<T>, &kernels::cpu::balanced_path_fill<Op, T>}...};
}

template <class T>
constexpr auto arithmetic = [] {
    using enum binary_id;
    return cells<T, plus, minus, times, min, max, first, second>();
}();

template <std::size_t N>
kernels::ewise_kernel find(const std::array<ewise_cell, N>& group, binary_id op, dtype type) {
    for (const ewise_cell& c : group)
        if (c.op == op && c.type == type) return c.fill;
    return nullptr;
}

}  // namespace

kernels::ewise_kernel find_ewise_fill(binary_id op, dtype type) {
    using enum binary_id;
    static constexpr auto truth = cells<bool, lor, land, lxor, plus, times, min, max, first, second>();
    if (op == any) op = first;
    switch (type) {
        case dtype::boolean:
            return find(truth, op, type);
        case dtype::int32:
            return find(arithmetic<std::int32_t>, op, type);
        case dtype::int64:
            return find(arithmetic<std::int64_t>, op, type);
        case dtype::float32:
            return find(arithmetic<float>, op, type);
        case dtype::float64:
            return find(arithmetic<double>, op, type);
        case dtype::uint8:
            return find(cells<std::uint8_t, first>(), op, type);
        case dtype::uint16:
            return find(cells<std::uint16_t, first>(), op, type);
        case dtype::uint32:
            return find(cells<std::uint32_t, first>(), op, type);
        case dtype::uint64:
            return find(cells<std::uint64_t, first>(), op, type);
        default:
            return nullptr;
    }
}

}  // namespace nz::instantiate
