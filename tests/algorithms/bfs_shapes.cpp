// Breadth-first search on graphs whose levels have a shape: handles, jumps in width, bands, layers, hubs.
#include "nonzero/nonzero.hpp"
#include "plan/traverse.hpp"
#include "support/contexts.hpp"
#include "support/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nz {
namespace {

using test::expect_right, test::graph, test::tiles_of;

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

// The graph twice, without an edge between.
matrix twice(const context& ctx, const matrix& a) {
    std::vector<index_t> from, to;
    std::vector<double> values;
    a.extract_tuples(from, to, values);
    const std::size_t count = from.size();
    const auto n = static_cast<index_t>(a.rows());
    for (std::size_t k = 0; k < count; ++k) from.push_back(from[k] + n), to.push_back(to[k] + n);
    return matrix::build<bool>(ctx, {2 * n, 2 * n, from, to, {}});
}

// Results come to lie where those of the search before lay: what it had reached has no level now, whether levels that were pulled,
// pushed or thin say so.
TEST(BfsShapes, WhatTheSearchBeforeReachedIsNotReached) {
    const context ctx({.threads = 2});
    for (const char* name : {"rmat:13,16", "uniform:40000,8", "grid2d:90", "banded:3000,3", "rmat:19,16"}) {
        const matrix a = twice(ctx, graph(ctx, name));
        for (const auto order : {determinism::strict, determinism::fast})
            for (const bool parents : {true, false})
                for (const bool change : {true, false})
                    for (const int depth : {-1, 2}) {
                        SCOPED_TRACE(name);
                        traverse_options o;
                        o.determinism = order;
                        o.parents = parents;
                        o.switches.change_direction = change;
                        o.max_depth = depth;
                        for (const offset_t source : {offset_t{77}, a.rows() / 2 + 77, offset_t{78}}) {
                            const auto found = bfs(ctx, a, source, o);
                            const std::vector<std::int32_t> levels = test::integers(found.levels);
                            const auto other =
                                levels.begin() + (source < a.rows() / 2 ? a.rows() / 2 : offset_t{0});
                            EXPECT_TRUE(std::all_of(other, other + a.rows() / 2,
                                                    [](std::int32_t level) { return level == -1; }));
                            if (!parents) continue;
                            const std::vector<std::int32_t> up = test::integers(found.parents);
                            for (std::size_t v = 0; v < levels.size(); ++v)
                                ASSERT_EQ(up[v] < 0, levels[v] < 0) << v;
                        }
                    }
    }
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

// The fused kernel with parents and without, each in both orders.
std::vector<traverse_options> fused_in_every_order() {
    std::vector<traverse_options> all;
    for (const bool parents : {true, false})
        for (const auto order : {determinism::strict, determinism::fast}) {
            traverse_options& o = all.emplace_back();
            o.kernel = "push_pull_fused";
            o.parents = parents;
            o.determinism = order;
        }
    return all;
}

// Layers in which every vertex leads to all of the next: many edges find few vertices. On a GPU such pushes leave their finds out of the
// queue, as a pull would follow in most graphs, and here none does.
TEST(BfsShapes, ManyEdgesThatFindFewVertices) {
    const context ctx;
    constexpr index_t layers = 120, least = 100, n = 270000;
    const auto width = [](index_t l) { return least + l % 20; };  // rising, and falling
    std::vector<index_t> from, to;
    index_t begin = 0;
    for (index_t l = 0; l < layers; ++l) {
        for (index_t u = 0; u < width(l); ++u)
            for (index_t v = 0; v < width(l + 1); ++v)
                from.push_back(begin + u), to.push_back(begin + width(l) + v);
        begin += width(l);
    }
    for (index_t v = begin; v < begin + 5000; ++v) from.push_back(begin), to.push_back(v + 1);
    for (index_t v = begin + 5000; v + 1 < n; v += 2) from.push_back(v - 5000), to.push_back(v);
    const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}});
    ASSERT_GE(a.rows(), plan::wide_from_vertices);
    for (const traverse_options& o : fused_in_every_order()) {
        for (const offset_t source : {0, 7, 250}) expect_right(ctx, a, source, o);
        const traverse_result r = bfs(ctx, a, 0, o);
        ASSERT_GT(r.iterations.size(), 100U);
        for (std::size_t l = 0; l < 100; ++l) {
            EXPECT_EQ(r.iterations[l].direction, direction::push) << l;
            EXPECT_EQ(r.iterations[l].frontier, l == 0 ? 1 : width(static_cast<index_t>(l))) << l;
        }
    }
}

