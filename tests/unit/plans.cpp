// Plans of mxv against tables of facts: no matrix, no kernel.
#include "plan/mxv.hpp"
#include "plan/mxv_workspace.hpp"
#include "support/mxv_facts.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

using test::square;

// Full blocks of 6 x 6: a 36th of one for each entry.
TEST(MxvPlan, BlocksAreMadeWhereManyProductsFollowAndEntriesComeInThem) {
    plan::mxv_facts f = square(1000000, 48000000);
    storage::block_sample sample;
    for (std::size_t s = 0; s < sample.blocks.size(); ++s)
        sample.blocks[s] = storage::block_sides[s] == 6 ? 1.0 / 36 : 0.3;
    f.blocks = sample;
    f.slice_diagonals = 0.1;
    f.entry_bytes = 8;
    f.longest_row = 60;
    EXPECT_NE(plan::mxv(f).kernel, "bsr_row");
    f.expected = plan::slices_from_products;
    EXPECT_EQ(plan::mxv(f).kernel, "bsr_row");
    EXPECT_EQ(plan::mxv(f).block_side, 6);
    EXPECT_TRUE(plan::mxv(f).builds_blocks);
    f.blocks_ready = true;
    EXPECT_FALSE(plan::mxv(f).builds_blocks);
    const auto without = [&](auto change) {
        plan::mxv_facts g = f;
        change(g);
        return plan::mxv(g).kernel != "bsr_row";
    };
    EXPECT_TRUE(without([](auto& g) { g.expected = plan::slices_from_products - 1; }));
    EXPECT_TRUE(without([](auto& g) { g.blocks->blocks.fill(0.3); }));
    EXPECT_TRUE(without([](auto& g) { g.slice_diagonals = 1.01 / 32; })) << "slices take as few bytes";
    EXPECT_TRUE(without([](auto& g) { g.limited = true; }));
    EXPECT_TRUE(without([](auto& g) { g.longest_row = 2000000; })) << "a thread would wait for one block row";
    EXPECT_TRUE(without([](auto& g) { g.masked = true; }));
    EXPECT_TRUE(without([](auto& g) { g.on_device = true; }));
    EXPECT_TRUE(without([](auto& g) { g.input = vector_form::bitmap, g.input_count = g.input_size / 2; }));
}

// 27 diagonals in slices of 32 rows: an entry has a 32nd of one.
TEST(MxvPlan, SlicesAreMadeWhereManyProductsFollowAndRowsHaveTheSameDiagonals) {
    plan::mxv_facts f = square(1000000, 27000000);
    f.slice_diagonals = 1.01 / 32;
    f.entry_bytes = 8;
    f.longest_row = 27;
    EXPECT_NE(plan::mxv(f).kernel, "dia_slice");
    f.expected = plan::slices_from_products;
    EXPECT_EQ(plan::mxv(f).kernel, "dia_slice");
    EXPECT_TRUE(plan::mxv(f).builds_slices);
    f.slices_ready = true;
    EXPECT_FALSE(plan::mxv(f).builds_slices);
    const auto without = [&](auto change) {
        plan::mxv_facts g = f;
        change(g);
        return plan::mxv(g).kernel != "dia_slice";
    };
    EXPECT_TRUE(without([](auto& g) { g.expected = plan::slices_from_products - 1; }));
    EXPECT_TRUE(without([](auto& g) { g.slice_diagonals = 1.4 / 32; }));  // 360 bytes for 32 entries, of 384
    EXPECT_TRUE(without([](auto& g) { g.slice_diagonals = -1; }));
    EXPECT_TRUE(without([](auto& g) { g.limited = true; }));
    EXPECT_TRUE(without([](auto& g) { g.longest_row = 300; }));  // of a slice that no sample sees
    EXPECT_TRUE(without([](auto& g) { g.masked = true; }));
    EXPECT_TRUE(without([](auto& g) { g.first_wins = true; }));
    EXPECT_TRUE(without([](auto& g) { g.nnz = plan::slices_from_entries - 1; }));
    EXPECT_TRUE(without([](auto& g) { g.input = vector_form::bitmap, g.input_count = g.input_size / 2; }));
    EXPECT_FALSE(without([](auto& g) { g.on_device = true; }));
    const auto of_few_entries = [](auto& g, offset_t expected) {
        g.on_device = true;
        g.output_size = g.input_size = g.input_count = 10000;
        g.nnz = 270000;
        g.expected = expected;
    };
    EXPECT_TRUE(without([&](auto& g) { of_few_entries(g, plan::device_small_slices_from_products - 1); }));
    EXPECT_FALSE(without([&](auto& g) { of_few_entries(g, plan::device_small_slices_from_products); }));
    const auto of_long_slices = [](auto& g, offset_t expected) {
        g.on_device = true;
        g.output_size = g.input_size = g.input_count = 6000;
        g.expected = expected;
    };
    EXPECT_TRUE(without([&](auto& g) { of_long_slices(g, plan::device_slices_from_products); }));
    EXPECT_FALSE(without([&](auto& g) { of_long_slices(g, plan::device_long_slices_from_products); }));
    EXPECT_TRUE(without(
        [](auto& g) { g.entry_bytes = 0, g.slice_diagonals = 0.3; }));  // a tenth of the places filled
    EXPECT_FALSE(without([](auto& g) { g.entry_bytes = 0, g.slice_diagonals = 0.2; }));
}

