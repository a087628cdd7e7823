// mxv/csr_row on a GPU: w = A u, whole rows, by bins of length.
//
// Who owns what: a warp owns 32 consecutive rows and their word of presence. It takes them by groups of 1 to 32 lanes,
//   as wide as their mean length fills: one lane a row for rows of one or two entries, the warp a row from 32 on. Rows
//   beyond a limit, listed when the matrix came to the device, take a block each in a second launch.
// Memory: offsets, indices and values once, u gathered.
// Synchronisation: none but the order of the two launches. Shared memory: one partial a warp for the long rows.
// Determinism: a row's sum depends on its length alone.
// Cost: nnz + rows. Distance to the limit: 1.04 to 2.4 times csr_merge's time, 15 times on a few log-normal rows: docs/measurements/spmv.md.
// Why it is not enough: a warp waits for its longest row (csr_merge does not).
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"
#include "storage/device_csr.hpp"

namespace nz::kernels::cuda {

constexpr unsigned row_block = 256;

template <class Cell, class Reader>
__global__ void __launch_bounds__(row_block)
    csr_row_kernel(Reader reader, device_offsets offsets, index_t rows, bool early_exit, offset_t longest,
                   typename Cell::value* out, std::uint32_t* present) {
    const index_t word = static_cast<index_t>((blockIdx.x * row_block + threadIdx.x) / 32);
    const index_t first = word * 32;
    if (word >= half_words(rows)) return;
    const std::uint32_t valid = allowed_word(nullptr, false, rows, word);
    const auto sum = sum_rows<Cell>(reader, offsets, first, valid, early_exit, longest);
    if (sum.met) out[first + static_cast<index_t>(threadIdx.x % 32)] = sum.value;
    const unsigned met = __ballot_sync(full_warp, sum.met);
    if (present && threadIdx.x % 32 == 0) present[word] = met;
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(row_block)
    csr_row_long_kernel(Reader reader, device_offsets offsets, const index_t* rows, typename Cell::value* out,
                        std::uint32_t* present) {
    __shared__ partial<Cell> parts[row_block / 32];
    const index_t row = rows[blockIdx.x];
    const offset_t begin = offsets[row], end = offsets[row + offset_t{1}];
    // Each warp takes a share of its own, so that the parts come in the order of the entries.
    const offset_t share = (end - begin + row_block / 32 - 1) / (row_block / 32);
    const offset_t from = begin + share * (threadIdx.x / 32), to = from + share < end ? from + share : end;
    partial<Cell> sum;
    for (offset_t k = from; k < to; k += 32) {
        if (k + threadIdx.x % 32 < to) reader.accumulate(sum, row, k + threadIdx.x % 32);
        if (Cell::first_wins && __any_sync(full_warp, sum.met)) break;
    }
    sum.reduce(32);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    for (unsigned k = 1; k < row_block / 32; ++k) sum.add(parts[k]);
    if (!sum.met) return;
    out[row] = sum.value;
    if (present) atomicOr(present + row / 32, 1u << row % 32);
}

template <class Cell>
void csr_row(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
        using reader_type = device_row_reader<Cell, Constant, Gaps>;
        const reader_type reader(c);
        const device_offsets offsets{c.offsets.data, c.offsets.wide};
        auto* out = static_cast<typename Cell::value*>(c.out_values);
        auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
        const offset_t longest = a.long_row_count ? storage::long_row_entries : c.nnz;
        csr_row_kernel<Cell><<<blocks_for(half_words(c.output_size) * 32, row_block), row_block, 0, on>>>(
            reader, offsets, c.output_size, c.early_exit, longest, out, present);
        if (a.long_row_count)
            csr_row_long_kernel<Cell>
                <<<a.long_row_count, row_block, 0, on>>>(reader, offsets, a.long_rows, out, present);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
