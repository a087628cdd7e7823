// Coordinates on a GPU to buckets of neighbouring rows, stably: the first of two steps to a CSR (device_buckets_sort.cuh has the
// second).
//
// Who owns what: a block of 1,024 threads deals a tile of 10,240 consecutive coordinates (8,192 where there are more than 4,096
//   buckets), whose columns and values are copied to shared memory while their rows are counted. A coordinate takes the next
//   number of its bucket there, in any order; a slot's coordinate then counts the earlier ones in its bucket's run, a few
//   entries, and so finds its place in the order of input. Runs beyond `long_run` are put in order before: by a warp each in a
//   network of comparisons, longest ones by the whole block, a warp its 32nd of the tile.
// Shared memory: two numbers a bucket, [digits]; rows, columns, values and the tile's order, [tile].
// Sync: barriers between these steps; between kernels the stream's order. No kernel waits for another block.
// Determinism: counts are of integers, and a bucket holds its coordinates in input order.
// Cost: a coordinate is read once, its row and column once more before to count them and to see that they lie inside; written
//   are a key of 4 bytes (8 where row in bucket and column need more than 32 bits) and the value; and a number for each
//   (tile, bucket) is written twice and read three times. Both steps together
//   (H200): 9 to 14% of the copy rate: docs/measurements.md.
// Why one number a bucket and not one a warp, as in device_deal.cuh: runs are so short that restoring their order costs less
//   than votes over the digit's bits and a scan over eight sets of counters.
#pragma once

#include "storage/device_assemble.hpp"
#include "storage/device_buckets_layout.hpp"
#include "storage/device_passes.cuh"

#include <cuda_pipeline_primitives.h>

namespace nz::storage::device_buckets {

using device_passes::exclusive_sum, device_passes::for_each_count, device_passes::full_warp,
    device_passes::lanes, device_passes::no_value, device_passes::value_bytes_of;

inline constexpr unsigned tile_warps = tile_threads / lanes;
inline constexpr unsigned scan_threads = 1024, scan_warps = scan_threads / lanes;
inline constexpr unsigned long_run = 64, longest_run = 512;
inline constexpr unsigned count_threads = 512;

/// What the host learns: before anything is dealt, and of repeats at the end.
struct bucket_report {
    unsigned long long outside;                ///< the first coordinate outside, or all ones
    unsigned long long repeats;                ///< coordinates whose place an earlier one has
    unsigned large, crowded, crowded_entries;  ///< buckets that the large room takes, and that none does
};
/// What the kernels keep in device memory.
struct bucket_tables {
    unsigned* places;      // [tiles][buckets]: counts, then places
    unsigned* chunk_sums;  // [chunks][buckets]
    unsigned* starts;      // [buckets + 1]
    unsigned *large, *crowded, *crowded_firsts;
    bucket_report* report;
    void *keys, *values;  // [count], values none where one serves all
};

/// A tile's coordinates by bucket; the first that lies outside.
__global__ void __launch_bounds__(count_threads)
    count_tiles_kernel(bucket_layout l, device_tuples t, bucket_tables to) {
    __shared__ unsigned counts[most_buckets];
    const offset_t begin = static_cast<offset_t>(blockIdx.x) * l.tile();
    const auto size = static_cast<unsigned>(min(t.count - begin, offset_t{l.tile()}));
    for (unsigned b = threadIdx.x; b < l.buckets; b += count_threads) counts[b] = 0;
    __syncthreads();
    constexpr unsigned batch = 10;  // loads of each under way
    unsigned outside = ~0u;
    for (unsigned e = threadIdx.x; e < size; e += batch * count_threads) {
        index_t i[batch], j[batch];
#pragma unroll
        for (unsigned n = 0; n < batch; ++n)
            if (e + n * count_threads < size) {
                i[n] = t.row_indices[begin + e + n * count_threads];
                j[n] = __ldcs(t.column_indices + begin + e + n * count_threads);
            }
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) {
            const unsigned at = e + n * count_threads;
            if (at >= size) continue;
            const bool row_inside = i[n] >= 0 && i[n] < t.rows;
            if (!row_inside || j[n] < 0 || j[n] >= t.columns) outside = min(outside, at);
            if (row_inside) atomicAdd(counts + l.bucket_of(static_cast<unsigned>(i[n])), 1u);
        }
    }
    if (outside != ~0u) atomicMin(&to.report->outside, static_cast<unsigned long long>(begin + outside));
    __syncthreads();
    unsigned* row = to.places + static_cast<std::size_t>(blockIdx.x) * l.buckets;
    for (unsigned b = threadIdx.x; b < l.buckets; b += count_threads) row[b] = counts[b];
}

