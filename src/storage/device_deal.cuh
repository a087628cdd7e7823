// Stable deals of entries on a GPU: a block takes a tile of consecutive entries, each of which has a digit (of few thousand), a
// key of 32 bits and a value, puts them in the order of their digits in shared memory and writes each digit's run to its place.
//
// Who owns what: a warp takes an eighth of the tile, consecutive entries, 32 at a time. A lane's rank among
//   the warp's entries of its digit is a counter of the warp's and the number of earlier lanes with this digit, found by ballots
//   over the digit's bits, for three times 32 entries at once: one vote where each 32 have the same. A thread owns 8 or 16
//   neighbouring digits: it sums their counters over the warps, and a scan over the block gives each (warp, digit) its place.
// Shared memory: counters of 16 bits, [warp][digit], then in their place the tile's values, keys and digits; beside them the
//   places of the digits in the result, from which a place in the tile gives one there by an addition modulo 2^32.
// Sync: barriers between these steps; a warp's lanes between reading and raising its counters.
// Determinism: ranks follow the order of entries, so the outcome is the same in every run.
// Why staged: single 4- and 8-byte writes to scattered places are an operation of the L2 each; runs share a sector. Why values
//   wait until places are known: copied straight to their places in shared memory they need no registers.
#pragma once

#include "storage/device_deal_layout.hpp"
#include "storage/device_passes.cuh"

#include <cuda_pipeline_primitives.h>

namespace nz::storage::device_deal {

using device_passes::exclusive_sum, device_passes::full_warp, device_passes::lanes, device_passes::no_value,
    device_passes::value_bytes_of;

inline constexpr unsigned deal_warps = deal_threads / lanes;
inline constexpr unsigned together = 3;  // items whose votes are taken together
static_assert(items % together == 0);

/// Of each of a lane's entries: the lanes, among those in `active`, with its digit of `bits` bits. Several at a time, for each
/// vote waits for the one before.
template <unsigned Count>
__device__ inline void find_peers(const unsigned (&digit)[Count], const unsigned (&active)[Count], int bits,
                                  unsigned (&peers)[Count]) {
    bool same = true;
#pragma unroll
    for (unsigned n = 0; n < Count; ++n) {
        const bool mine = active[n] >> threadIdx.x % lanes & 1;
        same = (digit[n] == __shfl_sync(full_warp, digit[n], 0) || !mine) && same;
        peers[n] = active[n];
    }
    if (__all_sync(full_warp, same)) return;
    const auto among = [&](int bit) {
#pragma unroll
        for (unsigned n = 0; n < Count; ++n) {
            const bool set = digit[n] >> bit & 1;
            const unsigned with = __ballot_sync(full_warp, set);
            peers[n] &= set ? with : ~with;
        }
    };
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) among(bit);
    if (bits > 8) {
#pragma unroll
        for (int bit = 8; bit < 11; ++bit) among(bit);
    }
    if (bits > 11) among(11);
}

/// The dynamic shared memory of a block that deals digits below Digits.
template <int Digits, class Value>
class tile_room {
public:
    static constexpr unsigned vectors = Digits / (8 * deal_threads);
    static_assert(Digits % (8 * deal_threads) == 0 && Digits <= 1 << most_digit_bits);
    static constexpr unsigned head_bytes = Digits * 4 + 2 * deal_warps * 4,
                              counter_bytes = deal_warps * Digits * 2,
                              area_bytes = std::max(counter_bytes + tile_entries * 4,
                                                    tile_entries*(value_bytes_of<Value> + 6)),
                              bytes = head_bytes + area_bytes;
    static_assert(head_bytes % 16 == 0 && area_bytes % 16 == 0);

    __device__ explicit tile_room(uint4* memory) : memory_(reinterpret_cast<char*>(memory)) {}

