// mxm/two_level_sort on a GPU: its tiles of products, and the bytes that it needs. Stated by the plan, laid out by the kernels.
#pragma once

#include "plan/workspace.hpp"

#include <cstdint>

namespace nz::plan {

/// Products that a block sorts at once: their numbers stand below the columns in a key, and in 16 bits beside a flag.
inline constexpr int sort_tile_bits = 12;
inline constexpr offset_t sort_tile = offset_t{1} << sort_tile_bits;
/// Warps of the block, which have equal shares of them.
inline constexpr int sort_warps = 8;
constexpr offset_t sort_tiles(offset_t products) { return (products + sort_tile - 1) / sort_tile; }

/// Bits that tell so many columns, or rows, apart.
constexpr int bits_of_column(index_t columns) {
    int bits = 0;
    while ((offset_t{columns} - 1) >> bits > 0) ++bits;
    return bits;
}

/// Rows that are told apart before they are sorted: of more products than a tile, from few entries of A. Their tiles are ranges of columns,
/// each of which holds all products of its places.
inline constexpr offset_t most_ranged_entries = 512, most_ranged_products = offset_t{1} << 30;
constexpr bool is_ranged(offset_t products, offset_t entries) {
    return products > sort_tile && products <= most_ranged_products && entries <= most_ranged_entries;
}
/// Tiles of such a row. A range ends before the column whose products reach over its equal share, and an entry of A has a column once:
/// it has less than the share and as many as the row has entries beside.
constexpr offset_t range_tiles(offset_t products, offset_t entries) {
    const offset_t share = sort_tile - entries;
    return (products + share - 1) / share;
}
/// Products of the row that its first `tile` ranges share.
constexpr offset_t range_target(offset_t products, offset_t tiles, offset_t tile) {
    return products * tile / tiles;
}
/// The tiles of all ranged rows are less than this.
constexpr offset_t most_range_tiles(offset_t products) { return products / (sort_tile / 2) + 1; }

/// Tiles of ranged rows, and slots: tiles times their rows' entries of A.
struct range_start {
    offset_t tiles, slots;
};

/// What goes with entries of A, and with its rows.
struct mxm_sort_entries {
    offset_t* starts;       ///< [entries of A + 1] products before each, without those of ranged rows
    offset_t* of_b;         ///< where an entry's row of B begins, less starts: its products' entries of B
    index_t* rows;          ///< each entry's
    std::uint32_t* ranged;  ///< bits of the entries whose rows are ranged
    range_start* ranges;    ///< [rows + 1] of the ranged rows before
    void* scan;
    std::size_t scan_bytes;

    mxm_sort_entries(void* memory, index_t rows_of_a, offset_t a_entries, std::size_t scan)
        : scan_bytes(scan) {
        workspace_parts parts(memory);
        starts = parts.take<offset_t>(a_entries + 1);
        of_b = parts.take<offset_t>(a_entries);
        rows = parts.take<index_t>(a_entries);
        ranged = parts.take<std::uint32_t>((a_entries + 31) / 32);
        ranges = parts.take<range_start>(offset_t{rows_of_a} + 1);
        this->scan = parts.take<std::byte>(static_cast<offset_t>(scan));
    }
};
constexpr std::size_t mxm_sort_entry_bytes(index_t rows, offset_t a_entries, std::size_t scan_bytes) {
    const auto n = static_cast<std::size_t>(a_entries), m = static_cast<std::size_t>(rows);
    return padded((n + 1) * sizeof(offset_t)) + padded(n * sizeof(offset_t)) + padded(n * sizeof(index_t)) +
           padded((n + 31) / 32 * sizeof(std::uint32_t)) + padded((m + 1) * sizeof(range_start)) +
           padded(scan_bytes);
}

/// What a tile leaves of its order, of either kind.
struct mxm_tile_orders {
    std::uint16_t* turns;        ///< [tiles * sort_tile] where a tile's products stand in its order
    std::uint32_t* firsts;       ///< [tiles * sort_tile / 32] of the order the first of each place, 32 a word
    std::uint16_t* warp_places;  ///< [tiles * sort_warps] places that begin in each warp's share of a tile

