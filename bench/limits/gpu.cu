// Measures the GPU at hand, for limits/gpu.hpp. Each figure is the median of a few passes between two events, after
// one that warms up; only the read-back, which ends on the host, is read from the host's clock.
//
// Streams go over 4 GiB, or an eighth of the free memory where that is less: far beyond the second level cache, and long
// enough that the launch does not count. A copy is the faster of the driver's and a kernel's. Scattered accesses come
// from a grid that fills the device; every thread draws its own places from a congruential sequence whose high bits
// choose the entry, and keeps four accesses in flight. A table that a cache holds is read from there, as the vector of a
// matvec would be.
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "limits/gpu.hpp"

#include <cooperative_groups.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace nz::bench {
namespace {

constexpr int block_threads = 256, blocks_a_multiprocessor = 8;  // 2048 threads: all that one holds
constexpr std::size_t most_stream_bytes = std::size_t{1} << 32, link_bytes = std::size_t{1} << 28;
constexpr std::size_t table_megabytes[] = {1, 4, 16, 32, 64, 256, 1024};
constexpr int in_flight = 4, gathers_a_thread = 256, atomics_a_thread = 64;

__global__ void nothing_kernel() {}

__global__ void count_kernel(int* counter) { ++*counter; }

// A thread for each 16-byte word: a grid that strides over the words stays behind the driver's copy.
__global__ void copy_kernel(const int4* from, int4* to, std::size_t n) {
    const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (k < n) to[k] = from[k];
}

// The sum is stored where it has one value out of 2^32: enough to keep the loads.
__global__ void read_kernel(const int4* from, int* out, std::size_t n) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    int sum = 0;
    for (; k + (in_flight - 1) * stride < n; k += in_flight * stride) {
        int4 words[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) words[i] = from[k + i * stride];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) sum ^= words[i].x ^ words[i].y ^ words[i].z ^ words[i].w;
    }
    for (; k < n; k += stride) sum ^= from[k].x;
    if (sum == 0x2545f491) *out = sum;
}

// Places of one thread. Seeds of neighbours are mixed, or a warp's places would be evenly spaced.
class random_places {
public:
    __device__ explicit random_places(std::uint32_t entries) : entries_(entries) {
        state_ = blockIdx.x * blockDim.x + threadIdx.x + 1;
        state_ = (state_ ^ (state_ >> 16)) * 0x7feb352du;
        state_ = (state_ ^ (state_ >> 15)) * 0x846ca68bu;
        state_ ^= state_ >> 16;
    }
    __device__ std::uint32_t next() {
        state_ = state_ * 1664525u + 1013904223u;
        return __umulhi(state_, entries_);
    }

private:
    std::uint32_t state_, entries_;
};

template <class T>
__global__ void __launch_bounds__(block_threads, blocks_a_multiprocessor)
    gather_kernel(const T* table, std::uint32_t entries, int* out) {
    random_places places(entries);
    T sum = 0;
    for (int round = 0; round < gathers_a_thread; round += in_flight) {
        T found[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) found[i] = table[places.next()];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) sum ^= found[i];
    }
    if (static_cast<std::uint32_t>(sum) == 0x2545f491u) *out = 1;
}

template <bool Or>
__global__ void __launch_bounds__(block_threads, blocks_a_multiprocessor)
    atomic_kernel(std::uint32_t* table, std::uint32_t entries) {
    random_places places(entries);
#pragma unroll 4
    for (int round = 0; round < atomics_a_thread; ++round) {
        const std::uint32_t place = places.next();
        if constexpr (Or)
            atomicOr(table + place, 1u << (place * 0x9e3779b9u >> 27));
        else
            atomicAdd(table + place, 1u);
    }
}