/// The tiles of a chunk and where a bucket's counts of them lie; a thread a bucket, chunks along y.
struct chunk_counts {
    unsigned bucket, tiles;
    unsigned* first;
};
__device__ inline chunk_counts counts_of_chunk(const bucket_layout& l, const bucket_tables& in) {
    const auto bucket = static_cast<unsigned>(device_passes::thread_number());
    const unsigned begin = blockIdx.y * l.chunk_tiles, left = begin < l.tiles ? l.tiles - begin : 0;
    return {bucket, min(left, l.chunk_tiles),
            in.places + static_cast<std::size_t>(begin) * l.buckets + bucket};
}
__global__ void sum_chunks_kernel(bucket_layout l, bucket_tables to) {
    const chunk_counts c = counts_of_chunk(l, to);
    if (c.bucket >= l.buckets) return;
    unsigned sum = 0;
    for_each_count(c.first, c.tiles, l.buckets, [&](unsigned&, unsigned count) { sum += count; });
    to.chunk_sums[blockIdx.y * l.buckets + c.bucket] = sum;
}
__global__ void place_tiles_kernel(bucket_layout l, bucket_tables to) {
    const chunk_counts c = counts_of_chunk(l, to);
    if (c.bucket >= l.buckets) return;
    unsigned before = to.starts[c.bucket] + to.chunk_sums[blockIdx.y * l.buckets + c.bucket];
    for_each_count(c.first, c.tiles, l.buckets, [&](unsigned& at, unsigned count) {
        at = before;
        before += count;
    });
}

/// One block: where buckets begin, and which are not small; chunk_sums become what lies before each chunk.
__global__ void __launch_bounds__(scan_threads) start_buckets_kernel(bucket_layout l, bucket_tables to) {
    __shared__ unsigned sums[scan_warps];
    __shared__ unsigned long long list_sums[scan_warps];
    constexpr unsigned long long a_large = 1, a_crowded = 1 << 16;
    unsigned entries_before = 0;
    unsigned long long listed = 0;  // crowded entries << 32 | crowded buckets << 16 | large ones
    for (unsigned first = 0; first < l.buckets; first += scan_threads) {
        const unsigned b = first + threadIdx.x;
        const bool mine = b < l.buckets;
        unsigned size = 0;
        if (mine)
            for_each_count(to.chunk_sums + b, chunks, l.buckets, [&](unsigned& at, unsigned count) {
                at = size;
                size += count;
            });
        const bool crowded = size > l.large, large = !crowded && size > l.small;
        const unsigned long long listing =
            crowded ? static_cast<unsigned long long>(size) << 32 | a_crowded : large * a_large;
        unsigned entries;
        unsigned long long all;
        const unsigned start = entries_before + exclusive_sum<scan_warps>(size, sums, entries);
        const unsigned long long at = listed + exclusive_sum<scan_warps>(listing, list_sums, all);
        entries_before += entries;
        listed += all;
        if (!mine) continue;
        to.starts[b] = start;
        if (large) to.large[at & 0xffff] = b;
        if (crowded) {
            to.crowded[at >> 16 & 0xffff] = b;
            to.crowded_firsts[at >> 16 & 0xffff] = static_cast<unsigned>(at >> 32);
        }
    }
    if (threadIdx.x != 0) return;
    to.starts[l.buckets] = entries_before;
    to.report->large = listed & 0xffff;
    to.report->crowded = listed >> 16 & 0xffff;
    to.report->crowded_entries = static_cast<unsigned>(listed >> 32);
}

/// Sorts `n` items in a network of comparisons: put(low, high) puts the lesser of two first, `barrier` parts the steps of
/// `threads` threads. Of a size that is no power of two those that are absent count as greatest.
template <class Put, class Barrier>
__device__ void sort_in_steps(unsigned n, unsigned thread, unsigned threads, Put put, Barrier barrier) {
    for (unsigned size = 2; size / 2 < n; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            for (unsigned pair = thread;; pair += threads) {
                const unsigned low = (pair & ~(step - 1)) * 2 | (pair & (step - 1));
                if (low >= n) break;
                const unsigned high = step == size / 2 ? low ^ (size - 1) : low + step;
                if (high < n) put(low, high);
            }
            barrier();
        }
}