    __device__ unsigned* places() const { return at<unsigned>(0); }  // [Digits]
    __device__ unsigned* sums() const { return at<unsigned>(Digits * 4); }
    __device__ unsigned* warp_rows() const { return sums() + deal_warps; }
    __device__ std::uint16_t* counters(unsigned warp) const {
        return at<std::uint16_t>(head_bytes) + warp * Digits;
    }
    __device__ unsigned* marks() const { return at<unsigned>(head_bytes + counter_bytes); }
    __device__ Value* values() const { return at<Value>(head_bytes); }
    __device__ unsigned* keys() const {
        return at<unsigned>(head_bytes + tile_entries * value_bytes_of<Value>);
    }
    __device__ std::uint16_t* digits() const {
        return at<std::uint16_t>(head_bytes + tile_entries * (value_bytes_of<Value> + 4));
    }
    /// What a kernel keeps behind the tile.
    __device__ unsigned* rest() const { return at<unsigned>(bytes); }

private:
    template <class T>
    __device__ T* at(unsigned byte) const {
        return reinterpret_cast<T*>(memory_ + byte);
    }
    char* memory_;
};

/// Two sums of 16 bits a word: a tile's do not overflow.
__device__ inline uint4 sum_of(uint4 a, uint4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__device__ inline unsigned halves(unsigned word) { return (word & 0xffff) + (word >> 16); }
__device__ inline unsigned exclusive_halves(unsigned word, unsigned& start) {
    const unsigned first = start, second = start + (word & 0xffff);
    start = second + (word >> 16);
    return first | second << 16;
}
__device__ inline uint4 exclusive_halves(uint4 word, unsigned& start) {
    uint4 at;
    at.x = exclusive_halves(word.x, start);
    at.y = exclusive_halves(word.y, start);
    at.z = exclusive_halves(word.z, start);
    at.w = exclusive_halves(word.w, start);
    return at;
}
/// place + end - start for two digits.
__device__ inline void move_places(unsigned* places, unsigned ends, unsigned starts) {
    places[0] += (ends & 0xffff) - (starts & 0xffff);
    places[1] += (ends >> 16) - (starts >> 16);
}

/// Deals tiles one after the other; places run on from tile to tile. All its functions are called by the whole block.
template <int Digits, class Value>
class tile_dealer {
    using room = tile_room<Digits, Value>;

public:
    /// places() are the first entries' of each digit, and written.
    __device__ tile_dealer(room in, int digit_bits)
        : in_(in), lane_(threadIdx.x % lanes), warp_(threadIdx.x / lanes), bits_(digit_bits) {
        for (auto& end : ends_) end = {};
    }

    /// The next tile's size. Warps share it evenly: those with the last entries have no less to do where it is not full.
    __device__ void take(unsigned size) {
        used_ = (size + deal_threads - 1) / deal_threads;
        first_ = warp_ * used_ * lanes + lane_;
    }
    /// Items of this tile a lane has.
    __device__ unsigned used() const { return used_; }
    /// This lane's item of the tile.
    __device__ unsigned entry(unsigned item) const { return first_ + item * lanes; }
    /// Whether a tile of `size` entries has it.
    __device__ bool holds(unsigned item, unsigned size) const { return item < used_ && entry(item) < size; }
    /// Before the tile's entries are counted: counters are 0, and marks where they are used. A barrier follows.
    __device__ void begin(bool marks) {
        auto* words = reinterpret_cast<uint4*>(in_.counters(0));
        const unsigned bytes = room::counter_bytes + (marks ? tile_entries * 4 : 0);
        for (unsigned k = threadIdx.x; k < bytes / 16; k += deal_threads) words[k] = {};
    }
    /// The warp's next entries, `together` items from `item`: a whole warp calls it, in the order of items. The first
    /// is below used().
    __device__ void count(unsigned item, unsigned size, const unsigned (&digit)[together],
                          const unsigned (&key)[together]) {
        unsigned active[together], peers[together];
#pragma unroll
        for (unsigned n = 0; n < together; ++n) active[n] = __ballot_sync(full_warp, holds(item + n, size));
        find_peers(digit, active, bits_, peers);
#pragma unroll
        for (unsigned n = 0; n < together; ++n) {
            const bool mine = holds(item + n, size);
            const unsigned rank = __popc(peers[n] & ((1u << lane_) - 1));
            std::uint16_t* counter = in_.counters(warp_) + digit[n];
            const unsigned before = mine ? *counter : 0;
            __syncwarp();
            if (mine && rank == 0) *counter = static_cast<std::uint16_t>(before + __popc(peers[n]));
            __syncwarp();
            keys_[item + n] = key[n];
            ranked_[item + n] = digit[n] << 16 | (before + rank);
        }
    }
    /// Writes the tile of `size` entries, all of which are counted, whose values are `from`.
    __device__ void finish(unsigned size, const Value* from, unsigned* keys, Value* values) {
        __syncthreads();
        place_counters();
        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < items; ++item)
            if (holds(item, size)) ranked_[item] += in_.counters(warp_)[ranked_[item] >> 16];
        __syncthreads();
        stage(size, from);
        __syncthreads();
        write(size, keys, values);
        __syncthreads();
    }

private:
    // Counters become places in the tile; places() become what is added to those.
    __device__ void place_counters() {
        uint4 total[room::vectors];
        unsigned sum = 0;
#pragma unroll
        for (unsigned v = 0; v < room::vectors; ++v) {
            total[v] = {};
#pragma unroll
            for (unsigned w = 0; w < deal_warps; ++w) total[v] = sum_of(total[v], *counters(w, v));
            sum += halves(total[v].x) + halves(total[v].y) + halves(total[v].z) + halves(total[v].w);
        }
        unsigned all, start = exclusive_sum<deal_warps>(sum, in_.sums(), all);
#pragma unroll
        for (unsigned v = 0; v < room::vectors; ++v) {
            uint4 at = exclusive_halves(total[v], start);
            unsigned* places = in_.places() + 8 * (threadIdx.x * room::vectors + v);
            move_places(places, ends_[v].x, at.x);
            move_places(places + 2, ends_[v].y, at.y);
            move_places(places + 4, ends_[v].z, at.z);
            move_places(places + 6, ends_[v].w, at.w);
#pragma unroll
            for (unsigned w = 0; w < deal_warps; ++w) {
                const uint4 mine = *counters(w, v);
                *counters(w, v) = at;
                at = sum_of(at, mine);
            }
            ends_[v] = at;
        }
    }
    __device__ uint4* counters(unsigned warp, unsigned v) const {
        return reinterpret_cast<uint4*>(in_.counters(warp)) + threadIdx.x * room::vectors + v;
    }
    __device__ void stage(unsigned size, const Value* from) {
#pragma unroll
        for (unsigned item = 0; item < items; ++item) {
            const unsigned e = entry(item);
            if (!holds(item, size)) continue;
            const unsigned place = ranked_[item] & 0xffff;
            if constexpr (value_bytes_of<Value> >= 4)
                __pipeline_memcpy_async(in_.values() + place, from + e, sizeof(Value));
            else if constexpr (value_bytes_of<Value> > 0)
                in_.values()[place] = from[e];
            in_.keys()[place] = keys_[item];
            in_.digits()[place] = static_cast<std::uint16_t>(ranked_[item] >> 16);
        }
        if constexpr (value_bytes_of<Value> >= 4) {
            __pipeline_commit();
            __pipeline_wait_prior(0);
        }
    }
    __device__ void write(unsigned size, unsigned* keys, Value* values) {
#pragma unroll 9
        for (unsigned item = 0; item < items; ++item) {
            const unsigned place = item * deal_threads + threadIdx.x;
            if (place >= size) continue;
            const unsigned to = in_.places()[in_.digits()[place]] + place;
            keys[to] = in_.keys()[place];
            if constexpr (value_bytes_of<Value> > 0) values[to] = in_.values()[place];
        }
    }

    room in_;
    unsigned lane_, warp_, used_ = 0, first_ = 0;
    int bits_;
    unsigned keys_[items];    // of this thread's entries
    unsigned ranked_[items];  // digit << 16 | rank in the warp, then place in the tile
    uint4 ends_[room::vectors];
};

}  // namespace nz::storage::device_deal
