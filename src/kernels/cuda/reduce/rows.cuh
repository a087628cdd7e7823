// reduce/rows on a GPU: the sum of every row of a matrix over a monoid.
//
// Who owns what: a block of 128 threads has a chunk of 1,024 entries, whatever rows they are in, a thread eight neighbouring ones. Rows
//   that begin and end within a thread's are summed there; what a thread leaves open is handed on by a scan over the block that
//   starts anew where a row begins. What a chunk leaves open it leaves in memory, and a warp of a second launch adds that to a row which
//   ends in a later chunk.
// Rows come from the matrix's balance (storage::device_balance, made once): those that hold entries, and the first of each chunk.
// Shared memory: the chunk's values, padded, a bit where a row begins. Workspace: a value a chunk. Sync: barriers, two launches.
// Memory: values and offsets once, a sum a row. Determinism: the order depends on the rows' lengths and places alone; it is not the
//   host's, so that sums of floats may differ from its in their last bits.
// Distance to the limit (H200, whole calls): laplace3d:80's 0.108 GB of values in 0.061 ms, 1.8 TB/s; docs/measurements/conversions.md.
// Why the CPU's was not enough: the matrix would come home to be added.
#pragma once

#include "algebra/functors.hpp"
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_lanes.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/reduce_rows_arguments.hpp"
#include "storage/device_csr.hpp"

namespace nz::kernels::cuda {

namespace reduce_detail {

inline constexpr unsigned row_threads = 128, row_items = 8;
inline constexpr int chunk_words = storage::merge_chunk_entries / 32;
static_assert(row_threads * row_items == storage::merge_chunk_entries);

template <binary_id Add, class T>
__device__ T added(T a, T b) {
    return static_cast<T>(algebra::binary<Add>(a, b));
}

/// A sum that is open on the right; `begins`: its row begins there.
template <class T>
struct open_sum {
    T value{};
    bool begins = false;
};
template <binary_id Add, class T>
__device__ open_sum<T> joined(const open_sum<T>& left, const open_sum<T>& right) {
    return right.begins ? right : open_sum<T>{added<Add>(left.value, right.value), left.begins};
}

/// Of the threads up to and with this one.
template <binary_id Add, class T>
__device__ open_sum<T> scanned(open_sum<T> mine, open_sum<T>* of_warps) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const unsigned warp = threadIdx.x / 32;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const open_sum<T> below{from_below(mine.value, step), from_below(mine.begins, step)};
        if (lane >= step) mine = joined<Add>(below, mine);
    }
    if (lane == 31) of_warps[warp] = mine;
    __syncthreads();
    if (warp == 0) return mine;
    open_sum<T> before = of_warps[0];
    for (unsigned w = 1; w < warp; ++w) before = joined<Add>(before, of_warps[w]);
    return joined<Add>(before, mine);
}

