// nz bc: betweenness centrality from some sources, or all.
#include "common.hpp"
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

struct bc_settings : settings {
    std::vector<std::int64_t> sources;
    int random_sources = 4, top = 10;
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
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    check_graph(in.matrix());
    const auto sources = sources_of(s, in);
    const centrality_options o{s.normalise};
    std::optional<centrality_result> found;
    const double ms =
        time_of_repeats(s.repeat, [&] { found.emplace(betweenness(ctx, in.matrix(), sources, o)); });
    const std::string breach =
        s.validate ? validate_betweenness(
                         ctx, in.matrix(), sources,
                         s.normalise ? betweenness(ctx, in.matrix(), sources).centrality : found->centrality)
                   : "";
    if (!s.output.empty()) write_vertices(s, in, {{"centrality", found->centrality}});
    const auto first = largest(found->centrality, s.top);
    if (s.json) {
        json r = report("bc", s, ctx, in, "", ms);
        for (const auto v : sources) r["sources"].push_back(in.original(v));
        r["iterations"] = found->iterations;
        r["plan"] = found->plan;
        for (const auto v : first)
            r["top"].push_back(
                {{"vertex", in.original(v)}, {"centrality", value_json(found->centrality, v)}});
        if (s.validate) r["valid"] = breach.empty();
        if (!breach.empty()) r["breach"] = breach;
        print(r);
    } else {
        fmt::print("{}\n", input_text(s, in));
        if (s.explain)
            fmt::print(
                "Paths are counted level by level and their shares handed back, a product each; the last: {}.\n",
                found->plan);
        fmt::print("{}, {} in {}\n", count_text(std::ssize(sources), "source", "sources"),
                   count_text(found->iterations, "level", "levels"), time_text(ms));
        for (const auto v : first)
            fmt::print("{:>12} {}\n", in.original(v), value_text(found->centrality, v));
        if (s.validate && breach.empty())
            fmt::print("valid: Brandes's algorithm with a queue says the same\n");
    }
    if (breach.empty()) return 0;
    fmt::print(stderr, "nz: the centralities are not valid: {}\n", breach);
    return 1;
}

}  // namespace

void add_bc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("bc", "Betweenness centrality from some sources or all");
    const auto s = std::make_shared<bc_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_sources(*verb, s->sources);
    verb->get_option("--source")->description("Source, by the input's own id; may be given again");
    verb->add_option("--sources-random", s->random_sources,
                     "Without --source: so many random vertices with edges out (default 4)")
        ->check(CLI::Range(1, 1000000))
        ->option_text("K");
    verb->add_flag("--all", s->all, "From every vertex: the exact centrality");
    verb->add_flag("--normalise", s->normalise, "Divide by (n - 1) (n - 2)");
    add_top(*verb, s->top, "Print so many vertices of highest centrality");
    add_run(*verb, *s);
    add_transformations(*verb, *s);
    add_vertex_output(*verb, *s, "centrality");
    verb->footer(
        "Example: nz bc rmat:14,16 --sources-random 8 --validate -o centrality.npz\n"
        "Edges run from row to column and count 1 each, whatever their values.");
    verb->callback([&run, s] { run = [s] { return run_bc(*s); }; });
}

}  // namespace nz::cli
