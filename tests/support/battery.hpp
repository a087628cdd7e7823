// The shapes of matrices that every operation is tried on.
#pragma once

#include "support/model.hpp"

#include <string>
#include <vector>

namespace nz::test {

struct named_dictionary {
    std::string name;
    dictionary entries;
};

/// Small matrices: empty, 0 x n, n x 0, 1 x 1, one entry, diagonal, dense, empty rows and columns, both kinds
/// of rectangles, a long row, a long column, a few hubs, pattern. Values come from `random`.
std::vector<named_dictionary> matrix_battery(dtype type, std::mt19937& random);
/// A square one and a rectangle, larger: several bitmap words, more rows than one thread's share.
std::vector<named_dictionary> larger_matrices(dtype type, std::mt19937& random);
/// Rows of none to 2,500 entries: tiles hold many rows, and rows run over many tiles.
dictionary uneven_rows(index_t rows, index_t columns, dtype type, std::mt19937& random);

}  // namespace nz::test
