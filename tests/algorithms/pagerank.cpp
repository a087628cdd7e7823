// PageRank against a plain dense iteration and against a checker that is itself held against wrong ranks.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nz {
namespace {

std::vector<double> numbers(const vector& v) {
    std::vector<index_t> indices;
    std::vector<double> values, all(static_cast<std::size_t>(v.size()));
    v.extract_tuples(indices, values);
    for (std::size_t k = 0; k < indices.size(); ++k) all[indices[k]] = values[k];
    return all;
}

// 300 plain steps over the tuples of a matrix: as near to the truth as doubles get.
std::vector<double> plain_ranks(const matrix& a, double damping, std::vector<double> p = {},
                                bool weighted = false) {
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<index_t> from, to;
    std::vector<double> weight;
    a.extract_tuples(from, to, weight);
    if (!weighted) weight.assign(weight.size(), 1);
    std::vector<double> degree(n), r(n, 1.0 / static_cast<double>(n));
    if (p.empty()) p = r;
    for (std::size_t k = 0; k < from.size(); ++k) degree[from[k]] += weight[k];
    for (int step = 0; step < 300; ++step) {
        std::vector<double> next(n);
        double lost = 0;
        for (std::size_t v = 0; v < n; ++v)
            if (degree[v] == 0) lost += r[v];
        for (std::size_t v = 0; v < n; ++v) next[v] = (1 - damping + damping * lost) * p[v];
        for (std::size_t k = 0; k < from.size(); ++k)
            if (weight[k] > 0) next[to[k]] += damping * r[from[k]] * weight[k] / degree[from[k]];
        r = next;
    }
    return r;
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += std::abs(x[k] - y[k]);
    return sum;
}

constexpr const char* rank_graphs[] = {"rmat:9,8",      "rmat_directed:10,4", "uniform:2000,4",
                                       "grid2d:40,0.3", "powerlaw:5000",      "banded:700,3",
                                       "dense:1,1",     "dense:30,30",        "rmat:15,4"};

// A hub's row is a sum of very many equal floats, which lose what a float that grows is too coarse for.
TEST(Pagerank, OfAHubInFloat32SumsUpToOneAndSettles) {
    for (const context& ctx : test::sides())
        for (const index_t leaves : {1000, 200000}) {
            std::vector<index_t> from, to;
            for (index_t v = 1; v <= leaves; ++v) {
                from.insert(from.end(), {v, 0});
                to.insert(to.end(), {0, v});
            }
            const std::vector<float> one{1};
            const matrix star = matrix::build<float>(ctx, {leaves + 1, leaves + 1, from, to, one});
            for (const bool adaptive : {false, true}) {
                const pagerank_options o{.type = dtype::float32, .adaptive = adaptive};
                const auto found = pagerank(ctx, star, o);
                EXPECT_TRUE(found.converged)
                    << leaves << (adaptive ? " adaptive" : "") << ", change " << found.change;
                EXPECT_EQ(validate_pagerank(ctx, star, found.ranks, o), "") << leaves;
                const double others = (1 - o.damping) / (leaves + 1),
                             expected = (others + o.damping) / (1 + o.damping);
                EXPECT_NEAR(found.ranks.get(0)->get<double>(), expected, 2e-6) << leaves;
            }
        }
}

TEST(Pagerank, AgreesWithThePlainIterationOnEveryGraphAndThread) {
    for (const char* graph : rank_graphs) {
        const matrix a = load(context({.backend = backend::cpu}), graph).matrix;
        const auto expected = plain_ranks(a, 0.85);
        for (const context& ctx : test::contexts())
            for (const bool adaptive : {false, true})
                for (const dtype type : {dtype::float64, dtype::float32}) {
                    SCOPED_TRACE(std::string(graph) + ", threads " + std::to_string(ctx.threads()) +
                                 (adaptive ? ", adaptive " : ", ") + std::string(name_of(type)));
                    pagerank_options o;
                    o.adaptive = adaptive;
                    o.type = type;
                    o.tolerance = type == dtype::float64 ? 1e-10 : 2e-6;
                    o.max_iterations = 1000;
                    const auto found = pagerank(ctx, a, o);
                    EXPECT_TRUE(found.converged);
                    EXPECT_EQ(found.ranks.type(), type);
                    EXPECT_EQ(found.steps.size(), static_cast<std::size_t>(found.iterations));
                    EXPECT_EQ(validate_pagerank(ctx, a, found.ranks, o), "");
                    EXPECT_LE(distance(numbers(found.ranks), expected), type == dtype::float64 ? 1e-8 : 4e-5);
                    found.ranks.validate();
                }
    }
}

TEST(Pagerank, IsTheSameBitForBitWithAnyNumberOfThreads) {
    for (const char* graph : {"rmat:15,8", "grid2d:200,0.1"})
        for (const bool adaptive : {false, true}) {
            const context one({.backend = backend::cpu, .threads = 1});
            const matrix a = load(one, graph).matrix;
            pagerank_options o;
            o.adaptive = adaptive;
            const auto first = pagerank(one, a, o);
            for (const int threads : {2, 3, 5}) {
                const context ctx({.backend = backend::cpu, .threads = threads});
                const auto again = pagerank(ctx, a, o);
                EXPECT_EQ(again.iterations, first.iterations);
                EXPECT_EQ(numbers(again.ranks), numbers(first.ranks)) << graph << ", threads " << threads;
            }
        }
}

TEST(Pagerank, PersonalisedStartsWhereItIsTold) {
    for (const char* graph : {"rmat:9,8", "rmat_directed:9,2", "grid2d:20"})
        for (const context& ctx : test::contexts()) {
            const matrix a = load(ctx, graph).matrix;
            vector p(ctx, dtype::int32, a.rows());
            p.set(3, scalar(2));
            p.set(200, scalar(6));
            std::vector<double> shares(static_cast<std::size_t>(a.rows()));
            shares[3] = 0.25, shares[200] = 0.75;
            for (const bool adaptive : {false, true}) {
                pagerank_options o;
                o.personalisation = &p;
                o.tolerance = 1e-11;
                o.max_iterations = 1000;
                o.adaptive = adaptive;
                const auto found = pagerank(ctx, a, o);
                EXPECT_EQ(validate_pagerank(ctx, a, found.ranks, o), "");
                EXPECT_LE(distance(numbers(found.ranks), plain_ranks(a, 0.85, shares)), 1e-9);
            }
        }
}

// Weights of 0 to 6 by places, some rows of zeros alone; of every type, since a weight is a number whatever it is stored as.
TEST(Pagerank, FollowsEdgesInProportionToTheirWeights) {
    for (const char* graph : {"rmat_directed:10,4", "grid2d:40,0.3", "rmat:9,8"}) {
        std::vector<index_t> from, to;
        std::vector<double> x;
        const context host({.backend = backend::cpu});
        const matrix pattern = load(host, graph).matrix;
        pattern.extract_tuples(from, to, x);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = from[k] % 5 == 0 ? 0 : (from[k] * 3 + to[k]) % 7;
        const auto n = static_cast<index_t>(pattern.rows());
        const matrix a = matrix::build<double>(host, {n, n, from, to, x});
        const auto expected = plain_ranks(a, 0.85, {}, true);
        ASSERT_GT(distance(expected, plain_ranks(pattern, 0.85)), 0.01);
        for (const context& ctx : test::contexts())
            for (const dtype values : {dtype::float64, dtype::float32, dtype::int8, dtype::uint64})
                for (const dtype type : {dtype::float64, dtype::float32})
                    for (const bool adaptive : {false, true}) {
                        SCOPED_TRACE(std::string(graph) + " " + std::string(name_of(values)) + " " +
                                     std::string(name_of(type)) + (adaptive ? " adaptive" : ""));
                        matrix w(ctx, values, a.rows(), a.columns());
                        apply(ctx, w, unary_id::identity, a);
                        const pagerank_options o{.tolerance = type == dtype::float64 ? 1e-10 : 2e-6,
                                                 .max_iterations = 1000,
                                                 .type = type,
                                                 .weighted = true,
                                                 .adaptive = adaptive};
                        const auto found = pagerank(ctx, w, o);
                        EXPECT_TRUE(found.converged);
                        EXPECT_EQ(validate_pagerank(ctx, w, found.ranks, o), "");
                        EXPECT_LE(distance(numbers(found.ranks), expected),
                                  type == dtype::float64 ? 1e-8 : 4e-5);
                        EXPECT_NE(validate_pagerank(ctx, pattern, found.ranks, o), "");
                    }
    }
}

TEST(Pagerank, WeightsOfEqualValueAndTruthValuesChangeNothing) {
    for (const context& ctx : test::sides()) {
        const matrix pattern = load(ctx, "rmat_directed:9,4").matrix;
        const auto alike = numbers(pagerank(ctx, pattern, {.tolerance = 1e-12}).ranks);
        for (const dtype type : {dtype::boolean, dtype::float64}) {
            matrix a(ctx, type, pattern.rows(), pattern.columns());
            apply(ctx, a, binary_id::second, pattern, type == dtype::boolean ? scalar(true) : scalar(0.25));
            EXPECT_LE(
                distance(numbers(pagerank(ctx, a, {.tolerance = 1e-12, .weighted = true}).ranks), alike),
                1e-10);
        }
    }
}

TEST(Pagerank, RefusesWeightsThatAreNone) {
    for (const context& ctx : test::sides()) {
        const std::vector<index_t> from{0, 0, 1}, to{1, 2, 0};
        const auto ranks = [&](double x, dtype type = dtype::float64) {
            const std::vector<double> values{1, x, 1};
            return pagerank(ctx, matrix::build<double>(ctx, {3, 3, from, to, values}),
                            {.type = type, .weighted = true});
        };
        const double infinity = std::numeric_limits<double>::infinity();
        for (const double wrong : {-1.0, infinity, -infinity, std::nan(""), 1e300})
            EXPECT_THROW(ranks(wrong), domain_error) << wrong;
        EXPECT_THROW(ranks(1e30, dtype::float32), domain_error);
        EXPECT_TRUE(ranks(1e30).converged);
        EXPECT_TRUE(ranks(0).converged);
        EXPECT_THROW(pagerank(ctx, load(ctx, "grid2d:5").matrix, {.weighted = true, .kernel = "short_rows"}),
                     not_supported);
        // Nothing but zeros: ranks are spread alike.
        const std::vector<double> zero{0};
        const matrix none = matrix::build<double>(ctx, {3, 3, from, to, zero});
        EXPECT_NEAR(pagerank(ctx, none, {.weighted = true}).ranks.get(1)->get<double>(), 1.0 / 3, 1e-12);
        EXPECT_NEAR(
            pagerank(ctx, matrix(ctx, dtype::float64, 3, 3), {.weighted = true}).ranks.get(1)->get<double>(),
            1.0 / 3, 1e-12);
    }
}

TEST(Pagerank, TheAdaptiveFormLeavesRowsOut) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    pagerank_options o;
    o.adaptive = true;
    const auto found = pagerank(ctx, load(ctx, "rmat:12,8").matrix, o);
    offset_t computed = 0;
    for (const auto& step : found.steps) computed += step.active;
    EXPECT_LT(computed, (offset_t{1} << 12) * found.iterations);
    EXPECT_EQ(found.steps.back().active, 1 << 12) << "the end is not judged by some rows alone";
    EXPECT_NE(found.plan.find("csr_row_masked") == std::string::npos,
              found.plan.find("mask") != std::string::npos);
}

