// Betweenness centrality against all shortest paths of small graphs written out, and a checker that is itself held
// against wrong centralities.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nz {
namespace {

// Distances and numbers of paths between all pairs (Floyd and Warshall's order), then the definition itself.
std::vector<double> central_by_definition(const matrix& a, const std::vector<offset_t>& sources) {
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::vector<std::vector<index_t>> out(n);
    for (std::size_t k = 0; k < from.size(); ++k) out[from[k]].push_back(to[k]);
    std::vector<std::vector<int>> distance(n, std::vector<int>(n, -1));
    std::vector<std::vector<double>> paths(n, std::vector<double>(n));
    for (std::size_t s = 0; s < n; ++s) {
        std::vector<index_t> order{static_cast<index_t>(s)};
        distance[s][s] = 0, paths[s][s] = 1;
        for (std::size_t q = 0; q < order.size(); ++q)
            for (const index_t v : out[order[q]]) {
                if (distance[s][v] < 0) distance[s][v] = distance[s][order[q]] + 1, order.push_back(v);
                if (distance[s][v] == distance[s][order[q]] + 1) paths[s][v] += paths[s][order[q]];
            }
    }
    std::vector<double> centrality(n);
    for (const offset_t s : sources)
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t v = 0; v < n; ++v) {
                const auto u = static_cast<std::size_t>(s);
                if (v == u || v == t || distance[u][t] < 0 || distance[u][v] < 0 || distance[v][t] < 0)
                    continue;
                if (distance[u][v] + distance[v][t] == distance[u][t])
                    centrality[v] += paths[u][v] * paths[v][t] / paths[u][t];
            }
    return centrality;
}

constexpr const char* central_graphs[] = {"rmat:6,4",  "rmat_directed:7,3", "uniform:120,2", "grid2d:9,0.2",
                                          "dense:1,1", "dense:9,9",         "banded:60,3",   "powerlaw:100"};

constexpr const char* central_kernels[] = {"batched", "queue", "sweep_loop"};

TEST(Betweenness, IsWhatItsDefinitionSays) {
    for (const char* graph : central_graphs)
        for (const context& ctx : test::contexts()) {
            const matrix a = load(ctx, graph).matrix;
            std::vector<offset_t> all(static_cast<std::size_t>(a.rows()));
            std::iota(all.begin(), all.end(), offset_t{0});
            for (const std::vector<offset_t>& sources :
                 {all, std::vector<offset_t>{0}, std::vector<offset_t>{a.rows() - 1, 0, a.rows() / 2, 0}}) {
                SCOPED_TRACE(std::string(graph) + ", " + std::to_string(sources.size()) + " sources");
                const auto expected = central_by_definition(a, sources);
                for (const char* kernel : central_kernels) {
                    const auto found = betweenness(ctx, a, sources, {.kernel = kernel});
                    EXPECT_NE(found.plan.find(kernel), std::string::npos);
                    const auto x = found.centrality.values<double>();
                    for (std::size_t v = 0; v < expected.size(); ++v)
                        ASSERT_NEAR(x[v], expected[v], 1e-9 * (1 + expected[v])) << v << " by " << kernel;
                    EXPECT_EQ(validate_betweenness(ctx, a, sources, found.centrality), "");
                }
            }
        }
}

// One source more than a batch has bits, and each number of places a row of paths may have; sources that come twice.
TEST(Betweenness, BatchesOfEverySizeAddUp) {
    for (const context& ctx : test::contexts())
        for (const char* graph : {"rmat:9,8", "grid2d:20,0.2", "rmat_directed:9,4"}) {
            const matrix a = load(ctx, graph).matrix;
            for (const std::size_t count : {1, 2, 3, 5, 9, 16, 17, 33, 64, 65, 130}) {
                std::vector<offset_t> sources(count);
                for (std::size_t k = 0; k < count; ++k)
                    sources[k] =
                        static_cast<offset_t>(k * 7 % 100 * static_cast<std::size_t>(a.rows()) / 100);
                for (const char* kernel : {"batched", "queue"})
                    EXPECT_EQ(
                        validate_betweenness(ctx, a, sources,
                                             betweenness(ctx, a, sources, {.kernel = kernel}).centrality),
                        "")
                        << graph << ", " << count << " by " << kernel;
            }
        }
}

