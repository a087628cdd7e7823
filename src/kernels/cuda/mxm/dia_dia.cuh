// mxm/dia_dia on a GPU: C = A B by diagonals (matam2012, Algorithm 4), from CSR and to CSR.
//
// Computes: rows of A that have the diagonals that most rows have, and name rows of B that all have those that most of these have,
//   make rows of C with the sums of the two as diagonals: C(i, i + d + e) adds A(i, i + d) B(i + d, i + d + e) in the order of d. The
//   paper stores whole matrices by diagonals; here a tile of 32 to 128 rows is, in shared memory, on its way from CSR and to CSR, so
//   that an entry stays an entry. All other rows (the ends, where diagonals leave the matrix; a mesh's walls) are hash's (hash.cuh).
// Steps: find (the diagonals of most of 256 sampled rows, and of how many of these all rows of B seem to have B's), take (marks the
//   rows that do, by comparing columns; these leave hash's bins, their entries counted), then hash's steps, then fill.
// Who owns what: a tile -> a block of 256 threads, of 512 where tiles are large; a diagonal of C -> a warp, which goes through its
//   list of pairs; a row in 32 -> a lane, up to four of them at a time, so that a pair is read once for the warp.
// Shared memory: the tile's rows of A, of B and of C, and the pairs. Of B there are the rows near each diagonal of A: a run of
//   neighbouring diagonals shares them, diagonals a tile apart and more have their own, and what lies between is not read: a mesh's
//   diagonals may be as far apart as they like. At most 72 KiB, or 200 for the widest. More than 64 diagonals, 128 of the result, or
//   what fits no tile are hash's.
// Workspace: 3 bytes a row beside hash's.
// Sync: the block's barriers between loading, adding and writing. Determinism: the order of k: bit for bit the CPU's.
// Cost: A and C once, B once for each of A's runs of diagonals (from the cache but once); two reads of shared memory a product.
//   Distance to the limit (H200): fill moves laplace2d:2000's 0.81 GB at 44% of the copy rate and banded:1000000,21's 0.66 at 27%,
//   where shared memory's reads and instructions are the time. Table: docs/measurements/spgemm.md (SpGEMM on a GPU).
// Tried: pairs by words of four diagonals of C for each of A, whose value was then read once for four: fill took 0.49 ms in place of
//   0.44 for laplace2d:2000, 2.17 in place of 1.89 for laplace3d:100, 0.58 in place of 0.62 for banded:1000000,21.
// Why hash was not enough: it finds the place of each product, though most rows have the same.
#pragma once

#include "kernels/cuda/mxm/common_band.cuh"
#include "kernels/cuda/mxm/hash.cuh"

namespace nz::kernels::cuda {

namespace dia_dia_detail {

/// Threads of a block, and of one whose tile leaves room for two a multiprocessor or fewer.
inline constexpr unsigned block = 256, wide_block = 512;
/// For registers: as many as three wide blocks a multiprocessor leave.
inline constexpr unsigned wide_blocks = 3;
/// A pair in shared memory: bytes from a row's first value to B's, times this, and from there to A's.
inline constexpr unsigned pair_unit = 1024;
static_assert(plan::band_most * 8 <= pair_unit && plan::band_tile_most <= ~0u / pair_unit);

/// A tile's shared memory.
template <class Cell>
struct tile_memory {
    using T = typename Cell::operand;
    T *a, *b;
    typename Cell::value* c;
    const T **a_rows, **b_rows;  ///< their values; null: not of the band
    offset_t* c_begins;          ///< below 0 likewise
    int* pair_starts;
    unsigned* pairs;

