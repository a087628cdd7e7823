#include "instantiate/mxv_cells.hpp"

#include "algebra/listed_multiply.hpp"

namespace nz::instantiate {

const mxv_cell* find_mxv_cell(binary_id add, binary_id multiply, dtype operand) {
    add = algebra::listed(add, operand);
    multiply = algebra::listed_multiply(multiply, operand);
    for (const auto group : {arithmetic_mxv(), tropical_mxv(), label_mxv(), structure_mxv()})
        for (const mxv_cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}
std::size_t mxv_cell_count() {
    return arithmetic_mxv().size() + tropical_mxv().size() + label_mxv().size() + structure_mxv().size();
}

}  // namespace nz::instantiate
