// What the two forms of nz bfs share: from one source at a time (bfs.cpp), from many at once (bfs_many.cpp).
#pragma once

#include "common.hpp"

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

    bool many() const { return !many_sources.empty() || random_sources > 0; }
};

/// The vertex with this name in the input. Throws usage_error where there is none.
offset_t vertex_named(const loaded& in, std::int64_t name);
/// Throws usage_error unless the matrix is square and has vertices.
void check_graph(const matrix& a);

int run_bfs_many(const bfs_settings& s);

}  // namespace nz::cli
