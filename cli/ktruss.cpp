// nz ktruss: the edges that are in enough triangles among themselves.
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct ktruss_settings : vertex_settings {
    offset_t k = 0;
    std::string edges;
};

int run_ktruss(const ktruss_settings& s) {
    if (!s.edges.empty()) check_output(s.edges);
    check_different(s.output, s.edges);
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    const truss_options o{s.k, s.kernel};
    std::optional<truss_result> found;
    vertex_report r{"ktruss"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(truss(graph.ctx, graph.matrix(), o)); });
    r.kernel = kernel_of(found->plan);
    r.subject = "edges of the truss";
    r.proof = "taking away one edge at a time leaves the same edges and triangles";
    if (s.validate) r.breach = validate_truss(graph.ctx, graph.matrix(), found->k, found->edges);
    if (!s.edges.empty()) save(graph.ctx, found->edges, s.edges);
    r.headline = fmt::format(
        "the {}-truss{} has {} and {}; {} in {}", found->k, s.k ? "" : " is the deepest and",
        count_text(found->vertices, "vertex", "vertices"), count_text(found->count, "edge", "edges"),
        count_text(found->rounds, "round", "rounds"), time_text(r.ms));
    r.facts = {{"k", found->k},
               {"vertices", found->vertices},
               {"edges", found->count},
               {"rounds", found->rounds},
               {"plan", found->plan}};
    r.explanation = {fmt::format(
        "A round counts the triangles of every edge by three masked products and drops edges of too few; the last "
        "product: {}.",
        found->plan)};
    r.columns = {{"edges", found->degrees}};
    r.first = largest(found->degrees, static_cast<int>(std::min<offset_t>(s.top, found->vertices)));
    return conclude(s, graph, r);
}

}  // namespace

void add_ktruss(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("ktruss", "The k-truss: edges in k - 2 triangles or more of such edges");
    const auto s = std::make_shared<ktruss_settings>();
    add_vertex_verb(*verb, *s, "Print so many vertices of most edges left", "edges");
    verb->add_option("-k,--k", s->k, "Which truss, from 2 (default: the deepest that has an edge)")
        ->check(CLI::Range(offset_t{2}, max_dimension))
        ->option_text("K");
    verb->add_option("--edges", s->edges,
                     "Write the truss as a graph, its values the triangles of each edge, to this file")
        ->option_text("FILE");
    add_kernel(*verb, *s, kernels::known_ids("mxm") + ", reference",
               "Run this kernel of mxm for the masked products, or fail");
    verb->footer(
        "Example: nz ktruss rmat:14,16 -k 8 --validate --edges truss.mtx\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count. Validation merges lists on one\n"
        "thread, which takes minutes for large graphs with hubs.");
    verb->callback([&run, s] { run = [s] { return run_ktruss(*s); }; });
}

}  // namespace nz::cli
