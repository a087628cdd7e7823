// nz cc: weakly connected components, how many and how large.
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

int run_cc(const vertex_settings& s) {
    const graph_input graph = open_graph(s);
    const components_options o{s.kernel};
    std::optional<components_result> found;
    vertex_report r{"cc"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(components(graph.ctx, graph.matrix(), o)); });
    r.kernel = found->plan.substr(11, found->plan.find(':') - 11);
    r.subject = "components";
    r.proof = "edges join equal labels, and a label is in one component";
    if (s.validate) r.breach = validate_components(graph.ctx, graph.matrix(), found->labels);
    r.headline = fmt::format("{} in {}; the largest, by a vertex:",
                             count_text(found->count, "component", "components"), time_text(r.ms));
    r.facts["components"] = found->count;
    r.explanation = {found->plan};
    r.columns = {{"component", named(graph.ctx, graph.in, found->labels)}};
    r.list = "largest";
    r.shown = {{"size", sizes_by_label(graph.ctx, found->labels), "vertex", "vertices"}};
    r.first = largest(r.shown[0].values, static_cast<int>(std::min<offset_t>(s.top, found->count)));
    return conclude(s, graph, r);
}

}  // namespace

void add_cc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("cc", "Weakly connected components");
    const auto s = std::make_shared<vertex_settings>();
    s->top = 5;
    add_vertex_verb(*verb, *s, "Print so many components, largest first", "component",
                    kernels::known_ids("components") + ", label_loop, reference");
    verb->footer(
        "Example: nz cc rmat:18,16 --validate --explain -o components.npz\n"
        "Edges count in both directions. A component is named after its first vertex.");
    verb->callback([&run, s] { run = [s] { return run_cc(*s); }; });
}

}  // namespace nz::cli
