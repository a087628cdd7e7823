// Transposes in a GPU's memory. Large ones whose entries reach over the columns go in three steps (device_steps_layout.hpp): two deals
// of at most 256 digits, to ranges of columns and to buckets in them (device_steps_deal.cuh), and a sort of each bucket by its columns in
// a block (device_steps_sort.cuh). Others, among them bands and meshes, whose tiles touch few columns, go in two stable deals
// (device_deal_kernels.cuh): entries to buckets of neighbouring columns, then each bucket's to its columns, both in runs. Which, is
// found by a look at 128 tiles, for which the host waits. Of these others, where all that is looked at has (j,i) wherever it has (i,j), as
// in most meshes, values alone are fetched from there (device_mirror.cuh).
// More columns than two deals part are sorted: (column, position) pairs by the bits that columns need (CUB's radix sort),
// then rows and values are gathered, a sector each where columns are scattered.
#include "core/device.hpp"
#include "storage/device_convert.hpp"
#include "storage/device_deal_launch.cuh"
#include "storage/device_mirror.cuh"
#include "storage/device_steps_launch.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <array>
#include <bit>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::stream_of, device_passes::take, device_passes::thread_number,
    device_passes::threads, device_passes::with_temporary;

/// A tile of entries is near where its columns are this small a part of all; looked at are so many tiles.
constexpr index_t near_share = 16;
constexpr unsigned far_samples = 128;

__global__ void positions_kernel(unsigned* positions, offset_t count) {
    const offset_t k = thread_number();
    if (k < count) positions[k] = static_cast<unsigned>(k);
}

// Where each column begins among the sorted ones: the entry before which the column changes writes all that begin there, of many its warp.
__global__ void column_offsets_kernel(const unsigned* sorted, offset_t nnz, index_t columns,
                                      device_passes::offsets_out offsets) {
    constexpr offset_t lanes = 32;
    const offset_t k = thread_number(), lane = threadIdx.x % lanes;
    const bool none = k > nnz;
    const offset_t first = none || k == 0 ? 0 : static_cast<offset_t>(sorted[k - 1]) + 1,
                   end = none ? 0 : (k == nnz ? columns : static_cast<offset_t>(sorted[k])) + 1;
    const bool many = end - first > lanes;
    if (!many)
        for (offset_t j = first; j < end; ++j) offsets.put(j, static_cast<unsigned>(k));
    for (unsigned left = __ballot_sync(~0u, many); left; left &= left - 1) {
        const int whose = __ffs(static_cast<int>(left)) - 1;
        const offset_t its_end = __shfl_sync(~0u, end, whose), its_k = __shfl_sync(~0u, k, whose);
        for (offset_t j = __shfl_sync(~0u, first, whose) + lane; j < its_end; j += lanes)
            offsets.put(j, static_cast<unsigned>(its_k));
    }
}

template <class Value>
__global__ void gather_kernel(const unsigned* positions, offset_t count, const Value* from, Value* to) {
    const offset_t k = thread_number();
    if (k < count) to[k] = from[positions[k]];
}

template <class Value>
void gather(const context& gpu, const unsigned* positions, offset_t count, const void* from, void* to) {
    gather_kernel<<<blocks_for(count), threads, 0, stream_of(gpu)>>>(
        positions, count, static_cast<const Value*>(from), static_cast<Value*>(to));
    check(cudaGetLastError());
}

