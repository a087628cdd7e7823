// The k-truss against dropping edges by the definition, and a checker that is itself held against wrong edges.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace nz {
namespace {

using edge_counts = std::map<std::pair<index_t, index_t>, std::int64_t>;

edge_counts entries_of(const matrix& m) {
    std::vector<index_t> from, to;
    std::vector<std::int64_t> counts;
    m.extract_tuples(from, to, counts);
    edge_counts edges;
    for (std::size_t e = 0; e < from.size(); ++e) edges[{from[e], to[e]}] = counts[e];
    return edges;
}

// Triangles of every edge of a set, edges of too few dropped all at once, until there are none.
edge_counts truss_by_definition(const matrix& a, offset_t k) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::map<index_t, std::set<index_t>> near;
    for (std::size_t e = 0; e < from.size(); ++e)
        if (from[e] != to[e]) near[from[e]].insert(to[e]);
    while (true) {
        edge_counts edges;
        for (const auto& [u, of_u] : near)
            for (const index_t v : of_u) {
                std::int64_t count = 0;
                for (const index_t w : of_u) count += near[v].contains(w);
                edges[{u, v}] = count;
            }
        std::size_t dropped = 0;
        for (const auto& [edge, count] : edges)
            if (count < k - 2) dropped += near[edge.first].erase(edge.second);
        if (dropped == 0) return edges;
    }
}

TEST(Truss, IsWhatTheDefinitionSays) {
    for (const char* graph : {"rmat:7,6", "rmat:9,3", "uniform:200,6", "grid2d:12", "dense:1,1",
                              "dense:12,12", "banded:100,7", "laplace3d:4"})
        for (const context& ctx : test::contexts()) {
            const matrix a = load(ctx, graph).matrix;
            offset_t deepest = 2;
            for (offset_t k = 2; k <= 14; ++k) {
                SCOPED_TRACE(std::string(graph) + ", k " + std::to_string(k));
                const auto expected = truss_by_definition(a, k);
                const auto found = truss(ctx, a, {k, {}});
                EXPECT_EQ(entries_of(found.edges), expected);
                EXPECT_EQ(found.k, k);
                EXPECT_EQ(2 * found.count, std::ssize(expected));
                std::set<index_t> vertices;
                for (const auto& [edge, count] : expected) vertices.insert(edge.first);
                EXPECT_EQ(found.vertices, std::ssize(vertices));
                EXPECT_EQ(validate_truss(ctx, a, k, found.edges), "");
                if (!expected.empty()) deepest = k;
            }
            const auto last = truss(ctx, a);
            EXPECT_GE(last.k, deepest) << graph;
            EXPECT_EQ(entries_of(last.edges), truss_by_definition(a, last.k)) << graph;
            EXPECT_TRUE(truss_by_definition(a, last.k + 1).empty()) << graph;
        }
}

TEST(Truss, IsTheSameWithEveryKernelAndValidOnLargerGraphs) {
    const context ctx;  // the GPU where there is one
    for (const char* graph : {"rmat:11,8", "uniform:5000,12"}) {
        const matrix a = load(ctx, graph).matrix;
        const auto expected = truss(ctx, a, {4, {}});
        EXPECT_EQ(validate_truss(ctx, a, 4, expected.edges), "") << graph;
        for (const char* kernel : {"masked_row", "masked_dot"})
            EXPECT_EQ(entries_of(truss(ctx, a, {4, kernel}).edges), entries_of(expected.edges)) << kernel;
        const auto deepest = truss(ctx, a);
        EXPECT_EQ(validate_truss(ctx, a, deepest.k, deepest.edges), "") << graph;
        EXPECT_EQ(truss(ctx, a, {deepest.k + 1, {}}).count, 0) << graph;
    }
}

TEST(TrussCheck, RefusesMissingAddedAndMiscountedEdges) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:7,6").matrix;
    const matrix right = truss(ctx, a, {5, {}}).edges;
    ASSERT_GT(right.nnz(), 0);
    EXPECT_EQ(validate_truss(ctx, a, 5, right), "");
    EXPECT_NE(validate_truss(ctx, a, 4, right), "");
    EXPECT_NE(validate_truss(ctx, a, 6, right), "");
    EXPECT_NE(validate_truss(ctx, a, 5, truss(ctx, a, {4, {}}).edges), "");
    EXPECT_NE(validate_truss(ctx, a, 5, truss(ctx, a, {6, {}}).edges), "");
    std::vector<index_t> from, to;
    std::vector<std::int64_t> counts;
    right.extract_tuples(from, to, counts);
    matrix wrong = right;
    wrong.remove(from[0], to[0]);
    EXPECT_NE(validate_truss(ctx, a, 5, wrong), "");
    wrong = right;
    wrong.set(from[0], to[0], scalar(counts[0] + 1));
    EXPECT_NE(validate_truss(ctx, a, 5, wrong), "");
    wrong = right;
    wrong.set(from[0], from[0], scalar(std::int64_t{3}));
    EXPECT_NE(validate_truss(ctx, a, 5, wrong), "");
    wrong = right;
    wrong.set(a.rows() - 1, a.columns() - 1, scalar(std::int64_t{3}));
    EXPECT_NE(validate_truss(ctx, a, 5, wrong), "");
}

TEST(TrussFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(truss(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(truss(ctx, load(ctx, "rmat_directed:8,4").matrix), domain_error);
    const matrix grid = load(ctx, "grid2d:4").matrix;
    EXPECT_THROW(truss(ctx, grid, {1, {}}), domain_error);
    EXPECT_THROW(truss(ctx, grid, {-3, {}}), domain_error);
    EXPECT_THROW(truss(ctx, grid, {3, "table"}), domain_error);
    EXPECT_EQ(truss(ctx, grid).k, 2);
    EXPECT_EQ(truss(ctx, grid).count, 24);
    EXPECT_EQ(truss(ctx, matrix(ctx, dtype::int32, 0, 0)).count, 0);
    EXPECT_EQ(truss(ctx, matrix(ctx, dtype::int32, 5, 5), {3, {}}).count, 0);
}

}  // namespace
}  // namespace nz
