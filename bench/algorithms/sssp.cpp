// Single-source shortest paths over weights 1 to 255: random sources of the giant component, each checked first. On a GPU
// kernel time between events, from the resident graph to distances (and parents) in device memory; on a CPU, and of the loop over mxv
// (from two sources), the whole call.
#include "limits/search_floor.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace nz::bench {
namespace {

constexpr int source_count = 8, rounds = 5;
constexpr double edge_bytes = 8;  // a neighbour and a length of 32 bits
constexpr const char* gpu_graphs[] = {"rmat:20,16", "rmat:22,32", "uniform:1048576,16", "grid2d:2000,0.3"};
constexpr const char* cpu_graphs[] = {"rmat:18,16", "uniform:262144,16", "grid2d:1000,0.3"};

struct variant {
    const char* label;
    shortest_options options;
};
std::vector<variant> variants() {
    shortest_options distances, parents, one_bucket, loop;
    distances.parents = one_bucket.parents = loop.parents = false;
    one_bucket.switches.near_far = false;
    loop.kernel = "relax_loop";
    return {{"distances", distances}, {"parents", parents}, {"one_bucket", one_bucket}, {"loop", loop}};
}

struct problem {
    std::string name;
    matrix a;
    std::vector<offset_t> sources;
};

// Sources in the giant component; for a grid its centre comes first.
std::vector<offset_t> choose_sources(const context& cpu, const matrix& a, bool grid) {
    std::mt19937_64 random(1);
    const auto n = static_cast<std::uint64_t>(a.rows());
    const auto side = static_cast<offset_t>(std::sqrt(static_cast<double>(n)));
    std::vector<offset_t> sources;
    for (int tries = 0; static_cast<int>(sources.size()) < source_count && tries < 200; ++tries) {
        if (grid && tries < 20 && !sources.empty()) continue;
        const offset_t s =
            grid && tries < 20 ? side / 2 * side + side / 2 + tries : static_cast<offset_t>(random() % n);
        if (bfs(cpu, a, s, {.parents = false}).reached * 10 > a.rows()) sources.push_back(s);
    }
    return sources;
}

void check(const context& ctx, const problem& p, const variant& v) {
    const offset_t s = p.sources.front();
    const auto found = sssp(ctx, p.a, s, v.options);
    const std::string broken = validate_sssp(ctx, p.a, s, found.distances, found.parents);
    if (!broken.empty()) throw error(fmt::format("{} {} from {}: {}", p.name, v.label, s, broken));
}

double once(const context& ctx, const problem& p, offset_t source, const shortest_options& o,
            shortest_result& into) {
    const auto start = std::chrono::steady_clock::now();
    into = sssp(ctx, p.a, source, o);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    return into.kernel_ms >= 0 ? into.kernel_ms : took.count();
}

measurement timed(const context& ctx, const problem& p, const variant& v) {
    std::vector<double> times, rates, again, steps, floors;
    shortest_result r{vector(ctx, dtype::int32, 0), vector(ctx, dtype::int32, 0)};
    // The loop, a product a round, from two sources.
    const bool loop = !v.options.kernel.empty();
    for (const offset_t s :
         std::span(p.sources).first(loop ? std::min<std::size_t>(2, p.sources.size()) : p.sources.size())) {
        std::vector<double> of_source;
        for (int round = 0; round < (loop ? 2 : rounds); ++round)
            of_source.push_back(once(ctx, p, s, v.options, r));
        times.push_back(ctx.backend() == backend::cuda ? median(of_source) : std::ranges::min(of_source));
        rates.push_back(static_cast<double>(r.edges) / times.back() / 1e6);
        again.push_back(static_cast<double>(r.relaxations) / static_cast<double>(r.edges));
        steps.push_back(static_cast<double>(r.rounds));
        if (!loop)
            floors.push_back(search_floor(ctx).sssp_ms(
                static_cast<double>(p.a.rows()), static_cast<double>(r.edges), edge_bytes, steps.back()));
    }
    measurement m{median(times),
                  {{"gteps", median(rates)},
                   {"relaxations_an_edge", median(again)},
                   {"rounds", median(steps)},
                   {"delta", r.delta < 1e18 ? r.delta : 0},
                   {"first_source_ms", times.front()},
                   {"min_ms", std::ranges::min(times)},
                   {"max_ms", std::ranges::max(times)},
                   {"entries", static_cast<double>(p.a.nnz())}}};
    if (!floors.empty()) add_floor(m, median(floors));
    return m;
}

// The width of buckets: every power of two around the plan's (--table 1).
void deltas(const context& ctx, const problem& p) {
    shortest_options o;
    o.parents = false;
    shortest_result r{vector(ctx, dtype::int32, 0), vector(ctx, dtype::int32, 0)};
    once(ctx, p, p.sources.front(), o, r);
    const double own = r.delta;
    fmt::print("\n{}: the plan's delta is {:.1f}\n{:>10} {:>9} {:>9} {:>8} {:>8}\n", p.name, own, "delta",
               "ms", "an edge", "rounds", "buckets");
    for (double factor = 1.0 / 16; factor <= 16; factor *= 2) {
        o.delta = own * factor;
        std::vector<double> times, again, steps, buckets;
        for (const offset_t s : p.sources) {
            double best = 1e300;
            for (int k = 0; k < 3; ++k) best = std::min(best, once(ctx, p, s, o, r));
            times.push_back(best);
            again.push_back(static_cast<double>(r.relaxations) / static_cast<double>(r.edges));
            steps.push_back(static_cast<double>(r.rounds));
            buckets.push_back(static_cast<double>(r.buckets));
        }
        fmt::print("{:>10.1f} {:>9.4f} {:>9.3f} {:>8.0f} {:>8.0f}\n", o.delta, median(times), median(again),
                   median(steps), median(buckets));
    }
}

void print_table(const std::vector<std::shared_ptr<problem>>& problems,
                 const std::map<std::string, measurement>& results) {
    fmt::print("\n{:24}", "graph, ms");
    for (const auto& v : variants()) fmt::print(" {:>10}", v.label);
    fmt::print(" {:>8} {:>8} {:>8} {:>8} {:>7}\n", "GTEPS", "an edge", "rounds", "delta", "share");
    for (const auto& p : problems) {
        if (!results.contains("sssp/" + p->name + "/distances")) continue;
        fmt::print("{:24}", p->name);
        for (const auto& v : variants()) {
            const auto found = results.find("sssp/" + p->name + "/" + v.label);
            fmt::print(" {:>10.4f}", found == results.end() ? 0 : found->second.ms);
        }
        const auto& c = results.at("sssp/" + p->name + "/distances").counters;
        fmt::print(" {:>8.2f} {:>8.3f} {:>8.0f} {:>8.1f} {:>7}\n", c.at("gteps"), c.at("relaxations_an_edge"),
                   c.at("rounds"), c.at("delta"),
                   c.contains("share_of_floor") ? fmt::format("{:.0f}%", 100 * c.at("share_of_floor")) : "");
    }
}

}  // namespace

