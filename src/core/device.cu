// The device half of the core, over the CUDA run time.
#include "core/checks.hpp"
#include "core/cuda_handles.hpp"
#include "core/device.hpp"
#include "core/device_fork.hpp"
#include "core/device_stage.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace nz::device {
namespace {

/// Whose memory a pointer is to.
cudaMemoryType memory_type(const void* pointer) {
    cudaPointerAttributes about{};
    const cudaError_t status = cudaPointerGetAttributes(&about, pointer);
    if (status == cudaErrorInvalidValue) {  // older drivers' word for memory that they do not know
        cudaGetLastError();
        return cudaMemoryTypeUnregistered;
    }
    check(status);
    require<not_supported>(about.type != cudaMemoryTypeDevice || about.device == 0,
                           "an array lies in the memory of GPU {}: the library computes on GPU 0 alone",
                           about.device);
    return about.type;
}

constexpr std::size_t block_step = 512;  // what the pool itself rounds to
constexpr std::size_t largest_kept = std::size_t{4} << 20, most_kept = std::size_t{64} << 20;

// A stream and the pool that allocates in its order. Freed blocks stay with the pool: giving them back to the system
// and asking again costs milliseconds. Small ones are kept before it: what was freed in the stream's order may be taken
// again in that order, without a call to the driver, of which a small operation would make a handful.
class pool_memory final : public memory_resource {
public:
    explicit pool_memory(cudaStream_t of_the_caller)
        : own_stream_(of_the_caller ? nullptr : new_stream()),
          stream_(of_the_caller ? of_the_caller : own_stream_.get()) {
        cudaMemPoolProps props{};
        props.allocType = cudaMemAllocationTypePinned;
        props.location.type = cudaMemLocationTypeDevice;
        check(cudaGetDevice(&props.location.id));
        pool_ = made_by<cudaMemPool_t>([&](cudaMemPool_t* at) { return cudaMemPoolCreate(at, &props); });
        std::uint64_t keep = ~std::uint64_t{0};
        check(cudaMemPoolSetAttribute(pool_.get(), cudaMemPoolAttrReleaseThreshold, &keep));
    }
    ~pool_memory() override {
        release_kept();
        cudaStreamSynchronize(stream_);
    }
    void* allocate(std::size_t bytes) override {
        const std::size_t size = rounded(bytes);
        if (void* const kept = take_kept(size)) return kept;
        void* pointer = nullptr;
        cudaError_t status = cudaMallocFromPoolAsync(&pointer, size, pool_.get(), stream_);
        if (status == cudaErrorMemoryAllocation && release_kept()) {
            cudaGetLastError();
            status = cudaMallocFromPoolAsync(&pointer, size, pool_.get(), stream_);
        }
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            std::size_t free = 0, total = 0;
            cudaMemGetInfo(&free, &total);
            fail<out_of_memory>(
                "{} bytes needed on the GPU, {} of its {} free: use a smaller input, or --backend cpu", bytes,
                free, total);
        }
        check(status);
        return pointer;
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        if (!keep(pointer, rounded(bytes))) cudaFreeAsync(pointer, stream_);
    }
    memory_space space() const noexcept override { return memory_space::device; }
    cudaStream_t stream() const { return stream_; }
    bool owns_stream() const { return own_stream_ != nullptr; }
    /// While a graph is recorded no block is kept or taken: replays would share it with whoever has it then.
    void set_recording(bool on) { recording_ = on; }
    bool is_recording() const { return recording_; }

private:
    // To quarters of a power of two, so that blocks of about the same size serve each other.
    static std::size_t rounded(std::size_t bytes) {
        if (bytes > largest_kept) return bytes;
        const std::size_t step = std::max(block_step, std::bit_floor(bytes) / 4);
        return (bytes + step - 1) / step * step;
    }
    void* take_kept(std::size_t size) {
        if (size > largest_kept || recording_) return nullptr;
        const std::lock_guard lock(mutex_);
        const auto it = kept_.find(size);
        if (it == kept_.end() || it->second.empty()) return nullptr;
        void* const pointer = it->second.back();
        it->second.pop_back();
        kept_bytes_ -= size;
        return pointer;
    }
    bool keep(void* pointer, std::size_t size) noexcept {
        if (size > largest_kept || recording_) return false;
        const std::lock_guard lock(mutex_);
        if (kept_bytes_ + size > most_kept) return false;
        try {
            kept_[size].push_back(pointer);
        } catch (...) {  // no room to note it: the pool takes it
            return false;
        }
        kept_bytes_ += size;
        return true;
    }
    // To the pool, where they join to larger ones; whether there were any.
    bool release_kept() noexcept {
        const std::lock_guard lock(mutex_);
        for (auto& [size, blocks] : kept_) {
            for (void* pointer : blocks) cudaFreeAsync(pointer, stream_);
            blocks.clear();
        }
        return std::exchange(kept_bytes_, 0) > 0;
    }

