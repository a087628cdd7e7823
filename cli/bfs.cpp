// nz bfs: breadth-first search, with the direction of every level and the reason for it.
#include "bfs.hpp"

#include "core/device.hpp"
#include "io/arrays.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/errors.hpp"
#include "ops/traverse.hpp"
#include "ops/traverse_tile_device.hpp"
#include "reorder.hpp"
#include "sources.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct level_time {
    traverse_level level;
    double us;
};

// One search: the times of the repeat with the median time, the result of the last.
struct search {
    offset_t source = 0;
    traverse_result result;
    double ms = 0;
    std::vector<level_time> levels;
    std::string breach;  // the rule that validation found broken

    double gteps() const { return ms > 0 ? static_cast<double>(result.edges) / (ms * 1e6) : 0; }
};

// What traverse/tile reads in place of the CSR.
struct built_tiles {
    int size = 0;
    offset_t tiles = 0, extracted = 0;
    std::size_t bytes = 0, csr_bytes = 0;  // of both directions, where they differ
    double build_ms = 0;
};

struct setup {
    const bfs_settings& s;
    const context& ctx;
    const loaded& in;
    const renumbered& work;  // what is searched
    traverse_options options;
    plan::traverse_plan plan;
    std::string source_note;  // why this source, when nobody asked for it
    double prepare_ms = 0;
    std::size_t prepare_bytes = 0;  // that came to the GPU for it
    std::optional<built_tiles> tiles{};
};

search run_once(const setup& u, offset_t source) {
    traverse_options o = u.options;
    std::vector<level_time> levels;
    levels.reserve(256);
    double before = 0;
    const stopwatch watch;
    o.on_level = [&](const traverse_level& level) {
        const double now = watch.ms();
        levels.push_back({level, (now - before) * 1e3});
        before = now;
    };
    traverse_result result = bfs(u.ctx, u.work.matrix(), u.work.place(source), o);
    const double ms = result.kernel_ms >= 0 ? result.kernel_ms : watch.ms();
    if (result.backend == backend::cuda) {  // the host hears of the levels at the end; the device timed them
        levels.clear();
        for (const auto& level : result.iterations) levels.push_back({level, level.time_us});
    }
    return {source, std::move(result), ms, std::move(levels), {}};
}

search run_search(const setup& u, offset_t source) {
    std::vector<search> runs;
    std::optional<traverse_result>
        last;  // one at a time, so that each run's results reuse the memory of the one before
    if (u.s.repeat > 1) last.emplace(run_once(u, source).result);
    for (int k = 0; k < u.s.repeat; ++k) {
        last.reset();
        runs.push_back(run_once(u, source));
        last.emplace(std::move(runs.back().result));
    }
    std::ranges::sort(runs, {}, &search::ms);
    search median = std::move(runs[(runs.size() - 1) / 2]);
    median.result = std::move(*last);
    median.result.levels = u.work.restored(median.result.levels);
    median.result.parents = u.work.restored_vertices(median.result.parents);
    if (u.s.validate)
        median.breach =
            validate_bfs(u.ctx, u.in.matrix(), source, median.result.levels, median.result.parents);
    return median;
}

built_tiles build_tiles(const setup& u) {
    const storage::matrix_body& body = u.work.matrix().body();
    const storage::csr &rows = body.rows(), &columns = body.columns();
    if (u.plan.on_device) {  // what they are made from is there already
        body.rows_on(u.ctx);
        body.columns_on(u.ctx);
    }
    const auto made = [&](const storage::csr& of) {
        const int size = u.plan.tile_size, least = u.plan.tile_least;
        return u.plan.on_device ? ops::bit_tiles_on_device(u.ctx, body, of, size, least)
               : &of == &rows   ? body.bit_tiles_of_rows(size, least)
                                : body.bit_tiles_of_columns(size, least);
    };
    const stopwatch watch;
    const auto out = made(rows), in = made(columns);
    built_tiles t{
        out->size, out->tiles, out->extracted, out->bytes(), rows.offsets.bytes() + rows.indices.bytes(),
        watch.ms()};
    if (in == out) return t;
    t.tiles += in->tiles;
    t.extracted += in->extracted;
    t.bytes += in->bytes();
    t.csr_bytes += columns.offsets.bytes() + columns.indices.bytes();
    return t;
}

