// Breadth-first search on a GPU: random sources of the giant component, kernel time between events from the resident
// graph to levels (and parents) in device memory; each variant checked against the CPU's search first. The share is
// that of search_floor, with the rates that this run measures.
#include "limits/search_floor.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace nz::bench {
namespace {

constexpr int source_count = 16, rounds = 5;
constexpr const char* graphs[] = {"rmat:20,16", "rmat:22,32", "uniform:1048576,16", "grid2d:2000,0.3"};

struct variant {
    const char* label;
    traverse_options options;
};
const variant variants[] = {{"levels", {.parents = false}},
                            {"fast_parents", {.determinism = determinism::fast}},
                            {"smallest_parents", {}},
                            {"levels_hub_first", {.parents = false, .hub_first = true}}};

struct problem {
    std::string name;
    matrix a;
    std::vector<offset_t> sources;
};

// Sources in the giant component; for a grid its centre comes first.
std::vector<offset_t> choose_sources(const context& cpu, const matrix& a, bool grid) {
    std::mt19937_64 random(1);
    const auto n = static_cast<std::uint64_t>(a.rows());
    std::vector<offset_t> sources;
    const auto side = static_cast<offset_t>(std::sqrt(static_cast<double>(n)));
    for (int tries = 0; static_cast<int>(sources.size()) < source_count && tries < 200; ++tries) {
        const offset_t s =
            grid && tries < 20 ? side / 2 * side + side / 2 + tries : static_cast<offset_t>(random() % n);
        if (grid && tries < 20 && !sources.empty()) continue;
        if (bfs(cpu, a, s, {.parents = false}).reached * 10 > a.rows()) sources.push_back(s);
    }
    return sources;
}

void check(const context& gpu, const context& cpu, const problem& p, const variant& v) {
    const offset_t s = p.sources.front();
    const auto found = bfs(gpu, p.a, s, v.options), expected = bfs(cpu, p.a, s, {});
    const auto same = [](const vector& x, const vector& y) {
        return std::ranges::equal(x.values<std::int32_t>(), y.values<std::int32_t>());
    };
    if (!same(found.levels, expected.levels) || found.reached != expected.reached ||
        found.edges != expected.edges)
        throw error(fmt::format("{} {}: other levels than the CPU's", p.name, v.label));
    if (!v.options.parents) return;
    const bool right = v.options.determinism == determinism::strict
                           ? same(found.parents, expected.parents)
                           : validate_bfs(cpu, p.a, s, found.levels, found.parents).empty();
    if (!right) throw error(fmt::format("{} {}: wrong parents", p.name, v.label));
}

// What a search and its graph take of the GPU's memory, in a context that holds nothing else, over what the graph's rows do.
double peak_over_graph(const matrix& a, offset_t source, const traverse_options& o) {
    const context alone({.backend = backend::cuda});
    const double graph = 4.0 * static_cast<double>(a.nnz() + a.rows());
    return static_cast<double>(bfs(alone, a, source, o).device_peak_bytes) / graph;
}

// What hub-first lists take to make, as the first search that asks for them has it over the second; wall clock.
double hub_lists_ms(const context& gpu, const problem& p, const variant& v) {
    const auto wall = [&] {
        const auto start = std::chrono::steady_clock::now();
        bfs(gpu, p.a, p.sources.front(), v.options);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    bfs(gpu, p.a, p.sources.front(), {.parents = false});  // the graph is there
    const double first = wall();
    return first - wall();
}

// The levels of one search.
void print_levels(const context& gpu, const problem& p, offset_t source, const char* which) {
    const auto r = bfs(gpu, p.a, source, {.parents = false});
    fmt::print("{} from {} ({}): {:.1f} us\n", p.name, source, which, r.kernel_ms * 1e3);
    for (std::size_t l = 0; l < std::min<std::size_t>(r.iterations.size(), 10); ++l)
        fmt::print("  {:>3} {:5} {:>9} {:8.2f} us  {}\n", l, name_of(r.iterations[l].direction),
                   r.iterations[l].frontier, r.iterations[l].time_us, r.iterations[l].reason);
}

measurement timed(const context& gpu, const problem& p, const variant& v) {
    std::vector<double> times, rates, levels, floors;
    for (const offset_t s : p.sources) {
        std::vector<double> of_source;
        offset_t edges = 0, reached = 0;
        std::size_t depth = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto r = bfs(gpu, p.a, s, v.options);
            of_source.push_back(r.kernel_ms);
            edges = r.edges;
            reached = r.reached;
            depth = r.iterations.size();
        }
        times.push_back(median(of_source));
        rates.push_back(static_cast<double>(edges) / times.back() / 1e6);
        levels.push_back(times.back() * 1e3 / static_cast<double>(depth));
        floors.push_back(
            search_floor(gpu).bfs_ms(p.a, static_cast<double>(reached), static_cast<double>(depth)));
    }
    if (!v.options.parents && !v.options.hub_first) {
        fmt::print("{}, us from each source:", p.name);
        for (const double ms : times) fmt::print(" {:.1f}", ms * 1e3);
        fmt::print("\n");
        print_levels(gpu, p, p.sources.front(), "the first source");
        print_levels(gpu, p,
                     p.sources[static_cast<std::size_t>(std::ranges::max_element(times) - times.begin())],
                     "the slowest source");
    }
    return {median(times),
            {{"gteps", median(rates)},
             {"us_a_level", median(levels)},
             {"floor_ms", median(floors)},
             {"share_of_floor", median(floors) / median(times)},
             {"first_source_ms", times.front()},
             {"min_ms", std::ranges::min(times)},
             {"max_ms", std::ranges::max(times)},
             {"entries", static_cast<double>(p.a.nnz())}}};
}

// What the host adds: a search of ten vertices, from the call to its return, and the kernel's own part.
measurement call_overhead(const context& gpu) {
    const matrix tiny = load(gpu, "dense:10,10").matrix;
    double kernel = 0;
    const timing t = time_ms(200, [&] { kernel = bfs(gpu, tiny, 0, {.parents = false}).kernel_ms; });
    return {t.median, {{"kernel_ms", kernel}, {"best_ms", t.best}}};
}

}  // namespace

