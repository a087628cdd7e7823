// What a product of diagonals is made of: which of them meet, and its parts on a GPU.
#pragma once

#include "instantiate/dia_cells.hpp"
#include "storage/dia.hpp"

#include <vector>

namespace nz::ops {

/// The diagonals of C = A B: all of it but its values, and the pairs that add up to each.
struct dia_meeting {
    storage::dia c;
    std::vector<kernels::dia_sum> sums;
    std::vector<kernels::dia_pair> pairs;
};
/// Throws not_supported where a diagonal of C would have a gap.
dia_meeting meet(const storage::dia& a, const storage::dia& b, dtype value);

/// A product on the GPU of `ctx`, where A and B are, of the cell's operand type where it reads them. Outlived by all three.
class device_dia_product {
public:
    device_dia_product(const context& ctx, const instantiate::dia_device_cell& cell, const storage::dia& a,
                       const storage::dia& b, dia_meeting met);
    void enqueue() const;
    storage::dia take() && { return std::move(met_.c); }

private:
    const context& ctx_;
    const instantiate::dia_device_cell& cell_;
    dia_meeting met_;
    buffer tables_;
    kernels::mxm_dia_arguments k_;
};

}  // namespace nz::ops