    __device__ tile_memory(void* memory, const plan::band_tile& tile) {
        const auto place = [&](auto*& part, unsigned at) {
            part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(static_cast<std::byte*>(memory) +
                                                                             at);
        };
        place(a, tile.a);
        place(b, tile.b);
        place(c, tile.c);
        place(a_rows, tile.a_rows);
        place(b_rows, tile.b_rows);
        place(c_begins, tile.c_begins);
        place(pair_starts, tile.pair_starts);
        place(pairs, tile.pairs);
    }
};

/// Rows of values to `stride` apart in shared memory, several under way at a time.
template <class Cell>
__device__ void bring_rows(typename Cell::operand* to, int stride, const typename Cell::operand* const* from,
                           int step, int rows, const row_lanes& by) {
    using T = typename Cell::operand;
    using of = hash_detail::products<Cell>;
    constexpr int each = 4;
    const int apart = by.rows();
    for (int d = by.lane(); d < by.count(); d += by.lanes()) {
        int row = by.row();
        T* place = to + row * stride + d;
        for (; row + (each - 1) * apart < rows; row += each * apart, place += each * apart * stride) {
            T value[each];
            bool there[each];
#pragma unroll
            for (int u = 0; u < each; ++u) {
                const T* const values = from[row + u * apart];
                there[u] = values != nullptr;
                if (there[u]) value[u] = of::read_only(values + d * step);
            }
#pragma unroll
            for (int u = 0; u < each; ++u)
                if (there[u]) place[u * apart * stride] = value[u];
        }
        for (; row < rows; row += apart, place += apart * stride)
            if (from[row]) *place = of::read_only(from[row] + d * step);
    }
}

/// Where the tile's rows begin in A, B and C, and the pairs. Returns whether any row is inside the band, once all threads are done.
template <class Cell>
__device__ bool set_out(const tile_memory<Cell>& m, const plan::band_tile& tile, int size,
                        const device_mxm_side& a, const device_mxm_side& b, offset_t row_from, index_t last,
                        index_t inner, const plan::mxm_band_parts& parts, int n_a, int n_b, int n_c,
                        const offset_t* starts) {
    const plan::mxm_band& band = *parts.band;
    const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    using T = typename Cell::operand;
    bool some = false;
    for (int r = t; r < tile.rows; r += threads) {
        const offset_t i = row_from + r;
        const T* row = nullptr;
        offset_t start = -1;
        if (i < last) {
            const offset_t of_a = a.offsets[i], of_c = starts[i];
            if (parts.inside[i])
                row = static_cast<const T*>(a.values) + of_a * a.step, start = of_c, some = true;
        }
        m.a_rows[r] = row;
        m.c_begins[r] = start;
    }
    const int* begins_of_b = band.begins_of_b[size];
    for (int d = t / 32; d < n_a; d += threads / 32) {
        const int from = __ldg(begins_of_b + d), to = d + 1 < n_a ? __ldg(begins_of_b + d + 1) : tile.staged;
        const offset_t k_from = row_from + __ldg(band.a_shifts + d) - from;
#pragma unroll 4
        for (int r = from + t % 32; r < to; r += 32) {
            const offset_t k = k_from + r;
            const T* row = nullptr;
            if (k >= 0 && k < inner) {
                const offset_t of_b = b.offsets[k];
                if (parts.b_rows[k]) row = static_cast<const T*>(b.values) + of_b * b.step;
            }
            m.b_rows[r] = row;
        }
    }
    for (int c = t; c <= n_c; c += threads) m.pair_starts[c] = __ldg(band.pair_starts + c);
    for (int n = t; n < n_a * n_b; n += threads) {
        const plan::mxm_band_pair pair = band.pairs[n];
        const int of_b = __ldg(begins_of_b + pair.a) * tile.b_stride + pair.b;
        m.pairs[n] = static_cast<unsigned>(sizeof(typename Cell::operand)) *
                     (static_cast<unsigned>(of_b) * pair_unit + pair.a);
    }
    return __syncthreads_or(some);
}

/// Diagonals of C, one a warp, over Rows rows a lane, 32 apart. `row`: the tile's first.
template <class Cell, int Rows>
__device__ void add_pairs(const tile_memory<Cell>& m, const plan::band_tile& tile, offset_t row, int n_c,
                          const index_t* a_shifts) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using of = hash_detail::products<Cell>;
    const int lane = static_cast<int>(threadIdx.x) % 32, warps = static_cast<int>(blockDim.x) / 32;
    const std::byte *of_a[Rows], *of_b[Rows];
#pragma unroll
    for (int u = 0; u < Rows; ++u) {
        of_a[u] = reinterpret_cast<const std::byte*>(m.a + (lane + u * 32) * tile.a_stride);
        of_b[u] = reinterpret_cast<const std::byte*>(m.b + (lane + u * 32) * tile.b_stride);
    }
    V* const to = m.c + lane * tile.c_stride;
    for (int c = static_cast<int>(threadIdx.x) / 32; c < n_c; c += warps) {
        const int from = m.pair_starts[c], last = Cell::first_wins ? from + 1 : m.pair_starts[c + 1];
        V sum[Rows];
#pragma unroll
        for (int u = 0; u < Rows; ++u) sum[u] = of::nothing();
        unsigned next = m.pairs[from];
#pragma unroll 1
        for (int p = from; p < last; ++p) {
            const unsigned pair = next, d = pair % pair_unit, e = pair / pair_unit;
            next = m.pairs[p + 1];  // of all pairs, one more is there
            index_t shift = 0;
            if constexpr (Cell::positional) shift = __ldg(a_shifts + d / sizeof(T));
#pragma unroll
            for (int u = 0; u < Rows; ++u) {
                T left{}, right{};
                if constexpr (Cell::reads_a) left = *reinterpret_cast<const T*>(of_a[u] + d);
                if constexpr (Cell::reads_b) right = *reinterpret_cast<const T*>(of_b[u] + e);
                const auto i = static_cast<index_t>(row + lane + u * 32);
                of::add(sum[u], Cell::multiply(left, right, i, i + shift));
            }
        }
#pragma unroll
        for (int u = 0; u < Rows; ++u) to[u * 32 * tile.c_stride + c] = sum[u];
    }
}

}  // namespace dia_dia_detail

