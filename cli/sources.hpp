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
/// The vertices that the source of the graph calls so; without any, the first with most edges out. Throws usage_error
/// for a graph that is not square or empty and for an id that is not there.
source_choice choose_sources(const loaded& in, const std::vector<std::int64_t>& asked);

}  // namespace nz::cli