int sssp_suite(const options& o) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const bool on_gpu = ctx.backend() == backend::cuda;
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty() && on_gpu) inputs.assign(std::begin(gpu_graphs), std::end(gpu_graphs));
    if (inputs.empty()) inputs.assign(std::begin(cpu_graphs), std::end(cpu_graphs));
    if (o.quick) inputs = {"rmat:14,16", "grid2d:200,0.3"};
    std::vector<std::shared_ptr<problem>> problems;
    for (const auto& input : inputs) {
        matrix a = with_random_weights(cpu, load(cpu, input).matrix, 1, 255);
        auto sources = choose_sources(cpu, a, input.starts_with("grid2d"));
        const auto slash = input.rfind('/');
        const auto& p = problems.emplace_back(std::make_shared<problem>(problem{
            slash == input.npos ? input : input.substr(slash + 1), std::move(a), std::move(sources)}));
        if (p->sources.empty()) throw error(p->name + ": no component with a tenth of the vertices");
        if (o.table == 1) {
            deltas(ctx, *p);
            continue;
        }
        for (const variant& v : variants())
            add("sssp/" + p->name + "/" + v.label, [=, &ctx] {
                check(ctx, *p, v);
                return timed(ctx, *p, v);
            });
    }
    if (o.table == 1) return 0;
    print_table(problems, run(o, "^sssp/"));
    return 0;
}

}  // namespace nz::bench
