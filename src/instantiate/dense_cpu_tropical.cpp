#include "instantiate/dense_cpu.hpp"

namespace nz::instantiate {

std::span<const dense_cell> tropical_dense() {
    static constexpr auto table = dense_table<min_plus_cells>();
    return table;
}

}  // namespace nz::instantiate