// Rows that a GPU gives to whole blocks or warps: two hubs that share 9,000 leaves, with a vertex more beyond each.
TEST(Betweenness, HubsHandBackWhatTheirLeavesShare) {
    constexpr index_t leaves = 9000;
    std::vector<index_t> from, to;
    const auto edge = [&](index_t x, index_t y) {
        from.insert(from.end(), {x, y}), to.insert(to.end(), {y, x});
    };
    for (index_t leaf = 4; leaf < leaves + 4; ++leaf) edge(0, leaf), edge(1, leaf);
    edge(0, 2), edge(1, 3);
    const std::vector<double> w(from.size(), 1.0);
    for (const context& ctx : test::contexts()) {
        const matrix a = matrix::build<double>(ctx, {leaves + 4, leaves + 4, from, to, w});
        const std::vector<offset_t> sources = {2, 0, 4, 3, 7000};
        for (const char* kernel : {"batched", "queue"}) {
            const auto found = betweenness(ctx, a, sources, {.kernel = kernel}).centrality;
            EXPECT_EQ(validate_betweenness(ctx, a, sources, found), "") << kernel;
            EXPECT_GT(found.get(0)->get<double>(), leaves);
        }
    }
}

TEST(Betweenness, LargerGraphsAreValidAndThreadsDoNotMatter) {
    if (const context automatic; automatic.backend() == backend::cuda)
        for (const char* graph : {"rmat:13,8", "grid2d:100,0.2", "rmat_directed:13,4"}) {
            const matrix a = load(automatic, graph).matrix;
            const std::vector<offset_t> sources = {1, 77, 4000};
            for (const char* kernel : {"batched", "queue"}) {
                const auto first = betweenness(automatic, a, sources, {.kernel = kernel}),
                           second = betweenness(automatic, a, sources, {.kernel = kernel});
                EXPECT_EQ(validate_betweenness(automatic, a, sources, first.centrality), "") << kernel;
                EXPECT_TRUE(
                    std::ranges::equal(first.centrality.values<double>(), second.centrality.values<double>()))
                    << graph << " by " << kernel;
            }
        }
    for (const char* graph : {"rmat:13,8", "grid2d:100,0.2", "rmat_directed:13,4"}) {
        const context one({.backend = backend::cpu, .threads = 1}),
            two({.backend = backend::cpu, .threads = 2});
        const matrix a = load(one, graph).matrix;
        const std::vector<offset_t> sources = {1, 77, 4000};
        for (const char* kernel : {"batched", "queue"}) {
            const auto first = betweenness(one, a, sources, {.kernel = kernel}),
                       second = betweenness(two, a, sources, {.kernel = kernel});
            EXPECT_EQ(validate_betweenness(one, a, sources, first.centrality), "");
            const auto x = first.centrality.values<double>(), y = second.centrality.values<double>();
            EXPECT_TRUE(std::ranges::equal(x, y)) << graph << " by " << kernel;
            EXPECT_EQ(first.iterations, second.iterations);
        }
    }
}

matrix undirected(const context& ctx, index_t vertices, std::vector<index_t> from, std::vector<index_t> to) {
    const std::size_t edges = from.size();
    for (std::size_t k = 0; k < edges; ++k) {
        const index_t x = from[k], y = to[k];
        from.push_back(y), to.push_back(x);
    }
    return matrix::build<double>(ctx, {vertices, vertices, from, to, std::vector<double>(from.size(), 1.0)});
}

// A path of many levels of one vertex, each a way to all behind it, both ways; with loops, which no path takes.
TEST(Betweenness, OfAPathIsTheProductOfWhatLiesOnEitherSide) {
    constexpr index_t n = 20000;
    std::vector<index_t> from, to;
    for (index_t v = 0; v + 1 < n; ++v) from.push_back(v), to.push_back(v + 1);
    for (index_t v = 0; v < n; v += 3) from.push_back(v), to.push_back(v);
    for (const context& ctx : test::contexts()) {
        const matrix a = matrix::build<double>(ctx, {n, n, from, to, std::vector<double>(from.size(), 1.0)}),
                     both = undirected(ctx, n, std::vector(from.begin(), from.begin() + n - 1),
                                       std::vector(to.begin(), to.begin() + n - 1));
        const auto one_way = betweenness(ctx, a, std::vector<offset_t>{0, 10, 0}, {.kernel = "queue"}),
                   two_ways = betweenness(ctx, both, std::vector<offset_t>{0, n - 1}, {.kernel = "queue"});
        EXPECT_EQ(one_way.iterations, 3 * n - 10);
        EXPECT_EQ(two_ways.iterations, 2 * n);
        for (const index_t v : {0, 1, 10, 11, n / 2, n - 2, n - 1}) {
            const double behind = n - 1 - v, sources = (v > 0 ? 2 : 0) + (v > 10 ? 1 : 0);
            EXPECT_EQ(one_way.centrality.get(v)->get<double>(), sources * behind) << v;
            EXPECT_EQ(two_ways.centrality.get(v)->get<double>(), v > 0 && v < n - 1 ? n - 1 : 0) << v;
        }
    }
}

