// Copies between a GPU and host memory that is not pinned. The driver takes such memory through a block of its own, by one
// thread; here threads fill and empty pinned blocks while the link moves another (an H100 with 16 cores, 256 MiB: 10.6 -> 29.7 GB/s to
// it, 17.3 -> 27.5 from it; the link 55).
#pragma once

#include "core/buffer.hpp"

#include <cstddef>
#include <mutex>

namespace nz::device {

/// Safe for several threads, whose copies go one after another.
class stage {
public:
    /// Smaller copies go the driver's way. (Not tried: other sizes, of these and of blocks.)
    static constexpr std::size_t least = std::size_t{4} << 20;

    explicit stage(int threads) : threads_(threads) {}
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;
    ~stage();

    /// Ordered on the stream, a cudaStream_t; returns when `from` has been read. Throws out_of_memory before anything is copied where
    /// there is no pinned memory for the blocks.
    void upload(void* stream, void* to, const void* from, std::size_t bytes);
    /// Returns when the bytes are there.
    void download(void* stream, void* to, const void* from, std::size_t bytes);

private:
    static constexpr int slots = 3;
    static constexpr std::size_t block = std::size_t{2} << 20;

    void take();
    std::byte* at(std::size_t piece) const { return blocks_.as<std::byte>() + piece % slots * block; }

    std::mutex mutex_;
    const int threads_;
    buffer blocks_;           // pinned
    void* done_[slots] = {};  // cudaEvent_t: what the stream had to do with the block is done
};

}  // namespace nz::device
