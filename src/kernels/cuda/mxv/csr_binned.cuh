// mxv/csr_binned on a GPU: w = A u in two passes that gather nothing from memory (propagation blocking), by storage/column_bins.hpp.
//
// Products: entries stand by ranges of columns, each as wide as a table of u's operands in shared memory. A block has its share of all entries,
//   takes the ranges there one after another, brings a range's operands into the table, and writes a product an entry, in the order of
//   ranges: all that it reads and writes in memory is in order.
// Rows: a block takes a bin, 4,096 neighbouring entries of the CSR. Its products stand in runs, one for each range that it meets: a bit for
//   each place says where a run begins, a number for each run how far off it stands. They come to shared memory in the CSR's order; then
//   rows are summed from there as csr_merge sums them (common_merge.cuh). Neighbouring bins' runs are neighbours in memory, and blocks
//   take bins in order: what a sector holds of the next bin is in the L2.
// Who owns what: products: block -> a share of all entries, thread -> 16 bytes of values at a time. Rows: block -> bin, thread -> eight of
//   its entries; 128 threads -> chunk of 1,024 entries, group of lanes -> row.
// Update: the parts of rows that chunks cut, by csr_merge's.
// Shared memory: 96 KiB of operands; a bin's products, a place left out every 128 bytes. Barriers: two a range and block, one a bin.
// Determinism: as csr_merge; rows keep the order of their entries, wherever their products stood.
// Cost: nnz + rows + columns + runs. Bytes of an entry with values of 8 bytes: 18 (columns in 2) and 10, and 4 a run; CSR has 12 and a sector of 32.
// Distance to the limit (H200, random:8000000,8): 76% of the floor by bytes in double (0.606 ms), 70% in float (0.380); the products have 3.4
//   TB/s of the copy's 4.27, the rows 2.7: runs of 50 bytes begin anywhere in a sector, 22% of what the L2 hands out goes unused, and it is
//   busy for 90% of the time. Of the CSR's floor, bytes or gathers, 134 and 121%. What was tried: docs/measurements/spmv.md (SpMV on a GPU).
// Why csr_merge was not enough: an entry whose operand no cache holds costs it a sector of memory, and one of the L2 where a cache does.
// What it leaves: products take nnz values of memory as they go, the bins as much as the CSR. A u with gaps, and operators that do not read u's
//   values, go by csr_merge. Entries in few columns are better served by csr_ranked, whose caches hold these.
#pragma once

#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/mxv/csr_merge.cuh"
#include "storage/column_bins.hpp"

#include <cuda_pipeline_primitives.h>

namespace nz::kernels::cuda {

constexpr int product_block = 512, product_blocks_an_sm = 2;
constexpr int bin_entries = static_cast<int>(storage::bin_entries), bin_chunks = bin_entries / merge_entries,
              bin_block = bin_chunks * merge_block;
/// As many as have room for their products and for what is on its way in the first-level cache.
template <class V>
constexpr int bin_blocks_an_sm = sizeof(V) == 8 ? 3 : 4;

/// Neighbours of one array, read and written at once.
template <class T, int Count>
struct alignas(sizeof(T) * Count) several {
    T at[Count];
};
/// Not streamed past the caches: products took 7% longer so.
template <class T, int Count>
__device__ several<T, Count> load_several(const T* from) {
    return *reinterpret_cast<const several<T, Count>*>(from);
}

/// The entries by ranges.
template <class Cell>
struct binned_entries {
    const std::uint16_t* columns;
    const typename Cell::operand* values;  ///< one where they are constant
    const std::uint32_t* starts;
    int ranges;
    const typename Cell::operand* u;
    index_t u_size, width;
    typename Cell::value* products;
};

/// The last of the ascending starts that does not lie behind `place`, by a warp.
__device__ inline int range_of(const std::uint32_t* starts, int ranges, std::uint32_t place) {
    int first = 0, count = ranges;
    while (count > 1) {
        const int step = (count + 31) / 32, at = static_cast<int>(threadIdx.x % 32) * step;
        const bool before = at < count && starts[first + at] <= place;
        const int last = max(__popc(__ballot_sync(full_warp, before)) - 1, 0) * step;
        first += last;
        count = min(step, count - last);
    }
    return first;
}

template <class Cell, bool Constant>
struct product_maker {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr int largest = sizeof(T) > sizeof(V) ? sizeof(T) : sizeof(V);
    static constexpr int count = largest == 1 ? 8 : 16 / largest;  ///< entries of a thread side by side
    static constexpr int at_once = largest == 1 ? 2 : 4;           ///< times as many are under way
    static_assert(storage::bin_alignment % count == 0);

