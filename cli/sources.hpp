// The vertices that searches start from.
#pragma once

#include "common.hpp"

namespace nz::cli {

struct source_choice {
    std::vector<offset_t> vertices;
    std::string note;  ///< why this source, when nobody asked for it
};

/// --source ID, which may be given again.
void add_sources(CLI::App& verb, std::vector<std::int64_t>& sources);
/// The vertex with this name in the input. Throws usage_error where there is none.
offset_t vertex_named(const loaded& in, std::int64_t name);
/// Throws usage_error unless the matrix is square and has vertices.
void check_graph(const matrix& a);

/// The vertices that the source of the graph calls so; without any, the first with most edges out. Throws usage_error
/// for a graph that is not square or empty and for an id that is not there.
source_choice choose_sources(const loaded& in, const std::vector<std::int64_t>& asked);

}  // namespace nz::cli
