// Checks and conversions of a CSR in a GPU's memory. Kernels here are passes over rows or entries, bound by the bytes they
// move; scans and selections are CUB's. Transposes: device_transpose.cu.
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "storage/device_convert.hpp"
#include "storage/device_passes.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace nz::storage {
namespace {

using device_passes::blocks_for, device_passes::lanes, device_passes::reader, device_passes::stream_of,
    device_passes::take, device_passes::thread_number, device_passes::threads, device_passes::with_temporary;

enum : int { offsets_wrong, column_wrong, not_ascending, flag_count };

__global__ void check_offsets_kernel(reader offsets, offset_t rows, offset_t nnz, int* flags) {
    const offset_t i = thread_number();
    if (i >= rows) return;
    const offset_t begin = offsets[i], end = offsets[i + 1];
    if (begin < 0 || begin > end || end > nnz || (i == 0 && begin != 0) || (i + 1 == rows && end != nnz))
        flags[offsets_wrong] = 1;
}

// Absent places have no value to read; where truth values are written, they are false.
template <class From, class To>
__global__ void convert_kernel(const From* from, const std::uint32_t* present, To* to, offset_t size) {
    const offset_t k = thread_number();
    if (k >= size) return;
    if (!present || present[k / 32] >> k % 32 & 1)
        to[k] = convert<To>(from[k]);
    else if constexpr (std::is_same_v<To, bool>)
        to[k] = false;
}

// A warp a row; offsets are known to be right.
__global__ void check_columns_kernel(reader offsets, const index_t* indices, offset_t rows, index_t columns,
                                     int* flags) {
    const offset_t i = thread_number() / lanes;
    if (i >= rows) return;
    const offset_t begin = offsets[i], end = offsets[i + 1];
    for (offset_t k = begin + threadIdx.x % lanes; k < end; k += lanes) {
        const index_t j = indices[k];
        if (j < 0 || j >= columns) flags[column_wrong] = 1;
        if (k > begin && indices[k - 1] >= j) flags[not_ascending] = 1;
    }
}

__global__ void narrow_kernel(const long long* from, offset_t count, int* to) {
    const offset_t i = thread_number();
    if (i < count) to[i] = static_cast<int>(from[i]);
}

// A bit for each row that is empty, or that is not.
__global__ void mark_rows_kernel(reader offsets, offset_t rows, bool empty, offset_t word_count,
                                 unsigned* words) {
    const offset_t i = thread_number();
    const bool marked = i < rows && (offsets[i] == offsets[i + 1]) == empty;
    const unsigned word = __ballot_sync(~0u, marked);
    if (i / lanes < word_count && threadIdx.x % lanes == 0) words[i / lanes] = word;
}

struct row_length {
    reader offsets;
    __device__ offset_t operator()(index_t i) const { return offsets[i + 1] - offsets[i]; }
};
struct longer_than {
    row_length length;
    offset_t limit;
    __device__ bool operator()(index_t i) const { return length(i) > limit; }
};

template <class Offset>
__global__ void held_offsets_kernel(const Offset* offsets, const index_t* rows, index_t count, Offset nnz,
                                    Offset* held) {
    const offset_t h = thread_number();
    if (h < count) held[h] = offsets[rows[h]];
    if (h == count) held[h] = nnz;
}

// The last of the `count` held rows that starts at or before entry c * merge_chunk_entries.
template <class Offset>
__global__ void chunk_rows_kernel(const Offset* held, index_t count, offset_t chunks, index_t* chunk_rows) {
    const offset_t c = thread_number();
    if (c > chunks) return;
    if (c == chunks) {
        chunk_rows[c] = count;
        return;
    }
    const offset_t entry = c * merge_chunk_entries;
    index_t low = 0, high = count;  // held[low] <= entry < held[high]
    while (high - low > 1) {
        const index_t middle = low + (high - low) / 2;
        (static_cast<offset_t>(held[middle]) <= entry ? low : high) = middle;
    }
    chunk_rows[c] = low;
}

__global__ void mark_starts_kernel(reader offsets, offset_t rows, index_t* row_of) {
    const offset_t i = thread_number();
    if (i < rows && offsets[i] < offsets[i + 1]) row_of[offsets[i]] = static_cast<index_t>(i);
}

__global__ void sample_kernel(reader offsets, const index_t* indices, offset_t rows, sampled_row* samples,
                              int count) {
    const int s = static_cast<int>(blockIdx.x);
    const offset_t i = s * rows / count, begin = offsets[i], length = offsets[i + 1] - begin;
    if (threadIdx.x == 0) {
        samples[s].row = static_cast<index_t>(i);
        samples[s].length = length;
    }
    if (threadIdx.x < sampled_row::most && threadIdx.x < length)
        samples[s].columns[threadIdx.x] = indices[begin + threadIdx.x];
}

// The rows for which `keep` holds, ascending; how many is waited for.
template <class Keep>
buffer select_rows(const context& gpu, index_t rows, Keep keep, index_t& count) {
    const buffer all = take<index_t>(gpu, rows), found = take<index_t>(gpu, 1);
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<index_t>(0), all.as<index_t>(),
                                     found.as<index_t>(), rows, keep, stream_of(gpu));
    });
    gpu.gpu()->download(&count, found.data(), sizeof count);
    buffer fitting = take<index_t>(gpu, count);
    gpu.gpu()->copy(fitting.data(), all.data(), fitting.bytes());
    return fitting;
}

