// The facts of a product that cost a look at its structure: how many products each row has, and how B's columns lie.
#pragma once

#include "kernels/mxm_arguments.hpp"

namespace nz::kernels::cpu {

struct mxm_work {
    bool overflow = false;       ///< more than 2^63 - 1 products
    offset_t most_products = 0;  ///< of a row
    double squares = 0;          ///< of the rows' products, summed
    offset_t most_entries = 0;   ///< of a row of A
};

/// Fills before[rows + 1] with the number of products before each row of A.
mxm_work count_products(const mxm_side& a, const mxm_side& b, index_t rows, int threads, offset_t* before);
/// Fills before[rows + 1] with the number of words of 64 columns that the rows of B before each touch.
void count_words(const mxm_side& b, index_t rows, int threads, offset_t* before);

}  // namespace nz::kernels::cpu
