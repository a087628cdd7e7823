// Strongly connected components: every way of finding them against reachability by definition, and a checker that is itself
// held against wrong labels.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

using labels_list = std::vector<std::int32_t>;

matrix graph_of(const context& ctx, index_t n, const std::vector<std::pair<index_t, index_t>>& edges) {
    std::vector<index_t> from, to;
    for (const auto& [u, v] : edges) from.push_back(u), to.push_back(v);
    return matrix::build<double>(ctx, {n, n, from, to, std::vector<double>(edges.size(), 1.0)},
                                 binary_id::second);
}

// The smallest vertex that v reaches and that reaches v, from a search forward from every vertex.
labels_list strong_components_by_definition(const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<std::vector<index_t>> near(n);
    for (std::size_t k = 0; k < from.size(); ++k) near[from[k]].push_back(to[k]);
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
    for (index_t root = 0; root < a.rows(); ++root) {
        std::vector<index_t> open{root};
        reaches[root][root] = true;
        while (!open.empty()) {
            const index_t u = open.back();
            open.pop_back();
            for (const index_t v : near[u])
                if (!reaches[root][v]) reaches[root][v] = true, open.push_back(v);
        }
    }
    labels_list label(n);
    for (std::size_t v = 0; v < n; ++v) {
        std::size_t u = 0;
        while (!reaches[u][v] || !reaches[v][u]) ++u;
        label[v] = static_cast<std::int32_t>(u);
    }
    return label;
}

const std::vector<strong_components_options> ways = {{},         {true, 0},     {false, 0},
                                                     {false, 1}, {false, 1000}, {true, 1}};

TEST(StrongComponents, EveryWayFindsThoseOfTheDefinition) {
    for (const char* graph : {"rmat_directed:8,2", "rmat_directed:9,4", "rmat_directed:7,1", "powerlaw:400",
                              "random:300,1", "random:300,2", "grid2d:12,0.4", "banded:90,2", "dense:1,1"})
        for (const context& ctx : test::contexts()) {
            const matrix a = load(ctx, graph).matrix;
            const labels_list expected = strong_components_by_definition(a);
            offset_t count = 0;
            for (std::size_t v = 0; v < expected.size(); ++v)
                count += expected[v] == static_cast<std::int32_t>(v);
            for (const auto& way : ways) {
                SCOPED_TRACE(std::string(graph) + ", trim " + std::to_string(way.trim) + ", searches " +
                             std::to_string(way.searches));
                const auto found = strong_components(ctx, a, way);
                EXPECT_EQ(test::integers(found.labels), expected);
                EXPECT_EQ(found.count, count);
                EXPECT_EQ(validate_strong_components(ctx, a, found.labels), "");
            }
        }
}

TEST(StrongComponents, OfLargerGraphsAreValid) {
    const context ctx;  // the GPU where there is one
    for (const char* graph : {"rmat_directed:14,8", "random:60000,1", "random:60000,2", "powerlaw:50000"}) {
        const matrix a = load(ctx, graph).matrix;
        const auto found = strong_components(ctx, a);
        EXPECT_EQ(validate_strong_components(ctx, a, found.labels), "") << graph;
        EXPECT_EQ(found.trimmed + found.searched + found.walked, a.rows());
    }
}

TEST(StrongComponents, OneLargeOneAmongLoneVerticesNeedsNoWalk) {
    const context ctx({.backend = backend::cpu});
    const auto found = strong_components(ctx, load(ctx, "rmat_directed:13,16").matrix);
    EXPECT_GT(found.trimmed, 0);
    EXPECT_GT(found.searched, 0);
    EXPECT_LT(found.walked, 100);
    EXPECT_NE(found.plan.find("mxv/"), std::string::npos);
}

TEST(StrongComponents, DeepGraphsAndMillionsOfSmallOnesAreWalked) {
    const context ctx({.backend = backend::cpu});
    const index_t n = 1 << 20;
    std::vector<std::pair<index_t, index_t>> path, ring, pairs;
    for (index_t v = 0; v + 1 < n; ++v) path.push_back({v, v + 1});
    ring = path;
    ring.push_back({n - 1, 0});
    for (index_t v = 0; v < n; v += 2) pairs.insert(pairs.end(), {{v, v + 1}, {v + 1, v}, {v, (v + 2) % n}});
    pairs.pop_back();
    for (const auto& [edges, count] : {std::pair(path, n), std::pair(ring, 1), std::pair(pairs, n / 2)}) {
        const matrix a = graph_of(ctx, n, edges);
        const auto found = strong_components(ctx, a);
        EXPECT_EQ(found.count, count);
        EXPECT_GT(found.walked, n / 2);
        EXPECT_EQ(validate_strong_components(ctx, a, found.labels), "");
    }
}

TEST(StrongComponents, LoopsAndGraphsWithoutEdgesOrVertices) {
    const context ctx({.backend = backend::cpu});
    const matrix loops = graph_of(ctx, 4, {{0, 0}, {1, 1}, {1, 2}, {3, 2}, {2, 3}});
    for (const auto& way : ways) {
        EXPECT_EQ(test::integers(strong_components(ctx, loops, way).labels), (labels_list{0, 1, 2, 2}));
        EXPECT_EQ(strong_components(ctx, matrix(ctx, dtype::int32, 4, 4), way).count, 4);
        EXPECT_EQ(strong_components(ctx, matrix(ctx, dtype::int32, 0, 0), way).count, 0);
    }
}

TEST(StrongComponents, OfUndirectedGraphsAreTheWeakOnes) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "grid2d:100,0.45").matrix;
    const auto strong = strong_components(ctx, a);
    EXPECT_EQ(test::integers(strong.labels), test::integers(components(ctx, a).labels));
    EXPECT_NE(strong.plan.find("afforest"), std::string::npos);
}

TEST(StrongComponentsCheck, AcceptsAnyNamesAndRefusesWrongSets) {
    const context ctx({.backend = backend::cpu});
    // A ring 0 1 2, from which 3 is reached; 3 and 4 are a pair; 5 alone.
    const matrix a = graph_of(ctx, 6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 3}});
    const auto verdict = [&](std::vector<std::int64_t> labels) {
        return validate_strong_components(ctx, a, vector::dense<std::int64_t>(ctx, labels));
    };
    EXPECT_EQ(verdict({0, 0, 0, 3, 3, 5}), "");
    EXPECT_EQ(verdict({9, 9, 9, -1, -1, 0}), "") << "other names";
    EXPECT_NE(verdict({0, 0, 0, 0, 0, 5}), "") << "weak, not strong";
    EXPECT_NE(verdict({0, 0, 0, 3, 4, 5}), "") << "a pair apart";
    EXPECT_NE(verdict({0, 1, 0, 3, 3, 5}), "") << "one of the ring apart";
    EXPECT_NE(verdict({0, 0, 0, 3, 3, 3}), "");
    vector few(ctx, dtype::int32, 6);
    few.set(0, scalar(0));
    EXPECT_NE(validate_strong_components(ctx, a, few), "") << "some without a label";
}

TEST(StrongComponentsFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(strong_components(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(
        validate_strong_components(ctx, matrix(ctx, dtype::int32, 3, 3), vector(ctx, dtype::int32, 2)),
        dimension_mismatch);
}

}  // namespace
}  // namespace nz
