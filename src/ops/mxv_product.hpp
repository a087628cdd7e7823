// One call of mxv or vxm, its operands resolved: what its steps on the host and on a GPU share.
#pragma once

#include "instantiate/mxv_device_cells.hpp"
#include "nonzero/operations.hpp"
#include "plan/mxv.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

/// `transposed` says that A^T is multiplied.
struct mxv_product {
    const context& ctx;
    vector& w;
    const semiring& ring;
    const matrix& a;
    const vector& u;
    const vector_options& options;
    bool transposed;
    dtype operand, value;
    const instantiate::mxv_cell* cell;                ///< null: not compiled
    const instantiate::mxv_device_cell* device_cell;  ///< null: not compiled, or there is no GPU

    const storage::matrix_body& body() const { return a.body(); }
    /// What a matvec by rows reads, and what one by columns reads.
    const storage::csr& pulled(bool sorted) const {
        return transposed ? body().columns() : sorted ? body().rows() : body().rows_as_given();
    }
    const storage::csr& pushed() const { return transposed ? body().rows() : body().columns(); }
    /// The same for those who read no array on the host.
    const storage::csr& pulled_anywhere() const {
        return transposed ? body().columns_anywhere(ctx) : body().rows_anywhere();
    }
    const storage::csr& pushed_anywhere() const {
        return transposed ? body().rows_anywhere() : body().columns_anywhere(ctx);
    }
    /// Of the values that tiles and slices need: none where the multiply operator ignores them.
    std::optional<dtype> tile_type() const {
        return ring.ignores_a() ? std::nullopt : std::optional(operand);
    }
    offset_t output_size() const { return transposed ? a.columns() : a.rows(); }
    offset_t input_size() const { return transposed ? a.rows() : a.columns(); }
};

/// The compiled cell of a semiring on a matrix and a vector of these types; null where there is none.
const instantiate::mxv_cell* mxv_cell_of(const semiring& s, dtype a, dtype u);
mxv_product make_mxv_product(const context& ctx, vector& w, const semiring& s, const matrix& a,
                             const vector& u, const vector_options& options, bool transposed);
/// A matrix's tiles as kernels see them; `lists` where they ask for it.
kernels::value_tile_arguments tile_pointers(const storage::value_tiles& t, const storage::tile_lists* lists);
kernels::slice_arguments slice_pointers(const storage::dia_slices& s);
kernels::rank_arguments rank_pointers(const storage::ranked_columns& r);
kernels::bin_arguments bin_pointers(const storage::column_bins& b);
/// What the plan may look at, but for what only a kernel's own device or a count of products tells.
plan::mxv_facts mxv_facts_of(const mxv_product& p);
/// Plans, runs and writes back on the context's GPU.
mxv_plan multiply_on_device(const mxv_product& p, plan::mxv_facts facts);

}  // namespace nz::ops