TEST(MxvPlan, TheLeastOfFloatsIsTakenInVectorsOnACpu) {
    plan::mxv_facts f = square(1000000, 27000000);
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row");
    f.branches = f.terminates = true;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    EXPECT_FALSE(plan::mxv(f).early_exit);
    f.nnz = plan::merge_from_entries;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row");
}

// A graph of 2^22 vertices, half of its entries in rows that 32 others are as long as.
TEST(MxvPlan, EquallyLongRowsGoSideBySideOnACpuWhereManyProductsFollow) {
    plan::mxv_facts f = square(1 << 22, 64000000);
    f.threads = 2;
    f.empty_rows = 7;
    f.scattered = 1;
    f.ell_share = 0.5;
    f.longest_row = 10000;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.expected = plan::ell_from_products;
    const mxv_plan p = plan::mxv(f);
    EXPECT_EQ(p.kernel, "ell_slice");
    EXPECT_TRUE(p.builds_ell);
    EXPECT_FALSE(p.ranked);
    EXPECT_EQ(p.workspace_bytes, 0u);
    f.ell_ready = true;
    EXPECT_FALSE(plan::mxv(f).builds_ell);
    const auto without = [&](auto change) {
        plan::mxv_facts g = f;
        change(g);
        return plan::mxv(g).kernel != "ell_slice";
    };
    EXPECT_TRUE(without([](auto& g) { --g.expected; }));
    EXPECT_TRUE(without([](auto& g) { g.ell_share = 0.2; }));
    EXPECT_TRUE(without([](auto& g) { g.ell_share = -1; }));
    EXPECT_TRUE(without([](auto& g) { g.limited = true; }));
    EXPECT_TRUE(without([](auto& g) { g.masked = true; }));
    EXPECT_TRUE(without([](auto& g) { g.first_wins = true; }));
    EXPECT_TRUE(without([](auto& g) { g.on_device = true; }));
    EXPECT_TRUE(without([](auto& g) { g.nnz = plan::ell_from_entries - 1; }));
    EXPECT_TRUE(without([](auto& g) { g.longest_row = 20000000; })) << "a row is one thread's";
    EXPECT_TRUE(without([](auto& g) { g.input = vector_form::bitmap, g.input_count = g.input_size / 2; }));
    f.hot_columns = 0.2;
    EXPECT_TRUE(plan::mxv(f).ranked);
    EXPECT_EQ(plan::mxv(f).workspace_bytes, plan::ranked_vector_workspace(f.input_size, 8));
    f.input_size = f.input_count = 1 << 17;
    EXPECT_FALSE(plan::mxv(f).ranked) << "u fits a core's cache";
}

