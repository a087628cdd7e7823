// Plans of betweenness against tables of facts: no matrix, no kernel.
#include "plan/betweenness.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

constexpr std::size_t giga = std::size_t{1} << 30;

plan::betweenness_facts grid_facts(std::size_t sources, bool on_device, std::string_view pinned = {}) {
    return {1'000'000, 3'400'000, 4, sources, on_device, pinned, 132, 80 * giga};
}

TEST(BetweennessPlan, ShortRowsGoByQueuesAndOthersByBatches) {
    for (const bool on_device : {false, true}) {
        plan::betweenness_facts f = grid_facts(64, on_device);
        EXPECT_EQ(plan::betweenness(f).kernel, "queue");
        f.longest_row = 1000;
        EXPECT_EQ(plan::betweenness(f).kernel, "batched");
        f = grid_facts(64, on_device);
        f.entries = 16 * f.vertices;
        EXPECT_EQ(plan::betweenness(f).kernel, "batched");
        EXPECT_EQ(plan::betweenness(grid_facts(64, on_device, "batched")).kernel, "batched");
        f.pinned = "queue";
        EXPECT_EQ(plan::betweenness(f).kernel, "queue");
        EXPECT_EQ(plan::betweenness(f).reason, "pinned");
    }
}

TEST(BetweennessPlan, FewSourcesHaveMoreBlocksEach) {
    struct expectation {
        std::size_t sources;
        int batch, blocks;
    };
    for (const auto& [sources, batch, blocks] : {expectation{1, 1, 16},
                                                 {4, 4, 16},
                                                 {8, 8, 16},
                                                 {9, 9, 8},
                                                 {16, 16, 8},
                                                 {64, 64, 2},
                                                 {67, 67, 1},
                                                 {132, 132, 1},
                                                 {100'000, 132, 1}}) {
        const auto p = plan::betweenness(grid_facts(sources, true));
        EXPECT_EQ(p.batch, batch) << sources;
        EXPECT_EQ(p.blocks, blocks) << sources;
        EXPECT_EQ(plan::betweenness(grid_facts(sources, false)).blocks, 0);
    }
}

TEST(BetweennessPlan, FewSourcesGoByQueuesOnAGpuWhereNoRowIsLong) {
    const auto kernel_of = [](std::size_t sources, offset_t longest, bool on_device) {
        return plan::betweenness({262'144, 6'859'000, longest, sources, on_device, {}, 132, 80 * giga})
            .kernel;
    };
    EXPECT_EQ(kernel_of(4, 27, true), "queue");
    EXPECT_EQ(kernel_of(4, 32, true), "queue");
    EXPECT_EQ(kernel_of(4, 33, true), "batched");
    EXPECT_EQ(kernel_of(5, 27, true), "batched");
    EXPECT_EQ(kernel_of(4, 27, false), "batched");
}

TEST(BetweennessPlan, SourcesInFlightAreThoseThatMemoryHolds) {
    plan::betweenness_facts f = grid_facts(64, true);
    const std::size_t one = plan::device_betweenness_queue_parts::bytes(f.vertices, 1);
    EXPECT_EQ(one, 32'000'000u);
    f.bytes_left = 2 * 10 * one + 1;
    EXPECT_EQ(plan::betweenness(f).batch, 10);
    EXPECT_EQ(plan::betweenness(f).blocks, 8);
    f.bytes_left = 0;  // one is tried: memory that is not there says so
    EXPECT_EQ(plan::betweenness(f).batch, 1);
    EXPECT_LE(plan::device_betweenness_queue_parts::bytes(f.vertices, 10), 10 * one);
}

TEST(BetweennessPlan, BatchesHaveABitASource) {
    plan::betweenness_facts f = grid_facts(100, true, "batched");
    EXPECT_EQ(plan::betweenness(f).batch, plan::betweenness_most);
    f.on_device = false;
    EXPECT_EQ(plan::betweenness(f).batch, plan::betweenness_most_on_cpu);
}

TEST(BetweennessPlan, BatchesAreThoseThatMemoryHolds) {
    plan::betweenness_facts f = grid_facts(100, true, "batched");
    for (const auto& [fits, batch] : {std::pair(64, 64), {63, 64}, {32, 32}, {16, 16}, {1, 1}}) {
        f.bytes_left = 2 * plan::betweenness_workspace(f.vertices, fits);
        EXPECT_EQ(plan::betweenness(f).batch, batch) << "a stride of " << fits;
    }
    f.bytes_left = 0;  // one is tried: memory that is not there says so
    EXPECT_EQ(plan::betweenness(f).batch, 1);
}

}  // namespace
}  // namespace nz