TEST(Pagerank, StopsWhenItIsToldTo) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:9,8").matrix;
    pagerank_options o;
    o.max_iterations = 3;
    o.tolerance = 0;
    const auto three = pagerank(ctx, a, o);
    EXPECT_EQ(three.iterations, 3);
    EXPECT_FALSE(three.converged);
    o.max_iterations = 0;
    EXPECT_EQ(numbers(pagerank(ctx, a, o).ranks), std::vector<double>(512, 1.0 / 512));
    o.max_iterations = 100;
    o.damping = 0;
    EXPECT_LE(distance(numbers(pagerank(ctx, a, o).ranks), std::vector<double>(512, 1.0 / 512)), 1e-12);
}

TEST(Pagerank, GraphsWithoutEdgesOrVertices) {
    for (const context& ctx : test::contexts()) {
        const auto alone = pagerank(ctx, matrix(ctx, dtype::int32, 5, 5));
        EXPECT_LE(distance(numbers(alone.ranks), std::vector<double>(5, 0.2)), 1e-15);
        EXPECT_TRUE(alone.converged);
        EXPECT_EQ(pagerank(ctx, matrix(ctx, dtype::int32, 0, 0)).ranks.size(), 0);
    }
}

TEST(PagerankCheck, RefusesEveryKindOfWrongRanks) {
    const context ctx({.backend = backend::cpu});
    // 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 0; 3 has no edge.
    const std::vector<index_t> from = {0, 0, 1, 2}, to = {1, 2, 2, 0};
    const std::vector<double> w = {5, 1, 1, 1};
    const matrix a = matrix::build<double>(ctx, {4, 4, from, to, w});
    const std::vector<double> right = plain_ranks(a, 0.85);
    const auto verdict = [&](std::vector<double> r, double damping = 0.85) {
        pagerank_options o;
        o.damping = damping;
        return validate_pagerank(ctx, a, vector::dense<double>(ctx, r), o);
    };
    const auto changed = [&](std::size_t v, std::size_t u, double by) {
        auto r = right;
        r[v] += by;
        r[u] -= by;
        return r;
    };
    EXPECT_EQ(verdict(right), "");
    EXPECT_EQ(verdict(changed(0, 1, 1e-8)), "") << "within the tolerance";
    EXPECT_NE(verdict(changed(0, 1, 1e-5)), "");
    EXPECT_NE(verdict(changed(3, 2, 1e-5)), "") << "an isolated vertex";
    EXPECT_NE(verdict({0.25, 0.25, 0.25, 0.25}), "");
    EXPECT_NE(verdict(right, 0.9), "") << "of another damping";
    EXPECT_NE(verdict({right[0] / 2, right[1] / 2, right[2] / 2, right[3] / 2}), "") << "their sum";
    EXPECT_NE(verdict(changed(0, 3, right[3] + 0.1)), "") << "a negative one";
    EXPECT_NE(verdict({right[0], right[1], std::nan(""), right[3]}), "");
    vector few(ctx, dtype::float64, 4);
    few.set(0, scalar(1.0));
    EXPECT_NE(validate_pagerank(ctx, a, few), "") << "one without a rank";
    EXPECT_THROW(validate_pagerank(ctx, a, vector(ctx, dtype::float64, 3)), dimension_mismatch);
}