    const binned_entries<Cell>& of;
    T* table;
    several<std::uint16_t, count> columns[at_once];
    several<T, count> values[at_once];

    /// The operands of a range, on their way.
    __device__ void ask_for_table(int range) const {
        const index_t first = range * of.width, size = min(of.width, of.u_size - first);
        const T* const from = of.u + first;
        constexpr index_t whole = 16 / sizeof(T);
        index_t done = 0;
        if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
            done = size / whole * whole;
            for (index_t k = static_cast<index_t>(threadIdx.x) * whole; k < done; k += product_block * whole)
                __pipeline_memcpy_async(table + k, from + k, 16);
        }
        for (index_t k = done + static_cast<index_t>(threadIdx.x); k < size; k += product_block)
            table[k] = from[k];
        __pipeline_commit();
    }
    /// The entries of the thread from group `group` on, of which none is behind `end`.
    __device__ void ask(std::uint32_t group, std::uint32_t end) {
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
            const std::size_t g = group + j * product_block;
            if (g >= end) continue;
            columns[j] = load_several<std::uint16_t, count>(of.columns + g * count);
            if constexpr (!Constant) values[j] = load_several<T, count>(of.values + g * count);
        }
    }
    __device__ void finish(std::uint32_t group, std::uint32_t end, T constant) const {
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
            const std::size_t g = group + j * product_block;
            if (g >= end) continue;
            several<V, count> made;
#pragma unroll
            for (int k = 0; k < count; ++k)
                made.at[k] =
                    Cell::multiply(Constant ? constant : values[j].at[k], table[columns[j].at[k]], 0, 0);
            *reinterpret_cast<several<V, count>*>(of.products + g * count) = made;
        }
    }
};

template <class Cell, bool Constant>
__global__ void __launch_bounds__(product_block, product_blocks_an_sm)
    csr_binned_products_kernel(const __grid_constant__ binned_entries<Cell> of) {
    using maker = product_maker<Cell, Constant>;
    using T = typename Cell::operand;
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr auto aligned = static_cast<std::uint32_t>(storage::bin_alignment);
    constexpr std::uint32_t groups = aligned / maker::count;  // between places where ranges may begin
    const std::uint64_t all = of.starts[of.ranges] / aligned;
    auto at = static_cast<std::uint32_t>(all * blockIdx.x / gridDim.x);
    const auto end = static_cast<std::uint32_t>(all * (blockIdx.x + 1) / gridDim.x);
    maker m{of, reinterpret_cast<T*>(memory), {}, {}};
    T constant{};
    if constexpr (Constant && Cell::reads_a) constant = of.values[0];
    for (int range = range_of(of.starts, of.ranges, at * aligned); at < end; ++range) {
        const std::uint32_t stop = min(end, of.starts[range + 1] / aligned);
        if (stop == at) continue;
        m.ask_for_table(range);
        std::uint32_t group = at * groups + threadIdx.x;
        const std::uint32_t last = stop * groups;
        m.ask(group, last);
        __pipeline_wait_prior(0);
        __syncthreads();
        for (;;) {
            m.finish(group, last, constant);
            group += maker::at_once * product_block;
            if (group >= last) break;
            m.ask(group, last);
        }
        __syncthreads();
        at = stop;
    }
}

/// Neighbours with a place left out every 128 bytes, so that rows of eight entries do not meet in one bank.
template <class V>
struct staggered {
    static constexpr int run = 128 / sizeof(V);
    static constexpr int places(int count) { return count + count / run; }
    V* memory;
    __device__ V& operator[](int k) const { return memory[k + k / run]; }
};

