// What mxm/two_level_sort does with the places of cut rows where one lies in very many tiles: the device sorts them.
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_cut_sorted.cuh"
#include "kernels/cuda/mxm/common_tile_keys.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

using plan::mxm_cut_sorted_parts, plan::mxm_sort_parts;

/// The places of cut rows as keys, in the order of rows and tiles.
__global__ void __launch_bounds__(item_block)
    cut_gather_kernel(mxm_sort_parts parts, const index_t* cut_columns, int column_bits,
                      mxm_cut_sorted_parts cut) {
    const offset_t t = blockIdx.x, room = parts.rooms[t], start = parts.cut_starts[t];
    const int first = parts.first_places[t], all = first + parts.last_places[t];
    const index_t own = parts.cut_rows[t];
    if (threadIdx.x == 0 && own >= 0 && parts.cut_rows[t - 1] != own)
        cut.row_of_rank[parts.ranks[t] - 1] = own;
    for (int n = static_cast<int>(threadIdx.x); n < all; n += static_cast<int>(item_block)) {
        const auto rank = static_cast<std::uint64_t>(parts.ranks[n < first ? t : t + 1] - 1);
        cut_keys(cut).put(start + n, rank << column_bits | static_cast<std::uint64_t>(cut_columns[room + n]));
        cut.from[start + n] = static_cast<std::uint32_t>(start + n);
    }
}

struct is_first_key {
    cut_keys keys;
    __device__ std::uint32_t operator()(offset_t n) const { return n == 0 || keys[n] != keys[n - 1]; }
};

/// Entries of cut rows.
__global__ void __launch_bounds__(item_block) cut_rows_kernel(offset_t places, index_t rows, int column_bits,
                                                              mxm_cut_sorted_parts cut, index_t* counts) {
    const offset_t rank = thread_number();
    if (rank >= rows) return;
    const cut_keys keys(cut);
    const auto up_to = [&](offset_t of) -> std::uint32_t {  // distinct places of the ranks before
        offset_t at = 0, end = places;
        while (at < end) {
            const offset_t middle = at + (end - at) / 2;
            if (static_cast<offset_t>(keys[middle] >> column_bits) < of)
                at = middle + 1;
            else
                end = middle;
        }
        return at ? cut.numbers[at - 1] : 0;
    };
    const std::uint32_t before = up_to(rank);
    cut.before_row[rank] = static_cast<index_t>(before);
    counts[cut.row_of_rank[rank]] = static_cast<index_t>(up_to(rank + 1) - before);
}

/// By all bits of a key that say anything; `from` goes along.
template <class Key>
void sort_places(const mxm_cut_sorted_parts& cut, offset_t places, int bits, cudaStream_t on) {
    cub::DoubleBuffer<Key> keys(static_cast<Key*>(cut.keys), static_cast<Key*>(cut.spare_keys));
    cub::DoubleBuffer<std::uint32_t> from(cut.from, cut.spare_from);
    std::size_t bytes = cut.sort_bytes;
    check(cub::DeviceRadixSort::SortPairs(cut.sort, bytes, keys, from, places, 0, bits, on));
    const auto n = static_cast<std::size_t>(places);
    if (keys.Current() != cut.keys)
        check(cudaMemcpyAsync(cut.keys, cut.spare_keys, n * sizeof(Key), cudaMemcpyDeviceToDevice, on));
    if (from.Current() != cut.from)
        check(cudaMemcpyAsync(cut.from, cut.spare_from, n * 4, cudaMemcpyDeviceToDevice, on));
}

}  // namespace

std::size_t cut_sorted_bytes(offset_t places) {
    std::size_t sort = 0, wide_sort = 0, scan = 0;
    cub::DoubleBuffer<std::uint32_t> keys, from;
    cub::DoubleBuffer<std::uint64_t> wide_keys;
    check(cub::DeviceRadixSort::SortPairs(nullptr, sort, keys, from, places));
    check(cub::DeviceRadixSort::SortPairs(nullptr, wide_sort, wide_keys, from, places));
    check(cub::DeviceScan::InclusiveSum(nullptr, scan, counted(is_first_key{}),
                                        static_cast<std::uint32_t*>(nullptr), places));
    return std::max({sort, wide_sort, scan});
}

void cut_sorted(const device_mxm_arguments& k, index_t* counts, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const mxm_sort_parts parts = sort_parts_of(k);
    const mxm_cut_sorted_parts cut = cut_sorted_parts_of(k);
    const int column_bits = plan::bits_of_column(k.columns);
    cut_gather_kernel<<<static_cast<unsigned>(plan::sort_tiles(k.products)), item_block, 0, on>>>(
        parts, k.cut_columns, column_bits, cut);
    const int bits = column_bits + plan::bits_of_column(k.cut_rows);
    if (cut.key_bytes == 4)
        sort_places<std::uint32_t>(cut, k.cut_places, bits, on);
    else
        sort_places<std::uint64_t>(cut, k.cut_places, bits, on);
    std::size_t bytes = cut.sort_bytes;
    check(cub::DeviceScan::InclusiveSum(cut.sort, bytes, counted(is_first_key{cut_keys(cut)}), cut.numbers,
                                        k.cut_places, on));
    cut_rows_kernel<<<blocks_of(k.cut_rows), item_block, 0, on>>>(k.cut_places, k.cut_rows, column_bits, cut,
                                                                  counts);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
