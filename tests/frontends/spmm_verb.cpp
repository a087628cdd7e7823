// nz spmm: every kernel, layout and number of columns, semirings and types, checked by the program's own plain loop.
#include "kernels/kernel_ids.hpp"
#include "run_nz.hpp"

namespace nz::test {
namespace {

class spmm_verb : public command_line {};

TEST_F(spmm_verb, every_kernel_gives_a_valid_product_in_both_layouts) {
    std::vector<std::string> kernels = {"reference"};
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == "mxd" && k.cpu == kernels::presence::here) kernels.emplace_back(k.id);
    for (const auto& kernel : kernels)
        for (const auto* input : {"rmat_directed:8,8", "lp:60,300,900", "dense:3,70"})
            for (const auto* layout : {"row", "column"})
                for (const auto* columns : {"1", "13", "64"}) {
                    const auto r =
                        expect_json({"spmm", input, "--kernel", kernel, "--layout", layout, "--columns",
                                     columns, "--validate", "--repeat", "2", "--threads", "3"});
                    EXPECT_EQ(r["kernel"], kernel) << input;
                    EXPECT_EQ(r["valid"], true) << input << " " << kernel << " " << layout << " " << columns;
                }
}

TEST_F(spmm_verb, json_is_one_object_with_every_field) {
    const auto r =
        expect_json({"spmm", "laplace2d:30", "--columns", "8", "--threads", "2", "--validate", "--explain"});
    EXPECT_EQ(r["command"], "spmm");
    EXPECT_EQ(r["input"]["nonzeros"], 4380);
    EXPECT_EQ(r["columns"], 8);
    EXPECT_EQ(r["layout"], "row");
    EXPECT_EQ(r["products"], 8 * 4380);
    EXPECT_EQ(r["kernel"], "csr_tiled");
    EXPECT_EQ(r["type"], "float64");
    EXPECT_EQ(r["backend"], "cpu");
    EXPECT_GT(r["gflops"], 0);
    EXPECT_GT(r["gbytes_per_s"], 0);
    EXPECT_EQ(r["workspace_bytes"], 0);
    EXPECT_EQ(r["valid"], true);
    EXPECT_NE(r["plan"].get<std::string>().find("mxd/csr_tiled compiled"), std::string::npos);
    EXPECT_FALSE(r["explanation"].get<std::string>().empty());
}

TEST_F(spmm_verb, semirings_and_types_give_valid_products) {
    for (const auto* ring :
         {"plus_times", "min_plus", "plus_second", "any_secondi", "lor_land", "plus_pair", "max_times"})
        for (const auto* type : {"float64", "float32", "int32", "bool"})
            EXPECT_EQ(expect_json({"spmm", "lp:40,40,300", "--semiring", ring, "--dtype", type, "--columns",
                                   "5", "--validate", "--repeat", "1"})["valid"],
                      true)
                << ring << " " << type;
}

TEST_F(spmm_verb, few_long_rows_are_split_and_columns_packed) {
    const auto r =
        expect_json({"spmm", "lp:3,20000,60000", "--layout", "column", "--validate", "--threads", "2"});
    EXPECT_EQ(r["kernel"], "csr_merge");
    EXPECT_EQ(r["valid"], true);
    const auto packed = expect_json({"spmm", "random:2000,5", "--layout", "column", "--validate"});
    EXPECT_NE(packed["plan"].get<std::string>().find("packs the second operand"), std::string::npos);
    EXPECT_EQ(packed["valid"], true);
}

TEST_F(spmm_verb, prints_the_plan_and_the_rates) {
    const outcome run = nz({"spmm", "laplace2d:30", "--validate", "--explain"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"plan: mxd/", "GFLOP/s", "GB/s", "Kernel ", "valid", "32 columns"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(spmm_verb, refuses_what_it_cannot_do) {
    expect_refused({"spmm", "banded:9,3", "--columns", "0"}, 2, {"--columns"});
    expect_refused({"spmm", "banded:9,3", "--layout", "diagonal"}, 2, {"row", "column"});
    expect_refused({"spmm", "banded:9,3", "--kernel", "hash"}, 2, {"csr_tiled", "csr_merge"});
    expect_refused({"spmm", "banded:9,3", "--kernel", "csr_half_warp"}, 1, {"half warp"});
    expect_refused({"spmm", "banded:9,3", "--kernel", "csr_tiled", "--semiring", "max_times"}, 1,
                   {"not compiled"});
    expect_refused({"spmm", "banded:9,3", "--semiring", "plus"}, 2, {"plus_times"});
    expect_refused({"spmm", "banded:30000,3", "--columns", "64", "--memory-limit", "10M"}, 1,
                   {"bytes needed", "limit"});
}

}  // namespace
}  // namespace nz::test
