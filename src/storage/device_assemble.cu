// Coordinates to a CSR on a GPU in three steps (device_steps_layout.hpp): two deals of at most 256 digits, to ranges of rows and to
// buckets in them (device_steps_deal.cuh), and a sort of each bucket by row and column in a block (device_steps_rows.cuh). Where rows
// are too many, or have too many coordinates, coordinates are sorted as a list (device_list.cuh), as are those buckets that rows of very
// many coordinates make too large. Repeats are combined afterwards (device_combine.cuh).
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_combine.cuh"
#include "storage/device_list.cuh"
#include "storage/device_steps_launch.cuh"

#include <bit>
#include <limits>

namespace nz::storage {
namespace {

using namespace device_list;
using device_passes::blocks_for, device_passes::stream_of, device_passes::take, device_passes::thread_number,
    device_passes::threads;
using device_steps::rows_report, device_steps::tuple_source;

__global__ void outside_kernel(device_tuples t, unsigned long long* first) {
    const offset_t k = thread_number();
    if (k >= t.count) return;
    const index_t i = t.row_indices[k], j = t.column_indices[k];
    if (i < 0 || i >= t.rows || j < 0 || j >= t.columns) atomicMin(first, static_cast<unsigned long long>(k));
}
int bits_for(index_t size) { return std::bit_width(static_cast<unsigned>(std::max(size, 1) - 1)); }

class assembly {
public:
    assembly(const context& gpu, const device_tuples& t)
        : gpu_(gpu),
          t_(t),
          on_(stream_of(gpu)),
          value_bytes_(t.one_value ? 0 : size_of(t.type)),
          report_(take<rows_report>(gpu, 1)) {
        gpu.gpu()->fill(report_.data(), 0, report_.bytes());
    }

    device_assembled result(binary_id duplicates) {
        const auto layout = device_steps::layout_rows(t_.rows, t_.count);
        device_assembled a;
        if (!layout && (a.outside = first_outside()) >= 0) return a;
        a.nnz = t_.count;
        a.offsets = device_combine::room_for_offsets(gpu_, t_.rows, t_.count);
        a.indices = device_combine::padded_columns(gpu_, t_.count);
        a.values = buffer(gpu_.device_memory(), static_cast<std::size_t>(t_.count) * value_bytes_);
        const rows_out out{
            {a.offsets.data(), offset_bytes_for(t_.count) == 8}, a.indices.as<index_t>(), a.values.data()};
        if (!layout)
            as_list(out);
        else if (!in_three_steps(*layout, out)) {
            a = {};
            a.outside = first_outside();
            return a;
        }
        const auto repeats = static_cast<offset_t>(found_.repeats);
        return repeats ? device_combine::combined(gpu_, t_, a, t_.count - repeats, duplicates) : std::move(a);
    }

private:
    rows_report* report() const { return report_.as<rows_report>(); }
    void read_report() { gpu_.gpu()->download(&found_, report_.data(), sizeof found_); }
    // -1 where all lie inside.
    offset_t first_outside() const {
        const buffer first = take<unsigned long long>(gpu_, 1);
        gpu_.gpu()->fill(first.data(), 0xff, first.bytes());
        outside_kernel<<<blocks_for(t_.count), threads, 0, on_>>>(t_, first.as<unsigned long long>());
        check(cudaGetLastError());
        unsigned long long at = 0;
        gpu_.gpu()->download(&at, first.data(), sizeof at);
        return static_cast<offset_t>(at);
    }

