// Breadth-first search against Graph500's five checks, which are themselves held against wrong answers, and
// against a plain queue; every switch, kernel, thread count and schedule gives the same levels and parents.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"
#include "support/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace nz {
namespace {

using test::expect_right, test::graph, test::search_plainly, test::tiles_of;

struct search_case {
    const char* name;
    const char* graph;
    offset_t source;
    friend void PrintTo(const search_case& c, std::ostream* to) { *to << c.graph << " from " << c.source; }
};

class Bfs : public ::testing::TestWithParam<search_case> {};
INSTANTIATE_TEST_SUITE_P(Graphs, Bfs,
                         ::testing::Values(search_case{"Kronecker", "rmat:10,8", 3},
                                           search_case{"KroneckerLarge", "rmat:15,16", 77},
                                           search_case{"KroneckerDirected", "rmat_directed:11,8", 5},
                                           search_case{"Uniform", "uniform:3000,6", 0},
                                           search_case{"UniformWide", "uniform:18000,4", 9},
                                           search_case{"UniformLarge", "uniform:70000,16", 9},
                                           search_case{"Grid", "grid2d:60,0.2", 1830},
                                           search_case{"GridLarge", "grid2d:300", 45150},
                                           search_case{"OneVertex", "dense:1,1", 0},
                                           search_case{"Complete", "dense:200,200", 13},
                                           search_case{"Band", "banded:5000,3", 2500}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Bfs, FindsTheLevelsAndTheSmallestParents) {
    for (const int threads : {1, 2, 4}) {
        const context ctx({.threads = threads});
        expect_right(ctx, graph(ctx, GetParam().graph), GetParam().source, {});
    }
}

// Eight threads on 70,000 vertices have logs of 1,093 pairs for up to 8,750 finds: levels take several rounds. From the hub
// of a star every thread takes a part of the one list; from a leaf, one level later.
TEST(BfsDensePush, LogsThatFillUpAreEmptiedInRounds) {
    const context ctx({.backend = backend::cpu, .threads = 8});
    constexpr index_t n = 70000;
    std::vector<index_t> rows, columns;
    for (index_t v = 1; v < n; ++v) {
        rows.insert(rows.end(), {0, v});
        columns.insert(columns.end(), {v, 0});
    }
    const matrix star =
        matrix::build<double>(ctx, {n, n, rows, columns, std::vector<double>(rows.size(), 1)});
    for (const bool parents : {true, false}) {
        traverse_options pushes;
        pushes.parents = parents;
        pushes.switches.change_direction = false;
        for (const offset_t source : {0, 7}) expect_right(ctx, star, source, pushes);
        expect_right(ctx, graph(ctx, "uniform:70000,16"), 9, pushes);
        expect_right(ctx, graph(ctx, "rmat:16,8"), 3, pushes);
    }
}

// More threads than cores (on machines of up to 32) are not there together: thread 0 takes levels alone, and hands them back.
TEST(BfsDeepPush, ATeamLargerThanTheMachineFindsTheSame) {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const context ctx({.backend = backend::cpu, .threads = std::min(64, 4 * cores)});
    const matrix a = graph(ctx, "grid2d:500,0.2");
    for (const offset_t source : {offset_t{0}, a.rows() / 2}) {
        expect_right(ctx, a, source, {});
        constexpr std::int32_t most = 333;
        auto cut = search_plainly(a, source).level;
        for (auto& level : cut)
            if (level > most) level = -1;
        EXPECT_EQ(test::integers(bfs(ctx, a, source, {.max_depth = most}).levels), cut);
    }
}

TEST_P(Bfs, EveryCombinationOfSwitchesGivesTheSameAnswer) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, GetParam().graph);
    if (a.nnz() > 200000) GTEST_SKIP() << "small graphs only";
    const auto expected = search_plainly(a, GetParam().source);
    for (int bits = 0; bits < 64; ++bits)
        for (const std::string_view kernel : {"push_pull_fused", "push_pull_loop"})
            for (const bool parents : {true, false}) {
                traverse_options o;
                o.switches = {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                              (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
                if (o.switches.duplicates && kernel == "push_pull_loop") continue;
                o.kernel = kernel;
                o.parents = parents;
                SCOPED_TRACE(std::string(kernel) + ", switches " + std::to_string(bits) +
                             (parents ? "" : ", no parents"));
                expect_right(ctx, a, GetParam().source, o, expected);
                if (HasFailure()) return;
            }
}

TEST_P(Bfs, EveryScheduleOfDirectionsGivesTheSameAnswer) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, GetParam().graph);
    const auto expected = search_plainly(a, GetParam().source);
    std::mt19937 random(7);
    for (const auto* kernel : {"push_pull_fused", "push_pull_loop"})
        for (int round = 0; round < 6; ++round) {
            traverse_options o;
            o.kernel = kernel;
            for (int level = 0; level < 40; ++level)
                o.schedule.push_back(round == 0 || (round > 1 && random() % 2) ? direction::pull
                                                                               : direction::push);
            expect_right(ctx, a, GetParam().source, o, expected);
            if (HasFailure()) return;
        }
}

