// Dense operands in a GPU's memory for what no kernel there does as it stands: other types, other accumulators, semirings of every tier.
// Against the dictionary model, lines apart, between which nothing changes. Skips where there is no GPU.
#include "support/dense_on_device.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

constexpr unsigned mxd_resident_seed = 20261130;

class MxdResident : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{mxd_resident_seed};

    // B and C there, and each beside the other at home; every order, with gaps. Returns the last plan.
    dense_plan expect_the_model(const context& ctx, const semiring& s, dtype of_a, dtype of_b, dtype of_c,
                                std::optional<binary_op> accum, std::string_view kernel = {}) {
        const dictionary a = random_dictionary(70, 40, 0.2, of_a, random),
                         b = full_dictionary(40, 9, of_b, random), c = full_dictionary(70, 9, of_c, random),
                         expected = model_mxd(s, a, b, c, accum);
        const matrix left = make_matrix(ctx, a);
        dense_plan plan;
        for (const dense_order in : both_orders)
            for (const dense_order out : both_orders)
                for (const auto& [b_there, c_there] :
                     {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
                    dense_block b_block(b, in, 3), c_block(c, out, 2);
                    const dense_block before = c_block;
                    const block_there b_copy(ctx, b_block), c_copy(ctx, c_block);
                    plan = mxd(ctx, c_there ? c_copy.view() : c_block.view(), s, left,
                               b_there ? b_copy.view() : b_block.view(), {.accum = accum, .kernel = kernel});
                    if (c_there) c_copy.bring_home();
                    EXPECT_EQ(difference(expected, c_block.read()), "")
                        << s.name() << (b_there ? ", B there" : "") << (c_there ? ", C there" : "");
                    EXPECT_TRUE(c_block.same_gaps(before)) << s.name();
                }
        return plan;
    }
};

TEST_F(MxdResident, IsConvertedThere) {
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times");
    for (const dtype b : {dtype::int8, dtype::uint32, dtype::float32, dtype::float64})
        for (const dtype c : {dtype::int8, dtype::uint32, dtype::int64, dtype::float32, dtype::float64})
            EXPECT_TRUE(expect_the_model(ctx, s, dtype::float64, b, c, {}).on_device);
    EXPECT_TRUE(expect_the_model(ctx, s, dtype::int8, dtype::float32, dtype::boolean, {}).on_device);
}

TEST_F(MxdResident, TakesAnyAccumulator) {
    const context ctx({.backend = backend::cuda});
    for (const auto accum : {binary_id::plus, binary_id::minus, binary_id::second, binary_id::max})
        for (const dtype c : {dtype::int32, dtype::float64})
            for (const char* name : {"plus_times", "min_plus", "max_times"})
                EXPECT_TRUE(
                    expect_the_model(ctx, semiring(name), dtype::float64, dtype::float64, c, binary_op(accum))
                        .on_device);
}

TEST_F(MxdResident, GoesByAWiderTypeThere) {
    const context ctx({.backend = backend::cuda});
    for (const dtype type :
         {dtype::int8, dtype::uint8, dtype::int16, dtype::uint16, dtype::uint32, dtype::uint64})
        for (const char* name : {"plus_times", "plus_second"})
            for (const dtype c : {type, dtype::int64}) {
                EXPECT_TRUE(expect_the_model(ctx, semiring(name), type, type, c, {}).on_device);
                expect_the_model(ctx, semiring(name), type, type, c, binary_op(binary_id::minus));
            }
}

TEST_F(MxdResident, ComesHomeForTheRest) {
    const context ctx({.backend = backend::cuda});
    const auto home = [&](const semiring& s, dtype type, dtype c, std::string_view kernel = {}) {
        for (const auto& accum : {std::optional<binary_op>{}, std::optional(binary_op(binary_id::plus))})
            EXPECT_FALSE(expect_the_model(ctx, s, type, type, c, accum, kernel).on_device) << s.name();
    };
    for (const char* name : {"any_pair", "plus_pair", "any_first"})
        home(semiring(name), dtype::int32, dtype::int32);
    home(semiring("min_secondj_int64"), dtype::int32, dtype::int64);
    home(semiring("plus_times"), dtype::float64, dtype::float64, "reference");
    home(semiring(monoid("plus"),
                  binary_op::make<double>("half_product", [](double x, double y) { return x * y / 2; })),
         dtype::float64, dtype::float32);
}

// The copies at home are counted, and there is no room for them: C stays as it was.
TEST_F(MxdResident, SaysThatThereIsNoRoomAtHome) {
    const dictionary left = random_dictionary(60, 60, 0.1, dtype::float64, random),
                     full = full_dictionary(60, 90, dtype::float64, random);
    constexpr std::size_t dense = 60 * 90 * sizeof(double);
    for (const std::size_t limit : {dense / 2, dense + dense / 2}) {  // neither, and B alone
        const context ctx({.backend = backend::cuda, .memory_limit = limit, .device_memory_limit = 1 << 24});
        const matrix a = make_matrix(ctx, left);
        dense_block b(full, dense_order::row_major), c(full, dense_order::row_major);
        const block_there b_copy(ctx, b), c_copy(ctx, c);
        EXPECT_THROW(
            mxd(ctx, c_copy.view(), semiring("plus_times"), a, b_copy.view(), {.kernel = "reference"}),
            out_of_memory);
        c_copy.bring_home();
        EXPECT_EQ(difference(full, c.read()), "") << limit;
    }
}

}  // namespace
}  // namespace nz::test
