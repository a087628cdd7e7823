// Markov clustering of graphs whose clusters are plain, and a checker that is itself held against wrong ones.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nz {
namespace {

using labels_list = std::vector<std::int32_t>;

// Sets of `size` vertices, all joined to each other, one edge from each set to the next.
matrix chain_of_sets(const context& ctx, index_t sets, index_t size) {
    std::vector<index_t> from, to;
    const auto join = [&](index_t u, index_t v) {
        from.insert(from.end(), {u, v});
        to.insert(to.end(), {v, u});
    };
    for (index_t s = 0; s < sets; ++s) {
        for (index_t u = 0; u < size; ++u)
            for (index_t v = u + 1; v < size; ++v) join(s * size + u, s * size + v);
        if (s > 0) join(s * size - 1, s * size);
    }
    return matrix::build<float>(ctx,
                                {sets * size, sets * size, from, to, std::vector<float>(from.size(), 1.0f)});
}

TEST(MarkovClustering, FindsSetsThatHangTogether) {
    const context ctx({.backend = backend::cpu});
    const auto found = markov_clustering(ctx, chain_of_sets(ctx, 5, 6));
    EXPECT_TRUE(found.converged);
    EXPECT_EQ(found.count, 5);
    for (index_t v = 0; v < 30; ++v) EXPECT_EQ(test::integers(found.labels)[v], v / 6 * 6);
    EXPECT_LE(found.unevenness, 1e-6);
    EXPECT_GT(found.products, 0);
}

TEST(MarkovClustering, AgreesWithPlainLoopsForAnyNumberOfThreads) {
    for (const char* graph : {"rmat:7,4", "rmat:8,2", "uniform:300,2", "grid2d:14,0.3", "dense:9,9",
                              "dense:1,1", "banded:60,5", "laplace3d:4"}) {
        std::vector<labels_list> all;
        for (const context& ctx : test::contexts())
            for (const double inflation : {1.4, 2.0, 3.0}) {
                SCOPED_TRACE(graph);
                matrix a = load(ctx, graph).matrix, weights(ctx, dtype::float64, a.rows(), a.columns());
                apply(ctx, weights, unary_id::one, a);
                const markov_options o{.inflation = inflation};
                const auto found = markov_clustering(ctx, weights, o);
                EXPECT_EQ(validate_markov_clustering(ctx, weights, found.labels, o), "");
                all.push_back(test::integers(found.labels));
            }
        for (std::size_t k = 3; k < all.size(); ++k) EXPECT_EQ(all[k], all[k - 3]) << graph;
    }
}

// Powers of flows below 1 that no double holds.
TEST(MarkovClustering, TakesAnyInflation) {
    const context ctx({.threads = 2});
    matrix a = load(ctx, "grid2d:5").matrix, weights(ctx, dtype::float64, a.rows(), a.columns());
    apply(ctx, weights, unary_id::one, a);
    for (const double inflation : {500.0, 800.0, 2000.0, 1e5}) {
        const markov_options o{.inflation = inflation};
        const auto found = markov_clustering(ctx, weights, o);
        EXPECT_EQ(validate_markov_clustering(ctx, weights, found.labels, o), "") << inflation;
    }
}

TEST(MarkovClustering, FollowsWeights) {
    const context ctx({.backend = backend::cpu});
    // A ring of four: 0 = 1 - 2 = 3 - 0, the double ones ten times as strong.
    const std::vector<index_t> from = {0, 1, 1, 2, 2, 3, 3, 0}, to = {1, 0, 2, 1, 3, 2, 0, 3};
    for (const double unit : {1.0, 1e307, 1e-310}) {  // sums of weights overflow, or are subnormal
        SCOPED_TRACE(unit);
        const std::vector<double> w = {10 * unit, 10 * unit, unit, unit, 10 * unit, 10 * unit, unit, unit};
        const matrix a = matrix::build<double>(ctx, {4, 4, from, to, w});
        const auto found = markov_clustering(ctx, a);
        EXPECT_EQ(test::integers(found.labels), (labels_list{0, 0, 2, 2}));
        EXPECT_EQ(validate_markov_clustering(ctx, a, found.labels, {}), "");
    }
}

TEST(MarkovClusteringCheck, RefusesWrongClusters) {
    const context ctx({.backend = backend::cpu});
    const matrix a = chain_of_sets(ctx, 3, 4);
    const auto verdict = [&](const labels_list& labels) {
        return validate_markov_clustering(ctx, a, vector::dense<std::int32_t>(ctx, labels));
    };
    EXPECT_EQ(verdict({0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8}), "");
    EXPECT_NE(verdict({0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8}), "");
    EXPECT_NE(verdict({0, 0, 0, 4, 4, 4, 4, 4, 8, 8, 8, 8}), "");
    EXPECT_NE(verdict({0, 0, 0, 3, 4, 4, 4, 4, 8, 8, 8, 8}), "");
    EXPECT_NE(validate_markov_clustering(ctx, a, vector(ctx, dtype::int32, 12)), "");
}

TEST(MarkovClusteringFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    const matrix a = chain_of_sets(ctx, 2, 3);
    EXPECT_THROW(markov_clustering(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(markov_clustering(ctx, load(ctx, "rmat_directed:8,4").matrix), domain_error);
    EXPECT_THROW(markov_clustering(ctx, a, {.inflation = 1}), domain_error);
    EXPECT_THROW(markov_clustering(ctx, a, {.threshold = 1}), domain_error);
    EXPECT_THROW(markov_clustering(ctx, a, {.max_iterations = -1}), domain_error);
    EXPECT_THROW(markov_clustering(ctx, a, {.kernel = "square"}), domain_error);
    matrix negative = a;
    negative.set(0, 1, scalar(-1.0));
    EXPECT_THROW(markov_clustering(ctx, negative), domain_error);
    EXPECT_EQ(markov_clustering(ctx, matrix(ctx, dtype::int32, 0, 0)).count, 0);
    EXPECT_EQ(markov_clustering(ctx, matrix(ctx, dtype::int32, 3, 3)).count, 3);
    EXPECT_FALSE(markov_clustering(ctx, a, {.max_iterations = 0}).converged);
}

TEST(MarkovClustering, DoesNotLookAtTheDiagonal) {
    const context ctx({.backend = backend::cpu});
    const std::vector<index_t> from = {0, 1, 0, 1}, to = {1, 0, 0, 1};
    const matrix plain = matrix::build<double>(
        ctx, {2, 2, std::span(from).first(2), std::span(to).first(2), std::vector<double>{1, 1}});
    const auto expected = test::integers(markov_clustering(ctx, plain).labels);
    for (const double loop : {0.0, -5.0, std::numeric_limits<double>::quiet_NaN()}) {
        const matrix a = matrix::build<double>(ctx, {2, 2, from, to, std::vector<double>{1, 1, loop, loop}});
        const auto found = markov_clustering(ctx, a);
        EXPECT_EQ(test::integers(found.labels), expected) << loop;
        EXPECT_EQ(validate_markov_clustering(ctx, a, found.labels, {}), "") << loop;
    }
    EXPECT_THROW(markov_clustering(ctx, plain, {.tolerance = std::numeric_limits<double>::quiet_NaN()}),
                 domain_error);
}

}  // namespace
}  // namespace nz
