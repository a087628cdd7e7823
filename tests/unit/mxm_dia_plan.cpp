// Tiles of stored bands: by how many diagonals there are, within a multiprocessor's shared memory, lanes apart in its banks.
#include "plan/mxm_dia.hpp"

#include <gtest/gtest.h>

#include <set>

namespace nz::test {
namespace {

TEST(StoredBandPlan, TakesTheMostRowsThatLeaveRoomForOtherBlocks) {
    constexpr std::size_t doubles = 8, floats = 4;
    EXPECT_EQ(plan::stored_tile_rows(3, 3, doubles), 256);
    EXPECT_EQ(plan::stored_tile_rows(9, 9, doubles), 256);
    EXPECT_EQ(plan::stored_tile_rows(21, 21, doubles), 128);
    EXPECT_EQ(plan::stored_tile_rows(21, 21, floats), 256);
    EXPECT_EQ(plan::stored_tile_rows(41, 41, doubles), 64);
    EXPECT_EQ(plan::stored_tile_rows(100, 100, doubles), 64);
    EXPECT_EQ(plan::stored_tile_rows(200, 200, doubles), 0) << "none fits";
    EXPECT_EQ(plan::stored_tile_rows(1 << 30, 1, doubles), 0);
    for (int n = 1; n < 120; ++n) {
        const int rows = plan::stored_tile_rows(n, n, doubles);
        EXPECT_LE(rows ? plan::stored_tile_bytes(rows, n, n, doubles) : 0, std::size_t{220} << 10) << n;
    }
}

TEST(StoredBandPlan, KeepsLanesApartInTheBanks) {
    for (int rows = 64; rows < 400; ++rows) {
        const int pitch = plan::stored_pitch(rows);
        ASSERT_GE(pitch, (rows + 1) / 2);
        std::set<int> banks;  // of doubles, 16 at a time, for neighbouring rows
        for (int row = 0; row < 16; ++row) banks.insert((row % 2 * pitch + row / 2) % 16);
        ASSERT_EQ(banks.size(), 16u) << rows;
    }
}

}  // namespace
}  // namespace nz::test
