#include "options.hpp"

#include "nonzero/algebra.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace nz::cli {
namespace {

// Not both at once. The text keeps CLI11 from writing "Excludes: ..." into the help.
void exclude(CLI::Option* a, CLI::Option* b) {
    a->excludes(b);
    a->option_text(" ");
    b->option_text(" ");
}

std::vector<std::string> dtype_names() {
    std::vector<std::string> names;
    for (int k = 0; k < dtype_count; ++k) names.emplace_back(name_of(static_cast<dtype>(k)));
    return names;
}

void add_limit(CLI::App& verb, const char* name, std::size_t& bytes, const char* what) {
    verb.add_option_function<std::string>(
            name, [&bytes](const std::string& text) { bytes = parse_bytes(text); }, what)
        ->option_text("BYTES");
}

}  // namespace

std::size_t parse_bytes(const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, status] = std::from_chars(text.data(), end, number);
    int shift = 0;
    if (end - rest == 1) {
        const auto at = std::string_view("KkMmGg").find(*rest);
        shift = at == std::string_view::npos ? -1 : 10 * (static_cast<int>(at) / 2 + 1);
    }
    const bool understood = status == std::errc() && (end == rest || (end - rest == 1 && shift > 0));
    if (!understood || number == 0 || number > (std::numeric_limits<std::uint64_t>::max() >> shift))
        throw usage_error(
            fmt::format("'{}' is no number of bytes: write it like 4096, 512K, 64M or 2G", text));
    return static_cast<std::size_t>(number << shift);
}

void add_input(CLI::App& verb, settings& s, const std::string& what) {
    verb.add_option("INPUT", s.input, what)->required()->option_text(" ");
    verb.add_option("--seed", s.seed, "Seed of everything random (default 1)")
        ->option_text("N")
        ->check([](const std::string& text) {
            std::uint64_t seed = 0;
            const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
            const bool right = problem == std::errc{} && end == text.data() + text.size();
            return right ? std::string() : fmt::format("a seed is a number from 0 to 2^64 - 1, not {}", text);
        });
    verb.add_option("--threads", s.threads, "Threads to use (default: all cores)")
        ->check(CLI::Range(1, 4096))
        ->option_text("N");
    add_limit(verb, "--memory-limit", s.memory_limit,
              "Fail rather than use more memory: bytes, or with K, M, G");
    verb.add_flag("--json", s.json, "Print one JSON object in place of text");
}

void add_file_reading(CLI::App& verb, settings& s) {
    verb.add_flag("--complex-modulus", s.complex_modulus, "Read complex values as their modulus");
}

void add_transformations(CLI::App& verb, settings& s) {
    const std::string group = "Changes to the input";
    auto* both = verb.add_flag("--symmetrize", s.symmetrize, "Store both directions of every edge");
    auto* one = verb.add_flag("--directed", s.directed, "Keep the edges as they are stored (the default)");
    exclude(one, both);
    auto* loops = verb.add_flag("--drop-loops", s.drop_loops, "Leave out entries on the diagonal");
    auto* component = verb.add_flag("--largest-component", s.largest_component,
                                    "Keep the largest component, whatever the direction of its edges");
    auto* weights = verb.add_option("--weights", s.weights,
                                    "Give the entries random whole values, the same in both directions:\n"
                                    "uniform:LOW,HIGH");
    weights->option_text("RULE");
    for (auto* option : std::initializer_list<CLI::Option*>{both, one, loops, component, weights})
        option->group(group);
}

void add_run(CLI::App& verb, settings& s) {
    verb.add_option("--backend", s.backend, "auto (default: the GPU where there is one), cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->option_text("NAME");
    add_limit(verb, "--device-memory-limit", s.device_memory_limit,
              "The same on the GPU (default: the number of --memory-limit)");
    verb.add_option(
            "--repeat", s.repeat,
            fmt::format("Runs to time; the median counts, after a warm-up if N > 1 (default {})", s.repeat))
        ->check(CLI::Range(1, 1000000))
        ->option_text("N");
    verb.add_flag("--validate", s.validate, "Check the result; exit status 1 if it is wrong");
    verb.add_flag("--explain", s.explain, "Say in sentences what was chosen, and why");
}

void offer(CLI::Option& option, const std::vector<std::string>& words) {
    option.check(CLI::Validator([](std::string&) { return std::string(); },
                                fmt::format("{{{}}}", fmt::join(words, ","))));
}

void add_kernel(CLI::App& verb, settings& s, const std::string& kernels, const std::string& what) {
    std::vector<std::string> ids;
    for (std::size_t at = 0; at < kernels.size(); at += ids.back().size() + 2)
        ids.push_back(kernels.substr(at, kernels.find(", ", at) - at));
    offer(*verb.add_option("--kernel", s.kernel, fmt::format("{}:\n{}", what, kernels))->option_text("ID"),
          ids);
}

void add_semiring(CLI::App& verb, std::string& semiring, const std::string& examples, std::string& type,
                  const std::string& what) {
    auto* ring =
        verb.add_option("--semiring", semiring, fmt::format("Like {} (default plus_times)", examples));
    offer(*ring->option_text("NAME"), semiring_names());
    auto* of = verb.add_option("--dtype", type,
                               fmt::format("Type of {}: int64, float32... (default float64)", what));
    offer(*of->option_text("NAME"), dtype_names());
}

void add_computation(CLI::App& verb, settings& s, const std::string& kernels) {
    add_run(verb, s);
    add_kernel(verb, s, kernels);
    auto* strict =
        verb.add_flag("--deterministic", s.deterministic, "The same result in every run (the default)");
    exclude(verb.add_flag("--fast", s.fast, "Any valid result, any order of summation"), strict);
}

CLI::Option* add_output(CLI::App& verb, settings& s, const std::string& what) {
    return verb.add_option("-o,--output", s.output, what)
        ->option_text("FILE")
        ->check([](const std::string& path) -> std::string {
            if (path.starts_with('='))  // what CLI11 makes of -o=x
                return fmt::format("write -o {0} or --output={0}; a file so named is ./{1}", path.substr(1),
                                   path);
            return path.empty() ? "the file has no name" : "";
        });
}

}  // namespace nz::cli
