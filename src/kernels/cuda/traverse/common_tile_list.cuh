// What a block holds in a search over bit tiles (common_tile_held.cu), and how it comes about: the tiles of its tile rows are listed,
// their columns numbered, and the header of the tile across from each is looked up: what a frontier in its column finds in its row.
#pragma once

#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/traverse/common_tiles.cuh"

namespace nz::kernels::cuda::tiled::held {

using word = std::uint32_t;
using header = storage::tile_header<word>;

/// Tile rows that come to a block together; their words of a frontier are two sectors.
inline constexpr unsigned together = 8;
inline constexpr std::uint32_t none = ~0u;

/// Of a tile row.
struct alignas(16) held_row {
    word visited, found, frontier;
    word beyond;  ///< not 0: some of its tiles have no room
};

/// Of a tile what the tile across, whose rows are this one's columns, says: what a frontier in this one's column finds in its row.
struct alignas(16) held_tile {
    std::uint32_t start;
    word occupied, reach;
    std::uint32_t row;  ///< in the block
};
/// The same while tiles are put in order.
struct alignas(16) listed_tile {
    std::uint32_t row, place;  ///< place: in its row
    std::uint32_t slot, rank;  ///< slot: the column, then its place in the table, then its number
};
static_assert(sizeof(listed_tile) == sizeof(held_tile));

/// A column in which the block has tiles.
struct alignas(8) held_column {
    std::uint32_t column;
    std::uint32_t tiles;  ///< where they are in the order, and from bit 16 on how many

    __device__ unsigned first() const { return tiles & 0xffff; }
    __device__ unsigned count() const { return tiles >> 16; }
};

/// Columns that a block has room for, and places in the table by which they are found.
inline constexpr unsigned columns_room = 4096, table_size = 2 * columns_room;
static_assert(table_size % (32 * block_warps) == 0);
/// Tiles.
inline constexpr unsigned tiles_room = 9 * block_threads;

/// What a block holds, in dynamic shared memory: tile rows, columns, and tiles, by columns.
struct held_memory {
    unsigned rows, tiles;  ///< room
    unsigned char* at;

    /// Tiles that there is room for in so many bytes, beside so many rows.
    static constexpr unsigned room(std::size_t bytes, std::size_t rows) {
        const std::size_t beside = rows * sizeof(held_row) + columns_room * sizeof(held_column);
        if (beside >= bytes) return 0;
        const std::size_t tiles = (bytes - beside) / sizeof(held_tile);
        return tiles < tiles_room ? static_cast<unsigned>(tiles) : tiles_room;
    }
    __device__ held_row* row() const { return reinterpret_cast<held_row*>(at); }
    __device__ held_column* column() const { return reinterpret_cast<held_column*>(row() + rows); }
    __device__ held_tile* tile() const { return reinterpret_cast<held_tile*>(column() + columns_room); }
    __device__ listed_tile* listed() const { return reinterpret_cast<listed_tile*>(tile()); }
};

/// Places for tile rows in each of so many blocks.
__host__ __device__ constexpr unsigned rows_each(std::uint32_t tile_rows, unsigned blocks) {
    return (tile_rows + together * blocks - 1) / (together * blocks) * together;
}

struct held_arguments {
    search<word> s;
    device_offsets out;
    unsigned room;  ///< for tiles, in a block
    unsigned long long *words, *count;
};

/// Tiles in a column in which the frontier has vertices, as held_column has them.
struct met_column {
    std::uint32_t tiles;
    word vertices;
};

struct held_shared {
    union {
        met_column met[columns_room];
        std::uint32_t table[table_size];  ///< columns, while tiles are put in order
    };
    unsigned columns_met[2];  ///< by turns of levels
    unsigned found[2];        ///< vertices, by the block in a level, likewise
    unsigned tiles;           ///< of the block
    unsigned sums[block_warps];
    unsigned stop;    ///< the search is through
    unsigned beyond;  ///< not 0: some tile rows are
};

/// By all threads of a block.
class block_tiles {
protected:
    __device__ block_tiles(const held_arguments& a, held_shared& shared, unsigned char* memory)
        : a_(a), s_(a.s), m_(shared), h_{rows_each(a.s.words, gridDim.x), a.room, memory} {}

