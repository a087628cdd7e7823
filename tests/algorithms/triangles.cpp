// Triangles and clustering coefficients against all triples of small graphs, and a checker that is itself held against
// wrong numbers.
#include "nonzero/nonzero.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace nz {
namespace {

struct tally {
    std::int64_t total = 0;
    std::vector<std::int64_t> counts;
    std::vector<double> clustering;
};

// By trying every pair of each vertex's neighbours.
tally by_pairs(const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::vector<std::set<index_t>> near(static_cast<std::size_t>(a.rows()));
    for (std::size_t k = 0; k < from.size(); ++k)
        if (from[k] != to[k]) near[from[k]].insert(to[k]);
    tally t{0, std::vector<std::int64_t>(near.size()), std::vector<double>(near.size())};
    for (std::size_t v = 0; v < near.size(); ++v) {
        for (auto x = near[v].begin(); x != near[v].end(); ++x)
            for (auto y = std::next(x); y != near[v].end(); ++y) t.counts[v] += near[*x].contains(*y);
        const auto d = static_cast<double>(near[v].size());
        if (d > 1) t.clustering[v] = 2 * static_cast<double>(t.counts[v]) / (d * (d - 1));
        t.total += t.counts[v];
    }
    t.total /= 3;
    return t;
}

constexpr const char* triangle_graphs[] = {"rmat:8,8",  "rmat:11,4",   "uniform:800,6", "grid2d:30,0.1",
                                           "dense:1,1", "dense:25,25", "banded:300,7",  "laplace3d:7"};

TEST(Triangles, AreThoseOfAllPairsOfNeighboursWithEveryKernel) {
    for (const char* graph : triangle_graphs) {
        const matrix a = load(context({.backend = backend::cpu}), graph).matrix;
        const tally expected = by_pairs(a);
        for (const int threads : {1, 3})
            for (const char* kernel : {"", "masked_row", "masked_dot", "reference"}) {
                SCOPED_TRACE(std::string(graph) + ", threads " + std::to_string(threads) + " " + kernel);
                const context ctx({.backend = backend::cpu, .threads = threads});
                const auto found = triangles(ctx, a, {true, kernel});
                EXPECT_EQ(found.total, expected.total);
                const auto counts = found.counts.values<std::int64_t>();
                EXPECT_EQ(std::vector<std::int64_t>(counts.begin(), counts.end()), expected.counts);
                const auto clustering = found.clustering.values<double>();
                for (std::size_t v = 0; v < clustering.size(); ++v)
                    ASSERT_NEAR(clustering[v], expected.clustering[v], 1e-14);
                EXPECT_EQ(validate_triangles(ctx, a, found), "");
                const auto alone = triangles(ctx, a, {false, kernel});
                EXPECT_EQ(alone.total, expected.total);
                EXPECT_EQ(alone.counts.size(), 0);
            }
    }
}

TEST(Triangles, OnAGPUAreThoseOfAllPairsOfNeighbours) {
    const context ctx;
    if (ctx.backend() != backend::cuda) GTEST_SKIP() << "no GPU";
    for (const char* graph : triangle_graphs) {
        SCOPED_TRACE(graph);
        const matrix a = load(ctx, graph).matrix;
        const tally expected = by_pairs(a);
        const auto found = triangles(ctx, a, {true, {}});
        EXPECT_EQ(found.total, expected.total);
        const auto counts = found.counts.values<std::int64_t>();
        EXPECT_EQ(std::vector<std::int64_t>(counts.begin(), counts.end()), expected.counts);
        EXPECT_EQ(triangles(ctx, a, {}).total, expected.total);
    }
}

TEST(Triangles, LoopsAndValuesDoNotMatter) {
    const context ctx({.backend = backend::cpu});
    const std::vector<index_t> from = {0, 0, 1, 1, 2, 2, 0, 3, 0, 3}, to = {1, 2, 0, 2, 0, 1, 0, 3, 3, 0};
    const std::vector<double> w = {0, -1, 5, 2, 2, 0, 1, 1, 9, 9};
    const matrix a = matrix::build<double>(ctx, {4, 4, from, to, w});
    const auto found = triangles(ctx, a, {true, {}});
    EXPECT_EQ(found.total, 1);
    EXPECT_NEAR(found.clustering.get(0)->get<double>(), 1.0 / 3, 1e-15);
    EXPECT_EQ(found.clustering.get(3)->get<double>(), 0);
    EXPECT_EQ(validate_triangles(ctx, a, found), "");
}

TEST(TrianglesCheck, RefusesEveryKindOfWrongNumber) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:7,6").matrix;
    const auto right = triangles(ctx, a, {true, {}});
    ASSERT_GT(right.total, 0);
    EXPECT_EQ(validate_triangles(ctx, a, right), "");
    auto wrong = right;
    ++wrong.total;
    EXPECT_NE(validate_triangles(ctx, a, wrong), "");
    wrong = right;
    const offset_t v = 5;
    wrong.counts.set(v, scalar(right.counts.get(v)->get<std::int64_t>() + 1));
    EXPECT_NE(validate_triangles(ctx, a, wrong), "");
    wrong = right;
    wrong.clustering.set(v, scalar(right.clustering.get(v)->get<double>() + 1e-6));
    EXPECT_NE(validate_triangles(ctx, a, wrong), "");
    wrong = right;
    wrong.clustering.set(v, scalar(std::nan("")));
    EXPECT_NE(validate_triangles(ctx, a, wrong), "");
    wrong = right;
    wrong.counts.remove(v);
    EXPECT_NE(validate_triangles(ctx, a, wrong), "");
}

TEST(TrianglesFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(triangles(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(triangles(ctx, load(ctx, "rmat_directed:8,4").matrix), domain_error);
    EXPECT_THROW(triangles(ctx, load(ctx, "grid2d:4").matrix, {false, "table"}), domain_error);
    EXPECT_EQ(triangles(ctx, matrix(ctx, dtype::int32, 0, 0)).total, 0);
    EXPECT_EQ(triangles(ctx, matrix(ctx, dtype::int32, 5, 5), {true, {}}).total, 0);
}

}  // namespace
}  // namespace nz
