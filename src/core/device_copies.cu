#include "core/buffer.hpp"
#include "core/checks.hpp"
#include "core/cuda_handles.hpp"
#include "core/device_copies.hpp"
#include "core/kept_blocks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace nz::device {
namespace {

// Pinning costs more than the copy that it speeds up (a result of 27 GB crosses the link in 0.5 s, and its memory was pinned in 12), so
// blocks are kept, up to half of the host's memory. Machines may have more of it as they go on.
std::size_t pinned_kept() noexcept {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    constexpr std::size_t least = std::size_t{4} << 30;
    return pages > 0 && page > 0
               ? std::max(least, static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page))
               : least;
}
void release_pinned(void* pointer) noexcept { cudaFreeHost(pointer); }

class pinned final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        const std::size_t size = (bytes + page - 1) / page * page;
        if (void* const kept = kept_.take(size)) return kept;
        void* pointer = nullptr;
        cudaError_t status = cudaMallocHost(&pointer, size);
        if (status == cudaErrorMemoryAllocation && kept_.clear()) {
            cudaGetLastError();
            status = cudaMallocHost(&pointer, size);
        }
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            fail<out_of_memory>("{} bytes of pinned host memory needed and the system has none to give",
                                bytes);
        }
        check(status);
        kept_.note(pointer, size);
        return pointer;
    }
    void deallocate(void* pointer, std::size_t) noexcept override {
        kept_.keep_up_to(pinned_kept());
        kept_.give_back(pointer);
    }
    memory_space space() const noexcept override { return memory_space::host; }

private:
    static constexpr std::size_t page = 4096;
    // Not released at the end of the process, when CUDA may have gone.
    kept_blocks kept_{pinned_kept(), &release_pinned};
};

__global__ void tell_kernel(std::uint32_t* to, const std::uint32_t* from, std::size_t words) {
    for (std::size_t k = threadIdx.x; k < words; k += blockDim.x) to[k] = from[k];
}

class beside final : public copies {
public:
    explicit beside(session& of) : session_(of), stream_(new_stream()), computed_(new_event()) {
        for (owned<cudaEvent_t>& event : copied_) event = new_event();
    }
    ~beside() override { cudaStreamSynchronize(stream_.get()); }
    void start(int slot, void* to, const void* from, std::size_t bytes) override {
        check(cudaEventRecord(computed_.get(), computing()));
        check(cudaStreamWaitEvent(stream_.get(), computed_.get()));
        if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_.get()));
        check(cudaEventRecord(copied_[slot].get(), stream_.get()));
    }
    void reuse(int slot) override { check(cudaStreamWaitEvent(computing(), copied_[slot].get())); }
    void finish(int slot) override { check(cudaEventSynchronize(copied_[slot].get())); }
    void wait() override { check(cudaStreamSynchronize(stream_.get())); }
    void read(void* to, const void* from, std::size_t bytes) override {
        if (told_.bytes() < bytes) told_ = buffer(pinned_memory(), bytes);
        tell_kernel<<<1, 128, 0, computing()>>>(told_.as<std::uint32_t>(),
                                                static_cast<const std::uint32_t*>(from),
                                                bytes / sizeof(std::uint32_t));
        check(cudaGetLastError());
        check(cudaStreamSynchronize(computing()));
        std::memcpy(to, told_.data(), bytes);
    }

private:
    cudaStream_t computing() const { return static_cast<cudaStream_t>(session_.stream()); }

    session& session_;
    owned<cudaStream_t> stream_;
    owned<cudaEvent_t> computed_, copied_[slots];
    buffer told_;  // pinned
};

}  // namespace

std::shared_ptr<memory_resource> pinned_memory() {
    // Never destroyed: at the end of the process the CUDA run time may be gone before it.
    static const auto* const shared = new std::shared_ptr<memory_resource>(std::make_shared<pinned>());
    return *shared;
}

std::unique_ptr<copies> copies_beside(session& of) { return std::make_unique<beside>(of); }

}  // namespace nz::device
