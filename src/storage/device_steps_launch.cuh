// Three steps to where keys say as stages on a stream, in memory that the caller gives: nothing here allocates or waits.
#pragma once

#include "core/cuda_shared.hpp"
#include "storage/csr.hpp"
#include "storage/device_steps_rows.cuh"
#include "storage/device_steps_sort.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::storage::device_steps {

/// What is dealt; the pointers are the device's.
struct steps_call {
    steps_layout l;
    const void* from;         ///< values
    std::size_t value_bytes;  ///< 0: none
    cudaStream_t on;
    steps_tables t{};
    void* scan_memory = nullptr;
    std::size_t scan_bytes = 0;
};

inline std::size_t bytes_for_scans(const steps_layout& l, cudaStream_t on) {
    std::size_t first = 0, second = 0;
    unsigned* none = nullptr;
    check(cub::DeviceScan::ExclusiveSum(nullptr, first, none, none, static_cast<offset_t>(l.counts()), on));
    check(cub::DeviceScan::ExclusiveSum(nullptr, second, none, none, static_cast<offset_t>(l.range_counts()),
                                        on));
    return std::max(first, second);
}
/// Tells the call where its tables lie in a block of memory; with null, only how many bytes they take. Entries by range lie where the
/// result's `indices` and `values` will, but for their keys; all of them where they are those by bucket, where buckets lie.
inline std::size_t place_tables(steps_call& c, void* memory, index_t* indices, void* values) {
    std::size_t bytes = 0;
    const auto take = [&](auto*& table, std::size_t count, std::size_t each) {
        using item = std::remove_reference_t<decltype(table)>;
        if (memory) table = reinterpret_cast<item>(static_cast<char*>(memory) + bytes);
        bytes += (count * each + 255) / 256 * 256;
    };
    const steps_layout& l = c.l;
    const auto entries = static_cast<std::size_t>(l.nnz);
    take(c.t.tile_rows, l.tiles + std::size_t{1}, 4);
    take(c.t.counts, l.counts(), 4);
    take(c.t.firsts, l.ranges + std::size_t{1}, 4);
    take(c.t.range_counts, l.range_counts(), 4);
    take(c.t.starts, l.buckets + std::size_t{1}, 4);
    take(c.t.long_count, 1, 4);
    take(c.t.long_tiles, l.long_tiles, sizeof(uint2));
    take(c.t.long_counts, std::size_t{l.long_tiles} * l.digits(), 4);
    take(c.t.by_bucket.keys, entries, 2);
    take(c.t.by_bucket.others, entries, 4);
    take(c.t.by_bucket.values, entries, c.value_bytes);
    if (l.once()) {
        c.t.by_range = c.t.by_bucket;
    } else {
        take(c.t.by_range.keys, entries, 2);
        c.t.by_range.others = reinterpret_cast<unsigned*>(indices);
        c.t.by_range.values = values;
    }
    c.scan_bytes = bytes_for_scans(l, c.on);
    take(c.scan_memory, 1, c.scan_bytes);
    return bytes;
}

/// Calls f with a type as wide as values.
template <class F>
void with_value(const steps_call& c, F f) {
    c.value_bytes ? by_width(c.value_bytes, f) : f(std::type_identity<no_value>{});
}
template <class Kernel, class... Args>
void launch(const steps_call& c, Kernel kernel, unsigned blocks, unsigned threads, unsigned room,
            Args... args) {
    if (room) allow_shared(kernel, room);
    kernel<<<blocks, threads, room, c.on>>>(args...);
    check(cudaGetLastError());
}
inline void scan(const steps_call& c, unsigned* counts, std::size_t count) {
    std::size_t bytes = c.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(c.scan_memory, bytes, counts, counts, static_cast<offset_t>(count),
                                        c.on));
}

template <class Source>
void deal_by_range(const steps_call& c, const Source& a) {
    launch(c, count_ranges_kernel<Source>, c.l.tiles + row_blocks(a), count_threads, 0, c.l, a, c.t);
    scan(c, c.t.counts, c.l.counts());
    launch(c, start_ranges_kernel<Source>, 1, most_digits, 0, c.l, a, c.t);
    with_value(c, [&]<class Value>(std::type_identity<Value>) {
        launch(c, deal_ranges_kernel<Source, Value>, c.l.tiles, range_threads,
               deal_room<range_shape, Value>::bytes, c.l, a, c.t, static_cast<const Value*>(c.from));
    });
}
template <class Source, class List>
void deal_by_bucket(const steps_call& c, const Source& a, const List& list) {
    if (!c.l.once()) {
        launch(c, count_buckets_kernel<most_digits>, c.l.range_tiles, count_threads, 0, c.l, c.t);
        scan(c, c.t.range_counts, c.l.range_counts());
    }
    launch(c, start_buckets_kernel<Source, List>, c.l.buckets / count_threads + 1, count_threads, 0, c.l, a,
           c.t, list);
    if (c.l.once()) return;
    with_value(c, [&]<class Value>(std::type_identity<Value>) {
        launch(c, deal_buckets_kernel<Value>, c.l.range_tiles, bucket_threads,
               deal_room<bucket_shape, Value>::bytes, c.l, c.t);
    });
}
template <unsigned Digits, class Value>
void sort_by_key(const steps_call& c, const sorted_out& out) {
    using room = sort_room<Digits, Value>;
    launch(c, sort_buckets_kernel<Digits, Value>, c.l.buckets, sort_threads, room::bytes, c.l, c.t, out);
    const unsigned blocks = std::min(c.l.long_tiles, long_blocks);
    if (blocks == 0) return;
    launch(c, count_long_kernel<Digits>, blocks, count_threads, 0, c.t);
    launch(c, place_long_kernel<Digits>, blocks, Digits, 0, c.l, c.t, out.offsets);
    launch(c, deal_long_kernel<Digits, Value>, blocks, sort_threads, room::long_bytes, c.l, c.t, out);
}
inline void sort_by_key(const steps_call& c, const sorted_out& out) {
    with_value(c, [&]<class Value>(std::type_identity<Value>) {
        c.l.digits() == usual_width ? sort_by_key<usual_width, Value>(c, out)
                                    : sort_by_key<most_width, Value>(c, out);
    });
}

/// Buckets that blocks hold, by row and column; `large` lists those that a block holds alone.
template <unsigned Digits, class Value>
void sort_rows(const steps_call& c, const tuple_source& a, rows_report* report, const unsigned* large,
               unsigned most_large, const rows_out& out) {
    using usual_shape = tile_shape<rows_threads, rows_items, Digits>;
    using large_shape = tile_shape<large_threads, large_items, Digits>;
    launch(c, sort_rows_kernel<usual_shape, Value, 3>, c.l.buckets, rows_threads,
           rows_room<usual_shape, Value>::bytes, c.l, a, c.t, report, static_cast<const unsigned*>(nullptr),
           out);
    if (most_large == 0) return;
    launch(c, sort_rows_kernel<large_shape, Value, 1>, std::min(most_large, large_blocks), large_threads,
           rows_room<large_shape, Value>::bytes, c.l, a, c.t, report, large, out);
}
inline void sort_rows(const steps_call& c, const tuple_source& a, rows_report* report, const unsigned* large,
                      unsigned most_large, const rows_out& out) {
    with_value(c, [&]<class Value>(std::type_identity<Value>) {
        c.l.digits() == usual_width ? sort_rows<usual_width, Value>(c, a, report, large, most_large, out)
                                    : sort_rows<most_width, Value>(c, a, report, large, most_large, out);
    });
}

}  // namespace nz::storage::device_steps
