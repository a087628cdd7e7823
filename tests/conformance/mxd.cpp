// mxd: every compiled semiring and every kernel id, pinned through the plan, against the dictionary model over the battery,
// orders, strides, accumulators, transposes and thread counts; every other semiring and type on the generic path; and bit for
// bit against the reference on values whose sums round.
#include "instantiate/dense_cells.hpp"
#include "kernels/kernel_ids.hpp"
#include "support/battery.hpp"
#include "support/dense.hpp"
#include "support/kernels.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nz::test {
namespace {

constexpr unsigned mxd_seed = 20261123;

struct mxd_cell_case {
    const instantiate::dense_cell* cell;
    semiring ring() const { return {cell->add, cell->multiply, cell->operand}; }
};
std::vector<mxd_cell_case> all_mxd_cells() {
    std::vector<mxd_cell_case> cases;
    for (const auto group : {instantiate::arithmetic_dense(), instantiate::tropical_dense()})
        for (const auto& cell : group) cases.push_back({&cell});
    return cases;
}

TEST(DenseManifest, HasPlusTimesInFloatAndDoubleAndCellsOfMxvAlone) {
    for (const dtype type : {dtype::float32, dtype::float64})
        EXPECT_NE(instantiate::find_dense_cell(binary_id::plus, binary_id::times, type), nullptr);
    for (const auto& c : all_mxd_cells())
        EXPECT_NE(instantiate::find_mxv_cell(c.cell->add, c.cell->multiply, c.cell->operand), nullptr);
}

class CompiledMxd : public ::testing::TestWithParam<mxd_cell_case> {};
INSTANTIATE_TEST_SUITE_P(Every, CompiledMxd, ::testing::ValuesIn(all_mxd_cells()),
                         [](const auto& info) { return info.param.ring().name(); });

TEST_P(CompiledMxd, OfEveryKernelAgreesWithTheModelOverTheBatteryInEveryOrder) {
    std::mt19937 random(mxd_seed);
    SCOPED_TRACE("seed " + std::to_string(mxd_seed));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    const std::optional<binary_op> accums[] = {std::nullopt, s.add().op(), binary_op(binary_id::minus)};
    auto cases = matrix_battery(type, random);
    for (auto& larger : larger_matrices(type, random)) cases.push_back(std::move(larger));
    int turn = 0;
    for (const auto& [name, a] : cases) {
        const index_t columns = std::array{1, 3, 8, 13, 37, 70}[static_cast<std::size_t>(turn++ % 6)];
        const dictionary b = full_dictionary(a.columns, columns, type, random),
                         c = full_dictionary(a.rows, columns, GetParam().cell->value, random);
        for (const auto& accum : accums) {
            const dictionary expected = model_mxd(s, a, b, c, accum);
            for (const int threads : {1, 3}) {
                const context ctx({.backend = backend::cpu, .threads = threads});
                const matrix left = make_matrix(ctx, a, true);
                for (const auto kernel : kernels_on_cpu("mxd"))
                    for (const dense_order b_order : both_orders)
                        for (const dense_order c_order : both_orders) {
                            dense_block in(b, b_order, turn % 3), out(c, c_order, turn % 2);
                            const dense_block before = out;
                            const dense_plan plan =
                                mxd(ctx, out.view(), s, left, in.view(), {.accum = accum, .kernel = kernel});
                            ASSERT_EQ(plan.kernel, kernel);
                            ASSERT_EQ(plan.tier, tier::compiled);
                            ASSERT_EQ(difference(expected, out.read()), "")
                                << name << ", " << kernel << ", " << threads << " threads, B by "
                                << name_of(b_order) << "s, C by " << name_of(c_order) << "s, "
                                << (accum ? accum->name() : "no accumulator");
                            ASSERT_TRUE(out.same_gaps(before)) << name << ", " << kernel;
                        }
            }
        }
    }
}

class EveryMxd : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Mxd, EveryMxd, ::testing::ValuesIn(kernels_on_cpu("mxd")),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(EveryMxd, TransposesEitherSide) {
    std::mt19937 random(mxd_seed + 1);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const semiring s("plus_times_fp64");
    const dictionary a = random_dictionary(33, 20, 0.2, dtype::float64, random),
                     b = full_dictionary(20, 11, dtype::float64, random),
                     c = full_dictionary(33, 11, dtype::float64, random);
    const dictionary expected = model_mxd(s, a, b, c, {});
    for (const bool left : {false, true})
        for (const bool right : {false, true})
            for (const dense_order order : both_orders) {
                dense_block in(right ? transposed(b) : b, order), out(c, dense_order::row_major);
                const dense_plan plan =
                    mxd(ctx, out.view(), s, make_matrix(ctx, left ? transposed(a) : a), in.view(),
                        {.transpose_a = left, .transpose_b = right, .kernel = GetParam()});
                EXPECT_EQ(plan.reads_transpose, left);
                EXPECT_EQ(plan.builds_transpose, left);
                ASSERT_EQ(difference(expected, out.read()), "") << left << right;
            }
}

TEST_P(EveryMxd, ConvertsOperandsOfOtherTypes) {
    std::mt19937 random(mxd_seed + 2);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const semiring s("plus_times");
    const dictionary a = random_dictionary(40, 30, 0.2, dtype::int8, random),
                     b = full_dictionary(30, 9, dtype::float64, random);
    for (const dtype type : {dtype::float32, dtype::int16, dtype::float64})
        for (const auto& accum : {std::optional<binary_op>(), std::optional<binary_op>(binary_id::max)}) {
            const dictionary c = full_dictionary(40, 9, type, random);
            dense_block in(b, dense_order::column_major), out(c, dense_order::column_major);
            const dense_plan plan = mxd(ctx, out.view(), s, make_matrix(ctx, a), in.view(),
                                        {.accum = accum, .kernel = GetParam()});
            EXPECT_TRUE(plan.converts_matrix);
            EXPECT_EQ(plan.stages_result, accum || type != dtype::float64);
            EXPECT_EQ(difference(model_mxd(s, a, b, c, accum), out.read()), "") << name_of(type);
        }
    dense_block in(full_dictionary(30, 4, dtype::uint8, random), dense_order::row_major),
        out(full_dictionary(40, 4, dtype::float64, random), dense_order::row_major);
    EXPECT_TRUE(mxd(ctx, out.view(), semiring("plus_times_fp64"), make_matrix(ctx, a), in.view(),
                    {.kernel = GetParam()})
                    .packs_second);
}

// Rows of no entry, of one and of thousands: one holds more than a thread's share.
matrix mxd_operand(const context& ctx, index_t rows, index_t columns, index_t longest, std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row) {
        const auto n = row == rows / 3 ? longest : static_cast<index_t>(random() % 7);
        for (index_t m = 0; m < n; ++m) {
            i.push_back(row);
            j.push_back(static_cast<index_t>(random() % static_cast<unsigned>(columns)));
            x.push_back(real(random));
        }
    }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}