    /// Rows are there, and nothing is beyond.
    __device__ void hold_tiles() {
        list_tiles();
        __syncthreads();
        tiles_ = min(m_.tiles, h_.tiles);
        number_columns();
        look_across();
    }

    __device__ static unsigned lane() { return threadIdx.x % 32; }
    __device__ static unsigned warp() { return threadIdx.x / 32; }
    __device__ std::uint32_t row_at(unsigned k) const {
        return (k / together * gridDim.x + blockIdx.x) * together + k % together;
    }

    /// The header of the tile across from one in that row and column.
    __device__ header across(std::uint32_t row, std::uint32_t column) const {
        auto [low, high] = s_.out.range(column);
        while (high - low > 1) {
            const std::uint32_t middle = low + (high - low) / 2;
            (s_.out.headers[middle].column <= row ? low : high) = middle;
        }
        return s_.out.headers[low];
    }
    const held_arguments& a_;
    const search<word>& s_;
    held_shared& m_;
    const held_memory h_;
    unsigned tiles_ = 0, columns_ = 0;

private:
    /// Rows, places and columns of the tiles, those of a tile row in a row.
    __device__ void list_tiles() {
        const unsigned share = (h_.rows + block_warps - 1) / block_warps;
        for (unsigned done = 0; done < share; done += 32) {
            const unsigned base = warp() * share + done, k = base + lane();
            tile_range own{};
            if (done + lane() < share && k < h_.rows && row_at(k) < s_.words) own = s_.in.range(row_at(k));
            const unsigned tiles = own.end - own.begin;
            const unsigned up_to = sum_up_to(tiles), before = up_to - tiles,
                           all = __shfl_sync(full_warp, up_to, 31);
            unsigned first = 0;
            if (lane() == 0) first = atomicAdd(&m_.tiles, all);
            first = __shfl_sync(full_warp, first, 0);
            if (tiles && first + up_to > h_.tiles) does_not_fit(k);
#pragma unroll 4
            for (unsigned begin = 0; begin < all; begin += 32) {
                const unsigned i = begin + lane();
                const int owner = owner_of(before, i);
                const unsigned place = i - __shfl_sync(full_warp, before, owner);
                const std::uint32_t at = __shfl_sync(full_warp, own.begin, owner) + place;
                if (i >= all || first + i >= h_.tiles) continue;
                // The column in place of what is known later.
                h_.listed()[first + i] = {base + static_cast<unsigned>(owner), place,
                                          s_.in.headers[at].column, 0};
            }
        }
    }
    __device__ void does_not_fit(unsigned row) const {
        atomicOr(&h_.row()[row].beyond, 1u);
        atomicOr(&m_.beyond, 1u);
    }
    /// Sum of the values of all threads before; all of them call it.
    __device__ unsigned sum_before(unsigned mine, unsigned& all) {
        const unsigned up_to = sum_up_to(mine);
        if (lane() == 31) m_.sums[warp()] = up_to;
        __syncthreads();
        const unsigned of_warp = m_.sums[lane()];
        all = __reduce_add_sync(full_warp, of_warp);
        const unsigned before = __reduce_add_sync(full_warp, lane() < warp() ? of_warp : 0u);
        __syncthreads();
        return before + up_to - mine;
    }

