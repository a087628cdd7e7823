// Closeness and eccentricity against distances of all pairs, and a checker that is itself held against wrong values.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nz {
namespace {

using distance_table = std::vector<std::vector<std::int64_t>>;
constexpr std::int64_t none = 1 << 20;

// Of all pairs, by shortening over each vertex in turn.
distance_table all_pairs(const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    const auto n = static_cast<std::size_t>(a.rows());
    distance_table d(n, std::vector<std::int64_t>(n, none));
    for (std::size_t e = 0; e < from.size(); ++e) d[from[e]][to[e]] = 1;
    for (std::size_t v = 0; v < n; ++v) d[v][v] = 0;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t u = 0; u < n; ++u)
            for (std::size_t v = 0; v < n; ++v) d[u][v] = std::min(d[u][v], d[u][k] + d[k][v]);
    return d;
}

std::vector<offset_t> every(offset_t n, offset_t step = 1) {
    std::vector<offset_t> sources;
    for (offset_t v = 0; v < n; v += step) sources.push_back(v);
    return sources;
}

void expect_sums(const closeness_result& found, const distance_table& d, const std::vector<offset_t>& sources,
                 bool outward) {
    for (std::size_t v = 0; v < d.size(); ++v) {
        std::int64_t r = 0, t = 0, farthest = 0, others = 0;
        for (const offset_t s : sources) {
            const std::int64_t x = outward ? d[v][s] : d[s][v];
            others += s != static_cast<offset_t>(v);
            if (x == 0 || x >= none) continue;
            ++r, t += x, farthest = std::max(farthest, x);
        }
        const auto at = static_cast<offset_t>(v);
        ASSERT_EQ(found.reached.get(at)->get<std::int64_t>(), r) << v;
        ASSERT_EQ(found.distances.get(at)->get<std::int64_t>(), t) << v;
        ASSERT_EQ(found.eccentricity.get(at)->get<std::int64_t>(), farthest) << v;
        const double expected = r ? static_cast<double>(r) / static_cast<double>(others) *
                                        static_cast<double>(r) / static_cast<double>(t)
                                  : 0;
        ASSERT_NEAR(found.closeness.get(at)->get<double>(), expected, 1e-14) << v;
        EXPECT_LE(farthest, found.diameter);
    }
}

TEST(Closeness, SumsUpTheDistancesOfAllPairs) {
    for (const char* graph : {"rmat:7,4", "rmat_directed:7,2", "grid2d:12,0.3", "random:150,2",
                              "banded:100,2", "powerlaw:120", "dense:1,1", "dense:20,20"})
        for (const context& ctx : test::contexts())
            for (const bool outward : {false, true})
                for (const offset_t step : {1, 3, 50}) {
                    SCOPED_TRACE(std::string(graph) + ", step " + std::to_string(step));
                    const matrix a = load(ctx, graph).matrix;
                    const auto sources = every(a.rows(), step);
                    const auto found = closeness(ctx, a, sources, {outward});
                    expect_sums(found, all_pairs(a), sources, outward);
                    EXPECT_EQ(found.sources, std::ssize(sources));
                    EXPECT_EQ(validate_closeness(ctx, a, sources, found, {outward}), "");
                }
}

TEST(Closeness, OfAPathIsKnown) {
    const context ctx({.backend = backend::cpu});
    const matrix path = load(ctx, "banded:5,3").matrix;
    const auto found = closeness(ctx, path, every(5));
    EXPECT_NEAR(found.closeness.get(2)->get<double>(), 4.0 / 6, 1e-15);
    EXPECT_NEAR(found.closeness.get(0)->get<double>(), 4.0 / 10, 1e-15);
    EXPECT_EQ(found.eccentricity.get(2)->get<int>(), 2);
    EXPECT_EQ(found.diameter, 4);
}

TEST(Closeness, OfManySourcesKeepsNoLevels) {
    const context ctx = test::with_threads(2, std::size_t{12} << 20);
    const matrix a = load(ctx, "uniform:60000,4").matrix;
    std::vector<offset_t> sources = every(a.rows(), 450);  // 134: three batches, 32 MB of levels
    const auto found = closeness(ctx, a, sources);
    EXPECT_EQ(validate_closeness(ctx, a, sources, found), "");
}

TEST(Closeness, TakesEachSourceOnceAndNoneToo) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "grid2d:20").matrix;
    const std::vector<offset_t> once = {3, 40}, twice = {40, 3, 3, 40, 40};
    const auto x = closeness(ctx, a, once), y = closeness(ctx, a, twice);
    EXPECT_EQ(x.sources, y.sources);
    EXPECT_TRUE(std::ranges::equal(x.closeness.values<double>(), y.closeness.values<double>()));
    EXPECT_EQ(closeness(ctx, a, {}).diameter, 0);
    EXPECT_EQ(closeness(ctx, matrix(ctx, dtype::int32, 0, 0), {}).sources, 0);
}

TEST(ClosenessCheck, RefusesEveryKindOfWrongValue) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat_directed:8,4").matrix;
    const auto sources = every(a.rows(), 5);
    const auto right = closeness(ctx, a, sources);
    EXPECT_EQ(validate_closeness(ctx, a, sources, right), "");
    EXPECT_NE(validate_closeness(ctx, a, sources, right, {true}), "") << "the other way";
    EXPECT_NE(validate_closeness(ctx, a, every(a.rows(), 6), right), "") << "other sources";
    auto wrong = right;
    wrong.closeness.set(3, scalar(right.closeness.get(3)->get<double>() + 1e-6));
    EXPECT_NE(validate_closeness(ctx, a, sources, wrong), "");
    wrong = right;
    wrong.reached.set(3, scalar(right.reached.get(3)->get<std::int64_t>() + 1));
    EXPECT_NE(validate_closeness(ctx, a, sources, wrong), "");
    wrong = right;
    wrong.distances.set(3, scalar(right.distances.get(3)->get<std::int64_t>() - 1));
    EXPECT_NE(validate_closeness(ctx, a, sources, wrong), "");
    wrong = right;
    wrong.eccentricity.set(3, scalar(right.eccentricity.get(3)->get<std::int32_t>() + 1));
    EXPECT_NE(validate_closeness(ctx, a, sources, wrong), "");
    wrong = right;
    ++wrong.diameter;
    EXPECT_NE(validate_closeness(ctx, a, sources, wrong), "");
}

TEST(ClosenessFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    const std::vector<offset_t> first = {0}, beyond = {16};
    EXPECT_THROW(closeness(ctx, matrix(ctx, dtype::int32, 3, 4), first), dimension_mismatch);
    const matrix a = load(ctx, "grid2d:4").matrix;
    EXPECT_THROW(closeness(ctx, a, beyond), index_out_of_bounds);
    EXPECT_THROW(validate_closeness(ctx, a, beyond, closeness(ctx, a, first)), index_out_of_bounds);
}

}  // namespace
}  // namespace nz