TEST_P(EveryMxd, IsTheReferencesBitForBitButForRowsThatAreSplit) {
    std::mt19937 random(mxd_seed + 3);
    for (const int threads : {1, 2, 5}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const index_t rows = 700, inner = 3000, longest = 2500;
        const matrix a = mxd_operand(ctx, rows, inner, longest, random);
        for (const index_t columns : {1, 7, 64, 101}) {
            const auto n = static_cast<std::size_t>(columns);
            const std::vector<double> b = reals(inner * n, random);
            for (const auto* ring : {"plus_times_fp64", "plus_second_fp64", "min_plus_fp64"})
                for (const dense_order order : both_orders) {
                    std::vector<double> c(rows * n), expected(rows * n);
                    const dense_view<const double> in{inner, columns, b, order};
                    mxd(ctx, dense_view<double>{rows, columns, c}, semiring(ring), a, in,
                        {.kernel = GetParam()});
                    mxd(ctx, dense_view<double>{rows, columns, expected}, semiring(ring), a, in,
                        {.kernel = "reference"});
                    const auto offsets = a.csr<double>().offsets;
                    int others = 0;
                    for (index_t i = 0; i < rows; ++i) {
                        bool same = true;
                        const double bound =
                            1e-16 * (offsets[i + 1] - offsets[i]) * (offsets[i + 1] - offsets[i]);
                        for (std::size_t j = 0; j < n; ++j) {
                            const std::size_t at = static_cast<std::size_t>(i) * n + j;
                            same = same && c[at] == expected[at];
                            if (c[at] != expected[at]) {
                                ASSERT_NEAR(c[at], expected[at], bound) << ring << " row " << i;
                            }
                        }
                        others += !same;
                    }
                    EXPECT_LE(others, GetParam() == "csr_merge" ? threads - 1 : 0)
                        << ring << ", " << threads << " threads, " << columns << " columns";
                    std::vector<double> again(rows * n);
                    mxd(ctx, dense_view<double>{rows, columns, again}, semiring(ring), a, in,
                        {.kernel = GetParam()});
                    EXPECT_EQ(c, again) << "two runs differ";
                }
        }
    }
}

