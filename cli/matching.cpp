// nz matching: a maximal matching between the rows and the columns of a matrix.
#include "common.hpp"
#include "nonzero/algorithms.hpp"
#include "vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

void report_matching(const settings& s, const context& ctx, const loaded& in, const matching_result& found,
                     double ms, const std::string& breach) {
    if (s.json) {
        json r = report("matching", s, ctx, in, kernel_of(found.plan), ms);
        r["matched"] = found.count;
        r["rounds"] = found.rounds;
        r["plan"] = found.plan;
        if (s.validate) r["valid"] = breach.empty();
        if (!breach.empty()) r["breach"] = breach;
        return print(r);
    }
    fmt::print("{}\n", input_text(s, in));
    if (s.explain)
        fmt::print("Every row proposes to a column, which takes the best; the last product: {}.\n",
                   found.plan);
    fmt::print("{} and columns matched in {}, {}\n", count_text(found.count, "row", "rows"), time_text(ms),
               count_text(found.rounds, "round", "rounds"));
    if (s.validate && breach.empty())
        fmt::print("valid: mates are each other's, joined by edges, and no edge joins two without one\n");
}

int run_matching(const settings& s) {
    if (!s.output.empty()) check_columns(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    const matching_options o{s.seed};
    std::optional<matching_result> found;
    const double ms = time_of_repeats(s.repeat, [&] { found.emplace(matching(ctx, in.matrix(), o)); });
    std::string breach;
    if (s.validate) breach = validate_matching(ctx, in.matrix(), found->of_rows, found->of_columns);
    if (!s.output.empty()) write_vertices(s, in, {{"column", named(ctx, in, found->of_rows)}}, "row");
    report_matching(s, ctx, in, *found, ms, breach);
    if (breach.empty()) return 0;
    tell(fmt::format("nz: the matching is not valid: {}\n", breach));
    return 1;
}

}  // namespace

void add_matching(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("matching", "A maximal matching of rows and columns");
    const auto s = std::make_shared<settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_run(*verb, *s);
    add_transformations(*verb, *s);
    add_output(*verb, *s,
               "Write 'row column' for every row to this file, -1 without a mate: .npz for NumPy, else text");
    verb->footer(
        "Example: nz matching lp:3000,5000,20000 --validate -o mates.txt\n"
        "Rows are one side of the graph and columns the other: the matrix need not be square. --seed is that of the hashes too.");
    verb->callback([&run, s] { run = [s] { return run_matching(*s); }; });
}

}  // namespace nz::cli
