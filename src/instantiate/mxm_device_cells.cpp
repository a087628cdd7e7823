#include "instantiate/mxm_device_cells.hpp"

#include "algebra/listed_multiply.hpp"

namespace nz::instantiate {

const mxm_device_cell* find_mxm_device_cell(binary_id add, binary_id multiply, dtype operand) {
    add = algebra::listed(add, operand);
    multiply = algebra::listed_multiply(multiply, operand);
    for (const auto group :
         {arithmetic_device_mxm(), tropical_device_mxm(), label_device_mxm(), structure_device_mxm()})
        for (const mxm_device_cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}

}  // namespace nz::instantiate
