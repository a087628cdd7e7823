// Sparse times dense on a GPU: every compiled semiring and kernel against the dictionary model over orders, strides and
// accumulators, rows of every length against the reference, and operands that lie in the GPU's memory. Skips where there is
// no GPU.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "instantiate/dense_cells.hpp"
#include "instantiate/dense_device_cells.hpp"
#include "kernels/kernel_ids.hpp"
#include "support/battery.hpp"
#include "support/dense.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

namespace nz::test {
namespace {

constexpr unsigned mxd_device_seed = 20261122;

class MxdOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{mxd_device_seed};
};

std::vector<std::string_view> device_kernels() {
    std::vector<std::string_view> ids;
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == "mxd" && k.cuda == kernels::presence::here) ids.push_back(k.id);
    return ids;
}

TEST_F(MxdOnDevice, TheManifestIsTheCpus) {
    for (const auto group : {instantiate::arithmetic_dense(), instantiate::tropical_dense()})
        for (const auto& cell : group)
            EXPECT_NE(instantiate::find_dense_device_cell(cell.add, cell.multiply, cell.operand), nullptr);
}

TEST_F(MxdOnDevice, EverySemiringAndKernelAgreesWithTheModelOverTheBatteryInEveryOrder) {
    const context ctx({.backend = backend::cuda});
    for (const auto group : {instantiate::arithmetic_device_dense(), instantiate::tropical_device_dense()})
        for (const auto& cell : group) {
            const semiring s(cell.add, cell.multiply, cell.operand);
            SCOPED_TRACE(s.name());
            const std::optional<binary_op> accums[] = {std::nullopt, s.add().op(),
                                                       binary_op(binary_id::minus)};
            auto cases = matrix_battery(cell.operand, random);
            for (auto& larger : larger_matrices(cell.operand, random)) cases.push_back(std::move(larger));
            int turn = 0;
            for (const auto& [name, a] : cases) {
                const index_t columns =
                    std::array{1, 4, 8, 13, 16, 37, 64, 70, 160}[static_cast<std::size_t>(turn++ % 9)];
                const dictionary b = full_dictionary(a.columns, columns, cell.operand, random),
                                 c = full_dictionary(a.rows, columns, cell.operand, random);
                const matrix left = make_matrix(ctx, a, true);
                for (const auto& accum : accums) {
                    const dictionary expected = model_mxd(s, a, b, c, accum);
                    for (const auto kernel : device_kernels())
                        for (const dense_order b_order : both_orders)
                            for (const dense_order c_order : both_orders) {
                                dense_block in(b, b_order, turn % 3), out(c, c_order, turn % 2);
                                const dense_block before = out;
                                const dense_plan plan = mxd(ctx, out.view(), s, left, in.view(),
                                                            {.accum = accum, .kernel = kernel});
                                ASSERT_EQ(plan.kernel, kernel);
                                ASSERT_TRUE(plan.on_device);
                                ASSERT_EQ(difference(expected, out.read()), "")
                                    << name << ", " << kernel << ", " << columns << " columns, B by "
                                    << name_of(b_order) << "s, C by " << name_of(c_order) << "s, "
                                    << (accum ? accum->name() : "no accumulator");
                                ASSERT_TRUE(out.same_gaps(before)) << name << ", " << kernel;
                            }
                }
            }
        }
}

// Rows of no entry, of a few and of thousands; one of `longest`.
matrix uneven_on_device(const context& ctx, index_t rows, index_t columns, index_t longest,
                        std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row) {
        const auto n = row == rows / 3      ? longest
                       : row % 50 == 7      ? static_cast<index_t>(random() % 4000)
                       : row / 100 % 3 == 1 ? 0
                                            : static_cast<index_t>(random() % 40);
        for (index_t m = 0; m < n; ++m) {
            i.push_back(row);
            j.push_back(static_cast<index_t>(random() % static_cast<unsigned>(columns)));
            x.push_back(real(random));
        }
    }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}
// csr_merge adds the parts of a row in another order; the others have the reference's bits.
class DenseProducts : public MxdOnDevice {
protected:
    const context cpu{{.backend = backend::cpu, .threads = 2}};
    std::optional<context> gpu;

    void SetUp() override {
        MxdOnDevice::SetUp();
        if (!IsSkipped()) gpu.emplace(context_options{.backend = backend::cuda});
    }

