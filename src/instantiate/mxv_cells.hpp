// The manifest of mxv: the semirings and types that are compiled. What is not here runs on the generic path.
#pragma once

#include "algebra/cell.hpp"
#include "kernels/mxv_arguments.hpp"

#include <span>

namespace nz::instantiate {

/// One compiled semiring and type with its kernels.
struct mxv_cell {
    binary_id add, multiply;
    dtype operand, value;
    kernels::mxv_kernel csr_row, csr_merge, csr_ranked, csr_row_masked, csc_gather_scatter, csc_gather_radix,
        csc_gather_merge, dia_slice, bsr_row, ell_slice, tile_row, tile_column;

    /// The kernel with this id, or null.
    kernels::mxv_kernel kernel(std::string_view id) const {
        return id == "csr_row"              ? csr_row
               : id == "csr_merge"          ? csr_merge
               : id == "csr_ranked"         ? csr_ranked
               : id == "csr_row_masked"     ? csr_row_masked
               : id == "csc_gather_scatter" ? csc_gather_scatter
               : id == "csc_gather_radix"   ? csc_gather_radix
               : id == "csc_gather_merge"   ? csc_gather_merge
               : id == "dia_slice"          ? dia_slice
               : id == "bsr_row"            ? bsr_row
               : id == "ell_slice"          ? ell_slice
               : id == "tile_row"           ? tile_row
               : id == "tile_column"        ? tile_column
                                            : nullptr;
    }
};

template <class... Cells>
struct cell_list {};

template <binary_id Add, binary_id Multiply, class... T>
using cells_of = cell_list<algebra::cell<Add, Multiply, T>...>;

// Linear algebra.
using arithmetic_cells =
    cells_of<binary_id::plus, binary_id::times, float, double, std::int32_t, std::int64_t>;
using arithmetic_one_sided_cells = cells_of<binary_id::plus, binary_id::second, float, double, std::int64_t>;
// Shortest, longest, widest paths.
using min_plus_cells = cells_of<binary_id::min, binary_id::plus, float, double, std::int32_t, std::int64_t>;
using max_plus_cells = cells_of<binary_id::max, binary_id::plus, double>;
using min_max_cells = cells_of<binary_id::min, binary_id::max, double>;
using max_min_cells = cells_of<binary_id::max, binary_id::min, double>;
// Labels of neighbours (components, propagation).
using min_second_cells = cells_of<binary_id::min, binary_id::second, double, std::int32_t, std::int64_t>;
using min_first_cells = cells_of<binary_id::min, binary_id::first, std::int64_t>;
using max_second_cells = cells_of<binary_id::max, binary_id::second, double, std::int64_t>;
using any_second_cells = cells_of<binary_id::any, binary_id::second, double, std::int32_t, std::int64_t>;
// Structure: reachability, parents, counts.
using lor_land_cells = cells_of<binary_id::lor, binary_id::land, bool>;
using any_pair_cells = cells_of<binary_id::any, binary_id::pair, bool>;
using plus_pair_cells = cells_of<binary_id::plus, binary_id::pair, std::int64_t>;
using any_secondi_cells = cells_of<binary_id::any, binary_id::secondi, std::int32_t, std::int64_t>;
using min_secondi_cells = cells_of<binary_id::min, binary_id::secondi, std::int32_t, std::int64_t>;

std::span<const mxv_cell> arithmetic_mxv();
std::span<const mxv_cell> tropical_mxv();
std::span<const mxv_cell> label_mxv();
std::span<const mxv_cell> structure_mxv();

/// The compiled cell for a monoid, a multiply operator and an operand type (for positional operators: the
/// value type), or null.
const mxv_cell* find_mxv_cell(binary_id add, binary_id multiply, dtype operand);
/// How many cells there are.
std::size_t mxv_cell_count();

}  // namespace nz::instantiate