// A graph of 2^22 vertices, a fifth of its entries in hot columns.
TEST(MxvPlan, ColumnsAreRankedWhereManyProductsFollowAndAFewHaveManyEntries) {
    for (const bool on_device : {false, true}) {
        plan::mxv_facts f = square(1 << 22, 64000000);
        f.on_device = on_device;
        f.empty_rows = 7;
        f.scattered = 1;
        f.hot_columns = 0.2;
        EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
        f.expected = on_device ? plan::device_ranks_from_products : plan::ranks_from_products;
        const mxv_plan p = plan::mxv(f);
        EXPECT_EQ(p.kernel, "csr_ranked");
        EXPECT_TRUE(p.builds_ranks);
        EXPECT_EQ(p.compacts_rows, on_device);
        EXPECT_EQ(p.output, vector_form::bitmap);
        EXPECT_EQ(p.workspace_bytes,
                  plan::ranked_vector_workspace(f.input_size, 8) +
                      (on_device ? plan::padded(plan::device_csr_merge_workspace(f.nnz)) : 0));
        f.ranks_ready = true;
        EXPECT_FALSE(plan::mxv(f).builds_ranks);
        const auto without = [&](auto change) {
            plan::mxv_facts g = f;
            change(g);
            return plan::mxv(g).kernel != "csr_ranked";
        };
        EXPECT_TRUE(without([](auto& g) { --g.expected; }));
        EXPECT_TRUE(without([](auto& g) { g.hot_columns = 0.07; }));
        EXPECT_TRUE(without([](auto& g) { g.hot_columns = -1; }));
        EXPECT_TRUE(without([](auto& g) { g.input_size = g.input_count = 1 << 17; }));
        EXPECT_TRUE(without([](auto& g) { g.limited = true; }));
        EXPECT_TRUE(without([](auto& g) { g.masked = true; }));
        EXPECT_TRUE(without([](auto& g) { g.first_wins = true; }));
        EXPECT_TRUE(without([](auto& g) { g.nnz = plan::slices_from_entries - 1; }));
        EXPECT_TRUE(
            without([](auto& g) { g.input = vector_form::bitmap, g.input_count = g.input_size / 2; }));
        if (!on_device) {
            EXPECT_TRUE(without([](auto& g) { g.degree_max = 20000000; })) << "a row is shared by threads";
        }
    }
}