/// The dynamic shared memory of a block that deals a tile.
template <class Value>
class tile_room {
public:
    static constexpr unsigned most_long = tile_threads * tile_items / long_run;
    __device__ tile_room(uint4* memory, const bucket_layout& l)
        : memory_(reinterpret_cast<char*>(memory)), digits_(l.digits()), tile_(l.tile()) {}
    static constexpr unsigned bytes(unsigned digits, unsigned tile) {
        return digits * 8 + tile * (value_bytes_of<Value> + 10) + 2 * tile_warps * 4 + most_long * 2;
    }
    static unsigned bytes(const bucket_layout& l) { return bytes(l.digits(), l.tile()); }
    static constexpr unsigned most_bytes() {
        return std::max(bytes(usual_buckets, tile_items * tile_threads),
                        bytes(most_buckets, small_tile_items * tile_threads));
    }
    __device__ unsigned* places() const { return at<unsigned>(0); }          // [digits]
    __device__ unsigned* runs() const { return at<unsigned>(digits_ * 4); }  // [digits]
    __device__ Value* values() const { return at<Value>(head()); }
    __device__ unsigned* rows() const { return at<unsigned>(head() + tile_ * value_bytes_of<Value>); }
    __device__ unsigned* columns() const { return rows() + tile_; }
    __device__ unsigned* sums() const { return columns() + tile_; }
    __device__ unsigned* warp_counts() const { return sums() + tile_warps; }
    __device__ std::uint16_t* order() const {
        return reinterpret_cast<std::uint16_t*>(warp_counts() + tile_warps);
    }
    __device__ std::uint16_t* long_runs() const { return order() + tile_; }

private:
    __device__ unsigned head() const { return digits_ * 8; }
    template <class T>
    __device__ T* at(unsigned byte) const {
        return reinterpret_cast<T*>(memory_ + byte);
    }
    char* memory_;
    unsigned digits_, tile_;
};

/// A bucket's run in a tile, in a word: begin << 16 | length.
__device__ inline unsigned begin_of(unsigned run) { return run >> 16; }
__device__ inline unsigned length_of(unsigned run) { return run & 0xffff; }

/// Counts become runs; places() become what is added to a place in the tile. Ends with a barrier.
template <class Value>
__device__ void start_runs(const bucket_layout& l, const tile_room<Value>& room, unsigned* found) {
    const unsigned vectors = l.digits() / (4 * tile_threads), first = threadIdx.x * vectors;
    auto* counts = reinterpret_cast<uint4*>(room.runs()) + first;
    auto* places = reinterpret_cast<uint4*>(room.places()) + first;
    unsigned sum = 0, all;
    for (unsigned v = 0; v < vectors; ++v) {
        const uint4 count = counts[v];
        sum += count.x + count.y + count.z + count.w;
        const auto note = [&](unsigned length, unsigned d) {
            if (length > long_run)
                room.long_runs()[atomicAdd(found, 1u)] = static_cast<std::uint16_t>(4 * (first + v) + d);
        };
        note(count.x, 0), note(count.y, 1), note(count.z, 2), note(count.w, 3);
    }
    unsigned before = exclusive_sum<tile_warps>(sum, room.sums(), all);
    for (unsigned v = 0; v < vectors; ++v) {
        uint4 run = counts[v], place = places[v];
        const auto start = [&](unsigned& length, unsigned& to) {
            const unsigned count = length;
            to -= before;
            length |= before << 16;
            before += count;
        };
        start(run.x, place.x), start(run.y, place.y), start(run.z, place.z), start(run.w, place.w);
        counts[v] = run;
        places[v] = place;
    }
    __syncthreads();
}

/// One run in the order of input, by the whole block. Ends with a barrier.
template <class Value>
__device__ void order_longest(const bucket_layout& l, const tile_room<Value>& room, unsigned size,
                              unsigned digit) {
    const unsigned warp = threadIdx.x / lanes, lane = threadIdx.x % lanes, share = l.items * lanes;
    const auto each_vote = [&](auto f) {
        for (unsigned e = warp * share + lane; e - lane < (warp + 1) * share; e += lanes)
            f(e, __ballot_sync(full_warp, e < size && l.bucket_of(room.rows()[e]) == digit));
    };
    unsigned count = 0;
    each_vote([&](unsigned, unsigned votes) { count += __popc(votes); });
    if (lane == 0) room.warp_counts()[warp] = count;
    __syncthreads();
    unsigned at = begin_of(room.runs()[digit]);
    for (unsigned w = 0; w < warp; ++w) at += room.warp_counts()[w];
    each_vote([&](unsigned e, unsigned votes) {
        if (votes >> lane & 1)
            room.order()[at + __popc(votes & ((1u << lane) - 1))] = static_cast<std::uint16_t>(e);
        at += __popc(votes);
    });
    __syncthreads();
}
/// Long runs in the order of input. Ends with a barrier.
template <class Value>
__device__ void order_long_runs(const bucket_layout& l, const tile_room<Value>& room, unsigned size,
                                unsigned runs) {
    for (unsigned n = 0; n < runs; ++n) {
        const unsigned digit = room.long_runs()[n], begin = begin_of(room.runs()[digit]),
                       length = length_of(room.runs()[digit]);
        if (length > longest_run) {
            order_longest(l, room, size, digit);
        } else if (threadIdx.x / lanes == n % tile_warps) {
            std::uint16_t* run = room.order() + begin;
            sort_in_steps(
                length, threadIdx.x % lanes, lanes,
                [&](unsigned low, unsigned high) {
                    const std::uint16_t a = run[low], b = run[high];
                    if (b < a) run[low] = b, run[high] = a;
                },
                [] { __syncwarp(); });
        }
    }
    if (runs) __syncthreads();
}