// A search of depth 0 builds what the plan reads (the transpose, hub-first lists) and nothing else.
void prepare(setup& u, offset_t source) {
    traverse_options o = u.options;
    o.max_depth = 0;
    const device::arrivals arrived(u.ctx);
    const stopwatch watch;
    if (u.plan.tile_size) u.tiles = build_tiles(u);
    bfs(u.ctx, u.work.matrix(), u.work.place(source), o);
    u.prepare_ms = watch.ms();
    u.prepare_bytes = arrived.bytes();
}

json levels_json(const search& run) {
    json list = json::array();
    for (const auto& [level, us] : run.levels)
        list.push_back({{"direction", name_of(level.direction)},
                        {"kernel", level.kernel},
                        {"frontier", level.frontier},
                        {"unvisited", level.unvisited},
                        {"time_us", us},
                        {"ratio", level.ratio},
                        {"reason", level.reason}});
    return list;
}

void add_search(json& r, const setup& u, const search& run) {
    r["source"] = u.in.original(run.source);
    r["reached"] = run.result.reached;
    r["levels"] = run.levels.size();
    r["edges"] = run.result.edges;
    r["gteps"] = run.gteps();
    if (u.s.validate) r["valid"] = run.breach.empty();
    if (!run.breach.empty()) r["breach"] = run.breach;
    r["iterations"] = levels_json(run);
}

void explain_tiles(const setup& u, std::vector<std::string>& lines) {
    const plan::tile_thresholds& t = u.plan.phases;
    lines.push_back(
        fmt::format("It reads tiles of {0} x {0} bits; tiles with fewer than {1} entries are extracted.",
                    u.plan.tile_size, u.plan.tile_least));
    lines.push_back(fmt::format(
        "{} level goes by pull_csc where at most {:.0f}% of the vertices are unvisited and no more than "
        "{} for each of the frontier, else by push_csr from a density of {} of the frontier, else "
        "by push_csc.",
        u.plan.may_hold_tiles && u.plan.tile_size == 32
            ? "Where fronts are wide and they have room, the GPU's blocks hold the tiles of their rows. Else a"
            : "A",
        100 * t.unvisited, t.unvisited_a_frontier, t.density));
}

std::vector<std::string> explanation(const setup& u, const traverse_result& first) {
    const auto& [alpha, beta, edge_share] = u.plan.thresholds;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("Kernel {}: {}. It works in {}.", u.plan.kernel, u.plan.reason,
                                bytes_text(static_cast<double>(u.plan.workspace_bytes))));
    if (first.backend == backend::cuda) lines.push_back(arrivals_text(u.prepare_bytes + first.moved_bytes));
    if (u.tiles) {
        explain_tiles(u, lines);
        lines.push_back("The parent of a vertex is its smallest neighbour one level up.");
        return lines;
    }
    lines.push_back(fmt::format("Push reads the rows of the matrix, pull its columns, {}.",
                                u.plan.builds_transpose ? "which were built from the rows first"
                                : u.options.switches.change_direction
                                    ? "which are at hand"
                                    : "which are not needed: change of direction is off"));
    lines.push_back(fmt::format(
        "With r = frontier / vertices, the search changes from push to pull once r has risen "
        "past alpha = {:.2g} or the frontier's rows hold more than {:.0f}% of the entries, and back "
        "once it has fallen past beta = {:.2g}.",
        alpha, 100 * edge_share, beta));
    lines.push_back(
        u.options.determinism == determinism::fast || u.options.hub_first
            ? "The parent of a vertex is any of its neighbours in the frontier."
        : u.work.active()
            ? "The parent of a vertex is its neighbour in the frontier that comes first in the new order."
            : "The parent of a vertex is its smallest neighbour in the frontier.");
    return lines;
}

std::string level_sentence(std::size_t k, const traverse_level& level) {
    return fmt::format("Level {} goes by {}: r = {:.3g}; {}.", k, name_of(level.direction), level.ratio,
                       level.reason);
}

