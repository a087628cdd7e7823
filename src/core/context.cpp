#include "nonzero/context.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>

namespace nz {

// Counts what is alive and refuses what the limit does not allow.
class counting_memory final : public memory_resource {
public:
    counting_memory(std::shared_ptr<memory_resource> upstream, std::size_t limit)
        : upstream_(std::move(upstream)), limit_(limit) {}

    void* allocate(std::size_t bytes) override {
        // Counted only where it fits: what does not is never in the way of another thread's request.
        std::size_t before = in_use_.load();
        do {
            require<out_of_memory>(
                !limit_ || (bytes <= limit_ && before <= limit_ - bytes),
                "{} bytes needed on the {}, {} of the memory limit of {} in use there: raise the limit or make the input smaller",
                bytes, upstream_->space() == memory_space::device ? "GPU" : "host", before, limit_);
        } while (!in_use_.compare_exchange_weak(before, before + bytes));
        const std::size_t after = before + bytes;
        void* pointer = nullptr;
        try {
            pointer = upstream_->allocate(bytes);
        } catch (...) {
            in_use_ -= bytes;
            throw;
        }
        std::size_t seen = peak_.load();
        while (after > seen && !peak_.compare_exchange_weak(seen, after)) {
        }
        return pointer;
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        upstream_->deallocate(pointer, bytes);
        in_use_ -= bytes;
    }
    memory_space space() const noexcept override { return upstream_->space(); }

    std::shared_ptr<memory_resource> upstream_;
    const std::size_t limit_;
    std::atomic<std::size_t> in_use_{0}, peak_{0};
};

struct context::state {
    nz::backend backend;
    int threads;
    std::shared_ptr<counting_memory> counter;
    std::shared_ptr<memory_resource> memory;
    std::function<void(std::string_view)> log;
    std::shared_ptr<device::session> gpu{};             // null on the CPU
    std::shared_ptr<counting_memory> device_counter{};  // null on the CPU
    std::shared_ptr<memory_resource> device_memory{};
};

// More than any machine has; libgomp keeps what it knows of a team on the stack, which OMP_NUM_THREADS=99999 overflows.
constexpr int most_threads = 4096;

context::context(context_options options) {
    require<domain_error>(options.threads >= 0 && options.threads <= most_threads,
                          "{} threads: give 1 to {}, or 0 for all", options.threads, most_threads);
    auto counter = std::make_shared<counting_memory>(options.memory ? options.memory : host_memory(),
                                                     options.memory_limit);
    const bool gpu = options.backend == backend::cuda ||
                     (options.backend == backend::automatic && device::why_absent().empty());
    state_ = std::make_shared<state>(
        state{gpu ? backend::cuda : backend::cpu,
              options.threads ? options.threads : std::min(omp_get_max_threads(), most_threads), counter,
              counter, std::move(options.log)});
    if (!gpu) return;
    state_->gpu = device::open(options.stream, state_->threads);
    state_->device_memory = state_->device_counter = std::make_shared<counting_memory>(
        state_->gpu->memory(),
        options.device_memory_limit ? options.device_memory_limit : options.memory_limit);
}

backend context::backend() const { return state_->backend; }
int context::threads() const { return state_->threads; }
std::size_t context::memory_limit() const { return state_->counter->limit_; }
std::size_t context::bytes_in_use() const { return state_->counter->in_use_; }
std::size_t context::peak_bytes() const { return state_->counter->peak_; }
void context::reset_peak() {
    for (const auto& counter : {state_->counter, state_->device_counter})
        if (counter) counter->peak_ = counter->in_use_.load();
}
const std::shared_ptr<memory_resource>& context::memory() const { return state_->memory; }
device::session* context::gpu() const { return state_->gpu.get(); }
const std::shared_ptr<memory_resource>& context::device_memory() const { return state_->device_memory; }
std::size_t context::device_memory_limit() const {
    return state_->device_counter ? state_->device_counter->limit_ : 0;
}
std::size_t context::device_peak_bytes() const {
    return state_->device_counter ? state_->device_counter->peak_.load() : 0;
}
void context::wait() const {
    if (state_->gpu) state_->gpu->wait();
}
void context::wait_for_caller() const {
    if (state_->gpu) state_->gpu->wait_for_caller();
}
std::string context::device() const { return state_->gpu ? state_->gpu->about().name : std::string(); }
void context::log(std::string_view line) const {
    if (state_->log) state_->log(line);
}

std::size_t device::bytes_left(const context& ctx) {
    const auto& counter = static_cast<const counting_memory&>(*ctx.device_memory());
    const std::size_t all = ctx.gpu()->about().memory_bytes, used = counter.in_use_,
                      allowed = counter.limit_ ? std::min(counter.limit_, all) : all;
    return used < allowed ? allowed - used : 0;
}

std::string_view name_of(backend b) {
    return b == backend::automatic ? "auto" : b == backend::cpu ? "cpu" : "cuda";
}
std::string_view version() { return NONZERO_VERSION; }

}  // namespace nz