    void compare(const matrix& a, index_t columns, bool wide_tiles) {
        const index_t rows = a.rows(), inner = a.columns();
        const auto offsets = a.csr<double>().offsets;
        const auto n = static_cast<std::size_t>(columns);
        const std::vector<double> b = reals(static_cast<std::size_t>(inner) * n, random),
                                  old = reals(static_cast<std::size_t>(rows) * n, random);
        const dense_view<const double> in{inner, columns, b};
        for (const auto* ring : {"plus_times_fp64", "plus_second_fp64", "min_plus_fp64"})
            for (const bool adds : {false, true}) {
                const semiring s(ring);
                const auto run = [&](const context& on, std::string_view kernel) {
                    std::vector<double> c = old;
                    dense_options o{.kernel = kernel};
                    if (adds) o.accum = s.add().op();
                    const dense_plan plan = mxd(on, dense_view<double>{rows, columns, c}, s, a, in, o);
                    EXPECT_EQ(plan.wide_tiles, wide_tiles && kernel == "csr_merge") << to_string(plan);
                    return c;
                };
                const std::vector<double> expected = run(cpu, "reference");
                for (const auto kernel : device_kernels()) {
                    SCOPED_TRACE(std::string(kernel) + " " + ring + " " + std::to_string(columns));
                    const std::vector<double> found = run(*gpu, kernel);
                    ASSERT_EQ(found, run(*gpu, kernel)) << "two runs differ";
                    if (kernel != "csr_merge") {
                        ASSERT_EQ(found, expected);
                        continue;
                    }
                    for (std::size_t k = 0; k < found.size(); ++k) {
                        if (found[k] == expected[k]) continue;  // infinities too
                        const auto i = k / n;
                        const auto entries = static_cast<double>(offsets[i + 1] - offsets[i]) + 1;
                        ASSERT_NEAR(found[k], expected[k], 2e-16 * entries * std::sqrt(entries) * 4)
                            << "row " << i << " of " << entries << ", column " << k % n;
                    }
                }
            }
    }
};

TEST_F(DenseProducts, RowsOfEveryLengthAreTheReferencesAndTwoRunsAreTheSame) {
    const matrix a = uneven_on_device(*gpu, 900, 150000, 100000, random);
    for (const index_t columns : {1, 8, 24, 64, 130}) compare(a, columns, false);
}

TEST_F(DenseProducts, FewRowsByTilesOfEveryWidthAreTheReferences) {
    const matrix a = uneven_on_device(*gpu, 60, 200, 200, random);
    for (const index_t columns : {3, 8, 16, 20, 32}) compare(a, columns, false);
    for (const index_t columns : {40, 64, 65}) compare(a, columns, true);
}

TEST_F(DenseProducts, MoreColumnsThanALaunchTakesAreTheReferences) {
    const matrix a = uneven_on_device(*gpu, 2, 2, 2, random);
    for (const index_t columns : {(1 << 19) + 3, (1 << 19) + 64}) compare(a, columns, false);
}

TEST_F(DenseProducts, TilesOfEveryWidthAreTheReferences) {
    const matrix a = uneven_on_device(*gpu, 900, 900, 900, random);
    for (const index_t columns : {2, 8, 12, 16, 30, 32}) compare(a, columns, false);
    for (const index_t columns : {34, 48, 64}) compare(a, columns, true);
    compare(a, 128, false);  // columns of A lie 300 from the diagonal: 1,024 bytes each are far
}

