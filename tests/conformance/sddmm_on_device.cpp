// Sampled dense-dense products on a GPU: every compiled semiring against the dictionary model over masks and orders, sums of every
// length against the reference, masks by value, accumulators, and operands that lie in the GPU's memory. Skips where there is no GPU.
#include "instantiate/dense_device_cells.hpp"
#include "support/dense_on_device.hpp"
#include "support/sddmm.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nz::test {
namespace {

constexpr unsigned sddmm_device_seed = 20261123;

class SddmmOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{sddmm_device_seed};
};

TEST_F(SddmmOnDevice, EverySemiringAgreesWithTheModelOverTheBatteryInEveryOrder) {
    const context ctx({.backend = backend::cuda});
    for (const auto group : {instantiate::arithmetic_device_dense(), instantiate::tropical_device_dense()})
        for (const auto& cell : group) {
            const semiring s(cell.add, cell.multiply, cell.operand);
            SCOPED_TRACE(s.name());
            auto masks = matrix_battery(cell.operand, random);
            for (auto& larger : larger_matrices(cell.operand, random)) masks.push_back(std::move(larger));
            int turn = 0;
            for (const auto& [name, m] : masks) {
                const index_t inner = std::array{1, 3, 8, 17, 37, 130}[static_cast<std::size_t>(turn++ % 6)];
                const dictionary x = full_dictionary(m.rows, inner, cell.operand, random),
                                 y = full_dictionary(inner, m.columns, cell.operand, random),
                                 t = model_mxm(s, x, y);
                const dictionary nothing{m.rows, m.columns, cell.operand, {}},
                    expected = write(nothing, t, {&m, true, false, false, {}});
                const matrix mask = make_matrix(ctx, m, true);
                for (const dense_order x_order : both_orders)
                    for (const dense_order y_order : both_orders) {
                        dense_block left(x, x_order, turn % 3), right(y, y_order, turn % 2);
                        matrix c(ctx, cell.operand, m.rows, m.columns);
                        const dense_plan plan = sddmm(ctx, c, s, left.view(), right.view(), mask,
                                                      {.mask_structure = true, .kernel = "row_dot"});
                        ASSERT_TRUE(plan.on_device) << to_string(plan);
                        ASSERT_TRUE(same(expected, c)) << name << ", " << inner << " products";
                    }
            }
        }
}

TEST_F(SddmmOnDevice, ObeysValuesOfTheMaskAccumulatorsAndReplaceAndMayWriteToItsMask) {
    check_sddmm_writing(context({.backend = backend::cuda}), "row_dot", random);
}

TEST_F(SddmmOnDevice, TransposesEitherSideAndConvertsTypes) {
    check_sddmm_transposes(context({.backend = backend::cuda}), "row_dot", random);
}

// Long empty stretches of rows, and one row with most places: a search for the row, and steps over many.
matrix uneven_places(const context& ctx, index_t n) {
    std::vector<index_t> i, j;
    for (index_t row = 0; row < n; ++row) {
        const index_t here = row == n / 3 ? n : row % 700 < 5 ? 40 : row / 1000 % 2 ? 0 : 3;
        for (index_t k = 0; k < here; ++k) {
            i.push_back(row);
            j.push_back(static_cast<index_t>(std::int64_t{row} * 31 + std::int64_t{k} * (n / here)) % n);
        }
    }
    return matrix::build<double>(ctx, {n, n, i, j, {}}, binary_id::first);
}

TEST_F(SddmmOnDevice, SumsOfEveryLengthStayWithinTheirBoundAndTwoRunsAreTheSame) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    const index_t n = 6000;
    const matrix mask = uneven_places(ctx, n);
    for (const index_t inner : {1, 16, 17, 128, 129, 515}) {
        const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(inner);
        const std::vector<double> x = reals(size, random), y = reals(size, random);
        const dense_view<const double> left{n, inner, x}, right{inner, n, y};
        for (const auto* ring : {"plus_times", "min_plus"}) {
            const auto run = [&](const context& on, std::string_view kernel) {
                matrix c(on, dtype::float64, n, n);
                sddmm(on, c, semiring(ring), left, right, mask, {.mask_structure = true, .kernel = kernel});
                const auto view = c.csr<double>();
                EXPECT_EQ(static_cast<offset_t>(view.columns.size()), mask.nnz());
                return std::vector<double>(view.values.begin(), view.values.end());
            };
            const auto found = run(ctx, "row_dot"), expected = run(cpu, "reference");
            ASSERT_EQ(found, run(ctx, "row_dot")) << "two runs differ";
            for (std::size_t k = 0; k < found.size(); ++k)
                ASSERT_NEAR(found[k], expected[k],
                            std::string_view(ring) == "min_plus"
                                ? 0
                                : inner * inner * std::numeric_limits<double>::epsilon())
                    << ring << ", " << inner << " products, place " << k;
        }
    }
}