    owned<cudaStream_t> own_stream_;  // none where the caller's is used
    cudaStream_t stream_;
    owned<cudaMemPool_t> pool_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> kept_;
    std::size_t kept_bytes_ = 0;
    std::atomic<bool> recording_ = false;
};

class graph_recording final : public recording {
public:
    graph_recording(std::shared_ptr<pool_memory> pool, const std::function<void()>& work)
        : pool_(std::move(pool)) {
        check(cudaStreamBeginCapture(pool_->stream(), cudaStreamCaptureModeThreadLocal));
        pool_->set_recording(true);
        try {
            work();
        } catch (...) {
            pool_->set_recording(false);
            cudaGraph_t partial = nullptr;
            cudaStreamEndCapture(pool_->stream(), &partial);
            const owned<cudaGraph_t> dropped(partial);
            cudaGetLastError();
            throw;
        }
        pool_->set_recording(false);
        graph_ =
            made_by<cudaGraph_t>([&](cudaGraph_t* at) { return cudaStreamEndCapture(pool_->stream(), at); });
        ready_ = made_by<cudaGraphExec_t>(
            [&](cudaGraphExec_t* at) { return cudaGraphInstantiate(at, graph_.get(), 0); });
    }
    void replay() override { check(cudaGraphLaunch(ready_.get(), pool_->stream())); }

private:
    std::shared_ptr<pool_memory> pool_;
    owned<cudaGraph_t> graph_;
    owned<cudaGraphExec_t> ready_;
};

// A point on a stream, made when it is first set.
class event {
public:
    void record(cudaStream_t stream) {
        if (!event_) event_ = made_by<cudaEvent_t>([](cudaEvent_t* at) { return cudaEventCreate(at); });
        check(cudaEventRecord(event_.get(), stream));
    }
    /// Milliseconds from the other to this, for which it waits.
    double since(const event& other) const {
        check(cudaEventSynchronize(event_.get()));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, other.event_.get(), event_.get()));
        return ms;
    }

private:
    owned<cudaEvent_t> event_;
};

// What a thread times: another may time its own work on the stream meanwhile.
struct points {
    event begin, end;
    std::vector<event> marks;
    std::size_t marks_in_use = 0;
};
class points_of_threads {
public:
    points& of_this_thread() {
        const std::lock_guard lock(mutex_);
        return points_[std::this_thread::get_id()];
    }

private:
    std::mutex mutex_;
    std::map<std::thread::id, points> points_;
};

