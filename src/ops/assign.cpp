// assign has the meaning of GrB_assign: the result Z is the whole output with the listed region assigned
// (united through the accumulator where there is one), and the mask and replace then act on all of the
// output.
#include "plan/assign.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/reference/assign.hpp"
#include "ops/assign_rows.hpp"
#include "ops/checks.hpp"
#include "ops/extract_rows.hpp"
#include "ops/masks.hpp"
#include "ops/places.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

using storage::csr;
using storage::vector_body;

constexpr operation_plan spread_plan{"assign", "reference", tier::generic,
                                     "entries spread over the output's shape, one thread"};
constexpr operation_plan places_plan{"assign", "places", tier::compiled, "places shared out"};
constexpr operation_plan in_place_plan{"assign", "places", tier::compiled,
                                       "few places, written where they lie, one thread"};

// With an accumulator, writing back unites t with the old output. Without one, Z is made here, unless the
// region is everything and Z is t.
void finish_by_reference(const context& ctx, vector& w, vector_body&& t, const index_list& indices,
                         const vector_options& options) {
    if (!options.accum && !indices.is_all())
        t = kernels::reference::replace_region(ctx, w.body(), t, indices);
    ops::write_back(ctx, w, std::move(t), options);
}
// `within_mask`: t has nothing that the mask bars.
void finish(const context& ctx, matrix& c, csr&& t, const ops::region& where, const matrix_options& options,
            bool within_mask = false) {
    const bool alone = options.accum || where.everything();
    if (!alone) t = ops::region_replaced(ctx, c.body().rows(), t, where);
    ops::write_back(ctx, c, std::move(t), options, alone && within_mask);
}
// The same on a GPU; false where there is no room.
bool finish_on_device(const context& ctx, matrix& c, matrix t, const ops::region& where,
                      const matrix_options& options, bool within_mask = false) {
    const bool alone = options.accum || where.everything();
    if (!alone) {
        auto z = ops::region_replaced_on_device(ctx, c, t, where);
        if (!z) return false;
        t = std::move(*z);
    }
    ops::write_back_from_device(ctx, c, std::move(t), options, alone && within_mask);
    return true;
}
void finish_by_reference(const context& ctx, matrix& c, csr&& t, const ops::region& where,
                         const matrix_options& options) {
    if (!options.accum && !where.everything())
        t = kernels::reference::replace_region(ctx, c.body().rows(), t, where.rows, where.columns);
    ops::write_back(ctx, c, std::move(t), options);
}

// The scalar at the true places of a sparse mask.
vector_body at_places_of(const context& ctx, scalar x, const vector& mask, bool structure) {
    const vector_body& m = mask.body();
    vector_body t = storage::make_vector_body(ctx, x.type(), m.size, vector_form::sparse, m.count);
    offset_t count = 0;
    for (offset_t k = 0; k < m.count; ++k)
        if (structure || ops::truthy(m.values.data(), m.type, k)) {
            t.indices.as<index_t>()[count] = m.index_data()[k];
            storage::store(t.values.data(), x.type(), count++, x.bits());
        }
    t.count = count;
    return t;
}

vector_body spread(const context& ctx, const ops::assigned& u, const index_list& indices, const vector& w,
                   const vector_options& options) {
    if (indices.is_all()) {
        if (u.u) return storage::copy(u.u->body());
        if (plan::assigns_within_mask({options.mask != nullptr, options.mask_complement}) &&
            options.mask->form() == vector_form::sparse)
            return at_places_of(ctx, u.x, *options.mask, options.mask_structure);
        vector full = vector::full(ctx, w.size(), u.x);
        return std::move(full.mutable_body());
    }
    return u.u ? kernels::reference::spread(ctx, u.u->body(), indices, w.body().size)
               : kernels::reference::spread(ctx, u.x, indices, w.body().size);
}

operation_plan assign_vector(const context& ctx, vector& w, const ops::assigned& u, const index_list& indices,
                             const vector_options& options) {
    const bool pinned = !options.kernel.empty(), keeps_rest = !options.accum && !indices.is_all();
    const device::arrivals arrived(ctx);
    if (options.kernel != "reference")
        if (auto t = ops::assign_places_on_device(ctx, w, u, indices, keeps_rest)) {
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            return plan::on_gpu(places_plan, arrived.bytes());
        }
    const bool unmasked = !options.mask && !options.mask_complement,
               may_throw = options.accum && options.accum->id() == binary_id::user;
    if (options.kernel != "reference" && unmasked && !may_throw && !indices.is_all() &&
        plan::goes_to_places(w.size(), indices.size(w.size())) &&
        ops::assign_in_place(w, u, indices, options.accum))
        return in_place_plan;
    const bool moves =
        pinned ? options.kernel == places_plan.kernel
               : plan::moves_places(w.form() == vector_form::sparse, w.size(), indices.size(w.size()));
    if (moves && !indices.is_all()) {
        ops::write_back(ctx, w, ops::assign_places(ctx, w.body(), u, indices, keeps_rest), options);
        return places_plan;
    }
    finish_by_reference(ctx, w, spread(ctx, u, indices, w, options), indices, options);
    return moves ? places_plan : spread_plan;
}

