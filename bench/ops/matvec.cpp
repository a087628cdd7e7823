// SpMV and SpMSpV, double, plus_times. Each kernel is checked against a plain loop before it is timed. The floor is
// limits/spmv_on_cpu.hpp's.
// Its rates are measured beside the matrix that they are for: what a shared L3 cache delivers changes by the minute.
#include "inputs.hpp"
#include "limits/spmv_on_cpu.hpp"
#include "peers/eigen.hpp"
#include "peers/graphblas.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <random>

namespace nz::bench {
namespace {

struct bench_matrix {
    std::string name;
    std::shared_ptr<matrix> a;
    std::shared_ptr<std::vector<double>> x;
};

bench_matrix make(const context& ctx, const std::string& source) {
    matrix a = load_input(ctx, source);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    auto x = std::make_shared<std::vector<double>>(a.columns());
    for (double& v : *x) v = unit(random);
    a.facts();  // empty rows and the longest one are known to the plan, as on any second use
    return {input_name(source), std::make_shared<matrix>(std::move(a)), x};
}

std::vector<double> plain_spmv(const matrix& a, const std::vector<double>& x) {
    const auto v = a.csr<double>();
    std::vector<double> y(v.rows, 0);
    for (index_t i = 0; i < v.rows; ++i)
        for (auto k = v.offsets[i]; k < v.offsets[i + 1]; ++k) y[i] += v.values[k] * x[v.columns[k]];
    return y;
}

void expect_close(const std::vector<double>& expected, const std::function<double(std::size_t)>& found,
                  const std::string& name) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::abs(expected[i] - found(i)) <= 1e-9 * (1 + std::abs(expected[i]))))
            throw error(fmt::format("{}: row {} is {}, not {}", name, i, found(i), expected[i]));
}

// Bytes and floor are those of what the kernel reads: the CSR, slices, blocks, or ranks of its columns.
measurement rated(const timing& t, const matrix& a, const spmv_floor& floor) {
    const double bytes = floor.bytes(), seconds = t.best / 1e3;
    return {t.median,
            {{"gflops", 2.0 * static_cast<double>(a.nnz()) / seconds / 1e9},
             {"gbytes_per_s", bytes / seconds / 1e9},
             {"share_of_bandwidth", bytes / floor.bandwidth() / seconds},
             {"csr_share_of_bandwidth", spmv_bytes(a) / floor.bandwidth() / seconds},
             {"share_of_floor", floor.ms() / t.best},
             {"best_ms", t.best},
             {"floor_ms", floor.ms()},
             {"entries", static_cast<double>(a.nnz())}}};
}

// The kernel and the rates of its floor in turn: a shared host changes its speed while they run.
timing time_beside(spmv_floor& floor, int threads, const std::function<void()>& work) {
    timing best{1e300, 1e300};
    for (int round = 0; round < 3; ++round) {
        floor.measure(threads);
        const timing t = time_ms(8, work);
        best = {std::min(best.median, t.median), std::min(best.best, t.best)};
    }
    return best;
}

// What a product by slices or blocks reads, of those that one has left there; 0: it reads the CSR.
double bytes_of_form(const context& ctx, const matrix& a, const mxv_plan& plan) {
    const storage::matrix_body& body = a.body();
    std::size_t bytes = static_cast<std::size_t>(a.rows() + a.columns()) * sizeof(double);
    if (plan.kernel == "dia_slice")
        bytes += body.slices_in(ctx.memory(), body.rows(), dtype::float64, {})->bytes();
    else if (plan.kernel == "bsr_row")
        bytes += body.blocks_in(ctx.memory(), body.rows(), plan.block_side, dtype::float64, {})->bytes();
    else
        return 0;
    return static_cast<double>(bytes);
}

