// The last of an operation's five steps, the same for all: w<mask, replace> = accum(w, t), as the GraphBLAS C
// specification 2.1 defines it. Where there is an accumulator, entries of the old output and of t are united;
// where the mask does not let through, the old entry stays or, with replace, goes. Without a mask everything
// is let through, and nothing when that is complemented.
#pragma once

#include "nonzero/operations.hpp"
#include "storage/csr.hpp"
#include "storage/vector_body.hpp"

namespace nz::ops {

/// A vector that is not full is held as a bitmap when more than one entry in this many is present: from there
/// on the bitmap's values take at most about eight times the memory of the sparse form and are found in O(1).
inline constexpr offset_t bitmap_from_one_in = 16;

/// The same vector in the form that suits its count: dense when full, else bitmap or sparse.
storage::vector_body settled(storage::vector_body&& v);
/// The same of an output in its place, which stays as it is where there is no memory for another form.
void settle(storage::vector_body& v);

void write_back(const context& ctx, vector& w, storage::vector_body&& t, const vector_options& options);
/// `within_mask`: t has no entry that the mask bars.
void write_back(const context& ctx, matrix& c, storage::csr&& t, const matrix_options& options,
                bool within_mask = false);
/// The same for a t on the GPU, where the new output stays.
void write_back_from_device(const context& ctx, matrix& c, matrix t, const matrix_options& options,
                            bool within_mask = false);

}  // namespace nz::ops
