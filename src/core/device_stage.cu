#include "core/cuda_check.hpp"
#include "core/device_copies.hpp"
#include "core/device_stage.hpp"
#include "core/host_copy.hpp"

#include <algorithm>

namespace nz::device {
namespace {

cudaEvent_t event(void* of) { return static_cast<cudaEvent_t>(of); }
cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

stage::~stage() {
    for (void* of : done_)
        if (of) {
            cudaEventSynchronize(event(of));
            cudaEventDestroy(event(of));
        }
}

void stage::take() {
    if (blocks_.data()) return;
    for (void*& of : done_) {
        if (of) continue;
        cudaEvent_t made = nullptr;
        check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
        of = made;
    }
    blocks_ = buffer(pinned_memory(), slots * block);  // last: it says that all is there
}

void stage::upload(void* stream, void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    take();
    for (std::size_t n = 0; n * block < bytes; ++n) {
        const std::size_t begin = n * block, count = std::min(block, bytes - begin);
        check(cudaEventSynchronize(event(done_[n % slots])));
        copy_by_threads(threads_, at(n), static_cast<const std::byte*>(from) + begin, count);
        check(cudaMemcpyAsync(static_cast<std::byte*>(to) + begin, at(n), count, cudaMemcpyHostToDevice,
                              on(stream)));
        check(cudaEventRecord(event(done_[n % slots]), on(stream)));
    }
}

void stage::download(void* stream, void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    take();
    const std::size_t pieces = (bytes + block - 1) / block;
    const auto empty = [&](std::size_t n) {
        const std::size_t begin = n * block;
        check(cudaEventSynchronize(event(done_[n % slots])));
        copy_by_threads(threads_, static_cast<std::byte*>(to) + begin, at(n), std::min(block, bytes - begin));
    };
    for (void* of : done_) check(cudaEventSynchronize(event(of)));  // an upload before
    for (std::size_t n = 0; n < pieces + slots; ++n) {
        if (n >= slots) empty(n - slots);
        if (n >= pieces) continue;
        const std::size_t begin = n * block;
        check(cudaMemcpyAsync(at(n), static_cast<const std::byte*>(from) + begin,
                              std::min(block, bytes - begin), cudaMemcpyDeviceToHost, on(stream)));
        check(cudaEventRecord(event(done_[n % slots]), on(stream)));
    }
}

}  // namespace nz::device
