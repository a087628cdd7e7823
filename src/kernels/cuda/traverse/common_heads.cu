// Two neighbours of each vertex: those with the longest rows of their own, by falling length, of equals the smaller first; or
// the first two of its row. With heads_more where there are others; -1 and 0 where there is none.
//
// Who owns what: eight lanes -> a row, of which they look at the first 4,096 entries: rows beyond are hubs themselves,
//   and a search meets those early whoever is asked; of the first neighbours a thread -> a row. Determinism: always. Cost: nnz *
//   (neighbour, two offsets); rows * (two offsets, a sector).
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/traverse/common_heads.cuh"
#include "kernels/traverse_arguments.hpp"

namespace nz::kernels::cuda {
namespace {

constexpr int head_block = 256, head_lanes = 8, head_looks = 4096;

template <class Offset>
__global__ void __launch_bounds__(head_block)
    strongest_neighbours_kernel(const Offset* offsets, const std::uint32_t* neighbours, std::uint32_t rows,
                                uint2* heads) {
    constexpr unsigned block_rows = head_block / head_lanes;
    const std::uint32_t v = blockIdx.x * block_rows + threadIdx.x / head_lanes;
    const unsigned lane = threadIdx.x % head_lanes;
    using key = unsigned long long;  // length of the row + 1, and the neighbour's complement
    key best = 0, second = 0;
    const auto add = [&](key k) {
        second = max(second, min(best, k));
        best = max(best, k);
    };
    Offset begin = 0, end = 0;
    if (v < rows) begin = offsets[v], end = offsets[v + 1];
    for (Offset k = begin + static_cast<Offset>(lane); k < min(end, begin + head_looks); k += head_lanes) {
        const std::uint32_t u = load_once(neighbours + k);
        const auto length = static_cast<std::uint32_t>(offsets[u + 1] - offsets[u]);
        add(key{length + 1u} << 32 | static_cast<std::uint32_t>(~u));
    }
#pragma unroll
    for (int step = head_lanes / 2; step; step /= 2) {
        const key other = __shfl_xor_sync(full_warp, best, step),
                  other_second = __shfl_xor_sync(full_warp, second, step);
        add(other);
        add(other_second);
    }
    if (v >= rows || lane != 0) return;
    std::uint32_t first = ~0u, next = 0;
    if (best) first = next = ~static_cast<std::uint32_t>(best);
    if (second) next = ~static_cast<std::uint32_t>(second);
    heads[v] = {first, next | (end - begin > 2 ? heads_more : 0)};
}

template <class Offset>
__global__ void __launch_bounds__(head_block)
    first_neighbours_kernel(const Offset* offsets, const std::uint32_t* neighbours, std::uint32_t rows,
                            uint2* heads) {
    const std::uint32_t v = blockIdx.x * head_block + threadIdx.x;
    if (v >= rows) return;
    const Offset begin = offsets[v], length = offsets[v + 1] - begin;
    std::uint32_t first = ~0u, next = 0;
    if (length > 0) first = next = neighbours[begin];
    if (length > 1) next = neighbours[begin + 1];
    heads[v] = {first, next | (length > 2 ? heads_more : 0)};
}

/// `rows` shared out among blocks; the kernel of the offsets' width.
template <int Lanes>
void launch_heads(auto&& kernel, offset_reader offsets, const index_t* neighbours, index_t rows,
                  std::uint32_t* heads, void* stream) {
    constexpr unsigned rows_a_block = head_block / Lanes;
    const unsigned blocks = (static_cast<unsigned>(rows) + rows_a_block - 1) / rows_a_block;
    if (blocks == 0) return;
    const auto launch = [&](const auto* typed) {
        kernel(typed)<<<blocks, head_block, 0, static_cast<cudaStream_t>(stream)>>>(
            typed, reinterpret_cast<const std::uint32_t*>(neighbours), static_cast<std::uint32_t>(rows),
            reinterpret_cast<uint2*>(heads));
    };
    offsets.wide ? launch(static_cast<const std::int64_t*>(offsets.data))
                 : launch(static_cast<const std::int32_t*>(offsets.data));
    check(cudaGetLastError());
}

}  // namespace

void strongest_neighbours(offset_reader offsets, const index_t* neighbours, index_t rows,
                          std::uint32_t* heads, void* stream) {
    launch_heads<head_lanes>([]<class Offset>(const Offset*) { return strongest_neighbours_kernel<Offset>; },
                             offsets, neighbours, rows, heads, stream);
}

void first_neighbours(offset_reader offsets, const index_t* neighbours, index_t rows, std::uint32_t* heads,
                      void* stream) {
    launch_heads<1>([]<class Offset>(const Offset*) { return first_neighbours_kernel<Offset>; }, offsets,
                    neighbours, rows, heads, stream);
}

}  // namespace nz::kernels::cuda
