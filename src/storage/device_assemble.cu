// Coordinates to a CSR on a GPU. (row, column) keys are sorted with the coordinates' numbers, stably, by the bits that rows and
// columns need (CUB's radix sort: 8 or 12 bytes a coordinate each way for eight bits of the key); columns are read off the keys,
// values gathered, a sector each where coordinates come in no order. Repeats are neighbours in input order then, and a thread
// combines those of one place: a place that very many coordinates name is one thread's work.
#include "algebra/functors.hpp"
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_csr.hpp"
#include "storage/device_passes.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <bit>
#include <limits>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::stream_of, device_passes::take, device_passes::thread_number,
    device_passes::threads, device_passes::with_temporary;

__global__ void outside_kernel(device_tuples t, unsigned long long* first) {
    const offset_t k = thread_number();
    if (k >= t.count) return;
    const index_t i = t.row_indices[k], j = t.column_indices[k];
    if (i < 0 || i >= t.rows || j < 0 || j >= t.columns) atomicMin(first, static_cast<unsigned long long>(k));
}

template <class Key>
__global__ void place_keys_kernel(device_tuples t, int column_bits, Key* keys, unsigned* numbers) {
    const offset_t k = thread_number();
    if (k >= t.count) return;
    keys[k] = static_cast<Key>(t.row_indices[k]) << column_bits | static_cast<Key>(t.column_indices[k]);
    numbers[k] = static_cast<unsigned>(k);
}

template <class Key>
struct begins_place {
    const Key* keys;
    __device__ unsigned operator()(offset_t k) const { return k == 0 || keys[k] != keys[k - 1]; }
};
template <class Key>
auto beginnings(const Key* keys) {
    return thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0), begins_place<Key>{keys});
}

// Where places begin among the sorted keys, of which `up_to` counts them.
template <class Key>
__global__ void place_heads_kernel(const Key* keys, const unsigned* up_to, offset_t count, unsigned* heads) {
    const offset_t k = thread_number();
    if (k < count && begins_place<Key>{keys}(k)) heads[up_to[k] - 1] = static_cast<unsigned>(k);
}

// The places in order: of all sorted keys, or of those that `heads` lists.
template <class Key>
struct places {
    const Key* keys;
    const unsigned* heads;  // null: no repeats
    offset_t entries, tuples;

    __device__ offset_t begin(offset_t at) const { return heads && at < entries ? heads[at] : at; }
    __device__ offset_t end(offset_t at) const {
        return !heads ? at + 1 : at + 1 < entries ? offset_t{heads[at + 1]} : tuples;
    }
    __device__ Key operator[](offset_t at) const { return keys[begin(at)]; }
};

// Columns, and where rows begin: the entry before which the row changes writes all that begin there.
template <class Key, class Offset>
__global__ void place_rows_kernel(places<Key> at, int column_bits, index_t rows, Offset* offsets,
                                  index_t* columns) {
    const offset_t k = thread_number();
    if (k > at.entries) return;
    const auto row_of = [&](offset_t n) { return static_cast<offset_t>(at[n] >> column_bits); };
    if (k < at.entries) columns[k] = static_cast<index_t>(at[k] & ((Key{1} << column_bits) - 1));
    const offset_t before = k == 0 ? -1 : row_of(k - 1), here = k == at.entries ? rows : row_of(k);
    for (offset_t i = before + 1; i <= here; ++i) offsets[i] = static_cast<Offset>(k);
}

template <class Key, class T, binary_id Op>
__global__ void place_values_kernel(places<Key> at, const unsigned* numbers, const T* values, bool one_value,
                                    T* out) {
    const offset_t k = thread_number();
    if (k >= at.entries) return;
    const offset_t begin = at.begin(k), end = at.end(k);
    const auto value = [&](offset_t n) { return one_value ? values[0] : values[numbers[n]]; };
    if constexpr (Op == binary_id::first) {
        out[k] = value(begin);
    } else if constexpr (Op == binary_id::second) {
        out[k] = value(end - 1);
    } else {
        T sum = value(begin);
        for (offset_t n = begin + 1; n < end; ++n) sum = algebra::binary<Op>(sum, value(n));
        out[k] = sum;
    }
}

/// Calls f with the operator, where a GPU has it.
template <class F>
bool with_operator(binary_id op, F&& f) {
    using enum binary_id;
    const auto among = [&]<binary_id... Op>() {
        return ((op == Op && (f(std::integral_constant<binary_id, Op>{}), true)) || ...);
    };
    if (op == any) op = first;
    return among.template operator()<plus, times, min, max, first, second>();
}