void print_json(const setup& u, const std::vector<search>& runs) {
    std::vector<double> times;
    for (const auto& run : runs) times.push_back(run.ms);
    json r = report("bfs", u.s, u.ctx, u.in, u.plan.kernel, median(times));
    r["prepare_ms"] = u.prepare_ms;
    if (u.tiles)
        r["tiles"] = {{"size", u.tiles->size},           {"tiles", u.tiles->tiles},
                      {"bytes", u.tiles->bytes},         {"csr_bytes", u.tiles->csr_bytes},
                      {"extracted", u.tiles->extracted}, {"build_ms", u.tiles->build_ms}};
    u.work.report_to(r);
    if (runs[0].result.backend == backend::cuda) {
        r["device_peak_bytes"] = runs[0].result.device_peak_bytes;
        r["moved_bytes"] = u.prepare_bytes + runs[0].result.moved_bytes;
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
    if (u.s.explain) r["explanation"] = explanation(u, runs[0].result);
    print(r);
}

void print_levels(const search& run) {
    std::size_t kernel_width = 6;
    for (const auto& l : run.levels) kernel_width = std::max(kernel_width, l.level.kernel.size());
    fmt::print("{:>5}  {:<9}  {:<{}}  {:>10}  {:>10}  {:>10}  {}\n", "level", "direction", "kernel",
               kernel_width, "frontier", "unvisited", "time", "reason");
    for (std::size_t k = 0; k < run.levels.size(); ++k) {
        const auto& [l, us] = run.levels[k];
        fmt::print("{:>5}  {:<9}  {:<{}}  {:>10}  {:>10}  {:>10}  {}\n", k, name_of(l.direction), l.kernel,
                   kernel_width, l.frontier, l.unvisited, time_text(us / 1e3), l.reason);
    }
}

void print_text(const setup& u, const std::vector<search>& runs) {
    const offset_t n = u.in.matrix().rows();
    fmt::print("{}\n", input_text(u.s, u.in));
    u.work.print_line();
    if (u.plan.builds_transpose || u.options.hub_first)
        fmt::print("prepared in {}: {}\n", time_text(u.prepare_ms),
                   u.options.hub_first ? "columns, neighbours of large degree first" : "columns, for pull");
    if (u.tiles)
        fmt::print("{} of {} x {} built in {}: {}, {:.2f} times the CSR; {} extracted\n",
                   count_text(u.tiles->tiles, "tile", "tiles"), u.tiles->size, u.tiles->size,
                   time_text(u.tiles->build_ms), bytes_text(static_cast<double>(u.tiles->bytes)),
                   static_cast<double>(u.tiles->bytes) / static_cast<double>(u.tiles->csr_bytes),
                   count_text(u.tiles->extracted, "entry", "entries"));
    if (u.s.explain)
        for (const auto& line : explanation(u, runs[0].result)) fmt::print("{}\n", line);
    for (const auto& run : runs) {
        fmt::print("\nsource {}{}\n", u.in.original(run.source), u.source_note);
        print_levels(run);
        if (u.s.explain)
            for (std::size_t k = 0; k < run.levels.size(); ++k)
                fmt::print("{}\n", level_sentence(k, run.levels[k].level));
        fmt::print("reached {} of {} vertices ({:.1f}%) in {}; {}; {}; {:.3f} GTEPS\n", run.result.reached, n,
                   100.0 * static_cast<double>(run.result.reached) / static_cast<double>(n),
                   count_text(static_cast<offset_t>(run.levels.size()), "level", "levels"),
                   count_text(run.result.edges, "edge", "edges"), time_text(run.ms), run.gteps());
        if (u.s.validate && run.breach.empty()) fmt::print("valid: all five checks of Graph500 pass\n");
    }
}

void write_tree(const setup& u, const search& run) {
    std::vector<index_t> vertices;
    std::vector<std::int32_t> levels, parents;
    run.result.levels.extract_tuples<std::int32_t>(vertices, levels);
    run.result.parents.extract_tuples<std::int32_t>(vertices, parents);
    const auto name = [&](index_t v) { return v < 0 ? -1 : u.in.original(v); };
    if (is_npz(u.s.output)) {
        const auto n = static_cast<offset_t>(vertices.size());
        std::vector<std::int64_t> names[2];
        std::ranges::transform(vertices, std::back_inserter(names[0]), name);
        std::ranges::transform(parents, std::back_inserter(names[1]), name);
        const io::named_array arrays[] = {{"vertex", dtype::int64, names[0].data(), n},
                                          {"level", dtype::int32, levels.data(), n},
                                          {"parent", dtype::int64, names[1].data(), n}};
        return io::write_npz_arrays(u.s.output, arrays);
    }
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), "# vertex level parent; source {}; level -1: not reached\n",
                   u.in.original(run.source));
    for (std::size_t v = 0; v < vertices.size(); ++v)
        fmt::format_to(std::back_inserter(text), "{} {} {}\n", name(vertices[v]), levels[v],
                       name(parents[v]));
    write_file(u.s.output, {text.data(), text.size()});
}

