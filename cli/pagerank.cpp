// nz pagerank: ranks, the vertices that have most, and how the iteration went.
#include "common.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/errors.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct pagerank_settings : settings {
    double damping = 0.85, tolerance = 1e-6;
    int max_iterations = 100, top = 10;
    std::vector<std::int64_t> sources;
    std::string type = "float64";
    bool adaptive = false, weighted = false;
};

struct setup {
    const pagerank_settings& s;
    const context& ctx;
    const loaded& in;
    const pagerank_result& result;
    double ms;
    offset_t sources;  ///< different ones
    std::string breach;
};

std::vector<std::string> explanation(const setup& u) {
    std::vector<std::string> lines = {
        fmt::format("Steps by {}.", u.result.plan),
        u.s.weighted
            ? "Ranks are divided by the sums of rows before they are carried, each edge its weight; what they do not carry, "
              "ranks of vertices without weight out included, is spread anew."
            : "Ranks are divided by out-degrees before they are carried, so that edges are read without values; what they do not carry, "
              "ranks of vertices without edges out included, is spread anew."};
    if (!u.s.sources.empty())
        lines.push_back(
            fmt::format("It is spread over {} alike.", count_text(u.sources, "source", "sources")));
    if (u.s.adaptive)
        lines.push_back(
            "Vertices that change by less than tolerance / vertices are left out; a step over all ends it.");
    return lines;
}

json json_of(const setup& u) {
    json r = report("pagerank", u.s, u.ctx, u.in, kernel_of(u.result.plan), u.ms);
    r["damping"] = u.s.damping;
    r["tolerance"] = u.s.tolerance;
    r["iterations"] = u.result.iterations;
    r["change"] = u.result.change;
    r["converged"] = u.result.converged;
    r["type"] = u.s.type;
    r["weighted"] = u.s.weighted;
    r["plan"] = u.result.plan;
    for (const auto v : largest(u.result.ranks, u.s.top))
        r["top"].push_back({{"vertex", u.in.original(v)}, {"rank", value_json(u.result.ranks, v)}});
    if (u.s.validate) r["valid"] = u.breach.empty();
    if (!u.breach.empty()) r["breach"] = u.breach;
    if (u.s.explain) {
        r["explanation"] = explanation(u);
        for (const auto& step : u.result.steps)
            r["steps"].push_back({{"change", step.change}, {"active", step.active}});
    }
    return r;
}

void print_text(const setup& u) {
    fmt::print("{}\n", input_text(u.s, u.in));
    if (u.s.explain) {
        for (const auto& line : explanation(u)) fmt::print("{}\n", line);
        fmt::print("\n{:>4} {:>12} {:>12}\n", "step", "change", "active");
        int k = 0;
        for (const auto& step : u.result.steps)
            fmt::print("{:>4} {:>12.4g} {:>12}\n", ++k, step.change, step.active);
    }
    fmt::print("\n{} in {}", count_text(u.result.iterations, "iteration", "iterations"), time_text(u.ms));
    if (u.result.iterations > 0)
        fmt::print(", last change {:.3g}{}", u.result.change,
                   u.result.converged ? "" : ": more than the tolerance");
    fmt::print("\n");
    for (const auto v : largest(u.result.ranks, u.s.top))
        fmt::print("{:>12} {}\n", u.in.original(v), value_text(u.result.ranks, v));
    if (u.s.validate && u.breach.empty())
        fmt::print(
            "valid: ranks sum up to 1, and a step in double precision keeps them within the tolerance\n");
}

int run_pagerank(const pagerank_settings& s) {
    if (!s.output.empty()) check_columns(s.output);
    pagerank_options o;
    o.damping = s.damping;
    o.tolerance = s.tolerance;
    o.max_iterations = s.max_iterations;
    o.type = parse_dtype(s.type);
    o.adaptive = s.adaptive;
    o.weighted = s.weighted;
    o.kernel = s.kernel;
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    check_graph(in.matrix());
    vector start(ctx, dtype::float64, in.matrix().rows());
    for (const auto name : s.sources) start.set(vertex_named(in, name), scalar(1.0));
    if (!s.sources.empty()) o.personalisation = &start;
    std::optional<pagerank_result> last;
    const double ms = time_of_repeats(s.repeat, [&] { last.emplace(pagerank(ctx, in.matrix(), o)); });
    setup u{s, ctx, in, *last, ms, start.count(), {}};
    if (s.validate && last->converged) u.breach = validate_pagerank(ctx, in.matrix(), last->ranks, o);
    if (s.validate && !last->converged)
        u.breach = last->iterations == 0
                       ? std::string("no step was taken, which would have said by how much they change")
                       : fmt::format("the ranks still change by {:.3g} after {}", last->change,
                                     count_text(last->iterations, "iteration", "iterations"));
    if (!s.output.empty()) write_vertices(s, in, {{"rank", last->ranks}});
    if (s.json)
        print(json_of(u));
    else
        print_text(u);
    if (u.breach.empty()) return 0;
    tell(fmt::format("nz: the ranks are not valid: {}\n", u.breach));
    return 1;
}

}  // namespace

void add_pagerank(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("pagerank", "PageRank of every vertex, over all or from some sources");
    const auto s = std::make_shared<pagerank_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    verb->add_option("--damping", s->damping, "Share of a rank that follows edges (default 0.85)")
        ->option_text("D");
    verb->add_option("--tolerance", s->tolerance,
                     "Stop once ranks change by no more in a step, summed up (default 1e-6)")
        ->option_text("T");
    verb->add_option("--max-iterations", s->max_iterations, "Steps at most (default 100)")->option_text("N");
    verb->add_option("--source", s->sources,
                     "Personalised: start anew at this vertex, by the input's own id; may be given again")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->option_text("ID");
    auto* type = verb->add_option("--type", s->type, "Type of ranks: float64 (default) or float32");
    offer(*type->option_text("TYPE"), {"float64", "float32"});
    verb->add_flag("--weighted", s->weighted, "Follow edges in proportion to their values, not alike");
    verb->add_flag("--adaptive", s->adaptive, "Leave out vertices whose rank has settled");
    add_top(*verb, s->top, "Print so many vertices of highest rank");
    add_run(*verb, *s);
    add_kernel(*verb, *s, kernels::known_ids("pagerank"), "Step by this kernel, or fail");
    add_transformations(*verb, *s);
    add_vertex_output(*verb, *s, "rank");
    verb->footer(
        "Example: nz pagerank rmat:18,16 --tolerance 1e-8 --validate --top 5 -o ranks.npz\n"
        "r = d A^T D^-1 r + (the rest of the mass) p: edges run from row to column, D has the sums of\n"
        "rows with --weighted; without, values are not read and D has their numbers of entries.");
    verb->callback([&run, s] { run = [s] { return run_pagerank(*s); }; });
}

}  // namespace nz::cli
