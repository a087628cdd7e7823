// The last of a transpose's three steps: a bucket's entries by column. (Where coordinates become rows it is device_steps_rows.cuh.)
//
// Computes: T's offsets, rows and values from entries by bucket (device_steps_deal.cuh).
// Who owns what: a block ranks a bucket's entries by column (device_steps.cuh), puts rows and values in order in shared memory and
//   writes them side by side. A bucket of more entries than a block holds (columns of very many rows) goes by tiles, which several
//   blocks share out: columns are counted tile by tile, a block a bucket turns counts into places, and tiles are dealt.
// Shared memory: counters, and in their place 4 bytes and a value an entry: three blocks share a multiprocessor.
// Sync: barriers within blocks; between kernels the stream's order. No kernel waits for another block.
// Determinism: ranks follow the order of entries, so rows ascend in each column and equal entries stay in order. Tiles of long
//   buckets are listed in any order.
// Cost: 6 bytes and a value read, 4 and a value written; 2 bytes more read where buckets are long. Of random:4000000,8 0.38 ms on an
//   H100, at 90% of its copy rate of 3.0 TB/s, but a third more is read from memory than there is; of rmat_directed:21,16, with about a
//   quarter of its entries in long buckets, 0.29, and 0.20 for these.
// Tried without gain: 512 threads of 12 items in place of 384 of 16 (0.42 ms for 0.36: more counters); smaller buckets (of 2,800
//   entries by 256 threads 0.34, but the deals take longer).
#pragma once

#include "storage/device_steps_deal.cuh"

namespace nz::storage::device_steps {

template <unsigned Digits>
using sort_shape = tile_shape<sort_threads, sort_items, Digits>;

/// What the last step writes.
struct sorted_out {
    offsets_out offsets;
    index_t* rows;
    void* values;
};

/// The dynamic shared memory of a block that sorts a bucket, or a tile of a long one.
template <unsigned Digits, class Value>
class sort_room {
public:
    using shape = sort_shape<Digits>;
    static constexpr unsigned rows_at = shape::tile * value_bytes_of<Value>,
                              area_bytes = std::max(rows_at + shape::tile * 4, shape::counter_bytes),
                              sums_at = area_bytes, bytes = sums_at + 256, columns_at = bytes,
                              places_at = columns_at + shape::tile * 2, long_bytes = places_at + Digits * 4;
    __device__ explicit sort_room(uint4* memory) : memory_(reinterpret_cast<char*>(memory)) {}
    __device__ char* counters() const { return memory_; }
    __device__ Value* values() const { return reinterpret_cast<Value*>(memory_); }
    __device__ unsigned* rows() const { return reinterpret_cast<unsigned*>(memory_ + rows_at); }
    __device__ unsigned* sums() const { return reinterpret_cast<unsigned*>(memory_ + sums_at); }
    // Of tiles of long buckets alone.
    __device__ std::uint16_t* columns() const {
        return reinterpret_cast<std::uint16_t*>(memory_ + columns_at);
    }
    __device__ unsigned* places() const { return reinterpret_cast<unsigned*>(memory_ + places_at); }

private:
    char* memory_;
};

/// Ranks `size` entries from `begin`, puts their rows and values in order and calls noted(place, column) for each; before,
/// column_begins(column, place). Ends with a barrier.
template <unsigned Digits, class Value, class Begin, class Note>
__device__ inline void order_entries(const steps_layout& l, const dealt& from, unsigned begin, unsigned size,
                                     const sort_room<Digits, Value>& room, Begin column_begins, Note noted) {
    using shape = sort_shape<Digits>;
    const tile_ranker<shape, false> ranker(room.counters(), size);
    unsigned columns[shape::items], ranked[shape::items];
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i)
        columns[i] = ranker.holds(i) ? from.keys[begin + ranker.entry(i)] : 0;
    const unsigned* rows = from.others + begin;
    const Value* values = static_cast<const Value*>(from.values) + begin;
    fetch_early(values, size);
    fetch_early(rows, size);
    ranker.clear();
    __syncthreads();
    ranker.rank(columns, ranked, 32 - __clz(static_cast<int>(l.width - 1)),
                [](unsigned column) { return column; });
    __syncthreads();
    ranker.place_counters(room.sums(), column_begins);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i) {
        if (!ranker.holds(i)) continue;
        const unsigned column = ranked[i] >> 16;
        ranked[i] = ranker.place_of(ranked[i]);
        noted(ranked[i], column);
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i) {
        if (!ranker.holds(i)) continue;
        fetch(room.values() + ranked[i], values + ranker.entry(i));
        fetch(room.rows() + ranked[i], rows + ranker.entry(i));
    }
    wait_for_fetched();
}

