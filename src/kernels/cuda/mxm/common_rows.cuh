// What the count and the fill of mxm/hash share: how operands are read, how lanes and blocks go through a row's products
// in order, and the tables.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/device_mxm_arguments.hpp"

namespace nz::kernels::cuda {

struct device_mxm_side {
    device_offsets offsets;
    const index_t* columns;
    const void* values;
    int step;

    device_mxm_side(const mxm_side& s, offset_t value_step)
        : offsets{s.offsets.data, s.offsets.wide},
          columns(s.columns),
          values(s.values),
          step(static_cast<int>(value_step)) {}
};

/// Threads of a block whose rows belong to some lanes of a warp each.
inline constexpr int lanes_block = 128;
/// Rows of tables up to so many slots go to eight lanes: a stencil's row has few products. Longer ones take a warp.
inline constexpr int few_lanes = 8, few_lanes_slots = 64;
/// Threads of a block that has a row: many where its table leaves room for one block a multiprocessor alone.
inline constexpr int row_block = 512, wide_row_block = 1024;
inline constexpr std::size_t narrow_table_bytes = std::size_t{64} << 10;
/// Entries of A that a block spreads at once.
inline constexpr int spread_entries = 256;
static_assert(spread_entries <= row_block);

template <class T>
__device__ T lane_value(T x, int lane, int width) {
    if constexpr (sizeof(T) < 4)
        return static_cast<T>(__shfl_sync(full_warp, static_cast<int>(x), lane, width));
    else
        return __shfl_sync(full_warp, x, lane, width);
}

/// Entry number n of [first, last), counted from the end where `Backwards`.
template <bool Backwards>
__device__ offset_t entry_at(offset_t first, offset_t last, offset_t n) {
    return Backwards ? last - 1 - n : first + n;
}

/// A row's products by Lanes neighbouring lanes, in the order of A's entries; all lanes of the warp take part, with rows
/// of their own. load(p, k) once for each entry, in one lane, k being B's row; visit(active, owner, q) for each product:
/// `owner` is the lane that loaded its entry of A, q the entry of B.
template <int Lanes, bool Backwards, class Load, class Visit>
__device__ void for_products(const device_mxm_side& a, const device_mxm_side& b, offset_t first,
                             offset_t last, Load&& load, Visit&& visit) {
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const offset_t entries = last - first;
    for (offset_t base = 0; __any_sync(full_warp, base < entries); base += Lanes) {
        offset_t begin = 0;
        int length = 0;
        if (base + lane < entries) {
            const offset_t p = entry_at<Backwards>(first, last, base + lane);
            const index_t k = a.columns[p];
            begin = b.offsets[k];
            length = static_cast<int>(b.offsets[k + offset_t{1}] - begin);
            load(p, k);
        }
        int end = length;
#pragma unroll
        for (int distance = 1; distance < Lanes; distance *= 2) {
            const int below = __shfl_up_sync(full_warp, end, distance, Lanes);
            if (lane >= distance) end += below;
        }
        begin -= end - length;
        const int total = __shfl_sync(full_warp, end, Lanes - 1, Lanes);
        const int most = __reduce_max_sync(full_warp, total);
        for (int at = lane; at - lane < most; at += Lanes) {
            int owner = 0;
#pragma unroll
            for (int step = Lanes / 2; step > 0; step /= 2)
                if (__shfl_sync(full_warp, end, owner + step - 1, Lanes) <= at) owner += step;
            visit(at < total, owner, __shfl_sync(full_warp, begin, owner, Lanes) + at);
        }
    }
}

inline constexpr index_t no_key = -1;

/// The slot of column j in a table of 2^n slots, of which 32 - shift bits choose the first; `made` when it was free.
__device__ inline int slot_of(index_t* keys, int slots, int shift, index_t j, bool& made) {
    int slot = static_cast<int>(static_cast<std::uint32_t>(j) * 0x9E3779B1u >> shift);
    made = false;
    for (;; slot = (slot + 1) & (slots - 1)) {
        const index_t key = *static_cast<volatile index_t*>(keys + slot);
        if (key == j) return slot;
        if (key != no_key) continue;
        const index_t before = atomicCAS(keys + slot, no_key, j);
        made = before == no_key;
        if (made || before == j) return slot;
    }
}
__device__ inline int shift_of(int slots) { return 33 - __ffs(slots); }

/// Entries of A in shared memory, with the products before each.
struct entry_spread {
    offset_t starts[spread_entries + 1], begins[spread_entries];
    index_t rows[spread_entries];
    long long warp_totals[spread_entries / 32];

