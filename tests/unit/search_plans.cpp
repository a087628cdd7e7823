// Plans of searches against tables of facts: no matrix, no kernel.
#include "plan/direction.hpp"
#include "plan/shortest.hpp"
#include "plan/traverse.hpp"
#include "plan/traverse_many.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace nz {
namespace {

struct step {
    offset_t frontier;
    direction expected;
};

void follow(std::initializer_list<step> steps, offset_t vertices, plan::direction_thresholds t = {}) {
    plan::direction_state state;
    for (const auto& [frontier, expected] : steps) {
        const auto choice = plan::choose_direction(state, {frontier, vertices}, t, true);
        EXPECT_EQ(choice.next.current, expected) << "frontier " << frontier << ": " << choice.reason;
        state = choice.next;
    }
}

TEST(DirectionRule, AScaleFreeSearchPushesPullsPushes) {
    using enum direction;
    follow({{1, push}, {40, push}, {2000, pull}, {60000, pull}, {5000, pull}, {90, push}, {3, push}}, 100000);
}

TEST(DirectionRule, ExactlyAlphaIsNotPastIt) {
    using enum direction;
    follow({{1, push}, {1000, push}, {1001, pull}, {1000, pull}, {999, push}}, 100000);
}

TEST(DirectionRule, AShrinkingFrontierPastAlphaDoesNotStartAPull) {
    plan::direction_state state{direction::push, 0.5};
    const auto choice = plan::choose_direction(state, {2000, 100000}, {}, true);
    EXPECT_EQ(choice.next.current, direction::push);
    EXPECT_DOUBLE_EQ(choice.ratio, 0.02);
}

TEST(DirectionRule, AGrowingFrontierBelowBetaDoesNotEndAPull) {
    plan::direction_state state{direction::pull, 0.001};
    EXPECT_EQ(plan::choose_direction(state, {500, 100000}, {}, true).next.current, direction::pull);
}

TEST(DirectionRule, AFewVerticesWithManyOfTheEntriesArePulled) {
    using enum direction;
    const offset_t n = 100000, entries = 2000000;
    EXPECT_EQ(plan::choose_direction({}, {100, n, 60000, entries}, {}, true).next.current, push);
    EXPECT_EQ(plan::choose_direction({}, {100, n, 60001, entries}, {}, true).next.current, pull);
    EXPECT_EQ(plan::choose_direction({}, {100, n, 60001, entries}, {}, false).next.current, push);
    EXPECT_EQ(plan::choose_direction({pull, 0.1}, {100, n, 60001, entries}, {}, true).next.current, pull);
    EXPECT_EQ(plan::choose_direction({pull, 0.1}, {100, n, 60000, entries}, {}, true).next.current, push);
    EXPECT_EQ(plan::choose_direction({}, {100, n}, {}, true).next.current, push) << "entries not counted";
}

TEST(DirectionRule, StaysInPushWhenItMayNotChange) {
    EXPECT_EQ(plan::choose_direction({}, {90000, 100000}, {}, false).next.current, direction::push);
}

TEST(TraversePlan, TakesTheFusedFormAndTheRuleOfThePaper) {
    plan::traverse_facts f;
    f.vertices = 1000000;
    f.longest_row = 100;
    const auto p = plan::traverse(f);
    EXPECT_EQ(p.kernel, "push_pull_fused");
    EXPECT_DOUBLE_EQ(p.thresholds.alpha, 0.01);
    EXPECT_DOUBLE_EQ(p.thresholds.beta, 0.01);
    EXPECT_TRUE(p.builds_transpose);
    f.columns_ready = true;
    EXPECT_FALSE(plan::traverse(f).builds_transpose);
    f.columns_ready = false;
    f.change_direction = false;
    EXPECT_FALSE(plan::traverse(f).builds_transpose) << "push alone reads rows";
}

TEST(TraversePlan, WorkingMemoryIsOfOrderVertices) {
    plan::traverse_facts f;
    f.vertices = 1 << 20;
    EXPECT_LT(plan::traverse(f).workspace_bytes, std::size_t{18} << 20);
    const std::size_t of_two = plan::traverse(f).workspace_bytes;
    f.threads = 8;
    EXPECT_EQ(plan::traverse(f).workspace_bytes, of_two + 6 * (std::size_t{1} << 17))
        << "copies of the visited set";
    f.threads = 64;
    EXPECT_EQ(plan::traverse(f).workspace_bytes, of_two) << "no dense push";
    f.on_device = true;
    f.nnz = offset_t{16} << 20;
    EXPECT_LT(plan::traverse(f).workspace_bytes, std::size_t{4} << 20) << "an eighteenth of the graph";
    f.alpha = 1;
    EXPECT_GE(plan::traverse(f).queue_capacity, f.vertices) << "all of them may be pushed";
    f.alpha = -1;
    f.scheduled = true;
    EXPECT_GE(plan::traverse(f).queue_capacity, f.vertices + f.nnz / 128) << "by the caller's directions";
    f.scheduled = false;
    f.change_direction = false;
    EXPECT_GE(plan::traverse(f).queue_capacity, f.vertices + f.nnz / 128) << "no pull to step in";
}

TEST(TraversePlan, GivesASmallGraphAClusterOfAGpu) {
    plan::traverse_facts f;
    f.on_device = true;
    const auto blocks = [&](offset_t vertices, offset_t nnz) {
        f.vertices = vertices;
        f.nnz = nnz;
        return plan::traverse(f).blocks;
    };
    EXPECT_EQ(blocks(10, 100), 16);
    EXPECT_EQ(blocks(16384, 65536), 16);
    EXPECT_EQ(blocks(16385, 65536), 0) << "all of it";
    EXPECT_EQ(blocks(16384, 65537), 0);
    f.on_device = false;
    EXPECT_EQ(blocks(10, 100), 0);
}

TEST(TraversePlan, GivesLargeGraphsOfFewWideLevelsTheWholeGpu) {
    plan::traverse_facts f;
    f.on_device = true;
    f.vertices = offset_t{1} << 18;
    f.nnz = 16 * f.vertices;
    f.tiles_sampled = true;
    f.tiles_a_row = 30;
    f.entries_a_word = 1.4;
    EXPECT_EQ(plan::traverse(f).cluster_blocks, 2) << "rows share no neighbours: an expander";
    f.entries_a_word = 1.6;
    EXPECT_EQ(plan::traverse(f).cluster_blocks, 16) << "a mesh";
    f.tiles_sampled = false;
    EXPECT_EQ(plan::traverse(f).cluster_blocks, 16) << "not known";
    f.tiles_serve = true;
    for (const char* kernel : {"", "push_pull_fused"}) {
        f.pinned = kernel;
        f.tiles_sampled = false;
        EXPECT_TRUE(plan::traverse(f).asks_tiles) << kernel;
        f.tiles_sampled = true;
        f.entries_a_word = 1;
        EXPECT_EQ(plan::traverse(f).cluster_blocks, 2) << kernel;
        f.entries_a_word = 10;
        EXPECT_EQ(plan::traverse(f).kernel, f.pinned.empty() ? "tile" : "push_pull_fused");
    }
    f.pinned = {};
    f.entries_a_word = 1.1;
    f.nnz = 7 * f.vertices;
    EXPECT_EQ(plan::traverse(f).cluster_blocks, 16) << "a grid: a word holds few of its entries too";
    f.nnz = 16 * f.vertices;
    f.tiles_serve = f.tiles_sampled = false;
    f.longest_row = 17 * 17;
    EXPECT_EQ(plan::traverse(f).cluster_blocks, 2) << "hubs";
    f.vertices -= 1;
    EXPECT_EQ(plan::traverse(f).cluster_blocks, 16) << "not large";
}

TEST(TraversePlan, AsksTwoNeighboursBeforeTheRowWhereThereAreHubs) {
    using enum storage::row_heads;
    plan::traverse_facts f;
    f.vertices = 1000;
    f.nnz = 16000;
    f.longest_row = 17 * 16;
    f.on_device = f.any_parent = true;
    EXPECT_EQ(plan::traverse(f).heads, strongest);
    EXPECT_DOUBLE_EQ(plan::traverse(f).thresholds.alpha, 0.01);
    auto other = f;
    other.any_parent = false;
    EXPECT_EQ(plan::traverse(other).heads, none) << "the bitmap lies in shared memory";
    other.vertices = plan::first_heads_from;
    other.nnz = 16 * other.vertices;
    EXPECT_EQ(plan::traverse(other).heads, first) << "the smallest parent is the first that is met";
    other = f;
    other.plain = false;
    EXPECT_EQ(plan::traverse(other).heads, none);
    other = f;
    other.change_direction = false;
    EXPECT_EQ(plan::traverse(other).heads, none) << "nothing is pulled";
    other = f;
    other.on_device = false;
    EXPECT_EQ(plan::traverse(other).heads, none);
    f.longest_row -= 1;
    EXPECT_EQ(plan::traverse(f).heads, none) << "rows are alike";
}

TEST(TraversePlan, PushesLongerWhereNoRowIsAHub) {
    plan::traverse_facts f;
    f.vertices = 1000000;
    f.nnz = 16000000;
    f.longest_row = 17 * 16;
    EXPECT_DOUBLE_EQ(plan::traverse(f).thresholds.alpha, 0.01);
    f.longest_row = 30;
    EXPECT_NEAR(plan::traverse(f).thresholds.alpha, 0.2, 1e-9) << "no less";
    f.nnz = 2000000;
    EXPECT_NEAR(plan::traverse(f).thresholds.alpha, 0.4 / std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(plan::traverse(f).thresholds.edge_share, 0.4 / std::sqrt(2.0), 1e-9);
    f.nnz = 100;
    f.longest_row = 10;
    EXPECT_NEAR(plan::traverse(f).thresholds.alpha, 0.4, 1e-9) << "hardly an entry a row";
    f.vertices = 10000;
    f.nnz = 640000;
    f.longest_row = 5000;
    EXPECT_NEAR(plan::traverse(f).thresholds.alpha, 0.2, 1e-9) << "hubs of a small graph";
    f.longest_row = 30;
    f.on_device = true;
    EXPECT_DOUBLE_EQ(plan::traverse(f).thresholds.alpha, 0.05);
    EXPECT_DOUBLE_EQ(plan::traverse(f).thresholds.edge_share, 0.05);
    f.alpha = 0.02;
    EXPECT_DOUBLE_EQ(plan::traverse(f).thresholds.alpha, 0.02) << "what is asked for stands";
    f.alpha = -1;
    f.pinned = "push_pull_loop";
    EXPECT_DOUBLE_EQ(plan::traverse(f).thresholds.alpha, 0.01);
}

TEST(ShortestPlan, TakesTheWidthOfBucketsFromWeightsAndDegrees) {
    plan::shortest_facts f;
    f.vertices = 1000;
    f.nnz = 16000;
    f.mean_weight = 128;
    const auto p = plan::shortest(f);
    EXPECT_EQ(p.kernel, "delta_stepping");
    EXPECT_DOUBLE_EQ(p.delta, 128);
    EXPECT_DOUBLE_EQ(p.first_delta, 6.4);
    EXPECT_FALSE(p.on_device);
    f.on_device = true;
    EXPECT_DOUBLE_EQ(plan::shortest(f).delta, 128);
    f.nnz = 4000;
    EXPECT_DOUBLE_EQ(plan::shortest(f).delta, 1024) << "few edges: rounds cost more than relaxing again";
    EXPECT_TRUE(plan::shortest(f).on_device);
    f.delta = 7;
    EXPECT_DOUBLE_EQ(plan::shortest(f).delta, 7);
    f.near_far = false;
    EXPECT_TRUE(std::isinf(plan::shortest(f).delta) && std::isinf(plan::shortest(f).first_delta));
    f.pinned = "relax_loop";
    EXPECT_EQ(plan::shortest(f).kernel, "relax_loop");
    EXPECT_FALSE(plan::shortest(f).on_device) << "the loop itself is the host's";
    EXPECT_EQ(plan::shortest(f).workspace_bytes, 0u);
}

TEST(ShortestPlan, JoinsShortRowsWithTheirLengthsOnceSearchesComeAgain) {
    plan::shortest_facts f{.vertices = 1000, .nnz = 4000, .mean_weight = 128};
    EXPECT_FALSE(plan::shortest(f).joined);
    f.measured = 2 * f.nnz - 1;
    EXPECT_FALSE(plan::shortest(f).joined);
    f.measured = 2 * f.nnz;
    EXPECT_TRUE(plan::shortest(f).joined);
    f.one_length = true;
    EXPECT_FALSE(plan::shortest(f).joined) << "ends alone are half the bytes";
    f.one_length = false;
    f.limited = true;
    EXPECT_FALSE(plan::shortest(f).joined) << "a limit is for results";
    f.limited = false;
    f.on_device = true;
    EXPECT_FALSE(plan::shortest(f).joined) << "there they always are";
    f.on_device = false;
    f.vertices = 100;
    EXPECT_FALSE(plan::shortest(f).joined) << "long rows";
}

TEST(ShortestPlan, WorkingMemoryIsOfOrderVertices) {
    plan::shortest_facts f;
    f.vertices = 1 << 20;
    f.nnz = offset_t{32} << 20;
    EXPECT_LT(plan::shortest(f).workspace_bytes, std::size_t{38} << 20);
    f.on_device = true;
    EXPECT_LT(plan::shortest(f).workspace_bytes, std::size_t{46} << 20) << "a fifth of the graph";
    EXPECT_GE(plan::shortest(f).list_capacity, f.vertices + f.nnz / 128) << "every piece of every row";
}

TEST(ManyDirectionRule, TakesTheCheaperOfBoth) {
    using enum direction;
    struct row {
        offset_t vertices, frontier_edges, open_edges;
        nz::direction expected;
    };
    // push_edge = 3, pull_vertices = 2: push where 3 frontier edges <= open edges + vertices / 2.
    for (const auto& [vertices, frontier_edges, open_edges, expected] :
         {row{1 << 20, 3000, 31404838, push}, row{1 << 20, 4549407, 31402479, push},
          row{1 << 20, 30792844, 31402479, pull}, row{1 << 20, 14695427, 90000, pull},
          row{1 << 20, 87951, 400, push}, row{1000, 500, 1000, push}, row{1000, 501, 1000, pull},
          row{1000, 0, 0, push}})
        EXPECT_EQ(plan::choose_many_direction({vertices, frontier_edges, open_edges}, {}).direction, expected)
            << frontier_edges << " against " << open_edges;
    EXPECT_EQ(plan::choose_many_direction({1000, 500, 1000}, {.push_edge = 4}).direction, pull);
}

TEST(ManyDirectionRule, ASourceWithFewVerticesIsSlow) {
    const offset_t n = 4096 * 100;
    EXPECT_TRUE(plan::is_slow(1, n, {}));
    EXPECT_TRUE(plan::is_slow(99, n, {}));
    EXPECT_FALSE(plan::is_slow(100, n, {}));
    EXPECT_FALSE(plan::is_slow(0, n, {})) << "its frontier has died out: nothing is left to push";
    EXPECT_FALSE(plan::is_slow(1, 4096, {})) << "small graphs have none";
    EXPECT_TRUE(plan::is_slow(400, n, {.slow_share = 1000}));
}

TEST(TraverseManyPlan, GoesInBatchesOfSixtyFour) {
    plan::traverse_many_facts f;
    f.vertices = 1 << 20;
    f.nnz = offset_t{32} << 20;
    for (const auto& [sources, batches] :
         {std::pair{0, 0}, std::pair{1, 1}, std::pair{64, 1}, std::pair{65, 2}, std::pair{130, 3}}) {
        f.sources = sources;
        EXPECT_EQ(plan::traverse_many(f).batches, batches);
    }
    const auto p = plan::traverse_many(f);
    EXPECT_EQ(p.kernel, "bit_parallel");
    EXPECT_TRUE(p.builds_transpose);
    EXPECT_EQ(p, plan::traverse_many(f));
    f.pinned = "reference";
    EXPECT_EQ(plan::traverse_many(f).kernel, "reference");
    EXPECT_FALSE(plan::traverse_many(f).builds_transpose) << "the reference reads rows alone";
}

TEST(TraverseManyPlan, ACpuSearchesDeepThinGraphsOneByOne) {
    plan::traverse_many_facts f;
    f.vertices = 1000000;
    f.nnz = 3400000;
    f.sources = 64;
    EXPECT_TRUE(plan::asks_for_depth(f));
    EXPECT_EQ(plan::traverse_many(f).kernel, "bit_parallel") << "not known is not deep";
    f.depth = 256;
    EXPECT_EQ(plan::traverse_many(f).kernel, "bit_parallel");
    f.depth = 257;
    EXPECT_EQ(plan::traverse_many(f).kernel, "one_by_one");
    EXPECT_EQ(plan::traverse_many(f).workspace_bytes, 0u);
    for (auto change : {+[](plan::traverse_many_facts& x) { x.on_device = true; },
                        +[](plan::traverse_many_facts& x) { x.scheduled = true; },
                        +[](plan::traverse_many_facts& x) { x.sources = 1; },
                        +[](plan::traverse_many_facts& x) { x.nnz = 8000001; },
                        +[](plan::traverse_many_facts& x) { x.pinned = "bit_parallel"; }}) {
        auto g = f;
        change(g);
        EXPECT_FALSE(plan::asks_for_depth(g));
        EXPECT_EQ(plan::traverse_many(g).kernel, "bit_parallel");
    }
}

TEST(TraverseManyPlan, WorkingMemoryIsOfOrderVerticesWhateverTheSources) {
    plan::traverse_many_facts f;
    f.vertices = 1 << 20;
    f.nnz = offset_t{32} << 20;
    f.sources = 1000;
    f.levels = false;
    EXPECT_LT(plan::traverse_many(f).workspace_bytes, std::size_t{29} << 20);
    f.on_device = true;
    EXPECT_LT(plan::traverse_many(f).workspace_bytes, std::size_t{42} << 20);
    f.levels = true;
    EXPECT_LT(plan::traverse_many(f).workspace_bytes, std::size_t{105} << 20)
        << "two fifths of what 64 levels take";
    f.on_device = false;
    EXPECT_LT(plan::traverse_many(f).workspace_bytes, std::size_t{77} << 20);
}

}  // namespace
}  // namespace nz
