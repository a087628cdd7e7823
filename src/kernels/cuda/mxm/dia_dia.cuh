// mxm/dia_dia on a GPU: C = A B by diagonals (matam2012, Algorithm 4), from CSR and to CSR.
//
// Computes: rows of A that have the diagonals of the row in the middle, and name rows of B that all have those of one of these, make
//   rows of C with the sums of the two as diagonals: C(i, i + d + e) adds A(i, i + d) B(i + d, i + d + e) in the order of d. The
//   paper stores whole matrices by diagonals; here a tile of 32 to 128 rows is, in shared memory, on its way from CSR and to CSR, so
//   that an entry stays an entry. All other rows (the ends, where diagonals leave the matrix) are hash's (hash.cuh).
// Steps: find (the diagonals, and whether 256 sampled rows have them), take (marks the rows that do, by comparing columns; these leave
//   hash's bins, their entries counted), then hash's steps, then fill.
// Who owns what: a tile -> a block of 256 threads; 32 rows and 4 diagonals of C -> a warp, a row -> a lane, so that which diagonals
//   meet is the same for the warp and read from a table, four pairs a word.
// Shared memory: the tile's rows of A, B (with those that the tile reaches into) and C, and the table: at most 72 KiB, or 200 for the
//   widest bands. Bands of more than 64 diagonals, 128 of the result, or that fit no tile are hash's.
// Workspace: 3 bytes a row beside hash's.
// Sync: the block's barriers between loading, adding and writing. Determinism: the order of k: bit for bit the CPU's.
// Cost: A, and B with a tile's overlap, and C once; five reads of shared memory for four products. Distance to the limit (H200):
//   docs/measurements.md.
// Why hash was not enough: it finds the place of each product, though all rows have the same.
#pragma once

#include "kernels/cuda/mxm/hash.cuh"
#include "plan/mxm_band_workspace.hpp"

namespace nz::kernels::cuda {

namespace dia_dia_detail {

inline constexpr unsigned block = 256;
/// Diagonals of C that a warp has at once: a word of the table.
inline constexpr int together = 4;

/// A tile's parts of shared memory.
template <class Cell>
struct band_tile {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    T *a, *b;
    V* c;
    offset_t *a_begins, *b_begins, *c_begins;
    std::uint8_t* pairs;
    int a_stride, b_stride, c_stride, padded_c;

