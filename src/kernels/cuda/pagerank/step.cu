// pagerank/step on a GPU: r' = t + (1 - sum t) p, y' = scale r', and sum |r' - r| (Brin and Page, 1998), in one kernel.
//
// Computes also d sum r' over vertices with edges out, which is what the next t sums up to when every row takes part in it;
//   where some did not (the adaptive form) a kernel of its own takes the sum of t first.
// Who owns what: a block of 256 threads has 2,048 places, thread t those at t, t + 256, ...; the block that is the last to have
//   summed adds up what all have left, in order of their places.
// Sync: barriers of a tree of fixed shape, one counter; nothing waits for the host.
// Memory: t, r, p and scale once, r and y written once. Workspace: two doubles a block.
// Determinism: sums are taken in double, in an order that the size alone determines.
// Distance to the limit (H200): with its product 1.00 to 1.23 times the floor on graphs of long rows, in double:
//   docs/measurements/graphs.md (graph algorithms on a GPU).
// Why ewise, apply and reduce were not enough: seven passes, and three times the host waited for a number.
#include "core/cuda_check.hpp"
#include "kernels/cuda/pagerank/step.cuh"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr int turns = static_cast<int>(pagerank_block) / static_cast<int>(threads);

__device__ pagerank_sums operator+(pagerank_sums x, pagerank_sums y) {
    return {x.moved + y.moved, x.carried + y.carried};
}

/// The block's sums, right in thread 0.
__device__ pagerank_sums sum_of_block(pagerank_sums mine) {
    constexpr unsigned warps = threads / 32;
    __shared__ pagerank_sums of_warp[warps];
    const auto fold = [&](unsigned from) {
        for (unsigned distance = from; distance > 0; distance /= 2)
            mine = mine + pagerank_sums{__shfl_down_sync(~0u, mine.moved, distance),
                                        __shfl_down_sync(~0u, mine.carried, distance)};
    };
    fold(16);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < warps ? of_warp[threadIdx.x] : pagerank_sums{};
        fold(warps / 2);
    }
    __syncthreads();
    return mine;
}

/// finish(sums over all blocks), called by thread 0 of the last block that comes here. `arrived` is 0 before and after.
template <class Finish>
__device__ void sum_of_grid(pagerank_sums mine, pagerank_sums* parts, unsigned* arrived, Finish&& finish) {
    __shared__ bool last;
    const pagerank_sums own = sum_of_block(mine);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
        __threadfence();
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    pagerank_sums sum{};
#pragma unroll 8
    for (unsigned block = threadIdx.x; block < gridDim.x; block += threads) {
        const double2 part = __ldcg(reinterpret_cast<const double2*>(parts + block));
        sum = sum + pagerank_sums{part.x, part.y};
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) finish(sum);
}

template <class T>
__global__ void __launch_bounds__(threads)
    sum_kernel(const T* t, offset_t size, pagerank_sums* parts, unsigned* arrived, double* total) {
    const offset_t begin = blockIdx.x * pagerank_block + threadIdx.x;
    pagerank_sums sum{};
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
        const offset_t i = begin + turn * offset_t{threads};
        if (i < size) sum.carried += static_cast<double>(t[i]);
    }
    sum_of_grid(sum, parts, arrived, [&](pagerank_sums all) { *total = all.carried; });
}

template <class T>
struct vectors {
    const T *t, *p, *scale;
    T *r, *y, *moved;
};

/// `total`: the sum of t; null where `sum` says it.
template <class T>
__global__ void __launch_bounds__(threads)
    step_kernel(vectors<T> v, offset_t size, double damping, const double* total, double sum,
                pagerank_sums* parts, unsigned* arrived, pagerank_sums* left) {
    const offset_t begin = blockIdx.x * pagerank_block + threadIdx.x;
    const double rest = 1 - (total ? *total : sum);
    const T share = static_cast<T>(v.p ? rest : rest / static_cast<double>(size));
    T next[turns], old[turns], scale[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {  // all loads before the first store, which they would wait for
        const offset_t i = min(begin + turn * offset_t{threads}, size - 1);
        next[turn] = v.t[i] + (v.p ? share * v.p[i] : share);
        old[turn] = v.r[i];
        scale[turn] = v.scale[i];
    }
    pagerank_sums mine{};
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
        const offset_t i = begin + turn * offset_t{threads};
        if (i >= size) break;
        const T change = abs(next[turn] - old[turn]);
        v.r[i] = next[turn];
        v.y[i] = next[turn] * scale[turn];
        if (v.moved) v.moved[i] = change;
        mine.moved += static_cast<double>(change);
        if (scale[turn] != 0) mine.carried += static_cast<double>(next[turn]);
    }
    sum_of_grid(mine, parts, arrived, [&](pagerank_sums all) { *left = {all.moved, damping * all.carried}; });
}

template <class T>
void run(const pagerank_step_arguments& k, cudaStream_t on) {
    const auto blocks = static_cast<unsigned>((k.size + pagerank_block - 1) / pagerank_block);
    const auto of = [](const void* at) { return static_cast<const T*>(at); };
    const auto to = [](void* at) { return static_cast<T*>(at); };
    const vectors<T> v{of(k.carried), of(k.start), of(k.scale), to(k.ranks), to(k.scaled), to(k.moved)};
    if (!k.sum_known) sum_kernel<<<blocks, threads, 0, on>>>(v.t, k.size, k.parts, k.arrived, k.total);
    step_kernel<<<blocks, threads, 0, on>>>(v, k.size, k.damping, k.sum_known ? nullptr : k.total, k.sum,
                                            k.parts, k.arrived, k.sums);
    check(cudaGetLastError());
}

}  // namespace

void pagerank_step(const pagerank_step_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(k.arrived, 0, sizeof *k.arrived, on));
    k.type == dtype::float32 ? run<float>(k, on) : run<double>(k, on);
}

}  // namespace nz::kernels::cuda