TEST_P(EveryMxd, SplitsOneRowOverManyThreads) {
    const context ctx({.backend = backend::cpu, .threads = 7});
    const index_t inner = 40000;
    std::vector<std::int32_t> offsets = {0, 0, inner, inner, inner};
    std::vector<index_t> indices(inner);
    for (index_t k = 0; k < inner; ++k) indices[static_cast<std::size_t>(k)] = k;
    const auto a = matrix::from_csr<double, std::int32_t>(ctx, {4, inner, offsets, indices, {}});
    const std::vector<double> b(static_cast<std::size_t>(inner) * 2, 1);
    std::vector<double> c(8, 5);
    mxd(ctx, dense_view<double>{4, 2, c}, semiring("plus_times"), a, dense_view<const double>{inner, 2, b},
        {.kernel = GetParam()});
    EXPECT_EQ(c, (std::vector<double>{0, 0, inner, inner, 0, 0, 0, 0}));
    mxd(ctx, dense_view<double>{4, 2, c}, semiring("plus_times"), a, dense_view<const double>{inner, 2, b},
        {.accum = binary_id::plus, .kernel = GetParam()});
    EXPECT_EQ(c, (std::vector<double>{0, 0, 2. * inner, 2. * inner, 0, 0, 0, 0}));
}

TEST_P(EveryMxd, KeepsNaNInfinityAndTheSignsOfZeros) {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const double odd[] = {nan, inf, -inf, -0.0, 0.0, 1};
    const context ctx({.backend = backend::cpu, .threads = 2});
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
    for (const auto* ring : {"plus_times_fp64", "min_plus_fp64", "plus_second_fp64"})
        for (const dense_order order : both_orders) {
            std::vector<double> c(36 * 9, 3), expected = c;
            const dense_view<const double> in{36, 9, b, order};
            mxd(ctx, dense_view<double>{36, 9, c}, semiring(ring), a, in, {.kernel = GetParam()});
            mxd(ctx, dense_view<double>{36, 9, expected}, semiring(ring), a, in, {.kernel = "reference"});
            for (std::size_t k = 0; k < c.size(); ++k) {
                ASSERT_EQ(std::isnan(c[k]), std::isnan(expected[k])) << ring << " at " << k;
                if (std::isnan(c[k])) continue;
                ASSERT_EQ(c[k], expected[k]) << ring << " at " << k;
                ASSERT_EQ(std::signbit(c[k]), std::signbit(expected[k])) << ring << " at " << k;
            }
        }
}

TEST_P(EveryMxd, ReadsWideOffsetsLikeNarrowOnes) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const std::vector<std::int64_t> offsets = {0, 2, 2, 5};
    const std::vector<index_t> columns = {0, 2, 0, 1, 2};
    const std::vector<double> values = {1, 2, 3, 4, 5}, b = {1, 2, 3, 4, 5, 6};
    const auto a = matrix::from_csr<double, std::int64_t>(ctx, {3, 3, offsets, columns, values});
    std::vector<double> c(6, 9);
    mxd(ctx, dense_view<double>{3, 2, c}, semiring("plus_times"), a, dense_view<const double>{3, 2, b},
        {.kernel = GetParam()});
    EXPECT_EQ(c, (std::vector<double>{11, 14, 0, 0, 40, 52}));
}

TEST_P(EveryMxd, OfEmptyMatricesWritesEmptySums) {
    const context ctx({.backend = backend::cpu, .threads = 3});
    for (const auto& [rows, inner, columns] :
         {std::array{0, 4, 3}, {4, 0, 3}, {4, 3, 0}, {0, 0, 0}, {4, 3, 5}}) {
        const matrix a(ctx, dtype::float64, rows, inner);
        std::vector<double> c(static_cast<std::size_t>(rows) * columns, 7);
        const std::vector<double> b(static_cast<std::size_t>(inner) * columns, 1);
        const dense_view<double> out{rows, columns, c};
        const dense_view<const double> in{inner, columns, b};
        mxd(ctx, out, semiring("plus_times"), a, in, {.accum = binary_id::plus, .kernel = GetParam()});
        EXPECT_EQ(c, std::vector<double>(c.size(), 7)) << "rows without entries stay";
        mxd(ctx, out, semiring("min_plus"), a, in, {.kernel = GetParam()});
        EXPECT_EQ(c, std::vector<double>(c.size(), std::numeric_limits<double>::infinity()));
        mxd(ctx, out, semiring("plus_times"), a, in, {.kernel = GetParam()});
        EXPECT_EQ(c, std::vector<double>(c.size(), 0));
    }
}

