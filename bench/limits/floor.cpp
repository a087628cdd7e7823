#include "core/parallel.hpp"
#include "limits/gpu.hpp"
#include "plan/mxv_workspace.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nz::bench {

double gpu_limits::gather_rate(double table_bytes, int element_bytes) const {
    const auto of = [&](const scattered_rates& s) {
        return element_bytes == 4 ? s.gather_4.per_second : s.gather_8.per_second;
    };
    const auto above = std::ranges::find_if(
        scattered, [&](const auto& s) { return static_cast<double>(s.table_bytes) >= table_bytes; });
    if (above == scattered.begin()) return of(scattered.front());
    if (above == scattered.end()) return of(scattered.back());
    const auto below = above - 1;
    const double low = std::log(static_cast<double>(below->table_bytes)),
                 high = std::log(static_cast<double>(above->table_bytes));
    const double share = (std::log(table_bytes) - low) / (high - low);
    return std::exp((1 - share) * std::log(of(*below)) + share * std::log(of(*above)));
}

namespace {

// Distinct sectors in each group of 32 consecutive places of `columns`, summed; those below `from` are read elsewhere.
double sectors_of(const index_t* columns, offset_t count, index_t from, int value_bytes, int threads) {
    constexpr int lanes = 32, sector_bytes = 32;
    const int entries_a_sector = sector_bytes / value_bytes;
    std::atomic<offset_t> total{0};
    parallel::for_pieces(threads, (count + lanes - 1) / lanes, [&](offset_t begin, offset_t end) {
        offset_t of_piece = 0;
        for (offset_t g = begin; g < end; ++g) {
            std::array<index_t, lanes> sectors;
            auto last = sectors.begin();
            for (offset_t k = g * lanes; k < std::min(count, (g + 1) * lanes); ++k)
                if (columns[k] >= from) *last++ = columns[k] / entries_a_sector;
            std::sort(sectors.begin(), last);
            of_piece += std::unique(sectors.begin(), last) - sectors.begin();
        }
        total += of_piece;
    });
    return static_cast<double>(total);
}

}  // namespace

double gathered_sectors(const matrix& a, int value_bytes, int threads) {
    const storage::csr& rows = a.body().rows();
    return sectors_of(rows.index_data(), rows.nnz, 0, value_bytes, threads);
}

spmv_shape shape_of(const matrix& a, int value_bytes, int threads) {
    return {static_cast<double>(a.rows()), static_cast<double>(a.columns()), static_cast<double>(a.nnz()),
            value_bytes, gathered_sectors(a, value_bytes, threads)};
}

spmv_shape ranked_shape_of(const matrix& a, int value_bytes, int threads) {
    const context cpu({.backend = backend::cpu, .threads = threads});
    const auto ranked = storage::make_ranked_columns(cpu, a.body().rows());
    const auto hot = static_cast<index_t>(plan::hot_columns(static_cast<std::size_t>(value_bytes)));
    spmv_shape shape{static_cast<double>(a.rows()), static_cast<double>(a.columns()),
                     static_cast<double>(a.nnz()), value_bytes, 0};
    shape.sectors = sectors_of(ranked.ranks.as<index_t>(), a.nnz(), hot, value_bytes, threads) +
                    sectors_of(ranked.columns.as<index_t>(), ranked.held, 0, value_bytes, threads);
    shape.more_bytes = static_cast<double>(ranked.held) * (sizeof(index_t) + 2.0 * value_bytes);
    return shape;
}

double gpu_spmv_floor_ms(const gpu_limits& limits, const spmv_shape& shape) {
    const double streamed = shape.bytes() / limits.copy.per_second;
    const double gathered =
        shape.sectors / limits.gather_rate(shape.columns * shape.value_bytes, shape.value_bytes);
    return 1e3 * std::max(streamed, gathered);
}

}  // namespace nz::bench