/// A lane adds up `Rows` rows at a time: all of the tile's that are its own.
template <class Cell, int Rows>
__global__ void __launch_bounds__(dia_dia_detail::wide_block, dia_dia_detail::wide_blocks)
    dia_dia_fill_kernel(device_mxm_side a, device_mxm_side b, index_t first, index_t last, index_t inner,
                        plan::band_tile tile, int size, row_lanes by_a, row_lanes by_b, row_lanes by_c,
                        plan::mxm_band_parts parts, const offset_t* starts, index_t* out_columns,
                        typename Cell::value* out_values) {
    using V = typename Cell::value;
    extern __shared__ uint4 shared_tiles[];
    const dia_dia_detail::tile_memory<Cell> m(shared_tiles, tile);
    const offset_t row_from = first + offset_t{blockIdx.x} * tile.rows;
    if (!dia_dia_detail::set_out(m, tile, size, a, b, row_from, last, inner, parts, by_a.count(),
                                 by_b.count(), by_c.count(), starts))
        return;
    if constexpr (Cell::reads_a)
        dia_dia_detail::bring_rows<Cell>(m.a, tile.a_stride, m.a_rows, a.step, tile.rows, by_a);
    if constexpr (Cell::reads_b)
        dia_dia_detail::bring_rows<Cell>(m.b, tile.b_stride, m.b_rows, b.step, tile.staged, by_b);
    __syncthreads();
    dia_dia_detail::add_pairs<Cell, Rows>(m, tile, row_from, by_c.count(), parts.band->a_shifts);
    __syncthreads();
    for (int c = by_c.lane(); c < by_c.count(); c += by_c.lanes()) {
        const auto column = static_cast<index_t>(row_from + __ldg(parts.band->c_shifts + c));
        index_t* const columns = out_columns + c;
        V* const values = out_values + c;
#pragma unroll 4
        for (int r = by_c.row(); r < tile.rows; r += by_c.rows()) {
            const offset_t begin = m.c_begins[r];
            if (begin < 0) continue;
            columns[begin] = column + r;
            values[begin] = m.c[r * tile.c_stride + c];
        }
    }
}

/// After hash's: the rows of [fill_first, fill_last) that are inside the band.
template <class Cell>
void dia_dia_fill(const device_mxm_arguments& k, void* stream) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    if (k.fill_first == k.fill_last) return;
    const int size = plan::band_tile_of(k.band, sizeof(T), sizeof(V));
    const plan::band_tile tile(k.band, size, sizeof(T), sizeof(V));
    static_assert(plan::band_tiles[0] == 128 && plan::band_tiles[1] == 64 && plan::band_tiles[2] == 32);
    const auto kernel = tile.rows == 128  ? dia_dia_fill_kernel<Cell, 4>
                        : tile.rows == 64 ? dia_dia_fill_kernel<Cell, 2>
                                          : dia_dia_fill_kernel<Cell, 1>;
    allow_shared(kernel, tile.bytes);
    kernel<<<static_cast<unsigned>((k.fill_last - k.fill_first + tile.rows - 1) / tile.rows),
             tile.bytes <= plan::band_tile_room ? dia_dia_detail::block : dia_dia_detail::wide_block,
             tile.bytes, static_cast<cudaStream_t>(stream)>>>(
        device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), k.fill_first, k.fill_last, k.inner,
        tile, size, row_lanes(k.band.a), row_lanes(k.band.b), row_lanes(k.band.c), band_parts_of(k),
        plan::mxm_device_parts(k.row_parts, k.rows, k.scan_bytes).starts, k.out_columns,
        static_cast<V*>(k.out_values));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
