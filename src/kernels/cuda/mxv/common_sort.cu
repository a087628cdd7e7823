#include "core/cuda_check.hpp"
#include "kernels/cuda/mxv/common_sort.hpp"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

struct column_length {
    const void* offsets;
    bool wide;
    const index_t* listed;
    offset_t columns;
    __device__ offset_t operator()(offset_t k) const {
        if (k >= columns) return 0;
        const offset_t j = listed[k];
        return wide ? static_cast<const std::int64_t*>(offsets)[j + 1] -
                          static_cast<const std::int64_t*>(offsets)[j]
                    : static_cast<const std::int32_t*>(offsets)[j + 1] -
                          static_cast<const std::int32_t*>(offsets)[j];
    }
};
struct is_head {
    const std::uint32_t* keys;
    __device__ bool operator()(std::int32_t k) const { return k == 0 || keys[k] != keys[k - 1]; }
};
struct less {
    __device__ bool operator()(std::uint32_t x, std::uint32_t y) const { return x < y; }
};

using positions = thrust::counting_iterator<std::int32_t>;

auto lengths(const column_length& length) {
    return thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0), length);
}

template <class F>
void by_value_width(std::size_t bytes, F&& f) {
    bytes == 1 ? f(std::uint8_t{}) : bytes == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

std::size_t sort_bytes(offset_t columns, offset_t count, std::size_t value_bytes) {
    std::size_t scan = 0, select = 0, radix = 0, merge = 0;
    const auto n = static_cast<std::int32_t>(count);
    check(cub::DeviceScan::ExclusiveSum(nullptr, scan, lengths({}), static_cast<offset_t*>(nullptr),
                                        columns + 1));
    check(cub::DeviceSelect::If(nullptr, select, positions(0), static_cast<std::int32_t*>(nullptr),
                                static_cast<std::int32_t*>(nullptr), n, is_head{nullptr}));
    cub::DoubleBuffer<std::uint32_t> keys;
    std::uint32_t* in_place = nullptr;
    if (value_bytes == 0) {
        check(cub::DeviceRadixSort::SortKeys(nullptr, radix, keys, n));
        check(cub::DeviceMergeSort::StableSortKeys(nullptr, merge, in_place, n, less{}));
    } else {
        by_value_width(value_bytes, [&]<class V>(V) {
            cub::DoubleBuffer<V> values;
            V* moved = nullptr;
            check(cub::DeviceRadixSort::SortPairs(nullptr, radix, keys, values, n));
            check(cub::DeviceMergeSort::StableSortPairs(nullptr, merge, in_place, moved, n, less{}));
        });
    }
    return std::max({scan, select, radix, merge});
}

void column_starts(offset_reader offsets, const index_t* listed, offset_t columns, offset_t* starts,
                   void* temporary, std::size_t bytes, void* stream) {
    check(cub::DeviceScan::ExclusiveSum(temporary, bytes,
                                        lengths({offsets.data, offsets.wide, listed, columns}), starts,
                                        columns + 1, on(stream)));
}

void radix_sort(sorted_pairs& p, int first_bit, int end_bit, void* temporary, std::size_t bytes,
                void* stream) {
    cub::DoubleBuffer<std::uint32_t> keys(p.keys[0], p.keys[1]);
    const auto n = static_cast<std::int32_t>(p.count);
    if (p.value_bytes == 0) {
        check(cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, n, first_bit, end_bit, on(stream)));
    } else {
        by_value_width(p.value_bytes, [&]<class V>(V) {
            cub::DoubleBuffer<V> values(static_cast<V*>(p.values[0]), static_cast<V*>(p.values[1]));
            check(cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, n, first_bit, end_bit,
                                                  on(stream)));
            p.values[0] = values.Current();
            p.values[1] = values.Alternate();
        });
    }
    p.keys[0] = keys.Current();
    p.keys[1] = keys.Alternate();
}

void merge_sort(sorted_pairs& p, void* temporary, std::size_t bytes, void* stream) {
    const auto n = static_cast<std::int32_t>(p.count);
    if (p.value_bytes == 0)
        return check(
            cub::DeviceMergeSort::StableSortKeys(temporary, bytes, p.keys[0], n, less{}, on(stream)));
    by_value_width(p.value_bytes, [&]<class V>(V) {
        check(cub::DeviceMergeSort::StableSortPairs(temporary, bytes, p.keys[0], static_cast<V*>(p.values[0]),
                                                    n, less{}, on(stream)));
    });
}

void find_heads(const std::uint32_t* keys, offset_t count, std::int32_t* heads, std::int32_t* found,
                void* temporary, std::size_t bytes, void* stream) {
    check(cub::DeviceSelect::If(temporary, bytes, positions(0), heads, found,
                                static_cast<std::int32_t>(count), is_head{keys}, on(stream)));
}

}  // namespace nz::kernels::cuda