/// Where the products of bins stand.
template <class V>
struct binned_products {
    const V* products;
    const std::uint16_t* order;
    const storage::bin_word* words;
    const std::uint32_t* deltas;
    int ranges;
    std::uint32_t ahead;  ///< bins that are under way at once

    /// What is said of a bin comes to the L2, by one thread.
    __device__ void fetch_early(std::uint32_t bin) const {
        const auto fetch = [](const void* from, unsigned bytes) {
            const auto at = reinterpret_cast<std::uintptr_t>(from) & ~std::uintptr_t{15};
            if (bytes >= 16)
                asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "r"(bytes & ~15u)
                             : "memory");
        };
        fetch(order + std::size_t{bin} * bin_entries, bin_entries * sizeof(std::uint16_t));
        fetch(words + std::size_t{bin} * (bin_entries / 32), bin_entries / 32 * sizeof(storage::bin_word));
        constexpr int most_runs = 1024;  // bins that meet few of many ranges have no more to fetch
        fetch(deltas + std::size_t{bin} * ranges,
              static_cast<unsigned>(min(ranges, most_runs)) * sizeof(std::uint32_t));
    }
    /// A bin's products, of all its entries where Full, else of `size`, in the CSR's order, by all threads.
    template <bool Full>
    __device__ void bring(std::uint32_t bin, int size, staggered<V> to) const {
        constexpr int turns = bin_entries / bin_block;
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        const int first = warp * turns * 32 + lane;
        const std::uint32_t base = bin * bin_entries;
        std::uint32_t place[turns];
        std::uint16_t entry[turns];
        storage::bin_word word[turns];
        V product[turns];
#pragma unroll
        for (int j = 0; j < turns; ++j)
            word[j] = words[std::size_t{bin} * (bin_entries / 32) + warp * turns + j];
#pragma unroll
        for (int j = 0; j < turns; ++j)
            if (Full || first + j * 32 < size) {
                const unsigned run = word[j].before + __popc(word[j].heads & (~0u >> (31 - lane))) - 1;
                place[j] = base + first + j * 32 + __ldg(deltas + std::size_t{bin} * ranges + run);
            }
#pragma unroll
        for (int j = 0; j < turns; ++j)
            if (Full || first + j * 32 < size) product[j] = products[place[j]];
#pragma unroll
        for (int j = 0; j < turns; ++j)
            if (Full || first + j * 32 < size) entry[j] = __ldg(order + base + first + j * 32);
#pragma unroll
        for (int j = 0; j < turns; ++j)
            if (Full || first + j * 32 < size) to[entry[j]] = product[j];
    }
};

template <class Cell, class Offset>
__global__ void __launch_bounds__(bin_block, bin_blocks_an_sm<typename Cell::value>)
    csr_binned_rows_kernel(binned_products<typename Cell::value> of, const Offset* __restrict__ offsets,
                           const index_t* __restrict__ numbers, const index_t* __restrict__ chunk_rows,
                           index_t rows, std::uint32_t nnz, bool uneven, typename Cell::value* out,
                           std::uint32_t* present, carry<Cell>* carries) {
    using V = typename Cell::value;
    __shared__ V memory[staggered<V>::places(bin_entries)];
    const std::uint32_t bin = blockIdx.x, base = bin * bin_entries;
    const int size = static_cast<int>(min(nnz - base, static_cast<std::uint32_t>(bin_entries)));
    if (threadIdx.x == 0 && bin + of.ahead < gridDim.x) of.fetch_early(bin + of.ahead);
    if (size == bin_entries)
        of.template bring<true>(bin, size, staggered<V>{memory});
    else
        of.template bring<false>(bin, size, staggered<V>{memory});
    const int team = static_cast<int>(threadIdx.x) / merge_block,
              thread = static_cast<int>(threadIdx.x) % merge_block;
    const int count = min(size - team * merge_entries, merge_entries);
    const offset_t chunk = offset_t{bin} * bin_chunks + team, from = chunk * merge_entries;
    const index_t first_row = count > 0 ? chunk_rows[chunk] : 0;
    const int row_count = count > 0 ? min(chunk_rows[chunk + 1], rows - 1) - first_row + 1 : 0;
    const auto finish = [&](int r, bool ends, const partial<Cell>& sum) {
        if (!ends) {
            carries[chunk] = sum;
        } else if (sum.met) {
            const index_t row = numbers ? numbers[first_row + r] : first_row + r;
            out[row] = sum.value;
            if (present) atomicOr(present + row / 32, 1u << row % 32);
        }
    };
    sum_rows_of_chunk<Cell, false>(
        staggered<V>{memory + staggered<V>::places(merge_entries) * team}, nullptr,
        [&](int r) { return piece_of_row(offsets + first_row, r, from, count); }, row_count, uneven, thread,
        [] { __syncthreads(); }, finish);
}