TEST_P(Bfs, FastAndHubFirstGiveValidTrees) {
    const context ctx({.threads = 3});
    const matrix a = graph(ctx, GetParam().graph);
    traverse_options o;
    o.determinism = determinism::fast;
    expect_right(ctx, a, GetParam().source, o);
    o.hub_first = true;
    expect_right(ctx, a, GetParam().source, o);
    o.determinism = determinism::strict;
    expect_right(ctx, a, GetParam().source, o);
}

TEST_P(Bfs, ADepthLimitCutsTheTree) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, GetParam().graph);
    const auto whole = search_plainly(a, GetParam().source);
    for (const auto* kernel : {"push_pull_fused", "push_pull_loop"})
        for (const offset_t depth : {0, 1, 3}) {
            traverse_options o;
            o.kernel = kernel;
            o.max_depth = depth;
            auto expected = whole.level;
            for (auto& l : expected)
                if (l > depth) l = -1;
            EXPECT_EQ(test::integers(bfs(ctx, a, GetParam().source, o).levels), expected)
                << kernel << " to depth " << depth;
        }
}

constexpr int everything = 1 << 30;

TEST_P(Bfs, TilesFindTheSameLevelsAndParents) {
    const auto expected = search_plainly(graph(context(), GetParam().graph), GetParam().source);
    for (const int threads : {1, 3}) {
        const context ctx({.threads = threads});
        const matrix a = graph(ctx, GetParam().graph);
        for (const int size : {32, 64})
            for (const int least : {0, 3, everything}) {
                SCOPED_TRACE(std::to_string(size) + ", least " + std::to_string(least));
                expect_right(ctx, a, GetParam().source, tiles_of(size, least), expected);
                if (HasFailure()) return;
            }
    }
}

TEST_P(Bfs, EachPhaseOfTilesAloneGivesTheSameAnswer) {
    struct alone {
        const char* phase;
        double density, unvisited;
    };
    const auto expected = search_plainly(graph(context(), GetParam().graph), GetParam().source);
    for (const int threads : {1, 2}) {
        const context ctx({.threads = threads});
        const matrix a = graph(ctx, GetParam().graph);
        for (const auto& [phase, density, unvisited] :
             {alone{"push_csc", 2, 0}, alone{"push_csr", 0, 0}, alone{"pull_csc", 0, 1}})
            for (const int size : {32, 64}) {
                traverse_options o = tiles_of(size, size == 64 ? 0 : 2);
                o.alpha = density;
                o.beta = unvisited;
                o.parents = size == 64;
                SCOPED_TRACE(std::string(phase) + ", " + std::to_string(size));
                expect_right(ctx, a, GetParam().source, o, expected);
                for (const auto& level : bfs(ctx, a, GetParam().source, o).iterations)
                    EXPECT_TRUE(level.kernel == phase || level.unvisited == 0) << level.kernel;
                if (HasFailure()) return;
            }
    }
}

TEST_P(Bfs, TilesStopAtADepthLimit) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, GetParam().graph);
    const auto whole = search_plainly(a, GetParam().source);
    for (const offset_t depth : {0, 1, 3}) {
        traverse_options o = tiles_of(64, 2), fused;
        o.max_depth = fused.max_depth = depth;
        const auto found = bfs(ctx, a, GetParam().source, o),
                   expected = bfs(ctx, a, GetParam().source, fused);
        EXPECT_EQ(test::integers(found.levels), test::integers(expected.levels)) << depth;
        EXPECT_EQ(test::integers(found.parents), test::integers(expected.parents)) << depth;
        EXPECT_EQ(found.edges, expected.edges) << depth;
        EXPECT_EQ(found.reached, expected.reached) << depth;
    }
}

