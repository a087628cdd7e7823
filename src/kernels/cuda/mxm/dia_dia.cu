// Finding a band, and the rows inside it; the essay of mxm/dia_dia stands in dia_dia.cuh.
#include "core/cuda_check.hpp"
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_rows.cuh"
#include "plan/mxm_band_workspace.hpp"

namespace nz::kernels::cuda {
namespace {

using plan::mxm_band, plan::mxm_band_parts, plan::band_most, plan::band_most_result, plan::band_most_width,
    plan::band_samples;

constexpr unsigned band_block = 256;
static_assert(band_block == band_samples);
/// Lanes that compare a row.
constexpr int mark_lanes = 8;

__device__ bool has_shifts(const device_mxm_side& m, offset_t row, const index_t* shifts, int count, int lane,
                           int lanes) {
    const offset_t begin = m.offsets[row];
    if (m.offsets[row + 1] - begin != count) return false;
    bool differs = false;
    for (int d = lane; d < count; d += lanes)
        differs |= static_cast<offset_t>(__ldg(m.columns + begin + d)) != row + shifts[d];
    return !differs;
}

/// The columns of a row, less its number.
__device__ int read_shifts(const device_mxm_side& m, offset_t row, index_t* shifts) {
    const offset_t begin = m.offsets[row], count = m.offsets[row + 1] - begin;
    if (count > band_most) return 0;
    for (int d = static_cast<int>(threadIdx.x); d < count; d += static_cast<int>(band_block))
        shifts[d] = static_cast<index_t>(m.columns[begin + d] - row);
    return static_cast<int>(count);
}

/// The diagonals of both, whether sampled rows have them, and the result's with the pairs that make them.
__global__ void __launch_bounds__(band_block)
    dia_dia_find_kernel(device_mxm_side a, device_mxm_side b, index_t rows, index_t inner, mxm_band* to) {
    constexpr int words = band_most_width / 32;
    __shared__ mxm_band band;
    __shared__ unsigned bits[words];
    __shared__ int before[words];
    const int t = static_cast<int>(threadIdx.x);
    const offset_t middle = rows / 2;
    const offset_t begin = a.offsets[middle], length = a.offsets[middle + 1] - begin;
    const offset_t middle_b = length ? a.columns[begin + length / 2] : 0;
    const int a_count = read_shifts(a, middle, band.a_shifts),
              b_count = read_shifts(b, middle_b, band.b_shifts);
    for (int w = t; w < words; w += static_cast<int>(band_block)) bits[w] = 0;
    if (t == 0) band.alike = 0;
    for (int n = t; n < band_most * band_most_result; n += static_cast<int>(band_block))
        band.pairs[n / band_most_result][n % band_most_result] = plan::band_no_pair;
    __syncthreads();
    bool found = a_count > 0 && b_count > 0;
    const offset_t low = found ? offset_t{band.a_shifts[0]} + band.b_shifts[0] : 0;
    found =
        found && offset_t{band.a_shifts[a_count - 1]} + band.b_shifts[b_count - 1] - low < band_most_width;
    const auto bit_of = [&](int n) {
        return static_cast<int>(offset_t{band.a_shifts[n / b_count]} + band.b_shifts[n % b_count] - low);
    };
    if (found)
        for (int n = t; n < a_count * b_count; n += static_cast<int>(band_block))
            atomicOr(bits + bit_of(n) / 32, 1u << bit_of(n) % 32);
    __syncthreads();
    if (t == 0) {
        int count = 0;
        for (int w = 0; w < words; ++w) {
            before[w] = count;
            count += __popc(bits[w]);
        }
        found = found && count <= band_most_result;
        band.a = found ? a_count : 0;
        band.b = found ? b_count : 0;
        band.c = found ? count : 0;
    }
    __syncthreads();
    if (band.a > 0) {
        for (int n = t; n < a_count * b_count; n += static_cast<int>(band_block)) {
            const int bit = bit_of(n), c = before[bit / 32] + __popc(bits[bit / 32] & ((1u << bit % 32) - 1));
            band.c_shifts[c] = static_cast<index_t>(low + bit);
            band.pairs[n / b_count][c] = static_cast<std::uint8_t>(n % b_count);
        }
        const offset_t row = offset_t{rows} * t / band_samples, row_b = offset_t{inner} * t / band_samples;
        if (has_shifts(a, row, band.a_shifts, a_count, 0, 1) &&
            has_shifts(b, row_b, band.b_shifts, b_count, 0, 1))
            atomicAdd(&band.alike, 1);
    }
    __syncthreads();
    auto* const from = reinterpret_cast<const unsigned*>(&band);
    for (int w = t; w < static_cast<int>(sizeof band / 4); w += static_cast<int>(band_block))
        reinterpret_cast<unsigned*>(to)[w] = from[w];
}

__global__ void __launch_bounds__(band_block)
    dia_dia_mark_kernel(device_mxm_side m, const index_t* shifts, const int* count, index_t rows,
                        std::uint8_t* marks) {
    const offset_t row = (offset_t{blockIdx.x} * band_block + threadIdx.x) / mark_lanes;
    const int lane = static_cast<int>(threadIdx.x) % mark_lanes;
    const bool has = row < rows && has_shifts(m, row, shifts, *count, lane, mark_lanes);
    const unsigned group = group_lanes<mark_lanes>();
    const unsigned all = __ballot_sync(full_warp, has) & group;
    if (row < rows && lane == 0) marks[row] = all == group;
}

/// Rows inside the band leave their bins; their entries are known.
__global__ void __launch_bounds__(band_block)
    dia_dia_take_kernel(index_t rows, index_t inner, mxm_band_parts band, plan::mxm_device_parts parts) {
    __shared__ unsigned left[plan::row_bins];
    if (threadIdx.x < plan::row_bins) left[threadIdx.x] = 0;
    __syncthreads();
    const offset_t row = offset_t{blockIdx.x} * band_block + threadIdx.x;
    if (row < rows) {
        bool inside = band.a_rows[row];
        for (int d = 0; inside && d < band.band->a; ++d)
            inside = band.b_rows[row + band.band->a_shifts[d]];  // there: the row of A has the diagonal
        band.inside[row] = inside;
        if (inside) {
            atomicAdd(left + parts.bins[row], 1u);
            parts.bins[row] = plan::empty_bin;
            parts.counts[row] = band.band->c;
        }
    }
    __syncthreads();
    if (threadIdx.x < plan::row_bins && left[threadIdx.x]) {
        atomicSub(parts.by_products->rows + threadIdx.x, left[threadIdx.x]);
        atomicAdd(parts.by_products->rows + plan::empty_bin, left[threadIdx.x]);
    }
}

unsigned band_blocks(offset_t n) { return static_cast<unsigned>((n + band_block - 1) / band_block); }

}  // namespace

void dia_dia_find(const device_mxm_arguments& k, void* stream) {
    const mxm_band_parts band(k.band_parts, k.rows, k.inner);
    const auto on = static_cast<cudaStream_t>(stream);
    if (k.a_entries == 0 || k.b_entries == 0)
        return check(cudaMemsetAsync(band.band, 0, sizeof(mxm_band), on));
    dia_dia_find_kernel<<<1, band_block, 0, on>>>(device_mxm_side(k.a, 0), device_mxm_side(k.b, 0), k.rows,
                                                  k.inner, band.band);
    check(cudaGetLastError());
}

void dia_dia_take(const device_mxm_arguments& k, void* stream) {
    const mxm_band_parts band(k.band_parts, k.rows, k.inner);
    const auto on = static_cast<cudaStream_t>(stream);
    dia_dia_mark_kernel<<<band_blocks(offset_t{k.rows} * mark_lanes), band_block, 0, on>>>(
        device_mxm_side(k.a, 0), band.band->a_shifts, &band.band->a, k.rows, band.a_rows);
    dia_dia_mark_kernel<<<band_blocks(offset_t{k.inner} * mark_lanes), band_block, 0, on>>>(
        device_mxm_side(k.b, 0), band.band->b_shifts, &band.band->b, k.inner, band.b_rows);
    dia_dia_take_kernel<<<band_blocks(k.rows), band_block, 0, on>>>(
        k.rows, k.inner, band, plan::mxm_device_parts(k.row_parts, k.rows, k.scan_bytes));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
