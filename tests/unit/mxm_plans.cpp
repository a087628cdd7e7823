// What plan::mxm makes of facts.
#include "plan/mxm.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "plan/mxm_workspace.hpp"

#include <gtest/gtest.h>

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

TEST(MxmPlan, ChoosesByWidthAndMask) {
    EXPECT_EQ(plan::mxm(square(65536, 500000, 120000000)).kernel, "dense_row");
    EXPECT_EQ(plan::mxm(square(8000000, 64000000, 512000000)).kernel, "hash");
    EXPECT_EQ(plan::mxm(square(1000000, 64000000, 4096000000)).kernel, "dense_row")
        << "rows of many products";
    auto f = square(100000, 3000000, 90000000);
    f.masked = f.columns_ready = true;
    f.mask_entries = 100;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_dot");
    f.complement = true;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.complement = false;
    f.mask_entries = 50000000;
    EXPECT_EQ(plan::mxm(f).kernel, "masked_row");
    f.compiled = false;
    EXPECT_EQ(plan::mxm(f).kernel, "generic");
    EXPECT_EQ(plan::mxm(f).tier, tier::generic);
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
         {"hash", "dense_row", "row_row", "column_row", "two_level_sort", "masked_row"}) {
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

TEST(MxmPlan, RunsOnTheGpuWhereItIsCompiledAndNoMaskBarsProducts) {
    auto f = square(100000, 800000, 6400000);
    f.on_device = true;
    f.scan_bytes = 1000;
    f.block_rows = 7;
    const mxm_plan plan = plan::mxm(f);
    EXPECT_TRUE(plan.on_device);
    EXPECT_EQ(plan.kernel, "hash");
    EXPECT_EQ(plan.workspace_bytes, plan::mxm_device_rows(100000, 1000)) << "tables are in shared memory";
    f.pinned = "dense_row";
    EXPECT_FALSE(plan::mxm(f).on_device);
    f.pinned = "hash";
    f.masked = true;
    EXPECT_TRUE(plan::mxm(f).on_device);
    f.pinned = {};
    EXPECT_FALSE(plan::mxm(f).on_device);
    f.masked = false;
    f.columns = 3000000;
    EXPECT_EQ(plan::mxm(f).workspace_bytes,
              plan::mxm_device_rows(100000, 1000) + 7 * plan::column_table_bytes(3000000));
    f.columns = 2000000000;
    EXPECT_EQ(plan::mxm(f).workspace_bytes,
              plan::mxm_device_rows(100000, 1000) + plan::column_table_bytes(2000000000))
        << "one table, however large";
}

TEST(MxmBins, HoldEveryRowThatMayCome) {
    using namespace plan;
    for (offset_t n = 0; n < 5000; ++n) {
        const int count = bin_of_products(n);
        if (count >= block_bins && count < empty_bin) {
            EXPECT_LE(n, products_of_bin(count));
        }
        for (const offset_t entries : {n, n / 2, n / 5 + (n > 0)}) {
            const int fill = bin_of_entries(entries, count);
            if (fill == empty_bin) {
                EXPECT_EQ(entries, 0);
            }
            if (fill >= block_bins && fill < empty_bin) {
                EXPECT_LE(entries, entries_of_bin(fill));
            }
            mxm_survey survey{};
            survey.rows[count] = 1;
            if (fill < block_bins) {
                EXPECT_EQ(survey.most_block_rows(), 1u) << n << " " << entries;
            }
        }
    }
    EXPECT_EQ(bin_of_products(offset_t{1} << 40), 0);
}

}  // namespace
}  // namespace nz::test
