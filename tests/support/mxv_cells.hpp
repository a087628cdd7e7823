// Every compiled semiring and type of mxv, and vectors for them.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "support/model.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nz::test {

inline constexpr unsigned mxv_seed = 20261121;

struct mxv_cell_case {
    const instantiate::mxv_cell* cell;
    semiring ring() const { return {cell->add, cell->multiply, cell->operand}; }
};

inline std::vector<mxv_cell_case> all_mxv_cells() {
    std::vector<mxv_cell_case> cases;
    for (const auto group : {instantiate::arithmetic_mxv(), instantiate::tropical_mxv(),
                             instantiate::label_mxv(), instantiate::structure_mxv()})
        for (const auto& cell : group) cases.push_back({&cell});
    return cases;
}

inline dictionary random_input(index_t size, vector_form form, dtype type, std::mt19937& random) {
    return random_dictionary(size, 1, form == vector_form::dense ? 1.1 : 0.5, type, random);
}

}  // namespace nz::test
