#include "ops/bins_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "nonzero/errors.hpp"

namespace nz::ops {
namespace {

using storage::column_bins;

column_bins build(const context& ctx, const storage::csr& a, std::optional<dtype> type,
                  std::size_t operand_bytes, const storage::device_csr& rows,
                  const storage::device_values* values) {
    device::session& gpu = *ctx.gpu();
    const auto& table = kernels::on_cuda().bins;
    const auto take = [&](offset_t count, std::size_t bytes) {
        return buffer(ctx.device_memory(), static_cast<std::size_t>(count) * bytes);
    };
    column_bins t{&a, ctx.device_memory(), type, operand_bytes, {}, {}, {}, {}, {}, {}};
    const bool each = type && a.kind == value_kind::full;
    t.range_starts = take(t.ranges() + 1, sizeof(std::uint32_t));
    t.columns = take(t.places(), sizeof(std::uint16_t));
    if (each) t.values = take(t.places(), size_of(*type));
    t.order = take(t.bins() * storage::bin_entries, sizeof(std::uint16_t));
    t.words = take(t.bins() * (storage::bin_entries / 32), sizeof(storage::bin_word));
    t.deltas = take(t.bins() * t.ranges(), sizeof(std::uint32_t));
    const buffer temporary = take(1, table.temporary_bytes(a.nnz, t.ranges()));
    kernels::device_bin_build b;
    b.indices = rows.indices.as<index_t>();
    b.values = each ? values->values.data() : nullptr;
    b.value_bytes = each ? size_of(*type) : 0;
    b.nnz = a.nnz;
    b.width = storage::bin_width(operand_bytes);
    b.ranges = t.ranges();
    b.range_starts = t.range_starts.as<std::uint32_t>();
    b.columns = t.columns.as<std::uint16_t>();
    b.out_values = t.values.data();
    b.order = t.order.as<std::uint16_t>();
    b.words = t.words.as<storage::bin_word>();
    b.deltas = t.deltas.as<std::uint32_t>();
    b.temporary = temporary.data();
    gpu.timed([&] { table.make(b, gpu.stream()); });
    t.kernel_ms = gpu.milliseconds();
    if (type && !each) {
        t.values = take(1, sizeof(element));
        gpu.copy(t.values.data(), values->values.data(), values->values.bytes());
    }
    gpu.wait();  // the temporary memory goes
    return t;
}

}  // namespace

std::shared_ptr<const column_bins> bins_on_device(const context& ctx, const storage::matrix_body& body,
                                                  const storage::csr& of, std::optional<dtype> type,
                                                  std::size_t operand_bytes) {
    require<not_supported>(
        storage::may_bin(of.nnz, of.columns, operand_bytes),
        "kernel csr_binned takes fewer than 2^31 entries and up to {} columns of {} bytes, here are {} and {}: leave --kernel out",
        storage::most_bin_ranges * storage::bin_width(operand_bytes), operand_bytes, of.nnz, of.columns);
    const auto rows = &of == &body.rows_anywhere() ? body.rows_on(ctx) : body.columns_on(ctx);
    const auto values = type ? body.values_on(ctx, of, *type) : nullptr;
    return body.bins_in(ctx.device_memory(), of, type, operand_bytes,
                        [&] { return build(ctx, of, type, operand_bytes, *rows, values.get()); });
}

}  // namespace nz::ops
