#include "limits/spmv_on_cpu.hpp"

#include "limits/cpu.hpp"

#include <algorithm>

namespace nz::bench {
namespace {

// Lines of x that a direct-mapped cache of 1 MiB does not hold when the rows come to them, but for the one after the last
// such: that is a stream, which hardware fetches ahead.
double missing_gathers(const matrix& a) {
    constexpr std::size_t lines = (std::size_t{1} << 20) / 64;
    std::vector<index_t> held(lines, -1);
    double misses = 0;
    index_t last = -2;
    for (const index_t j : a.csr<double>().columns) {
        const index_t line = j / 8;
        index_t& slot = held[static_cast<std::size_t>(line) % lines];
        if (slot == line) continue;
        misses += line != last + 1;
        last = slot = line;
    }
    return misses;
}

}  // namespace

double spmv_bytes(const matrix& a) {
    const auto nnz = static_cast<double>(a.nnz()), rows = static_cast<double>(a.rows()),
               columns = static_cast<double>(a.columns());
    return nnz * (sizeof(index_t) + sizeof(double)) + rows * sizeof(std::int32_t) +
           (rows + columns) * sizeof(double);
}

limits_beside measure_beside(const context& ctx, const matrix& a) {
    const double bandwidth = read_bandwidth(ctx.threads());
    const double misses = missing_gathers(a), entry_bytes = sizeof(index_t) + sizeof(double);
    const double streamed = (spmv_bytes(a) - misses * entry_bytes) / bandwidth;
    const double gathered =
        misses / product_rate(ctx.threads(), static_cast<std::size_t>(a.columns()) * sizeof(double));
    return {bandwidth, (streamed + gathered) * 1e3};
}

}  // namespace nz::bench
