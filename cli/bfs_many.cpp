// nz bfs --sources: searches from many sources at once, with what closeness and reachability need of each.
#include "bfs.hpp"
#include "io/arrays.hpp"
#include "io/words.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/errors.hpp"
#include "ops/traverse_many.hpp"
#include "reorder.hpp"
#include "sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace nz::cli {
namespace {

constexpr std::size_t sources_shown = 20;

struct many_search {
    traverse_many_result result;
    double ms = 0;
    std::vector<traverse_many_level> levels;  // with times, of the run with the median time
    std::string breach;
    offset_t breach_source = 0;

    double gteps() const { return ms > 0 ? static_cast<double>(result.edges) / (ms * 1e6) : 0; }
};

struct many_setup {
    const bfs_settings& s;
    const context& ctx;
    const loaded& in;
    const renumbered& work;                 // what is searched
    std::vector<offset_t> sources, places;  // as the input and as `work` number them
    traverse_many_options options;
    plan::traverse_many_plan plan;
    double prepare_ms = 0;
    std::size_t prepare_bytes = 0;  // that came to the GPU for it
};

void check_settings(const bfs_settings& s) {
    if (!s.sources.empty())
        throw usage_error("--source is for one search at a time: leave it or --sources out");
    if (!s.switches.empty())
        throw usage_error("--switches are for one search at a time: leave them or --sources out");
    if (!s.kernel.empty() && !is_of_many_sources(s.kernel))
        throw usage_error(fmt::format("'{}' is not a kernel of traverse_many; there are {}", s.kernel,
                                      kernels_of_many_sources()));
    if (s.hub_first && s.kernel == "reference")
        throw usage_error("--hub-first is for kernels that pull: leave it or --kernel reference out");
    if (s.validate && s.max_depth >= 0)
        throw usage_error("--validate needs the whole search: leave out --max-depth");
    if (!s.output.empty()) check_columns(s.output);
}

std::int64_t parse_id(std::string_view word, std::string_view where) {
    std::int64_t id = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (status != std::errc() || end != word.data() + word.size())
        throw usage_error(fmt::format("{}: '{}' is not a vertex id", where, io::quote(word)));
    return id;
}

// "3,7,12", or the name of a file with an id a line and comments after #.
std::vector<std::int64_t> read_ids(const std::string& list) {
    std::vector<std::int64_t> ids;
    if (list.find_first_not_of("0123456789,-") == std::string::npos) {
        for (std::size_t at = 0; at <= list.size();) {
            const auto comma = std::min(list.find(',', at), list.size());
            ids.push_back(parse_id(std::string_view(list).substr(at, comma - at), "--sources"));
            at = comma + 1;
        }
        return ids;
    }
    std::ifstream file(list);
    if (!file) throw usage_error(fmt::format("--sources: '{}' is neither a list of ids nor a file", list));
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        std::string_view word = std::string_view(line).substr(0, line.find('#'));
        const auto first = word.find_first_not_of(" \t\r");
        if (first == word.npos) continue;
        word = word.substr(first, word.find_last_not_of(" \t\r") - first + 1);
        ids.push_back(parse_id(word, fmt::format("{}:{}", list, number)));
    }
    if (ids.empty()) throw usage_error(fmt::format("--sources: {} holds no ids", list));
    return ids;
}

std::vector<offset_t> choose_sources(const bfs_settings& s, const loaded& in) {
    check_graph(in.matrix());
    std::vector<offset_t> sources;
    if (!s.many_sources.empty()) {
        for (const auto id : read_ids(s.many_sources)) sources.push_back(vertex_named(in, id));
        return sources;
    }
    if (in.matrix().nnz() == 0) throw usage_error("--sources-random: no vertex has edges out");
    return random_sources(in.matrix(), s.random_sources, s.seed);
}

many_search run_once(const many_setup& u) {
    traverse_many_options o = u.options;
    std::vector<double> times;
    double before = 0;
    const stopwatch watch;
    o.on_level = [&](const traverse_many_level&) {
        const double now = watch.ms();
        times.push_back((now - before) * 1e3);
        before = now;
    };
    many_search run{bfs_many(u.ctx, u.work.matrix(), u.places, o), 0, {}, {}, 0};
    run.ms = run.result.kernel_ms >= 0 ? run.result.kernel_ms : watch.ms();
    run.levels = run.result.iterations;
    if (run.result.backend != backend::cuda)  // a GPU timed them itself
        for (std::size_t l = 0; l < run.levels.size(); ++l) run.levels[l].time_us = times[l];
    return run;
}

