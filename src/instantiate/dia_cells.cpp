#include "instantiate/dia_cells.hpp"

namespace nz::instantiate {
namespace {

template <class Cell>
const Cell* find_in(std::initializer_list<std::span<const Cell>> groups, binary_id add, binary_id multiply,
                    dtype operand) {
    add = algebra::listed(add, operand);
    multiply = algebra::listed(multiply, operand);
    for (const auto group : groups)
        for (const Cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}

}  // namespace

const dia_cell* find_dia_cell(binary_id add, binary_id multiply, dtype operand) {
    return find_in({numeric_dia(), label_dia()}, add, multiply, operand);
}
const dia_device_cell* find_dia_device_cell(binary_id add, binary_id multiply, dtype operand) {
    return find_in({numeric_device_dia(), label_device_dia()}, add, multiply, operand);
}

}  // namespace nz::instantiate
