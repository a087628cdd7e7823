#include "sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

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
                fmt::format("source {} is not a vertex: the graph has {} vertices, from 0 on", name, n));
        return name;
    }
    const auto found = std::ranges::lower_bound(ids, name);
    if (found == ids.end() || *found != name)
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

void add_source_sample(CLI::App& verb, source_sample& sample) {
    add_sources(verb, sample.named);
    verb.get_option("--source")
        ->description("Source, by the input's own id; may be given again for more, each counts once");
    verb.add_option("--sources-random", sample.random,
                    fmt::format("Without --source: so many random vertices with edges out (default {})",
                                sample.random))
        ->check(CLI::Range(1, 1000000))
        ->excludes("--source")
        ->option_text("K");
    verb.add_flag("--all", sample.all, "From every vertex: exact")
        ->excludes("--source")
        ->excludes("--sources-random")
        ->option_text(" ");  // else "Excludes: ..." stands in the help
}

std::vector<offset_t> sampled_sources(const loaded& in, const source_sample& sample, std::uint64_t seed) {
    const matrix& a = in.matrix();
    std::vector<offset_t> chosen;
    if (sample.all) {
        chosen.resize(static_cast<std::size_t>(a.rows()));
        std::iota(chosen.begin(), chosen.end(), offset_t{0});
        return chosen;
    }
    for (const auto name : sample.named) {
        const offset_t vertex = vertex_named(in, name);
        if (std::ranges::find(chosen, vertex) == chosen.end()) chosen.push_back(vertex);
    }
    if (!chosen.empty()) return chosen;
    if (a.nnz() == 0) throw usage_error("no vertex has an edge out: name a --source");
    return random_sources(a, sample.random, seed);
}

std::vector<offset_t> random_sources(const matrix& a, offset_t count, std::uint64_t seed) {
    const structure rows(a);
    std::vector<offset_t> vertices;
    for (offset_t v = 0; v < rows.rows(); ++v)
        if (rows.length(v) > 0) vertices.push_back(v);
    const std::size_t wanted = std::min(static_cast<std::size_t>(count), vertices.size());
    std::mt19937_64 random(seed);
    for (std::size_t k = 0; k < wanted; ++k)
        std::swap(vertices[k], vertices[k + random() % (vertices.size() - k)]);
    vertices.resize(wanted);
    return vertices;
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
