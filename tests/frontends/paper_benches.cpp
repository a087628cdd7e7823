// nz bench papers/KEY and gap on small inputs: every figure runs, its results checked by the bench itself, and says what it has to.
#include "run_nz.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <map>

namespace nz::test {
namespace {

class paper_benches : public command_line {
protected:
    void SetUp() override {
        command_line::SetUp();
        const auto beside = std::filesystem::path(std::getenv("NZ_BINARY")).parent_path() / "nz-bench";
        if (!std::filesystem::exists(beside)) GTEST_SKIP() << "nz-bench is not built here";
    }

    outcome bench(std::vector<std::string> words) const {
        words.insert(words.begin(), "bench");
        for (const auto* word : {"--backend", "cpu", "--threads", "2"}) words.emplace_back(word);
        return nz(words);
    }

    /// The results by name of a run that succeeds and whose output has all of `needles`.
    std::map<std::string, nlohmann::json> results(std::vector<std::string> words,
                                                  const std::vector<std::string>& needles) const {
        words.emplace_back("-o");
        words.emplace_back("out.json");
        const outcome run = bench(words);
        EXPECT_EQ(run.status, 0) << run.err;
        for (const auto& needle : needles)
            EXPECT_NE(run.out.find(needle), std::string::npos) << needle << " is not in\n" << run.out;
        std::map<std::string, nlohmann::json> by_name;
        if (!exists("out.json")) return by_name;
        const auto content = nlohmann::json::parse(read("out.json"), nullptr, false);
        for (const auto& result : content["benchmarks"]) {
            EXPECT_FALSE(result.contains("error_occurred")) << result.dump();
            const auto name = result["name"].get<std::string>();
            by_name[name.substr(0, name.find("/iterations"))] = result;
        }
        return by_name;
    }
};

TEST_F(paper_benches, dalton2015_sums_up_spmv_with_and_without_empty_rows) {
    const auto of = results({"papers/dalton2015", "--figure", "6", "--quick", "banded:50,3",
                             "laplace3d:4(x)2x2", "lp:20,1500,3000"},
                            {"csr_merge: correlation of time with entries", "half empty"});
    for (const auto* kernel : {"csr_row", "csr_merge", "planned"}) {
        EXPECT_EQ(of.at(std::string("dalton2015/spmv/banded:50,3/") + kernel)["entries"], 148);
        EXPECT_EQ(of.at(std::string("dalton2015/spmv/laplace3d:4(x)2x2/") + kernel)["entries"], 4000);
    }
    EXPECT_EQ(of.at("dalton2015/spmv/half_empty(banded:50,3)/csr_merge")["empty_rows"], 50);
    EXPECT_EQ(of.at("dalton2015/spmv/half_empty(banded:50,3)/csr_merge")["entries"], 148);
}

TEST_F(paper_benches, dalton2015_counts_the_work_of_sums_and_products) {
    const auto sums = results({"papers/dalton2015", "--figure", "8", "--quick", "banded:50,3"}, {"|A|+|B|"});
    EXPECT_EQ(sums.at("dalton2015/spadd/banded:50,3/balanced_path")["work"], 2 * 148);
    const auto products =
        results({"papers/dalton2015", "--figure", "10", "--quick", "banded:50,3", "dense:7,9"},
                {"two_level_sort", "one thread"});
    for (const auto* kernel : {"two_level_sort", "planned", "hash"}) {
        EXPECT_EQ(products.at(std::string("dalton2015/spgemm/banded:50,3/") + kernel)["products"],
                  48 * 9 + 2 * 4);
        EXPECT_EQ(products.at(std::string("dalton2015/spgemm/dense:7,9/") + kernel)["products"], 7 * 9 * 7);
        EXPECT_EQ(products.at(std::string("dalton2015/spgemm/dense:7,9/") + kernel)["output_entries"], 49);
    }
}

TEST_F(paper_benches, dalton2015_has_every_other_figure_at_a_small_size) {
    EXPECT_EQ(results({"papers/dalton2015", "--figure", "2", "--quick"}, {"float64", "one thread"}).size(),
              12u);
    EXPECT_EQ(results({"papers/dalton2015", "--figure", "4", "--quick"}, {"pairs, twice"}).size(), 9u);
    for (const auto* figure : {"5", "7", "9"})
        EXPECT_GE(
            results({"papers/dalton2015", "--figure", figure, "--quick"}, {"correlation of time"}).size(),
            6u);
    const auto phases =
        results({"papers/dalton2015", "--figure", "11", "--quick"}, {"setup", "merge", "other"});
    EXPECT_EQ(phases.size(), 6u);
    for (const auto& [name, of] : phases) {
        double parts = 0;
        for (const auto* part : {"setup", "sort", "merge", "count", "reduce", "other"})
            parts += of[part].get<double>();
        EXPECT_NEAR(parts, of["best_ms"].get<double>(), 1e-9) << name;
    }
    const outcome table = bench({"papers/dalton2015", "--table", "2"});
    EXPECT_EQ(table.status, 0);
    EXPECT_NE(table.out.find("Wind Tunnel"), std::string::npos);
}

TEST_F(paper_benches, matam2012_compares_the_forms_and_keeps_a_memory_limit) {
    for (const auto* figure : {"5", "6"}) {
        const auto of =
            results({"papers/matam2012", "--figure", figure, "banded:3000,9", "rmat_directed:11,8"},
                    {"column_column", "geometric mean", "within a limit"});
        for (const auto* kernel : {"row_row", "column_row", "column_column", "masked_dot", "hash",
                                   "dense_row", "two_level_sort", "planned"})
            EXPECT_EQ(of.at(std::string("matam2012/spgemm/banded:3000,9/") + kernel)["output_entries"],
                      3000 * 17 - 2 * (8 * 9 / 2))
                << kernel;
        const auto& limited = of.at("matam2012/limited/rmat_directed:11,8/hash");
        EXPECT_GE(limited["fewest_threads"], 1);
        EXPECT_LT(limited["limit_bytes"], limited["uncut_bytes"]);
        EXPECT_GT(limited["best_ms"], 0);
    }
}

TEST_F(paper_benches, matam2012_has_bands_and_sparse_times_dense) {
    const auto bands =
        results({"papers/matam2012", "--figure", "9", "--quick"}, {"division", "dia_dia: alpha"});
    for (const auto* kernel : {"dia_dia", "dense_row", "row_row", "hash", "planned"})
        EXPECT_GT(bands.at(std::string("matam2012/band/2000,11,21/") + kernel)["products"], 0);
    const auto dense = results({"papers/matam2012", "--figure", "10", "lp:20,300,900"},
                               {"mxd/csr_half_warp is left out", "over one SpMV a column"});
    for (const auto* columns : {"8", "16", "32", "64"})
        EXPECT_GT(dense.at(std::string("spmm/lp:20,300,900/") + columns + "/mxv")["gflops"], 0);
}

TEST_F(paper_benches, yang2018_takes_searches_apart_level_by_level) {
    const auto of = results({"papers/yang2018", "--figure", "5", "rmat:9,8"}, {"forward", "push ms"});
    double before = 512;
    std::size_t levels = 0;
    for (int level = 1; of.contains("yang2018/levels/rmat:9,8/" + std::to_string(level) + "/push");
         ++level, ++levels) {
        const auto& push = of.at("yang2018/levels/rmat:9,8/" + std::to_string(level) + "/push");
        const double unvisited = push["unvisited"];
        EXPECT_EQ(unvisited, before - push["frontier"].get<double>()) << "level " << level;
        before = unvisited;
        // Whatever a level's edges forward reach, the next level's edges back come from.
        const auto next = of.find("yang2018/levels/rmat:9,8/" + std::to_string(level + 1) + "/push");
        if (next != of.end()) {
            EXPECT_EQ(push["edges_forward"], next->second["edges_back"]) << "level " << level;
        }
        EXPECT_EQ(of.at("yang2018/levels/rmat:9,8/" + std::to_string(level) + "/pull")["frontier"],
                  push["frontier"]);
    }
    EXPECT_GT(levels, 2u);
    const auto both = results({"papers/yang2018", "--figure", "6", "--quick"}, {"row_masked", "unvisited"});
    EXPECT_TRUE(both.contains("yang2018/levels/rmat:11,16/2/pull"));
    EXPECT_TRUE(both.contains("yang2018/products/rmat:11,16/2048/column_masked"));
}

TEST_F(paper_benches, yang2018_multiplies_by_rows_and_columns_and_meets_other_libraries) {
    const auto products = results({"papers/yang2018", "--figure", "2", "--quick"}, {"column_masked"});
    for (const auto* count : {"8", "128", "2048"})
        for (const auto* form : {"row", "row_masked", "column", "column_masked"})
            EXPECT_TRUE(products.contains(std::string("yang2018/products/rmat:11,16/") + count + "/" + form));
    EXPECT_EQ(products.at("yang2018/products/rmat:11,16/128/row_masked")["mask_entries"], 128);
    const auto costs = results({"papers/yang2018", "--table", "1", "--quick"}, {"d nnz(m)", "correlation"});
    const auto accesses = [&](const char* count, const char* form) {
        return costs.at(std::string("yang2018/products/rmat:11,16/") + count + "/" + form)["accesses"];
    };
    for (const auto* form : {"row_masked", "column", "column_masked"}) {
        EXPECT_LT(accesses("8", form), accesses("128", form));
        EXPECT_EQ(accesses("2048", form), accesses("8", "row")) << "all of them";
    }
    const auto libraries = results({"papers/yang2018", "--figure", "7", "rmat_directed:9,8", "grid2d:20"},
                                   {"push/ours", "geometric mean"});
    for (const auto* graph : {"rmat_directed:9,8", "grid2d:20"})
        for (const auto* who : {"nonzero", "push_only"})
            EXPECT_GT(libraries.at(std::string("yang2018/libraries/") + graph + "/" + who)["mteps"], 0);
}

TEST_F(paper_benches, gap_states_the_floors_of_its_kernels) {
    const auto of = results({"gap", "--quick", "--filter", "/(kron|road)/"}, {"first answer was checked"});
    for (const auto* graph : {"kron", "road"})
        for (const auto* kernel : {"bfs", "sssp", "cc", "tc", "bc"}) {
            const auto& result = of.at(std::string("gap/12/") + graph + "/" + kernel);
            const double floor = result["floor_ms"], share = result["share_of_floor"];
            EXPECT_GT(floor, 0) << result.dump();
            EXPECT_NEAR(share * static_cast<double>(result["real_time"]), floor, 1e-3 * floor)
                << result.dump();
        }
    EXPECT_GT(of.at("gap/12/kron/tc")["floor_ms"], of.at("gap/12/road/tc")["floor_ms"]) << "hubs' lists";
}

TEST_F(paper_benches, what_a_paper_or_the_library_has_not_is_said) {
    for (const auto* figure : {"7", "8"}) {
        const outcome run = bench({"papers/matam2012", "--figure", figure});
        EXPECT_EQ(run.status, 1);
        EXPECT_NE(run.err.find("there is no GPU"), std::string::npos) << run.err;
    }
    EXPECT_EQ(bench({"papers/matam2012", "--figure", "11"}).status, 2);
    EXPECT_EQ(bench({"papers/dalton2015", "--figure", "3"}).status, 2);
    EXPECT_EQ(bench({"papers/yang2018", "--figure", "4"}).status, 2);
    EXPECT_EQ(bench({"papers/dalton2015"}).status, 2);
    for (const auto* input : {"laplace2d:4(x)2x3", "laplace2d:4(x)0x0", "dense:3,4(x)2x2"}) {
        const outcome run = bench({"papers/dalton2015", "--figure", "10", "--quick", input});
        EXPECT_NE(run.status, 0) << input;
        EXPECT_NE(run.err.find("square"), std::string::npos) << run.err;
    }
    const outcome run = bench({"papers/matam2012", "--figure", "9", "many"});
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("ROWS,DIAGONALS,DIAGONALS"), std::string::npos) << run.err;
}

TEST_F(paper_benches, what_a_suite_would_not_look_at_is_refused) {
    const auto refused = [&](std::vector<std::string> words, const std::vector<std::string>& needles) {
        words.insert(words.begin(), "bench");
        expect_refused(words, 2, needles);
    };
    refused({"--foo"}, {"--foo"});
    refused({"foo"}, {"'foo'", "matvec", "papers/yang2018"});
    refused({"gap", "rmat:5,4"}, {"gap", "rmat:5,4"});
    refused({"papers/dalton2015", "--figure", "4", "rmat:5,4"}, {"figure 4"});
    refused({"bfs", "--table", "2"}, {"--table 1"});
    refused({"matvec", "--figure", "1"}, {"no figures"});
    refused({"papers/yang2018"}, {"--table 1, 2 and --figure 2, 5, 6, 7"});
    refused({"papers/yang2018", "--table", "1", "--figure", "2"}, {"give one"});
    refused({"matvec", "--scale", "9"}, {"--scale"});
    refused({"gap", "--scale", "9", "--quick"}, {"--scale", "--quick"});
    refused({"bfs", "rmat:5,4", "--quick"}, {"--quick", "rmat:5,4"});
    refused({"bfs", "--backend", "tpu"}, {"--backend"});
}

TEST_F(paper_benches, output_that_is_lost_is_a_failure) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    const outcome run = bench({"spadd", "laplace2d:5", "-o", "/dev/full"});
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("nz: /dev/full: cannot be written"), std::string::npos) << run.err;
    const std::string line =
        std::string("\"$NZ_BINARY\" bench spadd laplace2d:5 --backend cpu >/dev/full 2>'") +
        path("complaint") + "'";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1);
    EXPECT_NE(read("complaint").find("nz: cannot write to standard output"), std::string::npos);
    const outcome nowhere = bench({"spadd", "laplace2d:5", "-o", "missing/out.json"});
    EXPECT_EQ(nowhere.status, 1);
    EXPECT_NE(nowhere.err.find("nz: missing/out.json: cannot be created"), std::string::npos) << nowhere.err;
}

}  // namespace
}  // namespace nz::test
