// How entries are cut up that go to their columns or rows in three steps on a GPU: within what its kernels hold, for all shapes; its
// divisions are exact.
#include "storage/device_steps_layout.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using namespace storage::device_steps;

TEST(TransposeSteps, DivisionsAreExact) {
    for (const unsigned by :
         {1u, 2u, 3u, 5u, 181u, 512u, 513u, 537u, 1000u, 1024u, 32767u, 34368u, 65535u, 65536u}) {
        const divisor over(by);
        for (unsigned x = 0; x < 1u << 24; x += x % by == 0 ? std::max(by - 1, 1u) : 1)
            ASSERT_EQ(over(x), x / by) << x << " / " << by;
    }
}

void expect_held(const steps_layout& l, index_t keys) {
    EXPECT_GE(l.width, 1u);
    EXPECT_LE(l.width, most_width);
    EXPECT_LE(l.width, l.digits());
    EXPECT_LE(l.ranges, most_digits);
    EXPECT_LE(l.range_buckets, most_digits);
    EXPECT_LE(l.range_buckets * l.width, 1u << 16);
    EXPECT_GE(std::uint64_t{l.ranges} * l.range_buckets, l.buckets);
    EXPECT_GE(std::uint64_t{l.buckets} * l.width, static_cast<std::uint64_t>(keys));
    EXPECT_LT(l.by_range(static_cast<unsigned>(keys) - 1), l.ranges);
    EXPECT_EQ(l.once(), l.ranges == l.buckets);
}

TEST(TransposeSteps, CutsKeepWithinWhatKernelsHold) {
    for (const offset_t nnz :
         {fewest_entries, fewest_entries * 3 + 1, offset_t{32000000}, (offset_t{1} << 32) - 1})
        for (index_t columns = fewest_columns; columns <= most_keys; columns += columns / 7) {
            const auto l = layout_transpose(columns, nnz);
            if (!l) {
                EXPECT_GT(nnz / columns, wanted_entries / 3) << columns;
                continue;
            }
            expect_held(*l, columns);
            EXPECT_GE(l->width, 2u);
            EXPECT_FALSE(l->once());
        }
}

TEST(TransposeSteps, CutsOfCoordinatesKeepWithinWhatKernelsHold) {
    for (const offset_t count :
         {offset_t{1}, offset_t{5000}, offset_t{2000000}, offset_t{32000000}, (offset_t{1} << 32) - 1})
        for (index_t rows = 1; rows <= most_keys; rows += rows / 7 + 1) {
            const auto l = layout_rows(rows, count);
            if (l)
                expect_held(*l, rows);
            else
                EXPECT_GT(count / rows, large_tile / 2) << rows;
        }
    EXPECT_FALSE(layout_rows(most_keys + 1, 1000));
    EXPECT_FALSE(layout_rows(1000, 0));
    EXPECT_TRUE(layout_rows(20, 2000)->once());
}

TEST(TransposeSteps, FewEntriesAndColumnsThatAreFewLongOrTooManyGoOtherWays) {
    EXPECT_FALSE(layout_transpose(100000, fewest_entries - 1));
    EXPECT_FALSE(layout_transpose(fewest_columns - 1, fewest_entries));
    EXPECT_FALSE(layout_transpose(most_keys + 1, fewest_entries * 8));
    EXPECT_FALSE(layout_transpose(fewest_columns, offset_t{fewest_columns} * wanted_entries));
}

}  // namespace
}  // namespace nz::test