TEST_F(MxdOnDevice, KeepsNaNInfinityAndTheSignsOfZeros) {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const double odd[] = {nan, inf, -inf, -0.0, 0.0, 1};
    const context ctx({.backend = backend::cuda});
    std::vector<index_t> i, j;
    std::vector<double> x, b(36 * 9);
    for (index_t row = 0; row < 36; ++row)
        for (index_t column = 0; column < 36; ++column)
            if ((row * 7 + column * 5) % 4 == 1) {
                i.push_back(row);
                j.push_back(column);
                x.push_back(odd[(row * row + 3 * column) % 6]);
            }
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = odd[(k * 5 + k / 9) % 6];
    const auto a = matrix::build<double>(ctx, {36, 36, i, j, x});
    for (const auto kernel : device_kernels())
        for (const auto* ring : {"plus_times_fp64", "min_plus_fp64", "plus_second_fp64"})
            for (const dense_order order : both_orders) {
                std::vector<double> c(36 * 9, 3), expected = c;
                const dense_view<const double> in{36, 9, b, order};
                mxd(ctx, dense_view<double>{36, 9, c}, semiring(ring), a, in, {.kernel = kernel});
                mxd(ctx, dense_view<double>{36, 9, expected}, semiring(ring), a, in, {.kernel = "reference"});
                for (std::size_t k = 0; k < c.size(); ++k) {
                    ASSERT_EQ(std::isnan(c[k]), std::isnan(expected[k]))
                        << kernel << " " << ring << " at " << k;
                    if (std::isnan(c[k])) continue;
                    ASSERT_EQ(c[k], expected[k]) << kernel << " " << ring << " at " << k;
                    ASSERT_EQ(std::signbit(c[k]), std::signbit(expected[k]))
                        << kernel << " " << ring << " at " << k;
                }
            }
}

TEST_F(MxdOnDevice, OperandsInItsMemoryAreUsedWhereTheyLie) {
    const context ctx({.backend = backend::cuda});
    device::session& gpu = *ctx.gpu();
    const index_t rows = 300, inner = 5000, columns = 16;
    const matrix a = uneven_on_device(ctx, rows, inner, 3000, random);
    const std::vector<double> b = reals(static_cast<std::size_t>(inner) * columns, random);
    const buffer b_there(ctx.device_memory(), b.size() * 8), c_there(ctx.device_memory(), rows * columns * 8);
    gpu.upload(b_there.data(), b.data(), b_there.bytes());
    gpu.fill(c_there.data(), 0xff, c_there.bytes());
    gpu.wait();
    EXPECT_TRUE(gpu.holds(b_there.data()));
    EXPECT_FALSE(gpu.holds(b.data()));
    const dense_view<const double> in{inner, columns, b},
        in_there{inner, columns, {b_there.as<double>(), b.size()}};
    const dense_view<double> out_there{rows, columns, {c_there.as<double>(), rows * columns}};
    std::vector<double> expected(rows * columns), found(rows * columns);
    for (const auto kernel : device_kernels()) {
        mxd(ctx, dense_view<double>{rows, columns, expected}, semiring("plus_times"), a, in,
            {.kernel = kernel});
        const dense_plan plan = mxd(ctx, out_there, semiring("plus_times"), a, in_there, {.kernel = kernel});
        EXPECT_FALSE(plan.packs_second || plan.stages_result);
        gpu.download(found.data(), c_there.data(), c_there.bytes());
        EXPECT_EQ(found, expected) << kernel;
        std::ranges::fill(found, 0);
        mxd(ctx, dense_view<double>{rows, columns, found}, semiring("plus_times"), a, in_there,
            {.kernel = kernel});
        EXPECT_EQ(found, expected) << "B there, C here";
    }
    EXPECT_EQ(mxd(ctx, out_there, semiring("plus_minus_fp64"), a, in_there).kernel, "composed");
}

TEST_F(MxdOnDevice, TransposesConvertsAndRefusesWhatTheCpuDoes) {
    const context ctx({.backend = backend::cuda});
    const dictionary a = random_dictionary(33, 20, 0.2, dtype::int8, random),
                     b = full_dictionary(20, 11, dtype::float64, random),
                     c = full_dictionary(33, 11, dtype::float32, random);
    for (const bool left : {false, true})
        for (const bool right : {false, true}) {
            dense_block in(right ? transposed(b) : b, dense_order::row_major), out(c, dense_order::row_major);
            const dense_plan plan =
                mxd(ctx, out.view(), semiring("plus_times"), make_matrix(ctx, left ? transposed(a) : a),
                    in.view(), {.transpose_a = left, .transpose_b = right});
            EXPECT_TRUE(plan.on_device && plan.converts_matrix && plan.stages_result) << to_string(plan);
            ASSERT_EQ(difference(model_mxd(semiring("plus_times"), a, b, c, {}), out.read()), "")
                << left << right;
        }
    dense_block in(b, dense_order::row_major),
        short_out(full_dictionary(32, 11, dtype::float64, random), dense_order::row_major);
    EXPECT_THROW(mxd(ctx, short_out.view(), semiring("plus_times"), make_matrix(ctx, a), in.view()),
                 dimension_mismatch);
}

}  // namespace
}  // namespace nz::test