class cuda_session final : public session {
public:
    cuda_session(cudaStream_t stream, int threads)
        : pool_(std::make_shared<pool_memory>(stream)),
          memory_(pool_),
          side_(pool_->stream()),
          stage_(threads) {
        cudaDeviceProp properties{};
        int device = 0;
        check(cudaGetDevice(&device));
        require<not_supported>(device == 0,
                               "GPU {} is the current one, and the library computes on GPU 0 alone: let "
                               "CUDA_VISIBLE_DEVICES name the one that is meant",
                               device);
        check(cudaGetDeviceProperties(&properties, device));
        facts_ = {properties.name, properties.multiProcessorCount,
                  static_cast<std::size_t>(properties.l2CacheSize), properties.totalGlobalMem};
    }
    const facts& about() const override { return facts_; }
    const std::shared_ptr<memory_resource>& memory() const override { return memory_; }
    void* stream() const override { return pool_->stream(); }
    std::unique_ptr<fork> fork_into(int pieces) override { return side_.open(pieces); }
    void upload(void* to, const void* from, std::size_t bytes) override {
        uploaded_ += bytes;
        if (bytes == 0 || by_stage(from, bytes, [&] { stage_.upload(stream(), to, from, bytes); })) return;
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, pool_->stream()));
        // From pageable memory the call returns once the source has been read, from pinned memory before.
        if (memory_type(from) == cudaMemoryTypeHost) wait();
    }
    std::size_t uploaded_bytes() const override { return uploaded_; }
    void download(void* to, const void* from, std::size_t bytes) override {
        if (by_stage(to, bytes, [&] { stage_.download(stream(), to, from, bytes); })) return;
        if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, pool_->stream()));
        wait();
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, pool_->stream()));
    }
    bool holds(const void* pointer) const override {
        const cudaMemoryType type = memory_type(pointer);
        return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
    }
    void fill(void* at, unsigned char byte, std::size_t bytes) override {
        if (bytes) check(cudaMemsetAsync(at, byte, bytes, pool_->stream()));
    }
    void timed(const std::function<void()>& work) override {
        points& own = own_.of_this_thread();
        own.begin.record(pool_->stream());
        work();
        own.end.record(pool_->stream());
    }
    double milliseconds() override {
        const points& own = own_.of_this_thread();
        return own.end.since(own.begin);
    }
    void mark() override {
        points& own = own_.of_this_thread();
        if (own.marks_in_use == own.marks.size()) own.marks.emplace_back();
        own.marks[own.marks_in_use++].record(pool_->stream());
    }
    std::vector<double> times_between() override {
        points& own = own_.of_this_thread();
        std::vector<double> times;
        for (std::size_t k = 1; k < own.marks_in_use; ++k)
            times.push_back(own.marks[k].since(own.marks[k - 1]));
        own.marks_in_use = 0;
        return times;
    }
    std::unique_ptr<recording> record(const std::function<void()>& work) override {
        return std::make_unique<graph_recording>(pool_, work);
    }
    void wait() override { check(cudaStreamSynchronize(pool_->stream())); }
    void wait_for_caller() override {
        if (pool_->owns_stream()) check(cudaDeviceSynchronize());
    }

private:
    // Whether `copy` was done: where it pays and there is pinned memory for it.
    bool by_stage(const void* on_host, std::size_t bytes, const std::function<void()>& copy) {
        if (bytes < stage::least || pool_->is_recording() ||
            memory_type(on_host) != cudaMemoryTypeUnregistered)
            return false;
        try {
            copy();
        } catch (const out_of_memory&) {
            return false;
        }
        return true;
    }

    std::shared_ptr<pool_memory> pool_;
    std::shared_ptr<memory_resource> memory_;
    side_streams side_;
    stage stage_;
    facts facts_;
    std::atomic<std::size_t> uploaded_ = 0;
    points_of_threads own_;
};

}  // namespace

std::string why_absent() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess)
        return std::string("the CUDA driver finds no GPU here (") + cudaGetErrorString(status) + ")";
    return count ? "" : "there is no GPU here";
}

std::shared_ptr<session> open(void* stream, int threads) {
    const std::string why = why_absent();
    require<not_supported>(why.empty(), "{}: use --backend cpu, or auto, which takes the CPU here", why);
    return std::make_shared<cuda_session>(static_cast<cudaStream_t>(stream), threads);
}

}  // namespace nz::device
