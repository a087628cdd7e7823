// Lengths of edges in a GPU's memory: looked at, and put beside the edges' ends.
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_edges.hpp"
#include "storage/device_passes.cuh"
#include "storage/path_length.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::stream_of, device_passes::thread_number,
    device_passes::threads;

struct block_survey {
    double sum;
    offset_t counted;
    bool wrong;
};

// Each block's values at a distance of the grid; sums in an order that their number alone determines.
template <class T>
__global__ void __launch_bounds__(threads)
    survey_kernel(const T* values, offset_t count, dtype to, block_survey* found) {
    __shared__ double sums[threads];
    __shared__ offset_t counts[threads];
    double sum = 0;
    offset_t counted = 0;
    bool wrong = false;
    for (offset_t k = thread_number(); k < count; k += offset_t{gridDim.x} * threads) {
        const T x = values[k];
        wrong |= !is_length(x, to);
        const auto length = static_cast<double>(x);
        const bool finite = length <= std::numeric_limits<double>::max();
        sum += finite ? length : 0;
        counted += finite;
    }
    sums[threadIdx.x] = sum;
    counts[threadIdx.x] = counted;
    wrong = __syncthreads_or(wrong);
    for (unsigned distance = threads / 2; distance > 0; distance /= 2) {
        if (threadIdx.x < distance) {
            sums[threadIdx.x] += sums[threadIdx.x + distance];
            counts[threadIdx.x] += counts[threadIdx.x + distance];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) found[blockIdx.x] = {sums[0], counts[0], wrong};
}

// A weighted_edge as two words of a length's width, with nothing left unwritten between end and length: searches read it whole.
template <class U>
struct alignas(2 * sizeof(U)) edge_words {
    U end, length;
};
static_assert(sizeof(edge_words<std::uint32_t>) == sizeof(weighted_edge<std::uint32_t>) &&
              sizeof(edge_words<std::uint64_t>) == sizeof(weighted_edge<std::uint64_t>));
static_assert(offsetof(weighted_edge<std::uint64_t>, target) == 0 &&
              offsetof(weighted_edge<std::uint64_t>, length) == sizeof(std::uint64_t));

template <class U>
__global__ void __launch_bounds__(threads)
    join_kernel(const index_t* ends, const U* lengths, bool one_for_all, offset_t nnz, edge_words<U>* edges) {
    const offset_t k = thread_number();
    if (k < nnz) edges[k] = {static_cast<std::uint32_t>(ends[k]), lengths[one_for_all ? 0 : k]};
}

}  // namespace

length_survey survey_lengths_on_device(const context& gpu, const void* values, dtype from, dtype to,
                                       offset_t count) {
    if (count == 0) return {};
    constexpr offset_t most_blocks = 1024;
    const auto blocks = static_cast<unsigned>(std::min<offset_t>(most_blocks, (count - 1) / threads + 1));
    std::vector<block_survey> found(blocks);
    const buffer there(gpu.device_memory(), blocks * sizeof(block_survey));
    dispatch(from, [&]<class T>(std::type_identity<T>) {
        survey_kernel<<<blocks, threads, 0, stream_of(gpu)>>>(static_cast<const T*>(values), count, to,
                                                              there.as<block_survey>());
    });
    check(cudaGetLastError());
    gpu.gpu()->download(found.data(), there.data(), there.bytes());
    length_survey all;
    double sum = 0;
    offset_t counted = 0;
    for (const block_survey& part : found) {
        sum += part.sum;
        counted += part.counted;
        all.all_lengths &= !part.wrong;
    }
    all.mean = counted ? sum / static_cast<double>(counted) : 0;
    return all;
}

buffer joined_on_device(const context& gpu, const index_t* ends, const void* lengths,
                        std::size_t length_bytes, bool one_for_all, offset_t nnz) {
    buffer edges(gpu.device_memory(), static_cast<std::size_t>(nnz) * 2 * length_bytes);
    if (nnz == 0) return edges;
    const auto join = [&]<class U>(std::type_identity<U>) {
        join_kernel<<<blocks_for(nnz), threads, 0, stream_of(gpu)>>>(
            ends, static_cast<const U*>(lengths), one_for_all, nnz, edges.as<edge_words<U>>());
    };
    length_bytes == 4 ? join(std::type_identity<std::uint32_t>{}) : join(std::type_identity<std::uint64_t>{});
    check(cudaGetLastError());
    return edges;
}

}  // namespace nz::storage
