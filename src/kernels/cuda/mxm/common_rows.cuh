// What the count and the fill of mxm/hash share: how operands are read, how lanes come by a row's products, and how a block
// goes through them in order.
#pragma once

#include "core/cuda_shared.hpp"
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

/// What may be written: the columns that a row of the mask lists, ascending, or those it does not; without a mask all.
class device_mask {
public:
    device_mask(const device_mxm_arguments& k)
        : on_(k.masked),
          complement_(k.complement),
          offsets_{k.mask_offsets.data, k.mask_offsets.wide},
          columns_(k.mask_columns) {}

    __device__ bool on() const { return on_; }
    /// Whether it lists what may be written.
    __device__ bool lists() const { return on_ && !complement_; }
    __device__ offset_t length(offset_t row) const { return offsets_[row + 1] - offsets_[row]; }
    template <class F>
    __device__ void for_columns(index_t row, int lane, int lanes, F&& f) const {
        const offset_t end = offsets_[row + offset_t{1}];
        for (offset_t at = offsets_[row] + lane; at < end; at += lanes) f(__ldg(columns_ + at));
    }
    __device__ bool bars_all(offset_t row) const { return lists() && length(row) == 0; }
    __device__ bool lets(index_t row, index_t column) const {
        const offset_t end = offsets_[row + offset_t{1}], at = search(offsets_[row], end, column);
        return (at < end && __ldg(columns_ + at) == column) != complement_;
    }
    /// Which of the columns from `first` on, as many as Word has bits, may be written.
    template <class Word>
    __device__ Word lets_word(index_t row, index_t first) const {
        const offset_t end = offsets_[row + offset_t{1}];
        Word listed = 0;
        for (offset_t at = search(offsets_[row], end, first); at < end; ++at) {
            const auto bit = static_cast<unsigned>(__ldg(columns_ + at)) - static_cast<unsigned>(first);
            if (bit >= 8 * sizeof(Word)) break;
            listed |= Word{1} << bit;
        }
        return complement_ ? ~listed : listed;
    }

private:
    // The first of [at, end) that is `column` or beyond.
    __device__ offset_t search(offset_t at, offset_t end, index_t column) const {
        while (at < end) {
            const offset_t middle = at + (end - at) / 2;
            if (__ldg(columns_ + middle) < column)
                at = middle + 1;
            else
                end = middle;
        }
        return at;
    }

    bool on_, complement_;
    device_offsets offsets_;
    const index_t* columns_;
};

/// Threads of a block whose rows belong to some lanes of a warp each.
inline constexpr int lanes_block = 128;
/// Threads of a block that has a row: many where its table leaves room for one block a multiprocessor alone.
inline constexpr int row_block = 512, wide_row_block = 1024;
inline constexpr std::size_t narrow_table_bytes = std::size_t{64} << 10;
/// Entries of A that a block spreads at once.
inline constexpr int spread_entries = 256;
static_assert(spread_entries <= row_block);

/// The bits of the `Lanes` neighbouring lanes that this one is of.
template <int Lanes>
__device__ unsigned group_lanes() {
    if constexpr (Lanes == 32) return full_warp;
    return ((1u << Lanes % 32) - 1) << threadIdx.x % 32 / Lanes * Lanes;
}
/// The sum of x of the lanes up to this one, among `Lanes` neighbours.
template <int Lanes>
__device__ int sum_up_to(int x) {
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2) {
        const int below = __shfl_up_sync(full_warp, x, distance, Lanes);
        if (static_cast<int>(threadIdx.x) % Lanes >= distance) x += below;
    }
    return x;
}

/// An entry of A: its value, and where its row of B begins and how long that is.
template <class T>
class alignas(16) entry_of_a {
public:
    entry_of_a() = default;
    __device__ entry_of_a(offset_t begin, int length, T x)
        : value(x),
          where_(static_cast<unsigned long long>(begin) | static_cast<unsigned long long>(length)
                                                              << length_from) {}
    __device__ offset_t begin() const { return static_cast<offset_t>(where_ & ((1ull << length_from) - 1)); }
    __device__ int length() const { return static_cast<int>(where_ >> length_from); }
    T value;

private:
    static constexpr int length_from = 40;  // the row of B has few entries, B fewer than 2^40
    unsigned long long where_;
};

/// Entry number n of [first, last), counted from the end where `Backwards`.
template <bool Backwards>
__device__ offset_t entry_at(offset_t first, offset_t last, offset_t n) {
    return Backwards ? last - 1 - n : first + n;
}

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

/// The columns of a row as bits in 64-bit words, those that the mask lets through.
__device__ inline void mark_columns(entry_spread& m, const device_mxm_side& a, const device_mxm_side& b,
                                    const device_mask& mask, index_t row, unsigned long long* bits,
                                    int words) {
    const offset_t first = a.offsets[row], last = a.offsets[row + offset_t{1}];
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
    if (!mask.on()) return;
    for (int w = static_cast<int>(threadIdx.x); w < words; w += static_cast<int>(blockDim.x))
        if (bits[w]) bits[w] &= mask.lets_word<unsigned long long>(row, w * 64);
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
}  // namespace nz::kernels::cuda