template <class Key>
class assembler {
public:
    assembler(const context& gpu, const device_tuples& t, int column_bits, int bits)
        : gpu_(gpu), t_(t), column_bits_(column_bits), on_(stream_of(gpu)) {
        keys_ = take<Key>(gpu, t.count);
        numbers_ = take<unsigned>(gpu, t.count);
        const buffer given = take<Key>(gpu, t.count), before = take<unsigned>(gpu, t.count);
        place_keys_kernel<<<blocks_for(t.count), threads, 0, on_>>>(t, column_bits, given.as<Key>(),
                                                                    before.as<unsigned>());
        check(cudaGetLastError());
        with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(memory, bytes, given.as<const Key>(), keys_.as<Key>(),
                                                   before.as<const unsigned>(), numbers_.as<unsigned>(),
                                                   t.count, 0, std::max(bits, 1), on_);
        });
        count_entries();
    }

    device_assembled result(binary_id duplicates) {
        device_assembled a;
        a.nnz = entries_;
        const bool wide = offset_bytes_for(entries_) == 8;
        const offset_t lines = offset_t{t_.rows} + 1;
        a.offsets = wide ? take<std::int64_t>(gpu_, lines) : take<std::int32_t>(gpu_, lines);
        a.indices = buffer(gpu_.device_memory(),
                           static_cast<std::size_t>(entries_) * sizeof(index_t) + index_padding);
        gpu_.gpu()->fill(a.indices.as<index_t>() + entries_, 0, index_padding);
        wide ? take_rows<std::int64_t>(a) : take_rows<std::int32_t>(a);
        take_values(a, duplicates);
        return a;
    }

private:
    places<Key> at() const {
        return {keys_.as<Key>(), heads_.bytes() ? heads_.as<const unsigned>() : nullptr, entries_, t_.count};
    }
    void count_entries() {
        const buffer found = take<unsigned>(gpu_, 1);
        with_temporary(gpu_, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceReduce::Sum(memory, bytes, beginnings(keys_.as<const Key>()),
                                          found.as<unsigned>(), t_.count, on_);
        });
        unsigned entries = 0;
        gpu_.gpu()->download(&entries, found.data(), sizeof entries);
        entries_ = entries;
        if (entries_ == t_.count) return;
        const buffer up_to = take<unsigned>(gpu_, t_.count);
        with_temporary(gpu_, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, beginnings(keys_.as<const Key>()),
                                                 up_to.as<unsigned>(), t_.count, on_);
        });
        heads_ = take<unsigned>(gpu_, entries_);
        place_heads_kernel<Key><<<blocks_for(t_.count), threads, 0, on_>>>(
            keys_.as<Key>(), up_to.as<unsigned>(), t_.count, heads_.as<unsigned>());
        check(cudaGetLastError());
    }
    template <class Offset>
    void take_rows(const device_assembled& a) {
        place_rows_kernel<Key, Offset><<<blocks_for(entries_ + 1), threads, 0, on_>>>(
            at(), column_bits_, t_.rows, a.offsets.as<Offset>(), a.indices.as<index_t>());
        check(cudaGetLastError());
    }
    template <binary_id Op, class T>
    void take_values(const device_assembled& a) {
        place_values_kernel<Key, T, Op><<<blocks_for(entries_), threads, 0, on_>>>(
            at(), numbers_.as<unsigned>(), static_cast<const T*>(t_.values), t_.one_value, a.values.as<T>());
        check(cudaGetLastError());
    }
    void take_values(device_assembled& a, binary_id duplicates) {
        a.values = buffer(gpu_.device_memory(), static_cast<std::size_t>(entries_) * size_of(t_.type));
        with_operator(duplicates, [&]<binary_id Op>(std::integral_constant<binary_id, Op>) {
            if constexpr (Op == binary_id::first || Op == binary_id::second)
                by_width(size_of(t_.type), [&]<class U>(std::type_identity<U>) { take_values<Op, U>(a); });
            else
                dispatch(t_.type, [&]<class T>(std::type_identity<T>) { take_values<Op, T>(a); });
        });
    }

    const context& gpu_;
    const device_tuples& t_;
    int column_bits_;
    cudaStream_t on_;
    buffer keys_, numbers_, heads_;
    offset_t entries_ = 0;
};

int bits_for(index_t size) { return std::bit_width(static_cast<unsigned>(std::max(size, 1) - 1)); }

}  // namespace

offset_t first_outside_on_device(const context& gpu, const device_tuples& t) {
    if (t.count == 0) return -1;
    const buffer found = take<unsigned long long>(gpu, 1);
    gpu.gpu()->fill(found.data(), 0xff, found.bytes());
    outside_kernel<<<blocks_for(t.count), threads, 0, stream_of(gpu)>>>(t, found.as<unsigned long long>());
    check(cudaGetLastError());
    std::int64_t first = 0;
    gpu.gpu()->download(&first, found.data(), sizeof first);
    return first;
}

std::optional<device_assembled> assemble_on_device(const context& gpu, const device_tuples& t,
                                                   const binary_op& duplicates) {
    if (!with_operator(duplicates.id(), [](auto) {}) || t.count == 0 ||
        t.count > std::numeric_limits<std::uint32_t>::max())
        return {};
    const int column_bits = bits_for(t.columns), bits = column_bits + bits_for(t.rows);
    if (bits <= 32) return assembler<std::uint32_t>(gpu, t, column_bits, bits).result(duplicates.id());
    return assembler<std::uint64_t>(gpu, t, column_bits, bits).result(duplicates.id());
}

}  // namespace nz::storage
