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

/// The first of columns [at, end), which ascend, that is `column` or beyond.
template <class Place>
__device__ Place lower_bound(const index_t* columns, Place at, Place end, index_t column) {
    while (at < end) {
        const Place middle = at + (end - at) / 2;
        if (__ldg(columns + middle) < column)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

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
    __device__ offset_t search(offset_t at, offset_t end, index_t column) const {
        return lower_bound(columns_, at, end, column);
    }

    bool on_, complement_;
    device_offsets offsets_;
    const index_t* columns_;
};

/// Threads of a block whose rows belong to some lanes of a warp each.
inline constexpr int lanes_block = 128;
/// Threads of a block that has a row: many where its table leaves room for one block a multiprocessor alone.
inline constexpr int row_block = 512, wide_row_block = 1024;
/// Entries of A that a block spreads at once.
inline constexpr int spread_entries = 512;
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

/// Columns [begin, end), or all.
struct column_range {
    index_t begin, end;
    bool all;
};

/// Products of a block's step, and how many a thread has in blocks of row_block; those of a warp are neighbours.
inline constexpr int step_products = 2048, step_each = step_products / row_block;
__device__ inline int products_each() { return step_products / static_cast<int>(blockDim.x); }
/// Number u of this thread's products among a step's.
__device__ inline int product_number(int u) {
    const int t = static_cast<int>(threadIdx.x);
    return t / 32 * (32 * products_each()) + u * 32 + t % 32;
}

/// Entries of A that have products, in shared memory, with the products before each.
struct entry_spread {
    offset_t starts[spread_entries + 1], begins[spread_entries];
    index_t rows[spread_entries];
    long long warp_totals[spread_entries / 32];
    int warp_counts[spread_entries / 32];

    /// Takes entries n on of [first, last) with their products in those columns of B: the products of entry e are begins[e] + their
    /// number. keep(e, p): this thread has entry p of A, which is number e here.
    template <bool Backwards, class Keep>
    __device__ void take(const device_mxm_side& a, const device_mxm_side& b, offset_t first, offset_t last,
                         offset_t n, const column_range& columns, Keep&& keep) {
        const int t = static_cast<int>(threadIdx.x);
        offset_t begin = 0, length = 0, p = 0;
        long long end = 0;
        index_t k = 0;
        unsigned there = 0;
        if (t < spread_entries) {
            if (n + t < last - first) {
                p = entry_at<Backwards>(first, last, n + t);
                k = a.columns[p];
                begin = b.offsets[k];
                offset_t row_end = b.offsets[k + offset_t{1}];
                if (!columns.all) {
                    row_end = lower_bound(b.columns, begin, row_end, columns.end);
                    begin = lower_bound(b.columns, begin, row_end, columns.begin);
                }
                length = row_end - begin;
            }
            there = __ballot_sync(full_warp, length > 0);
            end = length;
            for (int distance = 1; distance < 32; distance *= 2) {
                const long long below = __shfl_up_sync(full_warp, end, distance);
                if (t % 32 >= distance) end += below;
            }
            if (t % 32 == 31) {
                warp_totals[t / 32] = end;
                warp_counts[t / 32] = __popc(there);
            }
        }
        __syncthreads();
        if (t < spread_entries) {
            int place = __popc(there & ((1u << t % 32) - 1)), count = 0;
            long long total = 0;
            for (int warp = 0; warp < spread_entries / 32; ++warp) {
                if (warp < t / 32) {
                    end += warp_totals[warp];
                    place += warp_counts[warp];
                }
                total += warp_totals[warp];
                count += warp_counts[warp];
            }
            if (length > 0) {
                starts[place] = end - length;
                begins[place] = begin - (end - length);
                rows[place] = k;
                keep(place, p);
            }
            if (t >= count) starts[t] = total;
            if (t == 0) starts[spread_entries] = total;
        }
        __syncthreads();
    }
    __device__ offset_t total() const { return starts[spread_entries]; }
    /// Where in B product `number` is, of that owner; of none: where the first is.
    __device__ offset_t place_in_b(int owner, offset_t number) const {
        return begins[max(owner, 0)] + (owner < 0 ? 0 : number);
    }
    /// The entry of each of this thread's products of the step from number `from` on; below 0: there is none. All lanes come.
    __device__ void owners(offset_t from, int (&owner)[step_each]) const {
        const int lane = static_cast<int>(threadIdx.x) % 32, each = products_each();
        const offset_t first = from + product_number(0) - lane, all = total();
        // The last entry that begins by then: of 32 about as far apart, in different banks, and of those after it.
        const auto sample = [](int n) { return n * (spread_entries / 32) + n % 16; };
        static_assert(spread_entries % 512 == 0);
        int at = sample(__popc(__ballot_sync(full_warp, starts[sample(lane)] <= first)) - 1);
        at += __popc(__ballot_sync(full_warp, at + lane < spread_entries && starts[at + lane] <= first)) - 1;
        // Which products are the first of an entry.
        unsigned begun[step_each] = {};
        for (int next = at + 1 + lane;; next += 32) {
            const offset_t begin = next <= spread_entries ? starts[next] - first : 32 * step_each;
            const int number = begin < 32 * step_each ? static_cast<int>(begin) : -32;
#pragma unroll
            for (int u = 0; u < step_each; ++u)
                begun[u] |=
                    __reduce_or_sync(full_warp, number / 32 == u && number >= 0 ? 1u << number % 32 : 0);
            if (!__shfl_sync(full_warp, number >= 0, 31)) break;
        }
#pragma unroll
        for (int u = 0; u < step_each; ++u) {
            const bool active = u < each && first + u * 32 + lane < all;
            owner[u] = active ? at + __popc(begun[u] & (~0u >> (31 - lane))) : -1;
            at += __popc(begun[u]);
        }
    }
};

/// The columns of a row as bits in 64-bit words, those that the mask lets through. Returns the row's products.
__device__ inline offset_t mark_columns(entry_spread& m, const device_mxm_side& a, const device_mxm_side& b,
                                        const device_mask& mask, index_t row, unsigned long long* bits,
                                        int words) {
    const offset_t first = a.offsets[row], last = a.offsets[row + offset_t{1}];
    for (int w = static_cast<int>(threadIdx.x); w < words; w += static_cast<int>(blockDim.x)) bits[w] = 0;
    __syncthreads();
    offset_t products = 0;
    auto* halves = reinterpret_cast<unsigned*>(bits);
    for (offset_t n = 0; n < last - first; n += spread_entries) {
        m.take<false>(a, b, first, last, n, {0, 0, true}, [](int, offset_t) {});
        const offset_t total = m.total();
        products += total;
        for (offset_t from = 0; from < total; from += step_products) {
            int owner[step_each];
            unsigned j[step_each];
            m.owners(from, owner);
#pragma unroll
            for (int u = 0; u < step_each; ++u)
                j[u] = static_cast<unsigned>(
                    __ldg(b.columns + m.place_in_b(owner[u], from + product_number(u))));
            // Where there is no product, the first's bit is marked once more.
            unsigned marked[step_each];
#pragma unroll
            for (int u = 0; u < step_each; ++u)
                marked[u] = *static_cast<volatile unsigned*>(halves + j[u] / 32);
#pragma unroll
            for (int u = 0; u < step_each; ++u)
                if (const unsigned bit = 1u << j[u] % 32; !(marked[u] & bit))
                    atomicOr(halves + j[u] / 32, bit);
        }
        __syncthreads();
    }
    __syncthreads();
    if (!mask.on()) return products;
    for (int w = static_cast<int>(threadIdx.x); w < words; w += static_cast<int>(blockDim.x))
        if (bits[w]) bits[w] &= mask.lets_word<unsigned long long>(row, w * 64);
    __syncthreads();
    return products;
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
            static_cast<unsigned>(shared && bytes > plan::narrow_table_bytes ? wide_row_block : row_block),
            shared ? bytes : 0,
            {shared ? nullptr : static_cast<unsigned long long*>(k.tables), bytes / 8}};
}
}  // namespace nz::kernels::cuda
