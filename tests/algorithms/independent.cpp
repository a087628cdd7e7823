// Independent sets and colourings against the greedy walks that they stand for, and checkers that are themselves held
// against wrong answers.
#include "algorithms/independent_rounds.hpp"
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace nz {
namespace {

constexpr vertex_order orders[] = {vertex_order::hashed, vertex_order::small_degrees_first,
                                   vertex_order::large_degrees_first};
constexpr const char* independence_graphs[] = {"rmat:8,6",      "rmat:10,2",    "uniform:700,5",
                                               "grid2d:25,0.2", "dense:1,1",    "dense:30,30",
                                               "banded:200,5",  "laplace2d:15", "rmat:10,1"};

std::vector<std::set<index_t>> neighbours(const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::vector<std::set<index_t>> near(static_cast<std::size_t>(a.rows()));
    for (std::size_t k = 0; k < from.size(); ++k)
        if (from[k] != to[k]) near[from[k]].insert(to[k]);
    return near;
}

// The vertices in falling order of priority.
std::vector<index_t> walk(const context& ctx, const matrix& a, vertex_order order, std::uint64_t seed) {
    const vector kept = algorithms::priorities(ctx, a, order, seed);
    const auto p = kept.values<std::int64_t>();
    std::vector<index_t> vertices(p.size());
    std::iota(vertices.begin(), vertices.end(), 0);
    std::ranges::sort(vertices, [&](index_t u, index_t v) { return p[u] > p[v]; });
    return vertices;
}

TEST(Priorities, AreAllDifferentAndFollowDegrees) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:10,8").matrix;
    const auto degree = [near = neighbours(a)](index_t v) { return near[v].size(); };
    const vector kept = algorithms::priorities(ctx, a, vertex_order::hashed, 1);
    const auto p = kept.values<std::int64_t>();
    EXPECT_EQ(std::set<std::int64_t>(p.begin(), p.end()).size(), p.size());
    EXPECT_GE(*std::ranges::min_element(p), 0);
    const auto falling = walk(ctx, a, vertex_order::large_degrees_first, 1),
               rising = walk(ctx, a, vertex_order::small_degrees_first, 1);
    for (std::size_t k = 1; k < falling.size(); ++k) {
        EXPECT_LT(degree(falling[k]), 2 * degree(falling[k - 1]) + 1);
        EXPECT_GT(2 * degree(rising[k]) + 1, degree(rising[k - 1]));
    }
    EXPECT_NE(walk(ctx, a, vertex_order::hashed, 1), walk(ctx, a, vertex_order::hashed, 2));
}

TEST(IndependentSet, IsThatOfTheGreedyWalk) {
    for (const char* graph : independence_graphs)
        for (const auto order : orders)
            for (const context& ctx : test::contexts()) {
                SCOPED_TRACE(std::string(graph) + " " + std::string(name_of(order)));
                const matrix a = load(ctx, graph).matrix;
                const auto near = neighbours(a);
                std::vector<bool> expected(near.size());
                for (const index_t v : walk(ctx, a, order, 7))
                    expected[v] = std::ranges::none_of(near[v], [&](index_t u) { return expected[u]; });
                const auto found = independent_set(ctx, a, {order, 7});
                const auto members = found.members.values<bool>();
                EXPECT_EQ(std::vector<bool>(members.begin(), members.end()), expected);
                EXPECT_EQ(found.count, std::ranges::count(expected, true));
                EXPECT_EQ(validate_independent_set(ctx, a, found.members), "");
            }
}

TEST(Colouring, IsThatOfTheGreedyWalk) {
    for (const char* graph : independence_graphs)
        for (const auto order : orders)
            for (const context& ctx : test::contexts()) {
                SCOPED_TRACE(std::string(graph) + " " + std::string(name_of(order)));
                const matrix a = load(ctx, graph).matrix;
                const auto near = neighbours(a);
                std::vector<std::int32_t> expected(near.size(), -1);
                for (const index_t v : walk(ctx, a, order, 7)) {
                    std::set<std::int32_t> used;
                    for (const index_t u : near[v]) used.insert(expected[u]);
                    for (expected[v] = 0; used.contains(expected[v]);) ++expected[v];
                }
                const auto found = colouring(ctx, a, {order, 7});
                const auto colours = found.colours.values<std::int32_t>();
                EXPECT_EQ(std::vector<std::int32_t>(colours.begin(), colours.end()), expected);
                EXPECT_EQ(found.count, *std::ranges::max_element(expected) + 1);
                EXPECT_EQ(validate_colouring(ctx, a, found.colours), "");
            }
}

TEST(IndependentSet, AndColouringOfLargerGraphsAreValid) {
    const context ctx;  // the GPU where there is one
    for (const char* graph : {"rmat:13,8", "grid2d:150,0.3", "uniform:20000,8"}) {
        const matrix a = load(ctx, graph).matrix;
        EXPECT_EQ(validate_independent_set(ctx, a, independent_set(ctx, a).members), "") << graph;
        EXPECT_EQ(validate_colouring(ctx, a, colouring(ctx, a).colours), "") << graph;
    }
}

TEST(IndependentSet, LoopsDoNotCount) {
    const context ctx({.backend = backend::cpu});
    const std::vector<index_t> from = {0, 0, 1, 2}, to = {0, 1, 0, 2};
    const matrix a = matrix::build<double>(ctx, {4, 4, from, to, std::vector<double>(4, 1.0)});
    EXPECT_EQ(independent_set(ctx, a).count, 3);
    EXPECT_EQ(validate_independent_set(ctx, a, independent_set(ctx, a).members), "");
    EXPECT_EQ(colouring(ctx, a).count, 2);
    EXPECT_EQ(validate_colouring(ctx, a, colouring(ctx, a).colours), "");
}

TEST(IndependentSetCheck, RefusesNeighboursAndGaps) {
    const context ctx({.backend = backend::cpu});
    const matrix path = load(ctx, "banded:5,3").matrix;  // 0 - 1 - 2 - 3 - 4, with loops
    const auto verdict = [&](std::vector<std::int32_t> members) {
        return validate_independent_set(ctx, path, vector::dense<std::int32_t>(ctx, members));
    };
    EXPECT_EQ(verdict({1, 0, 1, 0, 1}), "");
    EXPECT_EQ(verdict({0, 1, 0, 0, 1}), "");
    EXPECT_EQ(verdict({0, 1, 0, 1, 0}), "");
    EXPECT_NE(verdict({1, 1, 0, 1, 0}), "") << "two neighbours";
    EXPECT_NE(verdict({1, 0, 0, 0, 1}), "") << "2 could be a member";
    EXPECT_NE(verdict({0, 0, 0, 0, 0}), "");
    vector few(ctx, dtype::boolean, 5);
    few.set(1, scalar(true));
    EXPECT_NE(validate_independent_set(ctx, path, few), "") << "some are in no state";
}

TEST(ColouringCheck, RefusesEqualNeighboursAndNoColours) {
    const context ctx({.backend = backend::cpu});
    const matrix path = load(ctx, "banded:5,3").matrix;
    const auto verdict = [&](std::vector<std::int32_t> colours) {
        return validate_colouring(ctx, path, vector::dense<std::int32_t>(ctx, colours));
    };
    EXPECT_EQ(verdict({0, 1, 0, 1, 0}), "");
    EXPECT_EQ(verdict({7, 2, 9, 2, 0}), "") << "any colours";
    EXPECT_NE(verdict({0, 0, 1, 0, 1}), "");
    EXPECT_NE(verdict({0, 1, 0, 1, -1}), "");
    vector few(ctx, dtype::int32, 5);
    few.set(1, scalar(0));
    EXPECT_NE(validate_colouring(ctx, path, few), "");
}

TEST(IndependentFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    const matrix oblong(ctx, dtype::int32, 3, 4), one_way = load(ctx, "rmat_directed:8,4").matrix;
    EXPECT_THROW(independent_set(ctx, oblong), dimension_mismatch);
    EXPECT_THROW(colouring(ctx, oblong), dimension_mismatch);
    EXPECT_THROW(independent_set(ctx, one_way), domain_error);
    EXPECT_THROW(colouring(ctx, one_way), domain_error);
    EXPECT_THROW(parse_vertex_order("degree"), domain_error);
    const matrix none(ctx, dtype::int32, 0, 0), apart(ctx, dtype::int32, 3, 3);
    EXPECT_EQ(independent_set(ctx, none).count, 0);
    EXPECT_EQ(colouring(ctx, none).count, 0);
    EXPECT_EQ(independent_set(ctx, apart).count, 3);
    EXPECT_EQ(colouring(ctx, apart).count, 1);
}

}  // namespace
}  // namespace nz