    /// Takes entries n on of [first, last); products of entry e are begins[e] + their number.
    template <bool Backwards>
    __device__ void take(const device_mxm_side& a, const device_mxm_side& b, offset_t first, offset_t last,
                         offset_t n) {
        const int t = static_cast<int>(threadIdx.x);
        offset_t begin = 0, length = 0;
        long long end = 0;
        if (t < spread_entries) {
            index_t k = 0;
            if (n + t < last - first) {
                k = a.columns[entry_at<Backwards>(first, last, n + t)];
                begin = b.offsets[k];
                length = b.offsets[k + offset_t{1}] - begin;
            }
            rows[t] = k;
            end = length;
            for (int distance = 1; distance < 32; distance *= 2) {
                const long long below = __shfl_up_sync(full_warp, end, distance);
                if (t % 32 >= distance) end += below;
            }
            if (t % 32 == 31) warp_totals[t / 32] = end;
        }
        __syncthreads();
        if (t < spread_entries) {
            for (int warp = 0; warp < t / 32; ++warp) end += warp_totals[warp];
            starts[t] = end - length;
            begins[t] = begin - starts[t];
            if (t == spread_entries - 1) starts[spread_entries] = end;
        }
        __syncthreads();
    }
    __device__ offset_t total() const { return starts[spread_entries]; }
    /// The entry whose product this is.
    __device__ int owner(offset_t product) const {
        int at = 0;
#pragma unroll
        for (int step = spread_entries / 2; step > 0; step /= 2)
            if (starts[at + step] <= product) at += step;
        return at;
    }
};

/// A row's products by a block, in order: visit(active, n, owner, q), n counting the entries of A before the spread. All threads come to each visit.
template <bool Backwards, class Visit>
__device__ void for_block_products(entry_spread& m, const device_mxm_side& a, const device_mxm_side& b,
                                   offset_t first, offset_t last, Visit&& visit) {
    for (offset_t n = 0; n < last - first; n += spread_entries) {
        m.take<Backwards>(a, b, first, last, n);
        const offset_t total = m.total();
        for (offset_t at = 0; at < total; at += blockDim.x) {
            const offset_t product = at + threadIdx.x;
            const bool active = product < total;
            const int owner = active ? m.owner(product) : 0;
            visit(active, n, owner, active ? m.begins[owner] + product : 0);
        }
        __syncthreads();
    }
}

/// The columns of a row as bits in 64-bit words.
__device__ inline void mark_columns(entry_spread& m, const device_mxm_side& a, const device_mxm_side& b,
                                    offset_t first, offset_t last, unsigned long long* bits, int words) {
    for (int w = static_cast<int>(threadIdx.x); w < words; w += static_cast<int>(blockDim.x)) bits[w] = 0;
    __syncthreads();
    auto* halves = reinterpret_cast<unsigned*>(bits);
    for_block_products<false>(m, a, b, first, last, [&](bool active, offset_t, int, offset_t q) {
        if (!active) return;
        const auto j = static_cast<unsigned>(__ldg(b.columns + q));
        const unsigned bit = 1u << j % 32;
        if (!(*static_cast<volatile unsigned*>(halves + j / 32) & bit)) atomicOr(halves + j / 32, bit);
    });
    __syncthreads();
}

/// How a launch of blocks that have a row each finds their tables.
struct block_tables {
    unsigned long long* global;  ///< null: in shared memory
    std::size_t stride;          ///< in words

    __device__ unsigned long long* of_block(unsigned long long* shared) const {
        return global ? global + blockIdx.x * stride : shared;
    }
};
struct block_launch {
    unsigned blocks, threads;
    std::size_t shared_bytes;
    block_tables tables;
};
inline block_launch block_launch_of(const device_mxm_arguments& k, unsigned rows) {
    const std::size_t bytes = plan::column_table_bytes(k.columns);
    const bool shared = plan::tables_in_shared(k.columns);
    return {shared ? rows : std::min(rows, static_cast<unsigned>(k.table_count)),
            static_cast<unsigned>(shared && bytes > narrow_table_bytes ? wide_row_block : row_block),
            shared ? bytes : 0,
            {shared ? nullptr : static_cast<unsigned long long*>(k.tables), bytes / 8}};
}
template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
    if (bytes > std::size_t{40} << 10)  // with what the kernel itself has, beyond what is given unasked
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
}

}  // namespace nz::kernels::cuda
