// A transpose by two deals as five stages on a stream, in memory that the caller gives: nothing here allocates or waits.
#pragma once

#include "core/cuda_shared.hpp"
#include "storage/csr.hpp"
#include "storage/device_deal_kernels.cuh"

namespace nz::storage::device_deal {

/// Where tables lie in a block of memory; with null, only how many bytes they take.
inline deal_tables tables_in(void* memory, const deal_layout& l, std::size_t value_bytes,
                             std::size_t& bytes) {
    deal_tables t{};
    bytes = 0;
    const auto take = [&](auto*& table, std::size_t count, std::size_t each) {
        using item = std::remove_reference_t<decltype(table)>;
        if (memory) table = reinterpret_cast<item>(static_cast<char*>(memory) + bytes);
        bytes += (count * each + 255) / 256 * 256;
    };
    const auto take_words = [&](unsigned*& table, std::size_t count) {
        take(table, count, sizeof(unsigned));
    };
    const std::size_t buckets = l.buckets, entries = l.once() ? 0 : static_cast<std::size_t>(l.nnz);
    take_words(t.window_entries, l.windows + std::size_t{1});
    take_words(t.window_groups, l.windows + std::size_t{1});
    take(t.tile_rows, std::size_t{l.groups} * l.group_tiles, sizeof(uint2));
    take_words(t.places, l.groups * buckets);
    take_words(t.chunk_sums, chunks * buckets);
    take_words(t.starts, buckets + 1);
    take_words(t.part_firsts, buckets + 1);
    take_words(t.split_firsts, buckets + 1);
    take_words(t.part_buckets, l.parts);
    take_words(t.split_places, static_cast<std::size_t>(l.split_parts) << l.column_bits);
    take_words(t.keys, entries);
    take(t.values, entries, value_bytes);
    return t;
}

/// What is transposed and where to; the pointers are the device's.
struct deal_call {
    deal_layout l;
    deal_source a;
    const void* from;         ///< A's values
    std::size_t value_bytes;  ///< 0: none
    deal_tables t;
    offsets_out offsets;
    index_t* rows;
    void* values;
    cudaStream_t on;

    unsigned blocks(offset_t threads) const {
        return static_cast<unsigned>((threads + deal_threads - 1) / deal_threads);
    }
    dim3 chunk_blocks() const { return {blocks(l.buckets), chunks}; }
};

/// Calls f with the number of digits that rooms are made for and with a type as wide as values.
template <class F>
void with_room(bool usual, std::size_t value_bytes, F f) {
    const auto sized = [&]<class Value>(std::type_identity<Value> v) {
        usual ? f(std::integral_constant<int, usual_digits>{}, v)
              : f(std::integral_constant<int, 1 << most_digit_bits>{}, v);
    };
    value_bytes ? by_width(value_bytes, sized) : sized(std::type_identity<no_value>{});
}

/// Which rows tiles hold, and how many of each group's entries go to each bucket.
inline void count_groups(const deal_call& c) {
    windows_kernel<<<1, lanes, 0, c.on>>>(c.l, c.a.offsets, c.t);
    check(cudaGetLastError());
    count_groups_kernel<<<c.l.groups, deal_threads, 0, c.on>>>(c.l, c.a, c.t);
    check(cudaGetLastError());
}
inline void place_groups(const deal_call& c) {
    sum_chunks_kernel<<<c.chunk_blocks(), deal_threads, 0, c.on>>>(c.l, c.t);
    check(cudaGetLastError());
    start_buckets_kernel<<<1, scan_threads, 0, c.on>>>(c.l, c.t);
    check(cudaGetLastError());
    place_groups_kernel<<<c.chunk_blocks(), deal_threads, 0, c.on>>>(c.l, c.t);
    check(cudaGetLastError());
}
inline void deal_groups(const deal_call& c) {
    auto* keys = c.l.once() ? reinterpret_cast<unsigned*>(c.rows) : c.t.keys;
    void* values = c.l.once() ? c.values : c.t.values;
    with_room(c.l.buckets <= usual_digits, c.value_bytes,
              [&]<class Digits, class Value>(Digits, std::type_identity<Value>) {
                  constexpr auto kernel = deal_groups_kernel<Digits::value, Value>;
                  constexpr unsigned room = tile_room<Digits::value, Value>::bytes;
                  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
                  kernel<<<c.l.groups, deal_threads, room, c.on>>>(
                      c.l, c.a, c.t, static_cast<const Value*>(c.from), keys, static_cast<Value*>(values));
                  check(cudaGetLastError());
              });
}
/// Offsets, where buckets are columns; else the places of buckets' parts.
inline void place_parts(const deal_call& c) {
    if (c.l.once()) {
        column_starts_kernel<<<c.blocks(offset_t{c.l.columns} + 1), deal_threads, 0, c.on>>>(c.l, c.t,
                                                                                             c.offsets);
        check(cudaGetLastError());
        return;
    }
    if (c.l.split_parts == 0) return;
    count_parts_kernel<<<c.l.parts, deal_threads, 0, c.on>>>(c.l, c.t);
    check(cudaGetLastError());
    place_parts_kernel<<<c.l.buckets, deal_threads, 0, c.on>>>(c.l, c.t, c.offsets);
    check(cudaGetLastError());
}
inline void deal_parts(const deal_call& c) {
    if (c.l.once()) return;
    with_room(1u << c.l.column_bits <= usual_digits, c.value_bytes,
              [&]<class Digits, class Value>(Digits, std::type_identity<Value>) {
                  constexpr auto kernel = deal_parts_kernel<Digits::value, Value>;
                  const unsigned room = tile_room<Digits::value, Value>::bytes + c.l.windows * 4;
                  allow_shared(kernel, room);
                  kernel<<<c.l.parts, deal_threads, room, c.on>>>(
                      c.l, c.t, static_cast<const Value*>(c.t.values), c.offsets,
                      reinterpret_cast<unsigned*>(c.rows), static_cast<Value*>(c.values));
                  check(cudaGetLastError());
              });
}

}  // namespace nz::storage::device_deal