TEST_F(SddmmOnDevice, KeepsNaNAndInfinityAndOfEmptyOperandsHasNoEntries) {
    const context ctx({.backend = backend::cuda});
    check_sddmm_of_nan_and_infinity(ctx, "row_dot");
    const std::vector<double> x = {1, 2, 3, 4}, none;
    const std::vector<index_t> i = {0, 0, 1}, j = {0, 1, 1};
    const auto mask = matrix::build<double>(ctx, {2, 2, i, j, {}});
    matrix c = mask;
    sddmm(ctx, c, semiring("plus_times"), dense_view<const double>{2, 0, none},
          dense_view<const double>{0, 2, none}, mask, {.mask_structure = true, .replace = true});
    EXPECT_EQ(c.nnz(), 0);
    sddmm(ctx, c, semiring("plus_times"), dense_view<const double>{2, 2, x},
          dense_view<const double>{2, 2, x}, matrix(ctx, dtype::float64, 2, 2), {.replace = true});
    EXPECT_EQ(c.nnz(), 0);
}

TEST_F(SddmmOnDevice, OperandsInItsMemoryAreUsedWhereTheyLie) {
    const context ctx({.backend = backend::cuda});
    device::session& gpu = *ctx.gpu();
    const index_t n = 700, inner = 24;
    const auto size = static_cast<std::size_t>(n * inner);
    const matrix mask = uneven_places(ctx, n);
    const std::vector<double> x = reals(size, random), y = reals(size, random);
    const buffer x_there(ctx.device_memory(), size * 8), y_there(ctx.device_memory(), size * 8);
    gpu.upload(x_there.data(), x.data(), size * 8);
    gpu.upload(y_there.data(), y.data(), size * 8);
    gpu.wait();
    const dense_view<const double> left{n, inner, x}, left_there{n, inner, {x_there.as<double>(), size}};
    for (const dense_order order : both_orders) {  // by rows Y is packed there
        const dense_view<const double> right{inner, n, y, order},
            right_there{inner, n, {y_there.as<double>(), size}, order};
        matrix c(ctx, dtype::float64, n, n), there = c, mixed = c;
        sddmm(ctx, c, semiring("plus_times"), left, right, mask, {.mask_structure = true});
        sddmm(ctx, there, semiring("plus_times"), left_there, right_there, mask, {.mask_structure = true});
        sddmm(ctx, mixed, semiring("plus_times"), left_there, right, mask, {.mask_structure = true});
        EXPECT_EQ(read(c).entries, read(there).entries);
        EXPECT_EQ(read(c).entries, read(mixed).entries);
        // A conversion there; what is not compiled, and what is asked of the host, from copies.
        for (const auto& [ring, kernel] :
             {std::pair("plus_times_fp32", ""), std::pair("plus_times_int16", ""),
              std::pair("plus_minus", ""), std::pair("plus_times", "reference")}) {
            matrix d(ctx, dtype::float64, n, n), e = d;
            const dense_options pinned{.mask_structure = true, .kernel = kernel};
            sddmm(ctx, d, semiring(ring), left_there, right_there, mask, pinned);
            sddmm(ctx, e, semiring(ring), left, right, mask, pinned);
            EXPECT_EQ(read(d).entries, read(e).entries) << ring << kernel;
        }
    }
}

// Lines apart, in any order and type, transposed or not: packed, converted or both there.
TEST_F(SddmmOnDevice, OperandsInItsMemoryAgreeWithTheModel) {
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times");
    for (const auto& [of_x, of_y] :
         {std::pair(dtype::float64, dtype::float64), std::pair(dtype::float32, dtype::float32),
          std::pair(dtype::int8, dtype::float64), std::pair(dtype::float32, dtype::int64),
          std::pair(dtype::int64, dtype::int64), std::pair(dtype::boolean, dtype::float64)}) {
        const dictionary x = full_dictionary(30, 11, of_x, random), y = full_dictionary(11, 26, of_y, random),
                         m = random_dictionary(30, 26, 0.3, dtype::boolean, random), t = model_mxm(s, x, y);
        const matrix mask = make_matrix(ctx, m);
        for (const dense_order in : both_orders)
            for (const dense_order second : both_orders)
                for (const bool a : {false, true})
                    for (const bool b : {false, true}) {
                        dense_block left(a ? transposed(x) : x, in, 3),
                            right(b ? transposed(y) : y, second, 2);
                        const block_there left_there(ctx, left), right_there(ctx, right);
                        matrix c(ctx, t.type, 30, 26);
                        const auto plan = sddmm(ctx, c, s, left_there.view(), right_there.view(), mask,
                                                {.transpose_a = a, .transpose_b = b});
                        EXPECT_TRUE(plan.on_device || !is_floating(s.operand_type(of_x, of_y)))
                            << to_string(plan);
                        ASSERT_TRUE(same(write({30, 26, t.type, {}}, t, {&m, false, false, false, {}}), c))
                            << name_of(of_x) << " " << name_of(of_y) << " " << a << b;
                    }
    }
}

}  // namespace
}  // namespace nz::test
