// nz-bench SUITE: check first, then time. `nz bench` runs it.
#include "harness.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
    app.add_option("--backend", o.backend, "auto (the GPU where there is one), cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    app.add_option("--table", o.table, "Table of the paper");
    app.add_option("--figure", o.figure, "Figure of the paper");
    app.add_option("--scale", o.scale, "gap: graphs of 2^SCALE vertices (default 16)")
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
            if (s.name == suite) return s.main(o);
    } catch (const nz::error& e) {
        fmt::print(stderr, "nz-bench: {}\n", e.what());
        return 1;
    }
    fmt::print(stderr, "nz-bench: '{}' is not a suite; there are\n{}", suite, known);
    return 2;
}
