// Blocks that were given back, kept for the next request of a similar size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace nz {

/// Serves a request with a kept block of up to a quarter more. At most `limit` bytes are kept: those given back longest ago go first.
/// Thread-safe; blocks that are kept when it ends are not released.
class kept_blocks {
public:
    using release = void (*)(void*) noexcept;
    kept_blocks(std::size_t limit, release give_back) : limit_(limit), release_(give_back) {}

    /// A kept block, or null.
    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const auto it = kept_.lower_bound(bytes);
        if (it == kept_.end() || it->first > bytes + bytes / 4) return nullptr;
        void* const pointer = it->second.pointer;
        sizes_[pointer] = it->first;
        remove(it);
        return pointer;
    }
    /// That a new block has so many bytes. Releases it where that cannot be noted.
    void note(void* pointer, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        try {
            sizes_[pointer] = bytes;
        } catch (...) {
            release_(pointer);
            throw;
        }
    }
    /// Another limit, for what is given back from now on.
    void keep_up_to(std::size_t limit) {
        const std::lock_guard lock(mutex_);
        limit_ = limit;
    }
    /// Of a block that take() gave or note() was told of.
    void give_back(void* pointer) noexcept {
        const std::lock_guard lock(mutex_);
        const auto it = sizes_.find(pointer);
        const std::size_t size = it->second;
        sizes_.erase(it);
        if (size > limit_) return release_(pointer);
        while (bytes_ + size > limit_) release_oldest();
        try {
            kept_.emplace(size, block{pointer, given_back_++});
            bytes_ += size;
        } catch (...) {
            release_(pointer);
        }
    }
    /// Releases all that is kept, and says whether that was anything.
    bool clear() noexcept {
        const std::lock_guard lock(mutex_);
        const bool any = !kept_.empty();
        while (!kept_.empty()) release_oldest();
        return any;
    }

private:
    struct block {
        void* pointer;
        std::uint64_t order;  // in which blocks were given back
    };
    using blocks = std::multimap<std::size_t, block>;
    void remove(blocks::iterator it) noexcept {
        bytes_ -= it->first;
        kept_.erase(it);
    }
    void release_oldest() noexcept {
        auto oldest = kept_.begin();
        for (auto it = kept_.begin(); it != kept_.end(); ++it)
            if (it->second.order < oldest->second.order) oldest = it;
        release_(oldest->second.pointer);
        remove(oldest);
    }

    std::size_t limit_;
    const release release_;
    std::mutex mutex_;
    blocks kept_;
    std::map<void*, std::size_t> sizes_;
    std::size_t bytes_ = 0;
    std::uint64_t given_back_ = 0;
};

}  // namespace nz
