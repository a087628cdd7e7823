// assign has the meaning of GrB_assign: the result Z is the whole output with the listed region assigned
// (united through the accumulator where there is one), and the mask and replace then act on all of the
// output.
#include "plan/assign.hpp"

#include "core/checks.hpp"
#include "kernels/reference/assign.hpp"
#include "kernels/reference/extract.hpp"
#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

using storage::csr;
using storage::vector_body;

constexpr operation_plan spread_plan{"assign", "reference", tier::generic,
                                     "entries spread over the output's shape, one thread"};

// With an accumulator, writing back unites t with the old output. Without one, Z is made here, unless the
// region is everything and Z is t.
void finish(const context& ctx, vector& w, vector_body&& t, const index_list& indices,
            const vector_options& options) {
    if (!options.accum && !indices.is_all())
        t = kernels::reference::replace_region(ctx, w.body(), t, indices);
    ops::write_back(ctx, w, std::move(t), options);
}
void finish(const context& ctx, matrix& c, csr&& t, const index_list& rows, const index_list& columns,
            const matrix_options& options) {
    const bool everything = rows.is_all() && columns.is_all();
    if (!options.accum && !everything)
        t = kernels::reference::replace_region(ctx, c.body().rows(), t, rows, columns);
    ops::write_back(ctx, c, std::move(t), options);
}

vector_body spread(const context& ctx, const vector& u, const index_list& indices, const vector& w) {
    return indices.is_all() ? storage::copy(u.body())
                            : kernels::reference::spread(ctx, u.body(), indices, w.body().size);
}
vector_body spread(const context& ctx, scalar x, const index_list& indices, const vector& w) {
    if (!indices.is_all()) return kernels::reference::spread(ctx, x, indices, w.body().size);
    vector full = vector::full(ctx, w.size(), x);
    return std::move(full.mutable_body());
}

void check(const vector& w, const index_list& indices, const vector_options& options) {
    ops::check_mask("assign", w, options);
    ops::check_indices("assign", "index", indices, w.size());
    ops::check_kernel("assign", options.kernel);
}
void check(const matrix& c, const index_list& rows, const index_list& columns,
           const matrix_options& options) {
    ops::check_mask("assign", c, options);
    ops::check_indices("assign", "row", rows, c.rows());
    ops::check_indices("assign", "column", columns, c.columns());
    ops::check_kernel("assign", options.kernel);
}

// A row or column of a matrix is assigned as a vector and put back, so that mask and replace see only it.
void check_line(std::string_view operation, const vector& line, const vector& u, const index_list& list,
                const vector_options& options) {
    require<dimension_mismatch>(u.size() == list.size(line.size()), "{}: {}, but {} places are listed",
                                operation, ops::describe("u", u), list.size(line.size()));
    if (options.mask)
        require<dimension_mismatch>(options.mask->size() == line.size(),
                                    "{}: {}, the line of C has size {}: the mask covers all of it", operation,
                                    ops::describe("the mask", *options.mask), line.size());
}

}  // namespace

operation_plan assign(const context& ctx, vector& w, const vector& u, const index_list& indices,
                      const vector_options& options) {
    const offset_t listed = indices.size(w.size());
    require<dimension_mismatch>(u.size() == listed, "assign: {}, but {} places of w are listed ({})",
                                ops::describe("u", u), listed, ops::describe("w", w));
    check(w, indices, options);
    finish(ctx, w, spread(ctx, u, indices, w), indices, options);
    return spread_plan;
}

operation_plan assign(const context& ctx, vector& w, scalar x, const index_list& indices,
                      const vector_options& options) {
    check(w, indices, options);
    finish(ctx, w, spread(ctx, x, indices, w), indices, options);
    return spread_plan;
}

operation_plan assign(const context& ctx, matrix& c, const matrix& a, const index_list& rows,
                      const index_list& columns, const matrix_options& options) {
    const ops::operand input{a, options.transpose_a};
    const offset_t row_count = rows.size(c.rows()), column_count = columns.size(c.columns());
    require<dimension_mismatch>(input.rows() == row_count && input.columns() == column_count,
                                "assign: {}, but {} rows and {} columns of C are listed ({})",
                                input.describe("A"), row_count, column_count, ops::operand{c}.describe("C"));
    check(c, rows, columns, options);
    finish(ctx, c,
           kernels::reference::spread(ctx, input.entries(), rows, columns, c.body().row_count,
                                      c.body().column_count),
           rows, columns, options);
    return spread_plan;
}

operation_plan assign(const context& ctx, matrix& c, scalar x, const index_list& rows,
                      const index_list& columns, const matrix_options& options) {
    check(c, rows, columns, options);
    const plan::assign_scalar_facts facts{options.mask != nullptr, options.mask_complement};
    csr t =
        plan::assigns_within_mask(facts)
            ? kernels::reference::spread_masked(ctx, x, rows, columns, options.mask->body().rows(),
                                                options.mask_structure)
            : kernels::reference::spread(ctx, x, rows, columns, c.body().row_count, c.body().column_count);
    finish(ctx, c, std::move(t), rows, columns, options);
    return plan::assign_scalar(facts);
}

operation_plan assign_row(const context& ctx, matrix& c, const vector& u, index_t row,
                          const index_list& columns, const vector_options& options) {
    ops::check_index("assign_row", "row", row, c.rows());
    vector line = storage::make_vector(kernels::reference::extract_row(ctx, c.body().rows(), row));
    check_line("assign_row", line, u, columns, options);
    assign(ctx, line, u, columns, options);
    c = storage::make_matrix(c.body().ctx,
                             kernels::reference::replace_row(ctx, c.body().rows(), row, line.body()));
    return {"assign_row", spread_plan.kernel, spread_plan.tier, spread_plan.reason};
}

operation_plan assign_column(const context& ctx, matrix& c, const vector& u, const index_list& rows,
                             index_t column, const vector_options& options) {
    ops::check_index("assign_column", "column", column, c.columns());
    vector line = storage::make_vector(
        kernels::reference::extract_column(ctx, c.body().rows(), index_list::all(), column));
    check_line("assign_column", line, u, rows, options);
    assign(ctx, line, u, rows, options);
    c = storage::make_matrix(c.body().ctx,
                             kernels::reference::replace_column(ctx, c.body().rows(), column, line.body()));
    return {"assign_column", spread_plan.kernel, spread_plan.tier, spread_plan.reason};
}

}  // namespace nz
