// Coordinates to a CSR on a GPU: dealt to buckets of neighbouring rows (device_buckets.cuh), each of which a block sorts in its
// shared memory (device_buckets_sort.cuh). Where buckets would be too many or too large, coordinates are sorted as a list
// (device_list.cuh), as are those buckets that rows of very many coordinates make too large; all of them, where these have more
// than half. Repeats are combined afterwards (device_combine.cuh).
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_combine.cuh"
#include "storage/device_list.cuh"

#include <bit>
#include <limits>

namespace nz::storage {
namespace {

using namespace device_buckets;
using device_passes::blocks_for, device_passes::stream_of, device_passes::take, device_passes::thread_number,
    device_passes::threads;

__global__ void outside_kernel(device_tuples t, unsigned long long* first) {
    const offset_t k = thread_number();
    if (k >= t.count) return;
    const index_t i = t.row_indices[k], j = t.column_indices[k];
    if (i < 0 || i >= t.rows || j < 0 || j >= t.columns) atomicMin(first, static_cast<unsigned long long>(k));
}
template <class Value>
__global__ void repeat_value_kernel(const Value* value, offset_t count, Value* to) {
    const offset_t k = thread_number();
    if (k < count) to[k] = *value;
}

int bits_for(index_t size) { return std::bit_width(static_cast<unsigned>(std::max(size, 1) - 1)); }

class assembly {
public:
    assembly(const context& gpu, const device_tuples& t)
        : gpu_(gpu),
          t_(t),
          on_(stream_of(gpu)),
          layout_(layout_buckets(t.rows, t.columns, t.count)),
          value_bytes_(t.one_value ? 0 : size_of(t.type)),
          report_(take<bucket_report>(gpu, 1)) {
        tables_.report = report_.as<bucket_report>();
        gpu.gpu()->fill(report_.data(), 0, report_.bytes());
        gpu.gpu()->fill(&tables_.report->outside, 0xff, sizeof tables_.report->outside);
    }

    device_assembled result(binary_id duplicates) {
        layout_ ? count() : look_outside();
        const bucket_report found = report();
        device_assembled a;
        if (found.outside != ~0ull) {
            a.outside = static_cast<offset_t>(found.outside);
            return a;
        }
        a.nnz = t_.count;
        a.offsets = device_combine::room_for_offsets(gpu_, t_.rows, t_.count);
        a.indices = device_combine::padded_columns(gpu_, t_.count);
        a.values = buffer(gpu_.device_memory(), static_cast<std::size_t>(t_.count) * value_bytes_);
        const sorted_out out{
            {a.offsets.data(), offset_bytes_for(t_.count) == 8}, a.indices.as<index_t>(), a.values.data()};
        if (layout_ && offset_t{found.crowded_entries} <= t_.count / 2)
            layout_->narrow ? by_buckets<std::uint32_t>(found, out) : by_buckets<std::uint64_t>(found, out);
        else
            as_list(out);
        const auto repeats = static_cast<offset_t>(report().repeats);
        if (repeats) return device_combine::combined(gpu_, t_, a, t_.count - repeats, duplicates);
        if (t_.one_value) repeat_value(a);
        return a;
    }

private:
    bucket_report report() const {
        bucket_report found;
        gpu_.gpu()->download(&found, report_.data(), sizeof found);
        return found;
    }
    void look_outside() {
        outside_kernel<<<blocks_for(t_.count), threads, 0, on_>>>(t_, &tables_.report->outside);
        check(cudaGetLastError());
    }
    dim3 chunk_blocks() const { return {blocks_for(layout_->buckets), chunks}; }

    void count() {
        const bucket_layout& l = *layout_;
        const offset_t buckets = l.buckets;
        places_ = take<unsigned>(gpu_, l.tiles * buckets);
        words_ = take<unsigned>(gpu_, (chunks + 4) * buckets + 1);
        tables_.places = places_.as<unsigned>();
        tables_.chunk_sums = words_.as<unsigned>();
        tables_.large = tables_.chunk_sums + chunks * buckets;
        tables_.crowded = tables_.large + buckets;
        tables_.crowded_firsts = tables_.crowded + buckets;
        tables_.starts = tables_.crowded_firsts + buckets;
        count_tiles_kernel<<<l.tiles, count_threads, 0, on_>>>(l, t_, tables_);
        check(cudaGetLastError());
        sum_chunks_kernel<<<chunk_blocks(), threads, 0, on_>>>(l, tables_);
        check(cudaGetLastError());
        start_buckets_kernel<<<1, scan_threads, 0, on_>>>(l, tables_);
        check(cudaGetLastError());
    }

