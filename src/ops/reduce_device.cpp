#include "ops/reduce_device.hpp"

#include "core/device.hpp"
#include "instantiate/vector_cells.hpp"
#include "storage/device_vector.hpp"

namespace nz::ops {

bool sums_rows_on_device(const monoid& add, dtype type) {
    return instantiate::find_reduce_rows_on_device(add.id(), type) != nullptr;
}

void write_row_sums_on_device(const context& ctx, const monoid& add, const operand& a, dtype type,
                              const void* values, bool one_value, void* sums) {
    const storage::matrix_body& body = a.a.body();
    const storage::csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto entries = a.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    const auto balance = body.balance_on(ctx, of);
    const bool dense = balance->row_numbers.data() == nullptr;
    const auto chunks = static_cast<std::size_t>((of.nnz - 1) / storage::merge_chunk_entries + 1);
    const buffer carries(ctx.device_memory(), chunks * size_of(type));
    kernels::device_reduce_rows_arguments k;
    k.entries = of.nnz;
    k.held_rows = balance->held_rows;
    k.offsets = {dense ? entries->offsets.data() : balance->held_offsets.data(), of.offset_bytes == 8};
    k.row_numbers = balance->row_numbers.as<const index_t>();
    k.chunk_rows = balance->chunk_rows.as<const index_t>();
    k.values = values;
    k.one_value = one_value;
    k.sums = sums;
    k.carries = carries.data();
    instantiate::find_reduce_rows_on_device(add.id(), type)(k, ctx.gpu()->stream());
}

vector sum_rows_on_device(const context& ctx, const monoid& add, const operand& a, dtype type,
                          const void* values, bool one_value) {
    const storage::matrix_body& body = a.a.body();
    const storage::csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto balance = body.balance_on(ctx, of);
    const bool dense = balance->row_numbers.data() == nullptr;
    storage::device_vector sums = storage::allocate_on_device(
        ctx, type, of.rows, dense ? vector_form::dense : vector_form::bitmap, balance->held_rows);
    if (type == dtype::boolean && !dense)  // no other byte is a truth value
        ctx.gpu()->fill(sums.values.data(), 0, sums.values.bytes());
    write_row_sums_on_device(ctx, add, a, type, values, one_value, sums.values.data());
    if (!dense) ctx.gpu()->copy(sums.present.data(), balance->held_words.data(), sums.present.bytes());
    return storage::make_device_vector(ctx, type, of.rows, dense ? vector_form::dense : vector_form::bitmap,
                                       balance->held_rows, std::move(sums));
}

std::optional<vector> reduce_rows_on_device(const context& ctx, const monoid& add, const operand& a) {
    if (!ctx.gpu() || a.a.nnz() == 0 || !add.is_built_in()) return {};
    const dtype type = add.value_type(a.a.type());
    if (!sums_rows_on_device(add, type)) return {};
    const storage::matrix_body& body = a.a.body();
    const storage::csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto values = body.values_on(ctx, of, type);
    return sum_rows_on_device(ctx, add, a, type, values->values.data(), of.kind != value_kind::full);
}

}  // namespace nz::ops