    mxm_tile_orders(workspace_parts& parts, offset_t tiles)
        : turns(parts.take<std::uint16_t>(tiles * sort_tile)),
          firsts(parts.take<std::uint32_t>(tiles * sort_tile / 32)),
          warp_places(parts.take<std::uint16_t>(tiles * sort_warps)) {}
};
constexpr std::size_t mxm_tile_order_bytes(offset_t tiles) {
    const auto n = static_cast<std::size_t>(tiles);
    return padded(n * sort_tile * sizeof(std::uint16_t)) +
           padded(n * sort_tile / 32 * sizeof(std::uint32_t)) +
           padded(n * sort_warps * sizeof(std::uint16_t));
}

/// What goes with the products of all other rows and their tiles. A row is cut where its products lie in several.
struct mxm_sort_parts : mxm_sort_entries {
    mxm_tile_orders orders;
    offset_t* entries;                    ///< [tiles + 1] the entry of A that has a tile's first product
    index_t* cut_rows;                    ///< [tiles + 1] the row cut where a tile begins, or -1
    index_t* ranks;                       ///< [tiles + 1] cut rows up to there, each counted once
    offset_t* rooms;                      ///< [tiles + 1] products of cut rows in the tiles before
    index_t *first_places, *last_places;  ///< places in a tile of the cut row it begins with, and ends with
    offset_t* cut_starts;                 ///< [tiles + 1] such places in the tiles before
    offset_t* most_runs;  ///< [1] tiles that the products of one row lie in, at most; 0: no more than two

    mxm_sort_parts(const mxm_sort_entries& of_a, void* memory, offset_t products)
        : mxm_sort_parts(of_a, workspace_parts(memory), sort_tiles(products)) {}

private:
    mxm_sort_parts(const mxm_sort_entries& of_a, workspace_parts parts, offset_t tiles)
        : mxm_sort_entries(of_a), orders(parts, tiles) {
        entries = parts.take<offset_t>(tiles + 1);
        cut_rows = parts.take<index_t>(tiles + 1);
        ranks = parts.take<index_t>(tiles + 1);
        rooms = parts.take<offset_t>(tiles + 1);
        first_places = parts.take<index_t>(tiles + 1);
        last_places = parts.take<index_t>(tiles + 1);
        cut_starts = parts.take<offset_t>(tiles + 1);
        most_runs = parts.take<offset_t>(1);
    }
};
constexpr std::size_t mxm_sort_bytes(offset_t products) {
    const auto tiles = static_cast<std::size_t>(sort_tiles(products)) + 1;
    return mxm_tile_order_bytes(sort_tiles(products)) + 3 * padded(tiles * sizeof(offset_t)) +
           4 * padded(tiles * sizeof(index_t)) + padded(sizeof(offset_t));
}

/// Where a range begins: at one of these columns, the first up to which there are more products than wanted.
struct range_cut {
    index_t low, high;
    int wanted;
};
/// What goes with the tiles of ranged rows, of which a row has two at least.
struct mxm_range_parts {
    mxm_tile_orders orders;
    index_t* rows;    ///< [tiles]
    index_t* begins;  ///< [slots] of a tile and each entry of its row: what of B's row lies before the range
    index_t* places;  ///< [tiles] of each
    offset_t* place_starts;  ///< [tiles + 1] of the tiles before
    range_cut* cuts;         ///< [tiles]
    index_t* listed;         ///< ranged rows, in any order
    int* rows_listed;        ///< [1]