// Whole words of 64 rows, as bitmaps on the host have them.
buffer row_words(const context& gpu, const device_rows& a, bool empty) {
    const offset_t count = (static_cast<offset_t>(a.rows) + 2 * lanes - 1) / (2 * lanes) * 2;
    buffer words = take<std::uint32_t>(gpu, count);
    if (count == 0) return words;
    mark_rows_kernel<<<blocks_for(count * lanes), threads, 0, stream_of(gpu)>>>(
        {a.offsets, a.wide}, a.rows, empty, count, words.as<unsigned>());
    check(cudaGetLastError());
    return words;
}

template <class Offset>
void share_out(const context& gpu, const device_rows& a, device_balance& b) {
    const auto* offsets = static_cast<const Offset*>(a.offsets);
    const auto on = stream_of(gpu);
    const Offset* held = offsets;
    if (b.held_rows < a.rows) {
        b.held_offsets = take<Offset>(gpu, b.held_rows + offset_t{1});
        held_offsets_kernel<<<blocks_for(b.held_rows + offset_t{1}), threads, 0, on>>>(
            offsets, b.row_numbers.as<index_t>(), b.held_rows, static_cast<Offset>(a.nnz),
            b.held_offsets.as<Offset>());
        check(cudaGetLastError());
        held = b.held_offsets.as<Offset>();
    }
    const offset_t chunks = (a.nnz + merge_chunk_entries - 1) / merge_chunk_entries;
    b.chunk_rows = take<index_t>(gpu, chunks + 1);
    chunk_rows_kernel<<<blocks_for(chunks + 1), threads, 0, on>>>(held, b.held_rows, chunks,
                                                                  b.chunk_rows.as<index_t>());
    check(cudaGetLastError());
}

}  // namespace

buffer rows_of_entries(const context& gpu, const device_rows& a) {
    buffer row_of = take<index_t>(gpu, a.nnz);
    auto* at = row_of.as<index_t>();
    gpu.gpu()->fill(at, 0, row_of.bytes());
    mark_starts_kernel<<<blocks_for(a.rows), threads, 0, stream_of(gpu)>>>({a.offsets, a.wide}, a.rows, at);
    check(cudaGetLastError());
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScan(memory, bytes, at, at, ::cuda::maximum<index_t>{}, a.nnz,
                                              stream_of(gpu));
    });
    return row_of;
}

