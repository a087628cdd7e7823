// nz spgemm: every kernel, masks, transposes and semirings, checked by the program itself.
#include "kernels/kernel_ids.hpp"
#include "run_nz.hpp"

namespace nz::test {
namespace {

class spgemm_verb : public command_line {};

TEST_F(spgemm_verb, every_kernel_gives_a_valid_product) {
    std::vector<std::string> kernels = {"reference"};
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == "mxm" && k.cpu == kernels::presence::here) kernels.emplace_back(k.id);
    for (const auto& kernel : kernels)
        for (const auto* input : {"rmat_directed:8,8", "lp:60,300,900", "banded:100,5"}) {
            const auto r = expect_json({"spgemm", input, "--kernel", kernel, "--validate", "--repeat", "2"});
            EXPECT_EQ(r["kernel"], kernel) << input;
            EXPECT_EQ(r["valid"], true) << input << " " << kernel;
            EXPECT_EQ(r["second"], std::string(input).starts_with("lp") ? "itself transposed" : "itself");
        }
}

TEST_F(spgemm_verb, json_is_one_object_with_every_field) {
    const auto r = expect_json({"spgemm", "banded:100,3", "--validate", "--explain"});
    EXPECT_EQ(r["command"], "spgemm");
    EXPECT_EQ(r["input"]["nonzeros"], 298);
    EXPECT_EQ(r["products"], 98 * 9 + 2 * 4);
    EXPECT_EQ(r["output_nonzeros"], 494);
    EXPECT_GT(r["gflops"], 0);
    EXPECT_GT(r["peak_bytes"], 494 * 12);
    EXPECT_GT(r["workspace_bytes"], 0);
    EXPECT_EQ(r["semiring"], "plus_times_float64");
    EXPECT_EQ(r["valid"], true);
    EXPECT_NE(r["plan"].get<std::string>().find("mxm/dense_row"), std::string::npos);
}

TEST_F(spgemm_verb, multiplies_by_a_second_input_transposed_or_not_under_a_mask) {
    EXPECT_EQ(expect_json({"spgemm", "random:50,3", "banded:50,3", "--validate"})["valid"], true);
    EXPECT_EQ(expect_json({"spgemm", "lp:40,90,300", "lp:40,90,300", "--transpose-b", "--validate"})["valid"],
              true);
    const auto masked = expect_json({"spgemm", "rmat:8,8", "--mask", "rmat:8,8", "--semiring", "plus_pair",
                                     "--dtype", "int64", "--validate"});
    EXPECT_EQ(masked["valid"], true);
    EXPECT_TRUE(masked["kernel"].get<std::string>().starts_with("masked"));
    EXPECT_LE(masked["output_nonzeros"], masked["mask_nonzeros"]);
    const auto barred = expect_json({"spgemm", "rmat:8,8", "--mask", "rmat:8,8", "--mask-complement",
                                     "--mask-structure", "--semiring", "min_plus", "--validate"});
    EXPECT_EQ(barred["valid"], true);
    EXPECT_EQ(barred["kernel"], "masked_row");
}

TEST_F(spgemm_verb, semirings_and_types_give_valid_products) {
    for (const auto* ring : {"plus_times", "min_plus", "any_secondi", "lor_land", "plus_pair", "max_times"})
        for (const auto* type : {"float64", "float32", "int32", "bool"})
            EXPECT_EQ(expect_json({"spgemm", "random:60,4", "--semiring", ring, "--dtype", type, "--validate",
                                   "--repeat", "1"})["valid"],
                      true)
                << ring << " " << type;
}

TEST_F(spgemm_verb, writes_the_product_and_prints_the_plan) {
    const outcome run = nz({"spgemm", "banded:9,3", "--validate", "--explain", "-o", path("product.mtx")});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(exists("product.mtx"));
    for (const auto* word : {"plan: ", "GFLOP/s", "Kernel ", "valid", "products"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(spgemm_verb, estimates_and_says_how_far_off_that_was) {
    const auto r = expect_json({"spgemm", "rmat_directed:12,8", "--estimate", "--repeat", "1"});
    EXPECT_EQ(r["estimate"]["products"], r["products"]);
    EXPECT_GE(r["estimate"]["most_nonzeros"], r["output_nonzeros"]);
    EXPECT_NEAR(r["estimate"]["error"].get<double>(), 0, 0.1);
    EXPECT_EQ(r["chunks"], 1);
    EXPECT_EQ(r["strips"], 1);
    const outcome text = nz({"spgemm", "banded:50,3", "--estimate", "--repeat", "1"});
    EXPECT_NE(text.out.find("expected from 50 rows (+0.0%)"), std::string::npos) << text.out;
}

TEST_F(spgemm_verb, refuses_what_cannot_be_multiplied) {
    expect_refused({"spgemm", "banded:9,3", "random:8,3"}, 2, {"9 x 9", "8 x 8"});
    expect_refused({"spgemm", "banded:9,3", "--mask", "random:8,3"}, 2, {"mask"});
    expect_refused({"spgemm", "banded:9,3", "--kernel", "csr_row"}, 2, {"dense_row", "two_level_sort"});
    expect_refused({"spgemm", "banded:9,3", "--kernel", "hash", "--semiring", "min_times"}, 1,
                   {"not compiled"});
    expect_refused({"spgemm", "banded:30000,21", "--memory-limit", "20M"}, 1, {"bytes needed", "limit"});
}

}  // namespace
}  // namespace nz::test
