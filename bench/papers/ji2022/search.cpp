// Figures 7 to 12: breadth-first search over bit tiles against push_pull_fused, its phases one by one, its levels, and what
// making the tiles takes beside it. Levels are checked against push_pull_fused's first. On a GPU times are the kernels',
// on a CPU the call's.
#include "inputs.hpp"
#include "ops/tiles_device.hpp"
#include "ops/traverse.hpp"
#include "ops/traverse_tile_device.hpp"
#include "papers/ji2022/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace nz::bench::ji2022 {
namespace {

constexpr int source_count = 3, rounds = 5;

struct problem {
    std::string source;
    matrix a;
    std::vector<offset_t> sources;
};

problem make_problem(const context& ctx, const std::string& source) {
    problem p{source, load_structure(ctx, source), {}};
    std::mt19937_64 random(1);
    const context cpu({.backend = backend::cpu});
    const offset_t n = p.a.rows();
    for (int tries = 0; static_cast<int>(p.sources.size()) < source_count && tries < 200; ++tries) {
        const auto s = tries == 0 ? n / 2 + static_cast<offset_t>(std::sqrt(static_cast<double>(n))) / 2
                                  : static_cast<offset_t>(random() % static_cast<std::uint64_t>(n));
        if (s < n && bfs(cpu, p.a, s, {.parents = false}).reached * 10 > n) p.sources.push_back(s);
    }
    if (p.sources.empty()) throw error(source + ": no source reaches a tenth of the graph");
    return p;
}

double run_ms(const context& ctx, const problem& p, offset_t source, const traverse_options& o) {
    std::vector<double> times;
    for (int k = 0; k < rounds; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        const traverse_result r = bfs(ctx, p.a, source, o);
        const std::chrono::duration<double, std::milli> called = std::chrono::steady_clock::now() - begin;
        times.push_back(r.kernel_ms >= 0 ? r.kernel_ms : called.count());
    }
    return *std::ranges::min_element(times);
}

struct variant {
    const char* name;
    traverse_options options;
};

// alpha is the density from which push_csr steps in, beta the share of unvisited vertices up to which pull_csc does.
const variant all_variants[] = {{"push_pull_fused", {.kernel = "push_pull_fused", .parents = false}},
                                {"tile", {.kernel = "tile", .parents = false}},
                                {"tile_32", {.kernel = "tile", .parents = false, .tiles = {32, -1}}},
                                {"tile_64", {.kernel = "tile", .parents = false, .tiles = {64, -1}}},
                                {"push_pull_parents", {.kernel = "push_pull_fused"}},
                                {"tile_parents", {.kernel = "tile"}},
                                {"tile_in_tiles", {.kernel = "tile", .parents = false, .tiles = {0, 0}}}};
const variant stacked[] = {{"K1", {.kernel = "tile", .parents = false, .alpha = 2, .beta = 0}},
                           {"K1+K2", {.kernel = "tile", .parents = false, .alpha = 0.01, .beta = 0}},
                           {"K1+K2+K3", {.kernel = "tile", .parents = false, .alpha = 0.01, .beta = 0.1}},
                           {"own rule", {.kernel = "tile", .parents = false}}};

measurement measure(const context& ctx, const problem& p, const variant& v) {
    const offset_t first = p.sources.front();
    const traverse_result found = bfs(ctx, p.a, first, v.options),
                          expected = bfs(ctx, p.a, first, {.kernel = "push_pull_fused"});
    const auto same = [](const vector& x, const vector& y) {
        return std::ranges::equal(x.values<std::int32_t>(), y.values<std::int32_t>());
    };
    if (!same(found.levels, expected.levels) || found.edges != expected.edges ||
        (v.options.parents && !same(found.parents, expected.parents)))
        throw error(
            fmt::format("{} {}: other levels, parents or edges than push_pull_fused's", p.source, v.name));
    std::vector<double> times;
    for (const offset_t s : p.sources) times.push_back(run_ms(ctx, p, s, v.options));
    return {median(times),
            {{"levels", static_cast<double>(found.iterations.size())},
             {"first_ms", times.front()},
             {"us_a_level", times.front() * 1e3 / static_cast<double>(found.iterations.size())},
             {"gteps", static_cast<double>(found.edges) / times.front() / 1e6}}};
}

std::string name_of(const char* figure, const std::string& source, const std::string& what) {
    return fmt::format("ji2022/{}/{}/{}", figure, input_name(source), what);
}

template <std::size_t Count>
int run_variants(const options& o, const context& ctx, const char* figure, const variant (&variants)[Count]) {
    const auto at = std::make_shared<slot<problem>>(
        [&ctx](const std::string& source) { return make_problem(ctx, source); });
    const auto sources = inputs_of(o, true);
    for (const std::string& source : sources)
        for (const variant& v : variants)
            add(name_of(figure, source, v.name), [=, &ctx, &v] { return measure(ctx, at->of(source), v); });
    const auto results = run(o, fmt::format("^ji2022/{}/", figure).c_str());
    fmt::print("\n{:24} {:>8}", "ms, median of sources", "levels");
    for (const variant& v : variants) fmt::print(" {:>17}", v.name);
    fmt::print("\n");
    for (const std::string& source : sources) {
        const measurement* first = find(results, name_of(figure, source, variants[0].name));
        fmt::print("{:24} {:>8.0f}", input_name(source), counter(first, "levels"));
        for (const variant& v : variants) {
            const measurement* m = find(results, name_of(figure, source, v.name));
            fmt::print(" {:>17}", m ? fmt::format("{:.4f}", m->ms) : "-");
        }
        fmt::print("\n");
    }
    return 0;
}

}  // namespace

