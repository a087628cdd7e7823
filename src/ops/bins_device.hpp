// Column bins made on a GPU from the CSR that is there.
#pragma once

#include "storage/matrix_body.hpp"

namespace nz::ops {

/// The bins of `of`, which is body.rows_anywhere() or body.columns_anywhere(), on the context's GPU, for operands of so many bytes, with
/// values of `type` where one is given; made once. Throws not_supported beyond 2^31 entries or the ranges that a bin may have, and
/// out_of_memory naming the bytes.
std::shared_ptr<const storage::column_bins> bins_on_device(const context& ctx,
                                                           const storage::matrix_body& body,
                                                           const storage::csr& of, std::optional<dtype> type,
                                                           std::size_t operand_bytes);

}  // namespace nz::ops
