// Few products of a sparse vector's columns on a GPU, gathered, sorted and summed by one block in one launch: csc_gather_radix
// while a block holds them.
//
// Count: a thread takes some of the listed columns, and a scan over the block says where the products of each begin. Where there are
//   more than the block holds, it writes these places for the kernels that then take over, and ends.
// Gather: a thread takes neighbouring products, finds the column of each by binary search and leaves the product in shared memory.
// Sort: of a product a thread, each counts the rows that go before its own, four a read that all lanes share. Of up to 6, or 16, (row, number of
//   the product) by CUB's block-wide radix sort, 4 bits a turn, on as many bits as rows have. Both stable. Products that the mask keeps
//   out have a row beyond the last.
// Sum: one scan over the block numbers the runs of equal rows and sums each; the last of a run writes row and sum.
// Memory: 104 KiB of shared memory with values of 8 bytes; no workspace.
// Sync: barriers of the block alone. Where the plan expects so few products the host waits once, for their number and that of results together.
// Determinism: the order of u's entries within a row, in groups that depend on where the row's products lie among the sorted.
// Cost (H200, double, between events): 9.2 us for 80 products, 14 for 480, 19 to 24 for 800 to 2,400, 42 to 44 for 4,000, 48 to 58 for
//   8,000, where the ten launches of csc_gather_radix take 79 and more, those of csc_gather_merge 38 to 71, those of csc_gather_bucket 26
//   to 57; a call 13 to 24 us for up to 128 products.
//   Nothing is saturated: some ten reads that wait for each other, and barriers.
// Tried: the radix sort for a product a thread too (13 us for 80 products).
#pragma once

#include "kernels/cuda/mxv/common_gather.cuh"

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

