// kronecker/rows on a GPU: the places of C, and the two values that meet at each; ewise/words joins those.
//
// Who owns what: a warp has a tile of 1,024 entries of C, whatever rows they are in, which are looked for as in select/rows: C's offsets
//   follow from those of A and B. A thread has a row's offset.
// Memory: A and B, mostly from the caches; columns and two values an entry written, the values read and one written by ewise/words.
//   One value for all of A or B is not spread. Workspace: a value an entry. Sync: launches. Determinism: nothing is summed.
// Distance to the limit (H200): docs/measurements/conversions.md (extract, assign and sums of rows): 35 M doubles in 0.55 ms for 1.5 GB moved, two
//   thirds of a copy's rate; 0.42 GB of them are the result.
// Why the CPU's was not enough: it calls any operator by its address, and C would go to the GPU.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_tile_rows.cuh"
#include "kernels/cuda/kronecker/rows.cuh"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 128;
constexpr int tile_entries = 1024;

struct result_offsets {
    device_offsets a, b;
    index_t b_rows;
    offset_t b_entries, rows, entries;
    explicit result_offsets(const device_kronecker_arguments& k)
        : a{k.a_offsets.data, k.a_offsets.wide},
          b{k.b_offsets.data, k.b_offsets.wide},
          b_rows(k.b_rows),
          b_entries(k.b_entries),
          rows(offset_t{k.a_rows} * k.b_rows),
          entries(k.entries) {}
    __device__ offset_t operator[](offset_t row) const {
        if (row == rows) return entries;
        const offset_t i = row / b_rows;
        return kronecker_offset(a[i], a[i + 1], b[row % b_rows], b_entries);
    }
};

template <class U>
__global__ void __launch_bounds__(block) fill_entries(device_kronecker_arguments k, result_offsets offsets) {
    using rows_of_tile = tile_rows<index_t, tile_entries>;
    __shared__ rows_of_tile rows[block / 32];
    const offset_t begin = (offset_t{blockIdx.x} * (block / 32) + threadIdx.x / 32) * tile_entries,
                   end = min(begin + tile_entries, k.entries);
    if (begin >= k.entries) return;
    const tile_row_reader row_of(rows[threadIdx.x / 32], offsets, k.a_rows * k.b_rows, begin, end,
                                 [](index_t row) { return row; });
    for (int w = 0; w < tile_entries / 32; ++w) {
        const index_t row = row_of(w);
        const offset_t at = begin + w * 32 + threadIdx.x % 32;
        if (at >= end) continue;
        const index_t i = row / k.b_rows, m = row % k.b_rows;
        const auto within = static_cast<unsigned>(at - offsets[row]);
        const offset_t b_begin = offsets.b[m];
        const auto length = static_cast<unsigned>(offsets.b[m + offset_t{1}] - b_begin);
        const offset_t p = offsets.a[i] + within / length, q = b_begin + within % length;
        k.out_columns[at] = __ldg(k.a_columns + p) * k.b_columns + __ldg(k.b_columns_of + q);
        if (k.a_values) static_cast<U*>(k.out_a)[at] = __ldg(static_cast<const U*>(k.a_values) + p);
        if (k.b_values) static_cast<U*>(k.out_b)[at] = __ldg(static_cast<const U*>(k.b_values) + q);
    }
}

__global__ void __launch_bounds__(block) fill_offsets(device_kronecker_arguments k, result_offsets offsets) {
    const offset_t row = offset_t{blockIdx.x} * block + threadIdx.x;
    if (row > offsets.rows) return;
    const offset_t at = offsets[row];
    if (k.wide)
        static_cast<std::int64_t*>(k.out_offsets)[row] = at;
    else
        static_cast<std::int32_t*>(k.out_offsets)[row] = static_cast<std::int32_t>(at);
}

}  // namespace

void kronecker_rows(const device_kronecker_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const result_offsets offsets(k);
    constexpr offset_t entries_a_block = offset_t{tile_entries} * (block / 32);
    if (k.entries > 0)
        storage::by_width(k.value_bytes, [&]<class U>(std::type_identity<U>) {
            fill_entries<U><<<static_cast<unsigned>((k.entries + entries_a_block - 1) / entries_a_block),
                              block, 0, on>>>(k, offsets);
        });
    fill_offsets<<<static_cast<unsigned>(offsets.rows / block + 1), block, 0, on>>>(k, offsets);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