template <binary_id Add, class T>
__global__ void __launch_bounds__(row_threads) sum_chunks(device_reduce_rows_arguments k) {
    __shared__ T values[row_threads * (row_items + 1)];
    __shared__ unsigned begins[chunk_words], begins_before[chunk_words];
    __shared__ open_sum<T> of_warps[row_threads / 32], of_threads[row_threads];
    const device_offsets offsets{k.offsets.data, k.offsets.wide};
    const offset_t begin = offset_t{blockIdx.x} * storage::merge_chunk_entries;
    const int n = static_cast<int>(min(storage::merge_chunk_entries, k.entries - begin));
    const index_t first = k.chunk_rows[blockIdx.x], last = k.chunk_rows[blockIdx.x + 1];
    const unsigned t = threadIdx.x;
    if (t < chunk_words) begins[t] = 0;
    const T* const x = static_cast<const T*>(k.values);
    for (int i = static_cast<int>(t); i < n; i += static_cast<int>(row_threads))
        values[i + i / static_cast<int>(row_items)] = k.one_value ? x[0] : x[begin + i];
    __syncthreads();
    for (offset_t row = offset_t{first} + t; row <= last && row < k.held_rows; row += row_threads) {
        const offset_t at = offsets[row] - begin;
        if (at >= 0 && at < n) atomicOr(&begins[at / 32], 1u << at % 32);
    }
    __syncthreads();
    if (t < 32) {
        unsigned before = __popc(begins[t]);
#pragma unroll
        for (unsigned step = 1; step < 32; step *= 2) {
            const unsigned below = __shfl_up_sync(full_warp, before, step);
            if (t >= step) before += below;
        }
        begins_before[t] = before - __popc(begins[t]);
    }
    __syncthreads();

    const int mine = min(static_cast<int>(row_items), n - static_cast<int>(t * row_items));
    const unsigned word = begins[t * row_items / 32], shift = t * row_items % 32;
    const unsigned heads = word >> shift & ((1u << row_items) - 1);
    const bool starts_row = begins[0] & 1;
    // The row that is open where the thread begins; at a row's begin it is the one before.
    index_t row =
        first - starts_row +
        static_cast<index_t>(begins_before[t * row_items / 32] + __popc(word & ((1u << shift) - 1)));
    const auto number = [&](index_t r) { return k.row_numbers ? k.row_numbers[r] : r; };
    T* const sums = static_cast<T*>(k.sums);
    const index_t open_row = row;
    T sum{}, lead{};
    bool any = false, leads = false, met_head = false;
    for (int i = 0; i < mine; ++i) {
        const T value = values[t * (row_items + 1) + i];
        if (heads >> i & 1) {
            if (met_head)
                sums[number(row)] = sum;
            else
                lead = sum, leads = any;
            met_head = true;
            ++row;
            sum = value;
        } else {
            sum = any ? added<Add>(sum, value) : value;
        }
        any = true;
    }
    const open_sum<T> up_to = scanned<Add>(open_sum<T>{sum, met_head || mine <= 0}, of_warps);
    of_threads[t] = up_to;
    __syncthreads();
    if (met_head && (t > 0 || leads)) {
        T whole = t > 0 ? of_threads[t - 1].value : lead;
        if (t > 0 && leads) whole = added<Add>(whole, lead);
        sums[number(open_row)] = whole;
    }
    if (mine > 0 && static_cast<int>(t * row_items) + mine == n) {
        if (offsets[row + offset_t{1}] == begin + n)
            sums[number(row)] = up_to.value;
        else
            static_cast<T*>(k.carries)[blockIdx.x] = up_to.value;
    }
}

// A warp has a chunk in which a row ends that began in an earlier one: what those left open comes before what it has.
template <binary_id Add, class T>
__global__ void __launch_bounds__(row_threads) add_carries(device_reduce_rows_arguments k, offset_t chunks) {
    const offset_t chunk = offset_t{blockIdx.x} * (row_threads / 32) + threadIdx.x / 32;
    if (chunk >= chunks) return;
    const device_offsets offsets{k.offsets.data, k.offsets.wide};
    const index_t row = k.chunk_rows[chunk];
    const offset_t begin = chunk * storage::merge_chunk_entries, from = offsets[row],
                   end = min(begin + storage::merge_chunk_entries, k.entries);
    if (from >= begin || offsets[row + offset_t{1}] > end) return;
    const T* const carries = static_cast<const T*>(k.carries);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const offset_t first = from / storage::merge_chunk_entries;
    T sum{};
    bool any = false;
    for (offset_t c = first + lane; c < chunk; c += 32) {
        sum = any ? added<Add>(sum, carries[c]) : carries[c];
        any = true;
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const T other = from_above(sum, distance, 32);
        const bool there = from_above(any, distance, 32);
        if (there && lane + distance < 32) {
            sum = any ? added<Add>(sum, other) : other;
            any = true;
        }
    }
    if (lane != 0) return;
    T* const to = static_cast<T*>(k.sums) + (k.row_numbers ? k.row_numbers[row] : row);
    *to = added<Add>(sum, *to);
}

}  // namespace reduce_detail

template <binary_id Add, class T>
void reduce_rows(const device_reduce_rows_arguments& k, void* stream) {
    using namespace reduce_detail;
    const auto on = static_cast<cudaStream_t>(stream);
    const offset_t chunks = (k.entries + storage::merge_chunk_entries - 1) / storage::merge_chunk_entries;
    sum_chunks<Add, T><<<static_cast<unsigned>(chunks), row_threads, 0, on>>>(k);
    add_carries<Add, T>
        <<<static_cast<unsigned>((chunks + row_threads / 32 - 1) / (row_threads / 32)), row_threads, 0, on>>>(
            k, chunks);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