template <class Cell>
void csr_binned(const device_mxv_arguments& a, void* stream) {
    if constexpr (!Cell::reads_b) {
        csr_merge<Cell>(a, stream);
    } else {
        using T = typename Cell::operand;
        using V = typename Cell::value;
        const mxv_arguments& c = a.common;
        if (c.u_present) return csr_merge<Cell>(a, stream);
        const auto on = static_cast<cudaStream_t>(stream);
        auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
        if (present)
            check(cudaMemsetAsync(present, 0, static_cast<std::size_t>(half_words(c.output_size)) * 4, on));
        const unsigned chunks = blocks_for(c.nnz, storage::merge_chunk_entries);
        if (chunks == 0) return;
        const bin_arguments& b = c.bins;
        plan::workspace_parts parts(c.workspace);
        auto* carries = reinterpret_cast<carry<Cell>*>(
            parts.take<std::byte>(static_cast<offset_t>(plan::device_csr_merge_workspace(c.nnz))));
        V* products = parts.take<V>(storage::most_binned_places(c.nnz));
        const binned_entries<Cell> entries{b.columns,
                                           static_cast<const T*>(b.values),
                                           b.range_starts,
                                           static_cast<int>(b.ranges),
                                           static_cast<const T*>(c.u_values),
                                           c.u_size,
                                           storage::bin_width(sizeof(T)),
                                           products};
        const auto make_products = [&](auto kernel) {
            constexpr int bytes = static_cast<int>(storage::bin_width(sizeof(T)) * sizeof(T));
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
            kernel<<<static_cast<unsigned>(multiprocessors_here() * product_blocks_an_sm), product_block,
                     bytes, on>>>(entries);
            check(cudaGetLastError());
        };
        if constexpr (Cell::reads_a)
            c.constant ? make_products(csr_binned_products_kernel<Cell, true>)
                       : make_products(csr_binned_products_kernel<Cell, false>);
        else
            make_products(csr_binned_products_kernel<Cell, true>);
        const auto sum_rows_of_bins = [&](const auto* offsets) {
            using Offset = std::remove_cvref_t<decltype(*offsets)>;
            constexpr auto kernel = csr_binned_rows_kernel<Cell, Offset>;
            const binned_products<V> of{
                products,
                b.order,
                b.words,
                b.deltas,
                static_cast<int>(b.ranges),
                static_cast<std::uint32_t>(multiprocessors_here() * bin_blocks_an_sm<V>)};
            kernel<<<blocks_for(c.nnz, storage::bin_entries), bin_block, 0, on>>>(
                of, offsets, a.row_numbers, a.chunk_rows, a.held_rows, static_cast<std::uint32_t>(c.nnz),
                rows_vary(a), static_cast<V*>(c.out_values), present, carries);
            check(cudaGetLastError());
        };
        c.offsets.wide ? sum_rows_of_bins(static_cast<const std::int64_t*>(c.offsets.data))
                       : sum_rows_of_bins(static_cast<const std::int32_t*>(c.offsets.data));
        if (chunks > 1) launch_merge_update<Cell>(a, chunks, on);
    }
}

}  // namespace nz::kernels::cuda