int run_bfs(const bfs_settings& s) {
    if (s.levels)
        throw usage_error(
            "--levels is for many sources at once: give --sources or --sources-random, or leave it out");
    if (!s.kernel.empty() && is_of_many_sources(s.kernel))
        throw usage_error(fmt::format(
            "--kernel {} is for many sources at once: give --sources or --sources-random, or leave it out",
            s.kernel));
    if (s.validate && s.max_depth >= 0)
        throw usage_error("--validate needs the whole search: leave out --max-depth");
    if (!s.output.empty() && s.sources.size() > 1) throw usage_error("--output takes one --source");
    if (!s.output.empty()) check_columns(s.output);
    traverse_options options;
    options.switches = parse_switches(s.switches.empty() ? "all" : s.switches);
    options.kernel = s.kernel;
    options.hub_first = s.hub_first;
    options.tiles = s.tiles;
    options.max_depth = s.max_depth;
    options.determinism = s.requested();

    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    const auto [sources, note] = choose_sources(in, s.sources);
    const renumbered work(ctx, s, in.matrix());
    setup u{s, ctx, in, work, options, {}, {}};
    u.source_note = note;
    u.plan = ops::plan_traverse(ctx, work.matrix(), options);
    if (!u.plan.on_device)
        u.options.kernel = u.plan.kernel;  // what is timed is what is shown: repeats are no searches again
    prepare(u, sources[0]);
    std::vector<search> runs;
    for (const auto source : sources) runs.push_back(run_search(u, source));
    if (!s.output.empty()) write_tree(u, runs[0]);
    if (s.json)
        print_json(u, runs);
    else
        print_text(u, runs);
    int status = 0;
    for (const auto& run : runs) {
        if (run.breach.empty()) continue;
        tell(fmt::format("nz: the search from {} is not valid: {}\n", in.original(run.source), run.breach));
        status = 1;
    }
    return status;
}

void add_many_sources(CLI::App& verb, bfs_settings& s) {
    const std::string group = "Many sources at once, 64 in the bits of a word";
    auto* list = verb.add_option("--sources", s.many_sources,
                                 "Sources by the input's own ids: 3,7,12, or a file with one a line")
                     ->option_text("LIST");
    auto* random =
        verb.add_option("--sources-random", s.random_sources, "So many random vertices with edges out")
            ->check(CLI::Range(1, 16777216))
            ->option_text("K");
    random->excludes(list);
    random->option_text("K");
    auto* levels = verb.add_flag("--levels", s.levels,
                                 "Compute every level, not only counts (as --output and --validate do)");
    for (auto* option : {list, random, levels}) option->group(group);
}

}  // namespace

void add_bfs(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("bfs", "Breadth-first search, level by level");
    const auto s = std::make_shared<bfs_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_sources(*verb, s->sources);
    verb->add_option("--max-depth", s->max_depth, "Stop after this many levels")
        ->check(CLI::Range(0, 2147483647))
        ->option_text("N");
    verb->add_option("--switches", s->switches,
                     "all (default), none, or some of change_direction,masking,early_exit,\n"
                     "operand_reuse,structure_only (together: all) and duplicates: push\n"
                     "claims no vertex, frontiers may hold repeats")
        ->option_text("LIST");
    verb->add_flag("--hub-first", s->hub_first,
                   "Pull over neighbours of large degree first; parents are then any");
    verb->add_option("--tile-size", s->tiles.size,
                     "Kernel tile: tiles of this size, whatever memory they take")
        ->check(CLI::IsMember({32, 64}))
        ->option_text("32|64");
    verb->add_option("--tile-least", s->tiles.least_entries,
                     "Kernel tile: entries in a tile; those of smaller ones are kept apart")
        ->check(CLI::Range(0, 2147483647))
        ->option_text("N");
    add_many_sources(*verb, *s);
    const std::string one = kernels::known_ids("traverse") + ", push_pull_loop",
                      many = kernels_of_many_sources();
    add_computation(*verb, *s, one + ", " + many);
    verb->get_option("--kernel")
        ->description(fmt::format("Run this kernel, or fail:\n{}; many sources at once: {}", one, many));
    add_transformations(*verb, *s);
    add_reordering(*verb, *s);
    add_output(*verb, *s,
               "Write 'vertex level parent' for every vertex to this file, .npz for NumPy, else text\n"
               "(many sources at once: 'vertex level level ...')");
    verb->footer(
        "Example: nz bfs rmat:18,16 --validate --explain\n"
        "Edges run from row to column. GTEPS counts the entries in the rows of the vertices reached.\n"
        "With several sources, --json has an object for each in \"runs\".");
    verb->callback([&run, s] {
        run = [s] {
            check_tiling(*s, s->tiles, {"tile"});
            return s->many() ? run_bfs_many(*s) : run_bfs(*s);
        };
    });
}

}  // namespace nz::cli
