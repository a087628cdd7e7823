// What plan::mxm makes of facts.
#include "plan/mxm.hpp"
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

}  // namespace
}  // namespace nz::test
