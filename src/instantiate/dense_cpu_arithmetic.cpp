#include "instantiate/dense_cpu.hpp"

namespace nz::instantiate {

std::span<const dense_cell> arithmetic_dense() {
    static constexpr auto table = dense_table<arithmetic_cells, arithmetic_one_sided_cells>();
    return table;
}

}  // namespace nz::instantiate
