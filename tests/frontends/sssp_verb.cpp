// nz sssp: its text, its object, its file, and what the options change.
#include "run_nz.hpp"

#include <map>
#include <sstream>

namespace nz::test {
namespace {

class sssp_verb : public command_line {
protected:
    struct place {
        long long distance, parent;
        bool operator==(const place&) const = default;
    };
    /// The lines of a file of paths by vertex.
    std::map<long long, place> paths(const std::string& name) const {
        std::map<long long, place> all;
        std::istringstream text(read(name));
        std::string line;
        while (std::getline(text, line)) {
            long long vertex = 0, distance = 0, parent = 0;
            if (line.starts_with("#") || !(std::istringstream(line) >> vertex >> distance >> parent))
                continue;
            all[vertex] = {distance, parent};
        }
        return all;
    }
};

TEST_F(sssp_verb, says_how_far_it_came_and_what_it_cost) {
    const outcome run = nz({"sssp", "grid2d:20", "--weights", "uniform:1,9", "--validate", "--explain"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    for (const auto* word :
         {"source 21 (largest degree: 4 edges out)", "reached 400 of 400", "the farthest at", "rounds",
          "relaxations", "GTEPS", "valid", "delta = ", "int32"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(sssp_verb, json_is_one_object_with_every_field) {
    const auto r = expect_json({"sssp", "rmat:8,8", "--weights", "uniform:1,255", "--validate", "--explain",
                                "--repeat", "3", "--backend", "cpu"});
    EXPECT_EQ(r["command"], "sssp");
    EXPECT_EQ(r["input"]["rows"], 256);
    EXPECT_EQ(r["backend"], "cpu");
    EXPECT_EQ(r["kernel"], "delta_stepping");
    EXPECT_GT(r["time_ms"], 0);
    EXPECT_GT(r["delta"], 0);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(r["type"], "int32");
    EXPECT_GT(r["reached"], 1);
    EXPECT_GT(r["rounds"], 1);
    EXPECT_GE(r["relaxations"], r["edges"]);
    EXPECT_GT(r["gteps"], 0);
    EXPECT_FALSE(r["explanation"].empty());
}

TEST_F(sssp_verb, every_kernel_switch_and_option_gives_the_same_file) {
    const std::vector<std::vector<std::string>> choices = {{"--kernel", "delta_stepping"},
                                                           {"--kernel", "relax_loop"},
                                                           {"--kernel", "relax_loop", "--switches", "none"},
                                                           {"--kernel", "reference"},
                                                           {"--switches", "none"},
                                                           {"--delta", "1"},
                                                           {"--delta", "1000"},
                                                           {"--fast"},
                                                           {"--threads", "1"},
                                                           {"--distances", "int64"},
                                                           {"--distances", "float64"},
                                                           {"--backend", "cpu"}};
    for (const auto* input : {"rmat:8,8", "rmat_directed:8,8", "grid2d:20,0.3"}) {
        std::map<long long, place> first;
        for (const auto& choice : choices) {
            std::vector<std::string> words = {"sssp", input,      "--weights",   "uniform:0,20", "--source",
                                              "3",    "--output", path("paths"), "--validate"};
            words.insert(words.end(), choice.begin(), choice.end());
            const auto r = expect_json(words);
            EXPECT_EQ(r["valid"], true) << testing::PrintToString(words);
            const auto now = paths("paths");
            if (first.empty()) first = now;
            EXPECT_EQ(now, first) << testing::PrintToString(words);
        }
    }
}

TEST_F(sssp_verb, reads_lengths_and_ids_from_a_file) {
    write("roads.wel", "10 20 5\n20 30 1\n10 30 9\n40 10 2\n");
    const auto r =
        expect_json({"sssp", path("roads.wel"), "--source", "10", "--validate", "-o", path("paths")});
    EXPECT_EQ(r["reached"], 3);
    EXPECT_EQ(r["source"], 10);
    EXPECT_EQ(paths("paths"), (std::map<long long, place>{{10, {0, 10}}, {20, {5, 10}}, {30, {6, 20}}}));
}

TEST_F(sssp_verb, a_pattern_counts_edges) {
    EXPECT_EQ(expect_json({"sssp", "grid2d:20", "--source", "0", "--validate"})["farthest"], 38);
}

TEST_F(sssp_verb, says_how_far_as_a_number_and_how_many_bands_alike) {
    write("fine.wel", "0 1 0.1\n1 2 16777216.123\n");
    EXPECT_DOUBLE_EQ(expect_json({"sssp", path("fine.wel")})["farthest"].get<double>(), 16777216.223);
    const auto r = expect_json({"sssp", "rmat:8,8", "--weights", "uniform:0,9"});
    const auto text = nz({"sssp", "rmat:8,8", "--weights", "uniform:0,9"}).out;
    EXPECT_NE(text.find(std::to_string(r["buckets"].get<int>()) + " bucket"), std::string::npos) << text;
    const auto off = nz({"sssp", "rmat:8,8", "--switches", "none", "--no-parents", "--explain"}).out;
    EXPECT_NE(off.find("near_far is off"), std::string::npos) << off;
    for (const auto* word : {"delta = ", "near vertices first", "The parent"})
        EXPECT_EQ(off.find(word), std::string::npos) << word << "\n" << off;
    expect_refused({"sssp", "grid2d:5", "--switches", "none", "--delta", "2"}, 2, {"--delta", "near_far"});
}

TEST_F(sssp_verb, several_sources_run_one_after_another) {
    const auto r = expect_json({"sssp", "grid2d:5", "--source", "0", "--source", "12", "--validate"});
    ASSERT_EQ(r["runs"].size(), 2u);
    EXPECT_EQ(r["runs"][0]["farthest"], 8);
    EXPECT_EQ(r["runs"][1]["farthest"], 4);
    EXPECT_EQ(r["valid"], true);
}

TEST_F(sssp_verb, refuses_what_makes_no_sense) {
    write("below.wel", "0 1 5\n1 2 -1\n");
    EXPECT_NE(nz({"sssp", path("below.wel")}).err.find("(1, 2) is -1"), std::string::npos);
    EXPECT_EQ(nz({"sssp", path("below.wel")}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--weights", "uniform:9,1"}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--weights", "normal:1,9"}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--source", "25"}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--kernel", "dijkstra"}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--switches", "masking"}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--distances", "int8"}).status, 2);
    EXPECT_EQ(nz({"sssp", "grid2d:5", "--delta", "-1"}).status, 2);
    for (const std::string kernel : {"relax_loop", "reference"}) {
        expect_refused({"sssp", "grid2d:5", "--kernel", kernel, "--delta", "2"}, 2, {"--delta", kernel});
        EXPECT_EQ(nz({"sssp", "grid2d:5", "--kernel", kernel}).status, 0);
    }
    expect_refused({"sssp", "grid2d:5", "--kernel", "reference", "--switches", "all"}, 2,
                   {"--switches", "reference"});
}

TEST_F(sssp_verb, the_first_line_of_a_file_names_its_columns) {
    write("path.wel", "0 1 5\n");
    EXPECT_EQ(nz({"sssp", "path.wel", "--source", "0", "-o", "a.txt"}).status, 0);
    EXPECT_EQ(read("a.txt"),
              "# vertex distance parent; source 0; vertices without a path are left out\n0 0 0\n1 5 0\n");
    EXPECT_EQ(nz({"sssp", "path.wel", "--source", "0", "--no-parents", "-o", "b.txt"}).status, 0);
    EXPECT_EQ(read("b.txt"), "# vertex distance; source 0; vertices without a path are left out\n0 0\n1 5\n");
}

TEST_F(sssp_verb, a_distance_beyond_its_type_is_a_failure) {
    const std::vector<std::string> far = {"sssp", "grid2d:3",  "--source",
                                          "0",    "--weights", "uniform:2000000000,2000000000"};
    expect_refused(far, 1, {"is beyond int32", "int64"});
    std::vector<std::string> wide = far;
    wide.insert(wide.end(), {"--distances", "int64"});
    EXPECT_EQ(expect_json(wide)["farthest"], 8000000000);
}

TEST_F(sssp_verb, weights_are_the_same_in_both_directions_and_for_one_seed) {
    EXPECT_EQ(nz({"generate", "grid2d:9", "--weights", "uniform:3,5", "-o", path("a.mtx")}).status, 0);
    EXPECT_EQ(nz({"generate", "grid2d:9", "--weights", "uniform:3,5", "-o", path("b.mtx")}).status, 0);
    EXPECT_EQ(
        nz({"generate", "grid2d:9", "--weights", "uniform:3,5", "--seed", "2", "-o", path("c.mtx")}).status,
        0);
    EXPECT_EQ(read("a.mtx"), read("b.mtx"));
    EXPECT_NE(read("a.mtx"), read("c.mtx"));
}

}  // namespace
}  // namespace nz::test
