// nz sssp: single-source shortest paths, with what the buckets cost and why they are as wide as they are.
#include "common.hpp"
#include "io/arrays.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/operations.hpp"
#include "ops/shortest.hpp"
#include "reorder.hpp"
#include "sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct sssp_settings : settings {
    std::vector<std::int64_t> sources;  // as the source of the graph names them
    double delta = -1;
    std::string switches, distances;  // empty: all, by the values
    bool no_parents = false;
};

// One search: the median time of the repeats, the result of the last.
struct search {
    offset_t source = 0;
    shortest_result result;
    double ms = 0;
    std::string breach;           // the rule that validation found broken
    std::size_t moved_bytes = 0;  // that came to the GPU, in all repeats

    double gteps() const { return ms > 0 ? static_cast<double>(result.edges) / (ms * 1e6) : 0; }
    double again() const {
        return result.edges ? static_cast<double>(result.relaxations) / static_cast<double>(result.edges) : 0;
    }
};

struct setup {
    const sssp_settings& s;
    const context& ctx;
    const loaded& in;
    const renumbered& work;  // what is searched
    shortest_options options;
    plan::shortest_plan plan;
    std::string source_note;  // why this source, when nobody asked for it
};

search run_search(const setup& u, offset_t source) {
    std::optional<shortest_result>
        last;  // one at a time, so that each run's results reuse the memory of the one before
    std::vector<double> times;
    std::size_t moved_bytes = 0;
    const int runs = u.s.repeat + (u.s.repeat > 1);  // the first of several warms up
    for (int k = 0; k < runs; ++k) {
        last.reset();
        const stopwatch watch;
        last.emplace(sssp(u.ctx, u.work.matrix(), u.work.place(source), u.options));
        times.push_back(last->kernel_ms >= 0 ? last->kernel_ms : watch.ms());
        moved_bytes += last->moved_bytes;
    }
    if (u.s.repeat > 1) times.erase(times.begin());
    search done{source, std::move(*last), median(times), {}, moved_bytes};
    done.result.distances = u.work.restored(done.result.distances);
    if (u.options.parents) done.result.parents = u.work.restored_vertices(done.result.parents);
    if (u.s.validate)
        done.breach = validate_sssp(u.ctx, u.in.matrix(), source, done.result.distances, done.result.parents);
    return done;
}

scalar farthest(const search& run) {
    return reduce(context({.backend = backend::cpu}), monoid(binary_id::max), run.result.distances);
}
json farthest_json(const search& run) {
    const scalar most = farthest(run);
    return is_floating(most.type()) ? json(most.get<double>()) : json(most.get<std::int64_t>());
}
std::string farthest_text(const search& run) {
    const scalar most = farthest(run);
    return is_floating(most.type()) ? fmt::format("{:.6g}", most.get<double>())
                                    : fmt::format("{}", most.get<std::int64_t>());
}

// Bands of distance that were gone through: a raise of the bound begins one.
offset_t buckets_of(const shortest_result& r) { return r.relaxations ? r.buckets + 1 : 0; }

std::vector<std::string> explanation(const setup& u, const search& first) {
    std::vector<std::string> lines;
    const bool bands = u.plan.kernel == "delta_stepping" && u.options.switches.near_far;
    const bool as_they_fall = u.plan.kernel == "delta_stepping" && !bands;
    lines.push_back(fmt::format(
        "Kernel {}: {}. It works in {}.", u.plan.kernel,
        as_they_fall ? "near_far is off: vertices are relaxed from as their distances fall" : u.plan.reason,
        bytes_text(static_cast<double>(u.plan.workspace_bytes))));
    if (first.result.backend == backend::cuda) lines.push_back(arrivals_text(first.moved_bytes));
    if (bands)
        lines.push_back(fmt::format(
            "Vertices are relaxed in bands of distance, nearest first; a band is delta = {:.6g} wide, {}, but for the first ones, "
            "which are narrower.",
            u.plan.delta, u.options.delta >= 0 ? "as asked" : "from the mean weight over the mean degree"));
    lines.push_back(fmt::format("Distances are of type {}; a vertex without a path has none.",
                                name_of(ops::distance_type(u.in.matrix().type(), u.options.type))));
    if (u.options.parents)
        lines.push_back(
            fmt::format("The parent of a vertex is the {} nearer one whose edge gives the distance.",
                        u.work.active() ? "first (in the new order)" : "smallest"));
    return lines;
}

