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
/// Sources of the verbs that take some or all, each once: those named, or so many random ones with edges out, or every vertex.
struct source_sample {
    std::vector<std::int64_t> named;
    int random = 4;
    bool all = false;
};
/// `count` different vertices with edges out, or all where there are fewer.
std::vector<offset_t> random_sources(const matrix& a, offset_t count, std::uint64_t seed);
/// --source ID, --sources-random K, --all.
void add_source_sample(CLI::App& verb, source_sample& sample);
/// Throws usage_error for an id that is not there, and where random vertices with edges out are asked for and there are none.
std::vector<offset_t> sampled_sources(const loaded& in, const source_sample& sample, std::uint64_t seed);
/// The vertex with this name in the input. Throws usage_error where there is none.
offset_t vertex_named(const loaded& in, std::int64_t name);
/// Throws usage_error unless the matrix is square and has vertices.
void check_graph(const matrix& a);

/// The vertices that the source of the graph calls so; without any, the first with most edges out. Throws usage_error
/// for a graph that is not square or empty and for an id that is not there.
source_choice choose_sources(const loaded& in, const std::vector<std::int64_t>& asked);

}  // namespace nz::cli
