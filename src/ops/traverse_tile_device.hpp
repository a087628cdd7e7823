// traverse/tile on a GPU: its tiles, made there, and its run.
#pragma once

#include "nonzero/traverse.hpp"
#include "plan/traverse.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

/// The bit tiles of `of`, which is body.rows_anywhere() or body.columns_anywhere(), on the context's GPU; made once.
std::shared_ptr<const storage::bit_tiles> bit_tiles_on_device(const context& ctx,
                                                              const storage::matrix_body& body,
                                                              const storage::csr& of, int size,
                                                              int least_entries);
traverse_result traverse_tile_on_device(const context& ctx, const matrix& a, offset_t source,
                                        const traverse_options& o, const plan::traverse_plan& plan);

}  // namespace nz::ops
