// How a transpose in three steps on a GPU is cut up: within what its kernels hold, for all shapes; its divisions are exact.
#include "storage/device_steps_layout.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using namespace storage::device_steps;

TEST(TransposeSteps, DivisionsAreExact) {
    for (const unsigned by :
         {2u, 3u, 5u, 181u, 512u, 513u, 537u, 1000u, 1024u, 32767u, 34368u, 65535u, 65536u}) {
        const divisor over(by);
        for (unsigned x = 0; x < 1u << 24; x += x % by == 0 ? by - 1 : 1)
            ASSERT_EQ(over(x), x / by) << x << " / " << by;
    }
}

TEST(TransposeSteps, CutsKeepWithinWhatKernelsHold) {
    for (const offset_t nnz :
         {fewest_entries, fewest_entries * 3 + 1, offset_t{32000000}, (offset_t{1} << 32) - 1})
        for (index_t columns = fewest_columns; columns <= most_columns; columns += columns / 7) {
            const auto l = layout_steps(1000, columns, nnz);
            if (!l) {
                EXPECT_GT(nnz / columns, wanted_entries / 3) << columns;
                continue;
            }
            EXPECT_GE(l->width, 2u);
            EXPECT_LE(l->width, most_width);
            EXPECT_LE(l->width, l->digits());
            EXPECT_LE(l->ranges, most_digits);
            EXPECT_LE(l->range_buckets, most_digits);
            EXPECT_LE(l->range_buckets * l->width, 1u << 16);
            EXPECT_GE(std::uint64_t{l->ranges} * l->range_buckets, l->buckets);
            EXPECT_GE(std::uint64_t{l->buckets} * l->width, static_cast<std::uint64_t>(columns));
            EXPECT_LT(l->by_range(static_cast<unsigned>(columns) - 1), l->ranges);
        }
}

TEST(TransposeSteps, FewEntriesAndColumnsThatAreFewLongOrTooManyGoOtherWays) {
    EXPECT_FALSE(layout_steps(1000, 100000, fewest_entries - 1));
    EXPECT_FALSE(layout_steps(1000, fewest_columns - 1, fewest_entries));
    EXPECT_FALSE(layout_steps(1000, most_columns + 1, fewest_entries * 8));
    EXPECT_FALSE(layout_steps(100000, fewest_columns, offset_t{fewest_columns} * wanted_entries));
}

}  // namespace
}  // namespace nz::test
