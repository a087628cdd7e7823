#include "instantiate/mxv_device_cells.hpp"

#include "algebra/listed_multiply.hpp"

namespace nz::instantiate {

const mxv_device_cell* find_mxv_device_cell(binary_id add, binary_id multiply, dtype operand) {
    add = algebra::listed(add, operand);
    multiply = algebra::listed_multiply(multiply, operand);
    for (const auto group :
         {arithmetic_device_mxv(), tropical_device_mxv(), label_device_mxv(), structure_device_mxv()})
        for (const mxv_device_cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}

}  // namespace nz::instantiate
