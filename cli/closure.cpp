// nz closure: the transitive closure, and how full it is.
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "sources.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct closure_settings : settings {
    bool reflexive = false;
    int max_steps = -1;  // below 0: as many as it takes
};

void report_closure(const closure_settings& s, const context& ctx, const loaded& in,
                    const closure_result& found, double ms, const std::string& breach) {
    const auto n = static_cast<double>(in.matrix().rows());
    const double filled = static_cast<double>(found.reach.nnz()) / (n * n);
    if (s.json) {
        json r = report("closure", s, ctx, in, kernel_of(found.plan), ms);
        r["pairs"] = found.reach.nnz();
        r["filled"] = filled;
        r["steps"] = found.steps;
        r["complete"] = found.complete;
        r["products"] = found.products;
        r["plan"] = found.plan;
        if (s.validate) r["valid"] = breach.empty();
        if (!breach.empty()) r["breach"] = breach;
        return print(r);
    }
    fmt::print("{}\n", input_text(s, in));
    if (s.explain)
        fmt::print("A step is R = R + R R over (any, pair), {} in all; the last: {}.\n",
                   count_text(found.products, "product", "products"), found.plan);
    fmt::print("{}, {:.3g}% of all, {} after {} in {}\n", count_text(found.reach.nnz(), "pair", "pairs"),
               100 * filled, found.complete ? "complete" : "not complete",
               count_text(found.steps, "step", "steps"), time_text(ms));
    if (s.validate && breach.empty())
        fmt::print("valid: a search from every vertex reaches the same pairs\n");
}

int run_closure(const closure_settings& s) {
    if (s.validate && s.max_steps >= 0)
        throw usage_error("--validate needs the whole closure: leave out --max-steps");
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    check_graph(in.matrix());
    closure_options o{.reflexive = s.reflexive, .kernel = s.kernel};
    if (s.max_steps >= 0) o.max_steps = s.max_steps;
    std::optional<closure_result> found;
    const double ms =
        time_of_repeats(s.repeat, [&] { found.emplace(transitive_closure(ctx, in.matrix(), o)); });
    std::string breach;
    if (s.validate) breach = validate_transitive_closure(ctx, in.matrix(), found->reach, o);
    if (!s.output.empty()) save(ctx, found->reach, s.output);
    report_closure(s, ctx, in, *found, ms, breach);
    if (breach.empty()) return 0;
    tell(fmt::format("nz: the closure is not valid: {}\n", breach));
    return 1;
}

}  // namespace

void add_closure(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("closure", "The transitive closure: which vertices reach which");
    const auto s = std::make_shared<closure_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    verb->add_flag("--reflexive", s->reflexive, "Every vertex reaches itself");
    verb->add_option("--max-steps", s->max_steps, "Squarings at most: paths of up to 2^N edges (default 64)")
        ->check(CLI::Range(0, 64))
        ->option_text("N");
    add_kernel(*verb, *s, kernels::known_ids("mxm") + ", reference",
               "Run this kernel of mxm for the squares, or fail");
    add_run(*verb, *s);
    add_transformations(*verb, *s);
    add_output(*verb, *s, "Write the closure; the suffix says the format, as in convert");
    verb->footer(
        "Example: nz closure rmat_directed:10,2 --validate -o reach.mtx\n"
        "Edges run from row to column. The closure of a connected graph has every pair of its vertices: 4 bytes each.");
    verb->callback([&run, s] { run = [s] { return run_closure(*s); }; });
}

}  // namespace nz::cli
