// How host loops are shared out.
#include "core/parallel.hpp"

#include "plan/traverse.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace nz {
namespace {

// What a child does that was forked from a process whose threads had begun: each part once, a team of one.
bool works_alone() {
    int parts = 0, members = 0, size = 0;
    parallel::run(4, [&](int part, int all) { parts += all == 4 ? 1 << part : 0; });
    parallel::team(
        3, [&](int granted) { size = granted; },
        [&](int member, parallel::spin_barrier& barrier) {
            barrier.wait();
            members += member + 1;
        });
    return parts == 15 && size == 1 && members == 1;
}

TEST(Parallel, AForkedChildGoesOnAlone) {
    std::atomic<int> before{0};
    parallel::run(2, [&](int, int) { ++before; });
    EXPECT_EQ(before, 2);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(works_alone() ? 0 : 1);
    int status = -1;
    pid_t ended = 0;
    for (int tenths = 0; tenths < 300 && ended == 0; ++tenths) {
        ended = waitpid(child, &status, WNOHANG);
        if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    ASSERT_EQ(ended, child) << "it waits for threads that are not there";
    EXPECT_EQ(status, 0);
    int after = 0;
    parallel::team(2, [&](int granted) { after = granted; }, [](int, parallel::spin_barrier&) {});
    EXPECT_GT(after, 0) << "the parent goes on as before";
}

TEST(Teams, AreAsLargeAsTheGraphPaysFor) {
    constexpr offset_t a_thread = 16384;
    EXPECT_EQ(parallel::threads_for(16, 4380, a_thread), 1);
    EXPECT_EQ(parallel::threads_for(16, 0, a_thread), 1);
    EXPECT_EQ(parallel::threads_for(16, 2 * a_thread - 1, a_thread), 1);
    EXPECT_EQ(parallel::threads_for(16, 2 * a_thread, a_thread), 2);
    EXPECT_EQ(parallel::threads_for(16, 20'000'000, a_thread), 16);
    EXPECT_EQ(parallel::threads_for(1, 20'000'000, a_thread), 1);
}

// The others of the caller's threads come and go, so that they need not be begun anew.
TEST(Teams, MayBeSmallerThanTheCallersOthers) {
    for (const int of : {1, 3, 5}) {
        int size = 0;
        std::atomic<int> members{0}, together{0};
        parallel::team(
            3, [&](int granted) { size = granted; },
            [&](int member, parallel::spin_barrier& barrier) {
                members += 1 << member;
                barrier.wait();
                together += members == (1 << size) - 1;
            },
            of);
        EXPECT_GE(size, 1);
        EXPECT_LE(size, 3);
        EXPECT_EQ(together, size) << of;
    }
    EXPECT_EQ(plan::push_team(16, 16384), 4);
    EXPECT_EQ(plan::push_team(16, 1 << 18), 16);
    EXPECT_EQ(plan::push_team(2, 100), 1);
}

}  // namespace
}  // namespace nz
