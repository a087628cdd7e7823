// A session's stream: pieces of a step, after what it had before and before what it gets then (core/device_fork.hpp); times and errors,
// each thread's own. Skipped where there is no GPU.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "nonzero/nonzero.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace nz::test {
namespace {

// Adds to all numbers, then to each piece's its own number, then to all: a sum that a piece out of turn misses.
void expect_pieces_in_turn(const context& gpu, int pieces, bool joined) {
    SCOPED_TRACE(::testing::Message() << pieces << (joined ? " pieces" : " pieces, by the end of the fork"));
    constexpr offset_t each = offset_t{1} << 21;
    const auto count = static_cast<std::size_t>(each * pieces);
    const auto add = kernels::on_cuda().mxm.shift_columns;
    device::session& s = *gpu.gpu();
    const buffer numbers(gpu.device_memory(), count * sizeof(index_t));
    auto* const first = numbers.as<index_t>();
    s.fill(first, 0, count * sizeof(index_t));
    for (int k = 0; k < 4; ++k) add(first, each * pieces, 1, s.stream());
    {
        const auto fork = s.fork_into(pieces);
        for (int p = 0; p < pieces; ++p) add(first + each * p, each, p + 1, fork->next());
        if (joined) fork->join();
    }
    add(first, each * pieces, 1, s.stream());
    std::vector<index_t> there(count);
    s.download(there.data(), first, count * sizeof(index_t));
    for (int p = 0; p < pieces; ++p) {
        const auto begin = there.begin() + each * p;
        ASSERT_EQ(std::count(begin, begin + each, 5 + (p + 1)), each) << "piece " << p;
    }
}

TEST(ForkOnDevice, PiecesComeAfterWhatWasThereAndBeforeWhatFollows) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    for (const int pieces : {1, 2, 8, 9, 20})
        for (const bool joined : {true, false}) expect_pieces_in_turn(gpu, pieces, joined);
}

TEST(ForkOnDevice, OfOnePieceIsTheSessionsStream) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    EXPECT_EQ(gpu.gpu()->fork_into(1)->next(), gpu.gpu()->stream());
    const auto two = gpu.gpu()->fork_into(2);
    EXPECT_EQ(two->next(), gpu.gpu()->stream());
    EXPECT_NE(two->next(), gpu.gpu()->stream());
    EXPECT_EQ(two->next(), gpu.gpu()->stream()) << "in turns";
}

TEST(ForkOnDevice, OfSeveralThreadsKeepTheirOrder) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    in_threads(4, [&](int n) {
        for (int k = 0; k < 3; ++k) expect_pieces_in_turn(gpu, 3 + n, k % 2 == 0);
    });
}

TEST(SessionOnDevice, ThreadsTimeTheirOwnWork) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    device::session& s = *gpu.gpu();
    const buffer much(gpu.device_memory(), std::size_t{1} << 30);
    s.timed([&] {
        for (int k = 0; k < 20; ++k) s.fill(much.data(), 0, much.bytes());
    });
    s.mark();
    double little = 0;
    std::thread([&] {
        s.timed([] {});
        s.mark();
        s.mark();
        EXPECT_EQ(s.times_between().size(), 1u);
        little = s.milliseconds();
    }).join();
    EXPECT_GT(s.milliseconds(), 20 * little) << "the other's events";
    EXPECT_TRUE(s.times_between().empty());
}

TEST(SessionOnDevice, AFailedCallLeavesNoErrorForTheNext) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    int here = 0;
    EXPECT_THROW(gpu.gpu()->copy(&here, nullptr, sizeof here), device_error);
    expect_pieces_in_turn(gpu, 2, true);
}

}  // namespace
}  // namespace nz::test
