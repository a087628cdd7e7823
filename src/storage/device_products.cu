// The products of C = A B by place. Each entry of A stands for as many products as its row of B has entries; in chunks of whole
// rows these are numbered, each finds its place in C's row by halving, and a stable radix sort by place brings those of a place
// together in the order of A's entries.
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_passes.cuh"
#include "storage/device_products.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <bit>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::reader, device_passes::stream_of, device_passes::take,
    device_passes::thread_number, device_passes::threads, device_passes::with_temporary;

/// Products of a chunk, if a row has no more: the work of a chunk should fill the GPU, its memory be small beside the lists'.
constexpr offset_t chunk_products = offset_t{1} << 25;

struct product_count {
    reader b_offsets;
    const index_t* a_columns;
    offset_t entries;
    __device__ offset_t operator()(offset_t e) const {
        if (e == entries) return 0;
        return b_offsets[a_columns[e] + offset_t{1}] - b_offsets[a_columns[e]];
    }
};

__global__ void row_starts_kernel(reader offsets, offset_t rows, const offset_t* starts,
                                  offset_t* row_starts) {
    const offset_t i = thread_number();
    if (i <= rows) row_starts[i] = starts[offsets[i]];
}
__global__ void widen_kernel(reader offsets, offset_t count, offset_t* wide) {
    const offset_t i = thread_number();
    if (i < count) wide[i] = offsets[i];
}

/// Rows [first, last) of all.
struct chunk {
    offset_t first_entry, entries;  // of A
    offset_t first_product, products;
    offset_t first_slot, slots;  // of C
};

__global__ void mark_entries_kernel(chunk at, const offset_t* starts, unsigned* entry_of) {
    const offset_t n = thread_number();
    if (n >= at.entries) return;
    const offset_t from = starts[at.first_entry + n];
    if (from < starts[at.first_entry + n + 1]) entry_of[from - at.first_product] = static_cast<unsigned>(n);
}

__global__ void expand_kernel(chunk at, const offset_t* starts, const unsigned* entry_of,
                              const index_t* row_of, const index_t* a_columns, reader b_offsets,
                              const index_t* b_columns, reader c_offsets, const index_t* c_columns,
                              unsigned* slots, unsigned long long* pairs) {
    const offset_t t = thread_number();
    if (t >= at.products) return;
    const offset_t e = at.first_entry + entry_of[t];
    const offset_t q = b_offsets[a_columns[e]] + (at.first_product + t - starts[e]);
    const index_t i = row_of[e], j = b_columns[q];
    offset_t low = c_offsets[i], high = c_offsets[i + offset_t{1}];
    while (high - low > 1) {  // c_columns[low] <= j, and j is there
        const offset_t middle = low + (high - low) / 2;
        (c_columns[middle] <= j ? low : high) = middle;
    }
    slots[t] = static_cast<unsigned>(low - at.first_slot);
    pairs[t] =
        static_cast<unsigned long long>(q) << 32 | static_cast<unsigned>(e);  // as entry_pair lies in memory
}

__global__ void slot_starts_kernel(chunk at, const unsigned* slots, unsigned* starts) {
    const offset_t t = thread_number();
    if (t < at.products && (t == 0 || slots[t - 1] != slots[t]))
        starts[at.first_slot + slots[t]] = static_cast<unsigned>(at.first_product + t);
}

std::vector<offset_t> downloaded(const context& gpu, const buffer& from) {
    std::vector<offset_t> here(from.bytes() / sizeof(offset_t));
    gpu.gpu()->download(here.data(), from.data(), from.bytes());
    return here;
}

// Rows in chunks of up to chunk_products, or one row.
std::vector<chunk> cut(const std::vector<offset_t>& a_rows, const std::vector<offset_t>& products,
                       const std::vector<offset_t>& c_rows) {
    std::vector<chunk> chunks;
    for (std::size_t first = 0; first + 1 < a_rows.size();) {
        std::size_t last = first + 1;
        while (last + 1 < a_rows.size() && products[last + 1] - products[first] <= chunk_products) ++last;
        chunks.push_back({a_rows[first], a_rows[last] - a_rows[first], products[first],
                          products[last] - products[first], c_rows[first], c_rows[last] - c_rows[first]});
        first = last;
    }
    return chunks;
}

struct print_of_place {
    reader offsets;
    const index_t* columns;
    offset_t entries;
    __device__ static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
        return (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    }
    __device__ std::uint64_t operator()(offset_t k) const {
        const offset_t at = k < entries ? columns[k] : offsets[k - entries];
        return mixed(static_cast<std::uint64_t>(at) + static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u);
    }
};

}  // namespace

offset_t count_products(const context& gpu, const device_rows& a, const device_rows& b) {
    if (a.nnz == 0) return 0;
    const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0),
                                                        product_count{{b.offsets, b.wide}, a.indices, a.nnz});
    const buffer found = take<offset_t>(gpu, 1);
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, counts, found.as<offset_t>(), a.nnz, stream_of(gpu));
    });
    offset_t products = 0;
    gpu.gpu()->download(&products, found.data(), sizeof products);
    return products;
}

