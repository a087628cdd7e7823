// nz info, spy, convert and generate.
#include "run_nz.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdlib>

namespace nz::test {
namespace {

class file_verbs : public command_line {};

TEST_F(file_verbs, a_matrix_market_file_by_another_name_is_read_as_one) {
    for (const auto* name : {"m.el", "m.wel", "m.txt"}) {
        write(name, "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n2 3 9\n");
        const auto r = expect_json({"info", path(name)});
        EXPECT_EQ(r["input"]["format"], "matrix market") << name;
        EXPECT_EQ(r["input"]["rows"], 3) << name;
        EXPECT_EQ(r["input"]["nonzeros"], 2) << name;
    }
}

TEST_F(file_verbs, info_describes_a_matrix) {
    const auto r = expect_json({"info", "laplace2d:10"});
    EXPECT_EQ(r["command"], "info");
    EXPECT_EQ(r["input"]["rows"], 100);
    EXPECT_EQ(r["input"]["nonzeros"], 460);
    EXPECT_EQ(r["type"], "float64");
    EXPECT_EQ(r["values"], "full");
    EXPECT_EQ(r["symmetric_pattern"], true);
    EXPECT_EQ(r["degree"]["min"], 3);
    EXPECT_EQ(r["degree"]["max"], 5);
    EXPECT_EQ(r["bandwidth"]["lower"], 10);
    EXPECT_EQ(r["bandwidth"]["upper"], 10);
    EXPECT_EQ(r["diagonal_entries"], 100);
    EXPECT_EQ(r["empty_rows"], 0);
    long long rows = 0;
    for (const auto& line : r["histogram"]) rows += line["rows"].get<long long>();
    EXPECT_EQ(rows, 100);
    ASSERT_EQ(r["tiles"].size(), 3u);
    EXPECT_EQ(r["tiles"][2]["size"], 64);
    EXPECT_DOUBLE_EQ(r["tiles"][2]["tiles_an_entry"].get<double>(), 4.0 / 460) << "100 rows: 2 x 2 tiles";
    const outcome text = nz({"info", "laplace2d:10"});
    for (const auto* word :
         {"100 x 100", "tiles of 16", "tiles of 64", "460", "float64", "mean 4.60", "row lengths", "KiB"})
        EXPECT_NE(text.out.find(word), std::string::npos) << word << "\n" << text.out;
}

TEST_F(file_verbs, info_takes_matrices_without_entries) {
    write("none.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
    const auto r = expect_json({"info", "none.mtx"});
    EXPECT_EQ(r["empty_rows"], 3);
    write("nothing.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    EXPECT_EQ(expect_json({"info", "nothing.mtx"})["input"]["rows"], 0);
    EXPECT_EQ(nz({"info", "nothing.mtx"}).status, 0);
}

TEST_F(file_verbs, formats_convert_into_each_other_and_back) {
    EXPECT_EQ(nz({"generate", "banded:50,5", "-o", "a.mtx"}).status, 0);
    const std::string original = read("a.mtx");
    EXPECT_FALSE(original.empty());
    std::string from = "a.mtx";
    for (const std::string to : {"b.npz", "c.nzb", "d.mtx.gz", "e.wel", "f.mtx"}) {
        const outcome run = nz({"convert", from, "-o", to});
        EXPECT_EQ(run.status, 0) << to << run.err;
        EXPECT_EQ(run.err, "") << to;
        EXPECT_EQ(expect_json({"info", to})["input"]["nonzeros"],
                  expect_json({"info", "a.mtx"})["input"]["nonzeros"])
            << to;
        from = to;
    }
    EXPECT_EQ(read("f.mtx"), original);
}

TEST_F(file_verbs, convert_applies_changes_and_reports) {
    write("path.el", "0 0\n0 1\n2 1\n");
    const auto r = expect_json({"convert", "path.el", "-o", "out.mtx", "--symmetrize", "--drop-loops"});
    EXPECT_EQ(r["command"], "convert");
    EXPECT_EQ(r["output"], "out.mtx");
    EXPECT_EQ(r["input"]["nonzeros"], 4);
    EXPECT_EQ(expect_json({"info", "out.mtx"})["input"]["nonzeros"], 4);
}

TEST_F(file_verbs, convert_warns_where_ids_are_lost) {
    write("graph.txt", "1000 2000\n");
    const outcome run = nz({"convert", "graph.txt", "-o", "out.mtx"});
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.err.find("nz: warning: "), std::string::npos) << run.err;
}

TEST_F(file_verbs, generate_is_the_same_for_the_same_seed) {
    for (const auto* name : {"a.mtx", "b.mtx"})
        EXPECT_EQ(nz({"generate", "random:50,3", "-o", name}).status, 0);
    EXPECT_EQ(nz({"generate", "random:50,3", "-o", "c.mtx", "--seed", "2"}).status, 0);
    EXPECT_EQ(read("a.mtx"), read("b.mtx"));
    EXPECT_NE(read("a.mtx"), read("c.mtx"));
}

TEST_F(file_verbs, spy_draws_a_png) {
    const auto r = expect_json({"spy", "laplace2d:30", "-o", "picture.png", "--pixels", "200"});
    EXPECT_EQ(r["command"], "spy");
    EXPECT_TRUE(read("picture.png").starts_with("\x89PNG\r\n\x1a\n"));
    EXPECT_EQ(file_count(), 1u);
}

TEST_F(file_verbs, a_signal_leaves_no_half_written_file) {
    write("a.mtx", "precious");
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        for (const auto* name : {"a.mtx", "b.mtx.gz", "c.npz"}) {
            const outcome run = nz_until(".part-", signal, {"generate", "rmat:16,16", "-o", name});
            EXPECT_EQ(run.status, 128 + signal) << name << run.err;
            EXPECT_EQ(file_count(), 1u) << name;
        }
    EXPECT_EQ(read("a.mtx"), "precious");
}

TEST_F(file_verbs, a_signal_that_is_ignored_stays_so) {
    const std::string line = "trap '' HUP; exec \"$NZ_BINARY\" generate rmat:16,16 -o '" + path("a.mtx.gz") +
                             "' >/dev/null & while ! ls '" + path("") +
                             "' | grep -q part; do sleep 0.01; done; kill -HUP $!; wait $!";
    EXPECT_EQ(std::system(line.c_str()), 0);
    EXPECT_TRUE(exists("a.mtx.gz"));
}

TEST_F(file_verbs, a_disk_that_is_full_is_told_with_the_files_own_name) {
    write("c.npz", "old");  // is found by its whole path, and called as asked
    for (const std::string name : {"a.mtx", "b.npz", "c.npz", "d.bsp.h5"}) {
        const std::string line = "cd '" + path("") +
                                 "'; ulimit -f 16; \"$NZ_BINARY\" generate rmat:12,16 -o " + name +
                                 " >/dev/null 2>complaint";
        EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << name;
        const std::string said = read("complaint");
        EXPECT_TRUE(said.starts_with("nz: " + name + ": ")) << said;
        EXPECT_EQ(said.find(".part-"), std::string::npos) << said;
        EXPECT_EQ(file_count(), 2u) << name << ": what there was, and the complaint";
        if (!name.ends_with(".h5")) {
            EXPECT_NE(said.find("File too large"), std::string::npos) << said;
        }
    }
}

}  // namespace
}  // namespace nz::test
