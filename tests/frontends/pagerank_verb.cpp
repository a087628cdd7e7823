// nz pagerank: its text, its object, its files, and what the options change.
#include "run_nz.hpp"

#include <map>
#include <sstream>

namespace nz::test {
namespace {

class pagerank_verb : public command_line {
protected:
    std::map<long long, double> ranks(const std::string& name) const {
        std::map<long long, double> all;
        std::istringstream text(read(name));
        std::string line;
        while (std::getline(text, line)) {
            long long vertex = 0;
            double rank = 0;
            if (!line.starts_with("#") && std::istringstream(line) >> vertex >> rank) all[vertex] = rank;
        }
        return all;
    }
};

TEST_F(pagerank_verb, says_who_is_first_and_how_it_went) {
    const outcome run = nz({"pagerank", "rmat:8,8", "--validate", "--explain", "--top", "3"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    for (const auto* word : {"iterations in", "last change", "valid", "csr_row", "change", "active"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(pagerank_verb, json_is_one_object_with_every_field) {
    const auto r = expect_json({"pagerank", "rmat:8,8", "--validate", "--explain", "--repeat", "3"});
    EXPECT_EQ(r["command"], "pagerank");
    EXPECT_EQ(r["input"]["rows"], 256);
    EXPECT_GT(r["time_ms"], 0);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(r["converged"], true);
    EXPECT_LE(r["change"], 1e-6);
    EXPECT_EQ(r["top"].size(), 10u);
    EXPECT_GE(r["top"][0]["rank"], r["top"][1]["rank"]);
    EXPECT_EQ(r["steps"].size(), r["iterations"]);
    EXPECT_FALSE(r["explanation"].empty());
}

TEST_F(pagerank_verb, follows_values_when_they_are_weights) {
    write("trust.txt", "0 1 3\n0 2 1\n1 0 1\n2 0 1\n");
    const auto r = expect_json({"pagerank", path("trust.txt"), "--weighted", "--validate", "--tolerance",
                                "1e-7", "-o", path("ranks.txt"), "--explain"});
    EXPECT_EQ(r["weighted"], true);
    EXPECT_NE(r["explanation"].dump().find("weight"), std::string::npos);
    const auto all = ranks("ranks.txt");
    EXPECT_NEAR(all.at(1), 0.05 + 0.85 * all.at(0) * 0.75, 1e-6);
    EXPECT_NEAR(all.at(2), 0.05 + 0.85 * all.at(0) * 0.25, 1e-6);
    write("wrong.txt", "0 1 -3\n1 0 1\n");
    EXPECT_NE(nz({"pagerank", path("wrong.txt"), "--weighted"}).err.find("not negative"), std::string::npos);
}

TEST_F(pagerank_verb, reads_ids_from_a_file_and_writes_every_rank) {
    write("web.txt",
          "7000000010 7000000020\n7000000020 7000000030\n7000000010 7000000030\n7000000030 7000000010\n");
    const auto r = expect_json({"pagerank", path("web.txt"), "--validate", "-o", path("ranks.txt")});
    EXPECT_EQ(r["top"].size(), 3u);
    EXPECT_EQ(r["top"][0]["vertex"], 7000000030);
    const auto all = ranks("ranks.txt");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_NEAR(all.at(7000000010) + all.at(7000000020) + all.at(7000000030), 1, 1e-6);
    EXPECT_NEAR(all.at(7000000020), 0.05 + 0.85 * all.at(7000000010) / 2, 1e-6);
    EXPECT_EQ(nz({"pagerank", path("web.txt"), "-o", path("ranks.npz")}).status, 0);
    const std::string archive = read("ranks.npz");
    EXPECT_TRUE(archive.starts_with("PK"));
    for (const auto* member : {"vertex.npy", "rank.npy"})
        EXPECT_NE(archive.find(member), std::string::npos) << member;
}

TEST_F(pagerank_verb, personalised_adaptive_and_float_ranks_are_valid_too) {
    write(
        "web.txt",
        "7000000010 7000000020\n7000000020 7000000030\n7000000010 7000000030\n7000000030 7000000010\n7000000040 7000000010\n");
    const auto from_twenty =
        expect_json({"pagerank", path("web.txt"), "--source", "7000000020", "--validate"});
    EXPECT_EQ(from_twenty["valid"], true);
    EXPECT_EQ(from_twenty["top"][3]["vertex"], 7000000040);
    EXPECT_EQ(from_twenty["top"][3]["rank"].get<double>() < 1e-6, true);
    for (const auto* option : {"--adaptive", "--type=float32", "--damping=0.5"})
        EXPECT_EQ(expect_json({"pagerank", "rmat:9,8", "--tolerance", "1e-5", "--validate", option})["valid"],
                  true)
            << option;
}

TEST_F(pagerank_verb, refuses_what_makes_no_sense) {
    expect_refused({"pagerank", "grid2d:5", "--damping", "1.5"}, 2, {"damping", "1.5"});
    expect_refused({"pagerank", "grid2d:5", "--type", "int8"}, 2, {"float32 or float64"});
    expect_refused({"pagerank", "grid2d:5", "--source", "25"}, 2, {"25"});
    expect_refused({"pagerank", "lp:5,9,20"}, 2, {"square"});
    const outcome early = nz({"pagerank", "rmat:8,8", "--max-iterations", "2", "--validate"});
    EXPECT_EQ(early.status, 1);
    EXPECT_NE(early.err.find("still change"), std::string::npos);
}

}  // namespace
}  // namespace nz::test
