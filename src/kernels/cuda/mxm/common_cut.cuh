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
    index_t last_rank, run_end;

    __device__ cut_tile(const plan::mxm_cut_parts& cut, offset_t tile, offset_t all)
        : from(cut.bounds[tile]), to(cut.bounds[tile + 1]), first(tile * plan::sort_tile) {
        places = static_cast<int>(min(offset_t{plan::sort_tile}, all - first));
        last_rank = to.rank - to.begins_row;
        run_end = to.begins_row ? to.first_run : to.end_run;
    }
    __device__ bool of_one_row() const { return from.rank == last_rank; }
};

/// The places of run `q` in a tile.
struct run_piece {
    int begin, size;
};
__device__ inline run_piece piece_of(const plan::mxm_cut_parts& cut, index_t q, offset_t number,
                                     const cut_tile& tile) {
    const plan::mxm_cut_run& run = cut.runs[q];
    const std::uint16_t* const before = cut.bound_places + number * cut.runs_at_most;
    const int begin = q < tile.from.end_run && !tile.from.begins_row ? before[q - tile.from.first_run] : 0,
              end = q >= tile.to.first_run ? before[cut.runs_at_most + q - tile.to.first_run] : run.places;
    return {begin, end - begin};
}

/// Pieces of runs that make up a tile, in shared memory: the run of each, and by how much its places' numbers in the run lie beyond
/// those in the tile.
struct cut_pieces {
    int begins[plan::sort_tile];
    index_t run[plan::sort_tile];
    std::int16_t shift[plan::sort_tile];
};

/// Finds the piece of each place; all have read nothing of `m` before, and may read all of it when it returns. Returns how many pieces
/// there are.
__device__ inline int find_pieces(const plan::mxm_cut_parts& cut, const cut_tile& tile, cut_pieces& m,
                                  int* warp_last, int (&piece)[sort_each]) {
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int n = t; n < static_cast<int>(plan::sort_tile); n += sort_block) m.begins[n] = 0;
    int before = 0;  // places in the lower half, pieces in the upper
    for (index_t base = tile.from.first_run; base < tile.run_end; base += sort_block) {
        const index_t q = base + t;
        const auto [begin, size] = q < tile.run_end ? piece_of(cut, q, blockIdx.x, tile) : run_piece{};
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
    return before >> 16;
}

}  // namespace nz::kernels::cuda
