// Figures 5 and 6: y = A x by rows (csr_row, as Cusp's) and by equal shares of entries (csr_merge), GFLOP/s, and time against
// entries; csr_merge also with an empty row behind every row, which it compacts first.
#include "limits/gpu.hpp"
#include "limits/spmv_on_cpu.hpp"
#include "papers/dalton2015/figures.hpp"
#include "peers/eigen.hpp"

#include <fmt/format.h>

#include <cmath>

namespace nz::bench::dalton2015 {
namespace {

constexpr int repeats = 15;
// The cost of empty rows is shown on rows of three kinds.
constexpr const char* half_emptied[] = {"laplace3d:49", "random:170998,6", "powerlaw:1000005"};

struct spmv_problem {
    matrix a;
    std::vector<double> x, expected;
    double floor_ms = 0;  // 0: not asked for
};

spmv_problem make(const context& ctx, const std::string& source, bool with_floor) {
    spmv_problem p{load_valued(ctx, source), {}, {}, 0};
    p.x.resize(static_cast<std::size_t>(p.a.columns()));
    for (std::size_t k = 0; k < p.x.size(); ++k) p.x[k] = 0.5 + static_cast<double>(k * 37 % 101) / 101;
    p.expected = plain_spmv(p.a, p.x);
    p.a.facts();  // empty rows and the longest one are known to the plan, as on any second use
    if (with_floor && ctx.backend() == backend::cuda) {
        p.floor_ms = gpu_spmv_floor_ms(measured_gpu_limits(), shape_of(p.a, 8, ctx.threads()));
    } else if (with_floor) {
        spmv_floor floor(p.a);
        floor.measure(ctx.threads());
        p.floor_ms = floor.ms();
    }
    return p;
}

void expect_close(const spmv_problem& p, const std::vector<double>& y, const std::string& who) {
    for (std::size_t i = 0; i < y.size(); ++i)
        if (!(std::abs(y[i] - p.expected[i]) <= 1e-9 * (1 + std::abs(p.expected[i]))))
            throw error(fmt::format("{}: row {} is {}, not {}", who, i, y[i], p.expected[i]));
}

std::vector<double> dense_values(const vector& w) {
    std::vector<index_t> places;
    std::vector<double> values, all(static_cast<std::size_t>(w.size()));
    w.extract_tuples(places, values);
    for (std::size_t k = 0; k < places.size(); ++k) all[static_cast<std::size_t>(places[k])] = values[k];
    return all;
}

measurement rated(const spmv_problem& p, const timing& t) {
    const auto entries = static_cast<double>(p.a.nnz());
    return {t.median,
            {{"best_ms", t.best},
             {"entries", entries},
             {"empty_rows", static_cast<double>(p.a.facts().empty_rows)},
             {"floor_ms", p.floor_ms},
             {"gflops", 2 * entries / t.best / 1e6}}};
}

measurement measure(const context& ctx, const spmv_problem& p, const std::string& kernel) {
    const semiring ring("plus_times");
    const vector_options options{.kernel = kernel == "planned" ? std::string_view() : kernel};
    const vector x = vector::dense<double>(ctx, p.x);
    vector w(ctx, dtype::float64, p.a.rows());
    mxv(ctx, w, ring, p.a, x, options);
    expect_close(p, dense_values(w), kernel);
    return rated(p, timed(ctx, repeats, [&] { mxv(ctx, w, ring, p.a, x, options); }));
}

using spmv_slot = std::shared_ptr<slot<spmv_problem>>;

void add_matrix(const context& ctx, const spmv_slot& at, const input& i,
                const std::vector<std::string>& kernels) {
    const std::string head = "dalton2015/spmv/" + i.name;
    for (const auto& kernel : kernels)
        add(head + "/" + kernel, [=] { return measure(ctx, at->of(i.source), kernel); });
    if (have_eigen() && ctx.backend() == backend::cpu)
        add(head + "/eigen", [=] {
            const spmv_problem& p = at->of(i.source);
            eigen_spmv peer(p.a, p.x, ctx.threads());
            peer.run();
            expect_close(p, peer.result(), "Eigen");
            return rated(p, timed(ctx, repeats, [&] { peer.run(); }));
        });
}

using all_results = std::map<std::string, measurement>;

void print_rows(const std::vector<input>& inputs, const std::vector<std::string>& columns,
                const all_results& results, bool rates) {
    fmt::print("\n{:13} {:26} {:>10} {:>9}", rates ? "GFLOP/s" : "ms", "ours", "entries", "floor ms");
    for (const auto& kernel : columns) fmt::print(" {:>10}", kernel);
    fmt::print("\n");
    for (const input& i : inputs) {
        const auto at = [&](const std::string& k) {
            return find(results, "dalton2015/spmv/" + i.name + "/" + k);
        };
        const measurement* any = at("csr_merge");
        if (!any) continue;
        const double floor = counter(any, "floor_ms");
        fmt::print("{:13} {:26} {:>10.0f} {:>9}", i.paper, i.name, counter(any, "entries"),
                   floor > 0 ? fmt::format("{:.3f}", floor) : "-");
        for (const auto& kernel : columns)
            fmt::print(" {:>10}", !at(kernel) ? "-"
                                  : rates     ? fmt::format("{:.2f}", counter(at(kernel), "gflops"))
                                              : best_ms(at(kernel)));
        fmt::print("\n");
    }
}

void print_correlations(const std::vector<input>& inputs, const std::vector<std::string>& columns,
                        const all_results& results) {
    for (const auto& kernel : columns) {
        std::vector<double> ms, entries, floors;
        for (const input& i : inputs)
            if (const auto* m = find(results, "dalton2015/spmv/" + i.name + "/" + kernel)) {
                ms.push_back(counter(m, "best_ms"));
                entries.push_back(counter(m, "entries"));
                floors.push_back(counter(m, "floor_ms"));
            }
        print_correlation(kernel, ms, entries, "entries");
        if (floors.size() > 2 && floors.front() > 0)
            fmt::print("{}: correlation of time with the floor {:.4f}\n", kernel, correlation(ms, floors));
    }
    fmt::print("the paper: 0.97 with entries\n");
}

void print_empty_rows(const std::vector<input>& inputs, const all_results& results) {
    fmt::print("\n{:26} {:>10} {:>12} {:>8}\n", "csr_merge, ms", "as it is", "half empty", "ratio");
    for (const input& i : inputs) {
        const auto *whole = find(results, "dalton2015/spmv/" + i.name + "/csr_merge"),
                   *spread = find(results, "dalton2015/spmv/" + input_name("half_empty(" + i.source + ")") +
                                               "/csr_merge");
        if (whole && spread)
            fmt::print("{:26} {:>10} {:>12} {:>8.2f}\n", i.name, best_ms(whole), best_ms(spread),
                       counter(spread, "best_ms") / counter(whole, "best_ms"));
    }
}

}  // namespace

int spmv(const options& o, const context& ctx) {
    const std::vector<input> inputs = inputs_of(o, williams(), size::full);
    print_stand_ins(inputs, williams());
    std::vector<std::string> kernels = kernels_here(ctx, "mxv", {"csr_row", "csr_merge"});
    kernels.emplace_back("planned");
    const spmv_slot at = std::make_shared<slot<spmv_problem>>(
        [ctx, floor = !o.quick](const std::string& source) { return make(ctx, source, floor); });
    for (const input& i : inputs) {
        add_matrix(ctx, at, i, kernels);
        const bool emptied = !o.inputs.empty() || o.quick ||
                             std::ranges::find(half_emptied, i.source) != std::end(half_emptied);
        const std::string spread = "half_empty(" + i.source + ")";
        if (emptied)
            add("dalton2015/spmv/" + input_name(spread) + "/csr_merge",
                [=] { return measure(ctx, at->of(spread), "csr_merge"); });
    }
    const auto results = run(o, "^dalton2015/spmv/");
    std::vector<std::string> columns = kernels;
    if (have_eigen() && ctx.backend() == backend::cpu) columns.emplace_back("eigen");
    print_rows(inputs, columns, results, o.figure == 5);
    print_correlations(inputs, columns, results);
    print_empty_rows(inputs, results);
    return 0;
}

}  // namespace nz::bench::dalton2015