__global__ void barrier_kernel(int rounds) {
    const auto grid = cooperative_groups::this_grid();
    for (int k = 0; k < rounds; ++k) grid.sync();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// What the measurements share: a stream, two events, memory to work on.
class bench_device {
public:
    bench_device() {
        check(cudaGetDeviceProperties(&about_, 0));
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        check(cudaEventCreate(&begin_));
        check(cudaEventCreate(&end_));
        std::size_t free = 0, total = 0;
        check(cudaMemGetInfo(&free, &total));
        stream_bytes_ = std::min(most_stream_bytes, free / 8 / sizeof(int4) * sizeof(int4));
        check(cudaMalloc(&from_, stream_bytes_));
        check(cudaMalloc(&to_, stream_bytes_));
        check(cudaMallocHost(&host_, link_bytes));
        check(cudaMemsetAsync(from_, 0x5a, stream_bytes_, stream_));
        check(cudaMemsetAsync(to_, 0xa5, stream_bytes_, stream_));
        std::fill_n(static_cast<unsigned char*>(host_), link_bytes, 0x3c);
    }
    ~bench_device() {
        cudaFree(from_);
        cudaFree(to_);
        cudaFreeHost(host_);
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
        cudaStreamDestroy(stream_);
    }
    bench_device(const bench_device&) = delete;
    bench_device& operator=(const bench_device&) = delete;

    gpu_limits measure() {
        gpu_limits l;
        l.device = about_.name;
        streams(l);
        for (const std::size_t megabytes : table_megabytes)
            if (megabytes << 20 <= stream_bytes_) l.scattered.push_back(scattered(megabytes << 20));
        launches(l);
        barriers(l);
        link(l);
        return l;
    }

private:
    // The median of `passes` passes, each of which does `count` of something.
    rate timed(double count, int passes, const std::function<void()>& pass) {
        std::vector<double> times;
        for (int k = 0; k <= passes; ++k) {
            check(cudaEventRecord(begin_, stream_));
            pass();
            check(cudaGetLastError());
            check(cudaEventRecord(end_, stream_));
            check(cudaEventSynchronize(end_));
            float ms = 0;
            check(cudaEventElapsedTime(&ms, begin_, end_));
            if (k > 0) times.push_back(ms);
        }
        const double ms = median(times);
        return {ms, count / ms * 1e3};
    }
    int full_grid() const { return about_.multiProcessorCount * blocks_a_multiprocessor; }
    double full_threads() const { return static_cast<double>(full_grid()) * block_threads; }

    void streams(gpu_limits& l) {
        const std::size_t n = stream_bytes_ / sizeof(int4);
        const auto* from = static_cast<const int4*>(from_);
        const auto bytes = static_cast<double>(stream_bytes_);
        const rate by_driver = timed(2 * bytes, 9, [&] {
            check(cudaMemcpyAsync(to_, from_, stream_bytes_, cudaMemcpyDeviceToDevice, stream_));
        });
        const rate by_kernel = timed(2 * bytes, 9, [&] {
            copy_kernel<<<static_cast<unsigned>((n + block_threads - 1) / block_threads), block_threads, 0,
                          stream_>>>(from, static_cast<int4*>(to_), n);
        });
        l.copy = by_driver.ms < by_kernel.ms ? by_driver : by_kernel;
        l.read = timed(bytes, 9, [&] {
            read_kernel<<<full_grid(), block_threads, 0, stream_>>>(from, static_cast<int*>(to_), n);
        });
    }

    template <class T>
    rate gathers(std::size_t table_bytes) {
        return timed(full_threads() * gathers_a_thread, 5, [&] {
            gather_kernel<T><<<full_grid(), block_threads, 0, stream_>>>(
                static_cast<const T*>(from_), static_cast<std::uint32_t>(table_bytes / sizeof(T)),
                static_cast<int*>(to_));
        });
    }
    template <bool Or>
    rate atomics(std::size_t table_bytes) {
        return timed(full_threads() * atomics_a_thread, 5, [&] {
            atomic_kernel<Or><<<full_grid(), block_threads, 0, stream_>>>(
                static_cast<std::uint32_t*>(to_), static_cast<std::uint32_t>(table_bytes / 4));
        });
    }
    scattered_rates scattered(std::size_t table_bytes) {
        return {table_bytes, gathers<std::uint32_t>(table_bytes), gathers<std::uint64_t>(table_bytes),
                atomics<true>(table_bytes), atomics<false>(table_bytes)};
    }

    void launches(gpu_limits& l) {
        constexpr int count = 1000, nodes = 100;
        const auto many = [&](int grid, int threads) {
            return timed(count, 5, [&] {
                for (int k = 0; k < count; ++k) nothing_kernel<<<grid, threads, 0, stream_>>>();
            });
        };
        l.launch = many(1, 32);
        l.launch_full = many(full_grid(), block_threads);
        std::vector<double> times;
        for (int k = 0; k < 201; ++k) {
            const auto start = std::chrono::steady_clock::now();
            count_kernel<<<1, 1, 0, stream_>>>(static_cast<int*>(to_));
            check(cudaMemcpyAsync(host_, to_, sizeof(int), cudaMemcpyDeviceToHost, stream_));
            check(cudaStreamSynchronize(stream_));
            times.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        }
        l.launch_read_back = {median(times), 1e3 / median(times)};

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (int k = 0; k < nodes; ++k)
            nothing_kernel<<<about_.multiProcessorCount, block_threads, 0, stream_>>>();
        check(cudaStreamEndCapture(stream_, &graph));
        check(cudaGraphInstantiate(&ready, graph, 0));
        l.graph_node = timed(nodes, 11, [&] { check(cudaGraphLaunch(ready, stream_)); });
        check(cudaGraphExecDestroy(ready));
        check(cudaGraphDestroy(graph));
    }

    void barriers(gpu_limits& l) {
        int rounds = 1000;
        void* arguments[] = {&rounds};
        const auto of = [&](int blocks) {
            return timed(rounds, 5, [&] {
                check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&barrier_kernel),
                                                  dim3(about_.multiProcessorCount * blocks),
                                                  dim3(block_threads), arguments, 0, stream_));
            });
        };
        l.barrier = of(1);
        l.barrier_full = of(4);
    }

    void link(gpu_limits& l) {
        l.to_device = timed(1.0 * link_bytes, 5, [&] {
            check(cudaMemcpyAsync(from_, host_, link_bytes, cudaMemcpyHostToDevice, stream_));
        });
        l.to_host = timed(1.0 * link_bytes, 5, [&] {
            check(cudaMemcpyAsync(host_, from_, link_bytes, cudaMemcpyDeviceToHost, stream_));
        });
        std::vector<std::byte> pageable(link_bytes);
        l.pageable_to_device = timed(1.0 * link_bytes, 5, [&] {
            check(cudaMemcpyAsync(from_, pageable.data(), link_bytes, cudaMemcpyHostToDevice, stream_));
        });
        l.pageable_to_host = timed(1.0 * link_bytes, 5, [&] {
            check(cudaMemcpyAsync(pageable.data(), from_, link_bytes, cudaMemcpyDeviceToHost, stream_));
        });
    }

    cudaDeviceProp about_{};
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
    std::size_t stream_bytes_ = 0;
    void *from_ = nullptr, *to_ = nullptr, *host_ = nullptr;
};

}  // namespace

const gpu_limits& measured_gpu_limits() {
    static const gpu_limits limits = [] {
        if (const std::string why = device::why_absent(); !why.empty()) throw not_supported(why);
        return bench_device().measure();
    }();
    return limits;
}

}  // namespace nz::bench