void add_search(json& r, const setup& u, const search& run) {
    r["source"] = u.in.original(run.source);
    r["reached"] = run.result.reached;
    r["edges"] = run.result.edges;
    r["gteps"] = run.gteps();
    r["type"] = name_of(run.result.distances.type());
    r["farthest"] = farthest_json(run);
    r["rounds"] = run.result.rounds;
    r["buckets"] = buckets_of(run.result);
    r["relaxations"] = run.result.relaxations;
    if (u.s.validate) r["valid"] = run.breach.empty();
    if (!run.breach.empty()) r["breach"] = run.breach;
}

void print_json(const setup& u, const std::vector<search>& runs) {
    std::vector<double> times;
    for (const auto& run : runs) times.push_back(run.ms);
    json r = report("sssp", u.s, u.ctx, u.in, u.plan.kernel, median(times));
    if (u.plan.kernel == "delta_stepping" && u.options.switches.near_far) r["delta"] = u.plan.delta;
    u.work.report_to(r);
    if (runs[0].result.backend == backend::cuda) {
        r["device_peak_bytes"] = runs[0].result.device_peak_bytes;
        r["moved_bytes"] = runs[0].moved_bytes;
    }
    if (runs.size() == 1) {
        add_search(r, u, runs[0]);
    } else {
        if (u.s.validate) r["valid"] = std::ranges::all_of(runs, &std::string::empty, &search::breach);
        for (const auto& run : runs) {
            json one;
            one["time_ms"] = run.ms;
            add_search(one, u, run);
            r["runs"].push_back(std::move(one));
        }
    }
    if (u.s.explain) r["explanation"] = explanation(u, runs[0]);
    print(r);
}

void print_text(const setup& u, const std::vector<search>& runs) {
    const offset_t n = u.in.matrix().rows();
    fmt::print("{}\n", input_text(u.s, u.in));
    u.work.print_line();
    if (u.s.explain)
        for (const auto& line : explanation(u, runs[0])) fmt::print("{}\n", line);
    for (const auto& run : runs) {
        const shortest_result& r = run.result;
        fmt::print("\nsource {}{}\n", u.in.original(run.source), u.source_note);
        fmt::print("reached {} of {} vertices ({:.1f}%), the farthest at {}\n", r.reached, n,
                   100.0 * static_cast<double>(r.reached) / static_cast<double>(n), farthest_text(run));
        fmt::print("{} in {}", u.plan.kernel, count_text(r.rounds, "round", "rounds"));
        if (r.relaxations) fmt::print(", {}", count_text(buckets_of(r), "bucket", "buckets"));
        if (r.relaxations)
            fmt::print(", {} ({:.2f} times {})", count_text(r.relaxations, "relaxation", "relaxations"),
                       run.again(), count_text(r.edges, "edge", "edges"));
        fmt::print("; {}; {:.3f} GTEPS\n", time_text(run.ms), run.gteps());
        if (u.s.validate && run.breach.empty())
            fmt::print("valid: no edge improves a distance, and the tree's edges give them\n");
    }
}

void write_distances(const setup& u, const search& run) {
    const auto& [distances, parents] = std::tie(run.result.distances, run.result.parents);
    std::vector<index_t> vertices;
    const auto parent_of = [&](index_t v) {
        return u.in.original(parents.values<std::int32_t>()[static_cast<std::size_t>(v)]);
    };
    dispatch(distances.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<T> values;
        distances.template extract_tuples<T>(vertices, values);
        if (is_npz(u.s.output)) {
            const auto n = static_cast<offset_t>(vertices.size());
            std::vector<std::int64_t> names, before;
            for (const index_t v : vertices) {
                names.push_back(u.in.original(v));
                if (parents.size()) before.push_back(parent_of(v));
            }
            const auto all = side_by_side(values);
            std::vector<io::named_array> arrays = {{"vertex", dtype::int64, names.data(), n},
                                                   {"distance", dtype_of<T>, all.get(), n}};
            if (parents.size()) arrays.push_back({"parent", dtype::int64, before.data(), n});
            return io::write_npz_arrays(u.s.output, arrays);
        }
        fmt::memory_buffer text;
        fmt::format_to(std::back_inserter(text),
                       "# vertex distance{}; source {}; vertices without a path are left out\n",
                       parents.size() ? " parent" : "", u.in.original(run.source));
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            fmt::format_to(std::back_inserter(text), "{} {}", u.in.original(vertices[k]), T(values[k]));
            if (parents.size()) fmt::format_to(std::back_inserter(text), " {}", parent_of(vertices[k]));
            text.push_back('\n');
        }
        write_file(u.s.output, {text.data(), text.size()});
    });
}

