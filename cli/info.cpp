// nz info: what a matrix looks like.
#include "common.hpp"
#include "reorder.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace nz::cli {
namespace {

// Rows by length: class 0 is empty, class k holds lengths 2^(k-1) .. 2^k - 1.
struct row_lengths {
    std::vector<offset_t> classes;
    offset_t shortest = 0, on_diagonal = 0;
};

row_lengths measure(const matrix& a) {
    const structure rows(a);
    row_lengths r;
    if (rows.rows() > 0) r.shortest = rows.length(0);
    for (index_t i = 0; i < rows.rows(); ++i) {
        const offset_t length = rows.length(i);
        r.shortest = std::min(r.shortest, length);
        const auto k = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)));
        if (k >= r.classes.size()) r.classes.resize(k + 1);
        ++r.classes[k];
        r.on_diagonal += std::ranges::binary_search(rows.row(i), i) ? 1 : 0;
    }
    return r;
}

offset_t class_begin(std::size_t k) { return k == 0 ? 0 : offset_t{1} << (k - 1); }
offset_t class_end(std::size_t k) { return k == 0 ? 0 : (offset_t{1} << k) - 1; }

std::string_view values_text(value_kind kind) {
    return kind == value_kind::full ? "full" : kind == value_kind::iso ? "iso" : "pattern";
}

std::size_t csr_bytes(const matrix& a) {
    const auto nnz = static_cast<std::size_t>(a.nnz());
    const std::size_t values = a.values_held() == value_kind::full  ? nnz
                               : a.values_held() == value_kind::iso ? 1
                                                                    : 0;
    const auto offset = static_cast<std::size_t>(structure(a).offset_bytes());
    return (static_cast<std::size_t>(a.rows()) + 1) * offset + nnz * sizeof(index_t) +
           values * size_of(a.type());
}

// What bit tiles would take, by a sample of tile rows.
struct tile_occupancy {
    int size;
    double tiles_an_entry, entries_a_tile, rows_a_tile, times_csr;
};

std::vector<tile_occupancy> occupancy(const matrix& a) {
    std::vector<tile_occupancy> all;
    const storage::csr& rows = a.body().rows();
    for (const int size : {16, 32, 64}) {
        const storage::tile_sample t = a.body().sampled_tiles(size);
        if (t.tiles == 0) continue;
        const auto bytes = static_cast<double>(storage::expected_bytes(t, a.rows(), a.nnz(), 0));
        all.push_back({size, t.tiles, 1 / t.tiles, t.words_a_tile(),
                       bytes / static_cast<double>(rows.offsets.bytes() + rows.indices.bytes())});
    }
    return all;
}

json tiles_json(const matrix& a) {
    json list = json::array();
    for (const auto& t : occupancy(a))
        list.push_back({{"size", t.size},
                        {"tiles_an_entry", t.tiles_an_entry},
                        {"entries_a_tile", t.entries_a_tile},
                        {"rows_a_tile", t.rows_a_tile},
                        {"times_csr", t.times_csr}});
    return list;
}

void print_line(std::string_view name, const std::string& value) { fmt::print("{:<20}{}\n", name, value); }

void print_tiles(const matrix& a) {
    for (const auto& t : occupancy(a))
        print_line(
            fmt::format("tiles of {}", t.size),
            fmt::format(
                "{:.3g} an entry, {:.3g} entries in {:.3g} rows each; as bits {:.2f} times the CSR's structure",
                t.tiles_an_entry, t.entries_a_tile, t.rows_a_tile, t.times_csr));
}

