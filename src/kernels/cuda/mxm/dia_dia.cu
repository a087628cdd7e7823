// Finding a band, and the rows inside it; the essay of mxm/dia_dia stands in dia_dia.cuh.
#include "core/cuda_check.hpp"
#include "kernels/cuda/mxm/common_band.cuh"
#include "kernels/cuda/mxm/common_count.hpp"

#include <cuda/std/limits>

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

using plan::mxm_band, plan::mxm_band_parts, plan::band_most, plan::band_most_result, plan::band_samples;

constexpr unsigned band_block = 256;
static_assert(band_block == band_samples && band_block > band_most_result);
/// Rows of up to so many diagonals are compared by a lane each (neighbouring rows share lines of the cache), longer ones by
/// mark_lanes.
constexpr int few_diagonals = 8, mark_lanes = 8;
/// Eight a multiprocessor: each adds to the same few counters of the survey, one after another (a block for every 256 of
/// laplace2d:2000's 4 million rows took 0.144 ms for 9 MB).
constexpr unsigned take_blocks = 1056;
/// Samples outside up to which long rows outside are sorted.
constexpr int most_sorted_samples = 2;

/// Sample n of `rows`: steps of the golden ratio, which no mesh's sides divide.
__device__ offset_t sampled_row(unsigned n, offset_t rows) {
    return static_cast<offset_t>(static_cast<unsigned long long>(n * 2654435769u + 2654435769u / 2) *
                                     static_cast<unsigned long long>(rows) >>
                                 32);
}

/// A number for a row's diagonals, or 0 for none or too many.
__device__ unsigned signature_of(const device_mxm_side& m, offset_t row) {
    const offset_t begin = m.offsets[row], count = m.offsets[row + 1] - begin;
    if (count > band_most) return 0;
    unsigned sum = 0;
#pragma unroll 8
    for (int d = 0; d < count; ++d)
        sum = sum * 0x01000193u + static_cast<unsigned>(__ldg(m.columns + begin + d) - row) + 0x811c9dc5u;
    return count ? sum | 1 : 0;
}

/// The sample whose diagonals most others have, the first of those; all threads get it. `signatures`: [band_samples].
__device__ unsigned elect(unsigned own, unsigned* signatures, unsigned& best) {
    const unsigned t = threadIdx.x;
    __syncthreads();
    signatures[t] = own;
    if (t == 0) best = 0;
    __syncthreads();
    unsigned votes = 0;
    if (own)
        for (int n = 0; n < band_samples; ++n) votes += signatures[n] == own;
    if (votes) atomicMax(&best, votes * band_samples + (band_samples - 1 - t));
    __syncthreads();
    return best ? band_samples - 1 - best % band_samples : 0;
}

/// The columns of a row, less its number.
__device__ int read_shifts(const device_mxm_side& m, offset_t row, index_t* shifts) {
    const offset_t begin = m.offsets[row], count = m.offsets[row + 1] - begin;
    if (count > band_most) return 0;
    for (int d = static_cast<int>(threadIdx.x); d < count; d += static_cast<int>(band_block))
        shifts[d] = static_cast<index_t>(m.columns[begin + d] - row);
    return static_cast<int>(count);
}

/// The first of [0, count), ascending, that is x or beyond.
__device__ int first_from(const index_t* sorted, int count, offset_t x) {
    int at = 0;
    while (at < count) {
        const int middle = (at + count) / 2;
        if (sorted[middle] < x)
            at = middle + 1;
        else
            count = middle;
    }
    return at;
}

constexpr std::uint8_t no_pair = 255;
/// The diagonal of B that A's meets for one of the result's.
using pair_table = std::uint8_t[band_most][band_most_result];

/// Sums that were met, by linear probing: less the least, and one more; 0: free. Not full while threads stop where more than
/// band_most_result are.
constexpr unsigned met_slots = 512;
static_assert(met_slots > band_most_result + band_block);

/// Whether no other thread came with it before.
__device__ bool is_new(unsigned sum, unsigned* met) {
    for (unsigned slot = sum * 2654435769u >> 23;; slot = (slot + 1) % met_slots) {
        const unsigned there = atomicCAS(met + slot, 0u, sum + 1);
        if (there == 0 || there == sum + 1) return there == 0;
    }
}

