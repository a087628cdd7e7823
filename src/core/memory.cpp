// The default host resource. Fresh 4 KiB pages cost about 2.3 GB/s to touch and read at half the rate of huge
// ones on the machines we measured, so large blocks are aligned to 2 MiB, ask for huge pages, and are kept
// for the next request of a similar size; where that is too much, those given back longest ago go first.
#include "core/checks.hpp"
#include "core/kept_blocks.hpp"
#include "nonzero/context.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace nz {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large_block = std::size_t{1}
                                    << 20;  // below: plain malloc, the C library recycles it well
constexpr std::size_t keep_limit = std::size_t{2}
                                   << 30;  // kept for reuse at most; a larger block goes back at once

class recycling_host_memory final : public memory_resource {
public:
    ~recycling_host_memory() override { kept_.clear(); }

    void* allocate(std::size_t bytes) override {
        if (bytes < large_block) return take(bytes, 64);
        const std::size_t size = (bytes + huge_page - 1) / huge_page * huge_page;
        if (void* const kept = kept_.take(size)) return kept;
        void* const pointer = take(size, huge_page);
        ::madvise(pointer, size, MADV_HUGEPAGE);  // a wish; small pages work too
        kept_.note(pointer, size);
        return pointer;
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        bytes < large_block ? std::free(pointer) : kept_.give_back(pointer);
    }

private:
    void* take(std::size_t bytes, std::size_t alignment) {
        require<out_of_memory>(bytes <= (std::size_t{1} << 46),
                               "{} bytes needed: more than this machine can address", bytes);
        const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
        void* pointer = std::aligned_alloc(alignment, whole);
        if (!pointer && kept_.clear()) pointer = std::aligned_alloc(alignment, whole);
        require<out_of_memory>(pointer != nullptr, "{} bytes needed and the system has none to give", bytes);
        return pointer;
    }

    kept_blocks kept_{keep_limit, [](void* pointer) noexcept { std::free(pointer); }};
};

}  // namespace

std::shared_ptr<memory_resource> host_memory() {
    static const std::shared_ptr<memory_resource> shared = std::make_shared<recycling_host_memory>();
    return shared;
}

}  // namespace nz
