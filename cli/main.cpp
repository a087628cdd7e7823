// nz VERB INPUT... [options]: reads the command line, runs one verb, turns errors into one line and an exit
// status.
#include "common.hpp"
#include "io/output_file.hpp"
#include "nonzero/errors.hpp"
#include "options.hpp"
#include "suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>

namespace nz::cli {
namespace {

constexpr int failed = 1, wrong_usage = 2;

int complain(int status, std::string text) {
    std::ranges::replace(text, '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    tell(fmt::format("nz: {}\n", text));
    return status;
}

std::vector<CLI::App*> verbs_of(CLI::App& app) {
    return app.get_subcommands([](CLI::App*) { return true; });
}

std::string verb_list(CLI::App& app) {
    std::string list;
    for (const auto* verb : verbs_of(app))
        list += fmt::format("{}{}", list.empty() ? "" : ", ", verb->get_name());
    return list;
}

int complain_without_verb(CLI::App& app) {
    return complain(wrong_usage, fmt::format("a verb is missing: {}; see nz --help", verb_list(app)));
}

int refuse_option_first(const std::string& word) {
    return complain(
        wrong_usage,
        fmt::format("{}: options follow the verb, as in nz VERB INPUT {}; see nz --help", word, word));
}

// For those who come without a word: what most people want first. Each line runs as it stands.
constexpr std::string_view first_steps =
    "nz computes with sparse matrices and graphs over any semiring. Six commands to begin with:\n"
    "\n"
    "  nz info rmat:16,16                             size, degrees and symmetry of a graph\n"
    "  nz bfs rmat:18,16 --validate                   breadth-first search, checked\n"
    "  nz sssp grid2d:500 --weights uniform:1,255     shortest paths\n"
    "  nz pagerank rmat:16,16 --top 5                 the vertices that matter most\n"
    "  nz spgemm laplace2d:200 --explain              A * A, and why by that kernel\n"
    "  nz spy rmat_directed:14,8 -o pattern.png       a picture of where the entries are\n"
    "\n"
    "In place of rmat:16,16 (a generated graph) any of them takes a file: .mtx, .mtx.gz, .npz, an edge list.\n"
    "nz --help lists all verbs, nz VERB --help says all about one, nz completion bash completes words in a shell.\n";

int take_first_steps() {
    tell(first_steps);
    return wrong_usage;
}

// Names that the verbs have elsewhere.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"benchmark", "bench"}, {"betweenness", "bc"}, {"components", "cc"}, {"cores", "kcore"},
    {"csrmm", "spmm"},      {"dijkstra", "sssp"},  {"matmul", "spgemm"}, {"mxd", "spmm"},
    {"mxm", "spgemm"},      {"mxv", "spmv"},       {"plot", "spy"},      {"pr", "pagerank"},
    {"shortest", "sssp"},   {"triangles", "tc"},   {"vxm", "spmspv"},    {"wcc", "cc"},
};

int refuse_verb(CLI::App& app, const std::string& word) {
    const auto* other =
        std::ranges::find(other_names, word, &std::pair<std::string_view, std::string_view>::first);
    std::vector<std::string> names;
    for (const auto* verb : verbs_of(app)) names.push_back(verb->get_name());
    const std::string meant =
        other != std::end(other_names) ? std::string(other->second) : nearest(word, names);
    return complain(wrong_usage, fmt::format("unknown verb '{}'{}{} verbs: {}", word, did_you_mean(meant),
                                             meant.empty() ? ";" : "", verb_list(app)));
}

// The option of a verb that a word is meant to be.
std::string nearest_option(const CLI::App& verb, const std::string& word) {
    std::vector<std::string> names;
    for (const auto* option : verb.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return nearest(word, names);
}

// A known option that this verb does not have deserves more than "not expected".
std::string explain_extras(CLI::App& app, const CLI::App& verb, const CLI::ParseError& e) {
    for (const auto& word : verb.remaining()) {
        const std::string name = word.substr(0, word.find('='));
        if (!name.starts_with('-') || name.size() < 3) continue;
        std::string owners;
        for (const auto* other : verbs_of(app))
            if (other->get_option_no_throw(name))
                owners += fmt::format("{}{}", owners.empty() ? "" : ", ", other->get_name());
        if (!owners.empty())
            return fmt::format("{} has no option {} (verbs that have it: {})", verb.get_name(), name, owners);
        return fmt::format("{} has no option {}{}", verb.get_name(), name,
                           did_you_mean(nearest_option(verb, name)));
    }
    return fmt::format("{}: {}", verb.get_name(), e.what());
}

int refuse_usage(CLI::App& app, const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) return complain(wrong_usage, fmt::format("{}; see nz --help", e.what()));
    const bool extras = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
    const std::string text =
        extras ? explain_extras(app, *chosen[0], e) : fmt::format("{}: {}", chosen[0]->get_name(), e.what());
    return complain(wrong_usage, fmt::format("{}{} see nz {} --help", text, text.ends_with('?') ? "" : ";",
                                             chosen[0]->get_name()));
}

void describe(CLI::App& app) {
    std::string footer =
        "INPUT is a file (.mtx, .mtx.gz, .el, .wel, an edge list in .txt, .tsv, .csv or .edges, .npz, .nzb, .bsp.h5)\n"
        "or a generator:\n";
    for (const auto& line : generators()) footer += fmt::format("  {}\n", line);
    footer +=
        "\nResults go to standard output, warnings and progress to standard error.\n"
        "Exit status: 0 done; 1 the work failed, is not valid or does not fit; 2 wrong usage or unreadable input.\n"
        "Example: nz bfs rmat:18,16 --validate";
    app.footer(footer);
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", fmt::format("nz {}", version()), "Print the version");
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    app.get_formatter()->label("Subcommands", "Verbs");
    app.get_formatter()->column_width(28);
}

// Of a whole number: decimal, whatever it begins with, and as it was written. (CLI11 reads 010 as 8, and what does not fit as the nearest that does.)
template <class Number>
std::string decimal(std::string& word) {
    const bool sign = word.starts_with('-') || word.starts_with('+');
    std::string_view digits = std::string_view(word).substr(sign);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return fmt::format("'{}' is not a whole number", word);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    const std::string plain = (word[0] == '-' ? "-" : "") + std::string(digits);
    Number number = 0;
    const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
    if (error == std::errc::result_out_of_range) return fmt::format("{} is beyond 64 bits", word);
    word = plain;
    return {};
}
// Of anything else: something.
std::string not_empty(std::string& word) { return word.empty() ? "an empty word is no value" : ""; }

// What options take, before CLI11 reads it.
void check_values(CLI::App& verb) {
    for (CLI::Option* option : verb.get_options([](const CLI::Option*) { return true; })) {
        if (option->get_items_expected_max() == 0) continue;
        const std::string type = option->get_type_name();
        // Whole numbers before bounds are looked at.
        if (type.starts_with("INT"))
            option->transform(CLI::Validator(decimal<std::int64_t>, ""));
        else if (type.starts_with("UINT"))
            option->transform(CLI::Validator(decimal<std::uint64_t>, ""));
        else
            option->check(CLI::Validator(not_empty, ""));
    }
}

void add_verbs(CLI::App& app, runner& run) {
    add_info(app, run);
    add_spy(app, run);
    add_convert(app, run);
    add_generate(app, run);
    add_bfs(app, run);
    add_sssp(app, run);
    add_pagerank(app, run);
    add_cc(app, run);
    add_scc(app, run);
    add_tc(app, run);
    add_bc(app, run);
    add_kcore(app, run);
    add_mis(app, run);
    add_color(app, run);
    add_cdlp(app, run);
    add_ktruss(app, run);
    add_closeness(app, run);
    add_matching(app, run);
    add_closure(app, run);
    add_mcl(app, run);
    add_spmv(app, run);
    add_spmspv(app, run);
    add_spmm(app, run);
    add_spadd(app, run);
    add_spgemm(app, run);
    add_bench(app);
    add_completion(app, run);
    for (auto* verb : verbs_of(app)) {
        check_values(*verb);
        verb->group("Verbs (nz VERB --help says more)");
    }
}

// Ends the program as the signal does, without files half written.
void end_by(int signal) {
    io::output_file::remove_unfinished();
    std::raise(signal);  // with its default action, once this returns
}

void watch_signals() {
    std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit on files then fails as on a full disk
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) continue;  // as nohup wants it
        action.sa_handler = end_by;
        action.sa_flags = SA_RESETHAND;
        ::sigaction(signal, &action, nullptr);
    }
}