    mxm_range_parts(void* memory, offset_t tiles, offset_t slots)
        : mxm_range_parts(workspace_parts(memory), tiles, slots) {}

private:
    mxm_range_parts(workspace_parts parts, offset_t tiles, offset_t slots) : orders(parts, tiles) {
        rows = parts.take<index_t>(tiles);
        begins = parts.take<index_t>(slots);
        places = parts.take<index_t>(tiles);
        place_starts = parts.take<offset_t>(tiles + 1);
        cuts = parts.take<range_cut>(tiles);
        listed = parts.take<index_t>(tiles / 2);
        rows_listed = parts.take<int>(1);
    }
};
constexpr std::size_t mxm_range_bytes(offset_t tiles, offset_t slots) {
    if (tiles == 0) return 0;
    const auto n = static_cast<std::size_t>(tiles);
    return mxm_tile_order_bytes(tiles) + 2 * padded(n * sizeof(index_t)) +
           padded(static_cast<std::size_t>(slots) * sizeof(index_t)) + padded((n + 1) * sizeof(offset_t)) +
           padded(n * sizeof(range_cut)) + padded(n / 2 * sizeof(index_t)) + padded(sizeof(int));
}

/// Places of cut rows go through tiles once more where no row lies in more tiles than this: a cut there is looked for in all of them, and has
/// so many cuts itself. Else the device sorts them.
inline constexpr offset_t most_cut_runs = 1024;
constexpr bool cut_by_tiles(offset_t most_runs) { return most_runs <= most_cut_runs; }

/// The places that one tile found of a cut row, in the order of their columns.
struct mxm_cut_run {
    offset_t columns;  ///< where these stand
    offset_t sums;     ///< where their sums do: places of the runs before
    index_t places;
    index_t rank;  ///< which of the cut rows it is
};
/// Runs of a row, where `most_runs` says so, else two.
constexpr offset_t mxm_runs_at_most(offset_t most_runs) { return most_runs > 2 ? most_runs : 2; }
/// A cut between places of cut rows, which go by row, then column, then run.
struct mxm_cut_bound {
    index_t rank, first_run, end_run;  ///< the row that goes on, or begins, behind it, and its runs
    bool begins_row = true,
         continues = false;  ///< whether it begins there; whether places of the same column lie before
};
/// Tiles of places of cut rows.
constexpr offset_t mxm_cut_tiles(offset_t places) { return sort_tiles(places); }

/// No place of a tile has its sum before this: a row has those of most_cut_runs tiles at most.
constexpr offset_t first_source(offset_t tile) { return (tile - most_cut_runs) * sort_tile; }
/// Flags of a place in its tile: the first of its column, and of its row, which for the tile's first place is not said.
inline constexpr unsigned source_first = 1u << 31, source_row = 1u << 30, source_place = source_row - 1;
static_assert((2 * most_cut_runs + 1) * sort_tile <= offset_t{source_place});

/// What goes with the places of cut rows that tiles found, and the tiles that these are cut into once more.
struct mxm_cut_parts {
    mxm_cut_run* runs;                              ///< row by row, in a row tile by tile
    index_t *row_of_rank, *first_tile, *last_tile;  ///< [cut rows]
    index_t* run_starts;                            ///< [cut rows + 1] runs before each
    index_t* row_firsts;                            ///< [cut rows] distinct places before the row in its tile
    offset_t* row_starts;   ///< [cut rows] where its entries begin in C, less distinct places before
    mxm_cut_bound* bounds;  ///< [tiles of places + 1]
    std::uint16_t*
        bound_places;  ///< [tiles of places + 1][runs_at_most] places of each of its row's runs that lie before a bound, but where the row begins
    offset_t* firsts;  ///< [tiles of places + 1] distinct places before
    index_t* tile_firsts;  ///< [tiles of places] in each
    std::uint32_t*
        sources;  ///< of a tile's places in order: where their sums stand, less first_source, below the flags
    index_t* columns;  ///< of a tile's distinct places, from where its places begin
    void* sums;        ///< of each place, in the order of runs
    void* carries;     ///< [tiles of places] what belongs to the last place of the tile before
    void* scan;
    std::size_t scan_bytes;
    offset_t runs_at_most;

