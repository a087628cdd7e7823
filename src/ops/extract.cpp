#include "kernels/reference/extract.hpp"

#include "core/checks.hpp"
#include "ops/checks.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan extract_plan{"extract", "reference", tier::generic, "index by index, one thread"};

std::string listed(std::string_view what, offset_t count) {
    return fmt::format("{} {} are listed", count, what);
}

}  // namespace

operation_plan extract(const context& ctx, vector& w, const vector& u, const index_list& indices,
                       const vector_options& options) {
    ops::check_output("extract", w, indices.size(u.size()), listed("indices", indices.size(u.size())));
    ops::check_mask("extract", w, options);
    ops::check_indices("extract", "index", indices, u.size());
    ops::check_kernel("extract", options.kernel);
    ops::write_back(ctx, w, kernels::reference::extract(ctx, u.body(), indices), options);
    return extract_plan;
}

operation_plan extract(const context& ctx, matrix& c, const matrix& a, const index_list& rows,
                       const index_list& columns, const matrix_options& options) {
    const ops::operand input{a, options.transpose_a};
    const offset_t row_count = rows.size(input.rows()), column_count = columns.size(input.columns());
    ops::check_output("extract", c, row_count, column_count,
                      listed("rows", row_count) + " and " + listed("columns", column_count));
    ops::check_mask("extract", c, options);
    ops::check_indices("extract", "row", rows, input.rows());
    ops::check_indices("extract", "column", columns, input.columns());
    ops::check_kernel("extract", options.kernel);
    ops::write_back(ctx, c, kernels::reference::extract(ctx, input.entries(), rows, columns), options);
    return extract_plan;
}

operation_plan extract_column(const context& ctx, vector& w, const matrix& a, const index_list& rows,
                              index_t column, const vector_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("extract_column", w, rows.size(input.rows()), listed("rows", rows.size(input.rows())));
    ops::check_mask("extract_column", w, options);
    ops::check_indices("extract_column", "row", rows, input.rows());
    ops::check_index("extract_column", "column", column, input.columns());
    ops::check_kernel("extract_column", options.kernel);
    ops::write_back(ctx, w, kernels::reference::extract_column(ctx, input.entries(), rows, column), options);
    return {"extract_column", extract_plan.kernel, extract_plan.tier, extract_plan.reason};
}

}  // namespace nz
