#include "core/parallel.hpp"
#include "limits/gpu.hpp"
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

double gathered_sectors(const matrix& a, int value_bytes, int threads) {
    constexpr int lanes = 32, sector_bytes = 32;
    const storage::csr& rows = a.body().rows();
    const index_t* columns = rows.index_data();
    const offset_t groups = (rows.nnz + lanes - 1) / lanes;
    const int entries_a_sector = sector_bytes / value_bytes;
    std::atomic<offset_t> total{0};
    parallel::for_pieces(threads, groups, [&](offset_t begin, offset_t end) {
        offset_t of_piece = 0;
        for (offset_t g = begin; g < end; ++g) {
            std::array<index_t, lanes> sectors;
            const auto length = static_cast<std::size_t>(std::min<offset_t>(lanes, rows.nnz - g * lanes));
            for (std::size_t k = 0; k < length; ++k)
                sectors[k] = columns[static_cast<std::size_t>(g) * lanes + k] / entries_a_sector;
            const auto last = sectors.begin() + static_cast<std::ptrdiff_t>(length);
            std::sort(sectors.begin(), last);
            of_piece += std::unique(sectors.begin(), last) - sectors.begin();
        }
        total += of_piece;
    });
    return static_cast<double>(total);
}

spmv_shape shape_of(const matrix& a, int value_bytes, int threads) {
    return {static_cast<double>(a.rows()), static_cast<double>(a.columns()), static_cast<double>(a.nnz()),
            value_bytes, gathered_sectors(a, value_bytes, threads)};
}

double gpu_spmv_floor_ms(const gpu_limits& limits, const spmv_shape& shape) {
    const double streamed = shape.bytes() / limits.copy.per_second;
    const double gathered =
        shape.sectors / limits.gather_rate(shape.columns * shape.value_bytes, shape.value_bytes);
    return 1e3 * std::max(streamed, gathered);
}

double gpu_bfs_floor_ms(const gpu_limits& limits, double vertices, double reached, double levels) {
    const double streamed = (8 * vertices + 32 * reached) / limits.copy.per_second;
    const double gathered = reached / limits.gather_rate(vertices / 8, 4);
    return 1e3 * (std::max(streamed, gathered) + levels / limits.barrier.per_second);
}

}  // namespace nz::bench
