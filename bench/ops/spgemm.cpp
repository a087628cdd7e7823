// SpGEMM: C = A * A in double (A * A^T where A is not square), planned and by every kernel, with SuiteSparse:GraphBLAS
// and Eigen in the same process. Each kernel's result is checked against the planned one's, bit for bit, and the planned
// one's against the generic path where that is not too slow. The result's memory is taken and given back in each call, on all sides.
#include "kernels/kernel_ids.hpp"
#include "limits/cpu.hpp"
#include "ops/stored_diagonals.hpp"
#include "peers/eigen.hpp"
#include "peers/graphblas.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace nz::bench {
namespace {

constexpr int repeats = 5;
// The reference takes about a microsecond a product.
constexpr offset_t checked_products = 20'000'000;

struct problem {
    std::string name;
    matrix a;
    bool transposed;  // the second factor
    offset_t products = 0, entries = 0;
};

problem make(const context& ctx, const std::string& source) {
    const matrix given = load(ctx, source).matrix;
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    given.extract_tuples(rows, columns, values);
    // Values that are neither all alike nor exact in sums.
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(1 + k % 97);
    const auto m = static_cast<index_t>(given.rows()), n = static_cast<index_t>(given.columns());
    const auto slash = source.rfind('/');
    return {slash == std::string::npos ? source : source.substr(slash + 1),
            matrix::build<double>(ctx, {m, n, rows, columns, values}), m != n};
}

matrix multiply(const context& ctx, problem& p, std::string_view kernel, mxm_plan* plan = nullptr) {
    matrix c(ctx, dtype::float64, p.a.rows(), p.transposed ? p.a.rows() : p.a.columns());
    const mxm_plan made =
        mxm(ctx, c, semiring("plus_times"), p.a, p.a, {.transpose_b = p.transposed, .kernel = kernel});
    if (plan) *plan = made;
    return c;
}

bool same(const matrix& x, const matrix& y) {
    const auto u = x.csr<double>(), v = y.csr<double>();
    return std::ranges::equal(u.offsets, v.offsets) && std::ranges::equal(u.columns, v.columns) &&
           std::ranges::equal(u.values, v.values);
}

measurement measure(const context& ctx, problem& p, std::string_view kernel, bool against_reference) {
    mxm_plan plan;
    matrix c = multiply(ctx, p, kernel, &plan);
    p.products = plan.products;
    p.entries = c.nnz();
    const bool small = against_reference && plan.products <= checked_products;
    if (!kernel.empty() || small)
        if (!same(c, multiply(ctx, p, small ? "reference" : "")))
            throw error(p.name + ", " + std::string(plan.kernel) + ": other entries than expected");
    c = matrix(ctx, dtype::float64, 1, 1);  // its memory serves the timed calls
    const timing t = time_ms(repeats, [&] { multiply(ctx, p, kernel); });
    fmt::print("{}: {}\n", p.name, to_string(plan));
    return {t.median,
            {{"best_ms", t.best},
             {"products", static_cast<double>(plan.products)},
             {"output_entries", static_cast<double>(p.entries)},
             {"gflops", 2 * static_cast<double>(plan.products) / t.median / 1e6}}};
}

// New values at known places, against counting and filling. The patterns of A and B are read to see that they are known.
measurement measure_numeric(const context& ctx, problem& p) {
    const semiring s("plus_times");
    const matrix_options options{.transpose_b = p.transposed};
    const mxm_pattern pattern = find_pattern(ctx, s, p.a, p.a, options);
    const auto fill = [&] {
        matrix c(ctx, dtype::float64, p.a.rows(), p.transposed ? p.a.rows() : p.a.columns());
        mxm(ctx, c, s, p.a, p.a, pattern, options);
        return c;
    };
    if (!same(fill(), multiply(ctx, p, ""))) throw error(p.name + ": known places give other entries");
    const timing t = time_ms(repeats, fill);
    return {t.median, {{"best_ms", t.best}}};
}

measurement measure_estimate(const context& ctx, problem& p) {
    const semiring s("plus_times");
    const matrix_options options{.transpose_b = p.transposed};
    const mxm_estimate e = estimate_mxm(ctx, s, p.a, p.a, options);
    const timing t = time_ms(repeats, [&] { estimate_mxm(ctx, s, p.a, p.a, options); });
    return {
        t.median,
        {{"error", e.error(p.entries)},
         {"bound", p.entries ? static_cast<double>(e.most_entries) / static_cast<double>(p.entries) : 1}}};
}

// A's rows, B's and C's read or written once.
double bytes_of(const problem& p) {
    const auto rows = static_cast<double>(p.a.rows());
    return 3 * 4 * rows + 12 * (2 * static_cast<double>(p.a.nnz()) + static_cast<double>(p.entries));
}

void add_peers(const std::shared_ptr<problem>& p, int threads) {
    const auto counted = [p](auto& peer, const char* name) {
        const timing t = time_ms(repeats, [&] { peer.run(); });
        if (p->entries && peer.entries() != p->entries)
            throw error(
                fmt::format("{}: {} has {} entries, ours {}", p->name, name, peer.entries(), p->entries));
        return measurement{t.median, {{"best_ms", t.best}}};
    };
    const auto other = [p](const context& ctx) {
        if (!p->transposed) return p->a;
        matrix t(ctx, dtype::float64, p->a.columns(), p->a.rows());
        transpose(ctx, t, p->a);
        return t;
    };
    if (have_graphblas())
        add("spgemm/" + p->name + "/graphblas", [=] {
            graphblas_multiply peer(p->a, other(context()), threads);
            return counted(peer, "GraphBLAS");
        });
    if (have_eigen())
        add("spgemm/" + p->name + "/eigen", [=] {
            eigen_multiply peer(p->a, other(context()));
            return counted(peer, "Eigen");
        });
}

void report(const std::vector<std::shared_ptr<problem>>& problems,
            const std::map<std::string, measurement>& results, double copy) {
    fmt::print("\ncopy {:.1f} GB/s\n", copy / 1e9);
    fmt::print("{:24} {:>12} {:>11} {:>9} {:>7} {:>10} {:>6} {:>10} {:>6}\n", "median ms", "products",
               "entries", "planned", "GFLOP/s", "graphblas", "ratio", "eigen", "ratio");
    std::vector<double> times, work;
    for (const auto& p : problems) {
        const auto ours = results.find("spgemm/" + p->name + "/planned");
        if (ours == results.end()) continue;
        times.push_back(ours->second.ms);
        work.push_back(static_cast<double>(p->products));
        fmt::print("{:24} {:>12} {:>11} {:>9.2f} {:>7.2f}", p->name, p->products, p->entries, ours->second.ms,
                   ours->second.counters.at("gflops"));
        for (const char* peer : {"graphblas", "eigen"}) {
            const auto theirs = results.find("spgemm/" + p->name + "/" + peer);
            if (theirs == results.end())
                fmt::print(" {:>10} {:>6}", "-", "-");
            else
                fmt::print(" {:>10.2f} {:>6.2f}", theirs->second.ms, theirs->second.ms / ours->second.ms);
        }
        fmt::print("\n");
        if (const auto numeric = results.find("spgemm/" + p->name + "/numeric"); numeric != results.end())
            fmt::print("    {:20} {:>34.2f} ms, {:.2f} times the planned\n", "places known",
                       numeric->second.ms, numeric->second.ms / ours->second.ms);
        if (const auto e = results.find("spgemm/" + p->name + "/estimate"); e != results.end())
            fmt::print("    {:20} {:>34.2f} ms, {:+.1f}% off, bound {:.2f} times the entries\n", "estimate",
                       e->second.ms, 100 * e->second.counters.at("error"), e->second.counters.at("bound"));
        fmt::print("    {:20} {:>34.2f} ms, {:.0f}% of the rate of a copy\n", "bytes of A, B, C",
                   1e3 * bytes_of(*p) / copy,
                   1e5 * bytes_of(*p) / copy / ours->second.counters.at("best_ms"));
        if (const auto stored = results.find("spgemm/" + p->name + "/dia_dia/stored");
            stored != results.end())
            print_stored(stored->second);
        for (const auto& id : kernels::kernel_ids)
            if (const auto other = results.find(fmt::format("spgemm/{}/{}", p->name, id.id));
                other != results.end())
                fmt::print("    {:20} {:>34.2f} ms, {:.2f} times the planned\n", id.id, other->second.ms,
                           other->second.ms / ours->second.ms);
    }
    if (times.size() > 2) fmt::print("correlation of time with products {:.4f}\n", correlation(times, work));
}

}  // namespace