void sort_by_column(const context& gpu, const device_rows& a, const void* values, std::size_t value_bytes,
                    const device_transpose& t) {
    const auto on = stream_of(gpu);
    const buffer row_of = rows_of_entries(gpu, a), columns = take<unsigned>(gpu, a.nnz),
                 before = take<unsigned>(gpu, a.nnz), after = take<unsigned>(gpu, a.nnz);
    positions_kernel<<<blocks_for(a.nnz), threads, 0, on>>>(before.as<unsigned>(), a.nnz);
    check(cudaGetLastError());
    const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(a.columns - 1))));
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, reinterpret_cast<const unsigned*>(a.indices),
                                               columns.as<unsigned>(), before.as<const unsigned>(),
                                               after.as<unsigned>(), a.nnz, 0, bits, on);
    });
    column_offsets_kernel<<<blocks_for(a.nnz + 1), threads, 0, on>>>(columns.as<unsigned>(), a.nnz, a.columns,
                                                                     {t.offsets.data(), a.wide});
    check(cudaGetLastError());
    gather<index_t>(gpu, after.as<unsigned>(), a.nnz, row_of.data(), t.indices.data());
    if (value_bytes)
        by_width(value_bytes, [&]<class U>(std::type_identity<U>) {
            gather<U>(gpu, after.as<unsigned>(), a.nnz, values, t.values.data());
        });
}

void deal_by_column(const context& gpu, const device_rows& a, const device_deal::deal_layout& layout,
                    const void* values, std::size_t value_bytes, const device_transpose& t) {
    std::size_t bytes = 0;
    device_deal::tables_in(nullptr, layout, value_bytes, bytes);
    const buffer memory(gpu.device_memory(), bytes);
    const device_deal::deal_call call{layout,
                                      {{a.offsets, a.wide}, a.indices},
                                      values,
                                      value_bytes,
                                      device_deal::tables_in(memory.data(), layout, value_bytes, bytes),
                                      {t.offsets.data(), a.wide},
                                      t.indices.as<index_t>(),
                                      t.values.data(),
                                      stream_of(gpu)};
    count_groups(call);
    place_groups(call);
    deal_groups(call);
    place_parts(call);
    deal_parts(call);
}

// What a look at some tiles says of all.
enum class layout { far, near, mirrored };

// Whether a tile of the input reaches over a large part of the columns: those of bands and meshes do not; and of one that does not whether
// 256 of its entries have mirrors. A block a tile, of which it looks at a quarter.
template <class Offset>
__global__ void __launch_bounds__(threads)
    look_at_tiles_kernel(device_mirror::pattern<Offset> a, index_t column_count, layout* seen) {
    constexpr unsigned loads = 4, step = device_steps::bucket_tile_entries / loads;
    const unsigned first = a.nnz / far_samples * blockIdx.x;  // layout_transpose leaves more than a tile
    index_t least = column_count, most = 0;
#pragma unroll
    for (unsigned n = 0; n < loads; ++n) {
        const index_t column = a.columns[first + n * step + threadIdx.x];
        least = min(least, column), most = max(most, column);
    }
    least = __reduce_min_sync(device_passes::full_warp, least);
    most = __reduce_max_sync(device_passes::full_warp, most);
    __shared__ index_t lowest, highest;
    if (threadIdx.x == 0) lowest = column_count, highest = 0;
    __syncthreads();
    if (threadIdx.x % device_passes::lanes == 0) atomicMin(&lowest, least), atomicMax(&highest, most);
    __syncthreads();
    const bool near = highest - lowest <= column_count / near_share;
    const bool mirrored =
        near && a.rows == column_count &&
        device_mirror::are_mirrored(a, first + threadIdx.x / device_passes::lanes * device_passes::lanes);
    const bool all = __syncthreads_and(mirrored);
    if (threadIdx.x == 0) seen[blockIdx.x] = all ? layout::mirrored : near ? layout::near : layout::far;
}
template <class Offset>
device_mirror::pattern<Offset> pattern_of(const device_rows& a) {
    return {static_cast<const Offset*>(a.offsets), a.indices, a.rows, static_cast<unsigned>(a.nnz)};
}
/// Calls f with the type of a matrix's offsets.
template <class F>
auto by_offset(bool wide, F&& f) {
    return wide ? f(std::type_identity<long long>{}) : f(std::type_identity<int>{});
}
layout look_at_tiles(const context& gpu, const device_rows& a) {
    const buffer seen = take<layout>(gpu, far_samples);
    by_offset(a.wide, [&]<class Offset>(std::type_identity<Offset>) {
        look_at_tiles_kernel<<<far_samples, threads, 0, stream_of(gpu)>>>(pattern_of<Offset>(a), a.columns,
                                                                          seen.as<layout>());
    });
    check(cudaGetLastError());
    std::array<layout, far_samples> found;
    gpu.gpu()->download(found.data(), seen.data(), sizeof found);
    const auto far = std::ranges::count(found, layout::far), near = std::ranges::count(found, layout::near);
    if (far > far_samples / 2) return layout::far;
    return near > 0 || far > far_samples / 16 ? layout::near : layout::mirrored;
}

