// The same on real matrices, where the machine has them.
#include "run_nz.hpp"

namespace nz::test {
namespace {

class real_matrices : public command_line {
protected:
    void SetUp() override {
        command_line::SetUp();
        if (test_matrices().empty()) GTEST_SKIP() << "no real matrices here (NONZERO_TEST_DATA)";
    }
    static std::string matrix(const std::string& name) {
        return (test_matrices() / (name + ".mtx.gz")).string();
    }
};

TEST_F(real_matrices, breadth_first_searches_are_valid) {
    for (const auto* name : {"soc-Epinions1", "email-Enron", "luxembourg_osm", "delaunay_n10"}) {
        const auto r = expect_json({"bfs", matrix(name), "--validate"});
        EXPECT_EQ(r["valid"], true) << name;
        EXPECT_GT(r["reached"], 1) << name;
    }
}

TEST_F(real_matrices, products_are_valid) {
    for (const auto* name : {"bcsstk16", "nasa4704", "cage10", "fe_body", "lp_maros_r7"}) {
        EXPECT_EQ(expect_json({"spmv", matrix(name), "--validate"})["valid"], true) << name;
        EXPECT_EQ(expect_json({"spmspv", matrix(name), "--validate"})["valid"], true) << name;
    }
}

TEST_F(real_matrices, sizes_are_those_published) {
    const auto r = expect_json({"info", matrix("soc-Epinions1")});
    EXPECT_EQ(r["input"]["rows"], 75888);
    EXPECT_EQ(r["input"]["nonzeros"], 508837);
    EXPECT_EQ(r["empty_rows"], 15547);
    EXPECT_EQ(r["degree"]["max"], 1801);
}

}  // namespace
}  // namespace nz::test
