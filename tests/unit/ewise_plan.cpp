// The tiles of ewise/balanced_path on a GPU, and the room that each has: no matrix, no kernel.
#include "plan/ewise.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nz {
namespace {

TEST(EwisePlan, EveryStepOfThePathHasATileAndEveryTileItsRoom) {
    EXPECT_EQ(plan::ewise_tiles(0, 0, 0), 1) << "which writes the first offset";
    EXPECT_EQ(plan::ewise_tiles(7, 1000, 976), 1);
    EXPECT_EQ(plan::ewise_tiles(8, 1000, 976), 2) << "the ends of rows count";
    EXPECT_EQ(plan::ewise_tiles(0, offset_t{1} << 40, 0),
              ((offset_t{1} << 40) + plan::ewise_tile_steps - 1) / plan::ewise_tile_steps);
    for (const offset_t tiles : {1, 2, 255, 256, 257, 1000}) {
        std::vector<std::byte> memory(plan::ewise_workspace(tiles));
        const plan::ewise_parts parts(memory.data(), tiles);
        const auto* end = reinterpret_cast<const std::byte*>(parts.words + tiles * plan::ewise_tile_words);
        EXPECT_LE(end, memory.data() + memory.size());
        EXPECT_LE(static_cast<void*>(parts.group_results + plan::ewise_groups(tiles)),
                  static_cast<void*>(parts.cuts));
        EXPECT_GE(plan::ewise_groups(tiles) * plan::ewise_group_tiles, tiles) << "each tile has a group";
        // Half a byte an entry, and little else.
        EXPECT_LT(plan::ewise_workspace(tiles),
                  static_cast<std::size_t>(tiles * plan::ewise_tile_steps) * 11 / 20 + 1024);
    }
}

}  // namespace
}  // namespace nz
