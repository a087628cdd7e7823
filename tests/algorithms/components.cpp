// Weakly connected components: every kernel against the others, and a checker that is itself held against wrong labels.
#include "plan/components.hpp"

#include "nonzero/nonzero.hpp"
#include "storage/matrix_body.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

// The smallest vertex of each component, by a search from each vertex in turn over both directions of the edges.
std::vector<std::int32_t> by_search(const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::vector<std::vector<index_t>> near(static_cast<std::size_t>(a.rows()));
    for (std::size_t k = 0; k < from.size(); ++k)
        near[from[k]].push_back(to[k]), near[to[k]].push_back(from[k]);
    std::vector<std::int32_t> label(near.size(), -1);
    for (index_t root = 0; root < a.rows(); ++root) {
        if (label[root] >= 0) continue;
        std::vector<index_t> open{root};
        label[root] = root;
        while (!open.empty()) {
            const index_t u = open.back();
            open.pop_back();
            for (const index_t v : near[u])
                if (label[v] < 0) label[v] = root, open.push_back(v);
        }
    }
    return label;
}

constexpr const char* component_graphs[] = {"rmat:9,2",       "rmat:14,16",     "rmat_directed:12,2",
                                            "uniform:3000,1", "grid2d:60,0.45", "powerlaw:5000",
                                            "banded:900,2",   "dense:1,1",      "grid2d:150,0.5"};

TEST(Components, EveryKernelFindsTheSmallestVertexOfEach) {
    for (const char* graph : component_graphs)
        for (const int threads : {1, 2, 3})
            for (const char* kernel : {"", "afforest", "label_loop", "reference"}) {
                SCOPED_TRACE(std::string(graph) + ", threads " + std::to_string(threads) + " " + kernel);
                const context ctx({.backend = backend::cpu, .threads = threads});
                const matrix a = load(ctx, graph).matrix;
                const auto expected = by_search(a);
                const auto found = components(ctx, a, {kernel});
                EXPECT_EQ(test::integers(found.labels), expected);
                offset_t roots = 0;
                for (index_t v = 0; v < a.rows(); ++v) roots += expected[v] == v;
                EXPECT_EQ(found.count, roots);
                EXPECT_EQ(validate_components(ctx, a, found.labels), "");
            }
}

// The GPU's kernel against a search, with edges of both directions at hand and without; hubs outside the largest component,
// whose rows whole blocks take.
TEST(Components, OnAGPUAreThoseOfASearch) {
    const context ctx;
    if (ctx.backend() != backend::cuda) GTEST_SKIP() << "no GPU";
    const context cpu({.backend = backend::cpu});
    for (const char* graph :
         {"rmat:12,2", "rmat:10,16", "rmat_directed:12,2", "uniform:3000,1", "grid2d:60,0.5", "powerlaw:4000",
          "dense:1,1", "laplace2d:30", "banded:5000,2"}) {
        SCOPED_TRACE(graph);
        const matrix a = load(ctx, graph).matrix;
        const auto found = components(ctx, a);
        EXPECT_EQ(test::integers(found.labels),
                  test::integers(components(cpu, load(cpu, graph).matrix).labels));
        EXPECT_EQ(validate_components(ctx, a, found.labels), "");
        EXPECT_EQ(found.count, components(cpu, load(cpu, graph).matrix).count);
        a.body().columns();
        EXPECT_EQ(test::integers(components(ctx, a).labels), test::integers(found.labels));
    }
    for (const bool backwards : {false, true}) {
        std::vector<index_t> from, to;
        for (index_t v = 1; v < 20000; ++v) from.push_back(v), to.push_back(v - 1);                  // a path
        for (index_t leaf = 20001; leaf < 21000; ++leaf) from.push_back(leaf), to.push_back(20000);  // stars
        for (index_t leaf = 21000; leaf < 21500; ++leaf) from.push_back(21500), to.push_back(leaf);
        if (backwards) std::swap(from, to);
        const std::vector<double> w(from.size(), 1.0);
        const matrix a = matrix::build<double>(ctx, {21502, 21502, from, to, w});
        const auto found = components(ctx, a);
        EXPECT_EQ(found.count, 4);
        EXPECT_EQ(test::integers(found.labels), by_search(a));
        a.body().columns();
        EXPECT_EQ(test::integers(components(ctx, a).labels), by_search(a));
    }
}