TEST(BfsTiles, AMeshGoesThroughAllThreePhases) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, "laplace3d:24");
    traverse_options o = tiles_of(0, -1);
    o.alpha = 0.01;
    expect_right(ctx, a, 0, o);
    std::string phases;
    for (const auto& level : bfs(ctx, a, 0, o).iterations)
        if (!phases.ends_with(level.kernel))
            phases += (phases.empty() ? "" : " ") + std::string(level.kernel);
    EXPECT_EQ(phases, "push_csc push_csr pull_csc");
}

TEST(BfsTiles, DirectedGraphsWithLoopsAndEmptyRowsAreSearched) {
    const context ctx({.threads = 2});
    for (const index_t n : {1, 2, 31, 65, 200}) {
        std::vector<index_t> from, to;
        for (index_t v = 0; v < n; v += 3) {  // one way: two ahead, three ahead, itself
            for (const index_t w : {v, v + 2, v + 3})
                if (w < n) from.push_back(v), to.push_back(w);
        }
        const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}});
        for (const int size : {32, 64})
            for (const int least : {0, 2, everything})
                for (const offset_t source : {offset_t{0}, offset_t{n} - 1, offset_t{n} / 2})
                    expect_right(ctx, a, source, tiles_of(size, least));
    }
    expect_right(ctx, matrix(ctx, dtype::boolean, 70, 70), 69, tiles_of(64, 0));
}

TEST(BfsTiles, AreMadeOnACpuOnceSearchesComeAgain) {
    const context ctx({.backend = backend::cpu});
    matrix a = graph(ctx, "banded:3000,21");
    const auto kernels_of = [&](const context& where, int searches) {
        std::vector<std::string> kernels;
        for (int k = 0; k < searches; ++k) {
            const auto expected = search_plainly(a, 100 * k);
            const auto found = bfs(where, a, 100 * k);
            EXPECT_EQ(test::integers(found.levels), expected.level);
            EXPECT_EQ(test::integers(found.parents), expected.parent);
            kernels.emplace_back(found.iterations.front().kernel);
        }
        return kernels;
    };
    const context limited({.backend = backend::cpu, .memory_limit = std::size_t{1} << 30});
    EXPECT_EQ(kernels_of(limited, 6), std::vector<std::string>(6, "push_pull_fused"))
        << "not where memory is counted";
    a.set(0, 2000, 1.0);
    std::vector<std::string> expected(6, "push_pull_fused");
    expected[4] = expected[5] = "push_csc";
    EXPECT_EQ(kernels_of(ctx, 6), expected) << "the first of the phases of traverse/tile";
    a.set(0, 2500, 1.0);
    EXPECT_EQ(kernels_of(ctx, 1), std::vector<std::string>{"push_pull_fused"}) << "another matrix";
}