product_list list_products(const context& gpu, const device_rows& a, const device_rows& b,
                           const device_rows& c) {
    const auto on = stream_of(gpu);
    const reader a_offsets{a.offsets, a.wide}, b_offsets{b.offsets, b.wide}, c_offsets{c.offsets, c.wide};
    const buffer starts = take<offset_t>(gpu, a.nnz + 1), a_rows = take<offset_t>(gpu, a.rows + offset_t{1}),
                 row_starts = take<offset_t>(gpu, a.rows + offset_t{1}),
                 c_rows = take<offset_t>(gpu, a.rows + offset_t{1});
    const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0),
                                                        product_count{b_offsets, a.indices, a.nnz});
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, starts.as<offset_t>(), a.nnz + 1, on);
    });
    const unsigned row_blocks = blocks_for(a.rows + offset_t{1});
    row_starts_kernel<<<row_blocks, threads, 0, on>>>(a_offsets, a.rows, starts.as<offset_t>(),
                                                      row_starts.as<offset_t>());
    widen_kernel<<<row_blocks, threads, 0, on>>>(a_offsets, a.rows + offset_t{1}, a_rows.as<offset_t>());
    widen_kernel<<<row_blocks, threads, 0, on>>>(c_offsets, a.rows + offset_t{1}, c_rows.as<offset_t>());
    check(cudaGetLastError());
    const std::vector<offset_t> products = downloaded(gpu, row_starts);
    product_list list;
    list.products = products.back();
    list.starts = take<std::uint32_t>(gpu, c.nnz + 1);
    list.pairs = take<entry_pair>(gpu, list.products);
    const auto end = static_cast<std::uint32_t>(list.products);
    gpu.gpu()->upload(list.starts.as<std::uint32_t>() + c.nnz, &end, sizeof end);
    if (list.products == 0) return list;
    const buffer row_of = rows_of_entries(gpu, a);
    for (const chunk& at : cut(downloaded(gpu, a_rows), products, downloaded(gpu, c_rows))) {
        if (at.products == 0) continue;
        const buffer entry_of = take<unsigned>(gpu, at.products), slots = take<unsigned>(gpu, at.products),
                     sorted = take<unsigned>(gpu, at.products), pairs = take<entry_pair>(gpu, at.products);
        auto* entry = entry_of.as<unsigned>();
        gpu.gpu()->fill(entry, 0, entry_of.bytes());
        mark_entries_kernel<<<blocks_for(at.entries), threads, 0, on>>>(at, starts.as<offset_t>(), entry);
        with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveScan(memory, bytes, entry, entry, ::cuda::maximum<unsigned>{},
                                                  at.products, on);
        });
        expand_kernel<<<blocks_for(at.products), threads, 0, on>>>(
            at, starts.as<offset_t>(), entry, row_of.as<index_t>(), a.indices, b_offsets, b.indices,
            c_offsets, c.indices, slots.as<unsigned>(), pairs.as<unsigned long long>());
        const int bits =
            std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(at.slots - 1))));
        with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(
                memory, bytes, slots.as<const unsigned>(), sorted.as<unsigned>(),
                pairs.as<const unsigned long long>(), list.pairs.as<unsigned long long>() + at.first_product,
                at.products, 0, bits, on);
        });
        slot_starts_kernel<<<blocks_for(at.products), threads, 0, on>>>(at, sorted.as<unsigned>(),
                                                                        list.starts.as<unsigned>());
        check(cudaGetLastError());
        gpu.wait();
    }
    return list;
}

namespace {

template <class U>
__global__ void values_of_products_kernel(const entry_pair* pairs, offset_t products, bool second,
                                          const U* values, U* out) {
    const offset_t t = thread_number();
    if (t < products) out[t] = values[second ? pairs[t].b : pairs[t].a];
}

}  // namespace

buffer values_of_products(const context& gpu, const product_list& list, bool second, const void* values,
                          std::size_t value_bytes) {
    buffer out(gpu.device_memory(), static_cast<std::size_t>(list.products) * value_bytes);
    if (list.products == 0) return out;
    by_width(value_bytes, [&]<class U>(std::type_identity<U>) {
        values_of_products_kernel<<<blocks_for(list.products), threads, 0, stream_of(gpu)>>>(
            list.pairs.as<const entry_pair>(), list.products, second, static_cast<const U*>(values),
            out.as<U>());
    });
    check(cudaGetLastError());
    return out;
}

std::uint64_t print_on_device(const context& gpu, const device_rows& a) {
    const buffer sum = take<std::uint64_t>(gpu, 1);
    const auto prints = thrust::make_transform_iterator(
        thrust::counting_iterator<offset_t>(0), print_of_place{{a.offsets, a.wide}, a.indices, a.nnz});
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, prints, sum.as<std::uint64_t>(),
                                      a.nnz + a.rows + offset_t{1}, stream_of(gpu));
    });
    std::uint64_t found = 0;
    gpu.gpu()->download(&found, sum.data(), sizeof found);
    return found;
}

}  // namespace nz::storage
