// Coordinates on a GPU sorted as a list: what three steps do not serve (device_steps_layout.hpp), and those buckets that no block's
// shared memory holds. (row, column) keys are sorted with the coordinates' numbers, stably, by the bits that rows and columns need
// (CUB's radix sort: 8 or 12 bytes a coordinate each way for eight bits of the key); columns are read off the keys, values
// gathered, a sector each.
#pragma once

#include "storage/device_assemble.hpp"
#include "storage/device_steps_rows.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace nz::storage::device_list {

using device_passes::exclusive_sum, device_passes::full_warp, device_passes::lanes;
using device_steps::rows_out;

inline constexpr unsigned find_threads = 1024;

/// One block: buckets of more than `held` entries, in order, and how many entries the earlier ones of these have.
__global__ void __launch_bounds__(find_threads)
    find_crowded_kernel(const unsigned* starts, unsigned buckets, unsigned held, unsigned* crowded,
                        unsigned* firsts) {
    constexpr unsigned warps = find_threads / lanes;
    __shared__ unsigned long long sums[warps];
    unsigned long long listed = 0;  // buckets << 32 | entries
    for (unsigned first = 0; first < buckets; first += find_threads) {
        const unsigned b = first + threadIdx.x, size = b < buckets ? starts[b + 1] - starts[b] : 0;
        const unsigned long long own = size > held ? 1ull << 32 | size : 0;
        unsigned long long all;
        const unsigned long long at = listed + exclusive_sum<warps>(own, sums, all);
        listed += all;
        if (own == 0) continue;
        crowded[at >> 32] = b;
        firsts[at >> 32] = static_cast<unsigned>(at);
    }
}

/// Where a listed coordinate goes, and which rows' offsets it may write.
struct list_spot {
    unsigned place, first_row, last_row;
    bool begins, ends;  // its bucket
};
/// All coordinates, or those of crowded buckets.
struct coordinate_list {
    offset_t entries;
    index_t rows;
    unsigned lists = 0;  // crowded buckets
    unsigned width = 0;
    const unsigned *buckets = nullptr, *firsts = nullptr, *starts = nullptr;

    __device__ list_spot spot(offset_t k) const {
        if (lists == 0)
            return {static_cast<unsigned>(k), 0, static_cast<unsigned>(rows) + 1, k == 0, k + 1 == entries};
        unsigned low = 0, high = lists;
        while (high - low > 1) {
            const unsigned middle = (low + high) / 2;
            (firsts[middle] <= k ? low : high) = middle;
        }
        const unsigned bucket = buckets[low], number = static_cast<unsigned>(k) - firsts[low],
                       size = starts[bucket + 1] - starts[bucket], first_row = bucket * width;
        return {starts[bucket] + number, first_row, min(first_row + width, static_cast<unsigned>(rows)),
                number == 0, number + 1 == size};
    }
};

template <class Key>
__global__ void all_keys_kernel(device_tuples t, int column_bits, Key* keys, unsigned* numbers) {
    const offset_t k = device_passes::thread_number();
    if (k >= t.count) return;
    keys[k] = static_cast<Key>(t.row_indices[k]) << column_bits | static_cast<Key>(t.column_indices[k]);
    numbers[k] = static_cast<unsigned>(k);
}
/// Those dealt lie in buckets; those given do so where their rows ascend.
template <class Key>
__global__ void crowded_keys_kernel(coordinate_list list, int column_bits, device_tuples given,
                                    device_steps::dealt dealt, bool in_order, Key* keys, unsigned* numbers) {
    const offset_t k = device_passes::thread_number();
    if (k >= list.entries) return;
    const list_spot at = list.spot(k);
    const auto row = in_order ? static_cast<unsigned>(given.row_indices[at.place])
                              : dealt.keys[at.place] + at.first_row,
               column =
                   in_order ? static_cast<unsigned>(given.column_indices[at.place]) : dealt.others[at.place];
    keys[k] = static_cast<Key>(row) << column_bits | column;
    numbers[k] = at.place;
}

/// Columns, and where rows begin: the coordinate before which the row changes writes all that begin there.
template <class Key>
__global__ void write_list_kernel(coordinate_list list, const Key* keys, int column_bits, rows_out out,
                                  unsigned long long* repeats) {
    const offset_t k = device_passes::thread_number();
    bool repeated = false;
    if (k < list.entries) {
        const list_spot at = list.spot(k);
        const auto row_of = [&](offset_t n) { return static_cast<offset_t>(keys[n] >> column_bits); };
        const offset_t row = row_of(k), before = at.begins ? offset_t{at.first_row} - 1 : row_of(k - 1);
        out.columns[at.place] = static_cast<index_t>(keys[k] & ((Key{1} << column_bits) - 1));
        for (offset_t i = before + 1; i <= row; ++i) out.offsets.put(i, at.place);
        if (at.ends)
            for (offset_t i = row + 1; i < at.last_row; ++i) out.offsets.put(i, at.place + 1);
        repeated = !at.begins && keys[k] == keys[k - 1];
    }
    const unsigned found = __popc(__ballot_sync(full_warp, repeated));
    if (found && threadIdx.x % lanes == 0) atomicAdd(repeats, static_cast<unsigned long long>(found));
}
template <class Value>
__global__ void list_values_kernel(coordinate_list list, const unsigned* numbers, const Value* from,
                                   Value* to) {
    const offset_t k = device_passes::thread_number();
    if (k < list.entries) to[list.spot(k).place] = from[numbers[k]];
}

/// Sorts what `fill(keys, numbers)` lists and writes it; `from` has values by number, none where value_bytes is 0.
template <class Key, class Fill>
void sort_list(const context& gpu, const coordinate_list& list, int column_bits, int bits, const void* from,
               std::size_t value_bytes, const rows_out& out, unsigned long long* repeats, Fill fill) {
    using device_passes::take, device_passes::threads;
    const auto on = device_passes::stream_of(gpu);
    const unsigned blocks = device_passes::blocks_for(list.entries);
    const buffer keys = take<Key>(gpu, list.entries), numbers = take<unsigned>(gpu, list.entries);
    {
        const buffer given = take<Key>(gpu, list.entries), before = take<unsigned>(gpu, list.entries);
        fill(given.as<Key>(), before.as<unsigned>());
        check(cudaGetLastError());
        device_passes::with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(memory, bytes, given.as<const Key>(), keys.as<Key>(),
                                                   before.as<const unsigned>(), numbers.as<unsigned>(),
                                                   list.entries, 0, std::max(bits, 1), on);
        });
    }
    write_list_kernel<Key><<<blocks, threads, 0, on>>>(list, keys.as<const Key>(), column_bits, out, repeats);
    check(cudaGetLastError());
    if (value_bytes == 0) return;
    by_width(value_bytes, [&]<class U>(std::type_identity<U>) {
        list_values_kernel<<<blocks, threads, 0, on>>>(
            list, numbers.as<const unsigned>(), static_cast<const U*>(from), static_cast<U*>(out.values));
    });
    check(cudaGetLastError());
}

}  // namespace nz::storage::device_list
