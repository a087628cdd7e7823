#include "ops/assign_rows.hpp"

#include "core/device.hpp"
#include "kernels/cpu/assign/rows.hpp"
#include "kernels/reference/extract.hpp"
#include "ops/ewise_device.hpp"
#include "ops/extract_rows.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/masks.hpp"
#include "ops/matrix_words.hpp"
#include "ops/select_device.hpp"

namespace nz::ops {
namespace {

using storage::csr;

csr with_one_value(const context& ctx, csr places, scalar x) {
    places.kind = value_kind::iso;
    places.type = x.type();
    places.values = buffer(ctx.memory(), size_of(x.type()));
    storage::store(places.values.data(), x.type(), 0, x.bits());
    return places;
}

// What of A lies within the region, or outside it, of which it is not all.
matrix restricted(const context& ctx, const context& own, const matrix& a, const region& where, bool within,
                  bool places_alone) {
    const auto rows = line_sources::within(ctx, where.rows, a.rows()),
               columns = line_sources::within(ctx, where.columns, a.columns());
    device_lines rows_there(ctx, rows), columns_there(ctx, columns);
    return region_on_device(ctx, own, a, rows.all() ? nullptr : rows_there.named(),
                            columns.all() ? nullptr : columns_there.named(), within, places_alone);
}

}  // namespace

csr spread_scalar(const context& ctx, const matrix& c, scalar x, const region& where, const matrix* mask,
                  bool structure) {
    if (!mask) {
        const csr line = named_row(ctx, where.columns, c.columns(), x.type());
        return with_one_value(ctx,
                              moved_lines(ctx, line, line_sources::repeated(ctx, where.rows, c.rows()),
                                          line_sources::listed(ctx, index_list::all(), c.columns())),
                              x);
    }
    const csr& given = mask->body().rows();
    const auto places = mask_places(ctx, given, structure);
    return with_one_value(ctx,
                          moved_lines(ctx, pattern_of(places ? *places : given, x.type()),
                                      line_sources::within(ctx, where.rows, c.rows()),
                                      line_sources::within(ctx, where.columns, c.columns())),
                          x);
}

csr region_replaced(const context& ctx, const csr& c, const csr& t, const region& where) {
    std::optional<csr> converted;
    if (t.type != c.type) converted = storage::convert_values(ctx, t, c.type);
    const array<bits::word> rows = named_lines(ctx, where.rows, c.rows),
                            columns = named_lines(ctx, where.columns, c.columns);
    const array<index_t> lengths(ctx, static_cast<std::size_t>(c.rows));
    kernels::assign_rows_arguments k;
    k.c = kernels::csr_entries(c);
    k.t = kernels::csr_entries(converted ? *converted : t);
    k.rows = where.rows.is_all() ? nullptr : rows.data();
    k.columns = where.columns.is_all() ? nullptr : columns.data();
    k.threads = ctx.threads();
    k.lengths = lengths.data();
    kernels::cpu::assign_rows_count(k);
    csr z = storage::allocate_csr(ctx, c.type, value_kind::full, c.rows, c.columns,
                                  std::span<const index_t>(lengths.data(), lengths.size()));
    k.out_offsets = {z.offsets.data(), z.offset_bytes == 8};
    k.out_columns = z.indices.as<index_t>();
    k.out_values = z.values.data();
    kernels::cpu::assign_rows_fill(k);
    return z;
}

vector line_of(const context& ctx, const matrix& c, index_t at, bool by_row) {
    const index_list one{std::span<const index_t>(&at, 1)}, all = index_list::all();
    if (!ctx.gpu())
        return storage::make_vector(by_row
                                        ? kernels::reference::extract_row(ctx, c.body().rows(), at)
                                        : kernels::reference::extract_column(ctx, c.body().rows(), all, at));
    matrix only(c.body().ctx, c.type(), by_row ? 1 : c.rows(), by_row ? c.columns() : 1);
    extract(ctx, only, c, by_row ? one : all, by_row ? all : one);
    vector line(c.body().ctx, c.type(), by_row ? c.columns() : c.rows());
    reduce(ctx, line, binary_id::plus, only, {.transpose_a = by_row});  // each sum is of one entry
    return line;
}

matrix matrix_of_line(const context& ctx, const matrix& c, const vector& line, bool by_row) {
    const storage::vector_body v = storage::convert(line.body(), vector_form::sparse);
    array<index_t> lengths(ctx, by_row ? 1 : static_cast<std::size_t>(v.size));
    lengths.fill(by_row ? static_cast<index_t>(v.count) : 0);
    for (offset_t k = 0; !by_row && k < v.count; ++k) lengths.data()[v.index_data()[k]] = 1;
    csr t = storage::allocate_csr(ctx, v.type, value_kind::full, by_row ? 1 : v.size, by_row ? v.size : 1,
                                  std::span<const index_t>(lengths.data(), lengths.size()));
    const auto n = static_cast<std::size_t>(v.count);
    if (by_row)
        std::copy_n(v.index_data(), n, t.indices.as<index_t>());
    else
        std::fill_n(t.indices.as<index_t>(), n, index_t{0});
    std::copy_n(v.values.as<const std::byte>(), n * size_of(v.type), t.values.as<std::byte>());
    return storage::make_matrix(c.body().ctx, std::move(t));
}

std::optional<matrix> spread_scalar_on_device(const context& ctx, const matrix& c, scalar x,
                                              const region& where, const matrix* mask, bool structure) {
    const context& own = c.body().ctx;
    if (!ctx.gpu()) return {};
    return if_it_fits<matrix>([&]() -> std::optional<matrix> {
        if (!mask) {
            const matrix line =
                storage::make_matrix(own, named_row(ctx, where.columns, c.columns(), x.type()));
            const auto t =
                moved_where_it_fits(ctx, own, {line}, line_sources::repeated(ctx, where.rows, c.rows()),
                                    line_sources::listed(ctx, index_list::all(), c.columns()));
            return t ? std::optional(with_one_value_on_device(ctx, own, *t, x)) : std::nullopt;
        }
        const auto passing = mask_places_for_device(ctx, *mask, structure);
        const matrix& places = passing ? *passing : *mask;
        if (where.everything()) return with_one_value_on_device(ctx, own, places, x);
        return with_one_value_on_device(ctx, own, restricted(ctx, own, places, where, true, true), x);
    });
}

std::optional<matrix> region_replaced_on_device(const context& ctx, const matrix& c, const matrix& t,
                                                const region& where) {
    const context& own = c.body().ctx;
    if (!ctx.gpu()) return {};
    return if_it_fits<matrix>([&]() -> std::optional<matrix> {
        const matrix fresh = t.type() == c.type() ? t : in_type_on_device(ctx, own, t, c.type());
        if (c.nnz() == 0) return fresh;
        const matrix rest = restricted(ctx, own, c, where, false, false);
        return join_on_device(ctx, own, kernels::set_operation::unite, moving(c.type()), {rest}, {fresh});
    });
}

}  // namespace nz::ops