namespace nz::kernels::cuda {

constexpr int few_threads = 512, few_items = 6, most_items = plan::block_products / few_threads;
static_assert(most_items * few_threads == plan::block_products);

/// Of neighbouring products in the order of rows: how many runs of equal rows begin among them, and the sum of the last.
template <class Cell>
struct run_sum {
    int runs;
    typename Cell::value value;
};
template <class Cell>
struct add_run_sums {
    __device__ run_sum<Cell> operator()(const run_sum<Cell>& before, const run_sum<Cell>& after) const {
        if (after.runs) return {before.runs + after.runs, after.value};
        if constexpr (Cell::first_wins)
            return before;
        else
            return {before.runs, Cell::add(before.value, after.value)};
    }
};

using few_columns_scan = cub::BlockScan<offset_t, few_threads>;
template <int Items>
using few_sort = cub::BlockRadixSort<unsigned, few_threads, Items, unsigned>;
template <class Cell>
using few_sums_scan = cub::BlockScan<run_sum<Cell>, few_threads>;

template <class Cell>
struct few_memory {
    typename Cell::value products[plan::block_products];
    alignas(16) unsigned first[few_threads];  // of each thread's rows
    unsigned last[few_threads];
    union {
        struct {
            few_columns_scan::TempStorage scan;
            unsigned starts[plan::block_products];
        } columns;
        struct {
            unsigned rows[few_threads], numbers[few_threads];
        } ranked;
        typename few_sort<few_items>::TempStorage sort;
        typename few_sort<most_items>::TempStorage sort_most;
        typename few_sums_scan<Cell>::TempStorage sum;
    };
};

struct few_results {
    index_t* indices;
    void* values;
    offset_t* counts;  // of results, and of products
};

/// A product a thread: gives the thread the row and the number that come to its place.
template <class Cell>
__device__ inline void rank_rows(few_memory<Cell>& m, unsigned products, unsigned& row, unsigned& number) {
    m.first[threadIdx.x] = row;
    __syncthreads();
    if (threadIdx.x < products) {
        constexpr unsigned together = 4;
        const unsigned own = threadIdx.x / together;
        unsigned rank = 0;
        for (unsigned k = 0; k < (products + together - 1) / together; ++k) {
            const uint4 rows = reinterpret_cast<const uint4*>(m.first)[k];
            const unsigned limit = row + (k < own);  // equal ones before go first
            rank += (rows.x < limit) + (rows.y < limit) + (rows.z < limit) + (rows.w < limit);
        }
        for (unsigned k = own * together; k < threadIdx.x; ++k) rank += m.first[k] == row;
        m.ranked.rows[rank] = row, m.ranked.numbers[rank] = number;
    }
    __syncthreads();
    if (threadIdx.x < products) row = m.ranked.rows[threadIdx.x], number = m.ranked.numbers[threadIdx.x];
}

/// `Items` products a thread, whose columns begin at m.columns.starts.
template <class Cell, int Items>
__device__ inline void sum_few(const gather_view& g, few_memory<Cell>& m, unsigned products, int bits,
                               const few_results& to) {
    using T = typename Cell::operand;
    const auto rows = static_cast<unsigned>(g.rows);
    unsigned row[Items], number[Items];
    int at = 0;
#pragma unroll
    for (int n = 0; n < Items; ++n) {
        const unsigned p = threadIdx.x * Items + n;
        row[n] = ~0u, number[n] = p;
        if (p >= products) continue;
        int high = static_cast<int>(g.columns);
        while (high - at > 1) {  // the last column that begins at p or before
            const int middle = at + (high - at) / 2;
            (m.columns.starts[middle] <= p ? at : high) = middle;
        }
        const index_t j = g.listed[at];
        const offset_t k = g.offsets[j] + (p - m.columns.starts[at]);
        const index_t i = g.indices[k];
        T x{}, y{};
        if constexpr (Cell::reads_a) x = static_cast<const T*>(g.values)[g.constant ? 0 : k];
        if constexpr (Cell::reads_b) y = static_cast<const T*>(g.u)[at];
        m.products[p] = Cell::multiply(x, y, i, j);
        row[n] = !g.mask || bit_of(g.mask, i) != g.complement ? static_cast<unsigned>(i) : rows;
    }
    if constexpr (Items == 1) {
        rank_rows<Cell>(m, products, row[0], number[0]);
    } else {
        __syncthreads();
        if constexpr (Items == few_items)
            few_sort<Items>(m.sort).Sort(row, number, 0, bits);
        else
            few_sort<Items>(m.sort_most).Sort(row, number, 0, bits);
    }
    m.first[threadIdx.x] = row[0], m.last[threadIdx.x] = row[Items - 1];
    __syncthreads();
    const bool begins = threadIdx.x == 0 || m.last[threadIdx.x - 1] != row[0];
    const unsigned behind = threadIdx.x + 1 == few_threads ? ~0u : m.first[threadIdx.x + 1];
    run_sum<Cell> sums[Items];
#pragma unroll
    for (int n = 0; n < Items; ++n) {
        sums[n].runs = n == 0 ? begins : row[n - 1] != row[n];
        sums[n].value = number[n] < products ? m.products[number[n]] : typename Cell::value{};
    }
    few_sums_scan<Cell>(m.sum).InclusiveScan(sums, sums, add_run_sums<Cell>{});
#pragma unroll
    for (int n = 0; n < Items; ++n) {
        const unsigned next = n + 1 == Items ? behind : row[n + 1];
        if (row[n] >= rows || next == row[n]) continue;
        to.indices[sums[n].runs - 1] = static_cast<index_t>(row[n]);
        static_cast<typename Cell::value*>(to.values)[sums[n].runs - 1] = sums[n].value;
        if (next >= rows) to.counts[0] = sums[n].runs;
    }
}

/// Where the products of each of the listed columns begin, `Items` columns a thread: in m.columns.starts, or in `starts` where the block
/// does not hold the products. Returns their number.
template <class Cell, int Items>
__device__ inline offset_t count_few(const gather_view& g, few_memory<Cell>& m, offset_t* starts) {
    offset_t begin[Items], products;
#pragma unroll
    for (int n = 0; n < Items; ++n) {
        const offset_t at = offset_t{threadIdx.x} * Items + n;
        const index_t j = at < g.columns ? g.listed[at] : 0;
        begin[n] = at < g.columns ? g.offsets[j + 1] - g.offsets[j] : 0;
    }
    few_columns_scan(m.columns.scan).ExclusiveSum(begin, begin, products);
    const bool fits = products <= plan::block_products;
#pragma unroll
    for (int n = 0; n < Items; ++n) {
        const offset_t at = offset_t{threadIdx.x} * Items + n;
        if (at >= g.columns) break;
        if (fits)
            m.columns.starts[at] = static_cast<unsigned>(begin[n]);
        else
            starts[at] = begin[n];
    }
    return products;
}

template <class Cell>
__global__ void __launch_bounds__(few_threads)
    gather_few_kernel(gather_view g, offset_t* starts, int bits, few_results to) {
    extern __shared__ uint4 shared_few[];
    auto& m = *reinterpret_cast<few_memory<Cell>*>(shared_few);
    const offset_t products = g.columns <= few_threads ? count_few<Cell, 1>(g, m, starts)
                              : g.columns <= few_threads * few_items
                                  ? count_few<Cell, few_items>(g, m, starts)
                                  : count_few<Cell, most_items>(g, m, starts);
    const bool fits = products <= plan::block_products;
    if (threadIdx.x == 0) {
        to.counts[0] = 0, to.counts[1] = products;
        if (!fits) starts[g.columns] = products;
    }
    if (!fits) return;
    __syncthreads();
    if (products <= few_threads)
        sum_few<Cell, 1>(g, m, static_cast<unsigned>(products), bits, to);
    else if (products <= few_threads * few_items)
        sum_few<Cell, few_items>(g, m, static_cast<unsigned>(products), bits, to);
    else
        sum_few<Cell, most_items>(g, m, static_cast<unsigned>(products), bits, to);
}

template <class Cell>
void gather_few(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    constexpr std::size_t shared = sizeof(few_memory<Cell>);
    allow_shared(gather_few_kernel<Cell>, shared);
    gather_few_kernel<Cell><<<1, few_threads, shared, static_cast<cudaStream_t>(stream)>>>(
        view_of(a), a.starts, key_bits(c.output_size), {c.out_indices, c.out_values, c.out_count});
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
