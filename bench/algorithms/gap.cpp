// The GAP benchmark's six kernels on five kinds of graph (Beamer, Asanovic, Patterson 2015), by its rules: sources with
// edges out from one seed, 64 trials of searches, 16 of PageRank (to a change of 1e-4), components and betweenness (4
// sources each), 3 of triangles; kernel time alone, averaged. Every kernel is checked on its first trial, by the
// library's validators. The graphs are generated: Kronecker and uniform as GAP has them; a power law with near and far
// columns for the web, a directed Kronecker graph for social, a grid with missing edges for road.
#include "limits/search_floor.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <random>

namespace nz::bench {
namespace {

struct kind {
    const char* name;
    std::string source;
    bool directed;
};
std::vector<kind> kinds(int scale) {
    const offset_t n = offset_t{1} << scale;
    const auto side = static_cast<offset_t>(std::llround(std::sqrt(static_cast<double>(n))));
    return {{"kron", fmt::format("rmat:{},16", scale), false},
            {"urand", fmt::format("uniform:{},16", n), false},
            {"web", fmt::format("powerlaw:{}", n), true},
            {"social", fmt::format("rmat_directed:{},16", scale), true},
            {"road", fmt::format("grid2d:{},0.15", side), false}};
}

struct problem {
    context ctx;
    std::string name;
    matrix a, weighted, undirected;
    std::vector<offset_t> sources;
};

// Both directions of every edge, no loops.
matrix undirected_of(const context& ctx, const matrix& a, bool directed) {
    matrix both = a;
    if (directed) {
        ewise_add(ctx, both, binary_id::any, a, a, {.transpose_b = true});
        matrix plain(ctx, both.type(), both.rows(), both.columns());
        select(ctx, plain, index_unary_id::offdiag, both, scalar(std::int64_t{0}));
        both = plain;
    }
    both.facts();
    return both;
}

std::vector<offset_t> draw_sources(const matrix& a, int count) {
    constexpr unsigned seed = 27491095;
    std::mt19937_64 random(seed);
    const storage::csr& rows = a.body().rows();
    std::vector<offset_t> sources;
    while (static_cast<int>(sources.size()) < count) {
        const auto v = static_cast<offset_t>(random() % static_cast<std::uint64_t>(a.rows()));
        if (rows.offset(v + 1) > rows.offset(v)) sources.push_back(v);
    }
    return sources;
}

constexpr int searches = 64, trials = 16, triangle_trials = 3, sources_a_trial = 4;

void refuse(const problem& p, const char* kernel, const std::string& broken) {
    if (!broken.empty()) throw error(fmt::format("{} on {}: {}", kernel, p.name, broken));
}

// The mean of `count` trials after one that does not count.
template <class F>
measurement mean_of(int count, F&& trial) {
    trial(0);
    double total = 0, best = 1e300;
    for (int k = 0; k < count; ++k) {
        const auto start = std::chrono::steady_clock::now();
        trial(k);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        total += took.count();
        best = std::min(best, took.count());
    }
    return {total / count, {{"best_ms", best}, {"trials", static_cast<double>(count)}}};
}

// Floors are of the first trial's kernels; the time of a call on a GPU has the host's part in it.
measurement bfs_trials(const problem& p) {
    const auto first = bfs(p.ctx, p.a, p.sources[0]);
    refuse(p, "bfs", validate_bfs(p.ctx, p.a, p.sources[0], first.levels, first.parents));
    measurement m =
        mean_of(searches, [&](int k) { bfs(p.ctx, p.a, p.sources[static_cast<std::size_t>(k)]); });
    add_floor(m, search_floor(p.ctx).bfs_ms(p.a, static_cast<double>(first.reached),
                                            static_cast<double>(first.iterations.size())));
    return m;
}
measurement sssp_trials(const problem& p) {
    const shortest_options o{.parents = false};
    const auto first = sssp(p.ctx, p.weighted, p.sources[0], o);
    refuse(p, "sssp", validate_sssp(p.ctx, p.weighted, p.sources[0], first.distances, first.parents));
    measurement m =
        mean_of(searches, [&](int k) { sssp(p.ctx, p.weighted, p.sources[static_cast<std::size_t>(k)], o); });
    add_floor(
        m, search_floor(p.ctx).sssp_ms(static_cast<double>(p.a.rows()), static_cast<double>(first.edges), 8,
                                       static_cast<double>(first.rounds)));
    return m;
}
measurement pagerank_trials(const problem& p) {
    pagerank_options o;
    o.tolerance = 1e-4;
    o.type = dtype::float32;
    const auto first = pagerank(p.ctx, p.a, o);
    refuse(p, "pr", validate_pagerank(p.ctx, p.a, first.ranks, o));
    measurement m = mean_of(trials, [&](int) { pagerank(p.ctx, p.a, o); });
    m.counters["iterations"] = first.iterations;
    if (p.ctx.backend() == backend::cuda)
        add_floor(m, first.iterations * search_floor(p.ctx).pagerank_step_ms(p.a, o.type));
    return m;
}
// Looks of a search for triangles: for each edge between vertices in the order of their degrees, the shorter one's later neighbours.
double triangle_looks(const matrix& a) {
    const storage::csr& rows = a.body().rows();
    const index_t* columns = rows.index_data();
    const auto degree = [&](offset_t v) { return rows.offset(v + 1) - rows.offset(v); };
    const auto before = [&](offset_t u, offset_t v) {
        return degree(u) != degree(v) ? degree(u) < degree(v) : u < v;
    };
    const auto for_later = [&](offset_t v, auto&& of) {
        for (offset_t p = rows.offset(v); p < rows.offset(v + 1); ++p)
            if (before(v, columns[p])) of(offset_t{columns[p]});
    };
    std::vector<offset_t> later(static_cast<std::size_t>(a.rows()));
    for (offset_t v = 0; v < a.rows(); ++v)
        for_later(v, [&](offset_t) { ++later[static_cast<std::size_t>(v)]; });
    double looks = 0;
    for (offset_t v = 0; v < a.rows(); ++v)
        for_later(v, [&](offset_t w) {
            looks += static_cast<double>(
                std::min(later[static_cast<std::size_t>(v)], later[static_cast<std::size_t>(w)]));
        });
    return looks;
}

measurement components_trials(const problem& p) {
    const auto first = components(p.ctx, p.a);
    refuse(p, "cc", validate_components(p.ctx, p.a, first.labels));
    measurement m = mean_of(trials, [&](int) { components(p.ctx, p.a); });
    m.counters["components"] = static_cast<double>(first.count);
    add_floor(m, search_floor(p.ctx).components_ms(p.a));
    return m;
}
measurement triangles_trials(const problem& p) {
    const auto first = triangles(p.ctx, p.undirected);
    refuse(p, "tc", validate_triangles(p.ctx, p.undirected, first));
    measurement m = mean_of(triangle_trials, [&](int) { triangles(p.ctx, p.undirected); });
    m.counters["triangles"] = static_cast<double>(first.total);
    add_floor(m, search_floor(p.ctx).triangles_ms(static_cast<double>(p.undirected.rows()),
                                                  static_cast<double>(p.undirected.nnz()) / 2,
                                                  triangle_looks(p.undirected)));
    return m;
}
measurement betweenness_trials(const problem& p) {
    const auto of_trial = [&](int k) {
        return std::span(p.sources).subspan(static_cast<std::size_t>(k * sources_a_trial), sources_a_trial);
    };
    refuse(p, "bc",
           validate_betweenness(p.ctx, p.a, of_trial(0), betweenness(p.ctx, p.a, of_trial(0)).centrality));
    measurement m = mean_of(trials, [&](int k) { betweenness(p.ctx, p.a, of_trial(k)); });
    add_floor(m, search_floor(p.ctx).betweenness_ms(p.a, sources_a_trial));
    return m;
}

struct gap_kernel {
    const char* name;
    measurement (*run)(const problem&);
};
constexpr gap_kernel gap_kernels[] = {{"bfs", bfs_trials},      {"sssp", sssp_trials},
                                      {"pr", pagerank_trials},  {"cc", components_trials},
                                      {"tc", triangles_trials}, {"bc", betweenness_trials}};

}  // namespace

int gap_suite(const options& o) {
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const int scale = o.quick ? 12 : o.scale;
    for (const kind& k : kinds(scale)) {
        const matrix a = load(ctx, k.source).matrix;
        const auto p =
            std::make_shared<problem>(problem{ctx, k.name, a, with_random_weights(ctx, a, 1, 255),
                                              undirected_of(ctx, a, k.directed), draw_sources(a, searches)});
        for (const gap_kernel& g : gap_kernels)
            add(fmt::format("gap/{}/{}/{}", scale, k.name, g.name), [=] { return g.run(*p); });
    }
    const auto results = run(o, "^gap/");
    fmt::print("\n{:10}", "mean, ms");
    for (const gap_kernel& g : gap_kernels) fmt::print(" {:>10}", g.name);
    for (const kind& k : kinds(scale)) {
        fmt::print("\n{:10}", k.name);
        for (const gap_kernel& g : gap_kernels) {
            const auto found = results.find(fmt::format("gap/{}/{}/{}", scale, k.name, g.name));
            if (found == results.end())
                fmt::print(" {:>10}", "");
            else
                fmt::print(" {:>10.2f}", found->second.ms);
        }
    }
    fmt::print("\non {}; every kernel's first answer was checked\n",
               ctx.backend() == backend::cuda ? ctx.device() : "the CPU");
    return 0;
}

}  // namespace nz::bench