/// The result's diagonals, ascending, and the pairs that make them; the shape is 0 where they are too many. By the block.
__device__ void meet(mxm_band& band, int n_a, int n_b, pair_table& table, index_t* sums, unsigned* met,
                     int& made) {
    const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(band_block);
    using limits = ::cuda::std::numeric_limits<index_t>;
    const bool fits = n_a > 0 && n_b > 0 && offset_t{band.a_shifts[0]} + band.b_shifts[0] > limits::min() &&
                      offset_t{band.a_shifts[n_a - 1]} + band.b_shifts[n_b - 1] <= limits::max();
    const auto sum_of = [&](int n) { return band.a_shifts[n / n_b] + band.b_shifts[n % n_b]; };
    for (int n = t; n < static_cast<int>(met_slots); n += threads) met[n] = 0;
    __syncthreads();
    if (fits) {
        const auto least = static_cast<unsigned>(sum_of(0));
        for (int n = t; n < n_a * n_b; n += threads) {
            if (*static_cast<volatile int*>(&made) > band_most_result) break;
            if (!is_new(static_cast<unsigned>(sum_of(n)) - least, met)) continue;
            const int place = atomicAdd(&made, 1);
            if (place < band_most_result) sums[place] = sum_of(n);
        }
    }
    __syncthreads();
    const bool found = fits && made <= band_most_result;
    if (t == 0) {
        band.shape.a = found ? n_a : 0;
        band.shape.b = found ? n_b : 0;
        band.shape.c = found ? made : 0;
    }
    if (!found) return;
    for (int c = t; c < made; c += threads) {
        int below = 0;
        for (int n = 0; n < made; ++n) below += sums[n] < sums[c];
        band.c_shifts[below] = sums[c];
    }
    for (int n = t; n < band_most * band_most_result; n += threads)
        table[n / band_most_result][n % band_most_result] = no_pair;
    __syncthreads();
    for (int n = t; n < n_a * n_b; n += threads)
        table[n / n_b][first_from(band.c_shifts, made, sum_of(n))] = static_cast<std::uint8_t>(n % n_b);
    __syncthreads();
    if (t < made) {
        int pairs = 0;
        for (int d = 0; d < n_a; ++d) pairs += table[d][t] != no_pair;
        sums[t] = pairs;
    }
    __syncthreads();
    if (t <= made) {
        int start = 0;
        for (int c = 0; c < t; ++c) start += sums[c];
        band.pair_starts[t] = start;
        if (t < made)
            for (int d = 0; d < n_a; ++d)
                if (table[d][t] != no_pair) band.pairs[start++] = {static_cast<std::uint8_t>(d), table[d][t]};
    }
}

/// Where a tile's rows of B begin for each diagonal of A; a thread for each size of tile.
__device__ void stage_rows(mxm_band& band, int tile, int rows) {
    int begin = 0;
    for (int d = 0; d < band.shape.a; ++d) {
        if (d)
            begin += static_cast<int>(min(offset_t{rows}, offset_t{band.a_shifts[d]} - band.a_shifts[d - 1]));
        band.begins_of_b[tile][d] = begin;
    }
    band.shape.staged[tile] = begin + rows;
}

/// The diagonals of both that most sampled rows have, how many samples have them, and, of `least` samples on, how they meet: else
/// there is no band. `same`: A is B.
__global__ void __launch_bounds__(band_block)
    dia_dia_find_kernel(device_mxm_side a, device_mxm_side b, bool same, index_t rows, index_t inner,
                        int least, mxm_band* to) {
    __shared__ mxm_band band;
    __shared__ unsigned signatures[band_samples], best;
    __shared__ index_t sums[band_most_result];
    __shared__ pair_table table;
    __shared__ unsigned met[met_slots];
    __shared__ int made;
    const unsigned t = threadIdx.x;
    const offset_t row = sampled_row(t, rows);
    const unsigned own = signature_of(a, row), of_a = elect(own, signatures, best);
    const unsigned of_a_signature = signatures[of_a];
    const unsigned of_b = same ? of_a : elect(signature_of(b, sampled_row(t, inner)), signatures, best);
    const int n_a = read_shifts(a, sampled_row(of_a, rows), band.a_shifts),
              n_b = read_shifts(b, sampled_row(of_b, inner), band.b_shifts);
    if (t == 0) made = 0;
    __syncthreads();
    bool inside = own != 0 && own == of_a_signature && n_b > 0;
    if (inside) {
#pragma unroll 8
        for (int d = 0; d < n_a; ++d) {
            const offset_t k = row + band.a_shifts[d];  // outside where unlike rows have one signature
            const bool there = k >= 0 && k < inner;
            inside &= there && b.offsets[there ? k + 1 : 0] - b.offsets[there ? k : 0] == n_b;
        }
    }
    const int samples = __syncthreads_count(inside);
    if (t == 0) band.shape = {};
    __syncthreads();
    if (samples >= least) meet(band, n_a, n_b, table, sums, met, made);
    __syncthreads();
    if (t == 0) band.shape.inside = band.shape.a > 0 ? samples : 0;
    constexpr int tiles[] = {plan::band_tiles[0], plan::band_tiles[1], plan::band_tiles[2]};
    if (t < plan::band_tile_sizes) stage_rows(band, static_cast<int>(t), tiles[t]);
    __syncthreads();
    auto* const from = reinterpret_cast<const unsigned*>(&band);
    for (unsigned w = t; w < sizeof band / 4; w += band_block) reinterpret_cast<unsigned*>(to)[w] = from[w];
}

