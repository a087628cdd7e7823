// mxm on a CPU and a GPU together: bit for bit the CPU's, however rows are divided. Skips where there is no GPU, but for what is refused.
#include "core/device.hpp"
#include "plan/mxm_hybrid.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace nz::test {
namespace {

constexpr unsigned hybrid_seed = 20261202;
constexpr double shares[] = {-1, 0, 0.1, 0.25, 0.5, 1};

class MxmHybrid : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{hybrid_seed};
};

matrix with_real_values(const context& ctx, const std::string& source) {
    const matrix pattern = load(ctx, source).matrix;
    std::vector<index_t> i, j;
    std::vector<double> ones, x;
    pattern.extract_tuples(i, j, ones);
    std::mt19937 random(hybrid_seed + 1);
    std::uniform_real_distribution<double> real(-1, 1);
    for (std::size_t n = 0; n < i.size(); ++n) x.push_back(real(random));
    return matrix::build<double>(
        ctx, {static_cast<index_t>(pattern.rows()), static_cast<index_t>(pattern.columns()), i, j, x});
}

TEST_F(MxmHybrid, IsTheCpusBitForBitHoweverRowsAreDivided) {
    const context ctx({.backend = backend::cuda, .threads = 4}), cpu({.backend = backend::cpu, .threads = 2});
    for (const auto* source : {"rmat_directed:11,8", "banded:20000,21", "random:5000,8", "laplace3d:12"}) {
        SCOPED_TRACE(source);
        const matrix a = with_real_values(cpu, source);
        for (const auto* name : {"plus_times_fp64", "any_second_fp64", "min_plus_fp64"}) {
            const semiring s(name);
            matrix expected(cpu, dtype::float64, a.rows(), a.columns());
            const offset_t products = mxm(cpu, expected, s, a, a, {.kernel = "hash"}).products;
            for (const double share : shares) {
                SCOPED_TRACE(share);
                matrix c(ctx, dtype::float64, a.rows(), a.columns());
                const hybrid_report report = mxm_hybrid(ctx, c, s, a, a, {share});
                EXPECT_TRUE(report.on_gpu.on_device);
                EXPECT_FALSE(report.on_cpu.on_device);
                EXPECT_EQ(report.on_gpu.products, products);
                if (share >= 0) {
                    EXPECT_NEAR(report.cpu_share, share, 0.05);
                }
                ASSERT_TRUE(same_bits(expected, c));
            }
        }
    }
}

TEST_F(MxmHybrid, ObeysMasksAccumulatorsAndTransposes) {
    const context ctx({.backend = backend::cuda, .threads = 2});
    const semiring s("plus_times_int64");
    const dictionary a = random_dictionary(21, 17, 0.25, dtype::int64, random),
                     b = random_dictionary(17, 90, 0.2, dtype::int64, random), t = model_mxm(s, a, b);
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
    check_settings<matrix>(
        ctx, t.rows, t.columns, t.type, random,
        [&](const auto& c, const auto& how) { return write(c, t, how); },
        [&](matrix& c, const matrix_options& options) { mxm_hybrid(ctx, c, s, left, right, {}, options); });
    matrix c(ctx, dtype::int64, 21, 90);
    mxm_hybrid(ctx, c, s, make_matrix(ctx, transposed(a)), make_matrix(ctx, transposed(b)), {0.5},
               {.transpose_a = true, .transpose_b = true});
    EXPECT_TRUE(same(t, c));
    matrix none(ctx, dtype::int64, 5, 4);
    mxm_hybrid(ctx, none, s, matrix(ctx, dtype::int64, 5, 0), matrix(ctx, dtype::int64, 0, 4));
    EXPECT_EQ(none.nnz(), 0);
}

// A in chunks, and B in strips too, where the GPU has no room for them; bit for bit what the CPU says.
TEST_F(MxmHybrid, GoesInPartsWhereFactorsDoNotFitTheGpu) {
    const context cpu({.backend = backend::cpu, .threads = 2});
    constexpr std::size_t limit = std::size_t{4} << 20;
    const matrix large = with_real_values(cpu, "random:60000,8");
    std::vector<index_t> i, j;
    std::vector<double> x;
    large.extract_tuples(i, j, x);
    for (index_t& column : j) column %= 2000;
    const matrix tall = matrix::build<double>(cpu, {60000, 2000, i, j, x}, binary_id::first),
                 square = with_real_values(cpu, "random:2000,8");
    const semiring s("plus_times");
    const auto expect_parts = [&](const matrix& a, const matrix& b, bool cuts_b, double share) {
        SCOPED_TRACE(share);
        const context small({.backend = backend::cuda, .threads = 3, .device_memory_limit = limit});
        matrix expected(cpu, dtype::float64, a.rows(), b.columns()),
            c(small, dtype::float64, a.rows(), b.columns());
        const offset_t products = mxm(cpu, expected, s, a, b, {.kernel = "hash"}).products;
        const hybrid_report report = mxm_hybrid(small, c, s, a, b, {share});
        EXPECT_EQ(report.on_gpu.products, products);
        EXPECT_GT(report.on_gpu.chunks, 1);
        EXPECT_EQ(report.on_gpu.strips > 1, cuts_b) << to_string(report.on_gpu);
        EXPECT_NEAR(report.cpu_share, std::max(share, 0.0), 0.05);
        EXPECT_EQ(report.on_cpu.kernel.empty(), share < 0) << "a part for the CPU that none asked for";
        EXPECT_TRUE(same_bits(expected, c));
    };
    for (const double share : {-1.0, 0.0, 0.4, 1.0}) {
        expect_parts(tall, square, false, share);
        expect_parts(large, large, true, share);
    }
    const context tiny({.backend = backend::cuda, .device_memory_limit = 20000});
    matrix c(tiny, dtype::float64, 60000, 60000);
    EXPECT_THROW(mxm_hybrid(tiny, c, s, large, large), out_of_memory);
}

TEST_F(MxmHybrid, RefusesKernelsThatTheGpuHasNotByRows) {
    const context ctx({.backend = backend::cuda, .threads = 2});
    const matrix a = with_real_values(ctx, "random:500,4");
    matrix c(ctx, dtype::float64, 500, 500);
    EXPECT_THROW(mxm_hybrid(ctx, c, semiring("plus_times"), a, a, {}, {.kernel = "two_level_sort"}),
                 not_supported);
    EXPECT_THROW(mxm_hybrid(ctx, c, semiring("plus_times"), a, a, {1.5}), domain_error);
}

TEST(MxmHybridAnywhere, IsRefusedWithoutAGpu) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = load(ctx, "random:50,4").matrix;
    matrix c(ctx, dtype::float64, 50, 50);
    try {
        mxm_hybrid(ctx, c, semiring("plus_times"), a, a);
        FAIL() << "no error";
    } catch (const not_supported& e) {
        EXPECT_NE(std::string(e.what()).find("the context has none"), std::string::npos) << e.what();
    }
}

TEST(BandDivision, IsTheShareAtWhichBothEndTogether) {
    // alpha R t = (1 - t)(beta R + gamma S)
    const double t = plan::band_share(4, 1, 2, 100, 10);
    EXPECT_DOUBLE_EQ(4 * 100 * t, (1 - t) * (1 * 100 + 2 * 10));
    const double o = plan::band_share_overlapped(4, 1, 2, 100, 10);
    EXPECT_DOUBLE_EQ(4 * 100 * o, (1 - o) * 100);
}

}  // namespace
}  // namespace nz::test
