#include "ops/select_rising.hpp"

#include "core/checks.hpp"
#include "kernels/cpu/select/rising.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/select_device.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {
namespace {

matrix on_host(const context& ctx, const matrix& a) {
    const storage::csr& rows = a.body().rows();
    const array<index_t> lengths(ctx, static_cast<std::size_t>(rows.rows));
    kernels::rising_arguments k;
    k.rows = rows.rows;
    k.offsets = {rows.offsets.data(), rows.offset_bytes == 8};
    k.columns = rows.index_data();
    k.threads = ctx.threads();
    k.lengths = lengths.data();
    kernels::cpu::select_rising_count(k);
    storage::csr u = storage::allocate_csr(ctx, rows.type, value_kind::pattern, rows.rows, rows.columns,
                                           std::span<const index_t>(lengths.data(), lengths.size()));
    k.out_offsets = {u.offsets.data(), u.offset_bytes == 8};
    k.out_columns = u.indices.as<index_t>();
    kernels::cpu::select_rising_fill(k);
    return storage::make_matrix(ctx, std::move(u));
}

}  // namespace

matrix select_rising(const context& ctx, const matrix& a) {
    require<dimension_mismatch>(a.rows() == a.columns(), "select: {} x {} is not square", a.rows(),
                                a.columns());
    if (ctx.gpu() && a.rows() > 0)
        if (auto t = if_it_fits<matrix>([&] { return rising_on_device(ctx, a); })) return *std::move(t);
    return on_host(ctx, a);
}

}  // namespace nz::ops
