// Memory of select on a GPU, where a warp looks at a tile of entries.
#pragma once

#include "nonzero/types.hpp"
#include "plan/workspace.hpp"

#include <cstdint>

namespace nz::plan {

inline constexpr offset_t select_tile = 1024, select_word = 32;

constexpr offset_t select_tiles(offset_t entries) { return (entries + select_tile - 1) / select_tile; }
constexpr offset_t select_words(offset_t entries) {
    return select_tiles(entries) * (select_tile / select_word);
}

/// What count leaves: a bit an entry; of each word how many bits its tile has before it; of each tile how many all before it have.
struct select_parts {
    std::uint32_t* words;
    std::uint16_t* before;
    offset_t* starts;  ///< [tiles + 1]

    select_parts(void* workspace, offset_t entries) {
        workspace_parts parts(workspace);
        words = parts.take<std::uint32_t>(select_words(entries));
        before = parts.take<std::uint16_t>(select_words(entries));
        starts = parts.take<offset_t>(select_tiles(entries) + 1);
    }
};

constexpr std::size_t select_workspace(offset_t entries) {
    const auto words = static_cast<std::size_t>(select_words(entries)),
               tiles = static_cast<std::size_t>(select_tiles(entries));
    return padded(words * sizeof(std::uint32_t)) + padded(words * sizeof(std::uint16_t)) +
           padded((tiles + 1) * sizeof(offset_t));
}

}  // namespace nz::plan