shortest_options options_of(const sssp_settings& s) {
    shortest_options o;
    o.switches = parse_shortest_switches(s.switches.empty() ? "all" : s.switches);
    o.kernel = s.kernel;
    o.delta = s.delta;
    o.parents = !s.no_parents;
    if (!s.distances.empty()) o.type = parse_dtype(s.distances);
    return o;
}

int run_sssp(const sssp_settings& s) {
    if (s.delta >= 0 && (s.kernel == "relax_loop" || s.kernel == "reference"))
        throw usage_error(
            fmt::format("--delta is for kernel delta_stepping: leave it or --kernel {} out", s.kernel));
    if (!s.switches.empty() && s.kernel == "reference")
        throw usage_error("kernel reference has no switches: leave --switches or --kernel reference out");
    if (!s.output.empty() && s.sources.size() > 1) throw usage_error("--output takes one --source");
    if (!s.output.empty()) check_columns(s.output);
    const shortest_options options = options_of(s);
    if (s.delta >= 0 && !options.switches.near_far)
        throw usage_error("--delta is the width of near_far's bands: leave it out, or near_far on");
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    const auto [sources, note] = choose_sources(in, s.sources);
    const renumbered work(ctx, s, in.matrix());
    setup u{s, ctx, in, work, options, {}, {}};
    u.source_note = note;
    u.plan = ops::plan_shortest(ctx, work.matrix(), options);
    std::vector<search> runs;
    for (const auto source : sources) runs.push_back(run_search(u, source));
    if (!s.output.empty()) write_distances(u, runs[0]);
    if (s.json)
        print_json(u, runs);
    else
        print_text(u, runs);
    int status = 0;
    for (const auto& run : runs) {
        if (run.breach.empty()) continue;
        tell(fmt::format("nz: the paths from {} are not valid: {}\n", in.original(run.source), run.breach));
        status = 1;
    }
    return status;
}

std::string width_of_bucket(std::string& word) {
    double width = -1;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, width);
    const bool fine = error == std::errc{} && stop == end && width >= 0 && std::isfinite(width);
    return fine ? "" : fmt::format("'{}' is no width: a number from 0 on", word);
}

}  // namespace

void add_sssp(CLI::App& app, runner& run) {
    auto* verb =
        app.add_subcommand("sssp", "Shortest paths from one vertex; values are the lengths of edges");
    const auto s = std::make_shared<sssp_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_sources(*verb, s->sources);
    verb->add_option("--delta", s->delta,
                     "Width of a bucket but the first ones, in the unit of the values (default: the plan's)")
        ->check(CLI::Validator(width_of_bucket, ""))
        ->option_text("D");
    verb->add_option("--switches", s->switches,
                     "all (default), none, or some of near_far,change_direction,operand_reuse")
        ->option_text("LIST");
    auto* type =
        verb->add_option("--distances", s->distances,
                         "Type of distances: int32, int64, float32 or float64 (default: by the values)");
    offer(*type->option_text("TYPE"), {"int32", "int64", "float32", "float64"});
    verb->add_flag("--no-parents", s->no_parents, "Distances alone");
    add_computation(*verb, *s, kernels::known_ids("shortest") + ", relax_loop, reference");
    add_transformations(*verb, *s);
    add_reordering(*verb, *s);
    add_output(
        *verb, *s,
        "Write 'vertex distance parent' for every vertex reached to this file: .npz for NumPy, else text");
    verb->footer(
        "Example: nz sssp rmat:18,16 --weights uniform:1,255 --validate --explain\n"
        "Edges run from row to column; a pattern's have length 1. Results are the same in every run.\n"
        "With several sources, --json has an object for each in \"runs\".");
    verb->callback([&run, s] { run = [s] { return run_sssp(*s); }; });
}

}  // namespace nz::cli
