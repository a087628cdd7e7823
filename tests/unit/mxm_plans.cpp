// What plan::mxm makes of facts.
#include "plan/mxm.hpp"
#include "plan/mxm_band_workspace.hpp"
#include "plan/mxm_chunks.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "plan/mxm_sort_workspace.hpp"
#include "plan/mxm_workspace.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace nz::test {
namespace {

plan::mxm_facts square(index_t n, offset_t entries, offset_t products) {
    plan::mxm_facts f;
    f.rows = f.inner = f.columns = n;
    f.a_entries = f.b_entries = entries;
    f.products = products;
    f.most_products = products / 4;
    f.most_entries = 30;
    f.threads = 2;
    return f;
}

TEST(MxmPlan, CutsWhatDoesNotFitAGpuIntoChunksOfWholeRows) {
    const std::vector<offset_t> starts = {0, 3, 3, 8, 9, 14, 15};
    EXPECT_EQ(plan::mxm_cuts(starts, 15), (std::vector<index_t>{0, 6}));
    EXPECT_EQ(plan::mxm_cuts(starts, 8), (std::vector<index_t>{0, 3, 6}));
    EXPECT_EQ(plan::mxm_cuts(starts, 5), (std::vector<index_t>{0, 2, 3, 4, 5, 6}));
    EXPECT_EQ(plan::mxm_cuts(std::vector<offset_t>{0}, 5), (std::vector<index_t>{0, 0}));
}

TEST(MxmPlan, ChoosesByWidthAndMask) {
    EXPECT_EQ(plan::mxm(square(65536, 500000, 120000000)).kernel, "dense_row");
    EXPECT_EQ(plan::mxm(square(8000000, 64000000, 512000000)).kernel, "hash");
    EXPECT_EQ(plan::mxm(square(1000000, 64000000, 4096000000)).kernel, "dense_row")
        << "rows of many products";
    auto f = square(100000, 3000000, 90000000);
    f.masked = f.columns_ready = true;
    f.mask_entries = 100;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_dot");
    EXPECT_TRUE(plan::mxm_needs_dot_steps(f));
    f.dot_steps = 80000000;
    EXPECT_FALSE(plan::mxm_needs_dot_steps(f));
    EXPECT_EQ(plan::mxm(f).kernel, "masked_dot");
    f.dot_steps = 100000000;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row") << "hubs: the lists named are longer than the mean";
    f.dot_steps = -1;
    f.complement = true;
    EXPECT_FALSE(plan::mxm_needs_dot_steps(f));
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.complement = false;
    f.mask_entries = 50000000;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    auto wide = square(1000, 3000, 9000);
    wide.masked = true;
    wide.mask_entries = 500;
    EXPECT_EQ(plan::mxm(wide).kernel, "masked_row");
    wide.columns = 100000000;
    EXPECT_EQ(plan::mxm(wide).kernel, "hash") << "a sum for every column would be cleared for few products";
    wide.columns_ready = true;
    EXPECT_EQ(plan::mxm(wide).kernel, "masked_dot");
    f.compiled = false;
    EXPECT_EQ(plan::mxm(f).kernel, "generic");
    EXPECT_EQ(plan::mxm(f).tier, tier::generic);
    f.composable = true;
    EXPECT_EQ(plan::mxm(f).kernel, "composed");
    EXPECT_EQ(plan::mxm(f).tier, tier::generic);
    f.columns = 2000000000;
    EXPECT_EQ(plan::mxm(f).kernel, "generic") << "a word for every column and thread";
}

TEST(MxmPlan, TakesDenseSumsByTheirBytesAndByTheRowsThatProductsHave) {
    const auto kernel = [](index_t n, offset_t products_a_row, double row_of_product) {
        auto f = square(n, 8 * offset_t{n}, products_a_row * n);
        f.row_of_product = row_of_product;
        return std::string(plan::mxm(f).kernel);
    };
    EXPECT_EQ(kernel(60000, 9, 9), "dense_row");
    EXPECT_EQ(kernel(100000, 9, 9), "hash");
    EXPECT_EQ(kernel(300000, 64, 64), "dense_row");
    EXPECT_EQ(kernel(500000, 64, 64), "hash");
    EXPECT_EQ(kernel(700000, 729, 729), "dense_row");
    EXPECT_EQ(kernel(1000000, 256, 256), "hash");
    EXPECT_EQ(kernel(1000000, 50, 1900), "dense_row") << "hubs";
    EXPECT_EQ(kernel(20000000, 50, 20000), "hash") << "160 MB a thread";
    EXPECT_EQ(kernel(20000000, 1100, 1100), "dense_row");
}

TEST(MxmPlan, OnAGPUTakesDotProductsWhereBIsThereByColumnsAlone) {
    auto f = square(1000, 20000, 400000);
    f.on_device = f.masked = f.columns_ready = true;
    f.mask_entries = 5000;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.rows_ready = false;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_dot");
    EXPECT_TRUE(plan::mxm(f).on_device);
    EXPECT_EQ(plan::mxm(f).workspace_bytes, 5000u * 9 + 1000 * 16);
    f.complement = true;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.pinned = "masked_dot";
    EXPECT_FALSE(plan::mxm(f).on_device) << "the places a mask bars are not listed";
}

// Rows, entries, products and what stood in the survey of matrices under a mask of themselves.
TEST(MxmPlan, OnAGPUTakesDotProductsWhereTheyCostLessThanTheRowsProducts) {
    const auto masked = [](index_t rows, offset_t entries, offset_t products, offset_t large, offset_t huge) {
        auto f = square(rows, entries, products);
        f.on_device = f.masked = f.columns_ready = true;
        f.mask_entries = entries;
        f.dot_steps = products;
        f.large_rows = large;
        f.huge_rows = huge;
        return f;
    };
    EXPECT_EQ(plan::mxm(masked(36692, 367662, 51501448, 28735, 900)).kernel, "masked_dot") << "hubs";
    EXPECT_EQ(plan::mxm(masked(45087, 327468, 2635052, 15164, 0)).kernel, "masked_dot") << "a small mesh";
    EXPECT_EQ(plan::mxm(masked(4000000, 32000000, 256000000, 0, 0)).kernel, "masked_dot")
        << "random rows of 8";
    EXPECT_EQ(plan::mxm(masked(2000000, 41999890, 881996150, 2000000, 0)).kernel, "masked_row") << "a band";
    EXPECT_EQ(plan::mxm(masked(9000000, 44988000, 224892008, 0, 0)).kernel, "masked_row") << "short rows";
    auto f = masked(36692, 367662, 51501448, 28735, 900);
    f.columns_ready = false;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_dot") << "whatever is at hand";
    EXPECT_TRUE(plan::mxm(f).builds_columns);
    f.dot_steps = 1000000000;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row") << "a mask of many places";
    f.dot_steps = -1;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_dot") << "by the columns' mean length";
    f.products = -1;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row") << "not counted yet";
}

TEST(MxmPlan, LeavesToBlocksWhatIsBeyondTwiceAWarpsShareOfDotProducts) {
    EXPECT_EQ(plan::dot_share(1000, 10, 132), 1024u) << "what a block's tables are worth";
    EXPECT_EQ(plan::dot_share(32 * 132 * 1000, 20, 132), 40000u);
    EXPECT_EQ(plan::dot_share(32 * 132 * 1000, 20, 66), 80000u);
    EXPECT_EQ(plan::dot_share(offset_t{1} << 40, 1 << 20, 132), 1u << 20) << "steps are counted in 32 bits";
    EXPECT_EQ(plan::dot_share(1000, 10, 0), 1024u);
}

TEST(MxmPlan, AsksForWhatItDoesNotKnow) {
    auto f = square(1000, 20000, 400000);
    EXPECT_TRUE(plan::mxm_needs_words(f));
    f.words = 20000;
    EXPECT_FALSE(plan::mxm_needs_words(f));
    EXPECT_FALSE(plan::mxm(f).packs_words) << "a word for every entry";
    f.words = 4000;
    EXPECT_TRUE(plan::mxm(f).packs_words);
    f.pinned = "hash";
    EXPECT_FALSE(plan::mxm(f).packs_words);
    f.products = -1;
    EXPECT_TRUE(plan::mxm_needs_products(f));
    EXPECT_EQ(plan::mxm(f).workspace_bytes, 0u);
}

TEST(MxmPlan, StatesTheWorkspaceOfEveryKernel) {
    auto f = square(1000, 20000, 400000);
    for (const auto* pinned :
         {"hash", "dense_row", "row_row", "column_row", "column_column", "two_level_sort", "masked_row"}) {
        f.pinned = pinned;
        f.threads = 1;
        const auto one = plan::mxm(f).workspace_bytes;
        EXPECT_GT(one, 0u) << pinned;
        f.threads = 3;
        EXPECT_EQ(plan::mxm(f).workspace_bytes, 3 * one) << pinned;
        EXPECT_EQ(plan::mxm(f).reason, "pinned");
    }
    f.pinned = "masked_dot";
    EXPECT_EQ(plan::mxm(f).workspace_bytes, 0u);
    EXPECT_TRUE(plan::mxm(f).reads_columns);
    EXPECT_TRUE(plan::mxm(f).builds_columns);
    f.columns_ready = true;
    EXPECT_FALSE(plan::mxm(f).builds_columns);
    EXPECT_EQ(plan::table_slots(3), 8);
    EXPECT_EQ(plan::spread_products(plan::tile_products), 0);
    EXPECT_GT(plan::spread_products(plan::tile_products + 1), 0);
}

TEST(MxmPlan, RunsOnTheGpuWhereItIsCompiled) {
    auto f = square(100000, 800000, 6400000);
    f.on_device = true;
    f.scan_bytes = 1000;
    f.large_rows = 7;
    const std::size_t pairs = plan::mxm_pair_bytes(f.b_entries, f.inner);
    const mxm_plan plan = plan::mxm(f);
    EXPECT_TRUE(plan.on_device);
    EXPECT_EQ(plan.kernel, "hash");
    EXPECT_EQ(plan.workspace_bytes, plan::mxm_device_rows(100000, 1000) + pairs)
        << "tables are in shared memory";
    f.pinned = "dense_row";
    EXPECT_FALSE(plan::mxm(f).on_device);
    f.pinned = "hash";
    f.masked = true;
    EXPECT_TRUE(plan::mxm(f).on_device);
    f.pinned = "masked_dot";
    EXPECT_TRUE(plan::mxm(f).on_device);
    f.pinned = {};
    f.mask_entries = offset_t{1} << 30;
    EXPECT_TRUE(plan::mxm(f).on_device);
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.masked = false;
    f.columns = 3000000;
    EXPECT_EQ(plan::mxm(f).workspace_bytes,
              plan::mxm_device_rows(100000, 1000) + pairs + 7 * plan::column_table_bytes(3000000));
    f.columns = 2000000000;
    EXPECT_EQ(plan::mxm(f).workspace_bytes,
              plan::mxm_device_rows(100000, 1000) + pairs + plan::column_table_bytes(2000000000))
        << "one table, however large";
    f.large_rows = 0;
    EXPECT_EQ(plan::mxm(f).workspace_bytes, plan::mxm_device_rows(100000, 1000)) << "rows are sorted";
}

TEST(MxmBins, RowsOfManyStepsAreABlocksWhereTheyAreFew) {
    using namespace plan;
    EXPECT_EQ(fair_steps(1000, 64000, 132), 64) << "what a block's barriers are worth";
    EXPECT_EQ(fair_steps(10'000'000, 0, 100), 12500) << "twice the mean of 1600 warps";
    EXPECT_EQ(fair_steps(0, 640'000'000, 100), 12500);
    EXPECT_EQ(warp_steps(30, 640), 40);
    EXPECT_EQ(team_products(0, 5000, 256), 0) << "an empty row stays one";
    EXPECT_EQ(team_products(3, 552, 256), 256);
    EXPECT_EQ(team_products(3, 100, 256), 50);
    EXPECT_EQ(team_products(900, 552, 256), 900);
    for (int bin = 0; bin < block_bins; ++bin) EXPECT_LE(products_from(bin), offset_t{1} << 20) << bin;
    for (const offset_t n : {offset_t{300}, offset_t{1} << 14, offset_t{1} << 17, offset_t{1} << 20})
        EXPECT_GE(n, products_from(bin_of_products(n, 2000000000))) << n;
    mxm_survey survey{};
    EXPECT_EQ(survey.launches(), 0);
    survey.rows[0] = survey.rows[3] = survey.rows[block_bins] = survey.rows[empty_bin - 1] = 5;
    survey.rows[empty_bin] = 9;
    survey.rows[1] = 2;
    EXPECT_EQ(survey.launches(), 4) << "long rows of blocks go together, empty ones not at all";
    EXPECT_EQ(blocks_a_row(1, 132), 8u);
    EXPECT_EQ(blocks_a_row(100, 132), 2u);
    EXPECT_EQ(blocks_a_row(0, 132), 8u);
    EXPECT_EQ(blocks_a_row(5000, 132), 1u);
}

TEST(MxmBins, HoldEveryRowThatMayCome) {
    using namespace plan;
    for (const index_t columns : {1000, 3000000, 20000000, 2000000000})
        for (offset_t n = 0; n < 9000; ++n) {
            const int surveyed = bin_of_products(n, columns);
            if (n == 0) {
                EXPECT_EQ(surveyed, empty_bin);
                continue;
            }
            const auto expect_sorted = [&](int bin) {
                EXPECT_LE(n, sorted_of_bin(bin));
                if (sorted_of_bin(bin) < sorted_by_digits) {
                    EXPECT_LE(offset_t{columns} * sorted_of_bin(bin), offset_t{1} << 32)
                        << "column and place in 32 bits";
                }
                EXPECT_EQ(bin_of_entries(n, bin), bin) << "its list stands";
            };
            if (surveyed >= first_sort_bin) {
                expect_sorted(surveyed);
                continue;
            }
            ASSERT_LT(surveyed, block_bins);
            for (const offset_t pairs : {n, n / 2, n / 32 + 1}) {
                EXPECT_LT(bin_of_pairs(pairs, n, 0, surveyed), first_sort_bin) << "under a mask";
                const int count = bin_of_pairs(pairs, n, columns, surveyed);
                if (count >= first_sort_bin) {
                    EXPECT_TRUE(2 * pairs > n ||
                                (!tables_in_shared(columns) && pairs > pairs_of_bin(block_bins)));
                    expect_sorted(count);
                    continue;
                }
                if (count >= block_bins) {
                    EXPECT_LE(pairs, pairs_of_bin(count));
                }
                for (const offset_t entries : {n, n / 2, n / 5 + 1}) {
                    const int fill = bin_of_entries(entries, count);
                    ASSERT_LT(fill, first_sort_bin);
                    if (fill >= block_bins) {
                        EXPECT_LE(entries, entries_of_bin(fill));
                    }
                }
            }
        }
    EXPECT_EQ(bin_of_pairs(4000, 4096, 1000000, 3), first_sort_bin + 2);
    // A block's table in device memory is cleared and numbered for each row: of few products these are sorted.
    EXPECT_EQ(bin_of_pairs(5000, 5000, 1000000, 3), 3);
    EXPECT_EQ(bin_of_pairs(2000, 8192, 2000000, 3), first_sort_bin);
    EXPECT_EQ(bin_of_pairs(8193, 8193, 2000000, 3), 3);
    EXPECT_EQ(sort_bin_of(600, 2000000), first_sort_bin + 4);
    EXPECT_EQ(sort_bin_of(600, 5000000), first_sort_bin + 3) << "no room for 1,024 places";
    EXPECT_EQ(sort_bin_of(500, 20000000), -1) << "2,048 would be too many for these";
    EXPECT_EQ(sort_bin_of_long(3000, 8000, 2000000), first_sort_bin);
    EXPECT_EQ(sort_bin_of_long(3000, 8000, 900000), -1);
    EXPECT_EQ(sort_bin_of_long(3000, 4000, 900000), first_sort_bin + 2);
    EXPECT_EQ(sort_bin_of_long(3000, 5000, 1100000), first_sort_bin + 1);
    EXPECT_EQ(sort_bin_of_long(900, 4000, 300000), -1);
    EXPECT_EQ(bin_of_products(1 << 10, 1), 3);
    EXPECT_EQ(bin_of_products(sorted_under_mask + 1, 1000, sorted_under_mask), 3);
    EXPECT_EQ(bin_of_products(offset_t{1} << 40, 1000), 0);
    for (const unsigned words : {1u, 8u, 9u, 27u, 512u}) {
        EXPECT_GE(slots_for(words), 2 * static_cast<int>(words));
        EXPECT_EQ(slots_for(words) & (slots_for(words) - 1), 0);
    }
}

TEST(MxmPlan, TakesDiagonalsWhereNearlyAllRowsAreBands) {
    auto f = square(300000, 3300000, 36000000);
    EXPECT_TRUE(plan::mxm_needs_band(f));
    f.band_share = 1;
    EXPECT_FALSE(plan::mxm_needs_band(f));
    EXPECT_EQ(plan::mxm(f).kernel, "dia_dia");
    EXPECT_GT(plan::mxm(f).workspace_bytes, 0u);
    EXPECT_FALSE(plan::mxm_needs_words(f));
    f.band_share = 0.5;
    EXPECT_EQ(plan::mxm(f).kernel, "dense_row");
    f.band_share = 1;
    f.products = 2100000;
    EXPECT_EQ(plan::mxm(f).kernel, "hash") << "few products a row";
    f.products = 132000000;
    EXPECT_EQ(plan::mxm(f).kernel, "dia_dia") << "a wide band";
    f.band_share = 0.87;
    EXPECT_EQ(plan::mxm(f).kernel, "dense_row") << "a mesh in short rows";
    f.band_share = -1;
    EXPECT_TRUE(plan::mxm_needs_band(f));
}

TEST(MxmPlan, TakesDiagonalsOnAGpuWhereHalfOfManyRowsHaveThem) {
    auto f = square(4000000, 20000000, 99900000);
    f.on_device = true;
    EXPECT_TRUE(plan::mxm_needs_device_band(f));
    f.band_share = 0.6;
    EXPECT_FALSE(plan::mxm_needs_device_band(f));
    EXPECT_EQ(plan::mxm(f).kernel, "dia_dia");
    EXPECT_GE(plan::mxm(f).workspace_bytes, plan::mxm_device_rows(f.rows, 0) + 3 * 4000000u);
    f.masked = true;
    f.mask_entries = f.a_entries;
    EXPECT_EQ(plan::mxm(f).kernel, "dia_dia") << "the write-back drops what the mask bars";
    f.band_share = 0.4;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.masked = false;
    EXPECT_EQ(plan::mxm(f).kernel, "hash");
    f.band_share = -1;
    f.products = 5 * offset_t{f.rows};
    EXPECT_FALSE(plan::mxm_needs_device_band(f)) << "few products a row";
    f = square(8000, 200000, 5000000);
    f.on_device = true;
    EXPECT_FALSE(plan::mxm_needs_device_band(f)) << "few products";
    f = square(15625, 400000, 9900000);
    f.on_device = true;
    EXPECT_FALSE(plan::mxm_needs_device_band(f)) << "as few, in few rows";
    f = square(1000000, 3000000, 9000000);
    f.on_device = true;
    EXPECT_TRUE(plan::mxm_needs_device_band(f)) << "fewer, in many rows";
}

TEST(BandTiles, HoldRowsNearEachDiagonalAlone) {
    // Five diagonals, the outer ones far from the rest: as find leaves them.
    const auto shape = [](int rows) {
        return plan::mxm_band_shape{5, 5, 13, plan::band_samples, {3 * 128 + 2, 3 * 64 + 2, 3 * rows + 2}};
    };
    const plan::band_tile tile(shape(32), 0, 8, 8);
    EXPECT_EQ(tile.rows, 128);
    EXPECT_LT(tile.bytes, plan::band_tile_room);
    EXPECT_EQ(plan::band_tile_of(shape(32), 8, 8), 0);
    for (const unsigned part :
         {tile.b, tile.c, tile.a_rows, tile.b_rows, tile.c_begins, tile.pair_starts, tile.pairs})
        EXPECT_EQ(part % 16, 0u);
    EXPECT_GE(tile.bytes - tile.pairs, (5 * 5 + 1) * sizeof(unsigned)) << "one is read beyond the last";
    EXPECT_EQ(plan::band_tile_of({}, 8, 8), -1);
    plan::mxm_band_shape wide{64, 64, 127, 0, {8192, 4096, 2048}};  // no two diagonals share rows
    EXPECT_EQ(plan::band_tile_of(wide, 8, 8), -1);
    wide.staged[2] = 95;
    EXPECT_EQ(plan::band_tile_of(wide, 8, 8), 2);
}

TEST(MxmChunkPlan, JoinsPiecesThatAsManyThreadsShareAndRefusesWhatOneCannotHold) {
    plan::mxm_facts f = square(100000, 700000, 5000000);
    f.threads = 4;
    const plan::mxm_piece pieces[] = {
        {0, 10, 1000, 9}, {10, 20, 2000, 9}, {20, 21, 40000, 9}, {21, 30, 500, 9}};
    plan::mxm_chunk chunks[4];
    const auto one = [&](offset_t products) {
        f.most_products = products;
        return plan::mxm_thread_workspace("hash", f);
    };
    ASSERT_EQ(plan::mxm_chunks("hash", f, pieces, 4 * one(40000), chunks), 1u);
    EXPECT_EQ(chunks[0].threads, 4);
    EXPECT_EQ(chunks[0].workspace_bytes, 4 * one(40000));
    ASSERT_EQ(plan::mxm_chunks("hash", f, pieces, 2 * one(40000), chunks), 3u);
    EXPECT_EQ(chunks[0].last, 20);
    EXPECT_EQ(chunks[0].threads, 4);
    EXPECT_EQ(chunks[0].workspace_bytes, 4 * one(2000));
    EXPECT_EQ(chunks[1].first, 20);
    EXPECT_EQ(chunks[1].threads, 2);
    EXPECT_EQ(chunks[2].first, 21);
    EXPECT_EQ(chunks[2].last, 30);
    EXPECT_EQ(plan::mxm_chunks("hash", f, pieces, one(40000) - 1, chunks), 0u);
    EXPECT_EQ(plan::mxm_least_workspace("hash", f, pieces), one(40000));
}

// What the plan states for two_level_sort is what its parts take, to the last of them.
TEST(MxmSortParts, TakeTheBytesThatAreStated) {
    alignas(64) static std::byte memory[1 << 21];
    const auto taken = [](const void* last, std::size_t bytes) {
        return static_cast<std::size_t>(static_cast<const std::byte*>(last) - memory) + plan::padded(bytes);
    };
    for (const offset_t products : {1, 4095, 4096, 4097, 20000}) {
        const plan::mxm_sort_entries entries(memory, 55, 777, 99);
        EXPECT_EQ(taken(entries.scan, 99), plan::mxm_sort_entry_bytes(55, 777, 99)) << products;
        const plan::mxm_sort_parts sort(entries, memory, products);
        EXPECT_EQ(taken(sort.most_runs, sizeof *sort.most_runs), plan::mxm_sort_bytes(products)) << products;
        const offset_t tiles = plan::most_range_tiles(products);
        const plan::mxm_range_parts ranges(memory, tiles, 3 * tiles);
        EXPECT_EQ(taken(ranges.rows_listed, sizeof *ranges.rows_listed),
                  plan::mxm_range_bytes(tiles, 3 * tiles))
            << products;
        for (const offset_t most_runs : {0, 3, 1024}) {
            const plan::mxm_cut_parts cut(memory, products, 31, most_runs, 3 * products, 8, 99);
            EXPECT_EQ(taken(cut.scan, 99),
                      plan::mxm_cut_bytes(products, 31, most_runs, 3 * products, 5000, 8, 99))
                << products << ' ' << most_runs;
        }
        const plan::mxm_cut_sorted_parts sorted(memory, products, 31, 8, 8, 99);
        EXPECT_EQ(taken(sorted.sort, 99), plan::mxm_cut_sorted_bytes(products, 31, 8, 8, 99)) << products;
    }
}

// However a row's products fall on its columns, of which an entry of A has each once: no range has more than a tile.
TEST(MxmSortParts, RangesOfColumnsFitTheirTiles) {
    EXPECT_FALSE(plan::is_ranged(plan::sort_tile, 2));
    EXPECT_FALSE(plan::is_ranged(plan::sort_tile + 1, plan::most_ranged_entries + 1));
    EXPECT_FALSE(plan::is_ranged(plan::most_ranged_products + 1, 2));
    std::mt19937 random(7);
    for (const offset_t entries : {1, 2, 100, 511, 512})
        for (const offset_t products : {offset_t{4097}, offset_t{5000}, offset_t{8192}, offset_t{123457}}) {
            SCOPED_TRACE(::testing::Message() << products << " of " << entries);
            ASSERT_TRUE(plan::is_ranged(products, entries));
            const offset_t tiles = plan::range_tiles(products, entries);
            EXPECT_LE(tiles, plan::most_range_tiles(products) - 1);
            for (const bool full : {true, false}) {
                offset_t before = 0, begin = 0, tile = 1;  // a column at a time
                while (before < products) {
                    const offset_t column = std::min(
                        products - before, full ? entries : 1 + static_cast<offset_t>(random()) % entries);
                    for (; tile < tiles && before + column > plan::range_target(products, tiles, tile);
                         ++tile) {
                        EXPECT_GT(before, begin);
                        EXPECT_LE(before - begin, plan::sort_tile);
                        begin = before;
                    }
                    before += column;
                }
                EXPECT_EQ(tile, tiles);
                EXPECT_LE(products - begin, plan::sort_tile);
            }
        }
}

// A place's sum is named from so far before its tile that no row's are missed.
TEST(MxmSortParts, NameTheSumsOfTheLongestRowsInTheirBits) {
    constexpr offset_t row = plan::most_cut_runs * plan::sort_tile;
    for (const offset_t tile : {0, 1, 1023, 1024, 5000}) {
        const offset_t begin = tile * plan::sort_tile;
        EXPECT_GE(begin - row, plan::first_source(tile));
        EXPECT_LE(begin + plan::sort_tile + row - plan::first_source(tile), offset_t{plan::source_place});
    }
}

TEST(MxmPlan, KeepsProductsBeyondTheWidthsOfIntegers) {
    for (const offset_t products :
         {(offset_t{1} << 31) + 5, offset_t{1} << 40, std::numeric_limits<offset_t>::max()}) {
        auto f = square(1 << 30, 1 << 30, products);
        f.most_products = products;
        f.most_entries = 1 << 30;
        for (const auto* pinned : {"", "hash", "dense_row", "row_row", "column_row", "column_column",
                                   "two_level_sort", "masked_row"}) {
            f.pinned = pinned;
            const mxm_plan p = plan::mxm(f);
            EXPECT_EQ(p.products, products);
            EXPECT_LE(p.workspace_bytes, std::size_t{1} << 62) << pinned;
            EXPECT_GE(p.workspace_bytes, 2u * plan::mxm_thread_workspace(p.kernel, f) / 4)
                << pinned << " wraps";
        }
        f.pinned = "two_level_sort";
        EXPECT_GE(plan::mxm(f).workspace_bytes, std::size_t(std::min(products, offset_t{1} << 56)) * 16);
        const plan::mxm_piece all{0, 1 << 30, products, 9};
        plan::mxm_chunk chunk;
        EXPECT_EQ(plan::mxm_chunks("two_level_sort", f, {&all, 1}, std::size_t{1} << 30, {&chunk, 1}), 0u);
    }
}

}  // namespace
}  // namespace nz::test