void validate(const many_setup& u, many_search& run) {
    for (std::size_t s = 0; s < u.sources.size() && run.breach.empty(); ++s) {
        const vector& levels = run.result.levels[s];
        run.breach_source = u.sources[s];
        run.breach = validate_levels(u.ctx, u.in.matrix(), u.sources[s], levels);
        offset_t reached = 0, sum = 0;
        std::int32_t depth = 0;
        for (const std::int32_t level : levels.values<std::int32_t>()) {
            reached += level >= 0;
            sum += std::max(level, 0);
            depth = std::max(depth, level);
        }
        if (run.breach.empty() && (reached != run.result.reached[s] || sum != run.result.level_sums[s] ||
                                   depth != run.result.depths[s]))
            run.breach = "the counts are not those of the levels";
    }
}

many_search run_many(const many_setup& u) {
    std::vector<many_search> runs;
    if (u.s.repeat > 1) run_once(u);
    for (int k = 0; k < u.s.repeat; ++k) {
        if (!runs.empty()) runs.back().result.levels.clear();  // one at a time holds them
        runs.push_back(run_once(u));
    }
    auto levels = std::move(runs.back().result.levels);
    std::ranges::sort(runs, {}, &many_search::ms);
    many_search median = std::move(runs[(runs.size() - 1) / 2]);
    for (vector& of_source : levels) of_source = u.work.restored(of_source);
    median.result.levels = std::move(levels);
    if (u.s.validate) validate(u, median);
    return median;
}

// Closeness as Wasserman and Faust have it for graphs of several components: (r - 1)^2 / ((n - 1) sum of levels).
double closeness(const many_setup& u, const many_search& run, std::size_t s) {
    const auto others = static_cast<double>(run.result.reached[s] - 1);
    const auto sum = static_cast<double>(run.result.level_sums[s]);
    const auto n = static_cast<double>(u.in.matrix().rows());
    return sum > 0 ? others * others / ((n - 1) * sum) : 0;
}

std::vector<std::string> explanation(const many_setup& u, const traverse_many_result& result) {
    const std::string memory =
        u.options.levels
            ? fmt::format("The levels take {}.", bytes_text(4.0 * static_cast<double>(u.in.matrix().rows()) *
                                                            static_cast<double>(u.sources.size())))
            : "Levels are not kept, only counts.";
    std::vector<std::string> lines = {
        fmt::format("Kernel {}: {}. It works in {}, {}.", u.plan.kernel, u.plan.reason,
                    bytes_text(static_cast<double>(u.plan.workspace_bytes)),
                    count_text(u.plan.batches, "batch", "batches")),
        memory,
        fmt::format(
            "A level is pulled where {} times the entries in the frontier's rows are more than those in "
            "the columns of vertices that lack a source, plus the vertices over {}.",
            u.plan.costs.push_edge, u.plan.costs.pull_vertices)};
    if (result.backend == backend::cuda) lines.push_back(arrivals_text(u.prepare_bytes + result.moved_bytes));
    return lines;
}

void print_json(const many_setup& u, const many_search& run) {
    json r = report("bfs", u.s, u.ctx, u.in, u.plan.kernel, run.ms);
    r["prepare_ms"] = u.prepare_ms;
    u.work.report_to(r);
    if (run.result.backend == backend::cuda) {
        r["device_peak_bytes"] = run.result.device_peak_bytes;
        r["moved_bytes"] = u.prepare_bytes + run.result.moved_bytes;
    }
    r["sources"] = u.sources.size();
    r["batches"] = u.plan.batches;
    r["with_levels"] = u.options.levels;
    r["edges"] = run.result.edges;
    r["gteps"] = run.gteps();
    if (u.s.validate) r["valid"] = run.breach.empty();
    if (!run.breach.empty()) r["breach"] = run.breach;
    r["runs"] = json::array();
    for (std::size_t s = 0; s < u.sources.size(); ++s)
        r["runs"].push_back({{"source", u.in.original(u.sources[s])},
                             {"reached", run.result.reached[s]},
                             {"depth", run.result.depths[s]},
                             {"level_sum", run.result.level_sums[s]},
                             {"closeness", closeness(u, run, s)}});
    r["iterations"] = json::array();
    for (const auto& l : run.levels)
        r["iterations"].push_back({{"batch", l.batch},
                                   {"direction", name_of(l.direction)},
                                   {"frontier", l.frontier},
                                   {"pairs", l.pairs},
                                   {"edges", l.edges},
                                   {"time_us", l.time_us},
                                   {"reason", l.reason}});
    if (u.s.explain) r["explanation"] = explanation(u, run.result);
    print(r);
}

