// Breadth-first search: 16 random sources of degree > 0, median, parents included, each checked first; the peer in
// the same process on the same graph. With --table 1: both directions of each level, and the regret of the rule.
#include "inputs.hpp"
#include "limits/search_floor.hpp"
#include "peers/graphblas.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

namespace nz::bench {
namespace {

constexpr int source_count = 16, judged_on_cpu = 4;
constexpr const char* graphs[] = {"rmat:18,16", "rmat:20,16", "uniform:262144,16", "grid2d:1000,0.15",
                                  "grid2d:2000,0.3"};

// Median over the sources of the best of three runs each, so that the first touch of a source is not counted.
measurement over_sources(const matrix& a, const std::vector<offset_t>& sources,
                         const std::function<offset_t(offset_t)>& search) {
    std::vector<double> times, rates;
    for (const offset_t s : sources) {
        double best = 1e300;
        offset_t edges = 0;
        for (int round = 0; round < 3; ++round) {
            const auto start = std::chrono::steady_clock::now();
            edges = search(s);
            best = std::min(
                best,
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        }
        times.push_back(best);
        rates.push_back(static_cast<double>(edges) / best / 1e6);
    }
    return {median(times),
            {{"gteps", median(rates)},
             {"entries", static_cast<double>(a.nnz())},
             {"min_ms", std::ranges::min(times)},
             {"max_ms", std::ranges::max(times)}}};
}

double floor_ms(const context& ctx, const matrix& a, const std::vector<offset_t>& sources) {
    std::vector<double> floors;
    for (const offset_t s : sources) {
        const auto found = bfs(ctx, a, s, {.parents = false});
        floors.push_back(search_floor(ctx).bfs_ms(a, static_cast<double>(found.reached),
                                                  static_cast<double>(found.iterations.size())));
    }
    return median(floors);
}

void check(const context& ctx, const matrix& a, offset_t source, const traverse_options& o,
           const std::string& name) {
    const auto found = bfs(ctx, a, source, o);
    const std::string broken = validate_bfs(ctx, a, source, found.levels, found.parents);
    if (!broken.empty()) throw error(fmt::format("{} from {}: {}", name, source, broken));
}

void add_variants(const context& ctx, const std::string& graph, const std::shared_ptr<matrix>& a,
                  const std::shared_ptr<std::vector<offset_t>>& sources) {
    const auto variant = [=](const std::string& label, const traverse_options& o) {
        add("bfs/" + graph + "/" + label, [=] {
            check(ctx, *a, sources->front(), o, graph);
            measurement m = over_sources(*a, *sources, [&](offset_t s) { return bfs(ctx, *a, s, o).edges; });
            add_floor(m, floor_ms(ctx, *a, *sources));
            return m;
        });
    };
    variant("nonzero", {});
    variant("nonzero_fast", {.determinism = determinism::fast});
    variant("nonzero_hub_first", {.hub_first = true});
    variant("nonzero_loop", {.kernel = "push_pull_loop"});
}

void add_peer(const context& ctx, const std::string& graph, const std::shared_ptr<matrix>& a,
              const std::shared_ptr<std::vector<offset_t>>& sources) {
    if (!have_graphblas()) return;
    add("bfs/" + graph + "/graphblas", [=] {
        graphblas_graph peer(*a, a->facts().symmetric_pattern, ctx.threads());
        peer.bfs(sources->front());
        const auto parents = peer.parents();
        const auto own = bfs(ctx, *a, sources->front(), {});
        const auto levels = own.levels.values<std::int32_t>();
        for (offset_t v = 0; v < a->rows(); ++v)
            if ((parents[v] < 0) != (levels[v] < 0)) throw error("the peer reaches other vertices");
        return over_sources(*a, *sources, [&](offset_t s) { return peer.bfs(s), own.edges; });
    });
}

struct judged {
    double chosen_us = 0, best_us = 0;  // over the first levels
    std::size_t levels = 0;
};
// The time of each level in both directions, the levels before as the rule has them: on a GPU by its clock, levels alone.
judged judge(const context& ctx, const matrix& a, const std::string& graph, offset_t source, bool prints) {
    constexpr std::size_t first_levels = 12;
    const bool parents = ctx.backend() == backend::cpu;
    const auto timed = [&](const std::vector<direction>& schedule, std::size_t level) {
        std::vector<double> times;
        for (int round = 0; round < 5; ++round) {
            traverse_options o;
            o.schedule = schedule;
            o.parents = parents;
            std::vector<double> of_level;
            auto last = std::chrono::steady_clock::now();
            o.on_level = [&](const traverse_level&) {
                const auto now = std::chrono::steady_clock::now();
                of_level.push_back(std::chrono::duration<double, std::micro>(now - last).count());
                last = now;
            };
            const auto found = bfs(ctx, a, source, o);
            if (found.backend == backend::cuda)
                std::ranges::transform(found.iterations, of_level.begin(), &traverse_level::time_us);
            if (level < of_level.size()) times.push_back(of_level[level]);
        }
        return times.empty() ? 0 : std::ranges::min(times);
    };
    const auto found = bfs(ctx, a, source, {.parents = parents});
    std::vector<direction> rule;
    for (const auto& l : found.iterations) rule.push_back(l.direction);
    judged sum;
    sum.levels = std::min(rule.size(), first_levels);
    if (prints)
        fmt::print("\n{} from {}: {} levels, the first {}\n{:>6} {:>6} {:>10} {:>8} {:>11} {:>11}\n", graph,
                   source, rule.size(), sum.levels, "level", "rule", "frontier", "r", "push us", "pull us");
    for (std::size_t l = 0; l < sum.levels; ++l) {
        std::vector<direction> schedule(rule.begin(), rule.begin() + static_cast<std::ptrdiff_t>(l) + 1);
        double t[2];
        for (const direction d : {direction::pull, direction::push}) {
            schedule[l] = d;
            t[static_cast<int>(d)] = timed(schedule, l);
        }
        if (t[0] <= 0 || t[1] <= 0) continue;  // not recorded
        sum.chosen_us += t[static_cast<int>(rule[l])];
        sum.best_us += std::min(t[0], t[1]);
        if (prints)
            fmt::print("{:>6} {:>6} {:>10} {:>8.4f} {:>11.1f} {:>11.1f}\n", l + 1, name_of(rule[l]),
                       found.iterations[l].frontier, found.iterations[l].ratio,
                       t[static_cast<int>(direction::push)], t[static_cast<int>(direction::pull)]);
    }
    if (prints)
        fmt::print("rule {:.1f} us, best of both {:.1f} us: regret {:.2f}\n", sum.chosen_us, sum.best_us,
                   sum.chosen_us / sum.best_us);
    return sum;
}

// What the rule lost against the better direction of every level, source by source; the levels of the first one are printed.
measurement oracle(const context& ctx, const matrix& a, const std::string& graph,
                   std::span<const offset_t> sources) {
    std::vector<double> chosen, best, regrets;
    for (const offset_t s : sources) {
        const judged j = judge(ctx, a, graph, s, chosen.empty());
        if (j.best_us <= 0) continue;
        chosen.push_back(j.chosen_us);
        best.push_back(j.best_us);
        regrets.push_back(j.chosen_us / j.best_us);
    }
    if (regrets.empty()) throw error(graph + ": no search has a level");
    fmt::print("{}: regret from each source:", graph);
    for (const double r : regrets) fmt::print(" {:.2f}", r);
    fmt::print("\n");
    return {median(chosen) * 1e-3,
            {{"best_ms", median(best) * 1e-3},
             {"regret", median(regrets)},
             {"max_regret", std::ranges::max(regrets)},
             {"sources", static_cast<double>(regrets.size())},
             {"entries", static_cast<double>(a.nnz())}}};
}

}  // namespace

int bfs_suite(const options& o) {
    if (o.backend != "cpu") {
        const context gpu({.backend = o.backend == "cuda" ? backend::cuda : backend::automatic,
                           .threads = o.threads,
                           .log = [](std::string_view line) { fmt::print("{}\n", line); }});
        if (gpu.backend() == backend::cuda && o.table != 1) return bfs_suite_on_gpu(o, gpu);
    }
    const context ctx({.backend = o.table != 1 || o.backend == "cpu" ? backend::cpu
                                  : o.backend == "cuda"              ? backend::cuda
                                                                     : backend::automatic,
                       .threads = o.threads});
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty()) inputs.assign(std::begin(graphs), std::end(graphs));
    if (o.quick) inputs = {"rmat:14,16", "grid2d:200,0.15"};
    for (const auto& graph : inputs) {
        auto a = std::make_shared<matrix>(load(ctx, graph).matrix);
        const auto sources = std::make_shared<std::vector<offset_t>>(random_sources(*a, source_count));
        bfs(ctx, *a, sources->front(), {});  // builds what pull reads
        if (o.table == 1) {
            const std::size_t count = ctx.backend() == backend::cuda ? sources->size() : judged_on_cpu;
            add("bfs/" + input_name(graph) + "/oracle",
                [=, &ctx] { return oracle(ctx, *a, graph, std::span(*sources).first(count)); });
            continue;
        }
        const auto start = std::chrono::steady_clock::now();
        bfs(ctx, *a, sources->front(), {.hub_first = true});
        fmt::print(
            "{}: hub-first order built in {:.0f} ms\n", graph,
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        add_variants(ctx, graph, a, sources);
        add_peer(ctx, graph, a, sources);
    }
    const auto results = run(o, "^bfs/");
    if (o.table == 1) return 0;
    fmt::print("\n{:24} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "graph", "nonzero", "fast", "hub first",
               "loop", "graphblas", "ratio");
    for (const auto& graph : inputs) {
        const auto ms = [&](const char* label) {
            const auto it = results.find("bfs/" + graph + "/" + label);
            return it == results.end() ? 0.0 : it->second.ms;
        };
        fmt::print("{:24} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>8.2f}\n", graph, ms("nonzero"),
                   ms("nonzero_fast"), ms("nonzero_hub_first"), ms("nonzero_loop"), ms("graphblas"),
                   ms("nonzero") > 0 ? ms("graphblas") / ms("nonzero") : 0);
    }
    return 0;
}

}  // namespace nz::bench
