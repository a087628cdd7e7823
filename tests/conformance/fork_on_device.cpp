// Pieces of a step on a GPU: after what its stream had before, before what it gets then (core/device_fork.hpp). Skipped where there
// is no GPU.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "nonzero/nonzero.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace nz::test
