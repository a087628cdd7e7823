// Searches from many sources against as many single ones and against the reference, on every backend that the machine
// has; every direction, thread count, batch size and depth gives the same levels and counts.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nz {
namespace {

std::string name_of(const context& ctx) {
    return ctx.device().empty() ? std::to_string(ctx.threads()) + " threads" : ctx.device();
}

std::vector<offset_t> random_sources(offset_t n, int count) {
    std::mt19937 random(count);
    std::vector<offset_t> sources;
    for (int k = 0; k < count; ++k) sources.push_back(static_cast<offset_t>(random() % n));
    return sources;
}

// Levels by single searches; -1 beyond the depth.
std::vector<std::vector<std::int32_t>> single_levels(const matrix& a, const std::vector<offset_t>& sources,
                                                     offset_t max_depth) {
    const context cpu({.backend = backend::cpu});
    std::vector<std::vector<std::int32_t>> levels;
    for (const offset_t s : sources)
        levels.push_back(test::integers(bfs(cpu, a, s, {.parents = false, .max_depth = max_depth}).levels));
    return levels;
}

// Entries of each row.
std::vector<offset_t> row_lengths(const matrix& a) {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    std::vector<offset_t> lengths(static_cast<std::size_t>(a.rows()));
    for (const index_t r : rows) ++lengths[static_cast<std::size_t>(r)];
    return lengths;
}

// What the levels of each vertex come to.
void expect_sums_of_vertices(const traverse_many_sums& found,
                             const std::vector<std::vector<std::int32_t>>& expected, offset_t n) {
    std::vector<std::int64_t> reached(static_cast<std::size_t>(n)), sums(reached.size());
    std::vector<std::int32_t> depths(reached.size(), -1);
    for (const auto& levels : expected)
        for (std::size_t v = 0; v < levels.size(); ++v)
            if (levels[v] >= 0) {
                ++reached[v];
                sums[v] += levels[v];
                depths[v] = std::max(depths[v], levels[v]);
            }
    EXPECT_TRUE(std::ranges::equal(found.reached.values<std::int64_t>(), reached));
    EXPECT_TRUE(std::ranges::equal(found.level_sums.values<std::int64_t>(), sums));
    EXPECT_TRUE(std::ranges::equal(found.depths.values<std::int32_t>(), depths));
}

void expect_same(const context& ctx, const matrix& a, const std::vector<offset_t>& sources,
                 const traverse_many_options& o, const std::vector<std::vector<std::int32_t>>& expected) {
    SCOPED_TRACE(name_of(ctx) + ", " + std::to_string(sources.size()) + " sources");
    const auto found = bfs_many(ctx, a, sources, o);
    ASSERT_EQ(found.reached.size(), sources.size());
    ASSERT_EQ(found.level_sums.size(), sources.size());
    ASSERT_EQ(found.depths.size(), sources.size());
    ASSERT_EQ(found.levels.size(), o.levels ? sources.size() : 0);
    ASSERT_EQ(found.of_vertices.has_value(), o.of_vertices);
    if (o.of_vertices) expect_sums_of_vertices(*found.of_vertices, expected, a.rows());
    const std::vector<offset_t> lengths = row_lengths(a);
    offset_t edges = 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        offset_t reached = 0, sum = 0;
        std::int32_t depth = 0;
        for (std::size_t v = 0; v < lengths.size(); ++v) {
            const auto level = expected[s][v];
            if (level < 0) continue;
            ++reached;
            edges += lengths[v];
            sum += level;
            depth = std::max(depth, level);
        }
        EXPECT_EQ(found.reached[s], reached) << "source " << s;
        EXPECT_EQ(found.level_sums[s], sum) << "source " << s;
        EXPECT_EQ(found.depths[s], depth) << "source " << s;
        if (o.levels) {
            ASSERT_EQ(test::integers(found.levels[s]), expected[s]) << "source " << s;
        }
    }
    EXPECT_EQ(found.edges, edges);
    if (o.kernel == "reference") return;
    offset_t pairs = 0, frontier_pairs = 0;
    for (const auto r : found.reached) pairs += r;
    for (const auto& level : found.iterations) frontier_pairs += level.pairs;
    if (o.max_depth < 0) {
        EXPECT_EQ(frontier_pairs, pairs)
            << "every vertex is once in the frontier of each source that reaches it";
    }
}