    __device__ band_tile(void* memory, int rows, const plan::mxm_band& band, int between)
        : a_stride(plan::band_stride(band.a)),
          b_stride(plan::band_stride(band.b)),
          c_stride(plan::band_stride(band.c)),
          padded_c((band.c + together - 1) / together * together) {
        auto* at = static_cast<std::byte*>(memory);
        const auto take = [&](auto*& part, int count) {
            part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(at);
            at += plan::padded(static_cast<std::size_t>(count) * sizeof *part);
        };
        take(a, rows * a_stride);
        take(b, (rows + between) * b_stride);
        take(c, rows * c_stride);
        take(a_begins, rows);
        take(b_begins, rows + between);
        take(c_begins, rows);
        take(pairs, band.a * padded_c);
    }
};

}  // namespace dia_dia_detail

template <class Cell>
__global__ void __launch_bounds__(dia_dia_detail::block)
    dia_dia_fill_kernel(device_mxm_side a, device_mxm_side b, hash_detail::products<Cell> of, index_t first,
                        index_t last, index_t inner, int tile_rows, int between, plan::mxm_band_parts parts,
                        const offset_t* starts, index_t* out_columns, typename Cell::value* out_values) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using dia_dia_detail::together;
    extern __shared__ uint4 shared_tiles[];
    const plan::mxm_band& band = *parts.band;
    const dia_dia_detail::band_tile<Cell> m(shared_tiles, tile_rows, band, between);
    const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(dia_dia_detail::block);
    const int n_a = band.a, n_b = band.b, n_c = band.c;
    const offset_t row_from = first + offset_t{blockIdx.x} * tile_rows, b_from = row_from + band.a_shifts[0];
    for (int r = t; r < tile_rows; r += threads) {
        const offset_t i = row_from + r;
        const bool inside = i < last && parts.inside[i];
        m.a_begins[r] = inside ? a.offsets[i] : -1;
        m.c_begins[r] = inside ? starts[i] : -1;
    }
    for (int r = t; r < tile_rows + between; r += threads) {
        const offset_t k = b_from + r;
        m.b_begins[r] = k >= 0 && k < inner && parts.b_rows[k] ? b.offsets[k] : -1;
    }
    for (int n = t; n < n_a * m.padded_c; n += threads) {
        const int c = n % m.padded_c;
        m.pairs[n] = c < n_c ? band.pairs[n / m.padded_c][c] : plan::band_no_pair;
    }
    __syncthreads();
    if constexpr (Cell::reads_a)
        for (int n = t; n < tile_rows * n_a; n += threads) {
            const int r = n / n_a, d = n - r * n_a;
            if (m.a_begins[r] >= 0) m.a[r * m.a_stride + d] = of.a(m.a_begins[r] + d);
        }
    if constexpr (Cell::reads_b)
        for (int n = t; n < (tile_rows + between) * n_b; n += threads) {
            const int r = n / n_b, d = n - r * n_b;
            if (m.b_begins[r] >= 0) m.b[r * m.b_stride + d] = of.b(m.b_begins[r] + d);
        }
    __syncthreads();
    const int lane = t % 32, halves = tile_rows / 32, items = halves * (m.padded_c / together);
    for (int item = t / 32; item < items; item += threads / 32) {
        const int r = item % halves * 32 + lane, group = item / halves * together;
        V sum[together];
#pragma unroll
        for (int u = 0; u < together; ++u) sum[u] = of.nothing();
        for (int n = 0; n < n_a; ++n) {
            const int d = of.backwards ? n_a - 1 - n : n;
            const unsigned of_b = *reinterpret_cast<const unsigned*>(m.pairs + d * m.padded_c + group);
            if (of_b == ~0u) continue;
            T left{};
            if constexpr (Cell::reads_a) left = m.a[r * m.a_stride + d];
            const int row_of_b = r + band.a_shifts[d] - band.a_shifts[0];
#pragma unroll
            for (int u = 0; u < together; ++u) {
                const unsigned e = of_b >> 8 * u & 255;
                if (e == plan::band_no_pair) continue;
                T right{};
                if constexpr (Cell::reads_b) right = m.b[row_of_b * m.b_stride + static_cast<int>(e)];
                of.add(sum[u], Cell::multiply(left, right, static_cast<index_t>(row_from + r),
                                              static_cast<index_t>(b_from + row_of_b)));
            }
        }
#pragma unroll
        for (int u = 0; u < together; ++u)
            if (group + u < n_c) m.c[r * m.c_stride + group + u] = sum[u];
    }
    __syncthreads();
    for (int n = t; n < tile_rows * n_c; n += threads) {
        const int r = n / n_c, c = n - r * n_c;
        if (m.c_begins[r] < 0) continue;
        out_columns[m.c_begins[r] + c] = static_cast<index_t>(row_from + r + band.c_shifts[c]);
        out_values[m.c_begins[r] + c] = m.c[r * m.c_stride + c];
    }
}

/// After hash's: the rows of [fill_first, fill_last) that are inside the band.
template <class Cell>
void dia_dia_fill(const device_mxm_arguments& k, void* stream) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    if (k.fill_first == k.fill_last) return;
    const int between = k.band_between,
              rows = plan::band_tile_rows(k.band_a, k.band_b, k.band_c, between, sizeof(T), sizeof(V));
    const std::size_t shared =
        plan::band_tile_bytes(rows, k.band_a, k.band_b, k.band_c, between, sizeof(T), sizeof(V));
    allow_shared(dia_dia_fill_kernel<Cell>, shared);
    dia_dia_fill_kernel<Cell><<<static_cast<unsigned>((k.fill_last - k.fill_first + rows - 1) / rows),
                                dia_dia_detail::block, shared, static_cast<cudaStream_t>(stream)>>>(
        device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), hash_detail::products<Cell>(k),
        k.fill_first, k.fill_last, k.inner, rows, between,
        plan::mxm_band_parts(k.band_parts, k.rows, k.inner),
        plan::mxm_device_parts(k.row_parts, k.rows, k.scan_bytes).starts, k.out_columns,
        static_cast<V*>(k.out_values));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
