// A row's products sorted by column in registers, by some lanes of a warp or by a block: what mxm/hash counts and fills rows
// with whose products are few or seldom meet.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

/// Threads that have a row together: neighbouring lanes of a warp, whose other lanes have rows of their own and come to each
/// step; or, from more than a warp on, a block.
template <int Threads>
struct row_team {
    static constexpr bool is_block = Threads > 32;
    static constexpr int block = is_block ? Threads : lanes_block, teams = block / Threads;

    static __device__ int lane() { return static_cast<int>(threadIdx.x) % Threads; }
    static __device__ int number() { return static_cast<int>(threadIdx.x) / Threads; }
    static __device__ void sync() {
        if constexpr (is_block)
            __syncthreads();
        else
            __syncwarp();
    }
    static __device__ bool any(bool x) {
        if constexpr (is_block) return __syncthreads_or(x);
        return __any_sync(full_warp, x);
    }
    /// The sum of x of the threads up to this one; `scratch` of a number a warp.
    static __device__ int sum_up_to(int x, int& total, int* scratch) {
        if constexpr (!is_block) {
            x = cuda::sum_up_to<Threads>(x);
            total = __shfl_sync(full_warp, x, Threads - 1, Threads);
        } else {
            x = cuda::sum_up_to<32>(x);
            const int warp = lane() / 32;
            if (lane() % 32 == 31) scratch[warp] = x;
            __syncthreads();
            total = 0;
#pragma unroll
            for (int w = 0; w < Threads / 32; ++w) {
                if (w == warp) x += total;
                total += scratch[w];
            }
            __syncthreads();
        }
        return x;
    }
};

/// A team's entries of A at hand.
template <int Threads, class T>
struct team_entries {
    entry_of_a<T> entries[Threads];
    int places[Threads];  ///< products before each
    index_t inner[Threads];
    int scratch[Threads / 32 + 1];
};

/// Lanes that read a row of B together, and entries beyond which a block does.
inline constexpr int sorted_reach = 8, long_for_lanes = 64;

/// A row's products by a team, several entries of A at a time: value_of(p) once for each entry; then visit(place, q, value,
/// owner) for each product, `place` counting the row's in the order of A's entries, q being the entry of B, m.inner[owner]
/// its row. Returns how many there are.
template <int Threads, class T, class Value, class Visit>
__device__ int for_places(team_entries<Threads, T>& m, const device_mxm_side& a, const device_mxm_side& b,
                          offset_t first, offset_t last, Value&& value_of, Visit&& visit) {
    using team = row_team<Threads>;
    constexpr int together = Threads / sorted_reach;
    const int lane = team::lane(), reader = lane % sorted_reach;
    int total = 0;
    for (offset_t base = first; team::any(base < last); base += Threads) {
        entry_of_a<T> mine{};
        int length = 0;
        if (base + lane < last) {
            const index_t k = __ldg(a.columns + base + lane);
            const offset_t begin = b.offsets[k];
            length = static_cast<int>(b.offsets[k + offset_t{1}] - begin);
            mine = entry_of_a<T>(begin, length, value_of(base + lane));
            m.inner[lane] = k;
        }
        int added;
        const int end = team::sum_up_to(length, added, m.scratch);
        m.entries[lane] = mine;
        m.places[lane] = total + end - length;
        total += added;
        const bool some_longer = team::any(length > sorted_reach);
        const bool some_long = team::is_block && team::any(length > long_for_lanes);
        int most = static_cast<int>(max(offset_t{0}, min(offset_t{Threads}, last - base)));
        if constexpr (!team::is_block) most = __reduce_max_sync(full_warp, most);
        team::sync();
#pragma unroll 4
        for (int from = 0; from < most; from += together) {
            const int owner = from + lane / sorted_reach;
            const entry_of_a<T> e = m.entries[owner];
            const int place = m.places[owner], count = e.length();
            if (!some_longer) {
                if (reader < count) visit(place + reader, e.begin() + reader, e.value, owner);
            } else if (!some_long || count <= long_for_lanes) {
                for (int at = reader; at < count; at += sorted_reach)
                    visit(place + at, e.begin() + at, e.value, owner);
            }
        }
        if (some_long)
            for (int owner = 0; owner < most; ++owner) {
                const entry_of_a<T> e = m.entries[owner];
                if (e.length() <= long_for_lanes) continue;
                for (int at = lane; at < e.length(); at += Threads)
                    visit(m.places[owner] + at, e.begin() + at, e.value, owner);
            }
        team::sync();
    }
    return total;
}

