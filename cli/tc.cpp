// nz tc: triangles, in all and of each vertex.
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct tc_settings : vertex_settings {
    bool per_vertex = false;
};

int run_tc(const tc_settings& s) {
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    const triangles_options o{s.per_vertex || !s.output.empty(), s.kernel};
    std::optional<triangles_result> found;
    vertex_report r{"tc"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(triangles(graph.ctx, graph.matrix(), o)); });
    r.kernel = kernel_of(found->plan);
    r.subject = "triangles";
    r.proof = "common neighbours edge by edge say the same";
    if (s.validate) r.breach = validate_triangles(graph.ctx, graph.matrix(), *found);
    r.headline = fmt::format("{} in {}", count_text(found->total, "triangle", "triangles"), time_text(r.ms));
    r.facts = {{"triangles", found->total}, {"wedges", found->wedges}, {"plan", found->plan}};
    r.explanation = {
        "Edges run from smaller to larger degree; C<U> = U U over (plus, pair) counts the paths of two that an "
        "edge closes.",
        found->plan, fmt::format("{} looked at", count_text(found->wedges, "path of two", "paths of two"))};
    if (o.per_vertex) {
        r.columns = {{"triangles", found->counts}, {"clustering", found->clustering}};
        r.first = largest(found->counts, s.top);
    }
    return conclude(s, graph, r);
}

}  // namespace

void add_tc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("tc", "Triangles, and clustering coefficients of the vertices");
    const auto s = std::make_shared<tc_settings>();
    add_vertex_verb(*verb, *s, "With --per-vertex, print so many vertices of most triangles",
                    "triangles clustering");
    verb->add_flag("--per-vertex", s->per_vertex, "Triangles and clustering coefficient of each vertex too");
    add_kernel(*verb, *s, kernels::known_ids("mxm") + ", reference",
               "Run this kernel of mxm for the masked product, or fail");
    verb->footer(
        "Example: nz tc rmat:16,16 --per-vertex --validate\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count. Validation merges lists on one\n"
        "thread, which takes minutes for large graphs with hubs.");
    verb->callback([&run, s] { run = [s] { return run_tc(*s); }; });
}

}  // namespace nz::cli
