#include "ops/kronecker_device.hpp"

#include "algebra/bound.hpp"
#include "core/device.hpp"
#include "instantiate/vector_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/new_device_csr.hpp"

namespace nz::ops {
namespace {

using storage::csr;

// An operand there, with values of the type that the operator takes.
struct placed_operand {
    const csr& of;
    std::shared_ptr<const storage::device_csr> entries;
    std::shared_ptr<const storage::device_values> values;
    bool full;

    placed_operand(const context& ctx, const operand& a, dtype type)
        : of(a.transposed ? a.a.body().columns_anywhere(ctx) : a.a.body().rows_anywhere()),
          entries(a.transposed ? a.a.body().columns_on(ctx) : a.a.body().entries_on(ctx)),
          values(a.a.body().values_on(ctx, of, type)),
          full(of.kind == value_kind::full) {}
    kernels::offset_reader offsets() const { return {entries->offsets.data(), of.offset_bytes == 8}; }
};

matrix joined_blocks(const context& ctx, const context& own, kernels::device_words_kernel join, dtype type,
                     dtype result, const operand& left, const operand& right) {
    const placed_operand a(ctx, left, type), b(ctx, right, type);
    const auto& memory = ctx.device_memory();
    const offset_t entries = a.of.nnz * b.of.nnz;
    const bool each = a.full || b.full;
    new_device_csr out(ctx, storage::csr_shape(result, each ? value_kind::full : value_kind::iso,
                                               a.of.rows * b.of.rows, a.of.columns * b.of.columns, entries));
    const auto n = static_cast<std::size_t>(entries);
    const buffer of_a(memory, a.full ? n * size_of(type) : 0), of_b(memory, b.full ? n * size_of(type) : 0);

    kernels::device_kronecker_arguments k;
    k.a_rows = a.of.rows;
    k.b_rows = b.of.rows;
    k.b_columns = b.of.columns;
    k.entries = entries;
    k.b_entries = b.of.nnz;
    k.a_offsets = a.offsets();
    k.b_offsets = b.offsets();
    k.a_columns = a.entries->indices.as<index_t>();
    k.b_columns_of = b.entries->indices.as<index_t>();
    k.a_values = a.full ? a.values->values.data() : nullptr;
    k.b_values = b.full ? b.values->values.data() : nullptr;
    k.value_bytes = size_of(type);
    k.out_offsets = out.offsets();
    k.wide = out.wide();
    k.out_columns = out.columns();
    k.out_a = of_a.data();
    k.out_b = of_b.data();
    kernels::on_cuda().kronecker_rows(k, ctx.gpu()->stream());

    kernels::words_arguments w;
    w.a = {a.full ? of_a.data() : a.values->values.data(), nullptr, a.full ? 1 : 0};
    w.b = {b.full ? of_b.data() : b.values->values.data(), nullptr, b.full ? 1 : 0};
    w.size = each ? entries : 1;
    w.values = out.values();
    join(w, ctx.gpu()->stream());
    return std::move(out).made(own, ctx);
}

}  // namespace

std::optional<matrix> kronecker_on_device(const context& ctx, const context& own, const binary_op& op,
                                          const operand& a, const operand& b) {
    if (!ctx.gpu() || a.a.nnz() == 0 || b.a.nnz() == 0 || op.id() > binary_id::lxnor) return {};
    const dtype type = algebra::common_type(op, a.a.type(), b.a.type());
    if (op.input_type(type) != type) return {};
    const auto join = instantiate::find_words_on_device(op.id(), type);
    if (!join) return {};
    return if_it_fits<matrix>(
        [&] { return joined_blocks(ctx, own, join, type, op.output_type(type), a, b); });
}

}  // namespace nz::ops
