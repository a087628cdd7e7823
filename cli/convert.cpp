// nz convert and nz generate: from any input to a file.
#include "convert.hpp"

#include "common.hpp"
#include "reorder.hpp"

#include <fmt/format.h>

#include <iterator>

namespace nz::cli {
namespace {

void write_order(const std::string& path, const loaded& in, const renumbered& work) {
    fmt::memory_buffer text;
    for (const index_t vertex : work.order().values<index_t>())
        fmt::format_to(std::back_inserter(text), "{}\n", in.original(vertex));
    write_file(path, {text.data(), text.size()});
}

}  // namespace

int convert_input(std::string_view verb, const settings& s) {
    check_output(s.output);
    check_different(s.output, s.order_file);
    const file_layout layout = parse_file_layout(s.layout);
    if (!s.order_file.empty()) check_columns(s.order_file);
    if (is_npz(s.order_file))
        throw usage_error(fmt::format("cannot write {}: an order is written as text", s.order_file));
    const context ctx = make_context(s, false);
    const loaded in = load_input(ctx, s);
    if (!in.input.original_ids.empty() && s.order_file.empty())
        warn(fmt::format("{} numbers its vertices anew, from 0 to {}", s.output, in.matrix().rows() - 1));
    const renumbered work(ctx, s, in.matrix());
    const stopwatch watch;
    save(ctx, work.matrix(), s.output, {.layout = layout});
    const double ms = watch.ms();
    if (!s.order_file.empty()) write_order(s.order_file, in, work);
    if (s.json) {
        json r = report(verb, s, ctx, in, "", ms);
        r["output"] = s.output;
        work.report_to(r);
        print(r);
    } else {
        fmt::print("{}\n", input_text(s, in));
        work.print_line();
        fmt::print("{}: written in {}\n", s.output, time_text(ms));
    }
    return 0;
}

void add_convert(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("convert", "Read any input, write a file");
    const auto s = std::make_shared<settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_reordering(*verb, *s);
    auto* order = verb->get_option("--reorder")->description("Write it renumbered: rcm, degree or cluster");
    verb->add_option("--order-file", s->order_file, "Write the input's id of each row, in their new order")
        ->needs(order)
        ->option_text("FILE");
    add_output(*verb, *s,
               "The file; its suffix says the format: .mtx, .mtx.gz, .el, .wel, .npz, .nzb, .bsp.h5")
        ->required();
    verb->add_option("--layout", s->layout,
                     "How a Binsparse file (.bsp.h5) lays it out: csr (default), csc or coo")
        ->check(CLI::IsMember({"csr", "csc", "coo"}))
        ->option_text("NAME");
    verb->footer("Example: nz convert graph.mtx.gz -o graph.npz --symmetrize");
    verb->callback([&run, s] { run = [s] { return convert_input("convert", *s); }; });
}

}  // namespace nz::cli
