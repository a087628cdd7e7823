// Plans of searches over bit tiles against tables of facts: when they are taken, of what size, and which phase takes a level.
#include "plan/traverse.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace nz {
namespace {

TEST(TilePlan, AsksForASampleUnlessTheSizeIsGiven) {
    plan::traverse_facts f;
    f.vertices = 1 << 20;
    EXPECT_FALSE(plan::traverse(f).asks_tiles) << "only where tiles are in question";
    f.pinned = "tile";
    EXPECT_TRUE(plan::traverse(f).asks_tiles);
    f.tile_size = 32;
    auto p = plan::traverse(f);
    EXPECT_FALSE(p.asks_tiles);
    EXPECT_EQ(p.tile_size, 32) << "whatever its bytes";
    EXPECT_EQ(p.tile_least, plan::least_tile_entries);
    EXPECT_TRUE(p.builds_transpose);
    EXPECT_FALSE(p.on_device);
    EXPECT_LT(p.workspace_bytes, std::size_t{1} << 20) << "three bitmaps and three lists of words";
    f.tile_least = 0;
    f.columns_ready = true;
    EXPECT_EQ(plan::traverse(f).tile_least, 0);
    EXPECT_FALSE(plan::traverse(f).builds_transpose);
}

TEST(TilePlan, ChoosesTheSizeByBackendAndBytes) {
    struct row {
        offset_t vertices;
        double bytes_32, bytes_64;  // times the CSR's
        int size;
    };
    for (const auto& [vertices, bytes_32, bytes_64, size] :
         {row{10001, 0.8, 1.5, 32}, row{10001, 0.8, 1.51, 32}, row{10001, 1.51, 1.51, 0},
          row{10000, 0.8, 0.8, 32}, row{10000, 1.6, 1.4, 64}, row{10000, 1.6, 1.6, 0}}) {
        plan::traverse_facts f;
        f.vertices = vertices;
        f.pinned = "tile";
        f.on_device = f.tiles_sampled = true;
        f.csr_bytes = 1000000;
        f.tile_bytes_32 = static_cast<std::size_t>(bytes_32 * 1e6);
        f.tile_bytes_64 = static_cast<std::size_t>(bytes_64 * 1e6);
        EXPECT_EQ(plan::traverse(f).tile_size, size) << vertices << ", " << bytes_32 << ", " << bytes_64;
        if (bytes_64 <= 1.5) {
            f.on_device = false;
            EXPECT_EQ(plan::traverse(f).tile_size, 64) << "words of a CPU, however few vertices";
        }
        f.csr_bytes = 10;
        f.tile_bytes_32 = f.tile_bytes_64 = 4096;
        EXPECT_NE(plan::traverse(f).tile_size, 0) << "a page is always allowed";
    }
}

TEST(TilePlan, TakesTilesOnACpuOnceSearchesCameAgain) {
    plan::traverse_facts f;
    f.vertices = 1000;
    f.nnz = 21000;
    f.longest_row = 900;
    f.csr_bytes = 88000;
    f.tiles_serve = true;
    f.searched = 4 * f.nnz - 1;
    EXPECT_FALSE(plan::traverse(f).asks_tiles) << "making them would not pay yet";
    ++f.searched;
    EXPECT_TRUE(plan::traverse(f).asks_tiles) << "hubs are words as well";
    EXPECT_EQ(plan::traverse(f).kernel, "push_pull_fused") << "as long as nothing is known of them";
    f.tiles_sampled = true;
    f.tile_bytes_32 = f.tile_bytes_64 = 20000;
    f.entries_a_word = 1.7;
    EXPECT_EQ(plan::traverse(f).kernel, "push_pull_fused");
    f.entries_a_word = 1.75;
    EXPECT_EQ(plan::traverse(f).kernel, "tile");
    EXPECT_EQ(plan::traverse(f).tile_size, 64);
    f.tile_bytes_32 = f.tile_bytes_64 = 200000;
    EXPECT_EQ(plan::traverse(f).kernel, "push_pull_fused") << "they would take more than 1.5 times the CSR";
    f.tile_bytes_32 = f.tile_bytes_64 = 20000;
    f.tiles_serve = false;
    EXPECT_EQ(plan::traverse(f).kernel, "push_pull_fused") << "a switch is off";
    f.tiles_serve = true;
    f.pinned = "push_pull_fused";
    EXPECT_EQ(plan::traverse(f).kernel, "push_pull_fused") << "as asked";
}

TEST(TilePlan, TakesTilesOnACpuFromMoreEntriesAWordTheLargerTheGraph) {
    plan::traverse_facts f;
    f.csr_bytes = 88000;
    f.tile_bytes_32 = f.tile_bytes_64 = 20000;
    f.tiles_serve = f.tiles_sampled = true;
    const auto taken = [&](offset_t vertices, double entries_a_word, bool parents) {
        f.vertices = vertices;
        f.nnz = 8 * vertices;
        f.searched = 4 * f.nnz;
        f.entries_a_word = entries_a_word;
        f.parents = parents;
        return plan::traverse(f).kernel == "tile";
    };
    for (const bool parents : {true, false}) {
        EXPECT_TRUE(taken(4000, 1.75, parents));
        EXPECT_FALSE(taken(4001, 2.2, parents)) << "whitaker3, nearly";
        EXPECT_TRUE(taken(16384, 2.25, parents)) << "rajat01, wb-cs-stanford";
        EXPECT_FALSE(taken(16385, 2.4, parents));
        EXPECT_TRUE(taken(16385, 3, parents));
        EXPECT_EQ(taken(45087, 2.98, parents), !parents) << "fe_body";
    }
}

plan::traverse_facts mesh_on_a_gpu(offset_t vertices, offset_t degree) {
    plan::traverse_facts f;
    f.vertices = vertices;
    f.nnz = vertices * degree;
    f.longest_row = degree + 9;
    f.csr_bytes = 352000;
    f.tile_bytes_32 = f.tile_bytes_64 = 20000;
    f.tiles_serve = f.on_device = f.tiles_sampled = true;
    f.tiles_a_row = 10;
    return f;
}

std::string_view kernel_of(plan::traverse_facts& f, double entries_a_word, bool parents) {
    f.entries_a_word = entries_a_word;
    f.parents = parents;
    return plan::traverse(f).kernel;
}

TEST(TilePlan, AsksAGpusGraphsForASampleWhereTilesAreInQuestion) {
    plan::traverse_facts f = mesh_on_a_gpu(4000, 21);
    f.tiles_sampled = f.on_device = false;
    EXPECT_FALSE(plan::traverse(f).asks_tiles) << "not on a CPU that has not searched it before";
    f.on_device = true;
    EXPECT_TRUE(plan::traverse(f).asks_tiles);
    EXPECT_EQ(plan::traverse(f).kernel, "push_pull_fused") << "as long as nothing is known of them";
    f.vertices = 127;
    EXPECT_FALSE(plan::traverse(f).asks_tiles) << "few vertices: launches are most of either";
    f.vertices = 4000;
    f.nnz = 4000 * 2 - 1;
    EXPECT_FALSE(plan::traverse(f).asks_tiles) << "few entries a row";
    f.tiles_sampled = true;
    f.nnz = 4000 * 2;
    EXPECT_FALSE(plan::traverse(f).asks_tiles) << "once is enough";
}

TEST(TilePlan, TakesTilesUnaskedOnAGpuWhereAWordHoldsManyEntries) {
    plan::traverse_facts f = mesh_on_a_gpu(40000, 21);
    const auto kernel = [&](double entries_a_word, bool parents) {
        return kernel_of(f, entries_a_word, parents);
    };
    EXPECT_EQ(kernel(13, true), "tile");
    EXPECT_EQ(plan::traverse(f).tile_size, 32);
    f = mesh_on_a_gpu(1000000, 26), f.tiles_a_row = 19;
    for (const bool parents : {true, false}) EXPECT_EQ(kernel(2.8, parents), "tile") << "laplace3d:100";
    EXPECT_EQ(kernel(2.7, false), "push_pull_fused") << "too large for tiles that hold less";
    EXPECT_EQ(kernel(2.7, true), "tile");
    f.vertices = (1 << 20) + 1;
    EXPECT_EQ(kernel(2.7, true), "push_pull_fused");
    f = mesh_on_a_gpu(13436, 7), f.tiles_a_row = 6.4;
    EXPECT_EQ(kernel(2.71, false), "tile") << "bayer10";
    EXPECT_EQ(kernel(1.8, false), "tile");
    EXPECT_EQ(kernel(1.7, false), "push_pull_fused") << "lap2D_5pt_n100, nearly";
    EXPECT_EQ(kernel(1.7, true), "tile");
    EXPECT_EQ(kernel(1.1, true), "push_pull_fused") << "no two edges in a word";
    f = mesh_on_a_gpu(9800, 5);
    EXPECT_EQ(kernel(2.13, false), "push_pull_fused") << "whitaker3: short rows";
    EXPECT_EQ(kernel(2.3, false), "tile");
    EXPECT_EQ(kernel(2.13, true), "tile");
    f.vertices = 32768, f.nnz = 32768 * 5;
    EXPECT_EQ(kernel(2.11, false), "tile") << "delaunay_n15";
    f = mesh_on_a_gpu(11397, 13), f.tiles_a_row = 17.2;
    EXPECT_EQ(kernel(1.48, false), "tile") << "cage10: long rows";
    f = mesh_on_a_gpu(49152, 4), f.tiles_a_row = 14.7;
    EXPECT_EQ(kernel(1.39, false), "tile") << "bfly";
    f.vertices = 32767, f.nnz = 32767 * 4;
    EXPECT_EQ(kernel(1.39, false), "push_pull_fused");
    f.vertices = 3000, f.nnz = f.vertices * 35, f.tiles_a_row = 30;
    EXPECT_EQ(kernel(8.6, false), "push_pull_fused") << "through in a few levels";
    f = mesh_on_a_gpu(45087, 7);
    EXPECT_EQ(kernel(3.0, false), "tile") << "fe_body";
    f = mesh_on_a_gpu(40000, 21);
    f.tiles_serve = false;
    EXPECT_EQ(kernel(13, true), "push_pull_fused") << "a switch is off";
    f = mesh_on_a_gpu(40000, 40000 / 24);
    EXPECT_EQ(kernel(13, true), "push_pull_fused") << "a row reaches a 24th of the vertices";
    f = mesh_on_a_gpu(40000, 40000 / 24 - 1);
    EXPECT_EQ(kernel(13, true), "tile");
}

TEST(TilePlan, TakesTilesOfSmallGraphsOnAGpuFromFewerEntriesAWord) {
    plan::traverse_facts f = mesh_on_a_gpu(1600, 4);
    const auto kernel = [&](double entries_a_word, bool parents) {
        return kernel_of(f, entries_a_word, parents);
    };
    f.longest_row = 5;
    EXPECT_EQ(kernel(1.63, false), "push_pull_fused") << "a grid of 40 points a side";
    EXPECT_EQ(kernel(1.63, true), "tile");
    EXPECT_EQ(kernel(1.3, true), "push_pull_fused") << "with a third of its edges dropped";
    EXPECT_EQ(kernel(3.4, false), "push_pull_fused") << "jagmesh7, nearly: rows alike";
    f.longest_row = 6;
    EXPECT_EQ(kernel(1.59, false), "tile") << "epb0, nearly: some rows are longer";
    f.vertices = 2049, f.nnz = 2049 * 4;
    EXPECT_EQ(kernel(1.59, false), "push_pull_fused");
    f.vertices = 362, f.nnz = 362 * 4, f.longest_row = 6, f.tiles_a_row = 4;
    EXPECT_EQ(kernel(2.05, false), "tile") << "plskz362";
    f = mesh_on_a_gpu(324, 82), f.longest_row = 83, f.tiles_a_row = 5.9;
    EXPECT_EQ(kernel(17.5, false), "tile") << "qc324: dense, in few tiles";
    f = mesh_on_a_gpu(332, 12), f.tiles_a_row = 10.1;
    EXPECT_EQ(kernel(3.3, false), "push_pull_fused") << "USAir97: in most of them";
    f = mesh_on_a_gpu(1024, 32), f.longest_row = 32, f.tiles_a_row = 32;
    EXPECT_EQ(kernel(1.94, false), "tile") << "dnn1024-l1: in all, but not dense";
    f = mesh_on_a_gpu(1728, 22), f.longest_row = 27;
    EXPECT_EQ(kernel(4.7, false), "tile") << "laplace3d:12";
    f = mesh_on_a_gpu(800, 47), f.tiles_a_row = 25;
    EXPECT_EQ(kernel(2.23, false), "push_pull_fused") << "G1: two levels or three";
    f = mesh_on_a_gpu(1856, 6), f.longest_row = 128;
    EXPECT_EQ(kernel(2, true), "tile") << "watt_2";
    f = mesh_on_a_gpu(2048, 38), f.longest_row = 1081;
    EXPECT_EQ(kernel(2.16, false), "push_pull_fused") << "rmat:11,32";
}

TEST(TilePlan, TakesTilesOnAGpuWhereNoHubLeadsToMostVertices) {
    const auto kernel = [](offset_t vertices, offset_t degree, offset_t longest, bool parents) {
        plan::traverse_facts f = mesh_on_a_gpu(vertices, degree);
        f.longest_row = longest;
        return kernel_of(f, 3, parents);
    };
    EXPECT_EQ(kernel(6833, 6, 1442, false), "tile") << "rajat01";
    EXPECT_EQ(kernel(6833, 6, 1442, true), "tile");
    EXPECT_EQ(kernel(9914, 4, 277, true), "tile") << "wb-cs-stanford";
    EXPECT_EQ(kernel(6833, 6, 1709, false), "push_pull_fused");
    EXPECT_EQ(kernel(4039, 43, 1045, true), "tile") << "facebook_combined: dense";
    EXPECT_EQ(kernel(65536, 43, 60000, false), "tile");
    EXPECT_EQ(kernel(65537, 43, 8000, false), "push_pull_fused") << "large";
    EXPECT_EQ(kernel(1647, 8, 1463, false), "push_pull_fused") << "hangGlider_2";
    EXPECT_EQ(kernel(1157, 4, 338, false), "tile") << "rajat19: short rows";
    EXPECT_EQ(kernel(1157, 4, 579, false), "push_pull_fused") << "half of all vertices";
    EXPECT_EQ(kernel(1024, 11, 364, false), "push_pull_fused") << "rmat:10,8";
}

TEST(TilePlan, BlocksOfAGpuHoldTilesUnlessASearchStaysNarrowOrTheGraphIsLarge) {
    EXPECT_TRUE(plan::blocks_hold_tiles(1000000, 18.7, 2.8)) << "laplace3d:100";
    EXPECT_TRUE(plan::blocks_hold_tiles(90000, 6.96, 1.63)) << "laplace2d:300";
    EXPECT_TRUE(plan::blocks_hold_tiles(4096, 3.97, 1.65)) << "laplace2d:64";
    EXPECT_FALSE(plan::blocks_hold_tiles(1000000, 3, 8)) << "banded:1000000,21";
    EXPECT_FALSE(plan::blocks_hold_tiles(30000, 5, 24)) << "a band of many diagonals";
    EXPECT_FALSE(plan::blocks_hold_tiles(4000000, 6.4, 1.3)) << "grid2d:2000,0.3";
    plan::traverse_facts f = mesh_on_a_gpu(40000, 21);
    f.pinned = "tile";
    EXPECT_TRUE(plan::traverse(f).may_hold_tiles);
    f.alpha = 0.01;
    EXPECT_FALSE(plan::traverse(f).may_hold_tiles) << "phases were asked for";
    f.alpha = -1, f.on_device = false;
    EXPECT_FALSE(plan::traverse(f).may_hold_tiles) << "a CPU has phases";
}

TEST(TilePlan, TakesTilesUnaskedOnAGpuWhereASearchStaysWithinAFew) {
    for (const bool parents : {true, false}) {
        plan::traverse_facts f = mesh_on_a_gpu(4000, 3);
        f.parents = parents;
        f.entries_a_word = 1.5;
        f.tiles_a_row = 3;
        EXPECT_EQ(plan::traverse(f).kernel, "tile") << "a band of few diagonals";
        f.tiles_a_row = 3.97;
        EXPECT_EQ(plan::traverse(f).kernel, parents ? "tile" : "push_pull_fused")
            << "a grid of 64 points a side";
        f = mesh_on_a_gpu(20000, 101);
        f.parents = parents;
        f.entries_a_word = 24;
        f.tiles_a_row = 5;
        EXPECT_EQ(plan::traverse(f).kernel, "tile") << "a band of many";
        f = mesh_on_a_gpu(2744, 23);
        f.parents = parents;
        f.entries_a_word = 4.4;
        f.tiles_a_row = 8.4;
        EXPECT_EQ(plan::traverse(f).kernel, "tile") << "laplace3d:14";
    }
}

TEST(TilePhase, FollowsTheFrontierAndTheUnvisited) {
    using plan::tile_phase;
    const plan::tile_thresholds paper{};
    const auto phase = [&](offset_t frontier, offset_t unvisited) {
        return plan::choose_tile_phase(frontier, unvisited, 100000, paper).phase;
    };
    EXPECT_EQ(phase(999, 90000), tile_phase::push_csc);
    EXPECT_EQ(phase(1000, 90000), tile_phase::push_csr);
    EXPECT_EQ(phase(9000, 9000), tile_phase::pull_csc);
    EXPECT_EQ(phase(9000, 9001), tile_phase::push_csr) << "more than one for each of the frontier";
    EXPECT_EQ(phase(20000, 10001), tile_phase::push_csr) << "more than a tenth";
    EXPECT_EQ(phase(10, 500), tile_phase::push_csc)
        << "vertices that nothing leads to are not looked at for ever";
    EXPECT_DOUBLE_EQ(plan::choose_tile_phase(500, 90000, 100000, paper).ratio, 0.005);
    plan::traverse_facts f;
    f.vertices = 1000;
    f.pinned = "tile";
    EXPECT_GT(plan::traverse(f).phases.density, paper.density) << "on a CPU";
    f.alpha = 0.5;
    f.beta = 1;
    EXPECT_DOUBLE_EQ(plan::traverse(f).phases.density, 0.5);
    EXPECT_EQ(plan::choose_tile_phase(1, 999, 1000, plan::traverse(f).phases).phase, tile_phase::pull_csc);
}

}  // namespace
}  // namespace nz
