// What apply/places is called with: numbers made of where entries are.
#pragma once

#include "kernels/offset_reader.hpp"
#include "nonzero/types.hpp"

namespace nz::kernels {

/// to[p] = row i + column j + shift for entry p at (i, j), modulo 2^64. A vector's entry i is taken as at (., i): `column` weighs it.
struct apply_places_arguments {
    std::int64_t row = 0, column = 0, shift = 0;
    offset_t entries = 0;
    const index_t* columns = nullptr;  ///< [entries]; null: entry p's is p
    /// Where `row` is not 0: on a CPU the offsets of the rows, on a GPU the row of each entry.
    offset_reader offsets;
    index_t rows = 0;
    const index_t* row_of = nullptr;
    int threads = 1;
    std::int64_t* to = nullptr;

    constexpr std::int64_t of(std::int64_t i, std::int64_t j) const {
        using word = std::uint64_t;
        return static_cast<std::int64_t>(static_cast<word>(row) * static_cast<word>(i) +
                                         static_cast<word>(column) * static_cast<word>(j) +
                                         static_cast<word>(shift));
    }
};

}  // namespace nz::kernels
