// Rows of tiles of a matvec: the sums of 16, 32 or 64 rows, over the tiles that meet an entry of u and the entries
// outside tiles. Shared by tile_row and tile_column.
#pragma once

#include "algebra/cell.hpp"
#include "core/bits.hpp"
#include "kernels/mxv_arguments.hpp"

#include <array>
#include <bit>

namespace nz::kernels::cpu {

/// How a row of tiles is summed, settled once a call: whether values are an array or a constant, whether u has gaps,
/// and how wide an entry's packed place in its tile is.
template <class Cell, bool Constant, bool Gaps, class Local>
struct tile_reader {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr int most_size = sizeof(Local) == 1 ? 16 : 64, column_bits = sizeof(Local) == 1 ? 4 : 6;

    const value_tile_arguments& tiles;
    const T* values;
    const T* u;
    const bits::word* present;
    const Local* locals;

    explicit tile_reader(const mxv_arguments& a)
        : tiles(a.tiles),
          values(static_cast<const T*>(a.values)),
          u(static_cast<const T*>(a.u_values)),
          present(a.u_present),
          locals(static_cast<const Local*>(a.tiles.locals)) {}

    /// The sums of some rows, bit r of `met` where row r has one; `rows` is what `met` is or will be.
    struct sums {
        std::array<V, most_size> value;
        std::array<index_t, Cell::first_wins ? most_size : 1> column;  // where the first came from
        std::uint64_t met = 0;

        void add(std::uint64_t& rows, int r, index_t j, V x) {
            if (!(rows >> r & 1)) {
                rows |= std::uint64_t{1} << r;
                value[r] = x;
                if constexpr (Cell::first_wins) column[r] = j;
            } else if constexpr (!Cell::first_wins) {
                value[r] = Cell::add(value[r], x);
            } else if (j < column[r]) {  // an entry outside tiles may come before those in them
                value[r] = x;
                column[r] = j;
            }
        }
    };

    /// The bits of u's presence in tile column c.
    std::uint64_t present_in(index_t c) const {
        if constexpr (!Gaps) return ~std::uint64_t{0};
        const offset_t first = offset_t{c} * tiles.size;
        return present[first >> 6] >> (first & 63) &
               (tiles.size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << tiles.size) - 1);
    }
    V product(index_t i, index_t j, offset_t place) const {
        T x{}, y{};
        if constexpr (Cell::reads_a) x = values[Constant ? 0 : place];
        if constexpr (Cell::reads_b) y = u[j];
        return Cell::multiply(x, y, i, j);
    }
    void add_tile(index_t first_row, std::uint32_t tile, sums& s) const {
        const index_t c = tiles.tile_columns[tile];
        const std::uint64_t there = present_in(c);
        if (!there) return;
        const index_t first_column = c * tiles.size;
        std::uint64_t met = s.met;  // a register's: in memory each entry would wait for the one before
        for (offset_t e = tiles.entry_starts[tile]; e < tiles.entry_starts[tile + 1]; ++e) {
            const int local = locals[e], r = local >> column_bits, k = local & ((1 << column_bits) - 1);
            if (Gaps && !(there >> k & 1)) continue;
            const index_t j = first_column + k;
            s.add(met, r, j, product(first_row + r, j, e));
        }
        s.met = met;
    }
    void add_outside(index_t first_row, std::uint32_t e, sums& s) const {
        const index_t j = tiles.extracted_columns[e];
        if (Gaps && !bits::test(present, j)) return;
        const int r = tiles.extracted_rows[e];
        s.add(s.met, r, j, product(first_row + r, j, tiles.outside_values + e));
    }
    sums sum(index_t tile_row) const {
        sums s;
        const index_t first_row = tile_row * tiles.size;
        const storage::tile_range here = tiles.tile_ranges[tile_row],
                                  outside = tiles.extracted_ranges[tile_row];
        for (std::uint32_t k = here.begin; k < here.end; ++k) add_tile(first_row, k, s);
        for (std::uint32_t e = outside.begin; e < outside.end; ++e) add_outside(first_row, e, s);
        return s;
    }
    /// Writes the rows of a row of tiles that `here` has a bit for; returns those that have a sum. Inlined in its caller, GCC keeps what
    /// entries need in vector registers for want of others: two times the time.
    [[gnu::noinline]] bits::word write_rows(index_t tile_row, bits::word here, V* out) const {
        const sums s = sum(tile_row);
        const bits::word met = s.met & here;
        bits::for_each(met, 0, [&](offset_t r) { out[offset_t{tile_row} * tiles.size + r] = s.value[r]; });
        return met;
    }
};

/// Writes the rows of word w of the output, 64 of them: those of its rows of tiles for which `wanted`.
template <class Reader, class Wanted>
void write_tile_rows(const Reader& reader, const mxv_arguments& a, std::size_t w, Wanted&& wanted) {
    const bits::word allowed =
        (a.mask ? (a.complement ? ~a.mask[w] : a.mask[w]) : ~bits::word{0}) & bits::valid(a.output_size, w);
    auto* out = static_cast<typename Reader::V*>(a.out_values);
    bits::word found = 0;
    const int size = a.tiles.size;
    for (int part = 0; part < bits::per_word; part += size) {
        const bits::word here = allowed >> part & (size == 64 ? ~bits::word{0} : (bits::word{1} << size) - 1);
        const auto tile_row = static_cast<index_t>((static_cast<offset_t>(w) * bits::per_word + part) / size);
        if (!here || !wanted(tile_row)) continue;
        found |= reader.write_rows(tile_row, here, out) << part;
    }
    if (a.out_present) a.out_present[w] = found;
}

}  // namespace nz::kernels::cpu
