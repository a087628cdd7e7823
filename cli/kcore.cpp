// nz kcore: core numbers, and how large the deepest core is.
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

int run_kcore(const vertex_settings& s) {
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    std::optional<cores_result> found;
    vertex_report r{"kcore"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(cores(graph.ctx, graph.matrix())); });
    r.subject = "core numbers";
    r.proof = "peeling one vertex at a time says the same";
    if (s.validate) r.breach = validate_cores(graph.ctx, graph.matrix(), found->numbers);
    const offset_t deepest = std::ranges::count(found->numbers.values<std::int64_t>(), found->greatest);
    r.headline = fmt::format("the {}-core is the deepest, of {}; {} in {}", found->greatest,
                             count_text(deepest, "vertex", "vertices"),
                             count_text(found->rounds, "round", "rounds"), time_text(r.ms));
    r.facts = {{"greatest", found->greatest}, {"deepest_core", deepest}, {"rounds", found->rounds}};
    r.explanation = {fmt::format(
        "Vertices of least degree are taken away round by round; the last product: {}.", found->plan)};
    r.columns = {{"core", found->numbers}};
    r.first = largest(found->numbers, s.top);
    return conclude(s, graph, r);
}

}  // namespace

void add_kcore(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("kcore", "Core numbers of the vertices");
    const auto s = std::make_shared<vertex_settings>();
    add_vertex_verb(*verb, *s, "Print so many vertices of greatest core number", "core");
    verb->footer(
        "Example: nz kcore rmat:16,16 --validate -o cores.npz\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count.");
    verb->callback([&run, s] { run = [s] { return run_kcore(*s); }; });
}

}  // namespace nz::cli