void check(const context& ctx, const vector& w, const index_list& indices, const vector_options& options) {
    ops::check_mask("assign", w, options);
    ops::check_indices(ctx, "assign", "index", indices, w.size());
    ops::check_kernel("assign", options.kernel);
    require<not_supported>(options.kernel != "rows",
                           "assign: kernel rows is for matrices: leave the pin out");
}
void check(const context& ctx, const matrix& c, const index_list& rows, const index_list& columns,
           const matrix_options& options) {
    ops::check_mask("assign", c, options);
    ops::check_indices(ctx, "assign", "row", rows, c.rows());
    ops::check_indices(ctx, "assign", "column", columns, c.columns());
    ops::check_kernel("assign", options.kernel);
    require<not_supported>(options.kernel != "places",
                           "assign: kernel places is for vectors: leave the pin out");
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

operation_plan assign_line(std::string_view operation, const context& ctx, matrix& c, const vector& u,
                           index_t at, const index_list& list, bool by_row, const vector_options& options) {
    vector line = ops::line_of(ctx, c, at, by_row);
    check_line(operation, line, u, list, options);
    assign(ctx, line, u, list, options);
    operation_plan plan = spread_plan;
    if (options.kernel == "reference") {
        const csr& rows = c.body().rows();
        c = storage::make_matrix(c.body().ctx,
                                 by_row ? kernels::reference::replace_row(ctx, rows, at, line.body())
                                        : kernels::reference::replace_column(ctx, rows, at, line.body()));
    } else {
        const index_list one{std::span<const index_t>(&at, 1)}, all = index_list::all();
        plan =
            assign(ctx, c, ops::matrix_of_line(ctx, c, line, by_row), by_row ? one : all, by_row ? all : one);
    }
    plan.operation = operation;
    return plan;
}

}  // namespace

operation_plan assign(const context& ctx, vector& w, const vector& u, const index_list& indices,
                      const vector_options& options) {
    const offset_t listed = indices.size(w.size());
    require<dimension_mismatch>(u.size() == listed, "assign: {}, but {} places of w are listed ({})",
                                ops::describe("u", u), listed, ops::describe("w", w));
    check(ctx, w, indices, options);
    return assign_vector(ctx, w, ops::assigned{.u = &u}, indices, options);
}

operation_plan assign(const context& ctx, vector& w, scalar x, const index_list& indices,
                      const vector_options& options) {
    check(ctx, w, indices, options);
    return assign_vector(ctx, w, ops::assigned{.x = x}, indices, options);
}

operation_plan assign(const context& ctx, matrix& c, const matrix& a, const index_list& rows,
                      const index_list& columns, const matrix_options& options) {
    const ops::operand input{a, options.transpose_a};
    const offset_t row_count = rows.size(c.rows()), column_count = columns.size(c.columns());
    require<dimension_mismatch>(input.rows() == row_count && input.columns() == column_count,
                                "assign: {}, but {} rows and {} columns of C are listed ({})",
                                input.describe("A"), row_count, column_count, ops::operand{c}.describe("C"));
    check(ctx, c, rows, columns, options);
    const ops::region where{rows, columns};
    operation_plan plan = plan::assign(options.kernel);
    if (plan.kernel == "reference") {
        finish_by_reference(ctx, c,
                            kernels::reference::spread(ctx, input.entries(), rows, columns,
                                                       c.body().row_count, c.body().column_count),
                            where, options);
        return plan;
    }
    const auto from_rows = ops::line_sources::spread(ctx, rows, c.rows()),
               from_columns = ops::line_sources::spread(ctx, columns, c.columns());
    const device::arrivals arrived(ctx);
    if (auto t = ops::moved_where_it_fits(ctx, c.body().ctx, input, from_rows, from_columns))
        if (finish_on_device(ctx, c, std::move(*t), where, options))
            return plan::on_gpu(plan, arrived.bytes());
    finish(ctx, c, ops::moved_lines(ctx, input.entries(), from_rows, from_columns), where, options);
    return plan;
}

operation_plan assign(const context& ctx, matrix& c, scalar x, const index_list& rows,
                      const index_list& columns, const matrix_options& options) {
    check(ctx, c, rows, columns, options);
    const ops::region where{rows, columns};
    const plan::assign_scalar_facts facts{options.mask != nullptr, options.mask_complement};
    const bool within = plan::assigns_within_mask(facts);
    operation_plan plan = plan::assign_scalar(facts, options.kernel);
    if (plan.kernel == "reference") {
        csr t = within ? kernels::reference::spread_masked(ctx, x, rows, columns, options.mask->body().rows(),
                                                           options.mask_structure)
                       : kernels::reference::spread(ctx, x, rows, columns, c.body().row_count,
                                                    c.body().column_count);
        finish_by_reference(ctx, c, std::move(t), where, options);
        return plan;
    }
    const matrix* const mask = within ? options.mask : nullptr;
    const device::arrivals arrived(ctx);
    if (auto t = ops::spread_scalar_on_device(ctx, c, x, where, mask, options.mask_structure))
        if (finish_on_device(ctx, c, std::move(*t), where, options, within))
            return plan::on_gpu(plan, arrived.bytes());
    finish(ctx, c, ops::spread_scalar(ctx, c, x, where, mask, options.mask_structure), where, options,
           within);
    return plan;
}

operation_plan assign_row(const context& ctx, matrix& c, const vector& u, index_t row,
                          const index_list& columns, const vector_options& options) {
    ops::check_index("assign_row", "row", row, c.rows());
    return assign_line("assign_row", ctx, c, u, row, columns, true, options);
}

operation_plan assign_column(const context& ctx, matrix& c, const vector& u, const index_list& rows,
                             index_t column, const vector_options& options) {
    ops::check_index("assign_column", "column", column, c.columns());
    return assign_line("assign_column", ctx, c, u, column, rows, false, options);
}

}  // namespace nz
