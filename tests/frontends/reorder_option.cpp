// --reorder: verbs answer in the input's own numbers, and say what the new ones cost and brought.
#include "run_nz.hpp"

#include <map>
#include <sstream>

namespace nz::test {
namespace {

class reorder_option : public command_line {
protected:
    // The first `count` columns of a file of lines, comments left out.
    std::vector<std::vector<std::string>> columns(const std::string& name, std::size_t count) const {
        std::vector<std::vector<std::string>> rows;
        std::istringstream text(read(name));
        for (std::string line; std::getline(text, line);) {
            if (line.starts_with("#")) continue;
            std::istringstream words(line);
            std::vector<std::string> row;
            for (std::string word; row.size() < count && words >> word;) row.push_back(word);
            rows.push_back(row);
        }
        return rows;
    }
    // Vertices of a grid under names of its own, far apart.
    void write_named_grid(const std::string& name, int side) const {
        const auto id = [side](int i, int j) { return 1000 + 7919 * (i * side + j) % 10007; };
        std::ostringstream text;
        for (int i = 0; i < side; ++i)
            for (int j = 0; j + 1 < side; ++j)
                text << id(i, j) << ' ' << id(i, j + 1) << '\n' << id(j, i) << ' ' << id(j + 1, i) << '\n';
        write(name, text.str());
    }

