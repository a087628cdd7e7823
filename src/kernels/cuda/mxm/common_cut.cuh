// How a block of mxm/two_level_sort comes by a tile of the places of cut rows: equal numbers of them, in the order of row, column and
// run, which are pieces of as many runs as the tile's rows have.
#pragma once

#include "kernels/cuda/mxm/common_products.cuh"

namespace nz::kernels::cuda {

/// A tile of places, and the runs that it may have pieces of.
struct cut_tile {
    plan::mxm_cut_bound from, to;
    offset_t first;
    int places;
    bool begins_row;
    index_t last_rank, run_begin, run_end;

    __device__ cut_tile(const plan::mxm_cut_parts& cut, offset_t tile, offset_t all)
        : from(cut.bounds[tile]), to(cut.bounds[tile + 1]), first(tile * plan::sort_tile) {
        places = static_cast<int>(min(offset_t{plan::sort_tile}, all - first));
        begins_row = from.column == 0 && from.run == 0;
        last_rank = to.rank - (to.column == 0 && to.run == 0);
        run_begin = cut.run_starts[from.rank];
        run_end = cut.run_starts[last_rank + 1];
    }
};

/// A search for the first of [low, high) whose column does not lie before `column`, three looks at a time.
struct quartering {
    int low, high;
    index_t column;

    __device__ bool goes_on() const { return low < high; }
    __device__ int looks(const index_t* columns) const {
        const int n = high - low;
        return (__ldg(columns + low + n / 4) < column) + (__ldg(columns + low + n / 2) < column) +
               (__ldg(columns + low + 3 * n / 4) < column);
    }
    /// So many of the looks met columns that lie before.
    __device__ void narrow(int before) {
        const int n = high - low, first = low;
        if (before < 3) high = first + (before == 0 ? n / 4 : before == 1 ? n / 2 : 3 * n / 4);
        if (before > 0) low = first + (before == 1 ? n / 4 : before == 2 ? n / 2 : 3 * n / 4) + 1;
    }
};
/// The places of run `q` in a tile: both ends are looked for at the same time.
struct run_piece {
    int begin, size;
};
__device__ inline run_piece piece_of(const index_t* columns, const plan::mxm_cut_run& run, index_t q,
                                     const cut_tile& tile, index_t last_row) {
    const bool first = run.rank == tile.from.rank, last = run.rank == tile.to.rank;
    quartering begin{0, first ? run.places : 0, tile.from.column + (q - tile.run_begin < tile.from.run)},
        end{last ? 0 : run.places, run.places, tile.to.column + (q - last_row < tile.to.run)};
    columns += run.columns;
    while (begin.goes_on() || end.goes_on()) {
        const int before_begin = begin.goes_on() ? begin.looks(columns) : 0,
                  before_end = end.goes_on() ? end.looks(columns) : 0;
        if (begin.goes_on()) begin.narrow(before_begin);
        if (end.goes_on()) end.narrow(before_end);
    }
    return {begin.low, end.low - begin.low};
}

/// Pieces of runs that make up a tile, in shared memory: the run of each, and by how much its places' numbers in the run lie beyond
/// those in the tile.
struct cut_pieces {
    int begins[plan::sort_tile];
    index_t run[plan::sort_tile];
    std::int16_t shift[plan::sort_tile];
};

/// Finds the piece of each place; all have read nothing of `m` before, and may read all of it when it returns.
__device__ inline void find_pieces(const index_t* columns, const plan::mxm_cut_parts& cut,
                                   const cut_tile& tile, cut_pieces& m, int* warp_last,
                                   int (&piece)[sort_each]) {
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int n = t; n < static_cast<int>(plan::sort_tile); n += sort_block) m.begins[n] = 0;
    int before = 0;  // places in the lower half, pieces in the upper
    const index_t last_row = cut.run_starts[tile.to.rank];
    for (index_t base = tile.run_begin; base < tile.run_end; base += sort_block) {
        const index_t q = base + t;
        const auto [begin, size] =
            q < tile.run_end ? piece_of(columns, cut.runs[q], q, tile, last_row) : run_piece{};
        const int own = size | (size > 0) << 16;
        int up_to = own;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int below = __shfl_up_sync(full_warp, up_to, distance);
            if (lane >= distance) up_to += below;
        }
        __syncthreads();  // the clearing of `begins`, and the turn before's reading of what follows
        if (lane == 31) warp_last[warp] = up_to;
        __syncthreads();
        int all = 0;
        for (int w = 0; w < sort_warps; ++w) {
            up_to += w < warp ? warp_last[w] : 0;
            all += warp_last[w];
        }
        const int at = before + up_to - own, start = at & 0xffff, number = at >> 16;
        if (size > 0) {
            m.run[number] = q;
            m.shift[number] = static_cast<std::int16_t>(begin - start);
            m.begins[start] = number;
        }
        before += all;
        if ((before & 0xffff) == tile.places) break;
    }
    __syncthreads();
    last_begun(m.begins, warp_last, piece);
}

}  // namespace nz::kernels::cuda
