// What the forms of mxm share: the operands of a product, its facts and its plan, and running the planned kernel.
#pragma once

#include "instantiate/mxm_cells.hpp"
#include "ops/checks.hpp"
#include "plan/mxm.hpp"
#include "plan/mxm_chunks.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace nz::ops {

struct product {
    const context& ctx;
    const semiring& ring;
    operand left, right;
    const matrix_options& options;
    dtype operand_type, value;
    const instantiate::mxm_cell* cell;  ///< null: not compiled
    bool by_columns = false;            ///< left and right are B^T and A^T, and what comes out C^T

    const storage::csr& a() const { return left.entries(); }
    const storage::csr& b() const { return right.entries(); }
    const storage::csr& b_columns() const { return operand{right.a, !right.transposed}.entries(); }
};

/// The compiled cell of a semiring on matrices of these types; null where there is none.
const instantiate::mxm_cell* mxm_cell_of(const semiring& s, dtype a, dtype b);
product make_product(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                     const matrix_options& options);
/// The same product by columns: C^T = B^T A^T, multiply still taking A's value first.
product by_columns(const product& p);
/// Shapes of the operands, and the pinned kernel.
void check_factors(const product& p);
/// Those and the output's and the mask's shapes.
void check_product(const product& p, const matrix& c);

/// What the plan asks for beyond shapes and counts.
struct mxm_collected {
    array<offset_t> products, words;
    offset_t most_products = 0, most_entries = 0;
};

kernels::mxm_side structure_of(const storage::csr& a);
plan::mxm_facts facts_of(const product& p);
/// Counts the products into `known` and `f`; throws not_supported beyond 2^63 - 1.
void collect_products(const product& p, plan::mxm_facts& f, mxm_collected& known);
mxm_plan make_plan(const product& p, mxm_collected& known);

/// The rows in about as many products each.
std::vector<plan::mxm_piece> mxm_pieces_of(const product& p, const mxm_collected& known, int pieces);
/// Bytes that the context's limit still allows.
std::size_t bytes_left(const context& ctx);

/// The entries of a result, a row's no more than its products and B's columns; and the entries to be expected, from so many rows
/// drawn, fewer where these have more than a 64th of the products.
offset_t most_entries(const product& p, const mxm_collected& known);
double expected_entries(const product& p, const mxm_collected& known, offset_t sampled);

/// Where the symbolic half of a product leaves what the numeric half needs.
struct mxm_counted {
    buffer offsets;  ///< of the result
    int offset_bytes = 4;
    offset_t entries = 0;
    buffer packed;  ///< B's columns by words, where the plan packs them
};

/// The kernel's own T = A B. Where workspace and result do not fit the memory limit at once, rows are counted and filled
/// in chunks, and the plan is changed to say so. Throws out_of_memory with the bytes needed where a chunk of one row with
/// one thread does not fit beside the result. In tests `cuts` cuts the rows there in any case, and `room` is all that a result
/// has which is filled before it is counted.
storage::csr run_compiled(const product& p, mxm_plan& plan, const mxm_collected& known,
                          std::span<const index_t> cuts = {}, std::optional<offset_t> room = {});
/// Its two halves, uncut, without a mask.
mxm_counted count_compiled(const product& p, const mxm_plan& plan, const mxm_collected& known);
storage::csr fill_compiled(const product& p, const mxm_plan& plan, const mxm_collected& known,
                           const mxm_counted& counted);

/// Fills rows [first, last) of a result whose offsets stand, by the plan's kernel, some at a time.
std::function<void(index_t first, index_t last)> rows_filler(const product& p, const mxm_plan& plan,
                                                             const mxm_collected& known, storage::csr& t,
                                                             int threads);

}  // namespace nz::ops
