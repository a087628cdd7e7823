// 64 searches at once against 64 single ones, without parents on both sides, in the same process on the same graph;
// counts alone, with sums of vertices (what closeness needs), and with every level. On a GPU kernel time between events, and the CPU's searches check it.
#include "limits/search_floor.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace nz::bench {
namespace {

constexpr int source_count = 64, rounds = 7;
constexpr const char* graphs[] = {"rmat:18,16", "rmat:20,16", "uniform:1048576,16", "grid2d:1000,0.15"};
constexpr const char* graphs_on_gpu[] = {"rmat:20,16", "rmat:22,32", "uniform:1048576,16", "grid2d:2000,0.3"};

struct problem {
    std::string name;
    matrix a;
    std::vector<offset_t> sources;
};

// Random vertices of the giant component.
std::vector<offset_t> choose_sources(const context& cpu, const matrix& a) {
    std::mt19937_64 random(1);
    std::vector<offset_t> sources;
    std::vector<std::int32_t> giant;
    for (int tries = 0; giant.empty() && tries < 200; ++tries) {
        const auto s = static_cast<offset_t>(random() % static_cast<std::uint64_t>(a.rows()));
        const auto found = bfs(cpu, a, s, {.parents = false});
        if (found.reached * 10 <= a.rows()) continue;
        const auto levels = found.levels.values<std::int32_t>();
        giant.assign(levels.begin(), levels.end());
    }
    while (!giant.empty() && sources.size() < source_count) {
        const auto s = random() % static_cast<std::uint64_t>(a.rows());
        if (giant[s] >= 0) sources.push_back(static_cast<offset_t>(s));
    }
    return sources;
}

double ms_of(const context& ctx, const std::function<double()>& search) {
    const auto start = std::chrono::steady_clock::now();
    const double kernel_ms = search();
    if (ctx.backend() == backend::cuda) return kernel_ms;
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void check(const context& ctx, const context& cpu, const problem& p) {
    const auto found = bfs_many(ctx, p.a, p.sources);
    for (std::size_t s = 0; s < p.sources.size(); ++s) {
        const auto single = bfs(cpu, p.a, p.sources[s], {.parents = false});
        if (!std::ranges::equal(found.levels[s].values<std::int32_t>(),
                                single.levels.values<std::int32_t>()) ||
            found.reached[s] != single.reached)
            throw error(fmt::format("{} from {}: other levels than a single search", p.name, p.sources[s]));
    }
}

measurement many(const context& ctx, const problem& p, const traverse_many_options& o) {
    std::vector<double> times;
    offset_t edges = 0, visits = 0;
    std::size_t levels = 0;
    for (int round = 0; round < rounds; ++round)
        times.push_back(ms_of(ctx, [&] {
            const auto r = bfs_many(ctx, p.a, p.sources, o);
            edges = r.edges;
            levels = r.iterations.size();
            visits = 0;
            for (const auto& level : r.iterations) visits += level.frontier;
            return r.kernel_ms;
        }));
    measurement m{median(times),
                  {{"gteps", static_cast<double>(edges) / median(times) / 1e6},
                   {"min_ms", std::ranges::min(times)},
                   {"max_ms", std::ranges::max(times)},
                   {"entries", static_cast<double>(p.a.nnz())}}};
    const double n = static_cast<double>(p.a.rows()), written = o.levels        ? 4.0 * n * source_count
                                                                : o.of_vertices ? 20 * n
                                                                                : 0;
    add_floor(m, search_floor(ctx).bfs_many_ms(p.a, static_cast<double>(visits), written,
                                               static_cast<double>(levels)));
    return m;
}

// All sources one after another; the median of the rounds.
measurement single(const context& ctx, const problem& p) {
    std::vector<double> times;
    for (int round = 0; round < 3; ++round) {
        double sum = 0;
        for (const offset_t s : p.sources)
            sum += ms_of(ctx, [&] { return bfs(ctx, p.a, s, {.parents = false}).kernel_ms; });
        times.push_back(sum);
    }
    return {median(times),
            {{"ms_a_source", median(times) / source_count},
             {"min_ms", std::ranges::min(times)},
             {"max_ms", std::ranges::max(times)}}};
}

void print_levels(const context& ctx, const problem& p) {
    const auto r = bfs_many(ctx, p.a, p.sources, {.levels = false});
    fmt::print("{}: {} levels, first call\n", p.name, r.iterations.size());
    for (std::size_t l = 0; l < std::min<std::size_t>(r.iterations.size(), 12); ++l) {
        const auto& i = r.iterations[l];
        fmt::print("  {:>3} {:5} {:>9} vertices {:>10} pairs {:>10} edges {:>9.2f} us\n", l,
                   name_of(i.direction), i.frontier, i.pairs, i.edges, i.time_us);
    }
}

}  // namespace

int bfs_many_suite(const options& o) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    const context ctx = o.backend == "cpu"
                            ? cpu
                            : context({.backend = o.backend == "cuda" ? backend::cuda : backend::automatic,
                                       .threads = o.threads});
    const bool gpu = ctx.backend() == backend::cuda;
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty())
        inputs = gpu ? std::vector<std::string>(std::begin(graphs_on_gpu), std::end(graphs_on_gpu))
                     : std::vector<std::string>(std::begin(graphs), std::end(graphs));
    if (o.quick) inputs = {"rmat:14,16", "grid2d:200,0.15"};
    for (const auto& input : inputs) {
        matrix a = load(cpu, input).matrix;
        auto sources = choose_sources(cpu, a);
        const auto p = std::make_shared<problem>(problem{input, std::move(a), std::move(sources)});
        if (p->sources.empty()) throw error(input + ": no component with a tenth of the vertices");
        if (gpu) print_levels(ctx, *p);
        add("bfs_many/" + input + "/counts", [=, &ctx, &cpu] {
            check(ctx, cpu, *p);
            return many(ctx, *p, {.levels = false});
        });
        add("bfs_many/" + input + "/levels", [=, &ctx] { return many(ctx, *p, {}); });
        add("bfs_many/" + input + "/sums",
            [=, &ctx] { return many(ctx, *p, {.levels = false, .of_vertices = true}); });
        add("bfs_many/" + input + "/hub_first", [=, &ctx] {
            bfs_many(ctx, p->a, p->sources, {.levels = false, .hub_first = true});  // builds the lists
            return many(ctx, *p, {.levels = false, .hub_first = true});
        });
        add("bfs_many/" + input + "/single", [=, &ctx] { return single(ctx, *p); });
    }
    const auto results = run(o, "^bfs_many/");
    fmt::print("\n64 sources, ms{:14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12} {:>12}\n", "", "counts",
               "hub first", "sums", "levels", "single", "single/count", "single/level");
    for (const auto& input : inputs) {
        const auto ms = [&](const char* label) {
            const auto it = results.find("bfs_many/" + input + "/" + label);
            return it == results.end() ? 0.0 : it->second.ms;
        };
        const double counts = ms("counts"), levels = ms("levels"), one_by_one = ms("single");
        fmt::print("{:28} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>12.1f} {:>12.1f}\n", input,
                   counts, ms("hub_first"), ms("sums"), levels, one_by_one,
                   counts > 0 ? one_by_one / counts : 0, levels > 0 ? one_by_one / levels : 0);
    }
    return 0;
}

}  // namespace nz::bench
