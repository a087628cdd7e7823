// nz-bench SUITE: check first, then time. `nz bench` runs it.
#include "harness.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

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
    fmt::print(stderr,
               "nz: the figures are in {}, but could not be drawn: pip install '.[report]', then python3 -m "
               "nonzero.report {} --output {}\n",
               o.json, o.json, o.report);
    return 1;
}

// "--table 1, 2 and --figure 2, 5, 6, 7".
std::string choices(const nz::bench::suite_options& takes) {
    std::vector<std::string> kinds;
    if (!takes.tables.empty()) kinds.push_back(fmt::format("--table {}", fmt::join(takes.tables, ", ")));
    if (!takes.figures.empty()) kinds.push_back(fmt::format("--figure {}", fmt::join(takes.figures, ", ")));
    return kinds.empty() ? "no tables and no figures" : fmt::format("{}", fmt::join(kinds, " and "));
}

// Refuses what the suite would not look at.
void check(const CLI::App& app, const nz::bench::suite& s, const nz::bench::options& o) {
    using nz::bench::wrong_usage;
    const auto& [inputs, scale, tables, figures] = s.takes;
    const bool table = app.count("--table") > 0, figure = app.count("--figure") > 0;
    const auto has = [](const std::vector<int>& numbers, int n) {
        return std::ranges::count(numbers, n) > 0;
    };
    if ((table && !has(tables, o.table)) || (figure && !has(figures, o.figure)) || (table && figure) ||
        (s.is_paper() && !table && !figure)) {
        throw wrong_usage(
            fmt::format("{} has {}{}", s.name, choices(s.takes), s.is_paper() ? ": give one of them" : ""));
    }
    if (!o.inputs.empty() && !inputs)
        throw wrong_usage(fmt::format("{} has inputs of its own: leave {} out", s.name, o.inputs[0]));
    if (!o.inputs.empty() && o.quick && !s.is_paper())
        throw wrong_usage(fmt::format("--quick and {}: {} takes the smaller inputs of its own or those named",
                                      o.inputs[0], s.name));
    if (app.count("--scale") && (!scale || o.quick))
        throw wrong_usage(scale ? "--quick says the scale too: leave it or --scale out"
                                : fmt::format("{} has no --scale", s.name));
}

// Before the work rather than after.
void check_output(const std::string& path) {
    if (path.empty()) return;
    const bool there = std::filesystem::exists(path);
    if (!std::ofstream(path, std::ios::app))
        throw nz::error(fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
    if (!there) std::filesystem::remove(path);
}

int run(const CLI::App& app, const std::string& name, nz::bench::options& o) {
    std::string known;
    for (const auto& s : nz::bench::suites()) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", s.name);
        if (s.name != name) continue;
        check(app, s, o);
        if (!o.report.empty()) std::filesystem::create_directories(o.report);
        if (!o.report.empty() && o.json.empty()) o.json = o.report + "/results.json";
        check_output(o.json);
        const int status = s.main(o);
        if (!nz::bench::json_is_whole()) throw nz::error(fmt::format("{}: cannot be written", o.json));
        return status != 0 || o.report.empty() ? status : draw(o);
    }
    throw nz::bench::wrong_usage(name.empty() ? fmt::format("a suite is missing: {}", known)
                                              : fmt::format("unknown suite '{}'; suites: {}", name, known));
}

int complain(int status, std::string text) {
    std::ranges::replace(text, '\n', ' ');
    fmt::print(stderr, "nz: {}\n", text);
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Benchmarks of nonzero and, in the same run, of its peers"};
    nz::bench::options o;
    std::string suite;
    std::string known;
    for (const auto& s : nz::bench::suites()) known += fmt::format("  {:18} {}\n", s.name, s.summary);
    app.footer("Suites:\n" + known);
    app.add_option("suite", suite, "What to run");
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
        const int status = run(app, suite, o);
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            return complain(1, "cannot write to standard output");
        return status;
    } catch (const CLI::ParseError& e) {
        return e.get_exit_code() == 0
                   ? app.exit(e)
                   : complain(2, fmt::format("bench: {}; see nz bench SUITE --help", e.what()));
    } catch (const nz::bench::wrong_usage& e) {
        return complain(2, fmt::format("bench: {}; see nz bench SUITE --help", e.what()));
    } catch (const std::exception& e) {
        return complain(1, e.what());
    }
}
