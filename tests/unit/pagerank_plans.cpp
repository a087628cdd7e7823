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
    EXPECT_EQ(plan::pagerank({.on_device = false, .longest_row = 2}).kernel, "step");
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 2, .pinned = "step"}).kernel, "step");
    EXPECT_EQ(plan::pagerank({.on_device = true, .longest_row = 99, .pinned = "step"}).reason, "pinned");
}

}  // namespace
}  // namespace nz
