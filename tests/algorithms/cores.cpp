// Core numbers against peeling by the definition, and a checker that is itself held against wrong numbers.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace nz {
namespace {

std::vector<std::int64_t> numbers_of(const vector& v) {
    const auto x = v.values<std::int64_t>();
    return {x.begin(), x.end()};
}

// For each k, takes away vertices of fewer than k neighbours until there is none.
std::vector<std::int64_t> cores_by_definition(const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::vector<std::set<index_t>> near(static_cast<std::size_t>(a.rows()));
    for (std::size_t k = 0; k < from.size(); ++k)
        if (from[k] != to[k]) near[from[k]].insert(to[k]);
    std::vector<std::int64_t> core(near.size());
    std::set<index_t> left;
    for (index_t v = 0; v < a.rows(); ++v) left.insert(v);
    for (std::int64_t k = 1; !left.empty(); ++k) {
        for (bool changed = true; changed;) {
            changed = false;
            for (auto at = left.begin(); at != left.end();) {
                const index_t v = *at++;
                if (static_cast<std::int64_t>(near[v].size()) >= k) continue;
                for (const index_t u : near[v]) near[u].erase(v);
                left.erase(v);
                changed = true;
            }
        }
        for (const index_t v : left) core[v] = k;
    }
    return core;
}

TEST(Cores, AreWhatTheDefinitionSays) {
    for (const char* graph : {"rmat:8,6", "rmat:10,3", "uniform:500,5", "grid2d:25,0.2", "dense:1,1",
                              "dense:12,12", "banded:200,5", "laplace2d:15"})
        for (const context& ctx : test::contexts()) {
            SCOPED_TRACE(graph);
            const matrix a = load(ctx, graph).matrix;
            const auto found = cores(ctx, a);
            const auto expected = cores_by_definition(a);
            EXPECT_EQ(numbers_of(found.numbers), expected);
            EXPECT_EQ(found.greatest, *std::ranges::max_element(expected));
            EXPECT_EQ(validate_cores(ctx, a, found.numbers), "");
        }
}

TEST(Cores, OfLargerGraphsAreValid) {
    const context ctx;  // the GPU where there is one
    for (const char* graph : {"rmat:14,8", "grid2d:150,0.3", "uniform:20000,8"}) {
        const matrix a = load(ctx, graph).matrix;
        EXPECT_EQ(validate_cores(ctx, a, cores(ctx, a).numbers), "") << graph;
    }
}

// A path with a cycle at one end loses two ends, then one end, a round.
TEST(Cores, OfLongPathsTakeARoundForEachVertex) {
    constexpr index_t path = 40000, cycle = 5;
    std::vector<index_t> from, to;
    const auto join = [&](index_t u, index_t v) {
        from.insert(from.end(), {u, v}), to.insert(to.end(), {v, u});
    };
    for (index_t v = 0; v + 1 < path + cycle; ++v) join(v, v + 1);
    join(path, path + cycle - 1);
    const std::vector<double> ones(from.size(), 1.0);
    for (const context& ctx : test::contexts()) {
        const matrix a = matrix::build<double>(ctx, {path + cycle, path + cycle, from, to, ones});
        const auto found = cores(ctx, a);
        EXPECT_EQ(found.greatest, 2);
        EXPECT_EQ(found.rounds, path + 1);
        const auto numbers = numbers_of(found.numbers);
        EXPECT_EQ(std::ranges::count(numbers, 1), path);
        EXPECT_EQ(std::ranges::count(numbers, 2), cycle);
    }
}

TEST(CoresCheck, RefusesWrongNumbers) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:7,6").matrix;
    const vector right = cores(ctx, a).numbers;
    EXPECT_EQ(validate_cores(ctx, a, right), "");
    for (const std::int64_t by : {-1, 1, 100}) {
        vector wrong = right;
        wrong.set(3, scalar(right.get(3)->get<std::int64_t>() + by));
        EXPECT_NE(validate_cores(ctx, a, wrong), "");
    }
    vector few = right;
    few.remove(5);
    EXPECT_NE(validate_cores(ctx, a, few), "");
}

TEST(CoresFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(cores(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(cores(ctx, load(ctx, "rmat_directed:8,4").matrix), domain_error);
    EXPECT_EQ(cores(ctx, matrix(ctx, dtype::int32, 0, 0)).greatest, 0);
    EXPECT_EQ(numbers_of(cores(ctx, matrix(ctx, dtype::int32, 2, 2)).numbers),
              (std::vector<std::int64_t>{0, 0}));
}

}  // namespace
}  // namespace nz
