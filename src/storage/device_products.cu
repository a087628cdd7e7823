// The products of C = A B by place. Each entry of A stands for as many products as its row of B has entries; in chunks of whole
// rows these are numbered, each finds its place in C's row by halving, and a stable radix sort by place brings those of a place
// together in the order of A's entries. Rows where C has nothing are passed over, and products without a place are dropped before the sort.
// Rows are cut into chunks by one thread of the GPU, which jumps by halving: on the host that took three times all the rest on random:1000000,8.
// Cost (H200): 54 to 67 ps a product; measured in docs/measurements/spgemm.md (semirings that are composed).
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_passes.cuh"
#include "storage/device_products.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <bit>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::reader, device_passes::stream_of, device_passes::take,
    device_passes::thread_number, device_passes::threads, device_passes::with_temporary;

/// Products of a chunk of a list, if a row has no more: the work of a chunk should fill the GPU, its memory be small beside the lists'.
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
/// The same, but none where C has nothing in the entry's row.
struct listed_count {
    product_count all;
    const index_t* row_of;
    reader c_offsets;
    __device__ offset_t operator()(offset_t e) const {
        if (e == all.entries || c_offsets[row_of[e]] == c_offsets[row_of[e] + offset_t{1}]) return 0;
        return all(e);
    }
};

