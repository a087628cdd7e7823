// What waits in a block's shared memory until its rows of tiles have their places: locals in the order of tiles, from where the
// row of tiles begins among the columns; how many entries outside each row has, which stand at the row's front; and, where rows
// are gone through only once, what is said of each tile.
#pragma once

#include "kernels/cuda/tiles/common_staged.cuh"
#include "kernels/cuda/tiles/common_tiles.cuh"

namespace nz::kernels::cuda {

/// Tiles wait in slots. A row of tiles has one for every so many of its columns: none or enough, where tiles that are kept hold
/// as many entries.
struct waiting_shape {
    unsigned slots_a_column = 0;  ///< times 2^32
    unsigned slots = 0;           ///< of a block

    /// For rows of tiles that are gone through once, or no slots.
    template <int Size>
    static waiting_shape of(const staged_shape& rows, int least_entries, bool once) {
        // Tiles with fewer entries have fewer slots than they would fill.
        constexpr unsigned most_bytes_a_column = 6, fewest = slot_bytes<Size> / most_bytes_a_column;
        const unsigned entries = std::max(static_cast<unsigned>(least_entries), fewest);
        return once ? waiting_shape{~0u / entries + 1, rows.columns() / entries + 1} : waiting_shape{};
    }
    template <int Size>
    static constexpr unsigned start_bytes = Size * sizeof(local_type<Size>);
    template <int Size>
    static constexpr unsigned slot_bytes = start_bytes<Size> + sizeof(uint2);
    template <int Size>
    unsigned bytes(const staged_shape& rows) const {
        return sizeof(std::uint16_t) * rows.words_before_columns(Size) + slots * slot_bytes<Size>;
    }
};

/// It begins behind what the shape of the rows says.
template <int Size>
struct waiting_tiles {
    std::uint16_t* outside;  ///< of each of the warp's rows
    unsigned char* starts;   ///< of the slots: where the tile's rows begin in it
    uint2* facts;            ///< of the slots: column of the tile, place among the row of tiles' locals
    unsigned slots_a_column;

    __device__ waiting_tiles(const staged_shape& rows, const waiting_shape& shape)
        : slots_a_column(shape.slots_a_column) {
        auto* const begin = reinterpret_cast<unsigned char*>(staged_memory) + rows.bytes(Size);
        outside = reinterpret_cast<std::uint16_t*>(begin) + threadIdx.x / 32 * rows.start_words(Size);
        starts = begin + sizeof(std::uint16_t) * rows.words_before_columns(Size);
        facts = reinterpret_cast<uint2*>(starts + shape.slots * shape.start_bytes<Size>);
    }
    /// The first slot of a row of tiles whose columns begin at `place` of the block's.
    __device__ unsigned slot_of(unsigned place) const { return __umulhi(place, slots_a_column); }
};

/// Copies bytes of shared memory to places that need not be as far into a word, by a group of lanes, at least four.
template <int Group>
__device__ void copy_bytes(unsigned char* to, const unsigned char* from, unsigned count, unsigned lane) {
    static_assert(Group >= 4);
    const unsigned head = min(static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(to) % 4), count),
                   words = (count - head) / 4, tail = head + 4 * words;
    if (lane < head) to[lane] = from[lane];
    if (tail + lane < count) to[tail + lane] = from[tail + lane];
    const unsigned at = shared_address(from) + head, turn = at % 4 * 8;
    auto* const words_to = reinterpret_cast<unsigned*>(to + head);
#pragma unroll 1
    for (unsigned w = lane; w < words; w += Group) {
        const unsigned aligned = (at & ~3u) + 4 * w;
        words_to[w] = __funnelshift_r(load_shared(aligned), load_shared(aligned + 4), turn);
    }
}

}  // namespace nz::kernels::cuda
