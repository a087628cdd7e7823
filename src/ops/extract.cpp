#include "kernels/reference/extract.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "ops/assign_rows.hpp"
#include "ops/checks.hpp"
#include "ops/extract_rows.hpp"
#include "ops/places.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"
#include "plan/assign.hpp"

namespace nz {
namespace {

constexpr operation_plan extract_plan{"extract", "reference", tier::generic, "index by index, one thread"};
constexpr operation_plan places_plan{"extract", "places", tier::compiled, "places shared out"};
constexpr operation_plan extract_rows_plan{"extract", "rows", tier::compiled,
                                           "rows shared out, columns by their places"};

std::string listed(std::string_view what, offset_t count) {
    return fmt::format("{} {} are listed", count, what);
}

}  // namespace

operation_plan extract(const context& ctx, vector& w, const vector& u, const index_list& indices,
                       const vector_options& options) {
    ops::check_output("extract", w, indices.size(u.size()), listed("indices", indices.size(u.size())));
    ops::check_mask("extract", w, options);
    ops::check_indices(ctx, "extract", "index", indices, u.size());
    ops::check_kernel("extract", options.kernel);
    require<not_supported>(options.kernel != extract_rows_plan.kernel,
                           "extract: kernel rows is for matrices: leave the pin out");
    const device::arrivals arrived(ctx);
    if (options.kernel != "reference")
        if (auto t = ops::extract_places_on_device(ctx, u, indices)) {
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            return plan::on_gpu(places_plan, arrived.bytes());
        }
    const storage::vector_body& from = u.body();
    if (options.kernel == "reference" ||
        (options.kernel.empty() &&
         !plan::moves_places(from.form == vector_form::sparse, from.size, indices.size(from.size)))) {
        ops::write_back(ctx, w, kernels::reference::extract(ctx, from, indices), options);
        return extract_plan;
    }
    ops::write_back(ctx, w, ops::extract_places(ctx, from, indices), options);
    return places_plan;
}

operation_plan extract(const context& ctx, matrix& c, const matrix& a, const index_list& rows,
                       const index_list& columns, const matrix_options& options) {
    const ops::operand input{a, options.transpose_a};
    const offset_t row_count = rows.size(input.rows()), column_count = columns.size(input.columns());
    ops::check_output("extract", c, row_count, column_count,
                      listed("rows", row_count) + " and " + listed("columns", column_count));
    ops::check_mask("extract", c, options);
    ops::check_indices(ctx, "extract", "row", rows, input.rows());
    ops::check_indices(ctx, "extract", "column", columns, input.columns());
    ops::check_kernel("extract", options.kernel);
    require<not_supported>(options.kernel != places_plan.kernel,
                           "extract: kernel places is for vectors: leave the pin out");
    if (options.kernel == "reference") {
        ops::write_back(ctx, c, kernels::reference::extract(ctx, input.entries(), rows, columns), options);
        return extract_plan;
    }
    const auto from_rows = ops::line_sources::listed(ctx, rows, input.rows()),
               from_columns = ops::line_sources::listed(ctx, columns, input.columns());
    const device::arrivals arrived(ctx);
    if (auto t = ops::moved_where_it_fits(ctx, c.body().ctx, input, from_rows, from_columns)) {
        ops::write_back_from_device(ctx, c, std::move(*t), options);
        return plan::on_gpu(extract_rows_plan, arrived.bytes());
    }
    ops::write_back(ctx, c, ops::moved_lines(ctx, input.entries(), from_rows, from_columns), options);
    return extract_rows_plan;
}

operation_plan extract_column(const context& ctx, vector& w, const matrix& a, const index_list& rows,
                              index_t column, const vector_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("extract_column", w, rows.size(input.rows()), listed("rows", rows.size(input.rows())));
    ops::check_mask("extract_column", w, options);
    ops::check_indices(ctx, "extract_column", options.transpose_a ? "column" : "row", rows, input.rows());
    ops::check_index("extract_column", options.transpose_a ? "row" : "column", column, input.columns());
    ops::check_kernel("extract_column", options.kernel);
    if (options.transpose_a && options.kernel != "reference") {  // a row of A
        vector_options writing = options;
        writing.transpose_a = false;
        operation_plan plan = extract(ctx, w, ops::line_of(ctx, a, column, true), rows, writing);
        plan.operation = "extract_column";
        return plan;
    }
    require<not_supported>(options.kernel.empty() || options.kernel == "reference" ||
                               (options.kernel == extract_rows_plan.kernel && ctx.gpu()),
                           "extract_column: kernel {} does not serve a column here: leave the pin out",
                           options.kernel);
    if (!ctx.gpu() || options.kernel == "reference") {
        ops::write_back(ctx, w, kernels::reference::extract_column(ctx, input.entries(), rows, column),
                        options);
        return {"extract_column", "reference", tier::generic, "a search in each row, one thread"};
    }
    matrix only(ctx, a.type(), rows.size(input.rows()), 1);
    operation_plan plan = extract(ctx, only, a, rows, index_list(std::span<const index_t>(&column, 1)),
                                  {.transpose_a = options.transpose_a});
    vector_options writing = options;
    writing.transpose_a = false;
    writing.kernel = {};
    plan.moved_bytes += reduce(ctx, w, binary_id::plus, only, writing).moved_bytes;  // of one entry each
    plan.operation = "extract_column";
    return plan;
}

}  // namespace nz
