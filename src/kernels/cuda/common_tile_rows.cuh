// The rows of a warp's tile of entries: who looks at entries in their order finds each one's row by a bit and a short list.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"

namespace nz::kernels::cuda {

/// The last row in [low, high] that begins at or before an entry: 32 rows are looked at together, by a warp.
template <class Offsets>
__device__ index_t row_of_entry(const Offsets& offsets, index_t low, index_t high, offset_t entry) {
    const auto lane = static_cast<index_t>(threadIdx.x % 32);
    while (low < high) {
        // Rows low + step, low + 2 step, ...: as many of them as begin by then are passed.
        const index_t step = (high - low) / 33 + 1;
        const bool begun = lane < (high - low) / step && offsets[low + (lane + offset_t{1}) * step] <= entry;
        const auto passed = static_cast<index_t>(__popc(__ballot_sync(full_warp, begun)));
        low += passed * step;
        high = low + min(high - low, step - 1);
    }
    return low;
}

/// Times 32 rows without entries that are gone through before the next row that has some is looked for.
inline constexpr int longest_walk = 4;

/// What a tile of `Entries` entries knows of its rows, in shared memory, one for each warp; `Of` is what a row says of itself.
template <class Of, int Entries>
struct tile_rows {
    static constexpr int words = Entries / 32;
    static_assert(words <= 32);
    std::uint32_t begins[words];  // a bit where a row begins
    Of of[Entries];               // of those that begin, in order
};

/// A lane's hold on it.
template <class Of, int Entries>
class tile_row_reader {
public:
    /// The tile has entries [begin, end); of(row) is asked for rows that have entries in it.
    template <class Offsets, class Ask>
    __device__ tile_row_reader(tile_rows<Of, Entries>& tile, const Offsets& offsets, index_t rows,
                               offset_t begin, offset_t end, Ask&& of)
        : tile_(tile) {
        const unsigned lane = threadIdx.x % 32;
        constexpr int words = tile_rows<Of, Entries>::words;
        __syncwarp();
        if (lane < words) tile_.begins[lane] = 0;
        const index_t first = row_of_entry(offsets, 0, rows - 1, begin);
        first_ = of(first);
        __syncwarp();
        int held = 0, gaps = 0;
        for (offset_t at = offset_t{first} + 1; at < rows; at += 32) {
            const offset_t row = at + lane;
            const offset_t from = row < rows ? offsets[row] : end;
            const bool here = from < end && offsets[row + 1] > from;
            const unsigned mask = __ballot_sync(full_warp, here);
            if (here) {
                const auto place = static_cast<unsigned>(from - begin);
                tile_.of[held + __popc(mask & ((1u << lane) - 1))] = of(static_cast<index_t>(row));
                atomicOr(&tile_.begins[place / 32], 1u << place % 32);
            }
            held += __popc(mask);
            if (__any_sync(full_warp, from >= end)) break;
            gaps = mask ? 0 : gaps + 1;
            if (gaps < longest_walk || at + 32 >= rows) continue;
            const offset_t next = offsets[at + 32];
            if (next >= end) break;
            at = offset_t{row_of_entry(offsets, static_cast<index_t>(at + 32), rows - 1, next)} - 32;
            gaps = 0;
        }
        __syncwarp();
        mine_ = lane < words ? tile_.begins[lane] : 0;
        before_ = __popc(mine_);
#pragma unroll
        for (unsigned step = 1; step < 32; step *= 2) {
            const int below = __shfl_up_sync(full_warp, before_, step);
            if (lane >= step) before_ += below;
        }
        before_ -= __popc(mine_);
    }
    /// Of the row of the lane's entry in a word of the tile.
    __device__ Of operator()(int word) const {
        const unsigned lane = threadIdx.x % 32;
        const unsigned begins = __shfl_sync(full_warp, mine_, word);
        const int passed = __shfl_sync(full_warp, before_, word) + __popc(begins & (~0u >> (31 - lane)));
        return passed == 0 ? first_ : tile_.of[passed - 1];
    }

private:
    tile_rows<Of, Entries>& tile_;
    Of first_;
    unsigned mine_;
    int before_;
};

}  // namespace nz::kernels::cuda
