#include "ops/slices_device.hpp"

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"

namespace nz::ops {
namespace {

using storage::dia_slices;

// Rows of so many entries on average lie too far apart for the lines of 32 of them to stay in a first-level cache.
constexpr offset_t staged_row_entries = 8;

// Counts, then fills: the host waits for the count, and for the most that a slice has.
dia_slices build(const context& ctx, const storage::csr& a, std::optional<dtype> type,
                 const storage::device_csr& rows, const storage::device_values* values) {
    device::session& gpu = *ctx.gpu();
    const auto& table = kernels::on_cuda().slices;
    const auto take = [&](offset_t count, std::size_t bytes) {
        return buffer(ctx.device_memory(), static_cast<std::size_t>(count) * bytes);
    };
    dia_slices t{&a, ctx.device_memory(), 0, type, 0, {}, {}, {}};
    const index_t n = t.slices();
    t.starts = take(n + offset_t{1}, sizeof(offset_t));
    const buffer longest = take(1, sizeof(offset_t));
    const buffer temporary = take(1, table.scan_bytes(n + 1));
    const bool each = type && a.kind == value_kind::full;

    kernels::device_slice_build b;
    b.offsets = {rows.offsets.data(), a.offset_bytes == 8};
    b.indices = rows.indices.as<index_t>();
    b.values = each ? values->values.data() : nullptr;
    b.value_bytes = each ? size_of(*type) : 0;
    b.staged = a.nnz >= staged_row_entries * a.rows;
    b.rows = a.rows;
    b.slices = n;
    b.starts = t.starts.as<offset_t>();
    b.most = longest.as<offset_t>();
    b.temporary = temporary.data();
    b.temporary_bytes = temporary.bytes();
    gpu.timed([&] { table.count(b, gpu.stream()); });
    t.kernel_ms = gpu.milliseconds();
    offset_t most = 0;
    gpu.download(&t.count, b.starts + n, sizeof t.count);
    gpu.download(&most, b.most, sizeof most);
    t.settle_pitch(most);
    b.pitch = t.pitch;

    t.diagonals = take(t.count, sizeof(storage::slice_diagonal));
    if (each) t.values = take(t.count * storage::slice_rows, size_of(*type));
    b.diagonals = t.diagonals.as<storage::slice_diagonal>();
    b.out_values = t.values.data();
    gpu.timed([&] { table.fill(b, gpu.stream()); });
    t.kernel_ms += gpu.milliseconds();
    if (type && !each) {
        t.values = take(1, sizeof(element));
        gpu.copy(t.values.data(), values->values.data(), values->values.bytes());
    }
    gpu.wait();  // the temporary memory goes
    return t;
}

}  // namespace

std::shared_ptr<const dia_slices> slices_on_device(const context& ctx, const storage::matrix_body& body,
                                                   const storage::csr& of, std::optional<dtype> type) {
    // Though they may be there: they are perhaps given up before they are asked for.
    const auto rows = &of == &body.rows_anywhere() ? body.rows_on(ctx) : body.columns_on(ctx);
    const auto values = type ? body.values_on(ctx, of, *type) : nullptr;
    return body.slices_in(ctx.device_memory(), of, type,
                          [&] { return build(ctx, of, type, *rows, values.get()); });
}

}  // namespace nz::ops