    const std::vector<std::string> names = {"rcm", "degree", "cluster"};
};

TEST_F(reorder_option, bfs_gives_the_same_levels_and_valid_parents) {
    write_named_grid("grid.el", 15);
    for (const std::string input : {"rmat:9,8", "rmat_directed:9,8", "grid2d:30,0.3", "grid.el"}) {
        const std::string directions = input == "grid.el" ? "--symmetrize" : "--directed";
        const auto plain = expect_json({"bfs", input, directions, "-o", "plain.txt", "--backend", "cpu"});
        for (const auto& name : names) {
            const auto r = expect_json({"bfs", input, directions, "--reorder", name, "-o", "new.txt",
                                        "--validate", "--repeat", "2", "--backend", "cpu"});
            EXPECT_EQ(r["valid"], true) << input << " " << name;
            EXPECT_EQ(r["source"], plain["source"]);
            EXPECT_EQ(r["reached"], plain["reached"]);
            EXPECT_EQ(r["edges"], plain["edges"]);
            EXPECT_EQ(columns("new.txt", 2), columns("plain.txt", 2)) << input << " " << name;
            EXPECT_EQ(r["reorder"]["name"], name);
            EXPECT_GT(r["reorder"]["time_ms"], 0);
        }
        EXPECT_FALSE(plain.contains("reorder"));
    }
}

TEST_F(reorder_option, files_are_the_same_in_every_run_and_for_any_number_of_threads) {
    for (const auto& name : names) {
        std::string first;
        for (const auto* threads : {"1", "2", "3"}) {
            ASSERT_EQ(
                nz({"bfs", "rmat:10,8", "--reorder", name, "-o", "tree.txt", "--threads", threads}).status,
                0);
            if (first.empty()) first = read("tree.txt");
            EXPECT_EQ(read("tree.txt"), first) << name << " " << threads;
        }
    }
}

TEST_F(reorder_option, bfs_from_many_sources_writes_the_same_file) {
    for (const std::vector<std::string>& sources :
         std::vector<std::vector<std::string>>{{"--sources", "3,17,40"}, {"--sources-random", "70"}}) {
        std::vector<std::string> words = {"bfs", "rmat:8,8", "-o", "plain.txt", "--backend", "cpu"};
        words.insert(words.end(), sources.begin(), sources.end());
        const auto plain = expect_json(words);
        words[3] = "new.txt";
        words.insert(words.end(), {"--reorder", "cluster", "--validate"});
        const auto r = expect_json(words);
        EXPECT_EQ(r["valid"], true);
        EXPECT_EQ(r["runs"], plain["runs"]);
        EXPECT_EQ(r["reorder"]["name"], "cluster");
        EXPECT_EQ(read("new.txt"), read("plain.txt"));
    }
}

TEST_F(reorder_option, sssp_gives_the_same_distances_and_valid_parents) {
    for (const auto* input : {"rmat:9,8", "grid2d:30,0.3"}) {
        for (const auto& name : names) {
            expect_json({"sssp", input, "--weights", "uniform:1,50", "-o", "plain.txt", "--backend", "cpu"});
            const auto r = expect_json({"sssp", input, "--weights", "uniform:1,50", "--reorder", name, "-o",
                                        "new.txt", "--validate", "--backend", "cpu"});
            EXPECT_EQ(r["valid"], true) << input << " " << name;
            EXPECT_EQ(columns("new.txt", 2), columns("plain.txt", 2)) << input << " " << name;
            EXPECT_EQ(expect_json({"sssp", input, "--reorder", name, "--no-parents", "--validate"})["valid"],
                      true);
        }
    }
}

TEST_F(reorder_option, products_are_those_of_the_input) {
    for (const auto* verb : {"spmv", "spmspv"}) {
        for (const auto* ring : {"plus_times", "min_plus", "any_second"}) {
            for (const auto& name : names) {
                const auto r =
                    expect_json({verb, "rmat_directed:8,8", "--semiring", ring, "--dtype", "int64",
                                 "--reorder", name, "--validate", "-o", "new.txt", "--backend", "cpu"});
                EXPECT_EQ(r["valid"], true) << verb << " " << ring << " " << name;
                const auto plain = expect_json({verb, "rmat_directed:8,8", "--semiring", ring, "--dtype",
                                                "int64", "-o", "plain.txt", "--backend", "cpu"});
                EXPECT_EQ(r["products"], plain["products"]);
                // any may pick another neighbour; sums and minima of whole numbers are what they are.
                const std::size_t read = std::string(ring) == "any_second" ? 1 : 2;
                EXPECT_EQ(columns("new.txt", read), columns("plain.txt", read)) << verb << " " << ring;
            }
        }
    }
}

TEST_F(reorder_option, info_says_what_an_order_would_do) {
    ASSERT_EQ(nz({"convert", "grid2d:30", "-o", "hidden.mtx", "--reorder", "cluster"}).status, 0);
    const auto before = expect_json({"info", "hidden.mtx"});
    const auto r = expect_json({"info", "hidden.mtx", "--reorder", "rcm"})["reorder"];
    EXPECT_EQ(r["bandwidth_before"], before["bandwidth"]["upper"]);
    EXPECT_EQ(r["profile_before"], before["profile"]);
    EXPECT_LE(r["bandwidth_after"], 31);
    EXPECT_LT(r["profile_after"], r["profile_before"]);
    const outcome run = nz({"info", "hidden.mtx", "--reorder", "rcm"});
    EXPECT_NE(run.out.find("reordered by rcm in "), std::string::npos) << run.out;
}

TEST_F(reorder_option, convert_writes_the_new_matrix_and_its_order) {
    write("path.el", "50 10\n10 40\n40 20\n");
    const auto r = expect_json({"convert", "path.el", "-o", "out.mtx", "--symmetrize", "--largest-component",
                                "--reorder", "rcm", "--order-file", "order.txt"});
    EXPECT_EQ(r["reorder"]["bandwidth_after"], 1);
    EXPECT_EQ(expect_json({"info", "out.mtx"})["bandwidth"]["lower"], 1);
    const std::string forwards = "50\n10\n40\n20\n", backwards = "20\n40\n10\n50\n";
    EXPECT_TRUE(read("order.txt") == forwards || read("order.txt") == backwards) << read("order.txt");
}

TEST_F(reorder_option, refuses_what_it_cannot_do) {
    for (const auto* verb : {"spmv", "spmspv", "info"})
        expect_refused({verb, "lp:20,30,60", "--reorder", "rcm"}, 2,
                       {"20 x 30", "--reorder needs a square one"});
    expect_refused({"bfs", "grid2d:5", "--reorder", "amd"}, 2, {"rcm"});
    expect_refused({"spmv", "rmat:6,4", "--semiring", "min_secondi", "--reorder", "rcm"}, 2,
                   {"min_secondi", "places"});
    expect_refused({"convert", "grid2d:5", "-o", "a.mtx", "--order-file", "b.txt"}, 2, {"--reorder"});
}

}  // namespace
}  // namespace nz::test