// 8 M rows of 8 entries all over the columns.
TEST(MxvPlan, EntriesGoByBinsOfColumnsWhereManyProductsFollowAndUIsReadAllOver) {
    plan::mxv_facts f = square(8000000, 64000000);
    f.on_device = true;
    f.empty_rows = 0;
    f.scattered = 1;
    f.reach = 0.3;
    f.hot_columns = 0;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.expected = plan::device_bins_from_products;
    const mxv_plan p = plan::mxv(f);
    EXPECT_EQ(p.kernel, "csr_binned");
    EXPECT_TRUE(p.builds_bins && p.on_device);
    EXPECT_FALSE(p.early_exit);
    EXPECT_EQ(p.output, vector_form::dense);
    EXPECT_EQ(p.workspace_bytes, plan::padded(plan::device_csr_merge_workspace(f.nnz)) +
                                     plan::binned_products_workspace(f.nnz, 8));
    EXPECT_NE(to_string(p).find("bins of columns"), std::string::npos);
    f.bins_ready = true;
    EXPECT_FALSE(plan::mxv(f).builds_bins);
    const auto without = [&](auto change) {
        plan::mxv_facts g = f;
        change(g);
        return plan::mxv(g).kernel != "csr_binned";
    };
    EXPECT_TRUE(without([](auto& g) { --g.expected; }));
    EXPECT_TRUE(without([](auto& g) { g.hot_columns = 0.2; })) << "ranks";
    EXPECT_TRUE(without([](auto& g) { g.scattered = 0.4; }));
    EXPECT_TRUE(without([](auto& g) { g.reach = 0.01; })) << "a mesh";
    EXPECT_TRUE(without([](auto& g) { g.input_size = g.input_count = 4499999; })) << "the L2 has u at hand";
    EXPECT_FALSE(without([](auto& g) { g.input_size = g.input_count = 4500000; }));
    EXPECT_TRUE(without([](auto& g) { g.runs = 0.3; })) << "in order";
    const auto wide = [&](offset_t columns) {
        plan::mxv_facts g = f;
        g.input_size = g.input_count = columns;
        g.nnz = 300000000;
        return plan::mxv(g).kernel;
    };
    EXPECT_EQ(wide(storage::most_bin_ranges * storage::bin_width(8)), "csr_binned");
    EXPECT_EQ(wide(storage::most_bin_ranges * storage::bin_width(8) + 1), "csr_merge") << "too many ranges";
    EXPECT_TRUE(without([](auto& g) { g.nnz = 2 * g.input_size - 1; })) << "tables for few entries";
    EXPECT_FALSE(without([](auto& g) { g.nnz = 2 * g.input_size; }));
    EXPECT_TRUE(without([](auto& g) { g.limited = true; }));
    EXPECT_TRUE(without([](auto& g) { g.masked = true; }));
    EXPECT_TRUE(without([](auto& g) { g.first_wins = true; }));
    EXPECT_TRUE(without([](auto& g) { g.on_device = false; }));
    EXPECT_TRUE(without([](auto& g) { g.input = vector_form::bitmap, g.input_count = g.input_size / 2; }));
    f.input_size = f.input_count = 3000000;
    f.operand_bytes = 4;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_binned") << "entries of 4 bytes move less";
    f.input_size = f.input_count = 250000;
    f.nnz = plan::device_bins_from_entries;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_binned");
    f.input_size = f.input_count = 249999;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge") << "the first-level cache has u at hand";
    f.input_size = f.input_count = 250000;
    --f.nnz;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
}

TEST(MxvPlan, ADenseVectorIsPulledByRows) {
    const auto p = plan::mxv(square(1000, 10000));
    EXPECT_EQ(p.kernel, "csr_row");
    EXPECT_EQ(p.direction, direction::pull);
    EXPECT_EQ(p.output, vector_form::dense);
    EXPECT_EQ(p.workspace_bytes, 0u);
}

TEST(MxvPlan, EmptyRowsMakeTheResultABitmap) {
    auto f = square(1000, 10000);
    f.empty_rows = 3;
    EXPECT_EQ(plan::mxv(f).output, vector_form::bitmap);
    f.empty_rows = -1;
    EXPECT_EQ(plan::mxv(f).output, vector_form::bitmap) << "not known is not none";
}

TEST(MxvPlan, ARowLongerThanHalfAThreadsShareIsSplit) {
    auto f = square(1000, 10000);
    f.degree_max = 2501;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.degree_max = 2500;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row");
    f.degree_max = 2501;
    f.threads = 1;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "one thread has nothing to balance";
}

TEST(MxvPlan, ShortRowsOfVaryingLengthAreSummedOutOfABuffer) {
    auto f = square(1000000, 3000000);
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row");
    f.row_deviation = 0.6;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.empty_rows = 1;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "rows of three entries do not pay for compaction";
    f.nnz = 8000000;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.nnz = 40000000;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "a branch a row is little beside forty entries";
}

TEST(MxvPlan, ReadsThatAreScatteredBeyondTheCacheAreDoneBeforeRowsAreSummed) {
    auto f = square(1000000, 40000000);
    f.scattered = 0.9;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.input_size = 100000;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "u stays in a core's cache";
    f.input_size = 1000000;
    f.input = vector_form::bitmap;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "with gaps a product needs its row";
    f.input = vector_form::dense;
    f.nnz = 80000000;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "a long row's gathers are under way together there too";
}

