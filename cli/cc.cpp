// nz cc: weakly connected components, how many and how large.
#include "common.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "sources.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct cc_settings : settings {
    int top = 5;
};

int run_cc(const cc_settings& s) {
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    check_graph(in.matrix());
    const components_options o{s.kernel};
    std::optional<components_result> found;
    const double ms = time_of_repeats(s.repeat, [&] { found.emplace(components(ctx, in.matrix(), o)); });
    const std::string breach = s.validate ? validate_components(ctx, in.matrix(), found->labels) : "";
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(in.matrix().rows()));
    for (const auto label : found->labels.values<std::int32_t>()) ++sizes[static_cast<std::size_t>(label)];
    const vector by_label = vector::dense<std::int64_t>(ctx, sizes);
    if (!s.output.empty()) write_vertices(s, in, {{"component", found->labels}});
    const auto first = largest(by_label, static_cast<int>(std::min<offset_t>(s.top, found->count)));
    if (s.json) {
        json r = report("cc", s, ctx, in, found->plan.substr(11, found->plan.find(':') - 11), ms);
        r["components"] = found->count;
        for (const auto label : first)
            r["largest"].push_back(
                {{"vertex", in.original(label)}, {"size", sizes[static_cast<std::size_t>(label)]}});
        if (s.validate) r["valid"] = breach.empty();
        if (!breach.empty()) r["breach"] = breach;
        if (s.explain) r["explanation"] = {found->plan};
        print(r);
    } else {
        fmt::print("{}\n", input_text(s, in));
        if (s.explain) fmt::print("{}\n", found->plan);
        fmt::print("{} in {}; the largest, by a vertex:\n",
                   count_text(found->count, "component", "components"), time_text(ms));
        for (const auto label : first)
            fmt::print("{:>12} {}\n", in.original(label),
                       count_text(sizes[static_cast<std::size_t>(label)], "vertex", "vertices"));
        if (s.validate && breach.empty())
            fmt::print("valid: edges join equal labels, and a label is in one component\n");
    }
    if (breach.empty()) return 0;
    fmt::print(stderr, "nz: the components are not valid: {}\n", breach);
    return 1;
}

}  // namespace

void add_cc(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("cc", "Weakly connected components");
    const auto s = std::make_shared<cc_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_top(*verb, s->top, "Print so many components, largest first");
    add_computation(*verb, *s, kernels::known_ids("components") + ", label_loop, reference");
    add_transformations(*verb, *s);
    add_vertex_output(*verb, *s, "component");
    verb->footer(
        "Example: nz cc rmat:18,16 --validate --explain -o components.npz\n"
        "Edges count in both directions. A component is named after its first vertex; in files that is its number,\n"
        "counted from 0, whatever ids the input has.");
    verb->callback([&run, s] { run = [s] { return run_cc(*s); }; });
}

}  // namespace nz::cli
