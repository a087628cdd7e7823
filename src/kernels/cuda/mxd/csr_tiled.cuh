// mxd/csr_tiled on a GPU: C = A B for dense B and C, neighbouring rows side by side, a row to a few lanes.
//
// Computes: for every row i and tile of up to 64 doubles (128 floats), sums of A(i,k) x B(k, tile), in registers.
// Phases: a block brings the columns and values of its 32, 16 or 8 rows to shared memory, where they fit; then every group of lanes
//   goes through its row's, two rows of B at a time. Where they do not fit each group brings 16 of its own row's at a time.
// Who owns what: block -> 32 rows of tiles of 64 bytes, 8 of 512, else 16; group of 4, 8 or 16 lanes -> row; lane -> one or two words
//   of 16 bytes.
// Shared memory: 28 entries a row, 3 to 11 KiB a block.
// Determinism: sums in the order of k, products not fused into them: the reference's bits.
// Cost: nnz * columns products; a block takes as long as the longest of its rows.
// Distance to the limit (H200): 72 and 76% of A, B and C once at the rate of a copy on laplace3d:160 and a band at 8 columns, 59 and 62% at
//   16, 40% on laplace3d:160 at 64, 42% and 23% on laplace3d:50 (x) 3x3 at 8 and 64: docs/measurements/dense.md. Where neighbouring rows reach neighbouring columns, the groups of a warp ask
//   for the same rows of B at the same time and the first-level cache answers for most of them; what it does not have in flight it
//   keeps, so that few rows of B at once and many threads are faster than many at once (laplace3d:160, 8 columns, ms: eight at
//   once and 1,024 threads 0.88, four 0.71, three and 1,280 threads 0.66, two and 2,048 threads 0.64, with entries by asynchronous copies 0.60; by shuffles, four at once, 1.07).
// Why csr_half_warp was not enough: sixteen lanes leave half a warp without columns at 8 of them and go twice over the row at
//   32, a value a lane asks for half as many bytes at once, and handing entries round by shuffles costs as much of the
//   first-level cache's time as the rows of B do.
// What it leaves: short rows wait for each other, long rows for nobody (csr_merge).
#pragma once

#include "kernels/cuda/mxd/common_tile.cuh"

namespace nz::kernels::cuda {

namespace mxd_tiled_detail {

inline constexpr int block = 128, entries_a_row = 28;
/// Of rows that have more, at a time; apart by one more, in different banks.
inline constexpr int entries_a_turn = 16, between_rows = entries_a_turn + 1;
static_assert(between_rows <= entries_a_row);
/// Without places to ask about, a lane of one word needs 32 registers.
constexpr int blocks_an_sm(int words_a_lane, tile_kind kind) {
    return words_a_lane == 1 && kind == tile_kind::full ? 16 : 8;
}

}  // namespace mxd_tiled_detail

template <class Cell, int Lanes, int Words, tile_kind Kind>
__global__ void __launch_bounds__(mxd_tiled_detail::block, mxd_tiled_detail::blocks_an_sm(Words, Kind))
    mxd_tiled_kernel(mxd_arguments a) {
    using namespace mxd_tiled_detail;
    using T = typename Cell::operand;
    using lane_of_tile = tile_lane<Cell, Lanes, Words, Kind>;
    constexpr int rows = block / Lanes, room = rows * entries_a_row, values = lane_of_tile::values;
    __shared__ index_t columns[room];
    __shared__ T values_of_a[Cell::reads_a ? room : 1];
    const lane_of_tile tile(a);
    const device_offsets offsets = on_device(a.offsets);
    const int t = static_cast<int>(threadIdx.x);
    const auto first = static_cast<index_t>(blockIdx.x * rows), row = first + t / Lanes;
    const offset_t begin = offsets[first], end = offsets[min(offset_t{first} + rows, offset_t{a.rows})];
    offset_t row_begin = begin;
    int entries = 0;  // no more than columns
    if (row < a.rows) {
        row_begin = offsets[row];
        entries = static_cast<int>(offsets[row + offset_t{1}] - row_begin);
    }
    typename Cell::value sum[values];
    tile.reset(sum, entries == 0);
    /// So many entries of the row, from this one of those in shared memory.
    const auto add_entries = [&](int at, int count) {
        const index_t* const of_columns = columns + at;
        const auto value_of = [&](int e) { return Cell::reads_a ? values_of_a[at + e] : T{}; };
        int e = 0;
#pragma unroll 1
        for (; e + 1 < count; e += 2) {
            T b[2][values];
            tile.load(of_columns[e], b[0]);
            tile.load(of_columns[e + 1], b[1]);
            tile.add_product(sum, value_of(e), b[0]);
            tile.add_product(sum, value_of(e + 1), b[1]);
        }
        if (e < count) {
            T b[values];
            tile.load(of_columns[e], b);
            tile.add_product(sum, value_of(e), b);
        }
    };
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const int value_step = a.a_step ? 1 : 0;
    const auto start = [&](int to, const index_t* from, const bits* value) {
        start_copy(reinterpret_cast<std::uint32_t*>(columns) + to,
                   reinterpret_cast<const std::uint32_t*>(from));
        if constexpr (Cell::reads_a) start_copy(reinterpret_cast<bits*>(values_of_a) + to, value);
    };
    const auto* const all_values = static_cast<const bits*>(a.values);
    if (end - begin <= room) {
        const int left = static_cast<int>(end - begin) - t;
        const index_t* const indices = a.indices + begin + t;
        const bits* const from = all_values + (a.a_step ? begin + t : 0);
#pragma unroll
        for (int k = 0; k < room; k += block)
            if (k < left) start(t + k, indices + k, from + k * value_step);
        finish_copies();
        __syncthreads();
        add_entries(static_cast<int>(row_begin - begin), entries);
    } else {
        const int lane = t % Lanes, home = t / Lanes * between_rows;
        const auto all = static_cast<unsigned>(entries), most = __reduce_max_sync(full_warp, all);
        const index_t* const indices = a.indices + row_begin;
        const bits* const from = all_values + (a.a_step ? row_begin : 0);
#pragma unroll 1
        for (unsigned first = 0; first < most; first += entries_a_turn) {
            if (first) __syncwarp();
#pragma unroll
            for (int k = lane; k < entries_a_turn; k += Lanes)
                if (const unsigned e = first + static_cast<unsigned>(k); e < all)
                    start(home + k, indices + e, from + std::int64_t{e} * value_step);
            finish_copies();
            __syncwarp();
            add_entries(home, min(entries - static_cast<int>(first), entries_a_turn));
        }
    }
    if (row >= a.rows) return;
    if (!a.accumulates)
        tile.store(row, sum);
    else if (entries > 0)
        tile.add_to(row, sum);
}

template <class Cell>
void mxd_csr_tiled(const device_mxd_arguments& a, void* stream) {
    using namespace mxd_tiled_detail;
    for_columns<Cell>(a, [&](const device_mxd_arguments& part) {
        with_tile<Cell, plan::mxd_tile_bytes_wide>(
            part.common, [&]<int Lanes, int Words, tile_kind Kind>(unsigned tiles) {
                constexpr int rows = block / Lanes;
                const auto blocks = static_cast<unsigned>((offset_t{part.common.rows} + rows - 1) / rows);
                mxd_tiled_kernel<Cell, Lanes, Words, Kind>
                    <<<dim3(blocks, tiles), block, 0, static_cast<cudaStream_t>(stream)>>>(part.common);
            });
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
