// Results that go to the host while a GPU computes the next.
#pragma once

#include "core/device.hpp"

namespace nz::device {

/// Host memory that a GPU writes to at the full rate of the link. Blocks are kept for the next request of their size.
std::shared_ptr<memory_resource> pinned_memory();

/// Copies on a stream of their own, in numbered slots: each waits for what the session's stream has so far, and work put on
/// that stream after reuse(slot) waits for the copies of the slot.
class copies {
public:
    static constexpr int slots = 2;
    virtual ~copies() = default;
    virtual void start(int slot, void* to, const void* from, std::size_t bytes) = 0;
    virtual void reuse(int slot) = 0;
    /// Returns when the slot's copies are there.
    virtual void finish(int slot) = 0;
    /// Returns when all are there.
    virtual void wait() = 0;
    /// Copies a few bytes, a multiple of 4, that the session's stream leaves, without waiting for what is on its way: copies to the
    /// host come one after another, so a kernel writes them there. Returns when they are.
    virtual void read(void* to, const void* from, std::size_t bytes) = 0;
};
std::unique_ptr<copies> copies_beside(session& of);

}  // namespace nz::device
