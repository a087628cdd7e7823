// Blocks kept for reuse: which request one serves, which go first, and that none is lost.
#include "core/kept_blocks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace nz {
namespace {

std::set<void*> released;
void note_release(void* pointer) noexcept {
    released.insert(pointer);
    std::free(pointer);
}

class KeptBlocks : public ::testing::Test {
protected:
    void SetUp() override { released.clear(); }
    void* block(std::size_t bytes) {
        void* const made = std::malloc(bytes);
        kept.note(made, bytes);
        return made;
    }
    kept_blocks kept{1000, &note_release};
};

TEST_F(KeptBlocks, ServeRequestsOfUpToAQuarterLess) {
    void* const a = block(500);
    kept.give_back(a);
    EXPECT_EQ(kept.take(501), nullptr);
    EXPECT_EQ(kept.take(399), nullptr);
    EXPECT_EQ(kept.take(400), a);
    EXPECT_EQ(kept.take(400), nullptr);
    kept.give_back(a);  // under its own size
    EXPECT_EQ(kept.take(500), a);
    kept.give_back(a);
    EXPECT_TRUE(released.empty());
    EXPECT_TRUE(kept.clear());
    EXPECT_FALSE(kept.clear());
    EXPECT_EQ(released, std::set<void*>{a});
}

TEST_F(KeptBlocks, TheLimitMayChange) {
    void *const a = block(900), *const b = block(1500);
    kept.give_back(a);
    kept.keep_up_to(2000);
    kept.give_back(b);
    EXPECT_EQ(released, std::set<void*>{a});
    EXPECT_EQ(kept.take(1500), b);
    kept.keep_up_to(100);
    kept.give_back(b);
    EXPECT_EQ(released, (std::set<void*>{a, b}));
}

TEST_F(KeptBlocks, GivenBackLongestAgoGoFirst) {
    void *const a = block(400), *const b = block(300), *const c = block(500), *const large = block(1001);
    kept.give_back(b);
    kept.give_back(a);
    kept.give_back(large);
    EXPECT_EQ(released, std::set<void*>{large});
    kept.give_back(c);
    EXPECT_EQ(released, (std::set<void*>{large, b}));
    EXPECT_EQ(kept.take(300), nullptr);
    EXPECT_EQ(kept.take(400), a);
    EXPECT_EQ(kept.take(500), c);
    kept.give_back(a);
    kept.give_back(c);
    kept.clear();
}

}  // namespace
}  // namespace nz
