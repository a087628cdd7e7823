#include "limits/search_floor.hpp"

#include "limits/cpu.hpp"
#include "limits/gpu.hpp"
#include "nonzero/operations.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace nz::bench {
namespace {

// Bytes a second, measured once.
double copy_rate(int threads) {
    static std::map<int, double> known;
    const auto found = known.find(threads);
    return found != known.end() ? found->second : known[threads] = copy_bandwidth(threads);
}

// Looks a second into a table of so many bytes, up to the next power of two; measured once each.
double look_rate(int threads, double table_bytes, int element_bytes) {
    static std::map<std::pair<int, std::size_t>, double> known[2];
    const std::size_t bytes =
        std::bit_ceil(std::max<std::size_t>(4096, static_cast<std::size_t>(table_bytes)));
    auto& of = known[element_bytes == 8];
    const auto found = of.find({threads, bytes});
    return found != of.end() ? found->second
                             : of[{threads, bytes}] = gather_rate(threads, bytes, element_bytes);
}

// A step reads columns; they are rows of the transpose where the pattern is not symmetric.
double sectors_of_columns(const matrix& a, int width, int threads) {
    if (a.facts().symmetric_pattern) return gathered_sectors(a, width, threads);
    const context cpu({.backend = backend::cpu, .threads = threads});
    matrix turned(cpu, a.type(), a.columns(), a.rows());
    transpose(cpu, turned, a);
    return gathered_sectors(turned, width, threads);
}

}  // namespace

search_floor::search_floor(const context& ctx)
    : on_gpu_(ctx.backend() == backend::cuda), threads_(ctx.threads()), sector_bytes_(on_gpu_ ? 32 : 64) {}

double search_floor::copied_ms(double bytes) const {
    return 1e3 * bytes / (on_gpu_ ? measured_gpu_limits().copy.per_second : copy_rate(threads_));
}

double search_floor::gathered_ms(double count, double table_bytes, int element_bytes) const {
    return 1e3 * count /
           (on_gpu_ ? measured_gpu_limits().gather_rate(table_bytes, element_bytes)
                    : look_rate(threads_, table_bytes, element_bytes));
}

double search_floor::waited_ms(double times) const {
    return on_gpu_ ? 1e3 * times / measured_gpu_limits().barrier.per_second : 0;
}

double search_floor::bfs_ms(const matrix& a, double reached, double levels) const {
    const auto n = static_cast<double>(a.rows());
    const double lists = std::min(sector_bytes_ * reached, 4.0 * static_cast<double>(a.nnz()));
    return std::max(copied_ms(8 * n + lists), gathered_ms(reached, n / 8, 4)) + waited_ms(levels);
}

double search_floor::bfs_many_ms(const matrix& a, double visits, double written, double levels) const {
    const auto n = static_cast<double>(a.rows());
    const double lists = std::min(sector_bytes_ * visits, 4.0 * static_cast<double>(a.nnz()) * levels);
    return std::max(copied_ms(20 * n + lists + written), gathered_ms(visits, 8 * n, 8)) + waited_ms(levels);
}

double search_floor::sssp_ms(double vertices, double edges, double edge_bytes, double rounds) const {
    return std::max(copied_ms(8 * vertices + edge_bytes * edges), gathered_ms(edges, 4 * vertices, 4)) +
           waited_ms(rounds);
}

double search_floor::components_ms(const matrix& a) const {
    const auto n = static_cast<double>(a.rows());
    const double lists = std::min(sector_bytes_ * n, 4.0 * static_cast<double>(a.nnz()));
    return std::max(copied_ms(12 * n + lists), gathered_ms(n, 4 * n, 4));
}

double search_floor::triangles_ms(double vertices, double edges, double looks) const {
    constexpr double table_bytes = 4096;
    return std::max(copied_ms(4 * vertices + 4 * edges), gathered_ms(looks, table_bytes, 4));
}

double search_floor::betweenness_ms(const matrix& a, double sources) const {
    const auto n = static_cast<double>(a.rows()), entries = static_cast<double>(a.nnz());
    const double edges = a.facts().symmetric_pattern ? entries / 2 : entries;
    return std::max(copied_ms(2 * 4 * edges + (4 + 20 * sources) * n),
                    gathered_ms(2 * edges, 8 * sources * n, 8));
}

double search_floor::pagerank_step_ms(const matrix& a, dtype type) const {
    const auto n = static_cast<double>(a.rows()), entries = static_cast<double>(a.nnz());
    const int width = static_cast<int>(size_of(type));
    const double product = 4 * entries + 4 * (n + 1) + width * n, vectors = 4 * width * n;
    return std::max(copied_ms(product),
                    gathered_ms(sectors_of_columns(a, width, threads_), width * n, width)) +
           copied_ms(vectors);
}

}  // namespace nz::bench