TEST(BfsTiles, SayWhatTheyCannotServe) {
    const context ctx;
    const matrix a = graph(ctx, "grid2d:10");
    const auto refusal = [&](const matrix& of, auto&& change) -> std::string {
        traverse_options o = tiles_of(0, -1);
        change(o);
        try {
            bfs(ctx, of, 0, o);
        } catch (const not_supported& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(a, [](auto&) {}), "");
    EXPECT_NE(
        refusal(a, [](auto& o) { o.switches.structure_only = false; }).find("none of the five switches"),
        std::string::npos);
    EXPECT_NE(refusal(a, [](auto& o) { o.hub_first = true; }).find("--hub-first"), std::string::npos);
    EXPECT_NE(refusal(a, [](auto& o) { o.schedule = {direction::pull}; }).find("three phases"),
              std::string::npos);
    const std::string scattered = refusal(graph(ctx, "rmat:13,8"), [](auto&) {});
    EXPECT_NE(scattered.find("more than 1.5 times the"), std::string::npos) << scattered;
    EXPECT_NE(scattered.find("--tile-size"), std::string::npos) << scattered;
    EXPECT_THROW(bfs(ctx, a, 0, tiles_of(16, 0)), domain_error);
}

TEST(BfsIterations, AKroneckerSearchPushesPullsPushes) {
    const context ctx;
    const auto found = bfs(ctx, graph(ctx, "rmat:14,16"), 1, {});
    std::string directions;
    for (const auto& level : found.iterations) {
        const std::string name(name_of(level.direction));
        if (!directions.ends_with(name)) directions += (directions.empty() ? "" : " ") + name;
    }
    EXPECT_EQ(directions, "push pull push");
    offset_t frontiers = 0;
    for (const auto& level : found.iterations) frontiers += level.frontier;
    EXPECT_EQ(frontiers, found.reached) << "every vertex is in one frontier";
}

TEST(BfsCheck, RefusesEveryKindOfWrongAnswer) {
    const context ctx;
    const matrix a = graph(ctx, "grid2d:4");
    const auto right = bfs(ctx, a, 0, {});
    const auto verdict = [&](auto change) {
        auto level = test::integers(right.levels), parent = test::integers(right.parents);
        change(level, parent);
        return validate_bfs(ctx, a, 0, vector::dense<std::int32_t>(ctx, level),
                            vector::dense<std::int32_t>(ctx, parent));
    };
    EXPECT_EQ(verdict([](auto&, auto&) {}), "");
    EXPECT_NE(verdict([](auto& l, auto&) { l[0] = 1; }), "") << "the source is not on level 0";
    EXPECT_NE(verdict([](auto&, auto& p) { p[0] = 1; }), "") << "the source is not its own parent";
    EXPECT_NE(verdict([](auto&, auto& p) { p[15] = 0; }), "") << "a parent two levels up";
    EXPECT_NE(verdict([](auto&, auto& p) { p[5] = 2; }), "") << "a parent on the wrong level";
    EXPECT_NE(verdict([](auto& l, auto& p) { l[15] = 6, p[15] = 3; }), "") << "a parent without an edge";
    EXPECT_NE(verdict([](auto& l, auto& p) { l[15] = -1, p[15] = -1; }), "") << "a vertex left out";
    EXPECT_NE(verdict([](auto& l, auto&) { l[15] = -1; }), "") << "a parent but no level";
    EXPECT_NE(verdict([](auto&, auto& p) { p[15] = 99; }), "") << "a parent outside the graph";
    EXPECT_NE(verdict([](auto& l, auto& p) { l[1] = 3, p[1] = 2; }), "") << "an edge over two levels";
    EXPECT_NE(verdict([](auto& l, auto& p) { l[5] = 0, p[5] = 5; }), "") << "a second root";
}

TEST(BfsFaults, SayWhatIsWrong) {
    const context ctx;
    const matrix a = graph(ctx, "grid2d:4");
    EXPECT_THROW(bfs(ctx, a, 16), index_out_of_bounds);
    EXPECT_THROW(bfs(ctx, a, -1), index_out_of_bounds);
    EXPECT_THROW(bfs(ctx, matrix(ctx, dtype::boolean, 3, 4), 0), dimension_mismatch);
    EXPECT_THROW(bfs(ctx, matrix(ctx, dtype::boolean, 0, 0), 0), index_out_of_bounds);
    traverse_options o;
    o.kernel = "push_pull_fuzed";
    EXPECT_THROW(bfs(ctx, a, 0, o), domain_error);
    EXPECT_THROW(parse_switches("masking,earlyexit"), domain_error);
    traverse_options values;
    values.hub_first = true;
    values.switches.structure_only = false;
    EXPECT_THROW(bfs(ctx, a, 0, values), not_supported) << "the hub-first lists hold no values";
    for (const auto* kernel : {"push_pull_loop", "tile"}) {
        traverse_options repeats;
        repeats.switches.duplicates = true;
        repeats.kernel = kernel;
        EXPECT_THROW(bfs(ctx, a, 0, repeats), not_supported) << kernel << " has sets for frontiers";
    }
}

TEST(BfsFaults, ANeighbourlessSourceReachesItself) {
    const context ctx;
    const auto found = bfs(ctx, matrix(ctx, dtype::boolean, 5, 5), 2);
    EXPECT_EQ(found.reached, 1);
    EXPECT_EQ(found.edges, 0);
    EXPECT_EQ(test::integers(found.levels), (std::vector<std::int32_t>{-1, -1, 0, -1, -1}));
}

TEST(Switches, AreReadByName) {
    const auto s = parse_switches("masking,early_exit");
    EXPECT_TRUE(s.masking && s.early_exit);
    EXPECT_FALSE(s.change_direction || s.operand_reuse || s.structure_only);
    EXPECT_FALSE(parse_switches("none").masking);
    EXPECT_TRUE(parse_switches("all").operand_reuse);
    EXPECT_FALSE(parse_switches("all").duplicates) << "it is asked for by name";
    EXPECT_TRUE(parse_switches("all,duplicates").duplicates && parse_switches("all,duplicates").masking);
    EXPECT_FALSE(parse_switches("duplicates").masking);
}

}  // namespace
}  // namespace nz