__global__ void row_starts_kernel(reader offsets, offset_t rows, const offset_t* starts,
                                  offset_t* row_starts) {
    const offset_t i = thread_number();
    if (i <= rows) row_starts[i] = starts[offsets[i]];
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

/// The slot of a product that has no place.
constexpr unsigned no_slot = ~0u;

__global__ void expand_kernel(chunk at, const offset_t* starts, const unsigned* entry_of,
                              const index_t* row_of, const index_t* a_columns, reader b_offsets,
                              const index_t* b_columns, reader c_offsets, const index_t* c_columns,
                              unsigned* slots, unsigned long long* pairs) {
    const offset_t t = thread_number();
    if (t >= at.products) return;
    const offset_t e = at.first_entry + entry_of[t];
    const offset_t q = b_offsets[a_columns[e]] + (at.first_product + t - starts[e]);
    const index_t i = row_of[e], j = b_columns[q];
    offset_t low = c_offsets[i], high = c_offsets[i + offset_t{1}];  // rows without a place have no products
    while (high - low > 1) {                                         // c_columns[low] <= j, where j is there
        const offset_t middle = low + (high - low) / 2;
        (c_columns[middle] <= j ? low : high) = middle;
    }
    slots[t] = c_columns[low] == j ? static_cast<unsigned>(low - at.first_slot) : no_slot;
    pairs[t] =
        static_cast<unsigned long long>(q) << 32 | static_cast<unsigned>(e);  // as entry_pair lies in memory
}

/// Slots begin at their first product, counted from `first` on; what follows the last one ends it.
__global__ void slot_starts_kernel(const unsigned* slots, offset_t products, offset_t first, unsigned* starts,
                                   offset_t count) {
    const offset_t t = thread_number();
    if (t < products && (t == 0 || slots[t - 1] != slots[t]))
        starts[slots[t]] = static_cast<unsigned>(first + t);
    if (t == 0) starts[count] = static_cast<unsigned>(first + products);
}

/// Rows in chunks of up to so many products, or one row; those without products are passed over. One thread.
__global__ void cut_kernel(reader a_offsets, reader c_offsets, const offset_t* products, offset_t rows,
                           offset_t at_once, chunk* chunks, unsigned* count) {
    unsigned found = 0;
    for (offset_t first = 0; first < rows;) {
        offset_t last = first + 1,
                 beyond = rows + 1;  // products[last] is within, or of one row; products[beyond] is not
        while (beyond - last > 1) {
            const offset_t middle = last + (beyond - last) / 2;
            (products[middle] - products[first] <= at_once ? last : beyond) = middle;
        }
        if (products[last] > products[first])
            chunks[found++] = {a_offsets[first], a_offsets[last] - a_offsets[first],
                               products[first],  products[last] - products[first],
                               c_offsets[first], c_offsets[last] - c_offsets[first]};
        first = last;
    }
    *count = found;
}

struct has_slot {
    __device__ bool operator()(const thrust::tuple<unsigned, unsigned long long>& product) const {
        return thrust::get<0>(product) != no_slot;
    }
};

/// The products of C = A B, numbered by A's entries, and found by place for some rows at a time.
class product_finder {
public:
    product_finder(const context& gpu, const device_rows& a, const device_rows& b, const device_rows& c,
                   offset_t at_once)
        : gpu_(gpu),
          a_(a),
          b_(b),
          c_(c),
          starts_(take<offset_t>(gpu, a.nnz + 1)),
          row_of_(rows_of_entries(gpu, a)) {
        const auto on = stream_of(gpu);
        const reader a_offsets{a.offsets, a.wide}, c_offsets{c.offsets, c.wide};
        const auto counts = thrust::make_transform_iterator(
            thrust::counting_iterator<offset_t>(0),
            listed_count{{{b.offsets, b.wide}, a.indices, a.nnz}, row_of_.as<index_t>(), c_offsets});
        with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, starts_.as<offset_t>(), a.nnz + 1,
                                                 on);
        });
        const offset_t ends = a.rows + offset_t{1};
        const buffer row_starts = take<offset_t>(gpu, ends);
        row_starts_kernel<<<blocks_for(ends), threads, 0, on>>>(a_offsets, a.rows, starts_.as<offset_t>(),
                                                                row_starts.as<offset_t>());
        check(cudaGetLastError());
        gpu.gpu()->download(&all_, row_starts.as<offset_t>() + a.rows, sizeof all_);
        // Two neighbouring chunks have more than at_once together.
        const buffer cuts = take<chunk>(gpu, 2 * (all_ / at_once) + 2), count = take<unsigned>(gpu, 1);
        cut_kernel<<<1, 1, 0, on>>>(a_offsets, c_offsets, row_starts.as<offset_t>(), a.rows, at_once,
                                    cuts.as<chunk>(), count.as<unsigned>());
        check(cudaGetLastError());
        unsigned found = 0;
        gpu.gpu()->download(&found, count.data(), sizeof found);
        chunks_.resize(found);
        gpu.gpu()->download(chunks_.data(), cuts.data(), found * sizeof(chunk));
        for (const chunk& at : chunks_) {
            room_ = std::max(room_, at.products);
            slots_ = std::max(slots_, at.slots);
        }
    }
    offset_t products() const { return all_; }
    const std::vector<chunk>& chunks() const { return chunks_; }
    /// Of any chunk the most products, and the most places.
    offset_t room() const { return room_; }
    offset_t slots() const { return slots_; }

    /// A chunk's pairs by place, and where its places begin, counted from `first` on. Returns how many have one, which is known at once
    /// unless `some` have none.
    offset_t find(const chunk& at, bool some, offset_t first, unsigned long long* pairs,
                  unsigned* starts) const {
        const auto on = stream_of(gpu_);
        const buffer sorted = take<unsigned>(gpu_, room_);
        buffer slots = take<unsigned>(gpu_, room_), found = take<entry_pair>(gpu_, room_);
        expand(at, slots.as<unsigned>(), found.as<unsigned long long>());
        const offset_t n = some ? with_slots(slots, found, at.products) : at.products;
        if (n == 0) return 0;
        const int bits =
            std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(at.slots - 1))));
        const auto sort = [&](void* memory, std::size_t& bytes, offset_t count) {
            check(cub::DeviceRadixSort::SortPairs(memory, bytes, slots.as<const unsigned>(),
                                                  sorted.as<unsigned>(), found.as<const unsigned long long>(),
                                                  pairs, count, 0, bits, on));
        };
        std::size_t bytes = 0;
        sort(nullptr, bytes, room_);
        const buffer temporary(gpu_.device_memory(), bytes);
        sort(temporary.data(), bytes, n);
        slot_starts_kernel<<<blocks_for(n), threads, 0, on>>>(sorted.as<unsigned>(), n, first, starts,
                                                              at.slots);
        check(cudaGetLastError());
        return n;
    }

