// Where work runs and what it may use: threads, memory and its limit, backend, log sink. Always the first
// argument.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nz {

namespace device {
class session;
}

enum class backend : unsigned char { automatic, cpu, cuda };
/// "auto", "cpu", "cuda".
std::string_view name_of(backend b);

/// Same input, same device, same result bit for bit (`strict`), or any valid answer in any order (`fast`).
enum class determinism : unsigned char { strict, fast };

enum class memory_space : unsigned char { host, device, pinned };

/// Gives and takes memory of one space. Implementations are thread-safe.
class memory_resource {
public:
    virtual ~memory_resource() = default;
    /// At least `bytes` bytes aligned to 64. Throws out_of_memory.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* pointer, std::size_t bytes) noexcept = 0;
    virtual memory_space space() const noexcept { return memory_space::host; }
};

/// The resource that contexts use unless told otherwise: large blocks ask for huge pages and are kept for
/// reuse.
std::shared_ptr<memory_resource> host_memory();

struct context_options {
    nz::backend backend = backend::automatic;
    int threads = 0;  ///< 0: what OpenMP offers
    /// Bytes alive at a time on the host; 0: no limit. Pinned memory that a product too large for the GPU leaves it for is not
    /// counted.
    std::size_t memory_limit = 0;
    /// The same on the GPU; 0: memory_limit, there too.
    std::size_t device_memory_limit = 0;
    std::shared_ptr<memory_resource> memory{};  ///< null: host_memory()
    /// A cudaStream_t of the caller's, alive as long as the context, for all its work on the GPU; null: one of its own.
    void* stream = nullptr;
    std::function<void(std::string_view)> log{};  ///< one line a call; null: silent
};

/// Handle to a device, its memory and its settings; cheap to copy, all copies are the same context.
class context {
public:
    /// Throws not_supported when backend::cuda is asked for and this build or machine has none.
    explicit context(context_options options = {});

    nz::backend backend() const;
    int threads() const;
    /// Bytes that may be alive at a time on the host, 0 when unlimited.
    std::size_t memory_limit() const;
    /// Bytes alive now, and the most there have been since the context began or reset_peak().
    std::size_t bytes_in_use() const;
    std::size_t peak_bytes() const;
    void reset_peak();
    /// The counting, limit-keeping resource through which objects of this context allocate.
    const std::shared_ptr<memory_resource>& memory() const;
    /// The GPU's half: null, null and 0 on the CPU.
    device::session* gpu() const;
    const std::shared_ptr<memory_resource>& device_memory() const;
    std::size_t device_memory_limit() const;
    std::size_t device_peak_bytes() const;
    /// Returns when the GPU has done all that was asked of it through this context; at once on the CPU.
    void wait() const;
    /// Returns when all is done that this process put on the GPU, through this context or not, as before memory of its objects is given up
    /// that other kernels read; at once on the CPU and where the stream is the caller's own, whose order holds.
    void wait_for_caller() const;
    /// The GPU's name; empty on the CPU.
    std::string device() const;
    void log(std::string_view line) const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// "0.1.0".
std::string_view version();

}  // namespace nz
