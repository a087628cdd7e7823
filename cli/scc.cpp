// nz scc: strongly connected components, how many and how large.
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

int run_scc(const vertex_settings& s) {
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    std::optional<strong_components_result> found;
    vertex_report r{"scc"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(strong_components(graph.ctx, graph.matrix())); });
    r.subject = "components";
    r.proof = "Tarjan's algorithm finds the same sets";
    if (s.validate) r.breach = validate_strong_components(graph.ctx, graph.matrix(), found->labels);
    r.headline =
        fmt::format("{} in {}; the largest, by a vertex:",
                    count_text(found->count, "strong component", "strong components"), time_text(r.ms));
    r.facts = {{"components", found->count},
               {"trimmed", found->trimmed},
               {"searched", found->searched},
               {"walked", found->walked}};
    r.explanation = {fmt::format(
        "{} settled by trimming, {} by searches, {} by a walk; the last product: {}.",
        count_text(found->trimmed, "vertex", "vertices"), found->searched, found->walked, found->plan)};
    r.columns = {{"component", named(graph.ctx, graph.in, found->labels)}};
    r.list = "largest";
    r.shown = {{"size", sizes_by_label(graph.ctx, found->labels), "vertex", "vertices"}};
    r.first = largest(r.shown[0].values, static_cast<int>(std::min<offset_t>(s.top, found->count)));
    return conclude(s, graph, r);
}

}  // namespace

void add_scc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("scc", "Strongly connected components");
    const auto s = std::make_shared<vertex_settings>();
    s->top = 5;
    add_vertex_verb(*verb, *s, "Print so many components, largest first", "component");
    verb->footer(
        "Example: nz scc rmat_directed:18,16 --validate --explain -o components.npz\n"
        "Edges run from row to column. A component is named after its first vertex.");
    verb->callback([&run, s] { run = [s] { return run_scc(*s); }; });
}

}  // namespace nz::cli
