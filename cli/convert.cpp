// nz convert and nz generate: from any input to a file.
#include "convert.hpp"

#include "common.hpp"

#include <fmt/format.h>

namespace nz::cli {

int convert_input(std::string_view verb, const settings& s) {
    check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    if (!in.input.original_ids.empty())
        warn(fmt::format("{} numbers its vertices anew, from 0 to {}", s.output, in.matrix().rows() - 1));
    const stopwatch watch;
    save(ctx, in.matrix(), s.output);
    const double ms = watch.ms();
    if (s.json) {
        json r = report(verb, s, ctx, in, "", ms);
        r["output"] = s.output;
        print(r);
    } else {
        fmt::print("{}\n{}: written in {}\n", input_text(s, in), s.output, time_text(ms));
    }
    return 0;
}

void add_convert(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("convert", "Read any input, write a file");
    const auto s = std::make_shared<settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_output(*verb, *s, "The file; its suffix says the format: .mtx, .mtx.gz, .el, .wel, .npz, .nzb")
        ->required();
    verb->footer("Example: nz convert graph.mtx.gz -o graph.npz --symmetrize");
    verb->callback([&run, s] { run = [s] { return convert_input("convert", *s); }; });
}

}  // namespace nz::cli
