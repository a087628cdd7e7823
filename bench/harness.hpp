// What the suites share: options, timing, and results that come out as a table and as Google Benchmark's JSON.
#pragma once

#include "nonzero/nonzero.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nz::bench {

struct options {
    int threads = 0;                  ///< 0: all
    std::string filter;               ///< regular expression over benchmark names; empty: all
    std::string json;                 ///< file for Google Benchmark's JSON; empty: none
    std::string report;               ///< folder for pictures of it; empty: none
    int table = 0;                    ///< of a paper; 0: not asked for
    int figure = 0;                   ///< likewise
    std::string backend = "auto";     ///< auto: the GPU where there is one
    int scale = 16;                   ///< of generated graphs, where a suite has one: 2^scale vertices
    bool validate = true;             ///< suites check in any case; there for those who want to say so
    bool quick = false;               ///< smaller inputs, for a look
    std::vector<std::string> inputs;  ///< in place of the suite's own
};

/// What `--backend` says.
inline nz::backend wanted_backend(const options& o) {
    return o.backend == "cpu" ? backend::cpu : o.backend == "cuda" ? backend::cuda : backend::automatic;
}

/// What a suite looks at; other options are refused (bench/main.cpp).
struct suite_options {
    bool inputs = true, scale = false;
    std::vector<int> tables{}, figures{};
};
/// A suite registers benchmarks with add(), runs them with run(), and prints what follows from the results.
struct suite {
    const char* name;
    const char* summary;
    int (*main)(const options&);
    suite_options takes{};
    /// A paper's figures and tables are run one by one.
    bool is_paper() const { return !takes.figures.empty(); }
};
std::vector<suite> suites();

/// One line on standard error and exit status 2.
class wrong_usage : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What `repeats` calls of `work` took, after one warm-up, in milliseconds. The best is what a floor is held against:
/// the floor's rates are bests too, and a shared host only adds to a time.
struct timing {
    double median = 0, best = 0;
};
timing time_ms(int repeats, const std::function<void()>& work);
double median(std::vector<double> values);
double geometric_mean(const std::vector<double>& values);
/// Pearson's correlation coefficient.
double correlation(const std::vector<double>& x, const std::vector<double>& y);

/// A measurement: one time, counters that explain it, and the kernel that a plan took, where one chose.
struct measurement {
    double ms = 0;
    std::map<std::string, double> counters;
    std::string planned = {};
};

/// Says the floor of what was measured, and its share of the time.
inline void add_floor(measurement& m, double floor_ms) {
    m.counters["floor_ms"] = floor_ms;
    m.counters["share_of_floor"] = floor_ms / m.ms;
}

/// Registers a benchmark whose body measures by itself; where it cannot, it gives nothing, and is left out of the results.
void add(const std::string& name, std::function<std::optional<measurement>()> body);
/// Runs what matches the options' filter, or else `own`, the suite's own names; prints as it goes; returns the
/// results of add() by name.
std::map<std::string, measurement> run(const options& o, const char* own);
/// The same results again, for whoever ran another suite.
const std::map<std::string, measurement>& results_so_far();
/// Whether all that run() wrote as JSON is in its file.
bool json_is_whole();

}  // namespace nz::bench
