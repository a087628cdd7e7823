// What the options of a verb say, and the groups of options that verbs are made of.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/types.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nz::cli {

/// Wrong usage: one line on standard error and exit status 2.
class usage_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The values of all common options; a verb offers those that mean something to it.
struct settings {
    std::string input;
    std::uint64_t seed = 1;
    bool complex_modulus = false;
    int threads = 0;
    std::size_t memory_limit = 0, device_memory_limit = 0;
    bool symmetrize = false, directed = false, drop_loops = false, largest_component = false;
    std::string weights;  // uniform:LOW,HIGH; empty: the input's own
    std::string reorder;  // rcm, degree, cluster; empty: the input's own numbers
    std::string order_file;
    std::string backend = "auto";
    std::string kernel;
    int repeat = 1;
    bool validate = false, explain = false;
    bool deterministic = false, fast = false;
    std::string output;
    std::string layout = "csr";  // of a file that convert writes
    bool json = false;

    nz::determinism requested() const { return fast ? determinism::fast : determinism::strict; }
};

/// Runs the chosen verb and returns the exit status.
using runner = std::function<int()>;

/// INPUT, --seed, --threads, --memory-limit and --json.
void add_input(CLI::App& verb, settings& s,
               const std::string& what = "A file or a generator (nz --help lists both)");
/// --complex-modulus.
void add_file_reading(CLI::App& verb, settings& s);
/// --symmetrize, --directed, --drop-loops, --largest-component, --weights.
void add_transformations(CLI::App& verb, settings& s);
/// Words that completion offers for the option's value; others may be right as well.
void offer(CLI::Option& option, const std::vector<std::string>& words);
/// --kernel ID of these, joined with ", ".
void add_kernel(CLI::App& verb, settings& s, const std::string& kernels,
                const std::string& what = "Run this kernel, or fail");
/// --semiring NAME, "Like `examples`", and --dtype NAME, "Type of `what`".
void add_semiring(CLI::App& verb, std::string& semiring, const std::string& examples, std::string& type,
                  const std::string& what);
/// What add_run adds, --kernel ID of these, --deterministic and --fast.
void add_computation(CLI::App& verb, settings& s, const std::string& kernels);
/// --backend, --device-memory-limit, --repeat, --validate and --explain: for verbs of algorithms over several operations, which have no one
/// kernel and one result.
void add_run(CLI::App& verb, settings& s);
/// -o, --output FILE.
CLI::Option* add_output(CLI::App& verb, settings& s, const std::string& what);

/// "64", "512K", "16M", "2G": bytes. Throws usage_error.
std::size_t parse_bytes(const std::string& text);

void add_info(CLI::App& app, runner& run);
void add_spy(CLI::App& app, runner& run);
void add_convert(CLI::App& app, runner& run);
void add_generate(CLI::App& app, runner& run);
void add_bfs(CLI::App& app, runner& run);
void add_sssp(CLI::App& app, runner& run);
void add_pagerank(CLI::App& app, runner& run);
void add_cc(CLI::App& app, runner& run);
void add_scc(CLI::App& app, runner& run);
void add_tc(CLI::App& app, runner& run);
void add_bc(CLI::App& app, runner& run);
void add_kcore(CLI::App& app, runner& run);
void add_mis(CLI::App& app, runner& run);
void add_color(CLI::App& app, runner& run);
void add_cdlp(CLI::App& app, runner& run);
void add_ktruss(CLI::App& app, runner& run);
void add_closeness(CLI::App& app, runner& run);
void add_matching(CLI::App& app, runner& run);
void add_closure(CLI::App& app, runner& run);
void add_mcl(CLI::App& app, runner& run);
void add_spmv(CLI::App& app, runner& run);
void add_spmspv(CLI::App& app, runner& run);
void add_spmm(CLI::App& app, runner& run);
void add_spadd(CLI::App& app, runner& run);
void add_spgemm(CLI::App& app, runner& run);
void add_bench(CLI::App& app);
void add_completion(CLI::App& app, runner& run);

/// Becomes nz-bench with these arguments (`words` ends with a null pointer). Throws nz::error where it
/// cannot.
int become_bench(char** words);

}  // namespace nz::cli
