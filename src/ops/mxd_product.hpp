// A product of a sparse and a dense matrix, its operands checked: what the CPU's and the GPU's halves of mxd share.
#pragma once

#include "instantiate/dense_cells.hpp"
#include "instantiate/dense_device_cells.hpp"
#include "ops/checks.hpp"
#include "ops/dense.hpp"

namespace nz::ops {

struct mxd_product {
    const context& ctx;
    const semiring& ring;
    operand left;
    storage::dense b, c;
    const dense_options& options;
    dtype operand_type, value_type;
    const instantiate::dense_cell* cell;                ///< null: not compiled
    const instantiate::dense_device_cell* device_cell;  ///< null: not on this context's GPU
    bool b_on_device, c_on_device;                      ///< the caller's memory is the GPU's

    const storage::csr& a() const { return left.entries(); }
    /// The same for those who read no array on the host.
    const storage::csr& a_anywhere() const {
        const storage::matrix_body& body = left.a.body();
        return left.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    }
};

/// The compiled cell of a semiring on matrices of these types; null where there is none.
const instantiate::dense_cell* dense_cell_of(const semiring& s, dtype a, dtype b);
/// Checked.
mxd_product make_mxd_product(const context& ctx, const dense_output& c, const semiring& s, const matrix& a,
                             const dense_input& b, const dense_options& options);
dense_plan plan_mxd(const mxd_product& p);
/// C = T converted, or accum(C, T) in the rows that have entries; both in the host's memory.
void write_back_dense(const mxd_product& p, const storage::dense& t);

}  // namespace nz::ops
