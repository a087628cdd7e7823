// Label propagation against counting by the definition, and a checker that is itself held against wrong labels.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace nz {
namespace {

using labels_list = std::vector<std::int32_t>;

// Counts of labels in a map for each vertex, step by step; `undirected`: a pair of edges counts once.
labels_list labels_by_definition(const matrix& a, int steps, bool undirected) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    labels_list label(static_cast<std::size_t>(a.rows()));
    for (std::size_t v = 0; v < label.size(); ++v) label[v] = static_cast<std::int32_t>(v);
    for (int k = 0; k < steps; ++k) {
        std::vector<std::map<std::int32_t, int>> counts(label.size());
        for (std::size_t e = 0; e < from.size(); ++e) {
            ++counts[from[e]][label[to[e]]];
            if (!undirected) ++counts[to[e]][label[from[e]]];
        }
        for (std::size_t v = 0; v < label.size(); ++v) {
            int most = 0;
            for (const auto& [l, count] : counts[v])
                if (count > most) most = count, label[v] = l;
        }
    }
    return label;
}

TEST(LabelPropagation, CountsAsTheDefinitionSays) {
    for (const char* graph :
         {"rmat:8,6", "rmat:10,2", "uniform:500,3", "grid2d:25,0.2", "dense:9,9", "banded:90,5",
          "laplace2d:12", "rmat_directed:8,4", "random:300,2", "powerlaw:400", "banded:90,2"})
        for (const context& ctx : test::contexts())
            for (const int steps : {0, 1, 3, 10}) {
                SCOPED_TRACE(std::string(graph) + ", steps " + std::to_string(steps));
                const matrix a = load(ctx, graph).matrix;
                const auto found = label_propagation(ctx, a, {steps});
                const auto expected = labels_by_definition(a, steps, a.facts().symmetric_pattern);
                EXPECT_EQ(test::integers(found.labels), expected);
                EXPECT_EQ(found.count, std::ssize(std::set<std::int32_t>(expected.begin(), expected.end())));
                EXPECT_LE(found.iterations, steps);
                EXPECT_EQ(validate_label_propagation(ctx, a, found.labels, {steps}), "");
            }
}

TEST(LabelPropagation, EndsWhenNothingChanges) {
    const context ctx({.backend = backend::cpu});
    const auto found = label_propagation(ctx, load(ctx, "dense:9,9").matrix, {100});
    EXPECT_TRUE(found.converged);
    EXPECT_LT(found.iterations, 5);
    EXPECT_EQ(found.count, 1);
    EXPECT_FALSE(label_propagation(ctx, load(ctx, "grid2d:30").matrix, {2}).converged);
}

TEST(LabelPropagation, OfLargerGraphsIsValid) {
    const context ctx;  // the GPU where there is one
    for (const char* graph : {"rmat:13,8", "rmat_directed:13,8", "grid2d:150,0.3"}) {
        const matrix a = load(ctx, graph).matrix;
        EXPECT_EQ(validate_label_propagation(ctx, a, label_propagation(ctx, a).labels), "") << graph;
    }
}

TEST(LabelPropagationCheck, RefusesWrongLabels) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:7,6").matrix;
    const vector right = label_propagation(ctx, a).labels;
    EXPECT_EQ(validate_label_propagation(ctx, a, right), "");
    EXPECT_NE(validate_label_propagation(ctx, a, right, {1}), "") << "too many steps";
    for (const std::int32_t by : {-1, 1}) {
        vector wrong = right;
        wrong.set(3, scalar(right.get(3)->get<std::int32_t>() + by));
        EXPECT_NE(validate_label_propagation(ctx, a, wrong), "");
    }
    vector few = right;
    few.remove(5);
    EXPECT_NE(validate_label_propagation(ctx, a, few), "");
}

TEST(LabelPropagationFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(label_propagation(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(label_propagation(ctx, matrix(ctx, dtype::int32, 3, 3), {-1}), domain_error);
    EXPECT_EQ(label_propagation(ctx, matrix(ctx, dtype::int32, 0, 0)).count, 0);
    EXPECT_EQ(test::integers(label_propagation(ctx, matrix(ctx, dtype::int32, 2, 2)).labels),
              (labels_list{0, 1}));
}

}  // namespace
}  // namespace nz
