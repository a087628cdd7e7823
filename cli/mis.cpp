// nz mis: a maximal independent set.
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct mis_settings : vertex_settings {
    std::string order = "hashed";
};

int run_mis(const mis_settings& s) {
    const independent_set_options o{parse_vertex_order(s.order), s.seed};
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    std::optional<independent_set_result> found;
    vertex_report r{"mis"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(independent_set(graph.ctx, graph.matrix(), o)); });
    r.subject = "members";
    r.proof = "no edge joins members, and every other vertex has one for a neighbour";
    if (s.validate) r.breach = validate_independent_set(graph.ctx, graph.matrix(), found->members);
    r.headline = fmt::format("{} in {}, {}", count_text(found->count, "member", "members"), time_text(r.ms),
                             count_text(found->rounds, "round", "rounds"));
    r.facts = {{"members", found->count}, {"rounds", found->rounds}, {"order", s.order}};
    r.explanation = {fmt::format(
        "A round takes who comes before all undecided neighbours; the last product: {}.", found->plan)};
    r.columns = {{"member", found->members}};
    r.first = largest(found->members, static_cast<int>(std::min<offset_t>(s.top, found->count)));
    return conclude(s, graph, r);
}

}  // namespace

void add_mis(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("mis", "A maximal independent set");
    const auto s = std::make_shared<mis_settings>();
    s->top = 0;
    add_vertex_verb(*verb, *s, "Print the first so many members", "member");
    verb->add_option("--order", s->order, "Who comes first: hashed (default), small or large (degrees)")
        ->check(CLI::IsMember({"hashed", "small", "large"}))
        ->option_text("ORDER");
    verb->footer(
        "Example: nz mis rmat:16,16 --order small --validate -o members.npz\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count. --seed is that of the hashes too.");
    verb->callback([&run, s] { run = [s] { return run_mis(*s); }; });
}

}  // namespace nz::cli