int spgemm_suite(const options& o) {
    if (o.backend != "cpu") {
        const context gpu(
            {.backend = o.backend == "cuda" ? backend::cuda : backend::automatic, .threads = o.threads});
        if (gpu.backend() == backend::cuda) return spgemm_suite_on_gpu(o, gpu);
    }
    const int threads = o.threads ? o.threads : omp_get_max_threads();
    const context ctx({.backend = backend::cpu, .threads = threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"rmat_directed:16,8", "laplace3d:60",   "powerlaw:1000000",
                   "banded:500000,21",   "laplace2d:1000", "random:500000,8"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const double copy = copy_bandwidth(threads);
    std::vector<std::shared_ptr<problem>> problems;
    for (const auto& source : sources) {
        const auto p = problems.emplace_back(std::make_shared<problem>(make(ctx, source)));
        add("spgemm/" + p->name + "/planned", [=] { return measure(ctx, *p, "", true); });
        add("spgemm/" + p->name + "/numeric", [=] { return measure_numeric(ctx, *p); });
        add("spgemm/" + p->name + "/estimate", [=] { return measure_estimate(ctx, *p); });
        if (is_band(source))
            add("spgemm/" + p->name + "/dia_dia/stored",
                [=] { return stored_product(ctx, p->a, copy, repeats); });
        add_peers(p, threads);
        for (const auto& id : kernels::kernel_ids)
            if (id.operation == "mxm" && id.cpu == kernels::presence::here && !id.id.starts_with("masked"))
                add(fmt::format("spgemm/{}/{}", p->name, id.id),
                    [=] { return measure(ctx, *p, id.id, false); });
    }
    report(problems, run(o, "^spgemm/"), copy);
    return 0;
}

}  // namespace nz::bench