    // Calls f with a type as wide as values.
    template <class F>
    void with_value(F f) {
        value_bytes_ ? by_width(value_bytes_, f) : f(std::type_identity<device_passes::no_value>{});
    }
    // `most_room` is the same in every call of a kernel: another thread's may lie between the two of one.
    template <class Kernel, class... Args>
    void launch(Kernel kernel, unsigned blocks, unsigned block_threads, unsigned room, unsigned most_room,
                Args... args) {
        if (blocks == 0) return;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most_room)));
        kernel<<<blocks, block_threads, room, on_>>>(args...);
        check(cudaGetLastError());
    }

    template <class Key>
    void by_buckets(const bucket_report& found, const sorted_out& out) {
        const bucket_layout& l = *layout_;
        place_tiles_kernel<<<chunk_blocks(), threads, 0, on_>>>(l, tables_);
        check(cudaGetLastError());
        const buffer keys = take<Key>(gpu_, t_.count),
                     values(gpu_.device_memory(), static_cast<std::size_t>(t_.count) * value_bytes_);
        tables_.keys = keys.data();
        tables_.values = values.data();
        with_value([&]<class Value>(std::type_identity<Value>) {
            launch(deal_tiles_kernel<Key, Value>, l.tiles, tile_threads, tile_room<Value>::bytes(l),
                   tile_room<Value>::most_bytes(), l, t_, tables_);
            launch(sort_buckets_kernel<Key, Value, small_threads>, l.buckets, small_threads, small_room_bytes,
                   small_room_bytes, l, tables_, l.small, static_cast<const unsigned*>(nullptr), out);
            launch(sort_buckets_kernel<Key, Value, large_threads>, found.large, large_threads,
                   large_room_bytes, large_room_bytes, l, tables_, l.large,
                   static_cast<const unsigned*>(tables_.large), out);
        });
        if (found.crowded == 0) return;
        const coordinate_list list{
            found.crowded_entries,  t_.rows,       found.crowded, l.width, tables_.crowded,
            tables_.crowded_firsts, tables_.starts};
        with_key([&]<class Sorted>(std::type_identity<Sorted>, int bits) {
            sort_list<Sorted>(gpu_, list, l.column_bits, bits, tables_.values, value_bytes_, out,
                              &tables_.report->repeats, [&](Sorted* to, unsigned* numbers) {
                                  crowded_keys_kernel<Key><<<blocks_for(list.entries), threads, 0, on_>>>(
                                      list, l.column_bits, keys.as<const Key>(), to, numbers);
                              });
        });
    }
    void as_list(const sorted_out& out) {
        with_key([&]<class Key>(std::type_identity<Key>, int bits) {
            const int column_bits = bits_for(t_.columns);
            sort_list<Key>(gpu_, {t_.count, t_.rows}, column_bits, bits, t_.values, value_bytes_, out,
                           &tables_.report->repeats, [&](Key* to, unsigned* numbers) {
                               all_keys_kernel<<<blocks_for(t_.count), threads, 0, on_>>>(t_, column_bits, to,
                                                                                          numbers);
                           });
        });
    }
    // Calls f with keys that rows and columns fit, and their bits.
    template <class F>
    void with_key(F f) {
        const int bits = bits_for(t_.columns) + bits_for(t_.rows);
        bits <= 32 ? f(std::type_identity<std::uint32_t>{}, bits)
                   : f(std::type_identity<std::uint64_t>{}, bits);
    }
    void repeat_value(device_assembled& a) {
        const std::size_t bytes = size_of(t_.type);
        a.values = buffer(gpu_.device_memory(), static_cast<std::size_t>(t_.count) * bytes);
        by_width(bytes, [&]<class U>(std::type_identity<U>) {
            repeat_value_kernel<<<blocks_for(t_.count), threads, 0, on_>>>(static_cast<const U*>(t_.values),
                                                                           t_.count, a.values.as<U>());
        });
        check(cudaGetLastError());
    }

    const context& gpu_;
    const device_tuples& t_;
    cudaStream_t on_;
    std::optional<bucket_layout> layout_;
    std::size_t value_bytes_;
    buffer report_, places_, words_;
    bucket_tables tables_{};
};

}  // namespace

std::optional<device_assembled> assemble_on_device(const context& gpu, const device_tuples& t,
                                                   const binary_op& duplicates) {
    if (!device_combine::with_operator(duplicates.id(), [](auto) {}) || t.count == 0 ||
        t.count > std::numeric_limits<std::uint32_t>::max())
        return {};
    return assembly(gpu, t).result(duplicates.id());
}

}  // namespace nz::storage