TEST(Betweenness, QueuesLeaveOtherComponentsAlone) {
    for (const context& ctx : test::contexts()) {
        const matrix a = load(ctx, "grid2d:60,0.5").matrix;  // many components
        const std::vector<offset_t> sources = {7, 1800, 7, 3599, 0};
        const auto found = betweenness(ctx, a, sources, {.kernel = "queue"});
        EXPECT_EQ(validate_betweenness(ctx, a, sources, found.centrality), "");
    }
}

// The order of adding is that of the sources, however many are in flight.
TEST(BetweennessOnDevice, RoundsOfSourcesGiveTheSameBits) {
    const context ample;
    if (ample.backend() != backend::cuda) GTEST_SKIP() << "no GPU";
    const matrix a = load(ample, "grid2d:120,0.2").matrix;
    std::vector<offset_t> sources(300);
    for (std::size_t k = 0; k < sources.size(); ++k) sources[k] = static_cast<offset_t>(k * 47);
    const auto all = betweenness(ample, a, sources, {.kernel = "queue"});
    EXPECT_EQ(validate_betweenness(ample, a, sources, all.centrality), "");
    for (const std::size_t limit : {6u << 20, 12u << 20}) {  // fewer in flight, and unlike many
        const context tight({.memory_limit = limit});
        const auto few =
            betweenness(tight, load(tight, "grid2d:120,0.2").matrix, sources, {.kernel = "queue"});
        EXPECT_TRUE(std::ranges::equal(all.centrality.values<double>(), few.centrality.values<double>()));
        EXPECT_EQ(all.iterations, few.iterations);
    }
}

// Chains of diamonds: two paths through each, so 2^1100 from end to end, which no double can say; and 2^17000, no long
// double, but a GPU's levels have exponents.
matrix diamonds(const context& ctx, index_t count, index_t line = 0) {
    std::vector<index_t> from, to;
    for (index_t d = 0; d < count; ++d)
        for (const index_t side : {3 * d + 1, 3 * d + 2})
            from.insert(from.end(), {3 * d, side}), to.insert(to.end(), {side, 3 * d + 3});
    const index_t n = 3 * count + 1;
    for (index_t v = 0; v < line; ++v) from.push_back(v ? n + v - 1 : 0), to.push_back(n + v);
    return undirected(ctx, n + line, from, to);
}

TEST(Betweenness, PathsBeyondDoublesAreCounted) {
    constexpr index_t count = 1100, many = 17000;
    const std::vector<offset_t> ends = {0, 3 * count};
    for (const context& ctx : test::contexts()) {
        const matrix a = diamonds(ctx, count), longer = diamonds(ctx, many);
        for (const char* kernel : {"", "queue"}) {
            const auto found = betweenness(ctx, a, ends, {.kernel = kernel});
            EXPECT_EQ(validate_betweenness(ctx, a, ends, found.centrality), "");
            EXPECT_NE(found.plan.find("queue"), std::string::npos) << found.plan;
            // The middle joint lies on every path from either end to what is behind it: half of the vertices, twice.
            EXPECT_NEAR(found.centrality.get(3 * count / 2)->get<double>(), 3 * count, 1e-6);
        }
        EXPECT_THROW(betweenness(ctx, a, ends, {.kernel = "batched"}), not_supported);
        if (ctx.backend() == backend::cpu) {
            EXPECT_THROW(betweenness(ctx, longer, std::vector<offset_t>{0}), not_supported);
            continue;
        }
        const auto found = betweenness(ctx, longer, std::vector<offset_t>{0, 3 * many});
        EXPECT_NEAR(found.centrality.get(3 * many / 2)->get<double>(), 3 * many, 1e-5);
        EXPECT_NEAR(found.centrality.get(3)->get<double>(), 3 * many, 1e-5);
    }
}

