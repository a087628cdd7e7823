// nz closeness: closeness and eccentricity of all vertices from some sources, or all.
#include "nonzero/algorithms.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct closeness_settings : vertex_settings {
    source_sample sample{{}, 64, false};
    bool outward = false;
};

int run_closeness(const closeness_settings& s) {
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    const auto sources = sampled_sources(graph.in, s.sample, s.seed);
    const closeness_options o{s.outward};
    std::optional<closeness_result> found;
    vertex_report r{"closeness"};
    r.ms =
        time_of_repeats(s.repeat, [&] { found.emplace(closeness(graph.ctx, graph.matrix(), sources, o)); });
    r.subject = "distances";
    r.proof = "a search with a queue from each source says the same";
    if (s.validate) r.breach = validate_closeness(graph.ctx, graph.matrix(), sources, *found, o);
    r.headline =
        fmt::format("{} in {}; the greatest distance is {}", count_text(found->sources, "source", "sources"),
                    time_text(r.ms), found->diameter);
    r.facts = {{"sources", found->sources}, {"diameter", found->diameter}, {"edges", found->edges}};
    r.explanation = {
        "Sources are searched 64 at a time, a bit each in the word of a vertex; closeness is (r / s) (r / t) for the r of "
        "the s other sources that reach a vertex, over t edges in all."};
    r.columns = {{"closeness", found->closeness},
                 {"eccentricity", found->eccentricity},
                 {"reached", found->reached},
                 {"distances", found->distances}};
    r.shown = {r.columns[0], r.columns[1]};
    r.first = largest(found->closeness, s.top);
    return conclude(s, graph, r);
}

}  // namespace

void add_closeness(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("closeness", "Closeness and eccentricity from some sources or all");
    const auto s = std::make_shared<closeness_settings>();
    add_vertex_verb(*verb, *s, "Print so many vertices of highest closeness",
                    "closeness eccentricity reached distances");
    add_source_sample(*verb, s->sample);
    verb->add_flag("--outward", s->outward,
                   "Distances from each vertex to the sources, in place of from them");
    verb->footer(
        "Example: nz closeness rmat:16,16 --sources-random 128 --validate -o closeness.npz\n"
        "Edges run from row to column and count 1 each, whatever their values. From a sample closeness is an estimate and\n"
        "eccentricity a lower bound; with --all both are exact.");
    verb->callback([&run, s] { run = [s] { return run_closeness(*s); }; });
}

}  // namespace nz::cli