// A vertex whose row is so long that a GPU's push leaves it out of the queue, and yet of too few edges for a pull to follow: who
// pushes next makes the queue anew. Behind it thirty hubs at once, which a pull does follow.
TEST(BfsShapes, ARowThatAPushLeavesOutOfTheQueue) {
    const context ctx;
    constexpr index_t n = 300000, leaves = 140000, hubs = 30;
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) {
        from.push_back(u), to.push_back(v);
        from.push_back(v), to.push_back(u);
    };
    for (index_t v = 1; v <= leaves; ++v) edge(0, v);
    for (index_t h = 1; h <= hubs; ++h)
        for (index_t v = leaves + h; v < n; v += hubs)
            edge(leaves + h, v + 1 < n ? v + 1 : v), edge(0, leaves + h);
    for (index_t v = leaves + 1; v < n; ++v)
        for (index_t k = 1; k <= 14; ++k) edge(v, leaves + 1 + (v * 7 + k * 11003) % (n - leaves - 1));
    const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}}, binary_id::lor);
    ASSERT_GE(a.rows(), plan::wide_from_vertices);
    ASSERT_GE(a.facts().degree_max, 1024 * 128) << "the pieces of a row that is left out";
    ASSERT_GE(a.nnz(), 32 * leaves);
    for (const traverse_options& o : fused_in_every_order()) {
        for (const offset_t source : {1, 0, 140001, 299999}) expect_right(ctx, a, source, o);
    }
}

// Twenty of the first 32 vertices lead everywhere: one warp comes to all tiles of their row, in each more than two vertices that are
// asked and others that are not, which is more than a block of a GPU keeps for its warps.
TEST(BfsShapes, MoreTilesOfOneRowThanABlockKeeps) {
    const context ctx({.threads = 2});
    constexpr index_t n = 150000, hubs = 32, source = 100, spread = 9500;
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) { from.push_back(u), to.push_back(v); };
    for (index_t v = 0; v < n; ++v) {
        for (index_t h = 0; h < hubs; ++h)
            if ((v + h) % 2 == 0) edge(h, v);
        for (index_t k = 1; k <= 10; ++k) edge(v, (v + 40 * k) % n);
    }
    for (index_t h = 0; h < 20; ++h) edge(source, h);
    for (index_t k = 0; k < spread; ++k) edge(source, 200 + 15 * k);
    const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}});
    for (const int size : {32, 64})
        for (const bool parents : {true, false}) {
            traverse_options o = tiles_of(size, 0);
            o.parents = parents;
            expect_right(ctx, a, source, o);
        }
}

// The parent is the last or the last but one of many in-neighbours, of which the others are not reached: a GPU's search over tiles looks for
// it in a lane, a warp and a block.
TEST(BfsShapes, ParentsAtTheEndOfLongRows) {
    const context ctx({.threads = 2});
    constexpr index_t n = 20000, source = 19999, parent = 15000;
    std::vector<index_t> from{source, source}, to{parent, parent + 1};
    index_t target = 10000;
    for (const index_t others :
         {0, 7, 8, 62, 63, 64, 65, 70, 71, 72, 100, 191, 192, 193, 1000, 4095, 4159, 4160, 4161, 6000, 9999})
        for (const index_t parents : {1, 2}) {
            for (index_t u = 0; u < others; ++u) from.push_back(u), to.push_back(target);
            for (index_t k = 0; k < parents; ++k) from.push_back(parent + 1 - k), to.push_back(target);
            ++target;
        }
    const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}});
    for (const int size : {32, 64}) expect_right(ctx, a, source, tiles_of(size, 0));
    traverse_options o;
    o.kernel = "push_pull_fused";
    expect_right(ctx, a, source, o);
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

