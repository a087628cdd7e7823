// The rule of traverse/tile (ji2022, 3.4): which of its three phases takes a level.
#pragma once

#include "nonzero/types.hpp"

#include <cstdint>
#include <string_view>

namespace nz::plan {

/// push_csc: from the frontier's vertices through the tiles of their rows. push_csr: tile rows with unvisited vertices through
/// the tiles that the frontier meets. pull_csc: the unvisited vertices through their tiles up to the first that is visited. held: as
/// push_csr, by a GPU's blocks that hold the tiles of their rows; all levels of a search or none.
enum class tile_phase : std::uint8_t { push_csc, push_csr, pull_csc, held };
constexpr std::string_view name_of(tile_phase p) {
    return p == tile_phase::push_csc   ? "push_csc"
           : p == tile_phase::push_csr ? "push_csr"
           : p == tile_phase::pull_csc ? "pull_csc"
                                       : "held";
}

struct tile_thresholds {
    double density = 0.01;   ///< frontier / vertices from which push_csr; the paper's
    double unvisited = 0.1;  ///< unvisited / vertices up to which they may be few
    /// ... and are, where there are no more than so many for each vertex of the frontier. The paper says only "small". Without
    /// this bound vertices that no edge leads to would be looked at again on every level of a deep graph.
    double unvisited_a_frontier = 1;

    friend bool operator==(const tile_thresholds&, const tile_thresholds&) = default;
};

struct tile_choice {
    tile_phase phase;
    double ratio;  ///< frontier / vertices
    std::string_view reason;
};

constexpr tile_choice choose_tile_phase(offset_t frontier, offset_t unvisited, offset_t vertices,
                                        const tile_thresholds& t) noexcept {
    const auto n = static_cast<double>(vertices > 0 ? vertices : 1);
    const auto f = static_cast<double>(frontier), u = static_cast<double>(unvisited);
    const double r = f / n;
    if (u <= t.unvisited * n && u <= t.unvisited_a_frontier * f)
        return {tile_phase::pull_csc, r, "few vertices are unvisited"};
    if (r >= t.density) return {tile_phase::push_csr, r, "the frontier is dense"};
    return {tile_phase::push_csc, r, "the frontier is sparse"};
}

}  // namespace nz::plan
