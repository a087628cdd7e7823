// nz bfs from many sources at once: its object, its tables, its files, and what does not go together.
#include "run_nz.hpp"

namespace nz::test {
namespace {

class bfs_many_verb : public command_line {};

TEST_F(bfs_many_verb, prints_levels_and_sources_and_a_summary) {
    const outcome run = nz({"bfs", "grid2d:20", "--sources", "0,21,399", "--validate"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    for (const auto* word :
         {"batch", "pairs", "push", "reached", "closeness", "3 sources in", "GTEPS", "valid: "})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(bfs_many_verb, json_has_an_object_for_each_source) {
    const auto r = expect_json({"bfs", "grid2d:20", "--sources", "0,21,0", "--validate", "--explain"});
    EXPECT_EQ(r["kernel"], "bit_parallel");
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(r["sources"], 3);
    EXPECT_EQ(r["batches"], 1);
    EXPECT_EQ(r["with_levels"], true);
    EXPECT_FALSE(r["explanation"].empty());
    ASSERT_EQ(r["runs"].size(), 3u);
    EXPECT_EQ(r["runs"][0]["source"], 0);
    EXPECT_EQ(r["runs"][0]["reached"], 400);
    EXPECT_EQ(r["runs"][0]["depth"], 38);
    EXPECT_EQ(r["runs"][0]["level_sum"], 400 * 19);
    EXPECT_NEAR(r["runs"][0]["closeness"].get<double>(), 399.0 / 7600, 1e-12);
    EXPECT_EQ(r["runs"][1]["depth"], 36);
    EXPECT_EQ(r["runs"][2], r["runs"][0]);
    long long pairs = 0;
    for (const auto& level : r["iterations"]) {
        pairs += level["pairs"].get<long long>();
        EXPECT_TRUE(level["direction"] == "push" || level["direction"] == "pull");
        EXPECT_GE(level["time_us"], 0);
        EXPECT_FALSE(level["reason"].get<std::string>().empty());
    }
    EXPECT_EQ(pairs, 3 * 400);
}

TEST_F(bfs_many_verb, random_sources_follow_the_seed) {
    const auto first = expect_json({"bfs", "rmat:10,8", "--sources-random", "70", "--seed", "5"});
    EXPECT_EQ(first["batches"], 2);
    EXPECT_EQ(first["with_levels"], false);
    EXPECT_EQ(first["runs"].size(), 70u);
    for (const auto& run : first["runs"]) EXPECT_GT(run["reached"], 1) << "a source without edges";
    EXPECT_EQ(first["runs"],
              expect_json({"bfs", "rmat:10,8", "--sources-random", "70", "--seed", "5"})["runs"]);
}

TEST_F(bfs_many_verb, random_sources_are_different_ones) {
    for (const auto* verb : {"bfs", "bc", "closeness"}) {
        const auto r = expect_json({verb, "grid2d:3", "--sources-random", "20"});
        const auto& sources = r.contains("runs") ? r["runs"] : r["sources"];
        EXPECT_EQ(sources.is_number() ? sources.get<std::size_t>() : sources.size(), 9u) << verb << r.dump();
    }
}

TEST_F(bfs_many_verb, every_kernel_is_valid) {
    for (const auto* kernel : {"bit_parallel", "reference"})
        for (const auto* input : {"rmat:8,8", "rmat_directed:8,8", "grid2d:20,0.3"}) {
            const auto r = expect_json(
                {"bfs", input, "--sources-random", "65", "--validate", "--kernel", kernel, "--repeat", "2"});
            EXPECT_EQ(r["valid"], true) << kernel << " " << input;
            EXPECT_EQ(r["kernel"], kernel);
        }
}

TEST_F(bfs_many_verb, reads_sources_from_a_file_and_writes_levels) {
    write("graph.txt", "5000000000\t7\n7\t-3\n-3\t42\n");
    write("sources.txt", "# two of them\n7\n\n -3  # the last\n");
    EXPECT_EQ(nz({"bfs", "graph.txt", "--sources", "sources.txt", "-o", "levels.txt"}).status, 0);
    const std::string levels = read("levels.txt");
    for (const auto* line :
         {"from each of 7 -3\n", "5000000000 -1 -1\n", "\n7 0 -1\n", "-3 1 0\n", "42 2 1\n"})
        EXPECT_NE(levels.find(line), std::string::npos) << line << "\n" << levels;
}

TEST_F(bfs_many_verb, stops_at_the_depth_asked_for) {
    const auto r = expect_json({"bfs", "grid2d:20", "--sources", "0", "--max-depth", "2", "--levels"});
    EXPECT_EQ(r["runs"][0]["reached"], 6);
    EXPECT_EQ(r["with_levels"], true);
}

TEST_F(bfs_many_verb, refuses_what_makes_no_sense) {
    write("bad.txt", "3\nfour\n");
    write("empty.txt", "# none\n");
    expect_refused({"bfs", "grid2d:5", "--sources", "3,25"}, 2,
                   {"source 25 is not a vertex", "the graph has 25 vertices"});
    expect_refused({"bfs", "grid2d:5", "--sources", "3,,4"}, 2, {"'' is not a vertex id"});
    expect_refused({"bfs", "grid2d:5", "--sources", "bad.txt"}, 2, {"bad.txt:2", "'four'"});
    write("long.txt", "a\tb" + std::string(1000, 'c'));
    expect_refused({"bfs", "grid2d:5", "--sources", "long.txt"}, 2,
                   {"long.txt:1: 'a?b" + std::string(37, 'c') + "...' is not a vertex id"});
    expect_refused({"bfs", "grid2d:5", "--sources", "empty.txt"}, 2, {"empty.txt holds no ids"});
    expect_refused({"bfs", "grid2d:5", "--sources", "absent.txt"}, 2, {"absent.txt", "neither a list"});
    expect_refused({"bfs", "grid2d:5", "--sources", "3", "--source", "4"}, 2, {"--source"});
    expect_refused({"bfs", "grid2d:5", "--sources", "3", "--switches", "none"}, 2, {"--switches"});
    expect_refused({"bfs", "grid2d:5", "--sources", "3", "--kernel", "push_pull_fused"}, 2,
                   {"bit_parallel, one_by_one, reference"});
    expect_refused({"bfs", "grid2d:5", "--sources", "3", "--kernel", "reference", "--hub-first"}, 2,
                   {"--hub-first"});
    expect_refused({"bfs", "grid2d:5", "--levels"}, 2, {"--levels", "--sources"});
    expect_refused({"bfs", "grid2d:5", "--kernel", "bit_parallel"}, 2, {"bit_parallel", "--sources"});
    expect_refused({"bfs", "grid2d:5", "--sources", "3", "--validate", "--max-depth", "1"}, 2,
                   {"--max-depth"});
    expect_refused({"bfs", "grid2d:300", "--sources-random", "64", "--levels", "--memory-limit", "16M"}, 1,
                   {"memory limit"});
}

}  // namespace
}  // namespace nz::test
