// A row's products sorted by column in registers: what mxm/hash counts and fills rows of few products with.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

/// Lanes that read a row of B together.
inline constexpr int sorted_reach = 8;

/// A row's products by Lanes neighbouring lanes, several entries of A at a time; all lanes of the warp take part, with rows
/// of their own. load(p, k) once for each entry, in one lane, k being B's row; fetch(owner) in all lanes, where `owner` is
/// the lane that loaded; then visit(place, q) for each product, `place` counting the row's in the order of A's entries and
/// q being the entry of B. Returns how many there are.
template <int Lanes, class Load, class Fetch, class Visit>
__device__ int for_places(const device_mxm_side& a, const device_mxm_side& b, offset_t first, offset_t last,
                          Load&& load, Fetch&& fetch, Visit&& visit) {
    constexpr int together = Lanes / sorted_reach;
    const int lane = static_cast<int>(threadIdx.x) % Lanes, reader = lane % sorted_reach;
    int total = 0;
    for (offset_t base = first; __any_sync(full_warp, base < last); base += Lanes) {
        offset_t begin = 0;
        int length = 0;
        if (base + lane < last) {
            const index_t k = __ldg(a.columns + base + lane);
            begin = b.offsets[k];
            length = static_cast<int>(b.offsets[k + offset_t{1}] - begin);
            load(base + lane, k);
        }
        const int end = total + sum_up_to<Lanes>(length);
        const auto both = static_cast<unsigned>(length << 16 | (end - length));
        const int longest = __reduce_max_sync(full_warp, length);
        const int most = __reduce_max_sync(
            full_warp, static_cast<int>(max(offset_t{0}, min(offset_t{Lanes}, last - base))));
        total = __shfl_sync(full_warp, end, Lanes - 1, Lanes);
#pragma unroll 4
        for (int entry = 0; entry < most; entry += together) {
            const int owner = entry + lane / sorted_reach;
            offset_t q = __shfl_sync(full_warp, static_cast<unsigned>(begin), owner, Lanes);
            if (b.offsets.wide)
                q |= offset_t{__shfl_sync(full_warp, static_cast<int>(begin >> 32), owner, Lanes)} << 32;
            const unsigned of_owner = __shfl_sync(full_warp, both, owner, Lanes);
            const int count = static_cast<int>(of_owner >> 16), place = static_cast<int>(of_owner & 0xFFFF);
            fetch(owner);
            if (longest <= sorted_reach) {
                if (reader < count) visit(place + reader, q + reader);
            } else {
                for (int at = reader; at < count; at += sorted_reach) visit(place + at, q + at);
            }
        }
    }
    __syncwarp();
    return total;
}

/// A row's products, column above and place below, by Lanes neighbouring lanes of `Each`: number i is lane i % Lanes's.
template <int Lanes, int Each>
class sorted_row {
public:
    static constexpr int most = Lanes * Each, bits = most == 32 ? 5 : most == 64 ? 6 : most == 128 ? 7 : 8;
    static_assert(1 << bits == most);

    /// `memory` is of `most` numbers, where the row's own `total` stand.
    __device__ sorted_row(unsigned* memory, int total) : total_(total) {
#pragma unroll
        for (int r = 0; r < Each; ++r)
            keys_[r] = r * Lanes + lane() < total ? memory[r * Lanes + lane()] : ~0u;
        sort();
    }
    static __device__ unsigned key(index_t column, int place) {
        return static_cast<unsigned>(column) << bits | static_cast<unsigned>(place);
    }
    static __device__ index_t column_of(unsigned key) { return static_cast<index_t>(key >> bits); }
    static __device__ unsigned place_of(unsigned key) { return key % most; }

    __device__ void store(unsigned* memory) const {
#pragma unroll
        for (int r = 0; r < Each; ++r) memory[r * Lanes + lane()] = keys_[r];
    }
    /// How many columns there are that `lets` lets; found(n, i) in the lane that has column n's first product, number i.
    template <class Lets, class Found>
    __device__ int columns(Lets&& lets, Found&& found) const {
        int count = 0;
        unsigned edge = 0;
#pragma unroll
        for (int r = 0; r < Each; ++r) {
            const unsigned column = keys_[r] >> bits;
            unsigned before = __shfl_up_sync(full_warp, column, 1, Lanes);
            if (lane() == 0) before = edge;
            if (r + 1 < Each) edge = __shfl_sync(full_warp, column, Lanes - 1, Lanes);
            const int i = r * Lanes + lane();
            const bool first =
                i < total_ && (i == 0 || column != before) && lets(static_cast<index_t>(column));
            const unsigned firsts = __ballot_sync(full_warp, first) & group_lanes<Lanes>();
            if (first) found(count + __popc(firsts & ((1u << threadIdx.x % 32) - 1)), i);
            count += __popc(firsts);
        }
        return count;
    }

private:
    static __device__ int lane() { return static_cast<int>(threadIdx.x) % Lanes; }

    // Bitonic; of a distance of Lanes and more between a lane's own.
    __device__ void sort() {
#pragma unroll
        for (int run = 2; run <= most; run *= 2)
#pragma unroll
            for (int distance = run / 2; distance > 0; distance /= 2) {
#pragma unroll
                for (int r = 0; r < Each; ++r) {
                    const bool falls = run < most && ((r * Lanes | lane()) & run) != 0;
                    if (distance < Lanes) {
                        const unsigned other = __shfl_xor_sync(full_warp, keys_[r], distance);
                        const bool low = (lane() & distance) == 0;
                        keys_[r] = low != falls ? min(keys_[r], other) : max(keys_[r], other);
                    } else if (!(r & distance / Lanes)) {
                        unsigned &x = keys_[r], &y = keys_[r | distance / Lanes];
                        const unsigned low = min(x, y), high = max(x, y);
                        x = falls ? high : low;
                        y = falls ? low : high;
                    }
                }
            }
    }

    unsigned keys_[Each];
    int total_;
};

/// Calls f.template operator()<Lanes, Each>() for the bin's number of products.
template <class F>
void with_sorted_bin(int bin, F&& f) {
    switch (plan::sorted_of_bin(bin)) {
        case 32:
            return f.template operator()<8, 4>();
        case 64:
            return f.template operator()<8, 8>();
        case 128:
            return f.template operator()<16, 8>();
        default:
            return f.template operator()<32, 8>();
    }
}

}  // namespace nz::kernels::cuda
