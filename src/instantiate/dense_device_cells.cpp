#include "instantiate/dense_device_cells.hpp"

namespace nz::instantiate {

const dense_device_cell* find_dense_device_cell(binary_id add, binary_id multiply, dtype operand) {
    for (const auto group : {arithmetic_device_dense(), tropical_device_dense()})
        for (const dense_device_cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}

}  // namespace nz::instantiate
