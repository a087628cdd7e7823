// pagerank/step on a GPU: r' = t + (1 - sum t) p, y' = scale r', and sum |r' - r| (Brin and Page, 1998), in two kernels.
//
// Who owns what: a block of 256 threads has 2,048 places, thread t those at t, t + 256, ...; the block that is the last to have
//   summed adds up what all have left, in order of their places, so that the second kernel finds one number.
// Sync: barriers of a tree of fixed shape, one counter, two launches; nothing waits for the host.
// Memory: t twice, r, p and scale once; r and y written once. Workspace: a double a block.
// Determinism: sums are taken in double, in an order that the size alone determines.
// Distance to the limit (H200): with its product 1.01 to 1.22 times the floor on graphs of long rows, 1.78 on a grid, in double:
//   docs/measurements.md (graph algorithms on a GPU).
// Why ewise, apply and reduce were not enough: seven passes, and three times the host waited for a number.
#include "core/cuda_check.hpp"
#include "kernels/cuda/pagerank/step.cuh"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr int turns = static_cast<int>(pagerank_block) / static_cast<int>(threads);

/// The block's sum, right in thread 0.
__device__ double sum_of_block(double mine) {
    __shared__ double sums[threads];
    sums[threadIdx.x] = mine;
    for (unsigned distance = threads / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
    }
    __syncthreads();
    return sums[0];
}

/// The sum over all blocks, left in *total by the last that comes here.
__device__ void sum_of_grid(double mine, double* parts, unsigned* arrived, double* total) {
    __shared__ bool last;
    const double own = sum_of_block(mine);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
        __threadfence();
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    double sum = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += threads) sum += __ldcg(parts + block);
    const double all = sum_of_block(sum);
    if (threadIdx.x == 0) *total = all;
}

template <class T>
__global__ void __launch_bounds__(threads)
    sum_kernel(const T* t, offset_t size, double* parts, unsigned* arrived, double* total) {
    const offset_t begin = blockIdx.x * pagerank_block + threadIdx.x;
    double sum = 0;
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
        const offset_t i = begin + turn * offset_t{threads};
        if (i < size) sum += static_cast<double>(t[i]);
    }
    sum_of_grid(sum, parts, arrived, total);
}

template <class T>
struct vectors {
    const T *t, *p, *scale;
    T *r, *y, *moved;
};

template <class T>
__global__ void __launch_bounds__(threads)
    step_kernel(vectors<T> v, offset_t size, double* parts, unsigned* arrived, double* totals) {
    const offset_t begin = blockIdx.x * pagerank_block + threadIdx.x;
    const double rest = 1 - totals[0];
    const T share = static_cast<T>(v.p ? rest : rest / static_cast<double>(size));
    T next[turns], old[turns], scale[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {  // all loads before the first store, which they would wait for
        const offset_t i = min(begin + turn * offset_t{threads}, size - 1);
        next[turn] = v.t[i] + (v.p ? share * v.p[i] : share);
        old[turn] = v.r[i];
        scale[turn] = v.scale[i];
    }
    double sum = 0;
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
        const offset_t i = begin + turn * offset_t{threads};
        if (i >= size) break;
        const T change = abs(next[turn] - old[turn]);
        v.r[i] = next[turn];
        v.y[i] = next[turn] * scale[turn];
        if (v.moved) v.moved[i] = change;
        sum += static_cast<double>(change);
    }
    sum_of_grid(sum, parts, arrived, totals + 1);
}

template <class T>
void run(const pagerank_step_arguments& k, cudaStream_t on) {
    const auto blocks = static_cast<unsigned>((k.size + pagerank_block - 1) / pagerank_block);
    const auto of = [](const void* at) { return static_cast<const T*>(at); };
    const auto to = [](void* at) { return static_cast<T*>(at); };
    const vectors<T> v{of(k.carried), of(k.start), of(k.scale), to(k.ranks), to(k.scaled), to(k.moved)};
    sum_kernel<<<blocks, threads, 0, on>>>(v.t, k.size, k.parts, k.arrived, k.totals);
    step_kernel<<<blocks, threads, 0, on>>>(v, k.size, k.parts, k.arrived, k.totals);
    check(cudaGetLastError());
}

}  // namespace

void pagerank_step(const pagerank_step_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(k.arrived, 0, sizeof *k.arrived, on));
    k.type == dtype::float32 ? run<float>(k, on) : run<double>(k, on);
}

}  // namespace nz::kernels::cuda
