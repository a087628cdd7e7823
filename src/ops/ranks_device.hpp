// Columns ranked on a GPU from the CSR that is there.
#pragma once

#include "storage/matrix_body.hpp"

namespace nz::ops {

/// The ranks of the columns of `of`, which is body.rows_anywhere() or body.columns_anywhere(), on the context's GPU; made once. Throws
/// out_of_memory naming the bytes.
std::shared_ptr<const storage::ranked_columns> ranks_on_device(const context& ctx,
                                                               const storage::matrix_body& body,
                                                               const storage::csr& of);

}  // namespace nz::ops
