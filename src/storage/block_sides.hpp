// How large blocks of a matrix may be (bsr.hpp), and what a sample says of them: for plans and kernels to read.
#pragma once

#include <array>
#include <cstdint>

namespace nz::storage {

/// Rows and columns of a block: nodes with more unknowns, or with seven, are rare.
inline constexpr std::array block_sides = {2, 3, 4, 5, 6, 8};
inline constexpr int largest_block = block_sides.back();

/// All places of a block, or of one of its columns.
constexpr std::uint64_t block_mask(int places) {
    return places == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << places) - 1;
}

/// Blocks for each entry, for each of block_sides: 1 / side^2 where all are full, 1 where no two entries share one.
struct block_sample {
    std::array<double, block_sides.size()> blocks{};
};

}  // namespace nz::storage