void print_json(const settings& s, const context& ctx, const loaded& in, const row_lengths& lengths,
                const renumbered& work, double ms) {
    const matrix& a = in.matrix();
    const matrix_facts& f = a.facts();
    json r = report("info", s, ctx, in, "", ms);
    r["type"] = name_of(a.type());
    r["values"] = values_text(a.values_held());
    r["declared_symmetric"] = in.input.declared_symmetric;
    r["symmetric_pattern"] = f.symmetric_pattern;
    r["degree"] = {{"min", lengths.shortest}, {"mean", f.degree_mean}, {"max", f.degree_max}};
    r["empty_rows"] = f.empty_rows;
    r["bandwidth"] = {{"lower", f.bandwidth_lower}, {"upper", f.bandwidth_upper}};
    r["profile"] = distance_of(a).profile;
    work.report_to(r);
    r["diagonal_entries"] = lengths.on_diagonal;
    r["original_ids"] = !in.input.original_ids.empty();
    r["bytes"] = csr_bytes(a);
    r["tiles"] = tiles_json(a);
    if (work.active()) r["reorder"]["tiles"] = tiles_json(work.matrix());
    r["histogram"] = json::array();
    for (std::size_t k = 0; k < lengths.classes.size(); ++k)
        r["histogram"].push_back(
            {{"from", class_begin(k)}, {"to", class_end(k)}, {"rows", lengths.classes[k]}});
    print(r);
}

void print_histogram(const row_lengths& lengths) {
    const offset_t most = lengths.classes.empty() ? 0 : std::ranges::max(lengths.classes);
    fmt::print("row lengths\n");
    for (std::size_t k = 0; k < lengths.classes.size(); ++k) {
        const offset_t first = class_begin(k), last = class_end(k), count = lengths.classes[k];
        const std::string range =
            first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
        const auto bar = static_cast<std::size_t>((40 * count + most - 1) / std::max<offset_t>(most, 1));
        fmt::print("  {:>15}  {:>10}  {}\n", range, count, std::string(bar, '#'));
    }
}

void print_text(const settings& s, const loaded& in, const row_lengths& lengths, const renumbered& work) {
    const matrix& a = in.matrix();
    const matrix_facts& f = a.facts();
    const auto line = print_line;
    line("input", fmt::format("{} ({})", s.input, in.input.format));
    line("shape", fmt::format("{} x {}", a.rows(), a.columns()));
    line("entries", fmt::format("{}", a.nnz()));
    line("type", fmt::format("{}, values {}", name_of(a.type()), values_text(a.values_held())));
    line("declared symmetric", in.input.declared_symmetric ? "yes" : "no");
    line("symmetric pattern", f.symmetric_pattern ? "yes" : "no");
    line("entries in a row",
         fmt::format("min {}, mean {:.2f}, max {}", lengths.shortest, f.degree_mean, f.degree_max));
    line("empty rows", fmt::format("{}", f.empty_rows));
    line("bandwidth", fmt::format("{} below the diagonal, {} above", f.bandwidth_lower, f.bandwidth_upper));
    line("profile", fmt::format("{}", distance_of(a).profile));
    line("on the diagonal", count_text(lengths.on_diagonal, "entry", "entries"));
    if (!in.input.original_ids.empty()) line("vertices", "have ids of their own");
    print_tiles(a);
    line("memory", bytes_text(static_cast<double>(csr_bytes(a))));
    line(is_generator(s.input) ? "generated in" : "loaded in", time_text(in.load_ms));
    work.print_line();
    if (work.active()) print_tiles(work.matrix());
    print_histogram(lengths);
}

int run_info(const settings& s) {
    const context ctx = make_context(s, false);
    const loaded in = load_input(ctx, s);
    const stopwatch watch;
    const row_lengths lengths = measure(in.matrix());
    in.matrix().facts();
    const double ms = watch.ms();
    const renumbered work(ctx, s, in.matrix());
    if (s.json)
        print_json(s, ctx, in, lengths, work, ms);
    else
        print_text(s, in, lengths, work);
    return 0;
}

}  // namespace

void add_info(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("info", "Shape, entries, symmetry, degrees, bandwidth, tiles, memory");
    const auto s = std::make_shared<settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_reordering(*verb, *s);
    verb->get_option("--reorder")->description("Say what renumbering would do: rcm, degree or cluster");
    verb->footer("Example: nz info laplace2d:100");
    verb->callback([&run, s] { run = [s] { return run_info(*s); }; });
}

}  // namespace nz::cli
