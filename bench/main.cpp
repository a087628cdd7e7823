// nz-bench SUITE: check first, then time. `nz bench` runs it.
#include "harness.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>

namespace {

// Draws the results: the Python package does, since that is where matplotlib is. Returns the exit status.
int draw(const nz::bench::options& o) {
    const char* words[] = {"python3",        "-m",   "nonzero.report", o.json.c_str(), "--output",
                           o.report.c_str(), nullptr};
    pid_t child = 0;
    int status = -1;
    if (posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char**>(words), environ) == 0 &&
        waitpid(child, &status, 0) == child && status == 0)
        return 0;
    fmt::print(
        stderr,
        "nz-bench: the figures are in {}, but could not be drawn: pip install '.[report]', then python3 -m "
        "nonzero.report {} --output {}\n",
        o.json, o.json, o.report);
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Benchmarks of nonzero and, in the same run, of its peers"};
    nz::bench::options o;
    std::string suite;
    std::string known;
    for (const auto& s : nz::bench::suites()) known += fmt::format("  {:18} {}\n", s.name, s.summary);
    app.footer("Suites:\n" + known);
    app.add_option("suite", suite, "What to run")->required();
    app.add_option("inputs", o.inputs, "Files or generators in place of the suite's own");
    app.add_option("--threads", o.threads, "Threads (default: all)");
    app.add_option("--filter", o.filter, "Regular expression over benchmark names");
    app.add_option("--output,-o", o.json, "Write Google Benchmark's JSON to this file");
    app.add_option("--report", o.report,
                   "Draw the results into this folder, by the Python package (nonzero.report)");
    app.add_option("--backend", o.backend, "auto (the GPU where there is one), cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    app.add_option("--table", o.table, "Table of the paper");
    app.add_option("--figure", o.figure, "Figure of the paper");
    app.add_option("--scale", o.scale, "gap, graph500: graphs of 2^SCALE vertices (default 16)")
        ->check(CLI::Range(8, 28));
    app.add_flag("--validate", o.validate, "Check results (always done)");
    app.add_flag("--quick", o.quick, "Smaller inputs, for a look");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return e.get_exit_code() == 0 ? app.exit(e) : (app.exit(e), 2);
    }
    try {
        for (const auto& s : nz::bench::suites())
            if (s.name == suite) {
                if (!o.report.empty()) std::filesystem::create_directories(o.report);
                if (!o.report.empty() && o.json.empty()) o.json = o.report + "/results.json";
                const int status = s.main(o);
                return status != 0 || o.report.empty() ? status : draw(o);
            }
    } catch (const std::exception& e) {
        fmt::print(stderr, "nz-bench: {}\n", e.what());
        return 1;
    }
    fmt::print(stderr, "nz-bench: '{}' is not a suite; there are\n{}", suite, known);
    return 2;
}
