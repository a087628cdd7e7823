#include "core/cuda_check.hpp"
#include "core/device_fork.hpp"

#include <algorithm>

namespace nz::device {
namespace {

cudaStream_t stream_of(void* s) { return static_cast<cudaStream_t>(s); }
cudaEvent_t event_of(void* e) { return static_cast<cudaEvent_t>(e); }

}  // namespace

class side_streams::open_fork final : public fork {
public:
    open_fork(side_streams& of, int pieces) : of_(of), beside_(std::clamp(pieces - 1, 0, most)) {
        if (beside_ > 0) check(cudaEventRecord(event_of(of_.begin_), stream_of(of_.main_)));
    }
    ~open_fork() override {
        for (int n = 0; n < entered_; ++n)
            if (cudaEventRecord(event_of(of_.done_[n]), stream_of(of_.streams_[n])) == cudaSuccess)
                cudaStreamWaitEvent(stream_of(of_.main_), event_of(of_.done_[n]), 0);
    }
    // The session's own stream first, so that a single piece costs nothing.
    void* next() override {
        const int n = next_;
        next_ = n == beside_ ? 0 : n + 1;
        if (n == 0) return of_.main_;
        if (n > entered_) {
            check(cudaStreamWaitEvent(stream_of(of_.streams_[n - 1]), event_of(of_.begin_), 0));
            entered_ = n;
        }
        return of_.streams_[n - 1];
    }
    void join() override {
        for (; entered_ > 0; --entered_) {
            check(cudaEventRecord(event_of(of_.done_[entered_ - 1]), stream_of(of_.streams_[entered_ - 1])));
            check(cudaStreamWaitEvent(stream_of(of_.main_), event_of(of_.done_[entered_ - 1]), 0));
        }
        next_ = 0;
    }

private:
    side_streams& of_;
    const int beside_;
    int next_ = 0, entered_ = 0;
};

std::unique_ptr<fork> side_streams::open(int pieces) {
    if (pieces > 1) make();
    return std::make_unique<open_fork>(*this, pieces);
}

void side_streams::make() {
    const std::lock_guard lock(mutex_);
    if (made_) return;
    int priority = 0;
    check(cudaStreamGetPriority(stream_of(main_), &priority));
    const auto event = [](void*& at) {
        if (!at) check(cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(&at), cudaEventDisableTiming));
    };
    event(begin_);
    for (int n = 0; n < most; ++n) {
        if (!streams_[n])
            check(cudaStreamCreateWithPriority(reinterpret_cast<cudaStream_t*>(streams_ + n),
                                               cudaStreamNonBlocking, priority));
        event(done_[n]);
    }
    made_ = true;
}

side_streams::~side_streams() {
    for (void* stream : streams_)
        if (stream) cudaStreamDestroy(stream_of(stream));
    for (void* event : done_)
        if (event) cudaEventDestroy(event_of(event));
    if (begin_) cudaEventDestroy(event_of(begin_));
}

}  // namespace nz::device
