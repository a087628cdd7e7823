// Figures 7 and 8: A + A by the balanced path, its speed-up over one thread going through the rows, and time against
// |A| + |B|.
#include "limits/cpu.hpp"
#include "limits/gpu.hpp"
#include "papers/dalton2015/figures.hpp"
#include "peers/graphblas.hpp"

#include <fmt/format.h>

namespace nz::bench::dalton2015 {
namespace {

constexpr int repeats = 9;

struct sum_problem {
    matrix a, b;
    plain_csr expected;
    double sequential_ms = 0;
};

sum_problem make(const context& ctx, const std::string& source) {
    const matrix a = load_valued(ctx, source);
    sum_problem p{a, matrix::from_csr<double>(ctx, a.csr<double>()), {}, 0};
    p.sequential_ms = time_ms(3, [&] { p.expected = plain_sum(p.a, p.b); }).best;
    return p;
}

measurement rated(const sum_problem& p, const timing& t) {
    const double work = static_cast<double>(p.a.nnz() + p.b.nnz()),
                 entries = static_cast<double>(p.expected.indices.size());
    return {t.median,
            {{"best_ms", t.best},
             {"sequential_ms", p.sequential_ms},
             {"work", work},
             {"output_entries", entries},
             {"bytes", 12 * (work + entries) + 12 * static_cast<double>(p.a.rows())},
             {"gentries_per_s", work / t.best / 1e6},
             {"speed_up", p.sequential_ms / t.best}}};
}

measurement measure(const context& ctx, const sum_problem& p) {
    matrix c(ctx, dtype::float64, p.a.rows(), p.a.columns());
    const operation_plan plan = ewise_add(ctx, c, binary_id::plus, p.a, p.b);
    if (plan.kernel != "balanced_path") throw error("the sum ran by " + std::string(plan.kernel));
    expect_same(p.expected, c, "balanced_path");
    return rated(p, timed(ctx, repeats, [&] { ewise_add(ctx, c, binary_id::plus, p.a, p.b); }));
}

using all_results = std::map<std::string, measurement>;

std::string name_of(const input& i, const char* who) { return "dalton2015/spadd/" + i.name + "/" + who; }

void print_rows(const std::vector<input>& inputs, const all_results& results, double copy) {
    fmt::print("\n{:13} {:26} {:>10} {:>10} {:>9} {:>9} {:>10} {:>9} {:>10} {:>9}\n", "ms", "ours", "|A|+|B|",
               "one thread", "ours", "speed-up", "Gentries/s", "floor ms", "graphblas", "speed-up");
    for (const input& i : inputs) {
        const auto *m = find(results, name_of(i, "balanced_path")),
                   *peer = find(results, name_of(i, "graphblas"));
        if (!m) continue;
        fmt::print("{:13} {:26} {:>10.0f} {:>10.3f} {:>9} {:>9.2f} {:>10.3f} {:>9} {:>10} {:>9}\n", i.paper,
                   i.name, counter(m, "work"), counter(m, "sequential_ms"), best_ms(m),
                   counter(m, "speed_up"), counter(m, "gentries_per_s"),
                   copy > 0 ? fmt::format("{:.3f}", 1e3 * counter(m, "bytes") / copy) : "-", best_ms(peer),
                   peer ? fmt::format("{:.2f}", counter(peer, "speed_up")) : "-");
    }
}

void print_correlations(const std::vector<input>& inputs, const all_results& results) {
    for (const char* who : {"balanced_path", "graphblas"}) {
        std::vector<double> ms, work, bytes, sequential;
        for (const input& i : inputs)
            if (const auto* m = find(results, name_of(i, who))) {
                ms.push_back(counter(m, "best_ms"));
                work.push_back(counter(m, "work"));
                bytes.push_back(counter(m, "bytes"));
                sequential.push_back(counter(m, "sequential_ms"));
            }
        print_correlation(who, ms, work, "|A| + |B|");
        if (ms.size() > 2)
            fmt::print("{}: correlation of time with the bytes of A, B and C {:.4f}\n", who,
                       correlation(ms, bytes));
        if (who == std::string_view("balanced_path"))
            print_correlation("one thread by rows", sequential, work, "|A| + |B|");
    }
    fmt::print("the paper: 1 with |A| + |B|\n");
}

}  // namespace

int sums(const options& o, const context& ctx) {
    const std::vector<input> inputs = inputs_of(o, williams(), size::full);
    print_stand_ins(inputs, williams());
    if (kernels_here(ctx, "ewise", {"balanced_path"}).empty()) return 0;
    const auto at =
        std::make_shared<slot<sum_problem>>([ctx](const std::string& source) { return make(ctx, source); });
    for (const input& i : inputs) {
        add(name_of(i, "balanced_path"), [=] { return measure(ctx, at->of(i.source)); });
        if (have_graphblas() && ctx.backend() == backend::cpu)
            add(name_of(i, "graphblas"), [=] {
                const sum_problem& p = at->of(i.source);
                graphblas_add peer(p.a, p.b, ctx.threads());
                const timing t = timed(ctx, repeats, [&] { peer.run(); });
                if (peer.entries() != static_cast<std::int64_t>(p.expected.indices.size()))
                    throw error("GraphBLAS has other entries than a plain loop");
                return rated(p, t);
            });
    }
    const bool gpu = ctx.backend() == backend::cuda;
    const double copy = o.quick ? 0
                        : gpu   ? measured_gpu_limits().copy.per_second
                                : copy_bandwidth(ctx.threads());
    const auto results = run(o, "^dalton2015/spadd/");
    print_rows(inputs, results, copy);
    print_correlations(inputs, results);
    return 0;
}

}  // namespace nz::bench::dalton2015