int bfs_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty()) inputs.assign(std::begin(graphs), std::end(graphs));
    if (o.quick) inputs = {"rmat:14,16", "grid2d:200,0.15"};
    std::vector<std::shared_ptr<problem>> problems;
    for (const auto& input : inputs) {
        matrix a = load(cpu, input).matrix;
        auto sources = choose_sources(cpu, a, input.starts_with("grid2d"));
        const auto slash = input.rfind('/');
        const auto& p = problems.emplace_back(std::make_shared<problem>(problem{
            slash == input.npos ? input : input.substr(slash + 1), std::move(a), std::move(sources)}));
        if (p->sources.empty()) throw error(p->name + ": no component with a tenth of the vertices");
        for (const variant& v : variants)
            add("bfs/" + p->name + "/" + v.label, [=, &gpu, &v] {
                const double lists = v.options.hub_first ? hub_lists_ms(gpu, *p, v) : 0;
                check(gpu, cpu, *p, v);
                measurement m = timed(gpu, *p, v);
                if (v.options.hub_first) m.counters["lists_ms"] = lists;
                m.counters["peak_over_graph"] = peak_over_graph(p->a, p->sources.front(), v.options);
                return m;
            });
    }
    add("bfs/call_of_ten_vertices", [&gpu] { return call_overhead(gpu); });
    const auto results = run(o, "^bfs/");
    if (results.contains("bfs/call_of_ten_vertices")) {
        const auto& call = results.at("bfs/call_of_ten_vertices");
        fmt::print(
            "\na search of ten vertices: {:.1f} us from call to return, {:.1f} us of them the kernel's\n",
            call.ms * 1e3, call.counters.at("kernel_ms") * 1e3);
    }
    fmt::print("\n{} ms\n{:24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>5}\n", gpu.device(), "graph",
               "levels", "fast", "smallest", "hub first", "GTEPS", "us/level", "share", "peak");
    for (const auto& p : problems) {
        const auto found = results.find("bfs/" + p->name + "/levels");
        if (found == results.end()) continue;
        const measurement& levels = found->second;
        const auto ms = [&](const char* label) {  // 0: the filter left it out
            const auto it = results.find("bfs/" + p->name + "/" + label);
            return it == results.end() ? 0.0 : it->second.ms;
        };
        fmt::print("{:24} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.1f} {:>9.2f} {:>6.0f}% {:>5.2f}\n",
                   p->name, levels.ms, ms("fast_parents"), ms("smallest_parents"), ms("levels_hub_first"),
                   levels.counters.at("gteps"), levels.counters.at("us_a_level"),
                   100 * levels.counters.at("share_of_floor"), levels.counters.at("peak_over_graph"));
    }
    return 0;
}

}  // namespace nz::bench
