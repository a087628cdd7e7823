// The Graph500 benchmark's two kernels, by its rules (specification 2, 2017): an edge list of 16 2^SCALE sampled edges, loops and
// repeats among them; kernel 1 makes a graph of it, timed apart; kernel 2 searches from 64 different vertices with edges,
// with parents and levels, each checked by the five rules outside the timing. TEPS of a search: sampled edges, each once, in
// the component of its source, over its time; their mean is the harmonic one.
#include "core/device.hpp"
#include "io/adjacency.hpp"
#include "io/generators.hpp"
#include "limits/search_floor.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace nz::bench {
namespace {

constexpr int edge_factor = 16, keys = 64;
constexpr unsigned seed = 2;

double ms_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct problem {
    matrix graph;
    std::vector<offset_t> sampled;  // edges of the list that begin at each vertex
    double generation_ms = 0, construction_ms = 0;
};

problem build(const context& ctx, int scale) {
    const std::function<void(double)> silent;
    const io::generator_request request{ctx, {static_cast<double>(scale), edge_factor}, seed, silent};
    auto start = std::chrono::steady_clock::now();
    array<io::edge> edges = io::kronecker_edges(request);
    problem p{matrix(ctx, dtype::boolean, 0, 0), {}, ms_since(start), 0};
    p.sampled.resize(std::size_t{1} << scale);
    for (const io::edge& e : edges) ++p.sampled[static_cast<std::size_t>(e.from)];
    start = std::chrono::steady_clock::now();
    storage::csr rows = io::adjacency(ctx, index_t{1} << scale, std::move(edges), true);
    auto body = std::make_shared<storage::matrix_body>(ctx, std::move(rows));
    p.construction_ms = ms_since(start);
    body->declare_symmetric();
    p.graph = matrix(std::move(body));
    return p;
}

std::vector<offset_t> draw_keys(const matrix& graph) {
    std::mt19937_64 random(seed);
    const storage::csr& rows = graph.body().rows();
    std::set<offset_t> drawn;
    std::vector<offset_t> list;
    while (list.size() < keys) {
        const auto v = static_cast<offset_t>(random() % static_cast<std::uint64_t>(graph.rows()));
        if (rows.offset(v + 1) > rows.offset(v) && drawn.insert(v).second) list.push_back(v);
    }
    return list;
}

struct search {
    double ms, teps;
    double floor_ms;  // of its kernels
};

search run_key(const context& ctx, const problem& p, offset_t key) {
    const auto start = std::chrono::steady_clock::now();
    const traverse_result found = bfs(ctx, p.graph, key);
    if (ctx.gpu()) ctx.gpu()->wait();
    const double ms = ms_since(start);
    if (const auto broken = validate_bfs(ctx, p.graph, key, found.levels, found.parents); !broken.empty())
        throw error(fmt::format("graph500: the search from {}: {}", key, broken));
    std::vector<index_t> reached;
    std::vector<std::int32_t> levels;
    found.levels.extract_tuples(reached, levels);
    offset_t edges = 0;
    for (const index_t v : reached) edges += p.sampled[static_cast<std::size_t>(v)];
    return {ms, static_cast<double>(edges) / ms * 1e3,
            search_floor(ctx).bfs_ms(p.graph, static_cast<double>(reached.size()),
                                     static_cast<double>(found.iterations.size()))};
}

/// Minimum, quartiles and maximum.
void print_quartiles(const char* what, std::vector<double> x) {
    std::ranges::sort(x);
    constexpr const char* names[] = {"min", "firstquartile", "median", "thirdquartile", "max"};
    for (std::size_t k = 0; k < std::size(names); ++k)
        fmt::print("{:32} {:.6g}\n", fmt::format("{}_{}:", names[k], what), x[k * (x.size() - 1) / 4]);
}

measurement searches(const context& ctx, int scale) {
    const problem p = build(ctx, scale);
    const std::vector<offset_t> list = draw_keys(p.graph);
    run_key(ctx, p, list[0]);  // copies the graph to where it is searched
    std::vector<double> seconds, teps, floors;
    double inverse = 0;
    for (const offset_t key : list) {
        const search s = run_key(ctx, p, key);
        seconds.push_back(s.ms * 1e-3);
        teps.push_back(s.teps);
        floors.push_back(s.floor_ms);
        inverse += 1 / s.teps;
    }
    const double count = keys, mean = count / inverse;
    double square = 0;
    for (const double t : teps) square += (1 / t - 1 / mean) * (1 / t - 1 / mean);
    fmt::print("{:32} {}\n{:32} {}\n{:32} {}\n", "SCALE:", scale, "edgefactor:", edge_factor, "NBFS:", keys);
    fmt::print("{:32} {:.6g}\n{:32} {:.6g}\n", "graph_generation:", p.generation_ms * 1e-3,
               "construction_time:", p.construction_ms * 1e-3);
    print_quartiles("time", seconds);
    print_quartiles("TEPS", teps);
    fmt::print("{:32} {:.6g}\n{:32} {:.6g}\n", "harmonic_mean_TEPS:", mean,
               "harmonic_stddev_TEPS:", std::sqrt(square) / (count - 1) * mean * mean);
    measurement m{median(seconds) * 1e3,
                  {{"construction_ms", p.construction_ms}, {"harmonic_mean_gteps", mean * 1e-9}}};
    add_floor(m, median(floors));
    return m;
}

}  // namespace

int graph500_suite(const options& o) {
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const int scale = o.quick ? 12 : o.scale;
    add(fmt::format("graph500/{}", scale), [&ctx, scale] { return searches(ctx, scale); });
    run(o, "^graph500/");
    fmt::print("on {}; every search was checked\n",
               ctx.backend() == backend::cuda ? ctx.device() : "the CPU");
    return 0;
}

}  // namespace nz::bench
