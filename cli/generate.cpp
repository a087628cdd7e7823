// nz generate: writes what a generator makes.
#include "common.hpp"
#include "convert.hpp"

#include <fmt/format.h>

#include <memory>

namespace nz::cli {
namespace {

int run_generate(const settings& s) {
    check_generator(s.input);
    if (!is_generator(s.input))
        throw usage_error(fmt::format(
            "'{}' is not a generator; nz generate --list names them (files: nz convert)", s.input));
    return convert_input("generate", s);
}

}  // namespace

void add_generate(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("generate", "Write a generated matrix to a file");
    const auto s = std::make_shared<settings>();
    std::string list;
    for (const auto& line : generators()) list += "  " + line + "\n";
    add_input(*verb, *s, "A generator, like rmat:16,16");
    add_transformations(*verb, *s);
    add_output(*verb, *s,
               "The file; its suffix says the format: .mtx, .mtx.gz, .el, .wel, .npz, .nzb, .bsp.h5")
        ->required();
    verb->set_help_flag("-h,--help,--list", "Print this help, with all generators");
    verb->footer("Generators:\n" + list + "Example: nz generate rmat:16,16 -o rmat16.mtx.gz");
    verb->callback([&run, s] { run = [s] { return run_generate(*s); }; });
}

}  // namespace nz::cli
