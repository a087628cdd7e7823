// What the two forms of nz bfs share: from one source at a time (bfs.cpp), from many at once (bfs_many.cpp).
#pragma once

#include "common.hpp"
#include "nonzero/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nz::cli {

struct bfs_settings : settings {
    std::vector<std::int64_t> sources;  // as the source of the graph names them
    std::string many_sources;           // --sources: a list or a file
    int random_sources = 0;
    bool levels = false;
    offset_t max_depth = -1;
    std::string switches;  // empty: all
    bool hub_first = false;
    tiling tiles;

    bool many() const { return !many_sources.empty() || random_sources > 0; }
};

/// What --kernel may be with many sources, joined with ", ".
std::string kernels_of_many_sources();
bool is_of_many_sources(const std::string& kernel);
int run_bfs_many(const bfs_settings& s);

}  // namespace nz::cli
