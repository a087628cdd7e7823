// Places of cut rows of mxm/two_level_sort that the device has sorted, and their sums.
#pragma once

#include "kernels/cuda/mxm/common_products.cuh"

namespace nz::kernels::cuda {

/// Keys of the places of cut rows.
struct cut_keys {
    void* data = nullptr;
    bool wide = false;

    cut_keys() = default;
    __host__ __device__ explicit cut_keys(const plan::mxm_cut_sorted_parts& cut)
        : data(cut.keys), wide(cut.key_bytes == 8) {}
    __device__ std::uint64_t operator[](offset_t n) const {
        return wide ? static_cast<const std::uint64_t*>(data)[n] : static_cast<const std::uint32_t*>(data)[n];
    }
    __device__ void put(offset_t n, std::uint64_t key) const {
        if (wide)
            static_cast<std::uint64_t*>(data)[n] = key;
        else
            static_cast<std::uint32_t*>(data)[n] = static_cast<std::uint32_t>(key);
    }
};

inline plan::mxm_cut_sorted_parts cut_sorted_parts_of(const device_mxm_arguments& k) {
    return {k.cut_memory,  k.cut_places,    k.cut_rows, plan::cut_key_bytes(k.columns, k.cut_rows),
            k.value_bytes, k.cut_sort_bytes};
}

/// Cut rows: the sums of a place, whose keys lie side by side, in the order of tiles.
template <class Cell>
__global__ void __launch_bounds__(sort_block)
    cut_sorted_fill_kernel(offset_t places, plan::mxm_cut_sorted_parts cut, int column_bits,
                           const offset_t* starts, index_t* out_columns, typename Cell::value* out_values) {
    const offset_t n = offset_t{blockIdx.x} * sort_block + threadIdx.x;
    if (n >= places) return;
    const cut_keys keys(cut);
    const std::uint64_t key = keys[n];
    if (n > 0 && keys[n - 1] == key) return;
    const auto* const sums = static_cast<const typename Cell::value*>(cut.sums);
    auto sum = sums[cut.from[n]];
    if constexpr (!Cell::first_wins)
        for (offset_t next = n + 1; next < places && keys[next] == key; ++next)
            sum = Cell::add(sum, sums[cut.from[next]]);
    const auto rank = static_cast<index_t>(key >> column_bits);
    const offset_t at = starts[cut.row_of_rank[rank]] +
                        (cut.numbers[n] - 1 - static_cast<std::uint32_t>(cut.before_row[rank]));
    out_columns[at] = static_cast<index_t>(key & ((std::uint64_t{1} << column_bits) - 1));
    out_values[at] = sum;
}

}  // namespace nz::kernels::cuda