TEST(PagerankFaults, SayWhatIsWrong) {
    const context ctx;
    const matrix a = load(ctx, "grid2d:4").matrix;
    const auto with = [&](auto change) {
        pagerank_options o;
        change(o);
        pagerank(ctx, a, o);
    };
    EXPECT_THROW(pagerank(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(with([](auto& o) { o.damping = 1; }), domain_error);
    EXPECT_THROW(with([](auto& o) { o.damping = -0.1; }), domain_error);
    EXPECT_THROW(with([](auto& o) { o.tolerance = std::nan(""); }), domain_error);
    EXPECT_THROW(with([](auto& o) { o.max_iterations = -1; }), domain_error);
    EXPECT_THROW(with([](auto& o) { o.type = dtype::int32; }), domain_error);
    vector p(ctx, dtype::float64, 16), small(ctx, dtype::float64, 15);
    EXPECT_THROW(with([&](auto& o) { o.personalisation = &p; }), domain_error) << "no weight";
    EXPECT_THROW(with([&](auto& o) { o.personalisation = &small; }), dimension_mismatch);
    EXPECT_THROW(with([](auto& o) { o.kernel = "teleport"; }), domain_error);
    EXPECT_THROW(pagerank(context({.backend = backend::cpu}), a, {.kernel = "short_rows"}), not_supported);
    p.set(3, scalar(1e-39));  // one over it is infinite
    EXPECT_NO_THROW(with([&](auto& o) { o.personalisation = &p, o.type = dtype::float32; }));
    p.set(3, scalar(2.0));
    p.set(4, scalar(-1.0));
    EXPECT_THROW(with([&](auto& o) { o.personalisation = &p; }), domain_error) << "a negative weight";
}

// Rows that were left out again and again kept others from settling.
TEST(Pagerank, TheAdaptiveFormConvergesFromOneVertexToo) {
    for (const context& ctx : test::sides()) {
        const std::vector<index_t> from = {1, 3,  3,  3,  7,  7,  7,  8,  8,  9, 9,
                                           9, 12, 12, 12, 13, 13, 13, 14, 14, 15},
                                   to = {2,  5, 6, 7,  3, 12, 13, 9,  13, 0, 8,
                                         11, 4, 7, 10, 7, 8,  14, 13, 15, 14};
        for (const matrix& a : {matrix::build<double>(ctx, {16, 16, from, to, {}}),
                                load(ctx, "grid2d:15").matrix, load(ctx, "random:2000,5").matrix}) {
            vector start(ctx, dtype::float64, a.rows());
            start.set(1, scalar(1.0));
            pagerank_options o;
            o.personalisation = &start;
            const auto plain = pagerank(ctx, a, o);
            o.adaptive = true;
            const auto found = pagerank(ctx, a, o);
            EXPECT_TRUE(plain.converged && found.converged) << a.rows();
            EXPECT_LE(found.iterations, 2 * plain.iterations) << a.rows();
            EXPECT_EQ(validate_pagerank(ctx, a, found.ranks, o), "") << a.rows();
        }
    }
}

}  // namespace
}  // namespace nz