/// Marks the rows that have the diagonals, by Lanes lanes each.
template <int Lanes>
__global__ void __launch_bounds__(band_block)
    dia_dia_mark_kernel(device_mxm_side m, const index_t* shifts, int count, index_t rows,
                        std::uint8_t* marks) {
    const offset_t row = (offset_t{blockIdx.x} * band_block + threadIdx.x) / Lanes;
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    bool has = row < rows;
    if (has) {
        const offset_t begin = m.offsets[row];
        has = m.offsets[row + 1] - begin == count;
        if (has) {
            bool differs = false;
#pragma unroll 4
            for (int d = lane; d < count; d += Lanes)
                differs |= static_cast<offset_t>(__ldg(m.columns + begin + d)) != row + __ldg(shifts + d);
            has = !differs;
        }
    }
    if constexpr (Lanes > 1) {
        const unsigned group = group_lanes<Lanes>();
        has = (__ballot_sync(full_warp, has) & group) == group;
    }
    if (row < rows && lane == 0) marks[row] = has;
}

/// Rows inside the band leave their bins; their entries are known. `sort_others`: so few are outside that B's pairs, which the long
/// ones among them would go by, cost more than sorting those: they go to the bins of such.
__global__ void __launch_bounds__(band_block)
    dia_dia_take_kernel(device_mxm_side a, device_offsets b_offsets, index_t rows, index_t columns,
                        bool sort_others, int n_a, int n_c, mxm_band_parts band,
                        plan::mxm_device_parts parts) {
    __shared__ unsigned left[plan::row_bins], come[plan::row_bins];  // counted up alone, which is fast
    if (threadIdx.x < plan::row_bins) left[threadIdx.x] = come[threadIdx.x] = 0;
    __syncthreads();
    for (offset_t row = offset_t{blockIdx.x} * band_block + threadIdx.x; row < rows;
         row += offset_t{gridDim.x} * band_block) {
        const int bin = parts.bins[row];
        bool inside = band.a_rows[row];
        if (inside) {  // so that the rows of B are there
#pragma unroll 4
            for (int d = 0; d < n_a; ++d) inside &= band.b_rows[row + __ldg(band.band->a_shifts + d)];
        }
        band.inside[row] = inside;
        int to = bin;
        if (inside) {
            to = plan::empty_bin;
            parts.counts[row] = n_c;
        } else if (sort_others &&
                   bin == plan::block_bins - 1) {  // those of the others have more than sorts take
            offset_t products = 0;
            for (offset_t p = a.offsets[row]; p < a.offsets[row + 1] && products <= plan::most_pairs; ++p)
                products += b_offsets[a.columns[p] + offset_t{1}] - b_offsets[a.columns[p]];
            if (const int sorted = plan::sort_bin_of(products, columns); sorted >= 0) to = sorted;
        }
        if (to == bin) continue;
        parts.bins[row] = static_cast<std::uint8_t>(to);
        atomicAdd(left + bin, 1u);
        atomicAdd(come + to, 1u);
    }
    __syncthreads();
    if (threadIdx.x < plan::row_bins && left[threadIdx.x] != come[threadIdx.x])
        atomicAdd(parts.by_products->rows + threadIdx.x, come[threadIdx.x] - left[threadIdx.x]);
}

unsigned band_blocks(offset_t n) { return static_cast<unsigned>((n + band_block - 1) / band_block); }

void mark(const mxm_side& side, const index_t* shifts, int count, index_t rows, std::uint8_t* marks,
          cudaStream_t stream) {
    const device_mxm_side m(side, 0);
    if (count <= few_diagonals)
        dia_dia_mark_kernel<1><<<band_blocks(rows), band_block, 0, stream>>>(m, shifts, count, rows, marks);
    else
        dia_dia_mark_kernel<mark_lanes><<<band_blocks(offset_t{rows} * mark_lanes), band_block, 0, stream>>>(
            m, shifts, count, rows, marks);
}

}  // namespace

void dia_dia_find(const device_mxm_arguments& k, void* stream) {
    const mxm_band_parts band = band_parts_of(k);
    const auto on = static_cast<cudaStream_t>(stream);
    if (k.a_entries == 0 || k.b_entries == 0)
        return check(cudaMemsetAsync(band.band, 0, sizeof(mxm_band), on));
    dia_dia_find_kernel<<<1, band_block, 0, on>>>(device_mxm_side(k.a, 0), device_mxm_side(k.b, 0),
                                                  is_square(k), k.rows, k.inner, k.band_least, band.band);
    check(cudaGetLastError());
}

void dia_dia_take(const device_mxm_arguments& k, void* stream) {
    const mxm_band_parts band = band_parts_of(k);
    const auto on = static_cast<cudaStream_t>(stream);
    mark(k.a, band.band->a_shifts, k.band.a, k.rows, band.a_rows, on);
    if (!is_square(k)) mark(k.b, band.band->b_shifts, k.band.b, k.inner, band.b_rows, on);
    dia_dia_take_kernel<<<std::min(band_blocks(k.rows), take_blocks), band_block, 0, on>>>(
        device_mxm_side(k.a, 0), device_mxm_side(k.b, 0).offsets, k.rows, k.columns,
        k.band.inside >= band_samples - most_sorted_samples, k.band.a, k.band.c, band,
        plan::mxm_device_parts(k.row_parts, k.rows, k.scan_bytes));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
