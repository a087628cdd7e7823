// A row's products sorted by column in registers, by some lanes of a warp or by a block: what mxm/hash counts and fills rows
// with whose products are few or seldom meet.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

#include <cub/block/block_radix_sort.cuh>

#include <bit>

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

/// Bits of a digit.
inline constexpr int digit_bits = 5;
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

/// A row's sorted products by a team: numbers t Each to (t + 1) Each are thread t's. `memory` has what is put there by place,
/// and then says of product i which column and which place it is of.
template <int Threads, int Each>
class sorted_products {
protected:
    using team = row_team<Threads>;

public:
    static constexpr int most = Threads * Each;

protected:
    /// How many columns there are that `lets` lets; found(n, i) for column n's first product, number i.
    template <class Row, class Lets, class Found>
    static __device__ int firsts_of(const Row& row, int total, Lets&& lets, Found&& found, int* scratch) {
        const int begin = team::lane() * Each;
        index_t before = begin > 0 ? row.column_at(begin - 1) : -1;
        unsigned firsts = 0;
#pragma unroll
        for (int r = 0; r < Each; ++r) {
            const index_t column = row.own_column(r);
            if (begin + r < total && column != before && lets(column)) firsts |= 1u << r;
            before = column;
        }
        int all;
        int n = team::sum_up_to(__popc(firsts), all, scratch) - __popc(firsts);
#pragma unroll
        for (int r = 0; r < Each; ++r)
            if (firsts >> r & 1) found(n++, begin + r);
        return all;
    }
    /// A thread's numbers of memory that is aligned to 16 bytes.
    static __device__ void load(const unsigned* memory, unsigned (&own)[Each]) {
        const auto* four = reinterpret_cast<const uint4*>(memory) + team::lane() * (Each / 4);
#pragma unroll
        for (int r = 0; r < Each; r += 4) {
            const uint4 x = four[r / 4];
            own[r] = x.x;
            own[r + 1] = x.y;
            own[r + 2] = x.z;
            own[r + 3] = x.w;
        }
    }
    static __device__ void store(unsigned* memory, const unsigned (&own)[Each]) {
        auto* to = reinterpret_cast<uint4*>(memory) + team::lane() * (Each / 4);
#pragma unroll
        for (int r = 0; r < Each; r += 4) to[r / 4] = {own[r], own[r + 1], own[r + 2], own[r + 3]};
    }
};

/// By exchanges, column above and place below in 32 bits.
template <int Threads, int Each>
class exchanged_row : public sorted_products<Threads, Each> {
    using base = sorted_products<Threads, Each>;
    using typename base::team;

public:
    using base::most;
    struct memory {
        alignas(16) unsigned keys[most];

        __device__ void put(int place, index_t column) {
            keys[place] = static_cast<unsigned>(column) * most + static_cast<unsigned>(place);
        }
    };

    __device__ exchanged_row(memory& m, int total, index_t) : m_(m), total_(total) {
        base::load(m.keys, keys_);
#pragma unroll
        for (int r = 0; r < Each; ++r)
            if (team::lane() * Each + r >= total) keys_[r] = ~0u;
        sort();
        team::sync();
        base::store(m.keys, keys_);
        team::sync();
    }
    __device__ index_t column_at(int i) const { return static_cast<index_t>(m_.keys[i] / most); }
    __device__ unsigned place_at(int i) const { return m_.keys[i] % most; }
    __device__ index_t own_column(int r) const { return static_cast<index_t>(keys_[r] / most); }
    template <class Lets, class Found>
    __device__ int columns(Lets&& lets, Found&& found, int* scratch) const {
        return base::firsts_of(*this, total_, lets, found, scratch);
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
                    for (int r = 0; r < Each; ++r) m_.keys[r * Threads + team::lane()] = keys_[r];
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
                                                          : m_.keys[r * Threads + (team::lane() ^ apart)];
                        const bool low = (team::lane() & apart) == 0;
                        keys_[r] = low != falls ? min(keys_[r], other) : max(keys_[r], other);
                    }
                }
            }
    }

    unsigned keys_[Each];
    memory& m_;
    int total_;
};

/// By digits of its columns, whose number does not matter: of many products in fewer steps than by exchanges. `Places`: where
/// these are asked for, they go along below as many of the column's bits as leave them room; its other bits come after.
template <int Threads, int Each, bool Places>
class digits_row : public sorted_products<Threads, Each> {
    using base = sorted_products<Threads, Each>;
    using typename base::team;
    using sort = cub::BlockRadixSort<unsigned, Threads, Each, cub::NullType, digit_bits>;

public:
    using base::most;

private:
    static constexpr int place_bits = Places ? std::bit_width(static_cast<unsigned>(most - 1)) : 0;
    static constexpr unsigned places = (1u << place_bits) - 1;

public:
    struct memory {
        alignas(16) unsigned columns[Places ? most : 4];
        union {
            alignas(16) unsigned keys[most];
            typename sort::TempStorage sorting;
        };

        __device__ void put(int place, index_t column) {
            (Places ? columns : keys)[place] = static_cast<unsigned>(column);
        }
    };

    __device__ digits_row(memory& m, int total, index_t columns) : m_(m), total_(total) {
        base::load(Places ? m.columns : m.keys, own_);
#pragma unroll
        for (int r = 0; r < Each; ++r)
            if (team::lane() * Each + r >= total) own_[r] = ~0u;  // behind their equals
        const int bits = max(32 - __clz(columns - 1), 1);
        if constexpr (Places) {
#pragma unroll
            for (int r = 0; r < Each; ++r)
                own_[r] = own_[r] << place_bits | static_cast<unsigned>(team::lane() * Each + r);
        }
        constexpr int room = 32 - place_bits;
        for (int from = 0;;) {
            team::sync();
            sort(m.sorting).Sort(own_, place_bits, place_bits + min(bits - from, room));
            from += room;
            if (from >= bits) break;
#pragma unroll
            for (int r = 0; r < Each; ++r) {
                const unsigned place = own_[r] & places;
                const unsigned column = static_cast<int>(place) < total ? m.columns[place] : ~0u;
                own_[r] = column >> from << place_bits | place;
            }
        }
        team::sync();
        base::store(m.keys, own_);
        if constexpr (Places) {
#pragma unroll
            for (int r = 0; r < Each; ++r) own_[r] = m.columns[own_[r] & places];
        }
        team::sync();
    }
    __device__ index_t column_at(int i) const {
        return static_cast<index_t>(Places ? m_.columns[place_at(i)] : m_.keys[i]);
    }
    __device__ unsigned place_at(int i) const { return m_.keys[i] & places; }
    __device__ index_t own_column(int r) const { return static_cast<index_t>(own_[r]); }
    template <class Lets, class Found>
    __device__ int columns(Lets&& lets, Found&& found, int* scratch) const {
        return base::firsts_of(*this, total_, lets, found, scratch);
    }

private:
    unsigned own_[Each];  ///< keys, and then columns
    memory& m_;
    int total_;
};

template <int Threads, int Each, bool Places = true>
using sorted_row = std::conditional_t<(Threads * Each >= plan::sorted_by_digits),
                                      digits_row<Threads, Each, Places>, exchanged_row<Threads, Each>>;

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
        case 4096:
            return f.template operator()<256, 16>();
        case 5120:
            return f.template operator()<320, 16>();
        default:
            return f.template operator()<512, 16>();
    }
}

}  // namespace nz::kernels::cuda
