// nz tc: triangles, in all and of each vertex.
#include "common.hpp"
#include "nonzero/algorithms.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct tc_settings : settings {
    bool per_vertex = false;
    int top = 10;
};

json json_of(const tc_settings& s, const context& ctx, const loaded& in, const triangles_result& found,
             double ms) {
    json r = report("tc", s, ctx, in, "", ms);
    r["triangles"] = found.total;
    r["wedges"] = found.wedges;
    r["plan"] = found.plan;
    if (found.counts.size())
        for (const auto v : largest(found.counts, s.top))
            r["top"].push_back({{"vertex", in.original(v)},
                                {"triangles", value_json(found.counts, v)},
                                {"clustering", value_json(found.clustering, v)}});
    return r;
}

void print_text(const tc_settings& s, const loaded& in, const triangles_result& found, double ms) {
    fmt::print("{}\n", input_text(s, in));
    if (s.explain)
        fmt::print(
            "Edges run from smaller to larger degree; C<U> = U U over (plus, pair) counts the paths of two that an "
            "edge closes.\n{}\n{} looked at\n",
            found.plan, count_text(found.wedges, "path of two", "paths of two"));
    fmt::print("{} in {}\n", count_text(found.total, "triangle", "triangles"), time_text(ms));
    if (!found.counts.size()) return;
    fmt::print("{:>12} {:>12} {:>12}\n", "vertex", "triangles", "clustering");
    for (const auto v : largest(found.counts, s.top))
        fmt::print("{:>12} {:>12} {:>12}\n", in.original(v), value_text(found.counts, v),
                   value_text(found.clustering, v));
}

int run_tc(const tc_settings& s) {
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    check_graph(in.matrix());
    in.matrix().facts();
    const triangles_options o{s.per_vertex || !s.output.empty(), s.kernel};
    std::optional<triangles_result> found;
    const double ms = time_of_repeats(s.repeat, [&] { found.emplace(triangles(ctx, in.matrix(), o)); });
    const std::string breach = s.validate ? validate_triangles(ctx, in.matrix(), *found) : "";
    if (!s.output.empty())
        write_vertices(s, in, {{"triangles", found->counts}, {"clustering", found->clustering}});
    if (s.json) {
        json r = json_of(s, ctx, in, *found, ms);
        if (s.validate) r["valid"] = breach.empty();
        if (!breach.empty()) r["breach"] = breach;
        print(r);
    } else {
        print_text(s, in, *found, ms);
        if (s.validate && breach.empty()) fmt::print("valid: common neighbours edge by edge say the same\n");
    }
    if (breach.empty()) return 0;
    fmt::print(stderr, "nz: the triangles are not valid: {}\n", breach);
    return 1;
}

}  // namespace

void add_tc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("tc", "Triangles, and clustering coefficients of the vertices");
    const auto s = std::make_shared<tc_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    verb->add_flag("--per-vertex", s->per_vertex, "Triangles and clustering coefficient of each vertex too");
    add_top(*verb, s->top, "With --per-vertex, print so many vertices of most triangles");
    verb->add_option("--kernel", s->kernel,
                     "Run this kernel for the masked product, or fail: masked_row, masked_dot, reference")
        ->option_text("ID");
    add_run(*verb, *s);
    add_transformations(*verb, *s);
    add_vertex_output(*verb, *s, "triangles clustering");
    verb->footer(
        "Example: nz tc rmat:16,16 --per-vertex --validate\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count. Validation merges lists on one\n"
        "thread, which takes minutes for large graphs with hubs.");
    verb->callback([&run, s] { run = [s] { return run_tc(*s); }; });
}

}  // namespace nz::cli