TEST_P(EveryMxd, NamesTheBytesNeededWhereTheLimitIsTooSmallAndLeavesC) {
    const context tight({.backend = backend::cpu, .threads = 2, .memory_limit = 100000});
    std::mt19937 random(mxd_seed + 4);
    const matrix a = make_matrix(tight, random_dictionary(300, 300, 0.02, dtype::float64, random));
    const std::vector<float> b(300 * 64, 1);  // B is converted: 153,600 bytes
    std::vector<double> c(300 * 64, 4);
    try {
        mxd(tight, dense_view<double>{300, 64, c}, semiring("plus_times"), a,
            dense_view<const float>{300, 64, b}, {.kernel = GetParam()});
        FAIL() << "no error";
    } catch (const out_of_memory& e) {
        EXPECT_NE(std::string(e.what()).find("bytes needed"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("limit of 100000"), std::string::npos) << e.what();
    }
    EXPECT_EQ(c, std::vector<double>(c.size(), 4));
    // A B by columns is packed only where that fits.
    const std::vector<double> wide(300 * 64, 1);
    const dense_view<const double> by_columns{300, 64, wide, dense_order::column_major};
    const dense_view<double> out{300, 64, c};
    const auto place = [&](const context& ctx) {
        return mxd(ctx, out, semiring("plus_times"), a, by_columns, {.kernel = GetParam()});
    };
    const dense_plan in_place = place(tight);
    const std::vector<double> first = c;
    EXPECT_FALSE(in_place.packs_second);
    EXPECT_TRUE(place(context({.backend = backend::cpu, .threads = 2})).packs_second);
    EXPECT_EQ(first, c);
}

class GenericMxd : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(EveryType, GenericMxd, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GenericMxd, EverySemiringMultipliesAsTheModelSays) {
    std::mt19937 random(mxd_seed + 5);
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const std::string& name : semiring_names()) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dictionary a = random_dictionary(7, 9, 0.3, GetParam(), random),
                         b = full_dictionary(9, 3, GetParam(), random),
                         c = full_dictionary(7, 3, GetParam(), random);
        const matrix left = make_matrix(ctx, a, true);
        dense_block in(b, both_orders[random() % 2]), out(c, both_orders[random() % 2]), plain = out;
        dictionary expected;
        try {
            expected = model_mxd(s, a, b, c, {});
        } catch (const domain_error&) {
            EXPECT_THROW(mxd(ctx, out.view(), s, left, in.view()), domain_error);
            continue;
        }
        const dense_plan plan = mxd(ctx, out.view(), s, left, in.view());
        const bool compiled = mxd_is_compiled(s, GetParam(), GetParam());
        EXPECT_EQ(plan.tier, compiled ? tier::compiled : tier::generic);
        EXPECT_EQ(plan.kernel == "generic", !compiled);
        ASSERT_EQ(difference(expected, out.read()), "");
        mxd(ctx, plain.view(), s, left, in.view(), {.kernel = "reference"});
        ASSERT_EQ(difference(expected, plain.read()), "");
        if (!compiled) {
            EXPECT_THROW(mxd(ctx, out.view(), s, left, in.view(), {.kernel = "csr_tiled"}), not_supported);
        } else {
            mxd(ctx, out.view(), s, left, in.view(), {.kernel = "csr_merge"});
            ASSERT_EQ(difference(expected, out.read()), "");
        }
    }
}

TEST(MxdOfMixedTypes, IsComputedInTheTypeThatBothPromoteTo) {
    std::mt19937 random(mxd_seed + 6);
    const context ctx;
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const semiring s(round % 2 ? "plus_times" : "min_plus");
        const dictionary a = random_dictionary(6, 8, 0.4, any_type(random), random),
                         b = full_dictionary(8, 3, any_type(random), random),
                         c = full_dictionary(6, 3, any_type(random), random);
        std::optional<binary_op> accum;
        if (round % 3) accum = round % 3 == 1 ? s.add().op() : binary_op(binary_id::first);
        dense_block in(b, both_orders[random() % 2], 1), out(c, both_orders[random() % 2]);
        mxd(ctx, out.view(), s, make_matrix(ctx, a, true), in.view(), {.accum = accum});
        ASSERT_EQ(difference(model_mxd(s, a, b, c, accum), out.read()), "");
    }
}

TEST(MxdOfOnesOwnOperators, RunsOnTheGenericPath) {
    const context ctx;
    const auto distance =
        binary_op::make<double>("distance", [](double x, double y) { return std::abs(x - y); });
    const semiring s(monoid(binary_id::max), distance);
    const std::vector<std::int32_t> offsets = {0, 2, 2};
    const std::vector<index_t> columns = {0, 1};
    const std::vector<double> values = {1, 9}, b = {4, 2};
    const auto a = matrix::from_csr<double, std::int32_t>(ctx, {2, 2, offsets, columns, values});
    std::vector<double> c(2);
    const dense_plan plan = mxd(ctx, dense_view<double>{2, 1, c}, s, a, dense_view<const double>{2, 1, b});
    EXPECT_EQ(plan.tier, tier::generic);
    EXPECT_EQ(c, (std::vector<double>{7, -std::numeric_limits<double>::infinity()}));
}

}  // namespace
}  // namespace nz::test
