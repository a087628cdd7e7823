#include "instantiate/mxm_cells.hpp"

#include "algebra/listed_multiply.hpp"
#include "kernels/cpu/mxm/column_column.hpp"
#include "kernels/cpu/mxm/column_row.hpp"
#include "kernels/cpu/mxm/dense_row.hpp"
#include "kernels/cpu/mxm/dia_dia.hpp"
#include "kernels/cpu/mxm/hash.hpp"
#include "kernels/cpu/mxm/masked_dot.hpp"
#include "kernels/cpu/mxm/masked_row.hpp"
#include "kernels/cpu/mxm/row_row.hpp"
#include "kernels/cpu/mxm/two_level_sort.hpp"

namespace nz::instantiate {

const mxm_cell* find_mxm_cell(binary_id add, binary_id multiply, dtype operand) {
    add = algebra::listed(add, operand);
    multiply = algebra::listed_multiply(multiply, operand);
    for (const auto group : {arithmetic_mxm(), tropical_mxm(), label_mxm(), structure_mxm()})
        for (const mxm_cell& cell : group)
            if (cell.add == add && cell.multiply == multiply && cell.operand == operand) return &cell;
    return nullptr;
}

kernels::mxm_kernel find_mxm_count(std::string_view id) {
    using namespace kernels::cpu;
    return id == "hash"             ? hash_count
           : id == "dense_row"      ? dense_row_count
           : id == "row_row"        ? row_row_count
           : id == "column_row"     ? column_row_count
           : id == "column_column"  ? column_column_count
           : id == "two_level_sort" ? two_level_sort_count
           : id == "masked_dot"     ? masked_dot_count
           : id == "masked_row"     ? masked_row_count
           : id == "dia_dia"        ? dia_dia_count
                                    : nullptr;
}

}  // namespace nz::instantiate
