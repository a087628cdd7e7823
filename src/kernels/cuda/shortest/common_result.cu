// A thread has a vertex: one pass that counts, a sum a block, and one that makes a bitmap of the distances.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/shortest/common_result.cuh"

#include <cub/block/block_reduce.cuh>

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

constexpr int block = 256;

struct add_counts {
    __device__ device_shortest_counts operator()(const device_shortest_counts& x,
                                                 const device_shortest_counts& y) const {
        return {x.reached + y.reached, x.edges + y.edges, x.orphans + y.orphans};
    }
};

template <class Key>
__global__ void __launch_bounds__(block) count_kernel(device_shortest_result k) {
    using sums = cub::BlockReduce<device_shortest_counts, block>;
    __shared__ typename sums::TempStorage temporary;
    const device_offsets offsets{k.offsets, k.wide_offsets};
    device_shortest_counts mine;
    for (offset_t v = offset_t{blockIdx.x} * block + threadIdx.x; v < k.vertices;
         v += offset_t{gridDim.x} * block) {
        if (static_cast<const Key*>(k.distances)[v] == ~Key{0}) continue;
        ++mine.reached;
        mine.edges += static_cast<unsigned long long>(offsets[v + 1] - offsets[v]);
        mine.orphans += k.parents && k.parents[v] < 0;
    }
    const device_shortest_counts all = sums(temporary).Reduce(mine, add_counts{});
    if (threadIdx.x != 0) return;
    atomicAdd(&k.counts->reached, all.reached);
    atomicAdd(&k.counts->edges, all.edges);
    atomicAdd(&k.counts->orphans, all.orphans);
}

template <class Key>
__global__ void __launch_bounds__(block) keep_kernel(device_shortest_result k) {
    const offset_t v = offset_t{blockIdx.x} * block + threadIdx.x;
    Key* const distances = static_cast<Key*>(k.distances);
    const bool reached = v < k.vertices && distances[v] != ~Key{0};
    if (v < k.vertices && !reached) distances[v] = 0;
    const unsigned word = __ballot_sync(full_warp, reached);
    const auto words = static_cast<offset_t>(bits::words_for(k.vertices)) * 2;
    if (threadIdx.x % 32 == 0 && v / 32 < words) reinterpret_cast<std::uint32_t*>(k.present)[v / 32] = word;
}

template <class Call>
void by_key(const device_shortest_result& k, Call&& call) {
    k.key_bytes == 4 ? call(std::uint32_t{}) : call(std::uint64_t{});
    check(cudaGetLastError());
}

}  // namespace

void shortest_count(const device_shortest_result& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(k.counts, 0, sizeof *k.counts, on));
    constexpr offset_t most_blocks = 1024;
    const auto blocks =
        static_cast<unsigned>(std::min(most_blocks, (offset_t{k.vertices} + block - 1) / block));
    by_key(k, [&](auto key) { count_kernel<decltype(key)><<<blocks, block, 0, on>>>(k); });
}

void shortest_keep(const device_shortest_result& k, void* stream) {
    const auto places = static_cast<offset_t>(bits::words_for(k.vertices)) * bits::per_word;
    by_key(k, [&](auto key) {
        keep_kernel<decltype(key)><<<static_cast<unsigned>((places + block - 1) / block), block, 0,
                                     static_cast<cudaStream_t>(stream)>>>(k);
    });
}

}  // namespace nz::kernels::cuda
