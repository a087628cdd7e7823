#include "core/buffer.hpp"
#include "core/checks.hpp"
#include "core/cuda_check.hpp"
#include "core/device_copies.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

namespace nz::device {
namespace {

// Pinning costs more than the copy that it speeds up, so blocks are kept until the process ends.
class pinned final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        {
            const std::lock_guard lock(mutex_);
            if (const auto it = kept_.find(bytes); it != kept_.end()) {
                void* pointer = it->second;
                kept_.erase(it);
                return pointer;
            }
        }
        void* pointer = nullptr;
        const cudaError_t status = cudaMallocHost(&pointer, bytes);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            fail<out_of_memory>("{} bytes of pinned host memory needed and the system has none to give",
                                bytes);
        }
        check(status);
        return pointer;
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        const std::lock_guard lock(mutex_);
        kept_.emplace(bytes, pointer);
    }
    memory_space space() const noexcept override { return memory_space::host; }

private:
    std::mutex mutex_;
    std::multimap<std::size_t, void*> kept_;
};

__global__ void tell_kernel(std::uint32_t* to, const std::uint32_t* from, std::size_t words) {
    for (std::size_t k = threadIdx.x; k < words; k += blockDim.x) to[k] = from[k];
}

class beside final : public copies {
public:
    explicit beside(session& of) : session_(of) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        check(cudaEventCreateWithFlags(&computed_, cudaEventDisableTiming));
        for (cudaEvent_t& event : copied_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ~beside() override {
        cudaStreamSynchronize(stream_);
        cudaStreamDestroy(stream_);
        cudaEventDestroy(computed_);
        for (cudaEvent_t event : copied_) cudaEventDestroy(event);
    }
    void start(int slot, void* to, const void* from, std::size_t bytes) override {
        check(cudaEventRecord(computed_, computing()));
        check(cudaStreamWaitEvent(stream_, computed_));
        if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
        check(cudaEventRecord(copied_[slot], stream_));
    }
    void reuse(int slot) override { check(cudaStreamWaitEvent(computing(), copied_[slot])); }
    void finish(int slot) override { check(cudaEventSynchronize(copied_[slot])); }
    void wait() override { check(cudaStreamSynchronize(stream_)); }
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
    cudaStream_t stream_ = nullptr;
    cudaEvent_t computed_ = nullptr, copied_[slots] = {};
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
