// extract/rows on a GPU: T(k, l) = A(rows[k], columns[l]), in two steps of which either may be left out.
//
// Rows: a thread leaves each row's length, a scan their places. A warp has a tile of 1,024 entries of the result, whatever rows they are in:
//   its rows are looked for as in select/rows, and each says how far its entries lie from where they are in A.
// Columns, where they ascend in the list: select's bits, an entry kept whose column has a place, and written with it (select_fill). Where
//   they do not, or repeat, the caller transposes, takes rows of that, and transposes back: columns come out sorted.
// Lists are turned round there: a thread for each position takes part in a maximum at the line that is named, so that the last of several
//   wins in whatever order they come.
// Shared memory: 8 bytes an entry of the four tiles of a block. Memory: offsets of the rows that are read, entries read and written once
//   a step, 8 bytes a row of the result twice. Sync: launches. Determinism: nothing is summed.
// Workspace: 8 bytes a row and the scan's; select's.
// Distance to the limit (H200, whole calls): docs/measurements/conversions.md (extract, assign and sums of rows). Half of laplace3d:80's rows 0.25 ms,
//   six times a copy of their bytes: the list's way there, four launches and a count that the host waits for are most of it.
// Why the CPU's was not enough: the matrix would go to the host and back.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_tile_rows.cuh"
#include "kernels/cuda/extract/rows.cuh"
#include "kernels/cuda/select/common_flags.cuh"
#include "storage/csr.hpp"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 128;
constexpr int tile_entries = 1024;

struct no_value {};

// Lengths at starts[1, rows]; starts[0] = 0.
__global__ void __launch_bounds__(block) row_lengths(device_extract_arguments k) {
    const offset_t row = offset_t{blockIdx.x} * block + threadIdx.x;
    if (row >= k.rows) return;
    const device_offsets offsets{k.offsets.data, k.offsets.wide};
    const index_t source = k.row_sources[row];
    k.starts[row + 1] = source < 0 ? 0 : offsets[source + offset_t{1}] - offsets[source];
    if (row == 0) k.starts[0] = 0;
}

struct started {
    const offset_t* starts;
    __device__ offset_t operator[](offset_t i) const { return __ldg(starts + i); }
};

template <class U>
__global__ void __launch_bounds__(block) move_rows(device_extract_arguments k) {
    using rows_of_tile = tile_rows<offset_t, tile_entries>;
    __shared__ rows_of_tile rows[block / 32];
    const offset_t begin = (offset_t{blockIdx.x} * (block / 32) + threadIdx.x / 32) * tile_entries,
                   end = min(begin + tile_entries, k.entries);
    if (begin >= k.entries) return;
    const device_offsets offsets{k.offsets.data, k.offsets.wide};
    const started starts{k.starts};
    const tile_row_reader from(rows[threadIdx.x / 32], starts, k.rows, begin, end, [&](index_t row) {
        const index_t source = k.row_sources[row];
        return offsets[source] - starts[row];
    });
#pragma unroll 4
    for (int w = 0; w < tile_entries / 32; ++w) {
        const offset_t distance = from(w), to = begin + w * 32 + threadIdx.x % 32;
        if (to >= end) continue;
        k.out_columns[to] = __ldg(k.columns + to + distance);
        if constexpr (!std::is_same_v<U, no_value>)
            static_cast<U*>(k.out_values)[to] = __ldg(static_cast<const U*>(k.values) + to + distance);
    }
}

__global__ void __launch_bounds__(block) move_starts(device_extract_arguments k) {
    const offset_t row = offset_t{blockIdx.x} * block + threadIdx.x;
    if (row > k.rows) return;
    if (k.wide)
        static_cast<std::int64_t*>(k.out_offsets)[row] = k.starts[row];
    else
        static_cast<std::int32_t*>(k.out_offsets)[row] = static_cast<std::int32_t>(k.starts[row]);
}

unsigned blocks_for(offset_t n, offset_t each) { return static_cast<unsigned>((n + each - 1) / each); }

// The largest of several positions stays, in whatever order they come.
__global__ void __launch_bounds__(block)
    name_sources(const index_t* list, offset_t count, lines_from from, index_t* sources) {
    const offset_t k = offset_t{blockIdx.x} * block + threadIdx.x;
    if (k >= count) return;
    const index_t line = list[k];
    atomicMax(sources + line, from == lines_from::positions    ? static_cast<index_t>(k)
                              : from == lines_from::themselves ? line
                                                               : 0);
}

__global__ void __launch_bounds__(block)
    name_words(const index_t* sources, offset_t lines, offset_t words, std::uint32_t* named) {
    const offset_t line = offset_t{blockIdx.x} * block + threadIdx.x;
    const unsigned word = __ballot_sync(full_warp, line < lines && sources[line] >= 0);
    if (threadIdx.x % 32 == 0 && line / 32 < words) named[line / 32] = word;
}

struct placed {
    static constexpr bool needs_row = false, needs_column = true;
    const index_t* place_of;
    __device__ bool operator()(index_t, offset_t, index_t j) const { return __ldg(place_of + j) >= 0; }
};

}  // namespace

std::size_t extract_scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    offset_t* const none = nullptr;
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, none, none, offset_t{rows}));
    return bytes;
}

void extract_rows_count(const device_extract_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    row_lengths<<<blocks_for(k.rows, block), block, 0, on>>>(k);
    std::size_t bytes = k.scan_bytes;
    check(
        cub::DeviceScan::InclusiveSum(k.temporary, bytes, k.starts + 1, k.starts + 1, offset_t{k.rows}, on));
    check(cudaGetLastError());
}

void extract_rows_fill(const device_extract_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    if (k.entries > 0) {
        const unsigned blocks = blocks_for(k.entries, offset_t{tile_entries} * (block / 32));
        if (k.values)
            storage::by_width(k.value_bytes, [&]<class U>(std::type_identity<U>) {
                move_rows<U><<<blocks, block, 0, on>>>(k);
            });
        else
            move_rows<no_value><<<blocks, block, 0, on>>>(k);
    }
    move_starts<<<blocks_for(k.rows + offset_t{1}, block), block, 0, on>>>(k);
    check(cudaGetLastError());
}

void spread_sources(const index_t* list, offset_t count, lines_from from, index_t* sources, offset_t lines,
                    void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    constexpr int none = 0xff;  // -1
    check(cudaMemsetAsync(sources, none, static_cast<std::size_t>(lines) * sizeof(index_t), on));
    if (count > 0) name_sources<<<blocks_for(count, block), block, 0, on>>>(list, count, from, sources);
    check(cudaGetLastError());
}

void named_sources(const index_t* sources, offset_t lines, bits::word* words, void* stream) {
    if (lines == 0) return;
    const auto whole = static_cast<offset_t>(bits::words_for(lines));
    name_words<<<blocks_for(whole * bits::per_word, block), block, 0, static_cast<cudaStream_t>(stream)>>>(
        sources, lines, 2 * whole, reinterpret_cast<std::uint32_t*>(words));
    check(cudaGetLastError());
}

void extract_columns_count(const device_select_arguments& k, void* stream) {
    select_detail::count(k, placed{k.place_of}, stream);
}

}  // namespace nz::kernels::cuda
