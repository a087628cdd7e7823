// Help, version, and words that make no sense.
#include "run_nz.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace nz::test {
namespace {

const std::vector<std::string> verbs = {"info",  "spy",     "convert", "generate", "pagerank",  "cc",
                                        "tc",    "bc",      "kcore",   "bfs",      "spmv",      "spmspv",
                                        "bench", "scc",     "mis",     "ktruss",   "closeness", "matching",
                                        "mcl",   "closure", "color",   "cdlp"};

class usage : public command_line {};

TEST_F(usage, help_lists_every_verb_and_every_generator) {
    const outcome run = nz({"--help"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    for (const auto& verb : verbs) EXPECT_NE(run.out.find("\n  " + verb + " "), std::string::npos) << verb;
    for (const auto* word : {"rmat:", "grid2d:", "powerlaw:", ".mtx.gz", "Exit status"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word;
}

TEST_F(usage, help_of_every_verb_has_an_example) {
    for (const auto& verb : verbs) {
        const outcome run = nz({verb, "--help"});
        EXPECT_EQ(run.status, 0) << verb;
        EXPECT_EQ(run.err, "") << verb;
        EXPECT_NE(run.out.find("Example: nz " + verb), std::string::npos) << run.out;
    }
}

TEST_F(usage, generators_can_be_listed) {
    const outcome run = nz({"generate", "--list"});
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.out.find("laplace3d:SIDE"), std::string::npos);
}

TEST_F(usage, verbs_that_compute_take_a_gpu_or_say_that_there_is_none) {
    for (const auto* verb : {"bfs",   "sssp", "spmv",   "spmspv",    "spadd",    "spgemm",  "spmm",
                             "tc",    "cc",   "bc",     "pagerank",  "scc",      "kcore",   "mis",
                             "color", "cdlp", "ktruss", "closeness", "matching", "closure", "mcl"}) {
        const outcome run = nz({verb, "grid2d:5", "--backend", "cuda"});
        if (run.status != 0) {
            EXPECT_NE(run.err.find("--backend cpu"), std::string::npos) << verb << ": " << run.err;
        }
    }
    expect_refused({"info", "grid2d:5", "--backend", "cuda"}, 2, {"no option --backend"});
    for (const auto* verb : {"spy", "convert", "generate"})
        expect_refused({verb, "grid2d:5", "-o", "unwritten.mtx", "--backend", "cuda"}, 2,
                       {"no option --backend"});
}

TEST_F(usage, whole_numbers_are_decimal_and_what_does_not_fit_is_refused) {
    EXPECT_EQ(expect_json({"bfs", "rmat:6,4", "--source", "010"})["source"], 10);
    EXPECT_EQ(expect_json({"bfs", "rmat:6,4", "--source", "08"})["source"], 8);
    expect_refused({"bfs", "rmat:6,4", "--source", "0x10"}, 2, {"--source", "'0x10' is not a whole number"});
    expect_refused({"bfs", "rmat:6,4", "--repeat", "2.0"}, 2, {"--repeat", "'2.0' is not a whole number"});
    expect_refused({"bfs", "rmat:6,4", "--source", "99999999999999999999"}, 2, {"beyond 64 bits"});
    expect_refused({"bfs", "rmat:6,4", "--source", "-99999999999999999999"}, 2, {"beyond 64 bits"});
    expect_refused({"bfs", "rmat:6,4", "--source", "9223372036854775808"}, 2, {"beyond 64 bits"});
    EXPECT_EQ(nz({"bfs", "rmat:6,4", "--seed", "18446744073709551615"}).status, 0);
    for (const auto* rule : {"uniform:1,99999999999", "uniform:-2147483649,1"})
        expect_refused({"sssp", "rmat:6,4", "--weights", rule}, 2, {rule, "from -2147483648 to 2147483647"});
    expect_refused({"sssp", "rmat:6,4", "--weights", "uniform:2,1"}, 2, {"the lowest first"});
    for (const auto* inflation : {"inf", "nan", "1"})
        expect_refused({"mcl", "grid2d:3", "--inflation", inflation}, 2,
                       {inflation, "a finite number above 1"});
    for (const auto* delta : {"-1", "inf", "1,5"})
        expect_refused({"sssp", "rmat:6,4", "--delta", delta}, 2, {delta, "is no width"});
}

TEST_F(usage, an_empty_word_is_no_value) {
    for (const auto* option : {"--source", "--sources", "--kernel", "--seed", "-o"})
        expect_refused({"bfs", "rmat:6,4", option, ""}, 2, {});
    for (const auto* option : {"--damping", "--tolerance", "--max-iterations", "--source"})
        expect_refused({"pagerank", "rmat:6,4", option, ""}, 2, {option});
    expect_refused({"spgemm", "rmat:6,4", "--mask", ""}, 2, {"--mask"});
    expect_refused({"spgemm", "rmat:6,4", ""}, 2, {"SECOND"});
}

TEST_F(usage, what_a_mask_is_for_asks_for_one) {
    for (const auto* flag : {"--mask-complement", "--mask-structure"})
        expect_refused({"spgemm", "rmat:5,4", flag}, 2, {flag, "requires --mask"});
}

TEST_F(usage, two_outputs_of_a_verb_go_to_two_files) {
    const std::string file = path("x.mtx");
    expect_refused({"convert", "rmat:5,4", "-o", file, "--reorder", "rcm", "--order-file", file}, 2,
                   {"two outputs"});
    expect_refused({"ktruss", "rmat:5,8", "-o", file, "--edges", path("./x.mtx")}, 2, {"two outputs"});
}

TEST_F(usage, what_cannot_be_said_does_not_end_the_work) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    write("ids.txt", "100 200\n200 300\n");
    const auto run = [](const std::string& words) {
        return std::system(("\"$NZ_BINARY\" " + words + " >/dev/null 2>/dev/full").c_str());
    };
    EXPECT_EQ(run("convert \"" + path("ids.txt") + "\" -o \"" + path("kept.mtx") + "\""), 0);
    EXPECT_TRUE(std::filesystem::exists(path("kept.mtx")));
    EXPECT_EQ(WEXITSTATUS(run("info no-such-file.mtx")), 2);
}

TEST_F(usage, version_is_one_line) {
    const outcome run = nz({"--version"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out, "nz 0.1.0\n");
}

TEST_F(usage, an_unknown_verb_is_answered_with_the_verbs) {
    expect_refused({"frobnicate", "grid2d:3"}, 2, {"frobnicate", "info, spy, convert, generate, bfs"});
    expect_refused({"pagerink", "grid2d:3"}, 2, {"pagerink", "spmspv"});
}

TEST_F(usage, no_word_at_all_shows_six_commands_that_run) {
    const outcome run = nz({});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    std::istringstream lines(run.err);
    int commands = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 112u) << line;
        if (!line.starts_with("  nz ")) continue;
        ++commands;
        std::istringstream text(line.substr(5, line.find("   ", 5) - 5));
        std::vector<std::string> words;
        for (std::string word; text >> word;) words.push_back(word);
        const outcome example = nz(words);
        EXPECT_EQ(example.status, 0) << line << "\n" << example.err;
        EXPECT_EQ(example.err, "") << line;
    }
    EXPECT_EQ(commands, 6);
}

TEST_F(usage, options_before_the_verb_are_told_their_place) {
    expect_refused({"--json"}, 2, {"--json: options follow the verb"});
    expect_refused({"--json", "bfs", "rmat:4"}, 2, {"nz VERB INPUT --json"});
}

TEST_F(usage, help_is_a_verb_too) {
    EXPECT_EQ(nz({"help"}).out, nz({"--help"}).out);
    EXPECT_EQ(nz({"help", "bfs"}).out, nz({"bfs", "--help"}).out);
    expect_refused({"help", "bsf"}, 2, {"did you mean bfs?"});
}

TEST_F(usage, a_misspelt_verb_is_answered_with_the_right_one) {
    for (const auto& [written, meant] :
         std::vector<std::pair<std::string, std::string>>{{"pagerink", "pagerank"},
                                                          {"bsf", "bfs"},
                                                          {"spgem", "spgemm"},
                                                          {"gen", "generate"},
                                                          {"triangles", "tc"},
                                                          {"mxm", "spgemm"}})
        expect_refused({written, "grid2d:3"}, 2, {"did you mean " + meant + "?"});
    EXPECT_EQ(nz({"frobnicate"}).err.find("did you mean"), std::string::npos);
}

TEST_F(usage, a_misspelt_option_is_answered_with_the_right_one) {
    expect_refused({"bfs", "grid2d:3", "--sorce", "2"}, 2,
                   {"bfs has no option --sorce; did you mean --source?", "see nz bfs --help"});
    expect_refused({"bfs", "grid2d:3", "--kern=x"}, 2, {"did you mean --kernel?"});
    expect_refused({"bfs", "grid2d:3", "-validate"}, 2, {"did you mean --validate?"});
    EXPECT_EQ(nz({"bfs", "grid2d:3", "--frobnicate"}).err.find("did you mean"), std::string::npos);
}

TEST_F(usage, a_misspelt_generator_is_answered_with_the_right_one) {
    expect_refused({"info", "rmta:5,3"}, 2, {"neither a file nor a generator; did you mean rmat:5,3?"});
    expect_refused({"info", "frobnicate:5"}, 2, {"cannot be opened"});
    write("rmta:5", "0 1\n");
    EXPECT_EQ(nz({"info", "rmta:5"}).err.find("did you mean"), std::string::npos);
    expect_refused({"info", "RMAT:4"}, 2, {"did you mean rmat:4?"});
    expect_refused({"generate", "grid:4", "-o", "g.mtx"}, 2, {"did you mean grid2d:4?"});
}

TEST_F(usage, a_generator_alone_is_told_its_parameters) {
    for (const auto* word : {"rmat", "RMAT"})
        expect_refused({"info", word}, 2, {"needs its parameters: rmat:SCALE[,EDGEFACTOR[,SEED]]\n"});
    expect_refused({"generate", "uniform", "-o", "u.mtx"}, 2, {"uniform:VERTICES,EDGEFACTOR"});
    write("rmat", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
    EXPECT_EQ(nz({"info", "rmat"}).status, 0);
}

TEST_F(usage, standard_input_has_a_name) {
    expect_refused({"info", "-"}, 2, {"/dev/stdin"});
    write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
    const std::string line = "cat '" + path("a.mtx") + "' | \"$NZ_BINARY\" info /dev/stdin >/dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0);
}

TEST_F(usage, a_short_option_with_an_equals_sign_makes_no_file) {
    expect_refused({"convert", "grid2d:3", "-o=x.mtx"}, 2, {"write -o x.mtx or --output=x.mtx", "./=x.mtx"});
    EXPECT_EQ(nz({"convert", "grid2d:3", "--output=./=x.mtx"}).status, 0);
    EXPECT_TRUE(exists("=x.mtx"));
}

TEST_F(usage, more_threads_than_any_machine_has_are_bounded_or_refused) {
    const std::string line =
        "OMP_NUM_THREADS=99999 OMP_WAIT_POLICY=passive \"$NZ_BINARY\" info grid2d:40 >/dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0);
    expect_refused({"info", "grid2d:9", "--threads", "4097"}, 2, {"4096"});
}

TEST_F(usage, a_missing_input_is_wrong_usage) {
    expect_refused({"bfs"}, 2, {"INPUT is required", "nz bfs --help"});
    expect_refused({"bench"}, 2, {"SUITE is required"});
}

TEST_F(usage, an_option_of_another_verb_is_refused_and_its_verbs_are_named) {
    expect_refused({"info", "grid2d:3", "--source", "1"}, 2, {"info has no option --source", "bfs"});
    expect_refused({"spmv", "grid2d:3", "--largest-component"}, 2,
                   {"spmv has no option --largest-component"});
    expect_refused({"bfs", "grid2d:3", "--semiring=min_plus"}, 2, {"bfs has no option --semiring", "spmv"});
}

TEST_F(usage, an_option_of_no_verb_is_refused) {
    expect_refused({"bfs", "grid2d:3", "--frob"}, 2, {"--frob"});
}

TEST_F(usage, options_that_contradict_each_other_are_refused) {
    expect_refused({"bfs", "grid2d:3", "--fast", "--deterministic"}, 2, {"--deterministic", "--fast"});
    expect_refused({"bfs", "grid2d:3", "--directed", "--symmetrize"}, 2, {"--directed", "--symmetrize"});
    expect_refused({"bfs", "grid2d:3", "--validate", "--max-depth", "2"}, 2, {"--max-depth"});
    expect_refused({"bfs", "grid2d:3", "--source", "1", "--source", "2", "-o", "t"}, 2, {"--output"});
    for (const auto* verb : {"bc", "closeness"}) {
        expect_refused({verb, "grid2d:3", "--all", "--source", "1"}, 2, {"--all", "--source"});
        expect_refused({verb, "grid2d:3", "--all", "--sources-random", "2"}, 2,
                       {"--all", "--sources-random"});
        expect_refused({verb, "grid2d:3", "--source", "1", "--sources-random", "2"}, 2,
                       {"--source", "--sources-random"});
    }
}

TEST_F(usage, output_that_cannot_be_written_is_a_failure) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    for (const auto* words : {"--version", "--help", "info grid2d:3"}) {
        const std::string line =
            fmt::format("'{}' {} >/dev/full 2>'{}'", std::getenv("NZ_BINARY"), words, path("complaint"));
        EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << line;
        EXPECT_NE(read("complaint").find("cannot write to standard output"), std::string::npos) << line;
    }
}

TEST_F(usage, numbers_out_of_range_are_refused) {
    expect_refused({"bfs", "grid2d:3", "--threads", "0"}, 2, {"--threads"});
    expect_refused({"bfs", "grid2d:3", "--repeat", "0"}, 2, {"--repeat"});
    expect_refused({"spmspv", "grid2d:3", "--density", "2"}, 2, {"--density"});
    expect_refused({"spmspv", "grid2d:3", "--density", "many"}, 2, {"--density"});
    for (const auto* limit : {"", "0", "12Q", "-1", "K", "1KB", "99999999999999999999", "99999999999G"})
        for (const auto* option : {"--memory-limit=", "--device-memory-limit="})
            expect_refused({"spmv", "grid2d:3", std::string(option) + limit}, 2, {});
}

TEST_F(usage, byte_counts_take_suffixes) {
    for (const auto* limit : {"100000000", "100000K", "100m", "1G"})
        for (const auto* option : {"--memory-limit", "--device-memory-limit"})
            EXPECT_EQ(nz({"spmv", "grid2d:3", option, limit}).status, 0) << option << limit;
}

TEST_F(usage, generate_takes_no_files) {
    write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
    expect_refused({"generate", "a.mtx", "-o", "b.mtx"}, 2, {"'a.mtx' is not a generator", "nz convert"});
    EXPECT_FALSE(exists("b.mtx"));
}

}  // namespace
}  // namespace nz::test
