// Plans of PageRank's steps against tables of facts: no matrix, no kernel.
#include "plan/pagerank.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

TEST(PagerankPlan, ShortRowsOnAGpuAreAKernelAStep) {
    constexpr offset_t short_row = plan::pagerank_short_row;
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = short_row}).kernel, "short_rows");
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = short_row + 1}).kernel, "step");
    EXPECT_EQ(plan::pagerank({.on_device = true, .adaptive = true, .longest_row = 2}).kernel, "step");
    EXPECT_EQ(plan::pagerank({.on_device = true, .weighted = true, .longest_row = 2}).kernel, "step");
    EXPECT_EQ(plan::pagerank({.on_device = false, .longest_row = 2}).kernel, "step");
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 2, .pinned = "step"}).kernel, "step");
    constexpr offset_t most = (offset_t{1} << 31) - 1;
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 2, .entries = most - short_row}).kernel,
              "short_rows");
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 2, .entries = most - 3}).kernel, "step")
        << "a look ahead would leave 32 bits";
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 2, .entries = most + 1}).kernel,
              "short_rows");
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 99, .pinned = "step"}).reason, "pinned");
}

}  // namespace
}  // namespace nz