/// A block a bucket of those that it holds.
template <unsigned Digits, class Value>
__global__ void __launch_bounds__(sort_threads, 3)
    sort_buckets_kernel(steps_layout l, steps_tables t, sorted_out out) {
    extern __shared__ uint4 steps_memory[];
    const sort_room<Digits, Value> room(steps_memory);
    const unsigned begin = t.starts[blockIdx.x], size = t.starts[blockIdx.x + 1] - begin;
    const offset_t first = offset_t{blockIdx.x} * l.width;
    if (blockIdx.x == 0 && threadIdx.x == 0) out.offsets.put(l.keys, static_cast<unsigned>(l.nnz));
    if (size > sort_tile) return;
    const auto width = static_cast<unsigned>(min(offset_t{l.width}, l.keys - first));
    order_entries<Digits, Value>(
        l, t.by_bucket, begin, size, room,
        [&](unsigned column, unsigned place) {
            if (column < width) out.offsets.put(first + column, begin + place);
        },
        [](unsigned, unsigned) {});
#pragma unroll 4
    for (unsigned place = threadIdx.x; place < size; place += sort_threads) {
        out.rows[begin + place] = static_cast<index_t>(room.rows()[place]);
        if constexpr (value_bytes_of<Value> > 0)
            static_cast<Value*>(out.values)[begin + place] = room.values()[place];
    }
}

/// Entries of a tile of a long bucket.
struct long_tile {
    unsigned begin, size;
};
__device__ inline long_tile long_tile_of(const steps_tables& t, unsigned n) {
    const uint2 at = t.long_tiles[n];
    const unsigned begin = t.starts[at.x] + at.y * sort_tile;
    return {begin, min(sort_tile, t.starts[at.x + 1] - begin)};
}
template <unsigned Digits>
__global__ void __launch_bounds__(count_threads) count_long_kernel(steps_tables t) {
    __shared__ unsigned counts[Digits];
    const unsigned tiles = *t.long_count;
    for (unsigned n = blockIdx.x; n < tiles; n += gridDim.x) {
        const long_tile at = long_tile_of(t, n);
        for (unsigned d = threadIdx.x; d < Digits; d += count_threads) counts[d] = 0;
        __syncthreads();
        count_digits<count_threads>(t.by_bucket.keys + at.begin, at.size, counts,
                                    [](unsigned column) { return column; });
        __syncthreads();
        for (unsigned d = threadIdx.x; d < Digits; d += count_threads)
            t.long_counts[static_cast<std::size_t>(n) * Digits + d] = counts[d];
        __syncthreads();
    }
}
/// A block a long bucket, a thread a column: counts become places; offsets.
template <unsigned Digits>
__global__ void __launch_bounds__(Digits)
    place_long_kernel(steps_layout l, steps_tables t, offsets_out offsets) {
    __shared__ unsigned sums[lanes];
    const unsigned tiles = *t.long_count;
    for (unsigned n = blockIdx.x; n < tiles; n += gridDim.x) {
        const uint2 at = t.long_tiles[n];
        if (at.y != 0) continue;
        const unsigned begin = t.starts[at.x], own = (t.starts[at.x + 1] - begin + sort_tile - 1) / sort_tile;
        unsigned* counts = t.long_counts + static_cast<std::size_t>(n) * Digits + threadIdx.x;
        unsigned sum = 0, all;
        device_passes::for_each_count(counts, own, Digits, [&](unsigned&, unsigned count) { sum += count; });
        unsigned before = begin + exclusive_sum<Digits / lanes>(sum, sums, all);
        const offset_t column = offset_t{at.x} * l.width + threadIdx.x;
        if (threadIdx.x < l.width && column < l.keys) offsets.put(column, before);
        device_passes::for_each_count(counts, own, Digits, [&](unsigned& to, unsigned count) {
            to = before;
            before += count;
        });
    }
}
/// Tiles of long buckets.
template <unsigned Digits, class Value>
__global__ void __launch_bounds__(sort_threads, 2)
    deal_long_kernel(steps_layout l, steps_tables t, sorted_out out) {
    extern __shared__ uint4 steps_memory[];
    const sort_room<Digits, Value> room(steps_memory);
    const unsigned tiles = *t.long_count;
    for (unsigned n = blockIdx.x; n < tiles; n += gridDim.x) {
        const long_tile at = long_tile_of(t, n);
        for (unsigned d = threadIdx.x; d < Digits; d += sort_threads)
            room.places()[d] = t.long_counts[static_cast<std::size_t>(n) * Digits + d];
        order_entries<Digits, Value>(
            l, t.by_bucket, at.begin, at.size, room,
            [&](unsigned column, unsigned place) { room.places()[column] -= place; },
            [&](unsigned place, unsigned column) {
                room.columns()[place] = static_cast<std::uint16_t>(column);
            });
#pragma unroll 4
        for (unsigned place = threadIdx.x; place < at.size; place += sort_threads) {
            const unsigned to = room.places()[room.columns()[place]] + place;
            out.rows[to] = static_cast<index_t>(room.rows()[place]);
            if constexpr (value_bytes_of<Value> > 0)
                static_cast<Value*>(out.values)[to] = room.values()[place];
        }
        __syncthreads();
    }
}
}  // namespace nz::storage::device_steps