    mxm_cut_parts(void* memory, offset_t places, index_t cut_rows, offset_t most_runs, offset_t products,
                  std::size_t value_bytes, std::size_t scan)
        : scan_bytes(scan), runs_at_most(mxm_runs_at_most(most_runs)) {
        workspace_parts parts(memory);
        const offset_t tiles = mxm_cut_tiles(places);
        runs = parts.take<mxm_cut_run>(sort_tiles(products) + cut_rows);
        row_of_rank = parts.take<index_t>(cut_rows);
        first_tile = parts.take<index_t>(cut_rows);
        last_tile = parts.take<index_t>(cut_rows);
        run_starts = parts.take<index_t>(offset_t{cut_rows} + 1);
        row_firsts = parts.take<index_t>(cut_rows);
        row_starts = parts.take<offset_t>(cut_rows);
        bounds = parts.take<mxm_cut_bound>(tiles + 1);
        bound_places = parts.take<std::uint16_t>((tiles + 1) * runs_at_most);
        firsts = parts.take<offset_t>(tiles + 1);
        tile_firsts = parts.take<index_t>(tiles);
        sources = parts.take<std::uint32_t>(places);
        columns = parts.take<index_t>(places);
        sums = parts.take<std::byte>(places * static_cast<offset_t>(value_bytes));
        carries = parts.take<std::byte>(tiles * static_cast<offset_t>(value_bytes));
        this->scan = parts.take<std::byte>(static_cast<offset_t>(scan));
    }
};
constexpr std::size_t mxm_cut_tiled_bytes(offset_t places, index_t cut_rows, offset_t most_runs,
                                          offset_t products, std::size_t value_bytes,
                                          std::size_t scan_bytes) {
    if (places == 0) return 0;
    const auto n = static_cast<std::size_t>(places), tiles = static_cast<std::size_t>(mxm_cut_tiles(places)),
               rows = static_cast<std::size_t>(cut_rows),
               runs = static_cast<std::size_t>(sort_tiles(products)) + rows;
    return padded(runs * sizeof(mxm_cut_run)) + 4 * padded(rows * sizeof(index_t)) +
           padded((rows + 1) * sizeof(index_t)) + padded(rows * sizeof(offset_t)) +
           padded((tiles + 1) * sizeof(mxm_cut_bound)) +
           padded((tiles + 1) * static_cast<std::size_t>(mxm_runs_at_most(most_runs)) *
                  sizeof(std::uint16_t)) +
           padded((tiles + 1) * sizeof(offset_t)) + padded(tiles * sizeof(index_t)) +
           padded(n * sizeof(std::uint32_t)) + padded(n * sizeof(index_t)) + padded(n * value_bytes) +
           padded(tiles * value_bytes) + padded(scan_bytes);
}

/// Bytes of a key that holds the rank of a cut row above a column.
constexpr int cut_key_bytes(index_t columns, index_t cut_rows) {
    return bits_of_column(columns) + bits_of_column(cut_rows) <= 32 ? 4 : 8;
}

/// The same where the device sorts the places: row by row, in a row tile by tile; `keys` sorted.
struct mxm_cut_sorted_parts {
    void *keys, *spare_keys;            ///< of key_bytes: the row's rank above, the column below
    std::uint32_t *from, *spare_from;   ///< which of the places a sorted one was
    std::uint32_t* numbers;             ///< distinct ones up to each sorted one
    index_t *row_of_rank, *before_row;  ///< [cut rows]; `before_row`: distinct ones before the row
    void* sums;                         ///< of each place, as tiles found them
    void* sort;
    std::size_t sort_bytes;
    int key_bytes;

    mxm_cut_sorted_parts(void* memory, offset_t places, index_t cut_rows, int key_bytes,
                         std::size_t value_bytes, std::size_t sort)
        : sort_bytes(sort), key_bytes(key_bytes) {
        workspace_parts parts(memory);
        keys = parts.take<std::byte>(places * key_bytes);
        spare_keys = parts.take<std::byte>(places * key_bytes);
        from = parts.take<std::uint32_t>(places);
        spare_from = parts.take<std::uint32_t>(places);
        numbers = parts.take<std::uint32_t>(places);
        row_of_rank = parts.take<index_t>(cut_rows);
        before_row = parts.take<index_t>(cut_rows);
        sums = parts.take<std::byte>(places * static_cast<offset_t>(value_bytes));
        this->sort = parts.take<std::byte>(static_cast<offset_t>(sort));
    }
};
constexpr std::size_t mxm_cut_sorted_bytes(offset_t places, index_t cut_rows, int key_bytes,
                                           std::size_t value_bytes, std::size_t sort_bytes) {
    const auto n = static_cast<std::size_t>(places);
    return 2 * padded(n * static_cast<std::size_t>(key_bytes)) + 3 * padded(n * 4) +
           2 * padded(static_cast<std::size_t>(cut_rows) * sizeof(index_t)) + padded(n * value_bytes) +
           padded(sort_bytes);
}

/// Either, for so many cut rows of as many columns and at most `most_runs` runs.
constexpr std::size_t mxm_cut_bytes(offset_t places, index_t cut_rows, offset_t most_runs, offset_t products,
                                    index_t columns, std::size_t value_bytes, std::size_t temporary_bytes) {
    return cut_by_tiles(most_runs)
               ? mxm_cut_tiled_bytes(places, cut_rows, most_runs, products, value_bytes, temporary_bytes)
               : mxm_cut_sorted_bytes(places, cut_rows, cut_key_bytes(columns, cut_rows), value_bytes,
                                      temporary_bytes);
}

}  // namespace nz::plan
