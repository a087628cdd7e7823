// nz bfs: its table, its object, its tree, and what the options change.
#include "run_nz.hpp"

#include <map>
#include <sstream>

namespace nz::test {
namespace {

class bfs_verb : public command_line {
protected:
    struct place {
        long long level, parent;
        bool operator==(const place&) const = default;
    };
    /// The lines of a tree file by vertex.
    std::map<long long, place> tree(const std::string& name) const {
        std::map<long long, place> all;
        std::istringstream text(read(name));
        std::string line;
        while (std::getline(text, line)) {
            long long vertex = 0, level = 0, parent = 0;
            if (line.starts_with("#") || !(std::istringstream(line) >> vertex >> level >> parent)) continue;
            all[vertex] = {level, parent};
        }
        return all;
    }
    nlohmann::json input_of(std::vector<std::string> words) const {
        return expect_json(std::move(words))["input"];
    }
};

TEST_F(bfs_verb, prints_the_table_of_levels_and_a_summary) {
    const outcome run = nz({"bfs", "grid2d:20", "--validate"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    for (const auto* word : {"level", "direction", "kernel", "frontier", "unvisited", "time", "reason",
                             "push", "reached 400 of 400", "GTEPS", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(bfs_verb, names_the_source_that_it_chose_itself) {
    const outcome run = nz({"bfs", "grid2d:20"});
    EXPECT_NE(run.out.find("source 21 (largest degree: 4 edges out)"), std::string::npos) << run.out;
    EXPECT_EQ(nz({"bfs", "grid2d:20", "--source", "7"}).out.find("largest degree"), std::string::npos);
}

TEST_F(bfs_verb, json_is_one_object_with_every_field) {
    const auto r = expect_json({"bfs", "rmat:8,8", "--validate", "--explain", "--repeat", "3"});
    EXPECT_EQ(r["command"], "bfs");
    EXPECT_EQ(r["input"]["name"], "rmat:8,8");
    EXPECT_EQ(r["input"]["rows"], 256);
    EXPECT_EQ(r["input"]["columns"], 256);
    EXPECT_GT(r["input"]["nonzeros"], 0);
    EXPECT_EQ(r["backend"], "cpu");
    EXPECT_NE(r["device"].get<std::string>().find("thread"), std::string::npos);
    EXPECT_EQ(r["kernel"], "push_pull_fused");
    EXPECT_GT(r["time_ms"], 0);
    EXPECT_EQ(r["valid"], true);
    EXPECT_GT(r["gteps"], 0);
    EXPECT_FALSE(r["explanation"].empty());
    ASSERT_EQ(r["levels"], r["iterations"].size());
    long long unvisited = 256, reached = 0;
    for (const auto& level : r["iterations"]) {
        EXPECT_TRUE(level["direction"] == "push" || level["direction"] == "pull");
        EXPECT_FALSE(level["kernel"].get<std::string>().empty());
        EXPECT_FALSE(level["reason"].get<std::string>().empty());
        EXPECT_GE(level["time_us"], 0);
        unvisited -= level["frontier"].get<long long>();
        reached += level["frontier"].get<long long>();
        EXPECT_EQ(level["unvisited"], unvisited);
    }
    EXPECT_EQ(r["reached"], reached);
}

TEST_F(bfs_verb, rmat_goes_push_pull_push) {
    const auto r = expect_json({"bfs", "rmat:14,16"});
    std::string course;
    for (const auto& level : r["iterations"]) {
        const auto direction = level["direction"].get<std::string>();
        if (!course.ends_with(direction)) course += " " + direction;
    }
    EXPECT_EQ(course, " push pull push");
}

TEST_F(bfs_verb, every_kernel_switch_and_option_gives_a_valid_search) {
    const std::vector<std::vector<std::string>> choices = {{"--kernel", "push_pull_fused"},
                                                           {"--kernel", "push_pull_loop"},
                                                           {"--switches", "none"},
                                                           {"--switches", "change_direction,masking"},
                                                           {"--fast"},
                                                           {"--deterministic"},
                                                           {"--hub-first"},
                                                           {"--threads", "1"},
                                                           {"--symmetrize"},
                                                           {"--drop-loops"},
                                                           {"--largest-component"},
                                                           {"--backend", "cpu"}};
    for (const auto* input : {"rmat:8,8", "rmat_directed:8,8", "grid2d:20,0.3"}) {
        for (const auto& choice : choices) {
            std::vector<std::string> words = {"bfs", input, "--validate"};
            words.insert(words.end(), choice.begin(), choice.end());
            const auto r = expect_json(words);
            EXPECT_EQ(r["valid"], true) << testing::PrintToString(words);
        }
    }
}

TEST_F(bfs_verb, tiles_report_their_phases_and_their_bytes) {
    const auto r = expect_json({"bfs", "laplace3d:20", "--kernel", "tile", "--validate", "--explain"});
    EXPECT_EQ(r["kernel"], "tile");
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(r["tiles"]["size"], 64);
    EXPECT_GT(r["tiles"]["tiles"], 0);
    EXPECT_GE(r["tiles"]["build_ms"], 0);
    EXPECT_LT(r["tiles"]["bytes"], r["tiles"]["csr_bytes"]);
    EXPECT_EQ(r["iterations"][0]["kernel"], "push_csc");
    const auto apart = expect_json(
        {"bfs", "laplace3d:20", "--kernel", "tile", "--tile-size", "32", "--tile-least", "1000000"});
    EXPECT_EQ(apart["tiles"]["size"], 32);
    EXPECT_EQ(apart["tiles"]["tiles"], 0);
    EXPECT_EQ(apart["tiles"]["extracted"], apart["input"]["nonzeros"]);
    const outcome text = nz({"bfs", "laplace3d:20", "--kernel", "tile", "--explain"});
    for (const auto* word :
         {"of 64 x 64 built in", "times the CSR", "push_csc", "extracted", "smallest neighbour"})
        EXPECT_NE(text.out.find(word), std::string::npos) << word << "\n" << text.out;
}

TEST_F(bfs_verb, tiles_of_a_scattered_graph_are_refused_with_the_figures) {
    const outcome run = nz({"bfs", "rmat:13,8", "--kernel", "tile"});
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("more than 1.5 times the"), std::string::npos) << run.err;
    EXPECT_EQ(nz({"bfs", "rmat:13,8", "--kernel", "tile", "--tile-size", "64", "--validate"}).status, 0);
    EXPECT_EQ(nz({"bfs", "rmat:13,8", "--kernel", "tile", "--tile-size", "16"}).status, 2);
    expect_refused({"bfs", "grid2d:9", "--tile-size", "64"}, 2, {"--tile-size", "--kernel tile"});
    expect_refused({"bfs", "grid2d:9", "--sources", "1,2", "--tile-least", "0"}, 2, {"--kernel tile"});
    expect_refused({"spmv", "grid2d:9", "--tile-size", "16"}, 2, {"tile_row and --kernel tile_column"});
    EXPECT_EQ(nz({"bfs", "grid2d:9", "--kernel", "tile", "--switches", "masking"}).status, 1);
}

TEST_F(bfs_verb, several_sources_run_one_after_another) {
    const auto r = expect_json({"bfs", "grid2d:5", "--source", "0", "--source", "12", "--validate"});
    ASSERT_EQ(r["runs"].size(), 2u);
    EXPECT_EQ(r["runs"][0]["source"], 0);
    EXPECT_EQ(r["runs"][0]["levels"], 9);
    EXPECT_EQ(r["runs"][1]["source"], 12);
    EXPECT_EQ(r["runs"][1]["levels"], 5);
    EXPECT_EQ(r["valid"], true);
}

TEST_F(bfs_verb, stops_at_the_depth_asked_for) {
    const auto r = expect_json({"bfs", "grid2d:20", "--source", "0", "--max-depth", "2"});
    EXPECT_EQ(r["reached"], 6);
}

TEST_F(bfs_verb, explains_itself_in_sentences) {
    const outcome run = nz({"bfs", "rmat:10,8", "--explain"});
    for (const auto* word : {"Kernel push_pull_fused", "alpha = 0.2", "more than 20% of the entries",
                             "beta = 0.01", "Level 1 goes by pull: r = ", "r has risen past alpha"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
    write("star.el", "0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 8\n0 9\n");
    const outcome star = nz({"bfs", "star.el", "--symmetrize", "--source", "0", "--explain"});
    for (const auto* word : {"Level 0 goes by pull: r = 0.1", "hold many of the entries"})
        EXPECT_NE(star.out.find(word), std::string::npos) << word << "\n" << star.out;
}

TEST_F(bfs_verb, writes_levels_and_parents) {
    write("path.el", "0 1\n1 2\n2 3\n");
    EXPECT_EQ(nz({"bfs", "path.el", "--source", "1", "-o", "tree.txt"}).status, 0);
    const std::map<long long, place> expected = {{0, {-1, -1}}, {1, {0, 1}}, {2, {1, 1}}, {3, {2, 2}}};
    EXPECT_EQ(tree("tree.txt"), expected) << read("tree.txt");
    EXPECT_EQ(file_count(), 2u);
}

TEST_F(bfs_verb, speaks_of_vertices_by_the_ids_of_the_file) {
    write("graph.txt", "# from to\n5000000000\t7\n7\t-3\n-3\t42\n");
    const auto r =
        expect_json({"bfs", "graph.txt", "--source", "5000000000", "-o", "tree.txt", "--validate"});
    EXPECT_EQ(r["source"], 5000000000);
    EXPECT_EQ(r["reached"], 4);
    const std::map<long long, place> expected = {
        {5000000000, {0, 5000000000}}, {7, {1, 5000000000}}, {-3, {2, 7}}, {42, {3, -3}}};
    EXPECT_EQ(tree("tree.txt"), expected) << read("tree.txt");
}

TEST_F(bfs_verb, a_stored_zero_is_an_edge_with_every_switch) {
    write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0\n2 3 1\n");
    for (const auto* switches : {"all", "none", "change_direction", "structure_only"})
        for (const auto* kernel : {"push_pull_fused", "push_pull_loop"})
            EXPECT_EQ(expect_json({"bfs", "zero.mtx", "--source", "0", "--switches", switches, "--kernel",
                                   kernel, "--validate"})["reached"],
                      3)
                << switches << " " << kernel;
}

TEST_F(bfs_verb, files_for_numpy_are_archives) {
    write("path.wel", "0 1 2\n1 2 1\n");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"bfs", "path.wel", "--source", "1"},
          {"sssp", "path.wel", "--source", "1"},
          {"bfs", "path.wel", "--sources", "0,2"},
          {"spmv", "path.wel"},
          {"spmspv", "path.wel", "--density", "1"}}) {
        auto all = words;
        all.insert(all.end(), {"-o", "out.npz"});
        EXPECT_EQ(nz(all).status, 0) << words[0];
        EXPECT_TRUE(read("out.npz").starts_with("PK")) << words[0];
        EXPECT_NE(read("out.npz").find(words[0].starts_with("spm") ? "value.npy" : "vertex.npy"),
                  std::string::npos);
    }
}

TEST_F(bfs_verb, an_output_follows_links_and_keeps_who_may_read_it) {
    write("old.txt", "old");
    std::filesystem::permissions(path("old.txt"),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink("old.txt", path("link.txt"));
    for (const auto* verb : {"bfs", "sssp", "spmv", "cc"}) {
        EXPECT_EQ(nz({verb, "grid2d:3", "-o", "link.txt"}).status, 0) << verb;
        EXPECT_TRUE(std::filesystem::is_symlink(path("link.txt"))) << verb;
        EXPECT_NE(read("old.txt"), "old") << verb;
        EXPECT_EQ(std::filesystem::status(path("old.txt")).permissions(),
                  std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
            << verb;
        write("old.txt", "old");
    }
    EXPECT_EQ(file_count(), 2u);
}

TEST_F(bfs_verb, symmetrize_goes_both_ways) {
    write("path.el", "0 1\n2 1\n");
    EXPECT_EQ(expect_json({"bfs", "path.el", "--source", "0"})["reached"], 2);
    EXPECT_EQ(expect_json({"bfs", "path.el", "--source", "0", "--directed"})["reached"], 2);
    EXPECT_EQ(expect_json({"bfs", "path.el", "--source", "0", "--symmetrize"})["reached"], 3);
    EXPECT_EQ(input_of({"info", "path.el", "--symmetrize"})["nonzeros"], 4);
    write("path.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 5\n3 2 6\n2 1 7\n");
    EXPECT_EQ(input_of({"info", "path.mtx", "--symmetrize"})["nonzeros"], 4);
}

TEST_F(bfs_verb, drop_loops_leaves_the_diagonal_out) {
    write("loops.el", "0 0\n0 1\n1 1\n");
    EXPECT_EQ(input_of({"info", "loops.el"})["nonzeros"], 3);
    EXPECT_EQ(input_of({"info", "loops.el", "--drop-loops"})["nonzeros"], 1);
}

TEST_F(bfs_verb, the_largest_component_keeps_the_ids_of_its_vertices) {
    write("two.el", "0 1\n2 4\n4 3\n5 5\n");
    const auto r = expect_json({"bfs", "two.el", "--largest-component", "--source", "2", "-o", "tree.txt"});
    EXPECT_EQ(r["input"]["rows"], 3);
    EXPECT_EQ(r["input"]["nonzeros"], 2);
    const std::map<long long, place> expected = {{2, {0, 2}}, {4, {1, 2}}, {3, {2, 4}}};
    EXPECT_EQ(tree("tree.txt"), expected) << read("tree.txt");
    expect_refused({"bfs", "two.el", "--largest-component", "--source", "0"}, 2,
                   {"source 0 is not a vertex"});
}

}  // namespace
}  // namespace nz::test