// One vertex leads to 128 hubs, whose pieces a GPU's push leaves out of its queue, and a pull does follow: from so few vertices that it asks
// a filter first. Most rows are read in vain; some, up to 90 entries long, hold a hub behind two that are larger or come earlier.
TEST(BfsShapes, APullFromAFewHubs) {
    const context ctx;
    constexpr index_t n = 1'100'000, hubs = 128, first_hub = 1'099'000, leaves_each = 5000,
                      larger = 1'000'000, rows = 20'000, first_row = 800'000;
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) {
        from.push_back(u), to.push_back(v);
        from.push_back(v), to.push_back(u);
    };
    edge(3, 5);
    for (index_t h = 0; h < hubs; ++h) {
        edge(5, first_hub + h);
        for (index_t k = 0; k < leaves_each; ++k) edge(first_hub + h, 200 + h * leaves_each + k);
    }
    for (index_t i = 0; i < rows; ++i) {
        edge(larger, first_row + i), edge(larger + 1, first_row + i);
        if (i % 3 == 0) edge(first_row + i, first_hub + i % hubs);
        for (index_t k = 1; k <= i % 90; ++k) edge(first_row + i, first_row + (i * 7 + k * 131) % rows);
    }
    const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}}, binary_id::lor);
    ASSERT_GE(a.rows(), plan::first_heads_from);
    for (const traverse_options& o : fused_in_every_order()) {
        for (const offset_t source : {3, 5, 1'000'000}) expect_right(ctx, a, source, o);
        const auto levels = bfs(ctx, a, 3, o).iterations;
        ASSERT_GT(levels.size(), 3U);
        EXPECT_EQ(levels[2].frontier, hubs);
        if (!ctx.gpu()) continue;
        EXPECT_EQ(levels[1].direction, direction::push);
        EXPECT_EQ(levels[2].direction, direction::pull);
    }
}

