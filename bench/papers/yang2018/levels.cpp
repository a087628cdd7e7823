// Figure 5: a search of a Kronecker graph level by level: the frontier, what is not visited yet, where the frontier's edges lead, and
// the time of the level by push and by pull. Figure 6: those times over the sizes, as searches from several sources meet them,
// beside figure 2's of random vectors. Push is the masked product by columns; pull by rows with early exit; operand reuse is
// off, levels alone, by the loop over mxv. A level is timed with all before it in the same direction, the best of several.
#include "inputs.hpp"
#include "papers/shared/runs.hpp"
#include "papers/yang2018/figures.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz::bench::yang2018 {
namespace {

constexpr int repeats = 5, source_count = 16;
constexpr const char* switches = "structure_only,change_direction,masking,early_exit";

/// One level of a search that goes all its way in one direction.
struct timed_level {
    double ms = 0, frontier = 0, unvisited = 0;
};

std::vector<timed_level> search(const context& ctx, const matrix& a, offset_t source, direction d) {
    std::vector<timed_level> best;
    for (int round = 0; round < repeats; ++round) {
        traverse_options o;
        o.kernel = "push_pull_loop";
        o.switches = parse_switches(switches);
        o.parents = false;
        o.schedule.assign(64, d);
        std::vector<double> ms;
        auto last = std::chrono::steady_clock::now();
        o.on_level = [&](const traverse_level&) {
            const auto now = std::chrono::steady_clock::now();
            ms.push_back(std::chrono::duration<double, std::milli>(now - last).count());
            last = now;
        };
        const auto found = bfs(ctx, a, source, o);
        best.resize(found.iterations.size());
        for (std::size_t l = 0; l < best.size(); ++l) {
            const auto& of = found.iterations[l];
            const double now = found.backend == backend::cuda ? of.time_us / 1e3 : ms[l];
            if (round == 0)
                best[l] = {now, static_cast<double>(of.frontier), static_cast<double>(of.unvisited)};
            best[l].ms = std::min(best[l].ms, now);
        }
    }
    return best;
}

/// Entries in the rows of each level's vertices, by the level of the vertex that they lead to.
struct edge_kinds {
    double forward = 0, within = 0, back = 0;
};

std::vector<edge_kinds> edges_of(const context& ctx, const matrix& a, offset_t source, std::size_t count) {
    const auto found = bfs(ctx, a, source, {.parents = false});
    const auto level = found.levels.values<std::int32_t>();
    const auto& rows = a.body().rows();
    std::vector<edge_kinds> of(count);
    for (std::size_t v = 0; v < level.size(); ++v) {
        if (level[v] < 0 || static_cast<std::size_t>(level[v]) >= count) continue;
        edge_kinds& kinds = of[static_cast<std::size_t>(level[v])];
        const auto row = static_cast<offset_t>(v);
        for (offset_t k = rows.offset(row); k < rows.offset(row + 1); ++k) {
            const auto to = level[static_cast<std::size_t>(rows.index_data()[k])];
            ++(to > level[v] ? kinds.forward : to == level[v] ? kinds.within : kinds.back);
        }
    }
    return of;
}

std::string name_of(const std::string& source, std::size_t level, const char* who) {
    return fmt::format("yang2018/levels/{}/{}/{}", source, level + 1, who);
}

/// Levels that searches have, at most so many.
constexpr std::size_t most_levels = 12;

struct level_runs {
    std::vector<std::vector<timed_level>> push, pull;  // of each source
    std::vector<edge_kinds> edges;                     // from the first source
};

level_runs run_searches(const context& ctx, const matrix& a, int sources) {
    level_runs runs;
    for (const offset_t s : random_sources(a, sources)) {
        runs.push.push_back(search(ctx, a, s, direction::push));
        runs.pull.push_back(search(ctx, a, s, direction::pull));
    }
    runs.edges = edges_of(ctx, a, random_sources(a, 1).front(), runs.push.front().size());
    return runs;
}

/// Medians of level l over the searches that have it.
timed_level middle(const std::vector<std::vector<timed_level>>& all, std::size_t l) {
    std::vector<double> ms, frontier, unvisited;
    for (const auto& one : all)
        if (l < one.size()) {
            ms.push_back(one[l].ms);
            frontier.push_back(one[l].frontier);
            unvisited.push_back(one[l].unvisited);
        }
    return {median(ms), median(frontier), median(unvisited)};
}

void add_levels(const std::string& source, const std::shared_ptr<level_runs>& runs) {
    std::size_t deepest = 0;
    for (const auto& one : runs->push) deepest = std::max(deepest, one.size());
    for (std::size_t l = 0; l < std::min(deepest, most_levels); ++l)
        for (const auto& [who, all] : {std::pair("push", &runs->push), std::pair("pull", &runs->pull)})
            add(name_of(source, l, who), [=, all = all] {
                const timed_level m = middle(*all, l);
                measurement found{m.ms, {{"frontier", m.frontier}, {"unvisited", m.unvisited}}};
                if (l < runs->edges.size()) {
                    found.counters["edges_forward"] = runs->edges[l].forward;
                    found.counters["edges_within"] = runs->edges[l].within;
                    found.counters["edges_back"] = runs->edges[l].back;
                }
                return found;
            });
}

void print_levels(const std::string& source, const std::map<std::string, measurement>& results) {
    fmt::print(
        "\n{}: medians of searches; edges of the frontier from the first source\n{:>6} {:>10} {:>10} {:>11} {:>11} {:>11} {:>10} {:>10}\n",
        source, "level", "frontier", "unvisited", "forward", "within", "back", "push ms", "pull ms");
    for (std::size_t l = 0; l < most_levels; ++l) {
        const measurement* push = papers::find(results, name_of(source, l, "push"));
        if (!push) continue;
        const measurement* pull = papers::find(results, name_of(source, l, "pull"));
        fmt::print("{:>6} {:>10.0f} {:>10.0f} {:>11.0f} {:>11.0f} {:>11.0f} {:>10.3f} {:>10}\n", l + 1,
                   papers::counter(push, "frontier"), papers::counter(push, "unvisited"),
                   papers::counter(push, "edges_forward"), papers::counter(push, "edges_within"),
                   papers::counter(push, "edges_back"), push->ms,
                   pull ? fmt::format("{:.3f}", pull->ms) : "-");
    }
}

std::string graph_of(const options& o) {
    return !o.inputs.empty() ? o.inputs.front() : o.quick ? "rmat:11,16" : "rmat:18,48";
}

}  // namespace

int levels(const options& o, const context& ctx) {
    const std::string source = graph_of(o);
    const matrix a = load(ctx, source).matrix;
    add_levels(source, std::make_shared<level_runs>(run_searches(ctx, a, 1)));
    print_levels(source, run(o, "^yang2018/levels/"));
    return 0;
}

int searches(const options& o, const context& ctx) {
    const std::string source = graph_of(o);
    const matrix pattern = load(ctx, source).matrix;
    add_levels(source, std::make_shared<level_runs>(run_searches(ctx, pattern, o.quick ? 3 : source_count)));
    add_products(ctx, source, std::make_shared<matrix>(papers::load_ones(ctx, source)), o.quick);
    const auto results = run(o, "^yang2018/(levels|products)/");
    print_levels(source, results);
    print_products(source, results);
    return 0;
}

}  // namespace nz::bench::yang2018