struct graph_case {
    const char* name;
    const char* graph;
    friend void PrintTo(const graph_case& c, std::ostream* to) { *to << c.graph; }
};

class BfsMany : public ::testing::TestWithParam<graph_case> {
protected:
    const context cpu{{.backend = backend::cpu}};
    const matrix a = load(cpu, GetParam().graph).matrix;
};
INSTANTIATE_TEST_SUITE_P(
    Graphs, BfsMany,
    ::testing::Values(graph_case{"Kronecker", "rmat:10,8"}, graph_case{"KroneckerLarge", "rmat:15,16"},
                      graph_case{"KroneckerDirected", "rmat_directed:11,8"},
                      graph_case{"Uniform", "uniform:3000,6"}, graph_case{"UniformLarge", "uniform:70000,8"},
                      graph_case{"UniformDeep", "uniform:8000,1"},
                      graph_case{"UniformDeepLarge", "uniform:30000,1"}, graph_case{"Grid", "grid2d:60,0.2"},
                      graph_case{"GridLarge", "grid2d:150"}, graph_case{"OneVertex", "dense:1,1"},
                      graph_case{"Complete", "dense:200,200"}, graph_case{"Path", "banded:2003,3"}),
    [](const auto& info) { return info.param.name; });

TEST_P(BfsMany, FindsWhatSingleSearchesFind) {
    for (const int count : {1, 2, 63, 64, 65, 130}) {
        if (a.nnz() > 20000 && count != 64 && count != 65) continue;
        const auto sources = random_sources(a.rows(), count);
        const auto expected = single_levels(a, sources, -1);
        for (const context& ctx : test::contexts())
            for (const bool levels : {true, false}) {
                expect_same(
                    ctx, a, sources,
                    {.levels = levels, .of_vertices = count != 64 || !levels, .hub_first = count % 2 == 0},
                    expected);
                if (HasFailure()) return;
            }
        for (const context& ctx : test::contexts())
            for (const auto* kernel : {"bit_parallel", "one_by_one"}) {
                if (count != 65) continue;
                expect_same(ctx, a, sources, {.kernel = kernel, .of_vertices = true}, expected);
                if (HasFailure()) return;
            }
        expect_same(cpu, a, sources, {.kernel = "reference", .of_vertices = true}, expected);
        if (HasFailure()) return;
    }
}

TEST_P(BfsMany, EveryScheduleOfDirectionsGivesTheSameAnswer) {
    const auto sources = random_sources(a.rows(), 64);
    const auto expected = single_levels(a, sources, -1);
    std::mt19937 random(7);
    for (int round = 0; round < 5; ++round) {
        traverse_many_options o{.of_vertices = true};
        for (int level = 0; level < 60; ++level)
            o.schedule.push_back(round == 0 || (round > 1 && random() % 2) ? direction::pull
                                                                           : direction::push);
        for (const context& ctx : test::contexts()) {
            expect_same(ctx, a, sources, o, expected);
            if (HasFailure()) return;
        }
    }
}

TEST_P(BfsMany, ADepthLimitCutsEverySearch) {
    const auto sources = random_sources(a.rows(), 67);
    for (const offset_t depth : {0, 1, 3, 7, 8, 9, 10, 15, 16, 17, 63, 64, 200}) {
        const auto expected = single_levels(a, sources, depth);
        for (const context& ctx : test::contexts()) {
            expect_same(ctx, a, sources, {.of_vertices = depth % 2 == 0, .max_depth = depth}, expected);
            if (HasFailure()) return;
        }
    }
}

TEST_P(BfsMany, OneVertexManyTimesIsSearchedOnceForEach) {
    const std::vector<offset_t> sources(70, a.rows() / 2);
    const auto expected = single_levels(a, sources, -1);
    for (const context& ctx : test::contexts()) expect_same(ctx, a, sources, {.of_vertices = true}, expected);
}