// Whether every entry has its mirror; then `t` is the transpose.
bool by_mirrors(const context& gpu, const device_rows& a, const void* values, std::size_t value_bytes,
                const device_transpose& t) {
    const buffer broken = take<unsigned>(gpu, 1);
    gpu.gpu()->fill(broken.data(), 0, broken.bytes());
    const auto launch = [&]<class Value>(std::type_identity<Value>) {
        by_offset(a.wide, [&]<class Offset>(std::type_identity<Offset>) {
            const auto blocks = static_cast<unsigned>((a.nnz - 1) / device_mirror::block_entries + 1);
            device_mirror::mirror_kernel<Value><<<blocks, device_mirror::threads, 0, stream_of(gpu)>>>(
                pattern_of<Offset>(a), static_cast<const Value*>(values), t.indices.as<index_t>(),
                static_cast<Value*>(t.values.data()), broken.as<unsigned>());
        });
    };
    value_bytes ? by_width(value_bytes, launch) : launch(std::type_identity<device_passes::no_value>{});
    check(cudaGetLastError());
    gpu.gpu()->copy(t.offsets.data(), a.offsets, t.offsets.bytes());
    unsigned found = 0;
    gpu.gpu()->download(&found, broken.data(), sizeof found);
    return !found;
}

void in_three_steps(const context& gpu, const device_rows& a, const device_steps::steps_layout& layout,
                    const void* values, std::size_t value_bytes, const device_transpose& t) {
    device_steps::steps_call call{layout, values, value_bytes, stream_of(gpu)};
    auto* rows = t.indices.as<index_t>();
    const buffer memory(gpu.device_memory(), place_tables(call, nullptr, rows, t.values.data()));
    place_tables(call, memory.data(), rows, t.values.data());
    const device_steps::matrix_source from{{a.offsets, a.wide}, a.indices, a.rows};
    deal_by_range(call, from);
    deal_by_bucket(call, from, device_steps::list_tiles{});
    sort_by_key(call, {{t.offsets.data(), a.wide}, rows, t.values.data()});
}

}  // namespace

device_transpose transpose_on_device(const context& gpu, const device_rows& a, const void* values,
                                     std::size_t value_bytes) {
    device_transpose t;
    t.offsets = buffer(gpu.device_memory(),
                       (static_cast<std::size_t>(a.columns) + 1) * (a.wide ? sizeof(std::int64_t) : 4));
    t.indices =
        buffer(gpu.device_memory(), static_cast<std::size_t>(a.nnz) * sizeof(index_t) + index_padding);
    t.values = buffer(gpu.device_memory(), static_cast<std::size_t>(a.nnz) * value_bytes);
    gpu.gpu()->fill(t.indices.as<std::byte>() + t.indices.bytes() - index_padding, 0, index_padding);
    if (a.nnz == 0) {
        gpu.gpu()->fill(t.offsets.data(), 0, t.offsets.bytes());
        return t;
    }
    const auto steps = device_steps::layout_transpose(a.columns, a.nnz);
    const layout seen = steps ? look_at_tiles(gpu, a) : layout::near;
    t.mirrored = seen == layout::mirrored && by_mirrors(gpu, a, values, value_bytes, t);
    if (t.mirrored) return t;
    if (seen == layout::far)
        in_three_steps(gpu, a, *steps, values, value_bytes, t);
    else if (const auto layout = device_deal::layout_deals(a.rows, a.columns, a.nnz))
        deal_by_column(gpu, a, *layout, values, value_bytes, t);
    else
        sort_by_column(gpu, a, values, value_bytes, t);
    return t;
}

}  // namespace nz::storage
