// nz bc: betweenness centrality from some sources, or all.
#include "nonzero/algorithms.hpp"
#include "nonzero/errors.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <optional>
#include <random>

namespace nz::cli {
namespace {

struct bc_settings : vertex_settings {
    std::vector<std::int64_t> sources;
    int random_sources = 4;
    bool all = false, normalise = false;
};

std::vector<offset_t> sources_of(const bc_settings& s, const loaded& in) {
    const matrix& a = in.matrix();
    std::vector<offset_t> chosen;
    if (s.all) {
        chosen.resize(static_cast<std::size_t>(a.rows()));
        std::iota(chosen.begin(), chosen.end(), offset_t{0});
        return chosen;
    }
    for (const auto name : s.sources) chosen.push_back(vertex_named(in, name));
    if (!chosen.empty()) return chosen;
    if (a.nnz() == 0) throw usage_error("no vertex has an edge out: name a --source");
    const structure rows(a);
    std::mt19937_64 random(s.seed);
    while (static_cast<int>(chosen.size()) < s.random_sources) {
        const auto v = static_cast<offset_t>(random() % static_cast<std::uint64_t>(a.rows()));
        if (rows.length(v) > 0) chosen.push_back(v);
    }
    return chosen;
}

int run_bc(const bc_settings& s) {
    const graph_input graph = open_graph(s);
    const context& ctx = graph.ctx;
    const matrix& a = graph.matrix();
    const auto sources = sources_of(s, graph.in);
    const centrality_options o{s.normalise};
    std::optional<centrality_result> found;
    vertex_report r{"bc"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(betweenness(ctx, a, sources, o)); });
    r.subject = "centralities";
    r.proof = "Brandes's algorithm with a queue says the same";
    if (s.validate)
        r.breach = validate_betweenness(
            ctx, a, sources, s.normalise ? betweenness(ctx, a, sources).centrality : found->centrality);
    r.headline = fmt::format("{}, {} in {}", count_text(std::ssize(sources), "source", "sources"),
                             count_text(found->iterations, "level", "levels"), time_text(r.ms));
    for (const auto v : sources) r.facts["sources"].push_back(graph.in.original(v));
    r.facts["iterations"] = found->iterations;
    r.facts["plan"] = found->plan;
    r.explanation = {fmt::format(
        "Paths are counted level by level and their shares handed back, a product each; the last: {}.",
        found->plan)};
    r.columns = {{"centrality", found->centrality}};
    r.first = largest(found->centrality, s.top);
    return conclude(s, graph, r);
}

}  // namespace

void add_bc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("bc", "Betweenness centrality from some sources or all");
    const auto s = std::make_shared<bc_settings>();
    add_vertex_verb(*verb, *s, "Print so many vertices of highest centrality", "centrality");
    add_sources(*verb, s->sources);
    verb->get_option("--source")->description("Source, by the input's own id; may be given again");
    verb->add_option("--sources-random", s->random_sources,
                     "Without --source: so many random vertices with edges out (default 4)")
        ->check(CLI::Range(1, 1000000))
        ->option_text("K");
    verb->add_flag("--all", s->all, "From every vertex: the exact centrality");
    verb->add_flag("--normalise", s->normalise, "Divide by (n - 1) (n - 2)");
    verb->footer(
        "Example: nz bc rmat:14,16 --sources-random 8 --validate -o centrality.npz\n"
        "Edges run from row to column and count 1 each, whatever their values.");
    verb->callback([&run, s] { run = [s] { return run_bc(*s); }; });
}

}  // namespace nz::cli
