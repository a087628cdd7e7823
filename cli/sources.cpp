#include "sources.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz::cli {
namespace {

offset_t vertex_of_largest_degree(const matrix& a) {
    const structure rows(a);
    offset_t best = 0;
    for (offset_t v = 1; v < rows.rows(); ++v)
        if (rows.length(v) > rows.length(best)) best = v;
    return best;
}

}  // namespace

offset_t vertex_named(const loaded& in, std::int64_t name) {
    const auto& ids = in.input.original_ids;
    const offset_t n = in.matrix().rows();
    if (ids.empty()) {
        if (name < 0 || name >= n)
            throw usage_error(
                fmt::format("source {} is not a vertex: the graph has vertices 0 to {}", name, n - 1));
        return name;
    }
    const auto found = std::ranges::find(ids, name);
    if (found == ids.end())
        throw usage_error(fmt::format("source {} is not a vertex: no vertex of the graph has this id", name));
    return found - ids.begin();
}

void check_graph(const matrix& a) {
    if (a.rows() != a.columns())
        throw usage_error(
            fmt::format("the matrix is {} x {}: a graph needs a square one", a.rows(), a.columns()));
    if (a.rows() == 0) throw usage_error("the graph has no vertices");
}

void add_sources(CLI::App& verb, std::vector<std::int64_t>& sources) {
    verb.add_option("--source", sources,
                    "Vertex to start from, by the input's own id; may be given again for more\n"
                    "searches (default: the first vertex with most edges out)")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->option_text("ID");
}

source_choice choose_sources(const loaded& in, const std::vector<std::int64_t>& asked) {
    const matrix& a = in.matrix();
    check_graph(a);
    source_choice chosen;
    for (const auto name : asked) chosen.vertices.push_back(vertex_named(in, name));
    if (chosen.vertices.empty()) {
        chosen.vertices.push_back(vertex_of_largest_degree(a));
        chosen.note = fmt::format(" (largest degree: {})", count_text(structure(a).length(chosen.vertices[0]),
                                                                      "edge out", "edges out"));
    }
    return chosen;
}

}  // namespace nz::cli
