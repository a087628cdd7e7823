// mxv/dia_slice on a GPU: w = A u by the diagonals of 32 rows at a time (storage/dia_slices.hpp; matam2012's DIA cut into
// slices of rows, as SELL cuts ELLPACK).
//
// Who owns what: a slice -> a warp, a row -> a lane, so that values and u are read side by side; where slices have hundreds of
//   diagonals, and may be few, a slice -> a block of 16 warps that share them out in runs.
// Memory: values once; 8 bytes a diagonal for up to 32 columns of 4 bytes each; u in runs of 32, which neighbouring diagonals
//   find in the first-level cache. Four diagonals are asked for before the first is added.
// Shared memory: 512 partial sums, of the blocks that share a slice. Barriers: one there, else none.
// Determinism: a row is summed in the order of its columns; by 16 runs of its slice's diagonals where these are many.
// Cost: 32 values a diagonal, whether its rows are there or not.
// Distance to the limit: docs/measurements.md (SpMV and SpMSpV on a GPU).
// Why csr_merge was not enough: it reads 4 bytes of column beside each value, and brings products to shared memory and back.
// What it leaves: slices are made once (4 to 5 products' time), and values are held twice: the plan takes it for matrices of
//   which it is known that many products follow, and whose rows have their diagonals in common.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

constexpr unsigned slice_block = 128, shared_slice_warps = 16;
constexpr int slice_turn = 4;  ///< diagonals asked for at a time: with two 1.00 to 1.14 times the time, with eight 0.97 to 1.12
/// Diagonals a slice, on average, from which a block shares each.
constexpr offset_t shared_slice_from = 256;
static_assert(storage::slice_rows == 32, "a row of the slice is a lane of the warp");

template <class Cell, bool Constant, bool Gaps>
struct slice_reader {
    using T = typename Cell::operand;
    device_row_reader<Cell, Constant, Gaps> entries;
    const storage::slice_diagonal* diagonals;

    __device__ storage::slice_diagonal diagonal(offset_t k, offset_t end) const {
        if (k >= end) return {0, 0};
        const int2 two = __ldg(reinterpret_cast<const int2*>(diagonals) + k);
        return {two.x, static_cast<std::uint32_t>(two.y)};
    }
    __device__ T value(offset_t k, offset_t end, int lane) const {
        if constexpr (!Cell::reads_a)
            return T{};
        else if constexpr (Constant)
            return entries.entry(0);
        else
            return k < end ? load_streamed(entries.values + k * storage::slice_rows + lane) : T{};
    }
    /// This lane's row over diagonals [begin, end).
    __device__ partial<Cell> sum(index_t row, offset_t begin, offset_t end) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        partial<Cell> sum;
        for (offset_t k = begin; k < end; k += slice_turn) {
            storage::slice_diagonal d[slice_turn];
            T x[slice_turn], y[slice_turn];
            bool here[slice_turn];
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) d[n] = diagonal(k + n, end);
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) x[n] = value(k + n, end, lane);
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) {
                const index_t j = row + d[n].distance;
                here[n] = (d[n].rows >> lane & 1) && entries.meets(j);
                y[n] = here[n] ? entries.operand(j) : T{};
            }
#pragma unroll
            for (int n = 0; n < slice_turn; ++n)
                if (here[n]) sum.add(Cell::multiply(x[n], y[n], row, row + d[n].distance));
        }
        return sum;
    }
};

/// What a warp has found for the rows of a slice; one beyond the last one clears its word of presence.
template <class Cell>
__device__ void write_slice(const partial<Cell>& sum, offset_t slice, index_t rows, typename Cell::value* out,
                            std::uint32_t* present) {
    const offset_t row = slice * storage::slice_rows + threadIdx.x % 32;
    const bool met = sum.met && row < rows;
    if (met) out[row] = sum.value;
    const unsigned word = __ballot_sync(full_warp, met);
    if (present && threadIdx.x % 32 == 0) present[slice] = word;
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(slice_block)
    dia_slice_kernel(Reader reader, const offset_t* starts, index_t rows, typename Cell::value* out,
                     std::uint32_t* present) {
    const offset_t slice = (offset_t{blockIdx.x} * slice_block + threadIdx.x) / 32;
    if (slice >= half_words(rows)) return;
    const offset_t row = slice * storage::slice_rows + threadIdx.x % 32;
    partial<Cell> sum;
    if (slice * storage::slice_rows < rows)
        sum = reader.sum(static_cast<index_t>(row), starts[slice], starts[slice + 1]);
    write_slice(sum, slice, rows, out, present);
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(shared_slice_warps * 32)
    dia_slice_shared_kernel(Reader reader, const offset_t* starts, index_t rows, typename Cell::value* out,
                            std::uint32_t* present) {
    __shared__ partial<Cell> parts[shared_slice_warps][32];
    const offset_t slice = blockIdx.x;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    partial<Cell> sum;
    if (slice * storage::slice_rows < rows) {
        const offset_t begin = starts[slice], end = starts[slice + 1];
        const offset_t share = (end - begin + shared_slice_warps - 1) / shared_slice_warps;
        const offset_t from = min(begin + warp * share, end), to = min(from + share, end);
        sum = reader.sum(static_cast<index_t>(slice * storage::slice_rows + lane), from, to);
    }
    parts[warp][lane] = sum;
    __syncthreads();
    if (warp) return;
    for (unsigned k = 1; k < shared_slice_warps; ++k) sum.add(parts[k][lane]);
    write_slice(sum, slice, rows, out, present);
}

template <class Cell>
void dia_slice(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
        using reader_type = slice_reader<Cell, Constant, Gaps>;
        const reader_type reader{device_row_reader<Cell, Constant, Gaps>(c), c.slices.diagonals};
        auto* out = static_cast<typename Cell::value*>(c.out_values);
        auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
        const offset_t slices = half_words(c.output_size);
        if (c.slices.count >= shared_slice_from * slices)
            dia_slice_shared_kernel<Cell>
                <<<static_cast<unsigned>(slices), shared_slice_warps * 32, 0, on>>>(
                    reader, c.slices.starts, c.output_size, out, present);
        else
            dia_slice_kernel<Cell><<<blocks_for(slices * 32, slice_block), slice_block, 0, on>>>(
                reader, c.slices.starts, c.output_size, out, present);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