    /// Gives columns numbers, neighbours neighbouring ones, and tells tiles their places by them.
    __device__ void number_columns() {
        constexpr unsigned tries = 64;
        for (unsigned k = threadIdx.x; k < table_size; k += block_threads) m_.table[k] = none;
        __syncthreads();
        for (unsigned k = threadIdx.x; k < tiles_; k += block_threads) {
            const std::uint32_t column = h_.listed()[k].slot;
            unsigned at = column % table_size, tried = 0;
            std::uint32_t old;
            while ((old = atomicCAS(&m_.table[at], none, column)) != none && old != column && ++tried < tries)
                at = (at + 1) % table_size;
            h_.listed()[k].slot = tried < tries ? at : none;
        }
        __syncthreads();
        // A warp numbers a part of the table, whose places have the numbers then.
        constexpr unsigned part = table_size / block_warps;
        const unsigned from = warp() * part;
        unsigned used = 0;
        for (unsigned i = lane(); i < part; i += 32)
            used += __popc(__ballot_sync(full_warp, m_.table[from + i] != none));
        unsigned number = sum_before(lane() == 0 ? used : 0u, columns_);
        number = __shfl_sync(full_warp, number, 0);
        for (unsigned i = lane(); i < part; i += 32) {
            const std::uint32_t column = m_.table[from + i];
            const unsigned who = __ballot_sync(full_warp, column != none);
            const unsigned mine = number + __popc(who & ((1u << lane()) - 1));
            number += __popc(who);
            m_.table[from + i] = min(mine, columns_room);
            if (column != none && mine < columns_room) h_.column()[mine] = {column, 0};
        }
        columns_ = min(columns_, columns_room);
        __syncthreads();
        for (unsigned k = threadIdx.x; k < tiles_; k += block_threads) {
            listed_tile& mine = h_.listed()[k];
            const unsigned of = mine.slot == none ? columns_room : m_.table[mine.slot];
            mine.slot = of;
            if (of < columns_room)
                mine.rank = atomicAdd(&h_.column()[of].tiles, 1u);
            else
                does_not_fit(mine.row);
        }
        __syncthreads();
        unsigned before = 0, all;
        for (unsigned base = 0; base < columns_; base += block_threads) {
            const unsigned of = base + threadIdx.x, count = of < columns_ ? h_.column()[of].tiles : 0;
            const unsigned first = before + sum_before(count, all);
            if (of < columns_) h_.column()[of].tiles = first | count << 16;
            before += all;
        }
        __syncthreads();
    }

    /// Those of the listed tiles, put in the order of columns: mostly as far from the end of their row as these are from the beginning.
    __device__ void look_across() {
        constexpr int side_by_side = 3,
                      turns_here = (tiles_room / block_threads + side_by_side - 1) / side_by_side;
        held_tile found[turns_here][side_by_side];
        unsigned place[turns_here][side_by_side];
#pragma unroll
        for (int i = 0; i < turns_here; ++i) {
            if (static_cast<unsigned>(i * side_by_side) * block_threads >= tiles_) break;
            std::uint32_t column[side_by_side];
            unsigned missed = 0;
#pragma unroll
            for (int j = 0; j < side_by_side; ++j) {
                const unsigned k = threadIdx.x + static_cast<unsigned>(i * side_by_side + j) * block_threads;
                place[i][j] = none;
                if (k >= tiles_) continue;
                const listed_tile mine = h_.listed()[k];
                if (mine.slot >= columns_room) continue;
                const held_column of = h_.column()[mine.slot];
                place[i][j] = of.first() + mine.rank;
                column[j] = of.column;
                const auto [begin, end] = s_.out.range(of.column);
                header h{};
                if (mine.place < end - begin) h = s_.out.headers[end - 1 - mine.place];
                if (mine.place >= end - begin || h.column != row_at(mine.row)) missed |= 1u << j;
                found[i][j] = {h.start, h.occupied, h.reach, mine.row};
            }
#pragma unroll
            for (int j = 0; j < side_by_side; ++j)
                if (missed >> j & 1) {
                    const header h = across(row_at(found[i][j].row), column[j]);
                    found[i][j] = {h.start, h.occupied, h.reach, found[i][j].row};
                }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < turns_here; ++i)
#pragma unroll
            for (int j = 0; j < side_by_side; ++j) {
                if (static_cast<unsigned>(i * side_by_side) * block_threads >= tiles_) return;
                if (place[i][j] != none) h_.tile()[place[i][j]] = found[i][j];
            }
    }
};

}  // namespace nz::kernels::cuda::tiled::held
