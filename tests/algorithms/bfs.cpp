// Breadth-first search against Graph500's five checks, which are themselves held against wrong answers, and
// against a plain queue; every switch, kernel, thread count and schedule gives the same levels and parents.
#include "nonzero/nonzero.hpp"
#include "plan/traverse.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <queue>
#include <random>

namespace nz {
namespace {

struct plain_search {
    std::vector<std::int32_t> level, parent;
};

// Levels by a queue; parents the smallest neighbour on the level above.
plain_search search_plainly(const matrix& a, offset_t source) {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    std::vector<std::vector<index_t>> out(a.rows());
    for (std::size_t k = 0; k < rows.size(); ++k) out[rows[k]].push_back(columns[k]);
    plain_search s{std::vector<std::int32_t>(a.rows(), -1), std::vector<std::int32_t>(a.rows(), -1)};
    s.level[source] = 0;
    s.parent[source] = static_cast<std::int32_t>(source);
    std::queue<index_t> queue({static_cast<index_t>(source)});
    for (; !queue.empty(); queue.pop()) {
        const index_t u = queue.front();
        for (const index_t v : out[u]) {
            if (s.level[v] < 0) {
                s.level[v] = s.level[u] + 1;
                s.parent[v] = u;
                queue.push(v);
            } else if (s.level[v] == s.level[u] + 1) {
                s.parent[v] = std::min(s.parent[v], u);
            }
        }
    }
    return s;
}

matrix graph(const context& ctx, const char* source) { return load(ctx, source).matrix; }

void expect_right(const context& ctx, const matrix& a, offset_t source, const traverse_options& options) {
    const auto expected = search_plainly(a, source);
    const auto found = bfs(ctx, a, source, options);
    EXPECT_EQ(test::integers(found.levels), expected.level);
    if (options.parents) {
        EXPECT_EQ(validate_bfs(ctx, a, source, found.levels, found.parents), "");
        if (options.determinism == determinism::strict && !options.hub_first) {
            EXPECT_EQ(test::integers(found.parents), expected.parent);
        }
    }
    offset_t reached = 0, edges = 0;
    const auto& facts_of_rows = a;
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    facts_of_rows.extract_tuples(rows, columns, values);
    for (const auto l : expected.level) reached += l >= 0;
    for (const index_t r : rows) edges += expected.level[r] >= 0;
    EXPECT_EQ(found.reached, reached);
    EXPECT_EQ(found.edges, edges);
}

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

TEST_P(Bfs, EveryCombinationOfSwitchesGivesTheSameAnswer) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, GetParam().graph);
    if (a.nnz() > 200000) GTEST_SKIP() << "small graphs only";
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
                expect_right(ctx, a, GetParam().source, o);
                if (HasFailure()) return;
            }
}

