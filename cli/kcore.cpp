// nz kcore: core numbers, and how large each core is.
#include "common.hpp"
#include "nonzero/algorithms.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct kcore_settings : settings {
    int top = 10;
};

int run_kcore(const kcore_settings& s) {
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    check_graph(in.matrix());
    in.matrix().facts();
    std::optional<cores_result> found;
    const double ms = time_of_repeats(s.repeat, [&] { found.emplace(cores(ctx, in.matrix())); });
    const std::string breach = s.validate ? validate_cores(ctx, in.matrix(), found->numbers) : "";
    if (!s.output.empty()) write_vertices(s, in, {{"core", found->numbers}});
    offset_t deepest = 0;
    for (const auto number : found->numbers.values<std::int64_t>()) deepest += number == found->greatest;
    const auto first = largest(found->numbers, s.top);
    if (s.json) {
        json r = report("kcore", s, ctx, in, "", ms);
        r["greatest"] = found->greatest;
        r["deepest_core"] = deepest;
        r["rounds"] = found->rounds;
        for (const auto v : first)
            r["top"].push_back({{"vertex", in.original(v)}, {"core", value_json(found->numbers, v)}});
        if (s.validate) r["valid"] = breach.empty();
        if (!breach.empty()) r["breach"] = breach;
        if (s.explain) r["explanation"] = {found->plan};
        print(r);
    } else {
        fmt::print("{}\n", input_text(s, in));
        if (s.explain)
            fmt::print("Vertices of least degree are taken away round by round; the last product: {}.\n",
                       found->plan);
        fmt::print("the {}-core is the deepest, of {}; {} in {}\n", found->greatest,
                   count_text(deepest, "vertex", "vertices"), count_text(found->rounds, "round", "rounds"),
                   time_text(ms));
        for (const auto v : first) fmt::print("{:>12} {}\n", in.original(v), value_text(found->numbers, v));
        if (s.validate && breach.empty()) fmt::print("valid: peeling one vertex at a time says the same\n");
    }
    if (breach.empty()) return 0;
    fmt::print(stderr, "nz: the core numbers are not valid: {}\n", breach);
    return 1;
}

}  // namespace

void add_kcore(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("kcore", "Core numbers of the vertices");
    const auto s = std::make_shared<kcore_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_top(*verb, s->top, "Print so many vertices of greatest core number");
    add_run(*verb, *s);
    add_transformations(*verb, *s);
    add_vertex_output(*verb, *s, "core");
    verb->footer(
        "Example: nz kcore rmat:16,16 --validate -o cores.npz\n"
        "Both directions of every edge must be stored (--symmetrize); loops do not count.");
    verb->callback([&run, s] { run = [s] { return run_kcore(*s); }; });
}

}  // namespace nz::cli
