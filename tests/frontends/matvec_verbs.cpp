// nz spmv and nz spmspv: every kernel, semirings and types, checked by the program's own plain loop.
#include "kernels/kernel_ids.hpp"
#include "run_nz.hpp"

namespace nz::test {
namespace {

class matvec_verbs : public command_line {};

TEST_F(matvec_verbs, every_kernel_gives_a_valid_product) {
    std::vector<std::string> kernels = {"reference"};
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == "mxv" && k.cpu == kernels::presence::here) kernels.emplace_back(k.id);
    for (const auto& kernel : kernels) {
        for (const auto* input : {"rmat:8,8", "lp:60,300,900", "laplace2d:12", "dense:3,70"}) {
            for (const auto* verb : {"spmv", "spmspv"}) {
                const auto r = expect_json(
                    {verb, input, "--kernel", kernel, "--validate", "--repeat", "2", "--backend", "cpu"});
                EXPECT_EQ(r["kernel"], kernel) << verb << " " << input;
                EXPECT_EQ(r["valid"], true) << verb << " " << input << " " << kernel;
            }
        }
    }
}

TEST_F(matvec_verbs, a_kernel_of_the_other_backend_cannot_serve) {
    expect_refused({"spmv", "rmat:8,8", "--kernel", "csc_gather_bucket", "--backend", "cpu"}, 1,
                   {"for GPUs"});
}

TEST_F(matvec_verbs, spadd_joins_with_the_transpose_itself_and_a_second_input) {
    for (const auto* operation : {"union", "intersection", "difference", "symmetric_difference"})
        for (const auto* input : {"rmat_directed:8,8", "lp:60,300,900"}) {
            const auto r = expect_json({"spadd", input, "--operation", operation, "--validate", "--repeat",
                                        "2", "--threads", "2", "--explain"});
            EXPECT_EQ(r["valid"], true) << operation << " " << input;
            EXPECT_EQ(r["kernel"], "balanced_path") << operation << " " << input;
            EXPECT_EQ(r["second"], std::string(input).starts_with("lp") ? "itself" : "transpose");
        }
    const auto r = expect_json({"spadd", "laplace2d:9", "random:81,3", "--validate", "-o", path("sum.mtx")});
    EXPECT_EQ(r["valid"], true);
    EXPECT_TRUE(exists("sum.mtx"));
    write("odd.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 nan\n1 2 inf\n2 1 -inf\n");
    EXPECT_TRUE(expect_json({"spadd", "odd.mtx", "--validate"})["valid"]) << "NaN equals no number";
    expect_refused({"spadd", "laplace2d:9", "random:80,3"}, 2, {"shapes must be equal"});
    expect_refused({"spadd", "laplace2d:9", "--kernel", "hash"}, 2, {"balanced_path"});
    expect_refused({"spadd", "laplace2d:9", "--operation", "sum"}, 2, {"union"});
    EXPECT_NE(nz({"spadd", "--help"}).out.find(" balanced_path, reference\n"), std::string::npos);
}

TEST_F(matvec_verbs, semirings_and_types_give_valid_products) {
    for (const auto* ring : {"plus_times", "min_plus", "max_times", "any_secondi", "any_second", "lor_land",
                             "plus_pair", "times_rminus"}) {
        for (const auto* type : {"float64", "float32", "int32", "uint8", "bool"}) {
            const std::vector<std::string> words = {"spmv", "lp:40,40,300", "--semiring", ring, "--dtype",
                                                    type,   "--validate",   "--repeat",   "1"};
            EXPECT_EQ(expect_json(words)["valid"], true) << ring << " " << type;
        }
    }
    EXPECT_EQ(
        expect_json({"spmspv", "rmat:8,8", "--semiring", "any_secondi", "--fast", "--validate"})["valid"],
        true);
}

TEST_F(matvec_verbs, two_types_that_differ_are_refused) {
    for (const auto* verb : {"spmv", "spmspv", "spmm", "spgemm"}) {
        for (const auto* ring : {"min_plus_int32", "GrB_MIN_PLUS_SEMIRING_INT32"})
            expect_refused({verb, "grid2d:4", "--semiring", ring, "--dtype", "float64"}, 2,
                           {ring, "float64"});
        EXPECT_EQ(nz({verb, "grid2d:4", "--semiring", "min_plus_int32", "--dtype", "int32"}).status, 0)
            << verb;
    }
}

TEST_F(matvec_verbs, json_is_one_object_with_every_field) {
    const auto r = expect_json({"spmv", "laplace2d:30", "--validate", "--explain"});
    EXPECT_EQ(r["command"], "spmv");
    EXPECT_EQ(r["input"]["rows"], 900);
    EXPECT_EQ(r["input"]["nonzeros"], 4380);
    EXPECT_EQ(r["products"], 4380);
    EXPECT_EQ(r["vector_entries"], 900);
    EXPECT_EQ(r["type"], "float64");
    EXPECT_GT(r["gflops"], 0);
    EXPECT_GT(r["gbytes_per_s"], 0);
    EXPECT_GT(r["time_ms"], 0);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(r["backend"], "cpu");
    EXPECT_FALSE(r["device"].get<std::string>().empty());
    EXPECT_NE(r["plan"].get<std::string>().find(r["kernel"].get<std::string>()), std::string::npos);
}

TEST_F(matvec_verbs, prints_the_plan_and_the_rates) {
    const outcome run = nz({"spmv", "laplace2d:30", "--validate", "--explain"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    for (const auto* word : {"plan: ", "GFLOP/s", "GB/s", "Kernel ", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(matvec_verbs, density_says_how_much_of_x_is_there) {
    EXPECT_EQ(expect_json({"spmspv", "random:1000,3", "--density", "1"})["vector_entries"], 1000);
    const auto r = expect_json({"spmspv", "random:10000,3", "--density", "0.1", "--validate"});
    EXPECT_NEAR(r["vector_entries"].get<double>(), 1000, 150);
    EXPECT_EQ(
        expect_json({"spmspv", "random:100,3", "--density", "0.000001", "--validate"})["vector_entries"], 1);
}

TEST_F(matvec_verbs, results_are_written_by_the_inputs_own_ids) {
    write("ids.el", "7 1000000\n1000000 7\n7 7\n");
    EXPECT_EQ(nz({"spmv", "ids.el", "--repeat", "1", "--semiring", "plus_pair", "-o", "y.txt"}).status, 0);
    EXPECT_EQ(read("y.txt"), "7 2\n1000000 1\n");
    EXPECT_EQ(nz({"spmv", "ids.el", "--repeat", "1", "-o", "y.npz"}).status, 0);
}

TEST_F(matvec_verbs, the_same_seed_gives_the_same_result_whatever_the_threads) {
    const std::vector<std::string> words = {"spmv", "lp:300,300,3000", "--repeat", "1", "-o"};
    const auto product = [&](const std::string& file, const std::vector<std::string>& more) {
        std::vector<std::string> all = words;
        all.push_back(file);
        all.insert(all.end(), more.begin(), more.end());
        EXPECT_EQ(nz(all).status, 0);
        return read(file);
    };
    const std::string one = product("one.txt", {"--threads", "1"});
    EXPECT_FALSE(one.empty());
    EXPECT_EQ(product("two.txt", {"--threads", "2"}), one);
    EXPECT_NE(product("three.txt", {"--seed", "2"}), one);
}

}  // namespace
}  // namespace nz::test
