// Rows of tiles of a matvec by AVX-512 (core/wide_tiles.hpp), where the machine has it, which is known at run time: plus of floats, of
// products with u or of u alone. Other semirings, and tiles of 32 and 64 with every entry of u there, by plain loops.
//
// Determinism: the plain loops' bits.
// Figures: tile_row.hpp, tile_column.hpp. Tried without gain: presence in 16 tiles at once by a gather (rows of tiles have 4 to 15; at 0.001
//   0.63 to 1.15 of the speed); entries added one by one as their bits are found (0.6 to 1.2 of it at 0.1, the latter in a band's full
//   tiles), or in rounds with products of -0 where u has nothing; a lone tile by the plain loop (laplace2d:1000 a little faster at 0.01,
//   bands and blocks 1.2 to 1.4 times the time at 0.001); 64 entries at a time by bytes (AVX-512 VBMI2: up to 15% less, on fewer
//   machines); tiles of 32 and 64 with every entry of u by gathers of its values (float64 0.5 to 0.8 of the plain loop's speed on meshes,
//   float32 0.9 to 1.5); lists made by a plain loop, for machines without AVX-512 (0.8 to 1.3 of the speed).
#pragma once

#include "core/wide_tiles.hpp"
#include "kernels/cpu/mxv/common_tile.hpp"

#include <algorithm>
#include <type_traits>

namespace nz::kernels::cpu {

/// Whether AVX-512 has this cell's operators.
template <class Cell>
inline constexpr bool wide_cell =
    have_wide_tiles && std::is_floating_point_v<typename Cell::value> && Cell::add_id == binary_id::plus &&
    (Cell::multiply_id == binary_id::times || Cell::multiply_id == binary_id::second);

/// A tile_reader that sums by AVX-512.
template <class Cell, bool Constant, bool Gaps, class Local>
class wide_tile_reader : public tile_reader<Cell, Constant, Gaps, Local> {
    using base = tile_reader<Cell, Constant, Gaps, Local>;
    using typename base::sums;
    static_assert(Gaps || sizeof(Local) == 1);

public:
    using typename base::V;

    explicit wide_tile_reader(const mxv_arguments& a)
        : base(a), wide_{a.tiles.size,
                         a.tiles.tile_columns,
                         a.tiles.entry_starts,
                         static_cast<const Local*>(a.tiles.row_starts),
                         base::locals,
                         a.tiles.outside_values,
                         base::values,
                         base::u,
                         a.u_size} {}

    /// As tile_reader's.
    [[gnu::noinline]] bits::word write_rows(index_t tile_row, bits::word here, V* out) const {
        const auto& tiles = this->tiles;
        const storage::tile_range of_row = tiles.tile_ranges[tile_row],
                                  outside = tiles.extracted_ranges[tile_row];
        sums s;
        if constexpr (Gaps) {
            const index_t first_row = tile_row * tiles.size;
            add_met(of_row.begin, of_row.end, s);
            for (std::uint32_t e = outside.begin; e < outside.end; ++e) this->add_outside(first_row, e, s);
        } else {
            s.met = wide_.sum(of_row.begin, of_row.end, s.value.data());
            s.met |= wide_.add_outside(tiles.extracted_rows, tiles.extracted_columns, outside.begin,
                                       outside.end, s.value.data());
        }
        const bits::word met = s.met & here;
        if (met) wide_.write(s.value.data(), met, out + offset_t{tile_row} * tiles.size);
        return met;
    }

private:
    static constexpr int most_tiles = 64;

    /// Adds what u meets in tiles [tile, last): the first is looked for with a branch, as often there is none, the others are listed without.
    void add_met(std::uint32_t tile, std::uint32_t last, sums& s) const {
        while (tile < last && !this->present_in(this->tiles.tile_columns[tile])) ++tile;
        if (tile == last) return;
        std::fill_n(s.value.begin(), sizeof(Local) == 1 ? 16 : this->tiles.size, -V(0));
        while (tile < last) {
            std::array<std::uint32_t, most_tiles> met;
            std::array<std::uint64_t, most_tiles> there;
            int count = 0;
            for (const auto stop = std::min<std::uint32_t>(last, tile + most_tiles); tile < stop; ++tile) {
                met[count] = tile;
                there[count] = this->present_in(this->tiles.tile_columns[tile]);
                count += there[count] != 0;
            }
            if (count) s.met |= wide_.add_met(met.data(), there.data(), count, s.value.data());
        }
    }

    wide_tiles<V, Local, Cell::reads_a, Constant> wide_;
};

/// Calls f(reader) with the reader for what the arguments hold; `wide`: the machine has AVX-512, and it is to be used.
template <class Cell, class F>
void with_tile_reader(const mxv_arguments& a, bool wide, F&& f) {
    const auto by_local = [&]<bool Constant, bool Gaps, class Local>(std::type_identity<Local>) {
        if constexpr (wide_cell<Cell> && (Gaps || sizeof(Local) == 1))
            if (wide) return f(wide_tile_reader<Cell, Constant, Gaps, Local>(a));
        f(tile_reader<Cell, Constant, Gaps, Local>(a));
    };
    const auto by_size = [&]<bool Constant, bool Gaps>() {
        if (a.tiles.size == 16)
            by_local.template operator()<Constant, Gaps>(std::type_identity<std::uint8_t>());
        else
            by_local.template operator()<Constant, Gaps>(std::type_identity<std::uint16_t>());
    };
    if (a.constant || !Cell::reads_a)
        a.u_present ? by_size.template operator()<true, true>() : by_size.template operator()<true, false>();
    else if constexpr (Cell::reads_a)
        a.u_present ? by_size.template operator()<false, true>()
                    : by_size.template operator()<false, false>();
}

}  // namespace nz::kernels::cpu
