// Slices made on a GPU from the CSR that is there.
#pragma once

#include "storage/matrix_body.hpp"

namespace nz::ops {

/// The slices of `of`, which is body.rows_anywhere() or body.columns_anywhere(), on the context's GPU; made once. Throws out_of_memory
/// naming the bytes.
std::shared_ptr<const storage::dia_slices> slices_on_device(const context& ctx,
                                                            const storage::matrix_body& body,
                                                            const storage::csr& of,
                                                            std::optional<dtype> type);

}  // namespace nz::ops
