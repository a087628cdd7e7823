// PageRank to a change of 1e-4 summed over the vertices, as the GAP benchmark has it: float ranks, the whole call,
// each answer checked first.
#include "suites.hpp"

#include <fmt/format.h>

namespace nz::bench {
namespace {

constexpr const char* graphs[] = {"rmat:18,16", "uniform:262144,16", "grid2d:1000,0.3"};
constexpr int rounds = 16;

struct variant {
    const char* label;
    dtype type;
    bool adaptive;
};
constexpr variant variants[] = {{"float32", dtype::float32, false},
                                {"float64", dtype::float64, false},
                                {"adaptive", dtype::float32, true}};

measurement timed(const context& ctx, const matrix& a, const variant& v) {
    pagerank_options o;
    o.tolerance = 1e-4;
    o.type = v.type;
    o.adaptive = v.adaptive;
    const auto found = pagerank(ctx, a, o);
    if (const std::string broken = validate_pagerank(ctx, a, found.ranks, o); !broken.empty())
        throw error(fmt::format("pagerank {}: {}", v.label, broken));
    const timing t = time_ms(rounds, [&] { pagerank(ctx, a, o); });
    return {t.median,
            {{"best_ms", t.best},
             {"iterations", static_cast<double>(found.iterations)},
             {"entries", static_cast<double>(a.nnz())}}};
}

}  // namespace

int pagerank_suite(const options& o) {
    const context ctx({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty()) inputs.assign(std::begin(graphs), std::end(graphs));
    if (o.quick) inputs = {"rmat:14,16", "grid2d:200,0.3"};
    for (const auto& input : inputs) {
        const matrix a = load(ctx, input).matrix;
        for (const variant& v : variants)
            add("pagerank/" + input + "/" + v.label, [=, &ctx] { return timed(ctx, a, v); });
    }
    const auto results = run(o, "^pagerank/");
    fmt::print("\n{:24} {:>10} {:>10} {:>6}\n", "graph, ranks", "ms", "best", "steps");
    for (const auto& [name, m] : results)
        fmt::print("{:36} {:>10.2f} {:>10.2f} {:>6.0f}\n", name, m.ms, m.counters.at("best_ms"),
                   m.counters.at("iterations"));
    return 0;
}

}  // namespace nz::bench