TEST(MxvPlan, ManyProductsOfASparseVectorAreAddedByRangesOfRows) {
    auto f = square(1000000, 16000000);
    f.input = vector_form::sparse;
    const auto chosen = [&](offset_t products) {
        f.input_count = products / 16;
        f.products = products;
        return plan::mxv(f).kernel;
    };
    EXPECT_EQ(chosen(16000), "csc_gather_radix");
    EXPECT_EQ(chosen(80000), "csc_gather_scatter");
    EXPECT_EQ(chosen(3900000), "csc_gather_scatter");
    EXPECT_EQ(chosen(4100000), "csr_row");
    f.terminates = true;
    EXPECT_EQ(chosen(1200000), "csc_gather_scatter");
    EXPECT_EQ(chosen(1500000), "csr_row_masked") << "rows end early";
    f.terminates = false;
    f.output_size = 1000000000;
    EXPECT_EQ(chosen(40000), "csc_gather_radix") << "bits of all rows are more than the products";
}

TEST(MxvPlan, FewProductsGoToTheirRowsOrAreMergedAsTheRowsAreFewOrMany) {
    const auto chosen = [](offset_t rows, offset_t columns, offset_t products) {
        auto f = square(rows, 16 * rows);
        f.input = vector_form::sparse;
        f.input_count = columns;
        f.products = products;
        return plan::mxv(f).kernel;
    };
    EXPECT_EQ(chosen(1000, 1, 16), "csc_gather_merge") << "of one column";
    EXPECT_EQ(chosen(1000, 10, 160), "csc_gather_scatter");
    EXPECT_EQ(chosen(10000, 100, 1600), "csc_gather_scatter");
    EXPECT_EQ(chosen(1000000, 10, 160), "csc_gather_merge") << "bits of all rows are more than the products";
    EXPECT_EQ(chosen(1000000, 1000, 16000), "csc_gather_radix");
}

TEST(MxvPlan, FewLongRowsAreSplit) {
    auto f = square(4, 8000000);
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    EXPECT_EQ(plan::mxv(square(4, 16)).kernel, "csr_row") << "too little to share";
}

TEST(MxvPlan, MergeCompactsRowsOnlyWhereSomeAreEmpty) {
    auto f = square(1000, 10000);
    f.pinned = "csr_merge";
    const auto without = plan::mxv(f);
    EXPECT_FALSE(without.compacts_rows);
    f.empty_rows = 1;
    const auto with = plan::mxv(f);
    EXPECT_TRUE(with.compacts_rows);
}

TEST(MxvPlan, ASparseVectorIsPushedWhereItsColumnsHoldLessWork) {
    auto f = square(1000, 10000);
    f.input = vector_form::sparse;
    f.input_count = 10;
    EXPECT_EQ(plan::mxv(f).kernel, "csc_gather_scatter");
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
    f.input_count = 500;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.input_count = 10;
    f.products = 9000;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull) << "counted products overrule the mean";
}

TEST(MxvPlan, RowsThatAreNotThereCostAListEach) {
    auto f = square(2, 2);
    f.input = vector_form::bitmap;
    f.input_count = 1;
    f.output_size = 400000000;
    f.push_ready = true;
    f.pull_ready = false;
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
}

// One long row: all of u is there, and a pull would make offsets for every column first.
TEST(MxvPlan, FewEntriesInManyRowsArePushedByAFullVectorToo) {
    auto f = square(3, 3);
    f.input = vector_form::dense;
    f.input_size = f.input_count = 1;
    f.output_size = 100000000;
    f.push_ready = true;
    f.pull_ready = false;
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
    f.pull_ready = true;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.pull_ready = false;
    f.on_device = true;
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
    EXPECT_EQ(plan::mxv(f).reason.find("sparse"), std::string_view::npos) << plan::mxv(f).reason;
    f.output_size = 11000000;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull)
        << "offsets of so many cost less than a push's launches";
    f.on_device = false;
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
    f.nnz = 100000000;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
}

