// nz bench: hands over to nz-bench, the program of the benchmarks, which stands beside nz.
#include "nonzero/errors.hpp"
#include "options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace nz::cli {

int become_bench(char** words) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "nz-bench";
    if (!fs::exists(program, ignored))
        throw error(
            fmt::format("{} is not there: build the target nz-bench, or run ./nz bench", program.string()));
    std::string name = program.string();
    std::vector<char*> arguments{name.data()};
    for (; *words; ++words) arguments.push_back(*words);
    arguments.push_back(nullptr);
    execv(name.c_str(), arguments.data());
    throw error(fmt::format("cannot run {}: {}", name, std::strerror(errno)));
}

// For the help alone: the words after `bench` are nz-bench's own and are not read here.
void add_bench(CLI::App& app) {
    auto* verb = app.add_subcommand("bench", "Run benchmarks: a suite, or a paper's tables and figures");
    verb->add_option("SUITE", "matvec, bfs, or papers/KEY [--table N|--figure N]; all goes to nz-bench")
        ->required()
        ->option_text(" ");
    verb->footer("Example: nz bench papers/yang2018 --table 2");
}

}  // namespace nz::cli
