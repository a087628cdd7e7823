// The default host resource. Fresh 4 KiB pages cost about 2.3 GB/s to touch and read at half the rate of huge
// ones on the machines we measured, so large blocks are aligned to 2 MiB, ask for huge pages, and are kept
// for the next request of a similar size; where that is too much, those given back longest ago go first.
#include "core/checks.hpp"
#include "nonzero/context.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>

namespace nz {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large_block = std::size_t{1}
                                    << 20;  // below: plain malloc, the C library recycles it well
constexpr std::size_t keep_limit = std::size_t{2}
                                   << 30;  // kept for reuse at most; a larger block goes back at once

class recycling_host_memory final : public memory_resource {
public:
    ~recycling_host_memory() override {
        for (auto& [size, block] : kept_) std::free(block.pointer);
    }

    void* allocate(std::size_t bytes) override {
        if (bytes < large_block) return take(bytes, 64);
        const std::size_t size = rounded(bytes);
        {
            const std::lock_guard lock(mutex_);
            // A kept block up to a quarter larger serves; it is handed back under its own size.
            if (auto it = kept_.lower_bound(size); it != kept_.end() && it->first <= size + size / 4) {
                void* pointer = it->second.pointer;
                sizes_[pointer] = it->first;
                kept_bytes_ -= it->first;
                kept_.erase(it);
                return pointer;
            }
        }
        void* pointer = take(size, huge_page);
        ::madvise(pointer, size, MADV_HUGEPAGE);  // a wish; small pages work too
        const std::lock_guard lock(mutex_);
        sizes_[pointer] = size;
        return pointer;
    }

    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        if (bytes >= large_block) {
            const std::lock_guard lock(mutex_);
            const auto it = sizes_.find(pointer);
            const std::size_t size = it->second;
            sizes_.erase(it);
            if (size <= keep_limit) {
                while (kept_bytes_ + size > keep_limit) free_oldest();
                kept_.emplace(size, kept_block{pointer, given_back_++});
                kept_bytes_ += size;
                return;
            }
        }
        std::free(pointer);
    }

private:
    struct kept_block {
        void* pointer;
        std::uint64_t order;  // in which blocks were given back
    };
    void free_oldest() {
        const auto oldest =
            std::ranges::min_element(kept_, {}, [](const auto& entry) { return entry.second.order; });
        std::free(oldest->second.pointer);
        kept_bytes_ -= oldest->first;
        kept_.erase(oldest);
    }
    static std::size_t rounded(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }
    static void* take(std::size_t bytes, std::size_t alignment) {
        require<out_of_memory>(bytes <= (std::size_t{1} << 46),
                               "{} bytes needed: more than this machine can address", bytes);
        void* pointer = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        require<out_of_memory>(pointer != nullptr, "{} bytes needed and the system has none to give", bytes);
        return pointer;
    }

    std::mutex mutex_;
    std::multimap<std::size_t, kept_block> kept_;
    std::map<void*, std::size_t> sizes_;
    std::size_t kept_bytes_ = 0;
    std::uint64_t given_back_ = 0;
};

}  // namespace

std::shared_ptr<memory_resource> host_memory() {
    static const std::shared_ptr<memory_resource> shared = std::make_shared<recycling_host_memory>();
    return shared;
}

}  // namespace nz
