// Changes to an input that options ask for, before the verb sees it.
#pragma once

#include "nonzero/io.hpp"

namespace nz::cli {

struct transformation {
    bool symmetrize = false;         ///< the pattern of A or A^T; where both hold an entry, A's value stays
    bool drop_loops = false;         ///< no entries on the diagonal
    bool largest_component = false;  ///< only the largest weakly connected component, renumbered in order

    bool any() const { return symmetrize || drop_loops || largest_component; }
};

/// Changes `in`; its original_ids keep naming the vertices as the source does. Throws usage_error for a
/// matrix that is not square.
void transform(const context& ctx, input& in, transformation t);
/// The same entries with values of another type; the matrix itself where it has none or they are of this
/// type.
matrix with_type(const context& ctx, const matrix& a, dtype type);

}  // namespace nz::cli
