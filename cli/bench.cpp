// nz bench: hands over to nz-bench, the program of the benchmarks, which stands beside nz.
#include "nonzero/errors.hpp"
#include "options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace nz::cli {
namespace {

int hand_over(const std::vector<std::string>& words) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "nz-bench";
    if (!fs::exists(program, ignored))
        throw error(
            fmt::format("{} is not there: build it with cmake --build (target nz-bench), or run ./nz bench",
                        program.string()));
    std::string name = program.string();
    std::vector<char*> arguments{name.data()};
    std::vector<std::string> own = words;
    for (auto& word : own) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(name.c_str(), arguments.data());
    throw error(fmt::format("cannot run {}: {}", name, std::strerror(errno)));
}

}  // namespace

void add_bench(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("bench", "Run benchmarks: a suite, or a paper's tables and figures");
    const auto words = std::make_shared<std::vector<std::string>>();
    verb->add_option("SUITE", *words,
                     "matvec, bfs, or papers/KEY [--table N|--figure N]; what follows goes to nz-bench")
        ->required();
    verb->prefix_command();
    verb->footer("Example: nz bench papers/yang2018 --table 2");
    verb->callback([&run, verb, words] {
        std::vector<std::string> all = *words;
        for (const auto& word : verb->remaining()) all.push_back(word);
        run = [all] { return hand_over(all); };
    });
}

}  // namespace nz::cli