TEST(Components, DirectedGraphsWithTheirTransposeAtHandPassOverEdges) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const char* graph : {"rmat_directed:12,2", "rmat_directed:13,8", "powerlaw:5000"}) {
        const matrix a = load(ctx, graph).matrix;
        const auto before = components(ctx, a);
        EXPECT_NE(before.plan.find("all of them"), std::string::npos);
        vector ignored(ctx, dtype::float64, a.columns());
        mxv(ctx, ignored, semiring("plus_second"), a, vector::full(ctx, a.rows(), scalar(1.0)),
            {.transpose_a = true});
        const auto after = components(ctx, a);
        EXPECT_NE(after.plan.find("passed over"), std::string::npos);
        EXPECT_EQ(test::integers(after.labels), test::integers(before.labels));
    }
}

TEST(Components, GraphsWithoutEdgesOrVertices) {
    const context ctx({.backend = backend::cpu});
    for (const char* kernel : {"", "label_loop", "reference"}) {
        EXPECT_EQ(components(ctx, matrix(ctx, dtype::int32, 4, 4), {kernel}).count, 4);
        EXPECT_EQ(components(ctx, matrix(ctx, dtype::int32, 0, 0), {kernel}).count, 0);
    }
}

TEST(Components, ThePlanIsAPureFunctionOfItsFacts) {
    EXPECT_EQ(plan::components({true, false, {}}).kernel, "afforest");
    EXPECT_TRUE(plan::components({true, false, {}}).reads_columns);
    EXPECT_TRUE(plan::components({false, true, {}}).reads_columns);
    EXPECT_FALSE(plan::components({false, false, {}}).reads_columns);
    EXPECT_FALSE(plan::components({true, true, "label_loop"}).reads_columns);
    EXPECT_EQ(plan::components({true, true, "reference"}).kernel, "reference");
}

TEST(ComponentsCheck, AcceptsAnyNamesAndRefusesWrongSets) {
    const context ctx({.backend = backend::cpu});
    // 1 -> 0, 1 -> 2; 3 -> 4; 5 alone.
    const std::vector<index_t> from = {1, 1, 3}, to = {0, 2, 4};
    const std::vector<double> w = {1, 1, 1};
    const matrix a = matrix::build<double>(ctx, {6, 6, from, to, w});
    const auto verdict = [&](std::vector<std::int64_t> labels) {
        return validate_components(ctx, a, vector::dense<std::int64_t>(ctx, labels));
    };
    EXPECT_EQ(verdict({0, 0, 0, 3, 3, 5}), "");
    EXPECT_EQ(verdict({7, 7, 7, -2, -2, 0}), "") << "other names";
    EXPECT_NE(verdict({0, 0, 2, 3, 3, 5}), "") << "an edge between labels";
    EXPECT_NE(verdict({0, 0, 0, 0, 0, 5}), "") << "two components of one label";
    EXPECT_NE(verdict({0, 0, 0, 3, 3, 3}), "") << "a vertex alone in another's";
    EXPECT_NE(verdict({0, 0, 0, 3, 4, 5}), "");
    vector few(ctx, dtype::int32, 6);
    few.set(0, scalar(0));
    EXPECT_NE(validate_components(ctx, a, few), "") << "some without a label";
}

TEST(ComponentsFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(components(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(components(ctx, matrix(ctx, dtype::int32, 3, 3), {"aforest"}), domain_error);
}

}  // namespace
}  // namespace nz
