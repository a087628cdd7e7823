// The row of each entry of a tile of consecutive entries of a CSR, in a GPU's shared memory: rows mark where they begin, and an
// entry's row is that of the last mark at or before it.
#pragma once

#include "storage/device_passes.cuh"

namespace nz::storage::device_marks {

using device_passes::full_warp, device_passes::lanes, device_passes::reader;

/// A tile whose rows span more than this many times its entries is halved: to read their offsets would take longer.
inline constexpr unsigned strewn_tiles = 16;

/// Marks, at the first entry of each row after rows.x and up to rows.y in a tile of `size` entries from `begin`, how many rows
/// after `rows.x` it is; or, where rows are strewn, at each entry. Marks are 0 before.
__device__ inline void mark_rows(reader offsets, uint2 rows, offset_t begin, unsigned size,
                                 unsigned tile_entries, unsigned* marks) {
    if (rows.y - rows.x <= strewn_tiles * tile_entries) {
        for (unsigned i = rows.x + 1 + threadIdx.x; i <= rows.y; i += blockDim.x) {
            const offset_t at = offsets[i];
            if (at < begin + size && at < offsets[offset_t{i} + 1]) marks[at - begin] = i - rows.x;
        }
        return;
    }
    for (unsigned e = threadIdx.x; e < size; e += blockDim.x) {
        unsigned low = rows.x, high = rows.y + 1;
        while (high - low > 1) {
            const unsigned middle = low + (high - low) / 2;
            (offsets[middle] <= begin + e ? low : high) = middle;
        }
        marks[e] = low - rows.x;
    }
}

/// The last mark at or before this lane's, `before` where there is none; `before` goes on to the warp's next entries.
__device__ inline unsigned last_mark(unsigned mark, unsigned& before) {
    const unsigned lane = threadIdx.x % lanes,
                   up_to = __ballot_sync(full_warp, mark != 0) & (full_warp >> (31 - lane));
    const unsigned found = __shfl_sync(full_warp, mark, up_to ? 31 - __clz(static_cast<int>(up_to)) : 0),
                   last = up_to ? found : before;
    before = __shfl_sync(full_warp, last, lanes - 1);
    return last;
}

}  // namespace nz::storage::device_marks