int searches(const options& o, const context& ctx) { return run_variants(o, ctx, "search", all_variants); }
int phases(const options& o, const context& ctx) { return run_variants(o, ctx, "phases", stacked); }

int levels(const options& o, const context& ctx) {
    constexpr std::size_t shown = 40;
    for (const std::string& source : inputs_of(o, true)) {
        const problem p = make_problem(ctx, source);
        fmt::print("\n{}: microseconds a level, the first {}\n{:>6} {:>10} {:>12} {:>10} {:>10}\n",
                   input_name(source), shown, "level", "frontier", "phase", "tile", "push_pull");
        std::vector<double> times[2];
        std::vector<traverse_level> tiled;
        for (int k = 0; k < 2; ++k) {
            auto last = std::chrono::steady_clock::now();
            traverse_options opts{.kernel = k == 0 ? "tile" : "push_pull_fused", .parents = false};
            bfs(ctx, p.a, p.sources.front(), opts);
            last = std::chrono::steady_clock::now();
            opts.on_level = [&](const traverse_level& level) {
                const auto now = std::chrono::steady_clock::now();
                const std::chrono::duration<double, std::micro> took = now - last;
                last = now;
                times[k].push_back(level.time_us >= 0 ? level.time_us : took.count());
                if (k == 0) tiled.push_back(level);
            };
            bfs(ctx, p.a, p.sources.front(), opts);
        }
        for (std::size_t l = 0; l < std::min({shown, tiled.size(), times[1].size()}); ++l)
            fmt::print("{:>6} {:>10} {:>12} {:>10.2f} {:>10.2f}\n", l, tiled[l].frontier, tiled[l].kernel,
                       times[0][l], times[1][l]);
    }
    return 0;
}

int conversion(const options& o, const context& ctx) {
    const bool gpu = ctx.backend() == backend::cuda;
    fmt::print("{:24} {:>12} {:>12} {:>12} {:>10} {:>12} {:>12} {:>10}\n", "conversion", "bit tiles ms",
               "GB/s", "search ms", "searches", "values ms", "GB/s", "growth");
    for (const std::string& source : inputs_of(o, true)) {
        const problem p = make_problem(ctx, source);
        const storage::csr& rows = p.a.body().rows();
        const auto milliseconds = [&](const auto& work) {
            const auto begin = std::chrono::steady_clock::now();
            work();
            return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count();
        };
        if (gpu) p.a.body().rows_on(ctx), p.a.body().values_on(ctx, rows, dtype::float64);
        std::shared_ptr<const storage::bit_tiles> bits;
        std::shared_ptr<const storage::value_tiles> values;
        double best_bits = 1e300, best_values = 1e300;
        // Thresholds that nobody has asked for yet, so that each is made anew. On a GPU the plan keeps every bit tile: 0 and 1 both do.
        for (int k = 1; k < 5; ++k) {
            const int least = gpu ? k % 2 : plan::least_tile_entries + k;
            const tiling cut{16, storage::least_value_entries(16) + k};
            const double called_bits = milliseconds([&] {
                bits = gpu ? ops::bit_tiles_on_device(ctx, p.a.body(), rows, 32, least)
                           : std::make_shared<const storage::bit_tiles>(
                                 storage::make_bit_tiles(ctx, rows, 64, least));
            });
            const double called_values = milliseconds([&] {
                values = gpu ? ops::tiles_on_device(ctx, p.a.body(), rows, cut, dtype::float64)
                             : std::make_shared<const storage::value_tiles>(
                                   storage::make_value_tiles(ctx, rows, cut, dtype::float64));
            });
            best_bits = std::min(best_bits, gpu ? bits->kernel_ms : called_bits);
            best_values = std::min(best_values, gpu ? values->kernel_ms : called_values);
        }
        const double search = run_ms(ctx, p, p.sources.front(), {.kernel = "tile", .parents = false});
        const std::size_t entry = sizeof(index_t) + (rows.kind == value_kind::full ? sizeof(double) : 0);
        const double moved = static_cast<double>(rows.offsets.bytes()) +
                             static_cast<double>(entry) * static_cast<double>(rows.nnz) +
                             static_cast<double>(values->bytes());
        const auto structure = static_cast<double>(rows.offsets.bytes() + rows.indices.bytes()),
                   as_bits = static_cast<double>(bits->bytes());
        fmt::print("{:24} {:>12.3f} {:>12.1f} {:>12.3f} {:>10.2f} {:>12.3f} {:>12.1f} {:>10.2f}\n",
                   input_name(source), best_bits, (structure + as_bits) / best_bits / 1e6, search,
                   best_bits / search, best_values, moved / best_values / 1e6, as_bits / structure);
    }
    return 0;
}

}  // namespace nz::bench::ji2022