void add_spmv(const context& ctx, const bench_matrix& m) {
    const auto expected = std::make_shared<std::vector<double>>(plain_spmv(*m.a, *m.x));
    const auto floor = std::make_shared<spmv_floor>(*m.a);
    for (const std::string kernel : {"planned", "csr_row", "csr_merge"})
        add("spmv/" + m.name + "/" + kernel, [=] {
            const semiring s("plus_times_fp64");
            vector w(ctx, dtype::float64, m.a->rows());
            const vector x = vector::dense<double>(ctx, *m.x);
            const vector_options options{.kernel = kernel == "planned" ? std::string_view()
                                                                       : std::string_view(kernel)};
            m.a->expect_products(products_expected);
            const double begin = omp_get_wtime();
            const mxv_plan plan = mxv(ctx, w, s, *m.a, x, options);
            const double first_ms = (omp_get_wtime() - begin) * 1e3;
            expect_close(
                *expected,
                [&](std::size_t i) {
                    const auto y = w.get(static_cast<offset_t>(i));
                    return y ? y->get<double>() : 0.0;
                },
                m.name);
            spmv_floor of = *floor;
            const double form = bytes_of_form(ctx, *m.a, plan);
            if (form > 0) of.stream(form);
            if (plan.kernel == "csr_ranked")
                of.rank(*m.a->body().ranks_in(ctx.memory(), m.a->body().rows(), {}));
            if (plan.kernel == "ell_slice")
                of.slices(
                    *m.a->body().ell_in(ctx.memory(), m.a->body().rows(), plan.ranked, dtype::float64, {}));
            measurement r =
                rated(time_beside(of, ctx.threads(), [&] { mxv(ctx, w, s, *m.a, x, options); }), *m.a, of);
            if (plan.builds_slices || plan.builds_blocks || plan.builds_ranks || plan.builds_ell)
                r.counters["first_ms"] = first_ms;  // with the making of these
            return r;
        });
    if (have_eigen())
        add("spmv/" + m.name + "/eigen", [=] {
            eigen_spmv peer(*m.a, *m.x, ctx.threads());
            peer.run();
            const auto y = peer.result();
            expect_close(*expected, [&](std::size_t i) { return y[i]; }, "eigen");
            return rated(time_beside(*floor, ctx.threads(), [&] { peer.run(); }), *m.a, *floor);
        });
    if (have_graphblas())
        add("spmv/" + m.name + "/graphblas", [=] {
            graphblas_spmv peer(*m.a, *m.x, ctx.threads());
            peer.run();
            const auto y = peer.result();
            expect_close(*expected, [&](std::size_t i) { return y[i]; }, "graphblas");
            return rated(time_beside(*floor, ctx.threads(), [&] { peer.run(); }), *m.a, *floor);
        });
}

void add_spmspv(const context& ctx, const bench_matrix& m) {
    for (const double density : {0.1, 0.01, 0.001, 0.0001})
        for (const std::string kernel :
             {"planned", "csc_gather_scatter", "csc_gather_radix", "csc_gather_merge"})
            add(fmt::format("spmspv/{}/{}/{}", m.name, density, kernel), [=] {
                std::mt19937_64 random(7);
                std::vector<index_t> places;
                std::vector<double> values;
                std::uniform_real_distribution<double> unit(0, 1);
                for (index_t i = 0; i < m.a->columns(); ++i)
                    if (unit(random) < density) places.push_back(i), values.push_back(unit(random));
                const auto u = vector::build<double>(ctx, m.a->columns(), places, values);
                const semiring s("plus_times_fp64");
                vector w(ctx, dtype::float64, m.a->rows()), expected(ctx, dtype::float64, m.a->rows());
                const vector_options options{.kernel = kernel == "planned" ? std::string_view()
                                                                           : std::string_view(kernel)};
                mxv(ctx, expected, s, *m.a, u, {.kernel = "csr_row"});
                mxv(ctx, w, s, *m.a, u, options);
                if (w.count() != expected.count()) throw error("spmspv: other entries than by rows");
                measurement r{time_ms(15, [&] { mxv(ctx, w, s, *m.a, u, options); }).median, {}};
                r.counters["input_entries"] = static_cast<double>(u.count());
                return r;
            });
}

