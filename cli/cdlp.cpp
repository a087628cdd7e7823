// nz cdlp: communities by label propagation, how many and how large.
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct cdlp_settings : vertex_settings {
    int max_iterations = 10;
};

int run_cdlp(const cdlp_settings& s) {
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    const propagation_options o{s.max_iterations};
    std::optional<propagation_result> found;
    vertex_report r{"cdlp"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(label_propagation(graph.ctx, graph.matrix(), o)); });
    r.kernel = kernel_of(found->plan);
    r.subject = "labels";
    r.proof = "the same steps vertex by vertex give the same labels";
    if (s.validate) r.breach = validate_label_propagation(graph.ctx, graph.matrix(), found->labels, o);
    r.headline = fmt::format(
        "{} after {}{} in {}; the largest, by label:", count_text(found->count, "community", "communities"),
        count_text(found->iterations, "step", "steps"), found->converged ? ", settled" : "", time_text(r.ms));
    r.facts = {{"communities", found->count},
               {"iterations", found->iterations},
               {"converged", found->converged},
               {"plan", found->plan}};
    r.explanation = {fmt::format("A step counts the labels of neighbours by a product, {}.", found->plan)};
    r.columns = {{"label", named(graph.ctx, graph.in, found->labels)}};
    r.list = "largest";
    r.shown = {{"size", sizes_by_label(graph.ctx, found->labels), "vertex", "vertices"}};
    r.first = largest(r.shown[0].values, static_cast<int>(std::min<offset_t>(s.top, found->count)));
    return conclude(s, graph, r);
}

}  // namespace

void add_cdlp(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("cdlp", "Communities by label propagation, as LDBC Graphalytics has it");
    const auto s = std::make_shared<cdlp_settings>();
    s->top = 5;
    add_vertex_verb(*verb, *s, "Print so many communities, largest first", "label");
    verb->add_option("--max-iterations", s->max_iterations, "Steps at most (default 10)")
        ->check(CLI::Range(0, 1000000))
        ->option_text("N");
    verb->footer(
        "Example: nz cdlp rmat:16,16 --validate -o labels.npz\n"
        "A step gives each vertex the most frequent label of its neighbours, the smallest of such. Labels are vertices.");
    verb->callback([&run, s] { run = [s] { return run_cdlp(*s); }; });
}

}  // namespace nz::cli
