// Large copies between a GPU and memory that is not pinned go through the stage (core/device_stage.hpp). Skipped where there is no GPU.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "core/device_stage.hpp"
#include "nonzero/nonzero.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace nz::test {
namespace {

std::vector<std::uint8_t> some_bytes(std::size_t count, unsigned seed) {
    std::vector<std::uint8_t> bytes(count);
    unsigned x = seed;
    for (auto& b : bytes) b = static_cast<std::uint8_t>((x = x * 1664525 + 1013904223) >> 24);
    return bytes;
}

void expect_there_and_back(const context& gpu, std::size_t count, unsigned seed) {
    SCOPED_TRACE(std::to_string(count) + " bytes");
    const std::vector<std::uint8_t> expected = some_bytes(count, seed);
    std::vector<std::uint8_t> from = expected, back(count, 0);
    const buffer there(gpu.device_memory(), count);
    gpu.gpu()->upload(there.data(), from.data(), count);
    std::fill(from.begin(), from.end(), std::uint8_t{0});  // it may change once the call returns
    gpu.gpu()->download(back.data(), there.data(), count);
    EXPECT_TRUE(back == expected);
}

// Of the first size that passes by the stage, and of whole and cut blocks of it, fewer and more than it has.
TEST(CopiesOnDevice, BringEveryByteThereAndBack) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    constexpr std::size_t least = device::stage::least, block = std::size_t{2} << 20;
    for (const int threads : {1, 3, 16}) {
        const context gpu({.backend = backend::cuda, .threads = threads});
        for (const std::size_t count :
             {std::size_t{1}, least - 1, least, least + 1, 3 * block, 3 * block + 1, 7 * block - 5})
            expect_there_and_back(gpu, count, static_cast<unsigned>(count));
    }
}

TEST(CopiesOnDevice, OfSeveralThreadsDoNotMix) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    in_threads(4, [&](int n) {
        for (int k = 0; k < 3; ++k)
            expect_there_and_back(gpu, device::stage::least + 4097 * (static_cast<std::size_t>(n) + 1),
                                  static_cast<unsigned>(10 * n + k + 1));
    });
}

// Pinned memory takes the link's own way, at its own rate.
TEST(CopiesOnDevice, OfPinnedMemoryTooBringEveryByte) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda});
    constexpr std::size_t count = device::stage::least + 12345;
    const std::vector<std::uint8_t> expected = some_bytes(count, 5);
    const buffer from(device::pinned_memory(), count), back(device::pinned_memory(), count),
        there(gpu.device_memory(), count);
    std::memcpy(from.data(), expected.data(), count);
    gpu.gpu()->upload(there.data(), from.data(), count);
    gpu.gpu()->download(back.data(), there.data(), count);
    EXPECT_EQ(std::memcmp(back.data(), expected.data(), count), 0);
}

}  // namespace
}  // namespace nz::test
