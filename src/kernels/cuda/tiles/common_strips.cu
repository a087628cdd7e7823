// The strips of 64 rows and 16 columns that tiles and the entries outside them are in, listed by rows: what tile_row goes
// through first where u has few entries.
//
// Who owns what: a warp 64 rows, its lanes their tiles side by side, then the entries outside. A larger tile is in two or four
//   strips, whichever of them its entries are in.
// A strip is listed once where its tiles and entries come within 32 of each other, or where a table of 128 places in shared
//   memory still holds it: of the strips that fall on a place the table keeps the last, by number.
// Determinism: the same lists on every run: the table takes maxima, places follow from votes. Count and fill go the same way.
// Cost: tiles + entries outside, read twice; the host waits between, for the count.
#include "kernels/cuda/tiles/common_strips.hpp"
#include "kernels/cuda/tiles/common_walk.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned table_places = 128, strip_bits = 4;

template <bool Fill>
struct strip_walk {
    unsigned* table;  ///< of the warp
    index_t list;
    index_t* out;  ///< where its strips go
    offset_t found = 0;

    /// The strips of a warp's tiles or entries, one a lane.
    __device__ void take(bool here, unsigned number) {
        const unsigned strip = here ? number + 1 : 0, lane = threadIdx.x % 32;
        const unsigned same = __match_any_sync(full_warp, strip);
        unsigned* const place = table + strip % table_places;
        const bool fresh = here && (same & ((1u << lane) - 1)) == 0 && *place != strip;
        const unsigned all = __ballot_sync(full_warp, fresh);
        if (fresh) {
            atomicMax(place, strip);
            if constexpr (Fill)
                out[found + __popc(all & ((1u << lane) - 1))] =
                    static_cast<index_t>(number << 5 | static_cast<unsigned>(list % 32));
        }
        found += __popc(all);
        __syncwarp();
    }
};

template <bool Fill>
__global__ void __launch_bounds__(build_block) strips_kernel(device_tile_lists l) {
    __shared__ unsigned tables[build_block / 32][table_places];
    const auto list = static_cast<index_t>((blockIdx.x * build_block + threadIdx.x) / 32);
    if (list >= l.lists) return;
    const int lane = static_cast<int>(threadIdx.x % 32);
    unsigned* const table = tables[threadIdx.x / 32];
    for (unsigned k = threadIdx.x % 32; k < table_places; k += 32) table[k] = 0;
    __syncwarp();
    const value_tile_arguments& t = l.tiles;
    const index_t first = list * (64 / t.size), last = min(first + 64 / t.size, l.tile_rows);
    const unsigned strips_a_tile = static_cast<unsigned>(t.size) >> strip_bits;
    strip_walk<Fill> walk{table, list, Fill ? l.met + l.starts[list] : nullptr};
    // Rows of tiles of the same 64 rows stand one after the other.
    const std::uint32_t end = t.tile_ranges[last - 1].end;
    for (std::uint32_t k = t.tile_ranges[first].begin; k < end; k += 32) {
        const bool here = k + lane < end;
        const unsigned column = here ? static_cast<unsigned>(t.tile_columns[k + lane]) : 0;
        for (unsigned s = 0; s < strips_a_tile; ++s) walk.take(here, column * strips_a_tile + s);
    }
    const std::uint32_t outside_end = t.extracted_ranges[last - 1].end;
    for (std::uint32_t k = t.extracted_ranges[first].begin; k < outside_end; k += 32) {
        const bool here = k + lane < outside_end;
        walk.take(here, here ? static_cast<unsigned>(t.extracted_columns[k + lane]) >> strip_bits : 0);
    }
    if (!Fill && lane == 0) l.starts[list] = walk.found;
}

}  // namespace

void list_strips(const device_tile_lists& l, void* stream) {
    const unsigned blocks = blocks_of(offset_t{l.lists} * 32);
    if (l.met) {
        if (blocks) strips_kernel<true><<<blocks, build_block, 0, on(stream)>>>(l);
        check(cudaGetLastError());
        return;
    }
    check(cudaMemsetAsync(l.starts + l.lists, 0, sizeof(offset_t), on(stream)));
    if (blocks) strips_kernel<false><<<blocks, build_block, 0, on(stream)>>>(l);
    check(cudaGetLastError());
    std::size_t bytes = l.temporary_bytes;
    check(cub::DeviceScan::ExclusiveSum(l.temporary, bytes, l.starts, l.starts, l.lists + 1, on(stream)));
}

}  // namespace nz::kernels::cuda
