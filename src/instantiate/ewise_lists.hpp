// The manifest of entrywise joins, once for every backend: operators and types, expanded by the units that hold it.
#pragma once

#include "instantiate/ewise_cells.hpp"

#include <array>

namespace nz::instantiate {

template <class Kernel>
struct ewise_cell {
    binary_id op;
    dtype type;
    Kernel fill;
};

/// Finds an operator and a type among the cells of a backend, whose kernels Backend::fill<Op, T>() gives.
template <class Backend>
class ewise_manifest {
public:
    using kernel = typename Backend::kernel;

    static kernel find(binary_id op, dtype type) {
        using enum binary_id;
        if (op == any) op = first;
        switch (type) {
            case dtype::boolean:
                return among(cells<bool, lor, land, lxor, plus, times, min, max, first, second>, op);
            case dtype::int32:
                return among(arithmetic<std::int32_t>, op);
            case dtype::int64:
                return among(arithmetic<std::int64_t>, op);
            case dtype::float32:
                return among(arithmetic<float>, op);
            case dtype::float64:
                return among(arithmetic<double>, op);
            case dtype::uint8:
                return among(cells<std::uint8_t, first>, op);
            case dtype::uint16:
                return among(cells<std::uint16_t, first>, op);
            case dtype::uint32:
                return among(cells<std::uint32_t, first>, op);
            case dtype::uint64:
                return among(cells<std::uint64_t, first>, op);
            default:
                return nullptr;
        }
    }

private:
    using cell = ewise_cell<kernel>;
    template <class T, binary_id... Op>
    static constexpr std::array<cell, sizeof...(Op)> cells = {
        cell{Op, dtype_of<T>, Backend::template fill<Op, T>()}...};
    template <class T>
    static constexpr auto arithmetic =
        cells<T, binary_id::plus, binary_id::minus, binary_id::times, binary_id::min, binary_id::max,
              binary_id::first, binary_id::second>;
    template <std::size_t N>
    static kernel among(const std::array<cell, N>& group, binary_id op) {
        for (const cell& c : group)
            if (c.op == op) return c.fill;
        return nullptr;
    }
};

}  // namespace nz::instantiate
