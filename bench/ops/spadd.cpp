// SpAdd: C = A + A^T in double by ewise/balanced_path, checked against the reference, with its share of the rate of a
// copy (bytes of A, B and C once) and SuiteSparse:GraphBLAS in the same process. The result's memory is taken and given
// back in each call, on both sides.
#include "peers/graphblas.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>

namespace nz::bench {
namespace {

constexpr int repeats = 11;

struct problem {
    std::string name;
    matrix a, b;
};

double bytes_of(const matrix& a) {
    return static_cast<double>(a.nnz()) * (sizeof(index_t) + sizeof(double)) +
           static_cast<double>(a.rows()) * sizeof(std::int32_t);
}

// Bytes a second read and written by all threads copying 1 GiB.
double copy_rate(int threads) {
    const context ctx({.backend = backend::cpu, .threads = threads});
    constexpr offset_t values = offset_t{1} << 26;
    const vector from = vector::full(ctx, values, scalar(1.0));
    vector to = vector::full(ctx, values, scalar(2.0));
    auto* target = const_cast<double*>(to.values<double>().data());
    const double* source = from.values<double>().data();
    const timing t = time_ms(5, [&] {
#pragma omp parallel num_threads(threads)
        {
            const offset_t share = values / threads, begin = share * omp_get_thread_num();
            std::memcpy(target + begin, source + begin, static_cast<std::size_t>(share) * sizeof(double));
        }
    });
    return 2.0 * values * sizeof(double) / (t.best / 1e3);
}

problem make(const context& ctx, const std::string& source) {
    const matrix given = load(ctx, source).matrix;
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    given.extract_tuples(rows, columns, values);
    const auto m = static_cast<index_t>(given.rows()), n = static_cast<index_t>(given.columns());
    const auto slash = source.rfind('/');
    return {slash == std::string::npos ? source : source.substr(slash + 1),
            matrix::build<double>(ctx, {m, n, rows, columns, values}),
            matrix::build<double>(ctx, {n, m, columns, rows, values})};
}

void check(const context& ctx, const problem& p, const matrix& found) {
    matrix expected(ctx, dtype::float64, p.a.rows(), p.a.columns());
    ewise_add(ctx, expected, binary_id::plus, p.a, p.b, {.kernel = "reference"});
    const auto x = expected.csr<double>(), y = found.csr<double>();
    if (!std::ranges::equal(x.offsets, y.offsets) || !std::ranges::equal(x.columns, y.columns) ||
        !std::ranges::equal(x.values, y.values))
        throw error(p.name + ": other entries than the reference's");
}

}  // namespace

int spadd_suite(const options& o) {
    if (o.backend != "cpu") {
        const context gpu(
            {.backend = o.backend == "cuda" ? backend::cuda : backend::automatic, .threads = o.threads});
        if (gpu.backend() == backend::cuda) return spadd_suite_on_gpu(o, gpu);
    }
    const int threads = o.threads ? o.threads : omp_get_max_threads();
    const context ctx({.backend = backend::cpu, .threads = threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"laplace3d:60",       "banded:500000,21",   "laplace2d:1500",  "random:1000000,8",
                   "rmat_directed:16,8", "rmat_directed:20,8", "powerlaw:1000000"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const double rate = copy_rate(threads);
    std::vector<std::shared_ptr<problem>> problems;
    for (const auto& source : sources) {
        const auto p = problems.emplace_back(std::make_shared<problem>(make(ctx, source)));
        add("spadd/" + p->name + "/balanced_path", [=] {
            matrix c(ctx, dtype::float64, p->a.rows(), p->a.columns());
            const timing t = time_ms(repeats, [&] { ewise_add(ctx, c, binary_id::plus, p->a, p->b); });
            check(ctx, *p, c);
            const double bytes = bytes_of(p->a) + bytes_of(p->b) + bytes_of(c);
            return measurement{t.median,
                               {{"best_ms", t.best},
                                {"work", static_cast<double>(p->a.nnz() + p->b.nnz())},
                                {"output_entries", static_cast<double>(c.nnz())},
                                {"gbytes_per_s", bytes / t.best / 1e6},
                                {"share_of_copy", bytes / (t.best / 1e3) / rate}}};
        });
        if (have_graphblas())
            add("spadd/" + p->name + "/graphblas", [=] {
                graphblas_add peer(p->a, p->b, threads);
                const timing t = time_ms(repeats, [&] { peer.run(); });
                return measurement{t.median, {{"best_ms", t.best}}};
            });
    }
    const auto results = run(o, "^spadd/");
    fmt::print("\ncopy {:.1f} GB/s\n{:24} {:>10} {:>10} {:>7} {:>10} {:>7}\n", rate / 1e9, "median ms",
               "work", "ours", "share", "graphblas", "ratio");
    std::vector<double> times, work;
    for (const auto& p : problems) {
        const auto ours = results.find("spadd/" + p->name + "/balanced_path"),
                   peer = results.find("spadd/" + p->name + "/graphblas");
        if (ours == results.end()) continue;
        const auto& m = ours->second;
        times.push_back(m.ms);
        work.push_back(m.counters.at("work"));
        fmt::print("{:24} {:>10.0f} {:>10.3f} {:>6.0f}% {:>10} {:>7}\n", p->name, m.counters.at("work"), m.ms,
                   100 * m.counters.at("share_of_copy"),
                   peer == results.end() ? "-" : fmt::format("{:.3f}", peer->second.ms),
                   peer == results.end() ? "-" : fmt::format("{:.2f}", peer->second.ms / m.ms));
    }
    if (times.size() > 2) fmt::print("correlation of time with work {:.4f}\n", correlation(times, work));
    return 0;
}

}  // namespace nz::bench