private:
    void expand(const chunk& at, unsigned* slots, unsigned long long* pairs) const {
        const auto on = stream_of(gpu_);
        const reader b_offsets{b_.offsets, b_.wide}, c_offsets{c_.offsets, c_.wide};
        const buffer entry_of = take<unsigned>(gpu_, room_);
        auto* entry = entry_of.as<unsigned>();
        gpu_.gpu()->fill(entry, 0, static_cast<std::size_t>(at.products) * sizeof *entry);
        mark_entries_kernel<<<blocks_for(at.entries), threads, 0, on>>>(at, starts_.as<offset_t>(), entry);
        with_temporary(gpu_, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveScan(memory, bytes, entry, entry, ::cuda::maximum<unsigned>{},
                                                  at.products, on);
        });
        expand_kernel<<<blocks_for(at.products), threads, 0, on>>>(
            at, starts_.as<offset_t>(), entry, row_of_.as<index_t>(), a_.indices, b_offsets, b_.indices,
            c_offsets, c_.indices, slots, pairs);
        check(cudaGetLastError());
    }
    /// Those that have one, in their order; waits for their number.
    offset_t with_slots(buffer& slots, buffer& pairs, offset_t products) const {
        buffer slots_left = take<unsigned>(gpu_, room_), pairs_left = take<entry_pair>(gpu_, room_);
        const buffer found = take<offset_t>(gpu_, 1);
        const auto from = thrust::make_zip_iterator(slots.as<unsigned>(), pairs.as<unsigned long long>());
        const auto to =
            thrust::make_zip_iterator(slots_left.as<unsigned>(), pairs_left.as<unsigned long long>());
        with_temporary(gpu_, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceSelect::If(memory, bytes, from, to, found.as<offset_t>(), products, has_slot{},
                                         stream_of(gpu_));
        });
        offset_t n = 0;
        gpu_.gpu()->download(&n, found.data(), sizeof n);
        slots = std::move(slots_left);
        pairs = std::move(pairs_left);
        return n;
    }

    const context& gpu_;
    const device_rows &a_, &b_, &c_;
    const buffer starts_, row_of_;
    std::vector<chunk> chunks_;
    offset_t all_ = 0, room_ = 0, slots_ = 0;
};

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
    product_list list;
    list.starts = take<std::uint32_t>(gpu, c.nnz + 1);
    if (c.nnz == 0) {
        gpu.gpu()->fill(list.starts.data(), 0, list.starts.bytes());
        return list;
    }
    const product_finder finder(gpu, a, b, c, chunk_products);
    list.products = finder.products();
    list.pairs = take<entry_pair>(gpu, list.products);
    for (const chunk& at : finder.chunks()) {
        finder.find(at, false, at.first_product, list.pairs.as<unsigned long long>() + at.first_product,
                    list.starts.as<unsigned>() + at.first_slot);
        gpu.wait();
    }
    return list;
}

bool take_products(const context& gpu, const device_rows& a, const device_rows& b, const device_rows& c,
                   bool some, offset_t at_once,
                   const std::function<void(const placed_products&)>& take_them) {
    const product_finder finder(gpu, a, b, c, at_once);
    for (const chunk& at : finder.chunks())
        if (at.products > std::numeric_limits<std::int32_t>::max()) return false;
    for (const chunk& at : finder.chunks()) {
        const buffer pairs = take<entry_pair>(gpu, finder.room()),
                     starts = take<std::uint32_t>(gpu, finder.slots() + 1);
        const offset_t n = finder.find(at, some, 0, pairs.as<unsigned long long>(), starts.as<unsigned>());
        if (n > 0)
            take_them({starts.as<std::uint32_t>(), pairs.as<entry_pair>(), at.first_slot, at.slots, n,
                       finder.room()});
    }
    return true;
}

namespace {

template <class U>
__global__ void values_of_products_kernel(const entry_pair* pairs, offset_t products, bool second,
                                          const U* values, U* out) {
    const offset_t t = thread_number();
    if (t < products) out[t] = values[second ? pairs[t].b : pairs[t].a];
}

}  // namespace

buffer values_of_products(const context& gpu, const placed_products& of, bool second, const void* values,
                          std::size_t value_bytes) {
    buffer out(gpu.device_memory(), static_cast<std::size_t>(of.room) * value_bytes);
    by_width(value_bytes, [&]<class U>(std::type_identity<U>) {
        values_of_products_kernel<<<blocks_for(of.products), threads, 0, stream_of(gpu)>>>(
            of.pairs, of.products, second, static_cast<const U*>(values), out.as<U>());
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