int run_program(int argc, char** argv) {
    CLI::App app("Nonzero: sparse matrices and graphs over any semiring", "nz");
    runner run;
    describe(app);
    add_verbs(app, run);
    if (argc < 2) return take_first_steps();
    std::string help = "--help";
    std::vector<char*> words(argv, argv + argc);
    if (words[1] == std::string_view("help")) {  // nz help VERB is nz VERB --help
        words.erase(words.begin() + 1);
        words.resize(std::min<std::size_t>(words.size(), 2));
        words.push_back(help.data());
    }
    if (words[1][0] != '-' &&
        std::ranges::none_of(verbs_of(app), [&](CLI::App* verb) { return verb->get_name() == words[1]; }))
        return refuse_verb(app, words[1]);
    if (words[1][0] == '-' && !app.get_option_no_throw(words[1])) return refuse_option_first(words[1]);
    const std::string_view second = argc > 2 ? argv[2] : "-h";
    if (argv[1] == std::string_view("bench") && second != "-h" && second != "--help")
        return become_bench(argv + 2);
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ParseError& e) {
        return refuse_usage(app, e);
    }
    if (!run) return complain_without_verb(app);
    return run();
}

// Every failure ends here: as one line, never as a trace.
int guarded(int argc, char** argv) {
    try {
        const int status = run_program(argc, argv);
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            return complain(failed, "cannot write to standard output");
        return status;
    } catch (const usage_error& e) {
        return complain(wrong_usage, e.what());
    } catch (const invalid_format& e) {
        return complain(wrong_usage, e.what());
    } catch (const domain_error& e) {
        return complain(wrong_usage, e.what());
    } catch (const index_out_of_bounds& e) {
        return complain(wrong_usage, e.what());
    } catch (const dimension_mismatch& e) {
        return complain(wrong_usage, e.what());
    } catch (const std::bad_alloc&) {
        return complain(failed, "out of memory");
    } catch (const std::exception& e) {
        return complain(failed, e.what());
    }
}

}  // namespace
}  // namespace nz::cli

int main(int argc, char** argv) {
    nz::cli::watch_signals();
    return nz::cli::guarded(argc, argv);
}