    // Returns whether all coordinates lie inside.
    bool in_three_steps(const device_steps::steps_layout& l, const rows_out& out) {
        device_steps::steps_call call{l, t_.values, value_bytes_, on_};
        const buffer memory(gpu_.device_memory(), place_tables(call, nullptr, out.columns, out.values)),
            large = take<unsigned>(gpu_, l.large_buckets());
        place_tables(call, memory.data(), out.columns, out.values);
        const tuple_source from{t_.row_indices, t_.column_indices, t_.values,
                                t_.rows,        t_.columns,        &report()->notes};
        deal_by_range(call, from);
        deal_by_bucket(call, from, device_steps::list_large{report(), large.as<unsigned>()});
        sort_rows(call, from, report(), large.as<unsigned>(), l.large_buckets(), out);
        read_report();
        if (found_.notes.any_outside) return false;
        if (found_.crowded) sort_crowded(call, out);
        return true;
    }
    void sort_crowded(const device_steps::steps_call& call, const rows_out& out) {
        const buffer lists = take<unsigned>(gpu_, 2 * offset_t{found_.crowded});
        auto* firsts = lists.as<unsigned>() + found_.crowded;
        find_crowded_kernel<<<1, find_threads, 0, on_>>>(
            call.t.starts, call.l.buckets, device_steps::large_tile, lists.as<unsigned>(), firsts);
        check(cudaGetLastError());
        const coordinate_list list{found_.crowded_entries, t_.rows, found_.crowded, call.l.width,
                                   lists.as<unsigned>(),   firsts,  call.t.starts};
        const bool in_order = found_.notes.out_of_order == 0;
        with_key([&]<class Key>(std::type_identity<Key>, int bits) {
            const int column_bits = bits_for(t_.columns);
            sort_list<Key>(gpu_, list, column_bits, bits, in_order ? t_.values : call.t.by_bucket.values,
                           value_bytes_, out, &report()->repeats, [&](Key* to, unsigned* numbers) {
                               crowded_keys_kernel<<<blocks_for(list.entries), threads, 0, on_>>>(
                                   list, column_bits, t_, call.t.by_bucket, in_order, to, numbers);
                           });
        });
        read_report();
    }
    void as_list(const rows_out& out) {
        with_key([&]<class Key>(std::type_identity<Key>, int bits) {
            const int column_bits = bits_for(t_.columns);
            sort_list<Key>(gpu_, {t_.count, t_.rows}, column_bits, bits, t_.values, value_bytes_, out,
                           &report()->repeats, [&](Key* to, unsigned* numbers) {
                               all_keys_kernel<<<blocks_for(t_.count), threads, 0, on_>>>(t_, column_bits, to,
                                                                                          numbers);
                           });
        });
        read_report();
    }
    // Calls f with keys that rows and columns fit, and their bits.
    template <class F>
    void with_key(F f) {
        const int bits = bits_for(t_.columns) + bits_for(t_.rows);
        bits <= 32 ? f(std::type_identity<std::uint32_t>{}, bits)
                   : f(std::type_identity<std::uint64_t>{}, bits);
    }

    const context& gpu_;
    const device_tuples& t_;
    cudaStream_t on_;
    std::size_t value_bytes_;
    buffer report_;
    rows_report found_{};
};

}  // namespace

std::optional<device_assembled> assemble_on_device(const context& gpu, const device_tuples& t,
                                                   const binary_op& duplicates) {
    if (!device_combine::with_operator(duplicates.id(), [](auto) {}) || t.count == 0 ||
        t.count > std::numeric_limits<std::uint32_t>::max())
        return {};
    return assembly(gpu, t).result(duplicates.id());
}

namespace {

// Of truth values, the operator on bits that sums as this one does.
binary_id as_combined(binary_id add, dtype type) {
    using enum binary_id;
    if (type == dtype::boolean && (add == lor || add == land)) return add == lor ? max : min;
    return add;
}
bool differ(binary_id add, dtype type) {
    using enum binary_id;
    return type == dtype::boolean && (add == lxor || add == lxnor || add == eq);
}

}  // namespace

bool sums_places(binary_id add, dtype type) {
    return differ(add, type) || device_combine::with_operator(as_combined(add, type), [](auto) {});
}

void sum_places(const context& gpu, binary_id add, dtype type, const std::uint32_t* starts, offset_t places,
                offset_t count, const void* values, void* sums) {
    if (!differ(add, type)) {
        device_combine::combine_values(gpu, as_combined(add, type), type, starts, places, count, values,
                                       false, sums);
        return;
    }
    const auto sum = add == binary_id::lxor ? &device_combine::place_values_kernel<bool, binary_id::lxor>
                                            : &device_combine::place_values_kernel<bool, binary_id::lxnor>;
    sum<<<blocks_for(places), threads, 0, device_passes::stream_of(gpu)>>>(
        starts, places, count, static_cast<const bool*>(values), false, static_cast<bool*>(sums));
    check(cudaGetLastError());
}

}  // namespace nz::storage
