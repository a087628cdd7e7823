// nz bc: betweenness centrality from some sources, or all.
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct bc_settings : vertex_settings {
    source_sample sample{{}, 4, false};
    bool normalise = false;
};

int run_bc(const bc_settings& s) {
    const graph_input graph = open_graph(s);
    const context& ctx = graph.ctx;
    const matrix& a = graph.matrix();
    const auto sources = sampled_sources(graph.in, s.sample, s.seed);
    const centrality_options o{s.kernel, s.normalise};
    std::optional<centrality_result> found;
    vertex_report r{"bc"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(betweenness(ctx, a, sources, o)); });
    r.kernel = kernel_of(found->plan);
    r.subject = "centralities";
    r.proof = "Brandes's algorithm with a queue says the same";
    if (s.validate) {
        const auto n = static_cast<double>(a.rows());
        vector plain = found->centrality;
        if (s.normalise && n > 2)
            apply(ctx, plain, binary_id::times, found->centrality, scalar((n - 1) * (n - 2)));
        r.breach = validate_betweenness(ctx, a, sources, plain);
    }
    r.headline = fmt::format("{}, {} in {}", count_text(std::ssize(sources), "source", "sources"),
                             count_text(found->iterations, "level", "levels"), time_text(r.ms));
    for (const auto v : sources) r.facts["sources"].push_back(graph.in.original(v));
    r.facts["iterations"] = found->iterations;
    r.facts["plan"] = found->plan;
    r.explanation = {"Paths are counted level by level, and shares of them handed back.", found->plan};
    r.columns = {{"centrality", found->centrality}};
    r.first = largest(found->centrality, s.top);
    return conclude(s, graph, r);
}

}  // namespace

void add_bc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("bc", "Betweenness centrality from some sources or all");
    const auto s = std::make_shared<bc_settings>();
    add_vertex_verb(*verb, *s, "Print so many vertices of highest centrality", "centrality",
                    kernels::known_ids("betweenness") + ", sweep_loop");
    add_source_sample(*verb, s->sample);
    verb->add_flag("--normalise", s->normalise, "Divide by (n - 1) (n - 2)");
    verb->footer(
        "Example: nz bc rmat:14,16 --sources-random 8 --validate -o centrality.npz\n"
        "Edges run from row to column and count 1 each, whatever their values.");
    verb->callback([&run, s] { run = [s] { return run_bc(*s); }; });
}

}  // namespace nz::cli
