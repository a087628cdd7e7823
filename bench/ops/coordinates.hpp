// Coordinates in random order, and the matrix they make: what the transposes' suites build from.
#pragma once

#include "nonzero/nonzero.hpp"

#include <string>
#include <vector>

namespace nz::bench {

/// Values are positions in the matrix, so that each is another one.
struct coordinates {
    matrix a;
    std::vector<index_t> rows, columns;
    std::vector<double> values;

    coo_view<double> view() const {
        return {static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()), rows, columns, values};
    }
};

/// Those of a generated matrix or a file, without repeats, in an order that is the same in every run.
coordinates shuffled_coordinates(const context& ctx, const std::string& source);

}  // namespace nz::bench
