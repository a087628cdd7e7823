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
__device__ inline tile_piece piece_of(const plan::mxm_cut_parts& cut, index_t q, offset_t number,
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
    const auto found = find_pieces(
        tile.from.first_run, tile.run_end, tile.places, m.begins, warp_last, piece,
        [&](index_t q) { return piece_of(cut, q, blockIdx.x, tile); },
        [&](int number, index_t q, int begin, int start) {
            m.run[number] = q;
            m.shift[number] = static_cast<std::int16_t>(begin - start);
        });
    return found.pieces;
}

}  // namespace nz::kernels::cuda