/// A row's products, column above and place below, by a team: numbers t Each to (t + 1) Each are thread t's.
template <int Threads, int Each>
class sorted_row {
    using team = row_team<Threads>;

public:
    static constexpr int most = Threads * Each;

    /// Sorts the row's `total` numbers in `memory`, which is of `most` and aligned to 16 bytes.
    __device__ sorted_row(unsigned* memory, int total) : memory_(memory), total_(total) {
        const auto* four = reinterpret_cast<const uint4*>(memory) + team::lane() * (Each / 4);
#pragma unroll
        for (int r = 0; r < Each; r += 4) {
            const uint4 x = four[r / 4];
            keys_[r] = x.x;
            keys_[r + 1] = x.y;
            keys_[r + 2] = x.z;
            keys_[r + 3] = x.w;
        }
#pragma unroll
        for (int r = 0; r < Each; ++r)
            if (team::lane() * Each + r >= total) keys_[r] = ~0u;
        sort();
        team::sync();
        auto* to = reinterpret_cast<uint4*>(memory) + team::lane() * (Each / 4);
#pragma unroll
        for (int r = 0; r < Each; r += 4) to[r / 4] = {keys_[r], keys_[r + 1], keys_[r + 2], keys_[r + 3]};
        team::sync();
    }
    static __device__ unsigned key(index_t column, int place) {
        return static_cast<unsigned>(column) * most + static_cast<unsigned>(place);
    }
    static __device__ index_t column_of(unsigned key) { return static_cast<index_t>(key / most); }
    static __device__ unsigned place_of(unsigned key) { return key % most; }

    /// How many columns there are that `lets` lets; found(n, i) for column n's first product, number i.
    template <class Lets, class Found>
    __device__ int columns(Lets&& lets, Found&& found, int* scratch) const {
        const int begin = team::lane() * Each;
        index_t before = begin > 0 ? column_of(memory_[begin - 1]) : -1;
        unsigned firsts = 0;
#pragma unroll
        for (int r = 0; r < Each; ++r) {
            const index_t column = column_of(keys_[r]);
            if (begin + r < total_ && column != before && lets(column)) firsts |= 1u << r;
            before = column;
        }
        int all;
        int n = team::sum_up_to(__popc(firsts), all, scratch) - __popc(firsts);
#pragma unroll
        for (int r = 0; r < Each; ++r)
            if (firsts >> r & 1) found(n++, begin + r);
        return all;
    }

private:
    // Bitonic: of a distance below Each between a thread's own, of up to a warp by exchanges, of more through memory.
    __device__ void sort() {
#pragma unroll
        for (int run = 2; run <= most; run *= 2)
#pragma unroll
            for (int distance = run / 2; distance > 0; distance /= 2) {
                if (distance >= Each * 32) {
                    __syncthreads();
#pragma unroll
                    for (int r = 0; r < Each; ++r) memory_[r * Threads + team::lane()] = keys_[r];
                    __syncthreads();
                }
#pragma unroll
                for (int r = 0; r < Each; ++r) {
                    const bool falls = run < most && ((team::lane() * Each | r) & run) != 0;
                    if (distance < Each) {
                        if (r & distance) continue;
                        unsigned &x = keys_[r], &y = keys_[r | distance % Each];
                        const unsigned low = min(x, y), high = max(x, y);
                        x = falls ? high : low;
                        y = falls ? low : high;
                    } else {
                        const int apart = distance / Each;
                        const unsigned other = apart < 32 ? __shfl_xor_sync(full_warp, keys_[r], apart)
                                                          : memory_[r * Threads + (team::lane() ^ apart)];
                        const bool low = (team::lane() & apart) == 0;
                        keys_[r] = low != falls ? min(keys_[r], other) : max(keys_[r], other);
                    }
                }
            }
    }

    unsigned keys_[Each];
    unsigned* memory_;
    int total_;
};

/// Calls f.template operator()<Threads, Each>() for the bin's number of products.
template <class F>
void with_sorted_bin(int bin, F&& f) {
    switch (plan::sorted_of_bin(bin)) {
        case 32:
            return f.template operator()<8, 4>();
        case 64:
            return f.template operator()<8, 8>();
        case 128:
            return f.template operator()<16, 8>();
        case 256:
            return f.template operator()<32, 8>();
        case 512:
            return f.template operator()<32, 16>();
        case 1024:
            return f.template operator()<64, 16>();
        case 2048:
            return f.template operator()<128, 16>();
        default:
            return f.template operator()<256, 16>();
    }
}

}  // namespace nz::kernels::cuda
