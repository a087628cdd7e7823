// PageRank to a change of 1e-4 summed over the vertices, as the GAP benchmark has it: float ranks, the whole call,
// each answer checked first. On a GPU also what one step takes, from calls of many and of few steps, beside its floor.
#include "limits/search_floor.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz::bench {
namespace {

constexpr const char* graphs[] = {"rmat:18,16", "uniform:262144,16", "grid2d:1000,0.15"};
constexpr const char* graphs_on_gpu[] = {"rmat:20,16", "rmat:22,32", "uniform:1048576,16", "grid2d:2000,0.3"};
constexpr int rounds = 16;

struct variant {
    const char* label;
    dtype type;
    bool adaptive;
};
constexpr variant variants[] = {{"float32", dtype::float32, false},
                                {"float64", dtype::float64, false},
                                {"adaptive", dtype::float32, true}};

// From calls of many and of few steps.
double step_ms(const context& ctx, const matrix& a, pagerank_options o) {
    constexpr int few = 5, many = 45;
    o.tolerance = 0;
    const auto of = [&](int steps) {
        o.max_iterations = steps;
        return time_ms(rounds, [&] { pagerank(ctx, a, o); }).median;
    };
    return (of(many) - of(few)) / (many - few);
}

measurement timed(const context& ctx, const matrix& a, const variant& v, bool on_gpu) {
    pagerank_options o;
    o.tolerance = 1e-4;
    o.type = v.type;
    o.adaptive = v.adaptive;
    const auto found = pagerank(ctx, a, o);
    if (const std::string broken = validate_pagerank(ctx, a, found.ranks, o); !broken.empty())
        throw error(fmt::format("pagerank {}: {}", v.label, broken));
    const timing t = time_ms(rounds, [&] { pagerank(ctx, a, o); });
    measurement m{t.median,
                  {{"best_ms", t.best},
                   {"iterations", static_cast<double>(found.iterations)},
                   {"entries", static_cast<double>(a.nnz())}}};
    if (on_gpu && !v.adaptive) {
        m.counters["step_ms"] = step_ms(ctx, a, o);
        m.counters["floor_ms"] = search_floor(ctx).pagerank_step_ms(a, v.type);
    }
    return m;
}

}  // namespace

int pagerank_suite(const options& o) {
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const bool on_gpu = ctx.gpu() != nullptr;
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty() && on_gpu) inputs.assign(std::begin(graphs_on_gpu), std::end(graphs_on_gpu));
    if (inputs.empty()) inputs.assign(std::begin(graphs), std::end(graphs));
    if (o.quick) inputs = {"rmat:14,16", "grid2d:200,0.3"};
    for (const auto& input : inputs) {
        const matrix a = load(ctx, input).matrix;
        for (const variant& v : variants)
            add("pagerank/" + input + "/" + v.label, [=, &ctx] { return timed(ctx, a, v, on_gpu); });
    }
    const auto results = run(o, "^pagerank/");
    fmt::print("\n{:36} {:>10} {:>10} {:>6} {:>9} {:>9}\n", "graph, ranks", "ms", "best", "steps", "a step",
               "floor");
    for (const auto& [name, m] : results) {
        fmt::print("{:36} {:>10.3f} {:>10.3f} {:>6.0f}", name, m.ms, m.counters.at("best_ms"),
                   m.counters.at("iterations"));
        if (m.counters.contains("step_ms"))
            fmt::print(" {:>9.4f} {:>9.4f}", m.counters.at("step_ms"), m.counters.at("floor_ms"));
        fmt::print("\n");
    }
    return 0;
}

}  // namespace nz::bench