TEST(BfsManyShapes, APathWithIsolatedVerticesReachesItsEnd) {
    const context cpu({.backend = backend::cpu});
    const index_t length = 700,
                  n = 1000;  // more levels than binary digits hold at a time; 300 vertices alone
    std::vector<index_t> from, to;
    for (index_t v = 0; v + 1 < length; ++v) {
        from.push_back(v);
        to.push_back(v + 1);
    }
    const matrix a = matrix::build<bool>(cpu, {n, n, from, to, {}});
    const std::vector<offset_t> sources = {0, 1, 350, 699, 700, 999, 0};
    const auto expected = single_levels(a, sources, -1);
    for (const context& ctx : test::contexts()) {
        expect_same(ctx, a, sources, {}, expected);
        const auto found = bfs_many(ctx, a, sources, {.kernel = "bit_parallel"});
        EXPECT_EQ(found.depths, (std::vector<std::int32_t>{699, 698, 349, 0, 0, 0, 699}));
        EXPECT_EQ(found.iterations.size(), 700u);
        if (ctx.backend() == backend::cpu) {
            const auto planned = bfs_many(ctx, a, sources);
            EXPECT_EQ(planned.depths, found.depths);
            EXPECT_EQ(planned.iterations.size(), 700u + 699 + 350 + 1 + 1 + 1 + 700)
                << "one by one: deep and thin";
        }
    }
}

TEST(BfsManyShapes, NoSourcesAndNoVerticesAreFine) {
    const context cpu({.backend = backend::cpu});
    for (const context& ctx : test::contexts()) {
        const auto none = bfs_many(ctx, load(cpu, "grid2d:4").matrix, {});
        EXPECT_TRUE(none.levels.empty() && none.reached.empty() && none.iterations.empty());
        const auto sums = bfs_many(ctx, load(cpu, "grid2d:4").matrix, {}, {.of_vertices = true}).of_vertices;
        expect_sums_of_vertices(sums.value(), {}, 16);
        EXPECT_TRUE(bfs_many(ctx, matrix(cpu, dtype::boolean, 0, 0), {}).reached.empty());
        const std::vector<offset_t> two = {2, 0};
        const auto alone = bfs_many(ctx, matrix(cpu, dtype::boolean, 5, 5), two);
        EXPECT_EQ(alone.reached, (std::vector<offset_t>{1, 1}));
        EXPECT_EQ(test::integers(alone.levels[0]), (std::vector<std::int32_t>{-1, -1, 0, -1, -1}));
    }
}

TEST(BfsManyIterations, AKroneckerBatchPushesPullsPushes) {
    const context cpu({.backend = backend::cpu});
    const matrix a = load(cpu, "rmat:14,16").matrix;
    const auto sources = random_sources(a.rows(), 128);
    for (const context& ctx : test::contexts()) {
        const auto found = bfs_many(ctx, a, sources, {.levels = false});
        std::string course;
        for (const auto& level : found.iterations) {
            const std::string step =
                std::to_string(level.batch) + std::string(name_of(level.direction)) + " ";
            if (!course.ends_with(step)) course += step;
            EXPECT_FALSE(level.reason.empty());
        }
        EXPECT_EQ(course, "0push 0pull 0push 1push 1pull 1push ") << name_of(ctx);
    }
}

TEST(BfsManyIterations, AReceiverOfLevelsHearsOfAllAndMayThrow) {
    const context cpu({.backend = backend::cpu});
    const matrix a = load(cpu, "grid2d:40").matrix;
    const auto sources = random_sources(a.rows(), 65);
    for (const context& ctx : test::contexts()) {
        std::vector<offset_t> batches;
        traverse_many_options o;
        o.on_level = [&](const traverse_many_level& level) { batches.push_back(level.batch); };
        const auto found = bfs_many(ctx, a, sources, o);
        EXPECT_EQ(batches.size(), found.iterations.size());
        EXPECT_TRUE(std::ranges::is_sorted(batches));
        EXPECT_EQ(batches.back(), 1);
        o.iterations = false;
        const std::size_t told = batches.size();
        EXPECT_TRUE(bfs_many(ctx, a, sources, o).iterations.empty());
        EXPECT_EQ(batches.size(), 2 * told);
        o.on_level = [](const traverse_many_level&) { throw std::runtime_error("enough"); };
        EXPECT_THROW(bfs_many(ctx, a, sources, o), std::runtime_error);
    }
}