TEST_P(Bfs, EveryScheduleOfDirectionsGivesTheSameAnswer) {
    const context ctx({.threads = 2});
    const matrix a = graph(ctx, GetParam().graph);
    std::mt19937 random(7);
    for (const auto* kernel : {"push_pull_fused", "push_pull_loop"})
        for (int round = 0; round < 6; ++round) {
            traverse_options o;
            o.kernel = kernel;
            for (int level = 0; level < 40; ++level)
                o.schedule.push_back(round == 0 || (round > 1 && random() % 2) ? direction::pull
                                                                               : direction::push);
            expect_right(ctx, a, GetParam().source, o);
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

traverse_options tiles_of(int size, int least) {
    traverse_options o;
    o.kernel = "tile";
    o.tiles = {size, least};
    return o;
}

TEST_P(Bfs, TilesFindTheSameLevelsAndParents) {
    for (const int threads : {1, 3}) {
        const context ctx({.threads = threads});
        const matrix a = graph(ctx, GetParam().graph);
        for (const int size : {32, 64})
            for (const int least : {0, 3, everything}) {
                SCOPED_TRACE(std::to_string(size) + ", least " + std::to_string(least));
                expect_right(ctx, a, GetParam().source, tiles_of(size, least));
                if (HasFailure()) return;
            }
    }
}

TEST_P(Bfs, EachPhaseOfTilesAloneGivesTheSameAnswer) {
    struct alone {
        const char* phase;
        double density, unvisited;
    };
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
                expect_right(ctx, a, GetParam().source, o);
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

// A long handle, then more leaves at once than the share of one thread holds, then chains from every leaf: levels of
// one vertex, a jump in width, and back.
matrix broom(const context& ctx, index_t handle, index_t leaves) {
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) {
        from.insert(from.end(), {u, v});
        to.insert(to.end(), {v, u});
    };
    for (index_t v = 0; v + 1 < handle; ++v) edge(v, v + 1);
    for (index_t l = 0; l < leaves; ++l) {
        edge(handle - 1, handle + l);
        if (l + 1 < leaves) edge(handle + l, handle + l + 1);
    }
    const index_t n = handle + leaves;
    return matrix::build<bool>(ctx, {n, n, from, to, {}});
}

TEST(BfsShapes, ABroomIsSearchedWithAndWithoutPull) {
    for (const int threads : {1, 2, 4}) {
        const context ctx({.threads = threads});
        const matrix a = broom(ctx, 5000, 40000);
        for (const bool change : {true, false})
            for (const bool parents : {true, false}) {
                traverse_options o;
                o.switches.change_direction = change;
                o.parents = parents;
                expect_right(ctx, a, 0, o);
                expect_right(ctx, a, 44999, o);
            }
        expect_right(ctx, a, 0, tiles_of(64, 2));
        expect_right(ctx, a, 44999, tiles_of(32, 0));
    }
}

// Handles of `handle` vertices, one way or both, with as many vertices side by side between them as `widths` says.
matrix necklace(const context& ctx, index_t handle, const std::vector<index_t>& widths, bool both_ways) {
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) {
        from.push_back(u), to.push_back(v);
        if (both_ways) from.push_back(v), to.push_back(u);
    };
    index_t last = 0;
    for (const index_t width : widths) {
        for (index_t k = 0; k < handle; ++k, ++last) edge(last, last + 1);
        for (index_t k = 1; k <= width; ++k) edge(last, last + k), edge(last + k, last + width + 1);
        last += width + 1;
        for (index_t back = 1; back < 40; back += 7) from.push_back(last), to.push_back(last - back);
    }
    return matrix::build<bool>(ctx, {last + 1, last + 1, from, to, {}});
}

// Bands of `rows` vertices, `half` to either side, one beside the other, entered from vertex 64 of the first.
matrix bands(const context& ctx, index_t count, index_t rows, index_t half) {
    std::vector<index_t> from, to;
    for (index_t b = 0; b < count; ++b) {
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = std::max<index_t>(0, i - half); j <= std::min<index_t>(rows - 1, i + half); ++j)
                from.push_back(b * rows + i), to.push_back(b * rows + j);
        if (b > 0) from.push_back(64), to.push_back(b * rows + 64);
    }
    return matrix::build<bool>(ctx, {count * rows, count * rows, from, to, {}});
}

// A GPU hands levels from a few warps to a block, a cluster, all blocks, and back.
TEST(BfsShapes, FrontsOfAFewTileRowsGrowAndShrinkAgain) {
    const context ctx({.threads = 2});
    for (const bool both_ways : {true, false})
        for (const index_t handle : {5, 20}) {
            const matrix a = necklace(ctx, handle, {40, 300, 2500, 90, 300}, both_ways);
            for (const int size : {32, 64}) expect_right(ctx, a, 0, tiles_of(size, 0));
            traverse_options o = tiles_of(32, 0);
            o.max_depth = handle * 3 / 2;
            o.parents = false;
            const auto found = bfs(ctx, a, 0, o), whole = bfs(ctx, a, 0, tiles_of(32, 0));
            std::vector<std::int32_t> expected = test::integers(whole.levels);
            for (std::int32_t& level : expected)
                if (level > o.max_depth) level = -1;
            EXPECT_EQ(test::integers(found.levels), expected);
        }
}

TEST(BfsShapes, BandsSideBySideFillOneTileRowEachOrMore) {
    const context ctx({.threads = 2});
    for (const index_t count : {1, 3, 5, 8, 12})
        for (const index_t half : {10, 45}) {
            SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(2 * half + 1) + " diagonals");
            const matrix a = bands(ctx, count, 700, half);
            for (const int size : {32, 64}) expect_right(ctx, a, 64, tiles_of(size, 0));
            expect_right(ctx, a, 350, tiles_of(32, 0));
        }
}

