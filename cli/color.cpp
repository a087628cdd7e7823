// nz color: a colouring, how many colours it has and how often each is used.
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct color_settings : vertex_settings {
    std::string order = "large";
};

int run_color(const color_settings& s) {
    const colouring_options o{parse_vertex_order(s.order), s.seed};
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    std::optional<colouring_result> found;
    vertex_report r{"color"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(colouring(graph.ctx, graph.matrix(), o)); });
    r.subject = "colours";
    r.proof = "no edge joins vertices of one colour";
    if (s.validate) r.breach = validate_colouring(graph.ctx, graph.matrix(), found->colours);
    r.headline = fmt::format("{} in {}, {}", count_text(found->count, "colour", "colours"), time_text(r.ms),
                             count_text(found->rounds, "round", "rounds"));
    r.facts = {{"colours", found->count}, {"rounds", found->rounds}, {"order", s.order}};
    r.explanation = {fmt::format(
        "A colour is a maximal independent set of what is left; the last product: {}.", found->plan)};
    r.columns = {{"colour", found->colours}};
    r.first = largest(found->colours, s.top);
    return conclude(s, graph, r);
}

}  // namespace

void add_color(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("color", "A colouring of the vertices");
    const auto s = std::make_shared<color_settings>();
    s->top = 0;
    add_vertex_verb(*verb, *s, "Print so many vertices of the latest colours", "colour");
    verb->add_option("--order", s->order, "Who comes first: hashed, small or large (degrees; default large)")
        ->check(CLI::IsMember({"hashed", "small", "large"}))
        ->option_text("ORDER");
    verb->footer(
        "Example: nz color rmat:16,16 --validate -o colours.npz\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count. --seed is that of the hashes too.");
    verb->callback([&run, s] { run = [s] { return run_color(*s); }; });
}

}  // namespace nz::cli