TEST(MxvPlan, ColumnsThatAreNotThereCostTheirBuilding) {
    auto f = square(1000, 10000);
    f.input = vector_form::sparse;
    f.input_count = 10;
    f.push_ready = false;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.expected = 1000;  // once for all of them
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
    EXPECT_TRUE(plan::mxv(f).builds_transpose);
    f.must_pull = true;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.must_pull = false;
    f.limited = true;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull) << "they may be what does not fit";
    f.on_device = true;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.limited = false;
    EXPECT_EQ(plan::mxv(f).kernel, "csc_gather_radix");
    f.expected = 1;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.pinned = "csc_gather_radix";
    EXPECT_TRUE(plan::mxv(f).builds_transpose);
}

TEST(MxvPlan, AMaskThatAllowsLittleMakesPullCheap) {
    auto f = square(100000, 1000000);
    f.input = vector_form::sparse;
    f.input_count = 1000;
    EXPECT_EQ(plan::mxv(f).direction, direction::push);
    f.masked = true;
    f.mask_allows = 100;
    const auto p = plan::mxv(f);
    EXPECT_EQ(p.direction, direction::pull);
    EXPECT_EQ(p.kernel, "csr_row_masked");
    EXPECT_EQ(p.input, vector_form::bitmap);
    EXPECT_TRUE(p.converts_vector);
}

TEST(MxvPlan, WhatIsNotCompiledRunsGenericallyAndSaysSo) {
    auto f = square(1000, 5000);
    f.compiled = false;
    const auto p = plan::mxv(f);
    EXPECT_EQ(p.kernel, "generic");
    EXPECT_EQ(p.tier, tier::generic);
    EXPECT_NE(p.reason.find("generic"), std::string_view::npos);
    f.composable = true;
    EXPECT_EQ(plan::mxv(f).kernel, "composed");
    EXPECT_EQ(plan::mxv(f).tier, tier::generic);
    EXPECT_EQ(plan::mxv(f).direction, direction::pull);
    f.input = vector_form::sparse;
    f.input_count = 1;
    f.push_ready = true;
    EXPECT_EQ(plan::mxv(f).kernel, "generic") << "a push of few";
}

TEST(MxvPlan, APinHoldsWhateverTheFacts) {
    auto f = square(1000, 10000);
    for (const auto* id : {"csr_row", "csr_merge", "csr_row_masked", "csc_gather_scatter", "csc_gather_radix",
                           "csc_gather_merge"}) {
        f.pinned = id;
        EXPECT_EQ(plan::mxv(f).kernel, id);
        EXPECT_EQ(plan::mxv(f).reason, "pinned");
    }
}

TEST(MxvPlan, IsAValueThatComparesAndPrints) {
    const auto f = square(1000, 10000);
    EXPECT_EQ(plan::mxv(f), plan::mxv(f));
    EXPECT_NE(to_string(plan::mxv(f)).find("mxv/csr_row pull compiled"), std::string::npos);
}

TEST(Plans, SayWhatComesToAGpu) {
    mxv_plan product;
    product.kernel = "csr_row";
    product.moved_bytes = 1234;
    EXPECT_EQ(to_string(product).find("GPU"), std::string::npos) << "it runs on a CPU";
    product.on_device = true;
    EXPECT_NE(to_string(product).find("on the GPU, to which 1234 bytes come,"), std::string::npos);
    mxm_plan larger;
    larger.on_device = true;
    EXPECT_NE(to_string(larger).find("on the GPU, 0 workspace bytes"), std::string::npos)
        << "all is there: " << to_string(larger);
    larger.moved_bytes = 99;
    EXPECT_NE(to_string(larger).find("to which 99 bytes come"), std::string::npos);
}

}  // namespace
}  // namespace nz