TEST(Betweenness, GridsWithMorePathsThanDoublesCanSayAreValid) {
    for (const context& ctx : test::contexts()) {
        const matrix a = load(ctx, "grid2d:600").matrix;  // 2^1192 from corner to corner
        const std::vector<offset_t> sources = {0, 359999, 300};
        EXPECT_EQ(validate_betweenness(ctx, a, sources, betweenness(ctx, a, sources).centrality), "");
    }
}

// Beside the chain a line, whose one path shares a level with 2^1900 and more: too far apart for doubles of one exponent.
TEST(Betweenness, LevelsOfPathsTooFarApartAreCountedByTheCpu) {
    constexpr index_t count = 2100;
    const std::vector<offset_t> source = {0};
    for (const context& ctx : test::contexts()) {
        const matrix a = diamonds(ctx, count, 2 * count);
        const auto found = betweenness(ctx, a, source);
        EXPECT_EQ(validate_betweenness(ctx, a, source, found.centrality), "");
        EXPECT_EQ(found.centrality.get(3 * count + 1)->get<double>(), 2 * count - 1);
        if (ctx.backend() == backend::cuda) {
            EXPECT_NE(found.plan.find("than a GPU's doubles"), std::string::npos) << found.plan;
            EXPECT_THROW(betweenness(ctx, a, source, {.kernel = "queue"}), not_supported);
        }
    }
}

TEST(Betweenness, QueuesAreForGraphsOfShortRows) {
    const std::vector<offset_t> sources = {0, 5, 9, 20, 21};
    for (const context& ctx : test::contexts()) {
        const auto kernel_of = [&](const char* graph) {
            return betweenness(ctx, load(ctx, graph).matrix, sources).plan.substr(0, 17);
        };
        EXPECT_EQ(kernel_of("grid2d:20,0.1"), "betweenness/queue");
        EXPECT_NE(kernel_of("rmat:8,8"), "betweenness/queue");
        EXPECT_NE(kernel_of("laplace3d:8"), "betweenness/queue");
    }
}

TEST(Betweenness, OfAStarIsItsCentres) {
    const context ctx({.backend = backend::cpu});
    std::vector<index_t> from, to;
    for (index_t leaf = 1; leaf < 6; ++leaf)
        from.insert(from.end(), {0, leaf}), to.insert(to.end(), {leaf, 0});
    const std::vector<double> w(from.size(), 2.0);
    const matrix a = matrix::build<double>(ctx, {6, 6, from, to, w});
    const std::vector<offset_t> all = {0, 1, 2, 3, 4, 5};
    EXPECT_EQ(betweenness(ctx, a, all).centrality.get(0)->get<double>(), 20);
    EXPECT_EQ(betweenness(ctx, a, all, {.normalise = true}).centrality.get(0)->get<double>(), 1);
    EXPECT_EQ(betweenness(ctx, a, all).centrality.get(3)->get<double>(), 0);
}

TEST(BetweennessCheck, RefusesWrongCentralities) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "grid2d:6").matrix;
    const std::vector<offset_t> sources = {0, 9};
    const auto right = betweenness(ctx, a, sources).centrality;
    EXPECT_EQ(validate_betweenness(ctx, a, sources, right), "");
    for (const double by : {1e-3, -1e-3, 1.0, std::nan("")}) {
        vector wrong = right;
        wrong.set(8, scalar(right.get(8)->get<double>() + by));
        EXPECT_NE(validate_betweenness(ctx, a, sources, wrong), "") << by;
    }
    EXPECT_NE(validate_betweenness(ctx, a, std::vector<offset_t>{0}, right), "") << "of other sources";
    EXPECT_NE(validate_betweenness(ctx, a, sources, vector(ctx, dtype::float64, 36)), "") << "none at all";
}

TEST(BetweennessFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "grid2d:4").matrix;
    EXPECT_THROW(betweenness(ctx, a, std::vector<offset_t>{16}), index_out_of_bounds);
    EXPECT_THROW(betweenness(ctx, matrix(ctx, dtype::int32, 3, 4), std::vector<offset_t>{0}),
                 dimension_mismatch);
    EXPECT_THROW(betweenness(ctx, a, std::vector<offset_t>{0}, {.kernel = "batch"}), domain_error);
    const vector none = betweenness(ctx, a, {}).centrality;
    EXPECT_EQ(none.count(), 16);
    for (const offset_t beyond : {-1, 16})
        EXPECT_THROW(validate_betweenness(ctx, a, std::vector<offset_t>{beyond}, none), index_out_of_bounds);
}

}  // namespace
}  // namespace nz