// Layers of `width` vertices with few edges each to the next one and back, but for every thirtieth vertex, which has one of
// `degrees` of them.
matrix uneven_layers(const context& ctx, index_t layers, index_t width, const std::vector<index_t>& degrees) {
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) {
        from.insert(from.end(), {u, v});
        to.insert(to.end(), {v, u});
    };
    for (index_t l = 0; l + 1 < layers; ++l)
        for (index_t k = 0; k < width; ++k) {
            const bool many = k % 30 == l % 30;
            const index_t degree = many ? degrees[(k / 30 + l) % degrees.size()] : 1 + k % 2;
            for (index_t e = 0; e < degree; ++e)
                edge(l * width + k, (l + 1) * width + (k + e * (many ? 7 : 1)) % width);
        }
    const index_t n = layers * width;
    return matrix::build<bool>(ctx, {n, n, from, to, {}});
}

// Thin levels on a GPU, where a few vertices have many times the edges of the others: 4 lanes a vertex, 16 and 32.
TEST(BfsShapes, LayersWithAFewLongRowsAmongShortOnes) {
    const context ctx({.threads = 2});
    for (const std::vector<index_t>& degrees :
         {std::vector<index_t>{11, 13, 36, 37}, {54}, {12, 200, 9}, {120}, {150, 200}}) {
        const matrix a = uneven_layers(ctx, 30, 201, degrees);
        SCOPED_TRACE(std::to_string(a.nnz()) + " entries, " + std::to_string(a.rows()) + " rows");
        for (const auto order : {determinism::strict, determinism::fast})
            for (const bool parents : {true, false}) {
                traverse_options o;
                o.kernel = "push_pull_fused";
                o.parents = parents;
                o.determinism = order;
                o.switches.change_direction = false;
                expect_right(ctx, a, 5, o);
            }
        traverse_options repeats;
        repeats.kernel = "push_pull_fused";
        repeats.switches.duplicates = true;
        expect_right(ctx, a, 5, repeats);
    }
}

// On a GPU in clusters of two blocks, without thin levels, though the handle has many.
TEST(BfsShapes, ALargeBroomHasTheWholeGpu) {
    const context ctx;
    const matrix a = broom(ctx, 300, 270000);
    ASSERT_GE(a.rows(), plan::wide_from_vertices);
    for (const bool parents : {true, false})
        for (const auto order : {determinism::strict, determinism::fast}) {
            traverse_options o;
            o.parents = parents;
            o.determinism = order;
            expect_right(ctx, a, 0, o);
            expect_right(ctx, a, 270299, o);
        }
    traverse_options repeats;
    repeats.switches.duplicates = true;
    expect_right(ctx, a, 0, repeats);
}

// Graphs with hubs so large that a GPU asks the first two neighbours of a vertex before its row.
TEST(BfsShapes, SmallestParentsOfAMillionVerticesWithHubs) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU";
    for (const char* name : {"rmat:20,8", "rmat_directed:20,3", "powerlaw:1100000"}) {
        const matrix a = graph(ctx, name);
        ASSERT_GE(a.rows(), plan::first_heads_from);
        SCOPED_TRACE(name);
        for (const offset_t source : {3, 70001, 1000003}) expect_right(ctx, a, source, {});
    }
}

// Where edges have directions the rows of most edges out are not those of most edges in: which of them stand first in a row, and
// which a GPU asks first, are two things.
TEST(BfsShapes, HubFirstRowsOfDirectedGraphsWithHubs) {
    const context ctx({.threads = 2});
    for (const auto* source : {"rmat_directed:16,16,3", "rmat_directed:20,4"}) {
        const matrix a = graph(ctx, source);
        for (const auto order : {determinism::strict, determinism::fast})
            for (const bool parents : {true, false}) {
                SCOPED_TRACE(std::string(source) + (parents ? ", parents" : ""));
                traverse_options o;
                o.hub_first = true;
                o.determinism = order;
                o.parents = parents;
                for (const offset_t from : {0, 3, 55651}) expect_right(ctx, a, from, o);
            }
    }
}

TEST(BfsShapes, AReceiverOfLevelsMayThrowOnADeepGraph) {
    for (const int threads : {1, 2, 3}) {
        const context ctx({.threads = threads});
        const matrix a = graph(ctx, "grid2d:200");
        traverse_options o;
        int levels = 0;
        o.on_level = [&](const traverse_level&) {
            if (++levels == 250) throw std::runtime_error("enough");
        };
        EXPECT_THROW(bfs(ctx, a, 0, o), std::runtime_error);
        EXPECT_EQ(levels, 250) << "nothing is told after the exception";
    }
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
