// A row's columns by words of 32 in a table of shared memory: what mxm/hash counts and fills rows of many products with.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

/// B's rows as pairs of a word's number and its columns as bits; row k's begin where its entries do.
struct device_pairs {
    uint2* pairs;
    index_t* counts;

    device_pairs(const device_mxm_arguments& k)
        : pairs(static_cast<uint2*>(k.pairs)),
          counts(reinterpret_cast<index_t*>(static_cast<std::byte*>(k.pairs) +
                                            plan::mxm_pair_bytes(k.b_entries, 0))) {}
};

inline constexpr unsigned no_word = ~0u;

/// 2^n slots of a word's number and its columns.
class word_table {
public:
    __device__ word_table(uint2* slots, int size) : slots_(slots), last_(static_cast<unsigned>(size) - 1) {
        shift_ = __clz(size) + 1;
    }

    template <int Lanes>
    __device__ void clear() const {
        for (unsigned s = threadIdx.x % Lanes; s <= last_ / 2; s += Lanes)
            reinterpret_cast<uint4*>(slots_)[s] = {no_word, 0, no_word, 0};
        __syncwarp();
    }
    __device__ void add(unsigned word, unsigned columns) const {
        unsigned slot = first_slot(word);
        for (;; slot = (slot + 1) & last_) {
            const unsigned there = *static_cast<volatile unsigned*>(&slots_[slot].x);
            if (there == word) break;
            if (there != no_word) continue;
            const unsigned before = atomicCAS(&slots_[slot].x, no_word, word);
            if (before == no_word || before == word) break;
        }
        atomicOr(&slots_[slot].y, columns);
    }
    /// Takes out the columns of a row that the mask bars.
    template <int Lanes>
    __device__ void mask(const device_mask& by, index_t row) const {
        if (!by.on()) return;
        for (unsigned s = threadIdx.x % Lanes; s <= last_; s += Lanes)
            if (slots_[s].y)
                slots_[s].y &= by.lets_word<unsigned>(row, static_cast<index_t>(slots_[s].x * 32));
        __syncwarp();
    }
    /// Of a word that is there.
    __device__ unsigned slot_of(unsigned word, unsigned& columns) const {
        unsigned slot = first_slot(word);
        uint2 at = slots_[slot];
        while (at.x != word) {
            slot = (slot + 1) & last_;
            at = slots_[slot];
        }
        columns = at.y;
        return slot;
    }
    __device__ uint2 operator[](unsigned slot) const { return slots_[slot]; }
    __device__ unsigned size() const { return last_ + 1; }

private:
    __device__ unsigned first_slot(unsigned word) const { return word * 0x9E3779B1u >> shift_; }

    uint2* slots_;
    unsigned last_;
    int shift_;
};

/// Puts the columns of a row of the product into its table, by Lanes neighbouring lanes: one goes through the pairs of one
/// row of B, or all through one after another where their lengths differ too much. All lanes of the warp take part, with
/// rows of their own.
template <int Lanes>
__device__ void mark_words(const device_mxm_side& a, const device_offsets& b_offsets, const device_pairs& b,
                           offset_t first, offset_t last, const word_table& table) {
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    for (offset_t base = first; __any_sync(full_warp, base < last); base += Lanes) {
        const uint2* pair = b.pairs;
        int count = 0;
        if (base + lane < last) {
            const index_t k = __ldg(a.columns + base + lane);
            pair += b_offsets[k];
            count = __ldg(b.counts + k);
        }
        const int most = __reduce_max_sync(full_warp, count);
        const int steps = __reduce_add_sync(full_warp, static_cast<unsigned>((count + Lanes - 1) / Lanes));
        if (most <= steps) {
            uint2 next{};
            if (count > 0) next = __ldg(pair);
            for (int at = 0; at < most; ++at) {
                const uint2 now = next;
                if (at + 1 < count) next = __ldg(pair + at + 1);
                if (at < count) table.add(now.x, now.y);
            }
            continue;
        }
        const int mine = static_cast<int>(max(offset_t{0}, min(offset_t{Lanes}, last - base)));
        const int rows = __reduce_max_sync(full_warp, mine);
        const auto of_b = reinterpret_cast<unsigned long long>(pair);
        for (int owner = 0; owner < rows; ++owner) {
            const auto* from = reinterpret_cast<const uint2*>(__shfl_sync(full_warp, of_b, owner, Lanes));
            const int n = __shfl_sync(full_warp, count, owner, Lanes);
            for (int at = lane; at < n; at += Lanes) {
                const uint2 x = __ldg(from + at);
                table.add(x.x, x.y);
            }
        }
    }
    __syncwarp();
}

}  // namespace nz::kernels::cuda