/// A tile's coordinates to where `places` says; each is written once.
template <class Key, class Value>
__device__ void write_runs(const bucket_layout& l, const tile_room<Value>& room, unsigned size,
                           const bucket_tables& to) {
    for (unsigned at = threadIdx.x; at < size; at += tile_threads) {
        const unsigned e = room.order()[at], row = room.rows()[e], bucket = l.bucket_of(row),
                       run = room.runs()[bucket], begin = begin_of(run), length = length_of(run);
        unsigned place = at;
        if (length <= long_run) {
            place = begin;
            for (unsigned k = begin; k < begin + length; ++k) place += room.order()[k] < e;
        }
        const std::size_t out = room.places()[bucket] + place;
        static_cast<Key*>(to.keys)[out] = static_cast<Key>(row - bucket * l.width)
                                              << (sizeof(Key) == 8 ? 32 : l.column_bits) |
                                          room.columns()[e];
        if constexpr (value_bytes_of<Value> > 0) static_cast<Value*>(to.values)[out] = room.values()[e];
    }
}

template <class Key, class Value>
__global__ void __launch_bounds__(tile_threads)
    deal_tiles_kernel(bucket_layout l, device_tuples t, bucket_tables to) {
    extern __shared__ uint4 bucket_memory[];
    __shared__ unsigned long_runs;
    const tile_room<Value> room(bucket_memory, l);
    const offset_t begin = static_cast<offset_t>(blockIdx.x) * l.tile();
    const auto size = static_cast<unsigned>(min(t.count - begin, offset_t{l.tile()}));
    const auto* values = static_cast<const Value*>(t.values) + begin;
    unsigned digits[tile_items];
#pragma unroll
    for (unsigned n = 0; n < tile_items; ++n) {
        const unsigned e = n * tile_threads + threadIdx.x;
        digits[n] = e < size ? static_cast<unsigned>(t.row_indices[begin + e]) : 0;
    }
#pragma unroll
    for (unsigned n = 0; n < tile_items; ++n) {
        const unsigned e = n * tile_threads + threadIdx.x;
        if (e >= size) continue;
        __pipeline_memcpy_async(room.columns() + e, t.column_indices + begin + e, sizeof(index_t));
        if constexpr (value_bytes_of<Value> >= 4)
            __pipeline_memcpy_async(room.values() + e, values + e, sizeof(Value));
        else if constexpr (value_bytes_of<Value> > 0)
            room.values()[e] = values[e];
    }
    __pipeline_commit();
    const unsigned* places = to.places + static_cast<std::size_t>(blockIdx.x) * l.buckets;
    for (unsigned d = threadIdx.x; d < l.digits(); d += tile_threads) {
        room.runs()[d] = 0;
        room.places()[d] = d < l.buckets ? places[d] : 0;
    }
    if (threadIdx.x == 0) long_runs = 0;
    __syncthreads();
#pragma unroll
    for (unsigned n = 0; n < tile_items; ++n) {
        const unsigned e = n * tile_threads + threadIdx.x;
        const bool mine = e < size;
        const unsigned bucket = l.bucket_of(digits[n]), among = __ballot_sync(full_warp, mine),
                       firsts = __shfl_sync(full_warp, bucket, 0);
        if (mine) room.rows()[e] = digits[n];
        unsigned rank = 0;
        if (__all_sync(full_warp, !mine || bucket == firsts)) {
            const unsigned lane = threadIdx.x % lanes;
            if (lane == 0 && among)
                rank = atomicAdd(room.runs() + bucket, static_cast<unsigned>(__popc(among)));
            rank = __shfl_sync(full_warp, rank, 0) + __popc(among & ((1u << lane) - 1));
        } else if (mine) {
            rank = atomicAdd(room.runs() + bucket, 1u);
        }
        digits[n] = bucket << 16 | rank;
    }
    __syncthreads();
    start_runs(l, room, &long_runs);
#pragma unroll
    for (unsigned n = 0; n < tile_items; ++n) {
        const unsigned e = n * tile_threads + threadIdx.x;
        if (e < size)
            room.order()[begin_of(room.runs()[digits[n] >> 16]) + (digits[n] & 0xffff)] =
                static_cast<std::uint16_t>(e);
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    order_long_runs(l, room, size, long_runs);
    write_runs<Key>(l, room, size, to);
}

}  // namespace nz::storage::device_buckets
