// nz mcl: Markov clustering, how many clusters and how large.
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct mcl_settings : vertex_settings {
    markov_options o;
};

int run_mcl(const mcl_settings& s) {
    const graph_input graph = open_graph(s);
    graph.matrix().facts();
    markov_options o = s.o;
    o.kernel = s.kernel;
    std::optional<markov_result> found;
    vertex_report r{"mcl"};
    r.ms = time_of_repeats(s.repeat, [&] { found.emplace(markov_clustering(graph.ctx, graph.matrix(), o)); });
    r.kernel = kernel_of(found->plan);
    r.subject = "clusters";
    r.proof = "the same steps row by row leave the same clusters";
    if (s.validate) r.breach = validate_markov_clustering(graph.ctx, graph.matrix(), found->labels, o);
    r.headline = fmt::format(
        "{} after {}{} in {}; the largest, by a vertex:", count_text(found->count, "cluster", "clusters"),
        count_text(found->iterations, "step", "steps"), found->converged ? "" : ", not settled",
        time_text(r.ms));
    r.facts = {{"clusters", found->count},      {"iterations", found->iterations},
               {"converged", found->converged}, {"unevenness", found->unevenness},
               {"products", found->products},   {"plan", found->plan}};
    r.explanation = {
        fmt::format("A step squares the flows, prunes and inflates them; {} in all, the last: {}.",
                    count_text(found->products, "product", "products"), found->plan)};
    r.columns = {{"cluster", named(graph.ctx, graph.in, found->labels)}};
    r.list = "largest";
    r.shown = {{"size", sizes_by_label(graph.ctx, found->labels), "vertex", "vertices"}};
    r.first = largest(r.shown[0].values, static_cast<int>(std::min<offset_t>(s.top, found->count)));
    return conclude(s, graph, r);
}

}  // namespace

void add_mcl(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("mcl", "Markov clustering");
    const auto s = std::make_shared<mcl_settings>();
    s->top = 5;
    add_vertex_verb(*verb, *s, "Print so many clusters, largest first", "cluster");
    verb->add_option("--inflation", s->o.inflation, "How much strong flows gain, above 1 (default 2)")
        ->option_text("R");
    verb->add_option("--threshold", s->o.threshold, "Smaller flows are dropped (default 0.001)")
        ->option_text("T");
    verb->add_option("--max-iterations", s->o.max_iterations, "Steps at most (default 100)")
        ->check(CLI::Range(0, 1000000))
        ->option_text("N");
    add_kernel(*verb, *s, kernels::known_ids("mxm") + ", reference",
               "Run this kernel of mxm for the squares, or fail");
    verb->footer(
        "Example: nz mcl grid2d:60,0.3 --inflation 1.6 --validate -o clusters.npz\n"
        "Values are weights, above 0; both directions of every edge must be stored (--symmetrize). A cluster is named after its\n"
        "first vertex.");
    verb->callback([&run, s] { run = [s] { return run_mcl(*s); }; });
}

}  // namespace nz::cli
