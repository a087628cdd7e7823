// Facts of a matrix in a GPU's memory: a pass over rows, one over columns, and one that compares it with its transpose.
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_facts.hpp"
#include "storage/device_passes.cuh"

#include <algorithm>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::reader, device_passes::stream_of, device_passes::take,
    device_passes::thread_number, device_passes::threads;

constexpr unsigned most_blocks = 2048;

struct counts {
    unsigned long long degree_max, empty_rows, lower, upper;
    // Neighbouring columns that are equal: of all, and of a row's last and the next one's first.
    unsigned long long equal, equal_between_rows;
    int differs;
};

template <class Op>
__device__ unsigned long long of_warp(unsigned long long x, Op&& op) {
    for (unsigned distance = device_passes::lanes / 2; distance > 0; distance /= 2)
        x = op(x, __shfl_xor_sync(device_passes::full_warp, x, distance));
    return x;
}
__device__ void raise(unsigned long long* at, unsigned long long x) {
    x = of_warp(x, [](auto p, auto q) { return max(p, q); });
    if (threadIdx.x % device_passes::lanes == 0 && x > 0) atomicMax(at, x);
}
__device__ void add(unsigned long long* at, unsigned long long x) {
    x = of_warp(x, [](auto p, auto q) { return p + q; });
    if (threadIdx.x % device_passes::lanes == 0 && x > 0) atomicAdd(at, x);
}
// How far a lies above b, 0 where it does not.
__device__ unsigned long long above(offset_t a, offset_t b) {
    return a > b ? static_cast<unsigned long long>(a - b) : 0;
}

__global__ void __launch_bounds__(threads)
    rows_kernel(reader offsets, const index_t* columns, index_t rows, counts* found) {
    const offset_t i = thread_number();
    const offset_t begin = i < rows ? offsets[i] : 0, end = i < rows ? offsets[i + 1] : 0;
    const bool any = begin < end;
    const index_t first = any ? columns[begin] : 0, last = any ? columns[end - 1] : 0;
    raise(&found->degree_max, static_cast<unsigned long long>(end - begin));
    add(&found->empty_rows, i < rows && !any);
    raise(&found->lower, any ? above(i, first) : 0);
    raise(&found->upper, any ? above(last, i) : 0);
    add(&found->equal_between_rows, any && begin > 0 && columns[begin - 1] == first);
}

__global__ void __launch_bounds__(threads)
    columns_kernel(const index_t* columns, offset_t entries, counts* found) {
    unsigned long long equal = 0;
    for (offset_t k = thread_number() + 1; k < entries; k += offset_t{gridDim.x} * threads)
        equal += columns[k] == columns[k - 1];
    add(&found->equal, equal);
}

__global__ void __launch_bounds__(threads)
    compare_kernel(const std::uint32_t* x, const std::uint32_t* y, offset_t words, counts* found) {
    bool differs = false;
    for (offset_t k = thread_number(); k < words; k += offset_t{gridDim.x} * threads) differs |= x[k] != y[k];
    if (__any_sync(device_passes::full_warp, differs) && threadIdx.x % device_passes::lanes == 0)
        found->differs = 1;
}

}  // namespace

matrix_facts facts_on_device(const context& gpu, const device_rows& a, const device_rows* transposed) {
    const auto grid = [](offset_t items) { return std::clamp(blocks_for(items), 1u, most_blocks); };
    const cudaStream_t on = stream_of(gpu);
    const buffer memory = take<counts>(gpu, 1);
    auto* const found = memory.as<counts>();
    gpu.gpu()->fill(found, 0, sizeof *found);
    if (a.rows > 0)
        rows_kernel<<<blocks_for(a.rows), threads, 0, on>>>({a.offsets, a.wide}, a.indices, a.rows, found);
    columns_kernel<<<grid(a.nnz), threads, 0, on>>>(a.indices, a.nnz, found);
    if (transposed && transposed->indices != a.indices) {
        const auto compare = [&](const void* x, const void* y, offset_t words) {
            compare_kernel<<<grid(words), threads, 0, on>>>(
                static_cast<const std::uint32_t*>(x), static_cast<const std::uint32_t*>(y), words, found);
        };
        compare(a.offsets, transposed->offsets, (offset_t{a.rows} + 1) * (a.wide ? 2 : 1));
        compare(a.indices, transposed->indices, a.nnz);
    }
    check(cudaGetLastError());
    counts c{};
    gpu.gpu()->download(&c, found, sizeof c);

    matrix_facts facts;
    facts.rows = a.rows;
    facts.columns = a.columns;
    facts.nnz = a.nnz;
    facts.degree_mean = a.rows ? static_cast<double>(a.nnz) / a.rows : 0;
    facts.degree_max = static_cast<offset_t>(c.degree_max);
    facts.empty_rows = static_cast<offset_t>(c.empty_rows);
    facts.bandwidth_lower = static_cast<offset_t>(c.lower);
    facts.bandwidth_upper = static_cast<offset_t>(c.upper);
    facts.symmetric_pattern = transposed && c.differs == 0;
    facts.duplicates = c.equal > c.equal_between_rows;
    return facts;
}

}  // namespace nz::storage