void print_spmv(const std::vector<std::string>& names, const std::map<std::string, measurement>& results) {
    const auto at = [&](const std::string& n, const char* label) -> const measurement* {
        const auto it = results.find("spmv/" + n + "/" + label);
        return it == results.end() ? nullptr : &it->second;
    };
    fmt::print("\n{:28} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>10} {:>9}\n", "ms, best", "floor",
               "planned", "csr_row", "csr_merge", "eigen", "graphblas", "share", "bandwidth", "first");
    std::vector<double> times, floors, entries;
    for (const auto& n : names) {
        const measurement* planned = at(n, "planned");
        if (!planned) continue;
        const auto ms = [&](const char* label) {
            return at(n, label) ? at(n, label)->counters.at("best_ms") : 0.0;
        };
        const auto made = planned->counters.find("first_ms");
        fmt::print("{:28} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>7.1f}% {:>9.1f}% {:>9}\n",
                   n, planned->counters.at("floor_ms"), ms("planned"), ms("csr_row"), ms("csr_merge"),
                   ms("eigen"), ms("graphblas"), 100 * planned->counters.at("share_of_floor"),
                   100 * planned->counters.at("share_of_bandwidth"),
                   made == planned->counters.end() ? "-" : fmt::format("{:.0f}", made->second));
        times.push_back(ms("planned"));
        floors.push_back(planned->counters.at("floor_ms"));
        entries.push_back(planned->counters.at("entries"));
    }
    if (at("powerlaw:1000000", "csr_merge") && at("random:1000000,3", "csr_merge"))
        fmt::print("csr_merge, power-law rows to equal rows: {:.2f}\n",
                   at("powerlaw:1000000", "csr_merge")->counters.at("best_ms") /
                       at("random:1000000,3", "csr_merge")->counters.at("best_ms"));
    if (times.size() > 2)
        fmt::print("correlation of time with the floor {:.4f}, with the entries (dalton2015) {:.4f}\n",
                   correlation(times, floors), correlation(times, entries));
}

void print_spmspv(const std::string& name, const std::map<std::string, measurement>& results) {
    const auto spmv = results.find("spmv/" + name + "/planned");
    fmt::print("\nspmspv {} (ms; spmv planned {:.3f})\n{:>9} {:>9} {:>9} {:>9} {:>9}\n", name,
               spmv == results.end() ? 0 : spmv->second.ms, "density", "planned", "scatter", "radix",
               "merge");
    for (const double density : {0.1, 0.01, 0.001, 0.0001}) {
        const auto ms = [&](const char* k) {
            const auto it = results.find(fmt::format("spmspv/{}/{}/{}", name, density, k));
            return it == results.end() ? 0 : it->second.ms;
        };
        fmt::print("{:>9} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f}\n", density, ms("planned"),
                   ms("csc_gather_scatter"), ms("csc_gather_radix"), ms("csc_gather_merge"));
    }
}

}  // namespace

int matvec_suite(const options& o) {
    if (o.backend != "cpu") {
        const context gpu({.backend = o.backend == "cuda" ? backend::cuda : backend::automatic,
                           .threads = o.threads,
                           .log = [](std::string_view line) { fmt::print("{}\n", line); }});
        if (gpu.backend() == backend::cuda) return matvec_suite_on_gpu(o, gpu);
    }
    const context ctx({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"laplace3d:80",      "banded:500000,21", "powerlaw:1000000",  "random:1000000,3",
                   "dense:4,2000000",   "laplace2d:1500",   "random:1000000,16", "lp:4284,1092610,11300000",
                   "rmat_directed:20,8"};  // the last with empty rows, which csr_merge compacts
    if (o.inputs.empty() && !data_folder().empty()) sources.insert(sources.begin() + 2, "fe_body(x)6x6");
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    std::vector<std::string> names;
    const std::string sparse_input = o.quick ? "random:20000,8" : "random:1000000,16";
    for (const auto& source : sources) {
        const bench_matrix m = make(ctx, source);
        names.push_back(m.name);
        add_spmv(ctx, m);
        if (source == sparse_input) {
            add_spmspv(ctx, m);
        }
    }
    const auto results = run(o, "^sp(mv|mspv)/");
    print_spmv(names, results);
    print_spmspv(sparse_input, results);
    return 0;
}

}  // namespace nz::bench
