// nz spy: the pattern of a matrix as a picture.
#include "common.hpp"

#include <fmt/format.h>

#include <memory>

namespace nz::cli {
namespace {

struct spy_settings : settings {
    int pixels = 800;
};

int run_spy(const spy_settings& s) {
    if (!s.output.ends_with(".png"))
        throw usage_error(fmt::format("cannot write {}: a spy plot is a .png", s.output));
    check_output(s.output);
    const context ctx = make_context(s, false);
    const loaded in = load_input(ctx, s);
    const stopwatch watch;
    save_spy(ctx, in.matrix(), s.output, s.pixels);
    const double ms = watch.ms();
    if (s.json) {
        json r = report("spy", s, ctx, in, "", ms);
        r["output"] = s.output;
        r["pixels"] = s.pixels;
        print(r);
    } else {
        fmt::print("{}\n{}: drawn in {}\n", input_text(s, in), s.output, time_text(ms));
    }
    return 0;
}

}  // namespace

void add_spy(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("spy", "Draw the pattern as a PNG");
    const auto s = std::make_shared<spy_settings>();
    add_input(*verb, *s);
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_output(*verb, *s, "The picture, a .png")->required();
    verb->add_option("--pixels", s->pixels,
                     "About the longer side of the drawing (default 800), its axes aside; the places of a\n"
                     "matrix that fits are whole pixels wide, 40 at most")
        ->check(CLI::Range(16, 16384))
        ->option_text("N");
    verb->footer("Example: nz spy laplace2d:30 -o laplace.png");
    verb->callback([&run, s] { run = [s] { return run_spy(*s); }; });
}

}  // namespace nz::cli
