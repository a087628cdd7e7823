// A GPU as the rest of the library sees it: plain C++, so that only .cu files need nvcc. Built without CUDA, opening
// one always fails with the reason.
#pragma once

#include "nonzero/context.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nz::device {

struct facts {
    std::string name;
    int multiprocessors = 0;
    std::size_t l2_bytes = 0, memory_bytes = 0;
};

/// Work that was put on a session's stream once and may be run again at the cost of one launch.
class recording {
public:
    virtual ~recording() = default;
    virtual void replay() = 0;
};

/// Pieces of one step that need not follow one another: each comes after what the session's stream has, and what is put there after
/// join() or this one's end comes after them all.
class fork {
public:
    virtual ~fork() = default;
    /// A cudaStream_t for the next piece.
    virtual void* next() = 0;
    virtual void join() = 0;
};

/// One device with a stream of its own, on which all its work is ordered.
class session {
public:
    virtual ~session() = default;
    virtual const facts& about() const = 0;
    /// The stream-ordered pool. What it gives is for work on this stream.
    virtual const std::shared_ptr<memory_resource>& memory() const = 0;
    /// A cudaStream_t.
    virtual void* stream() const = 0;
    /// A step in so many pieces; of one piece it costs nothing.
    virtual std::unique_ptr<fork> fork_into(int pieces) = 0;
    /// Ordered on the stream; `from` may change once the call returns.
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    /// All that upload() has taken so far.
    virtual std::size_t uploaded_bytes() const = 0;
    /// Returns when the bytes are there.
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
    /// From device memory to device memory.
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
    /// Whether a pointer of the caller's is to this device's memory.
    virtual bool holds(const void* pointer) const = 0;
    virtual void fill(void* at, unsigned char byte, std::size_t bytes) = 0;
    /// Puts `work` on the stream between two events, the calling thread's own; milliseconds() waits for it and tells what it took, with
    /// what other threads put there meanwhile.
    virtual void timed(const std::function<void()>& work) = 0;
    virtual double milliseconds() = 0;
    /// A point on the stream. times_between() waits for the last and tells the milliseconds from each of the thread's own to the next since
    /// it was asked last.
    virtual void mark() = 0;
    virtual std::vector<double> times_between() = 0;
    /// What `work` puts on the stream, not run yet (a CUDA graph). Throws device_error when it waits or allocates.
    virtual std::unique_ptr<recording> record(const std::function<void()>& work) = 0;
    virtual void wait() = 0;
    /// Before arrays of the caller's are read: returns when all is done that this process put on the device, or at once
    /// where the stream is the caller's own, whose order holds.
    virtual void wait_for_caller() = 0;
};

/// Why no device can be used here; empty where one can.
std::string why_absent();
/// The device that is current where it is called, on the caller's stream (a cudaStream_t that outlives the session) or one of its own; up to so many threads take
/// part in large copies. Throws not_supported where there is none.
std::shared_ptr<session> open(void* stream, int threads);
/// What a context with a GPU may still take there: of its memory limit, or of all that the GPU has, of which others may hold some.
std::size_t bytes_left(const context& ctx);

/// Bytes that came to a context's GPU from host memory since this was made, by any of its threads; none without a GPU.
class arrivals {
public:
    explicit arrivals(const context& ctx) : gpu_(ctx.gpu()), before_(gpu_ ? gpu_->uploaded_bytes() : 0) {}
    std::size_t bytes() const { return gpu_ ? gpu_->uploaded_bytes() - before_ : 0; }

private:
    const session* gpu_;
    std::size_t before_;
};

}  // namespace nz::device