void print_text(const many_setup& u, const many_search& run) {
    fmt::print("{}\n", input_text(u.s, u.in));
    u.work.print_line();
    if (u.plan.builds_transpose || u.options.hub_first)
        fmt::print("prepared in {}: {}\n", time_text(u.prepare_ms),
                   u.options.hub_first ? "columns, neighbours of large degree first" : "columns, for pull");
    if (u.s.explain)
        for (const auto& line : explanation(u, run.result)) fmt::print("{}\n", line);
    fmt::print("\n{:>5}  {:>5}  {:<9}  {:>10}  {:>12}  {:>12}  {:>10}  {}\n", "batch", "level", "direction",
               "frontier", "pairs", "edges", "time", "reason");
    for (std::size_t k = 0, level = 0; k < run.levels.size(); ++k, ++level) {
        const auto& l = run.levels[k];
        if (k > 0 && l.batch != run.levels[k - 1].batch) level = 0;
        fmt::print("{:>5}  {:>5}  {:<9}  {:>10}  {:>12}  {:>12}  {:>10}  {}\n", l.batch, level,
                   name_of(l.direction), l.frontier, l.pairs, l.edges, time_text(l.time_us / 1e3), l.reason);
    }
    fmt::print("\n{:>12}  {:>10}  {:>6}  {:>14}  {:>10}\n", "source", "reached", "depth", "sum of levels",
               "closeness");
    for (std::size_t s = 0; s < std::min(sources_shown, u.sources.size()); ++s)
        fmt::print("{:>12}  {:>10}  {:>6}  {:>14}  {:>10.6f}\n", u.in.original(u.sources[s]),
                   run.result.reached[s], run.result.depths[s], run.result.level_sums[s],
                   closeness(u, run, s));
    if (u.sources.size() > sources_shown)
        fmt::print("and {} more, which --json has\n", u.sources.size() - sources_shown);
    fmt::print("{} in {}{}; {}; {:.3f} GTEPS\n",
               count_text(static_cast<offset_t>(u.sources.size()), "source", "sources"), time_text(run.ms),
               u.options.levels ? " with every level" : "", count_text(run.result.edges, "edge", "edges"),
               run.gteps());
    if (u.s.validate && run.breach.empty())
        fmt::print("valid: the levels of every source pass the checks that need no parents\n");
}

void write_levels(const many_setup& u, const many_search& run) {
    if (is_npz(u.s.output)) {
        std::vector<std::int64_t> names;
        for (offset_t v = 0; v < u.in.matrix().rows(); ++v) names.push_back(u.in.original(v));
        const auto n = static_cast<offset_t>(names.size());
        std::vector<io::named_array> arrays = {{"vertex", dtype::int64, names.data(), n}};
        for (std::size_t k = 0; k < u.sources.size(); ++k)
            arrays.push_back({fmt::format("level_{}", k), dtype::int32,
                              run.result.levels[k].values<std::int32_t>().data(), n});
        return io::write_npz_arrays(u.s.output, arrays);
    }
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), "# vertex, then its level (-1: not reached) from each of");
    for (const offset_t source : u.sources)
        fmt::format_to(std::back_inserter(text), " {}", u.in.original(source));
    text.push_back('\n');
    std::vector<std::span<const std::int32_t>> levels;
    for (const vector& of_source : run.result.levels) levels.push_back(of_source.values<std::int32_t>());
    for (offset_t v = 0; v < u.in.matrix().rows(); ++v) {
        fmt::format_to(std::back_inserter(text), "{}", u.in.original(v));
        for (const auto& of_source : levels)
            fmt::format_to(std::back_inserter(text), " {}", of_source[static_cast<std::size_t>(v)]);
        text.push_back('\n');
    }
    write_file(u.s.output, {text.data(), text.size()});
}

}  // namespace

std::string kernels_of_many_sources() {
    return kernels::known_ids("traverse_many") + ", one_by_one, reference";
}
bool is_of_many_sources(const std::string& kernel) {
    return (", " + kernels_of_many_sources() + ", ").find(", " + kernel + ", ") != std::string::npos;
}

int run_bfs_many(const bfs_settings& s) {
    check_settings(s);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    std::vector<offset_t> sources = choose_sources(s, in), places;
    const renumbered work(ctx, s, in.matrix());
    for (const offset_t source : sources) places.push_back(work.place(source));
    many_setup u{s, ctx, in, work, std::move(sources), std::move(places), {}, {}};
    u.options.kernel = s.kernel;
    u.options.levels = s.levels || s.validate || !s.output.empty();
    u.options.max_depth = s.max_depth;
    u.options.hub_first = s.hub_first;
    u.plan = ops::plan_traverse_many(ctx, work.matrix(), u.places, u.options);
    // A search of depth 0 builds what the plan reads and nothing else.
    const stopwatch watch;
    u.prepare_bytes =
        bfs_many(ctx, work.matrix(), std::span(u.places).first(1),
                 {.kernel = s.kernel, .levels = false, .max_depth = 0, .hub_first = s.hub_first})
            .moved_bytes;
    u.prepare_ms = watch.ms();
    const many_search run = run_many(u);
    if (!s.output.empty()) write_levels(u, run);
    s.json ? print_json(u, run) : print_text(u, run);
    if (run.breach.empty()) return 0;
    tell(
        fmt::format("nz: the search from {} is not valid: {}\n", in.original(run.breach_source), run.breach));
    return 1;
}

}  // namespace nz::cli