device_check check_on_device(const context& gpu, const device_rows& a) {
    const buffer flags = take<int>(gpu, flag_count);
    const auto on = stream_of(gpu);
    int found[flag_count] = {};
    const reader offsets{a.offsets, a.wide};
    gpu.gpu()->fill(flags.data(), 0, flags.bytes());
    if (a.rows > 0) {
        check_offsets_kernel<<<blocks_for(a.rows), threads, 0, on>>>(offsets, a.rows, a.nnz, flags.as<int>());
        check(cudaGetLastError());
        gpu.gpu()->download(found, flags.data(), flags.bytes());
        if (found[offsets_wrong]) return {};
        check_columns_kernel<<<blocks_for(static_cast<offset_t>(a.rows) * lanes), threads, 0, on>>>(
            offsets, a.indices, a.rows, a.columns, flags.as<int>());
        check(cudaGetLastError());
        gpu.gpu()->download(found, flags.data(), flags.bytes());
    }
    return {!found[column_wrong] && (a.rows > 0 || a.nnz == 0), !found[not_ascending]};
}

buffer narrowed_on_device(const context& gpu, const std::int64_t* offsets, std::size_t count) {
    buffer narrow = take<std::int32_t>(gpu, static_cast<offset_t>(count));
    narrow_kernel<<<blocks_for(static_cast<offset_t>(count)), threads, 0, stream_of(gpu)>>>(
        reinterpret_cast<const long long*>(offsets), static_cast<offset_t>(count), narrow.as<int>());
    check(cudaGetLastError());
    return narrow;
}

buffer empty_rows_on_device(const context& gpu, const device_rows& a) { return row_words(gpu, a, true); }

device_balance balance_on_device(const context& gpu, const csr& source, const device_rows& a) {
    device_balance b{.source = &source, .memory = gpu.device_memory()};
    if (a.rows > 0) {
        const row_length length{{a.offsets, a.wide}};
        b.longest_row = longest_row_on_device(gpu, a);
        b.row_numbers = select_rows(gpu, a.rows, longer_than{length, 0}, b.held_rows);
        b.long_rows = select_rows(gpu, a.rows, longer_than{length, long_row_entries}, b.long_row_count);
        if (b.held_rows == a.rows)
            b.row_numbers = buffer();
        else
            b.held_words = row_words(gpu, a, false);
    }
    a.wide ? share_out<std::int64_t>(gpu, a, b) : share_out<std::int32_t>(gpu, a, b);
    gpu.gpu()->wait();
    return b;
}

buffer converted_on_device(const context& gpu, const void* values, dtype from, dtype to, offset_t count,
                           const bits::word* present) {
    buffer made(gpu.device_memory(), static_cast<std::size_t>(count) * size_of(to));
    if (count == 0) return made;
    const auto* words = reinterpret_cast<const std::uint32_t*>(present);
    dispatch(from, [&]<class From>(std::type_identity<From>) {
        dispatch(to, [&]<class To>(std::type_identity<To>) {
            convert_kernel<<<blocks_for(count), threads, 0, stream_of(gpu)>>>(
                static_cast<const From*>(values), words, made.as<To>(), count);
        });
    });
    check(cudaGetLastError());
    return made;
}

offset_t longest_row_on_device(const context& gpu, const device_rows& a) {
    if (a.rows == 0) return 0;
    const buffer found = take<offset_t>(gpu, 1);
    const auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0),
                                                         row_length{{a.offsets, a.wide}});
    with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceReduce::Max(memory, bytes, lengths, found.as<offset_t>(), a.rows, stream_of(gpu));
    });
    offset_t longest = 0;
    gpu.gpu()->download(&longest, found.data(), sizeof longest);
    return longest;
}

std::vector<sampled_row> sample_on_device(const context& gpu, const device_rows& a) {
    std::vector<sampled_row> samples(
        static_cast<std::size_t>(std::min<offset_t>(row_sample::samples, a.rows)));
    if (samples.empty()) return samples;
    const buffer there = take<sampled_row>(gpu, static_cast<offset_t>(samples.size()));
    sample_kernel<<<static_cast<unsigned>(samples.size()), lanes, 0, stream_of(gpu)>>>(
        {a.offsets, a.wide}, a.indices, a.rows, there.as<sampled_row>(), static_cast<int>(samples.size()));
    check(cudaGetLastError());
    gpu.gpu()->download(samples.data(), there.data(), there.bytes());
    return samples;
}

}  // namespace nz::storage
