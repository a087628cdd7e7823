#include "instantiate/dense_cells.hpp"

namespace nz::instantiate {

const dense_cell* find_dense_cell(binary_id add, binary_id multiply, dtype operand) {
    for (const auto group : {arithmetic_dense(), tropical_dense()})
        for (const dense_cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}

}  // namespace nz::instantiate