TEST(BfsManyFaults, SayWhatIsWrong) {
    const context ctx;
    const matrix a = load(ctx, "grid2d:4").matrix;
    const std::vector<offset_t> good = {0, 15}, past = {3, 16}, negative = {-1};
    EXPECT_NO_THROW(bfs_many(ctx, a, good));
    EXPECT_THROW(bfs_many(ctx, a, past), index_out_of_bounds);
    EXPECT_THROW(bfs_many(ctx, a, negative), index_out_of_bounds);
    EXPECT_THROW(bfs_many(ctx, matrix(ctx, dtype::boolean, 3, 4), good), dimension_mismatch);
    EXPECT_THROW(bfs_many(ctx, matrix(ctx, dtype::boolean, 0, 0), good), index_out_of_bounds);
    EXPECT_THROW(bfs_many(ctx, a, good, {.kernel = "bits_parallel"}), domain_error);
}

TEST(BfsManyFaults, LevelsThatDoNotFitAreRefusedAndCountsAreNot) {
    context_options options;
    options.memory_limit = std::size_t{8} << 20;
    options.backend = backend::cpu;
    const context ctx(options);
    const matrix a = load(ctx, "grid2d:100").matrix;
    const auto sources = random_sources(a.rows(), 300);
    EXPECT_THROW(bfs_many(ctx, a, sources), out_of_memory) << "12 MB of levels";
    const std::size_t before = ctx.bytes_in_use();
    EXPECT_EQ(bfs_many(ctx, a, sources, {.levels = false}).reached.back(), 10000);
    EXPECT_EQ(ctx.bytes_in_use(), before) << "nothing is kept";
    {
        const auto found = bfs_many(ctx, a, sources, {.levels = false, .of_vertices = true});
        EXPECT_EQ(found.of_vertices->reached.values<std::int64_t>()[0], 300);
        EXPECT_EQ(ctx.bytes_in_use(), before + 200000) << "20 bytes a vertex, in whole lines";
    }
    EXPECT_EQ(ctx.bytes_in_use(), before);
}

TEST(LevelsCheck, RefusesEveryKindOfWrongAnswer) {
    const context ctx;
    const matrix a = load(ctx, "grid2d:4").matrix;
    const auto right = test::integers(bfs(ctx, a, 0, {.parents = false}).levels);
    const auto verdict = [&](auto change) {
        auto level = right;
        change(level);
        return validate_levels(ctx, a, 0, vector::dense<std::int32_t>(ctx, level));
    };
    EXPECT_EQ(verdict([](auto&) {}), "");
    EXPECT_NE(verdict([](auto& l) { l[0] = 1; }), "") << "the source is not on level 0";
    EXPECT_NE(verdict([](auto& l) { l[5] = 0; }), "") << "a second source";
    EXPECT_NE(verdict([](auto& l) { l[15] = -1; }), "") << "a vertex left out";
    EXPECT_NE(verdict([](auto& l) { l[15] = 7; }), "") << "an edge over two levels";
    EXPECT_NE(verdict([](auto& l) { l[15] = 5; }), "") << "a level without an edge from the one above";
    EXPECT_NE(verdict([](auto& l) { std::ranges::fill(l, -1); }), "") << "no source at all";
    EXPECT_THROW(validate_levels(ctx, a, 16, vector::dense<std::int32_t>(ctx, right)), index_out_of_bounds);
    const std::vector<std::int32_t> few(3, 0);
    EXPECT_THROW(validate_levels(ctx, a, 0, vector::dense<std::int32_t>(ctx, few)), dimension_mismatch);
}

}  // namespace
}  // namespace nz