// The same on a Kronecker graph, where 410 vertices find 223,518.
TEST(BfsShapes, APullFromFewVerticesOfAKroneckerGraph) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU";
    const matrix a = graph(ctx, "rmat:20,16");
    for (const traverse_options& o : fused_in_every_order()) {
        expect_right(ctx, a, 683983, o);
        const auto levels = bfs(ctx, a, 683983, o).iterations;
        ASSERT_GT(levels.size(), 3U);
        EXPECT_EQ(levels[2].frontier, 410);
        EXPECT_EQ(levels[2].direction, direction::pull);
        EXPECT_EQ(levels[3].frontier, 223518);
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

// Bands, which a GPU goes through by tiles unasked, and a mesh where levels alone are asked for; rows of five to eight entries,
// which lanes share by eight where the frontier is narrow, and by four where it is wide, as on the uniform graph without pull.
TEST(BfsShapes, BandsAndMeshesWithLoopsAreSearchedUnasked) {
    struct expected {
        const char* name;
        bool tiles_for_parents, tiles_for_levels;
    };
    for (const context& ctx : test::contexts())
        for (const auto& [name, tiles_for_parents, tiles_for_levels] : {expected{"banded:4096,3", true, true},
                                                                        {"banded:3001,7", true, true},
                                                                        {"banded:2500,41", true, true},
                                                                        {"laplace2d:60", true, false},
                                                                        {"uniform:20000,3", false, false},
                                                                        {"laplace3d:14", true, true}}) {
            SCOPED_TRACE(name);
            const matrix a = graph(ctx, name);
            for (const bool parents : {true, false}) {
                traverse_options o;
                o.parents = parents;
                expect_right(ctx, a, 1234, o);
                if (ctx.backend() == backend::cuda) {
                    const traverse_result r = bfs(ctx, a, 1234, o);
                    EXPECT_EQ(r.iterations.at(0).kernel != "push_pull_fused",
                              parents ? tiles_for_parents : tiles_for_levels);
                }
                o.switches.change_direction = false;
                expect_right(ctx, a, 1234, o);
            }
        }
}

void expect_held(const context& ctx, const matrix& a, offset_t source, offset_t max_depth = -1) {
    traverse_options o, fused;
    o.kernel = "tile";
    o.tiles.size = 32;
    fused.kernel = "push_pull_fused";
    o.max_depth = fused.max_depth = max_depth;
    const traverse_result found = bfs(ctx, a, source, o), expected = bfs(ctx, a, source, fused);
    ASSERT_EQ(test::integers(found.levels), test::integers(expected.levels));
    ASSERT_EQ(test::integers(found.parents), test::integers(expected.parents));
    EXPECT_EQ(found.edges, expected.edges);
    EXPECT_EQ(found.reached, expected.reached);
    ASSERT_EQ(found.iterations.size(), expected.iterations.size());
    for (std::size_t k = 0; k < found.iterations.size(); ++k) {
        EXPECT_EQ(found.iterations[k].kernel, "held");
        EXPECT_EQ(found.iterations[k].frontier, expected.iterations[k].frontier) << "level " << k;
        EXPECT_EQ(found.iterations[k].unvisited, expected.iterations[k].unvisited);
    }
}

// A GPU's blocks that hold their tiles: more levels than they count at once, directions, vertices that nothing leads to, a single block,
// more columns or tiles than a block has room for.
TEST(BfsShapes, BlocksHoldTheirTiles) {
    for (const context& ctx : test::contexts()) {
        if (ctx.backend() != backend::cuda) continue;
        for (const char* name :
             {"laplace3d:14", "laplace3d:40", "laplace2d:150", "grid2d:200,0.3", "random:9000,3",
              "rmat_directed:12,8", "uniform:250,8", "uniform:400000,1"}) {
            SCOPED_TRACE(name);
            const matrix a = graph(ctx, name);
            for (const offset_t source : {offset_t{0}, offset_t{a.rows()} / 2, offset_t{a.rows()} - 1}) {
                expect_held(ctx, a, source);
                for (const offset_t depth : {0, 1, 2, 7}) expect_held(ctx, a, source, depth);
                if (HasFailure()) return;
            }
        }
    }
}

TEST(BfsShapes, BlocksHoldWhatTheyHaveRoomForOfAHubsTiles) {
    constexpr index_t n = 300000, far = 500;
    std::vector<index_t> from, to;
    const auto both = [&](index_t u, index_t v) {
        from.insert(from.end(), {u, v});
        to.insert(to.end(), {v, u});
    };
    for (index_t v = 1; v < n; ++v) {
        both(v - 1, v);
        if (v >= far) both(v - far, v);
        if (v % 16 == 0) both(150001, v);  // a hub with tiles in all columns
    }
    for (const context& ctx : test::contexts()) {
        if (ctx.backend() != backend::cuda) continue;
        const matrix a = matrix::build<bool>(ctx, {n, n, from, to, {}});
        for (const offset_t source : {0, 150001, n - 1}) expect_held(ctx, a, source);
    }
}

// All levels are timed by one multiprocessor: the clocks of two differ by more than a search takes.
TEST(BfsShapes, NoLevelTakesLongerThanTheSearch) {
    for (const context& ctx : test::contexts()) {
        if (ctx.backend() != backend::cuda) continue;
        const matrix a = graph(ctx, "banded:8192,5");
        for (const char* kernel : {"tile", "push_pull_fused"}) {
            traverse_options o;
            o.kernel = kernel;
            for (const offset_t source : {2, 4000, 8191}) {
                const traverse_result r = bfs(ctx, a, source, o);
                ASSERT_FALSE(r.iterations.empty());
                for (const traverse_level& level : r.iterations) {
                    ASSERT_GE(level.time_us, 0);
                    ASSERT_LE(level.time_us, r.kernel_ms * 1e3) << kernel << " from " << source;
                }
            }
        }
    }
}

}  // namespace
}  // namespace nz
