// sddmm: every compiled semiring and kernel, pinned, against the dictionary model over masks, orders, accumulators, transposes
// and thread counts; other semirings and types on the generic path.
#include "support/sddmm.hpp"

#include "instantiate/dense_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nz::test {
namespace {

constexpr unsigned sddmm_seed = 20261124;

std::vector<semiring> all_rings() {
    std::vector<semiring> rings;
    for (const auto group : {instantiate::arithmetic_dense(), instantiate::tropical_dense()})
        for (const auto& cell : group) rings.emplace_back(cell.add, cell.multiply, cell.operand);
    return rings;
}

class CompiledSddmm : public ::testing::TestWithParam<semiring> {};
INSTANTIATE_TEST_SUITE_P(Every, CompiledSddmm, ::testing::ValuesIn(all_rings()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(CompiledSddmm, AgreesWithTheModelOverTheBatteryInEveryOrder) {
    std::mt19937 random(sddmm_seed);
    SCOPED_TRACE("seed " + std::to_string(sddmm_seed));
    const semiring s = GetParam();
    const dtype type = *s.pinned_type();
    auto masks = matrix_battery(type, random);
    for (auto& larger : larger_matrices(type, random)) masks.push_back(std::move(larger));
    int turn = 0;
    for (const auto& [name, m] : masks) {
        const index_t inner = std::array{1, 3, 8, 16, 37, 70}[static_cast<std::size_t>(turn++ % 6)];
        const dictionary x = full_dictionary(m.rows, inner, type, random),
                         y = full_dictionary(inner, m.columns, type, random), t = model_mxm(s, x, y);
        const writing how{&m, true, false, false, {}};
        const dictionary nothing{m.rows, m.columns, type, {}}, expected = write(nothing, t, how);
        for (const int threads : {1, 3}) {
            const context ctx({.backend = backend::cpu, .threads = threads});
            const matrix mask = make_matrix(ctx, m, true);
            for (const dense_order x_order : both_orders)
                for (const dense_order y_order : both_orders) {
                    dense_block left(x, x_order, turn % 3), right(y, y_order, turn % 2);
                    matrix c(ctx, type, m.rows, m.columns);
                    const dense_plan plan = sddmm(ctx, c, s, left.view(), right.view(), mask,
                                                  {.mask_structure = true, .kernel = "row_dot"});
                    ASSERT_EQ(plan.kernel, "row_dot");
                    ASSERT_EQ(plan.tier, tier::compiled);
                    ASSERT_TRUE(same(expected, c))
                        << name << ", " << threads << " threads, " << inner << " products";
                }
        }
    }
}

class Sddmm : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Sddmm, ::testing::Values("row_dot", "reference"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Sddmm, ObeysValuesOfTheMaskAccumulatorsAndReplaceAndMayWriteToItsMask) {
    std::mt19937 random(sddmm_seed + 1);
    check_sddmm_writing(context({.backend = backend::cpu, .threads = 2}), GetParam(), random);
}

TEST_P(Sddmm, TransposesEitherSideAndConvertsTypes) {
    std::mt19937 random(sddmm_seed + 2);
    check_sddmm_transposes(context({.backend = backend::cpu, .threads = 2}), GetParam(), random);
}

TEST_P(Sddmm, OfEmptyOperandsHasNoEntries) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    std::mt19937 random(sddmm_seed + 3);
    const matrix mask = make_matrix(ctx, random_dictionary(4, 5, 1, dtype::float64, random));
    const std::vector<double> none;
    matrix c = mask;
    sddmm(ctx, c, semiring("plus_times"), dense_view<const double>{4, 0, none},
          dense_view<const double>{0, 5, none}, mask, {.mask_structure = true, .kernel = GetParam()});
    EXPECT_EQ(c.nnz(), 0);
    const std::vector<double> ones(20, 1);
    sddmm(ctx, c, semiring("plus_times"), dense_view<const double>{4, 4, {ones.data(), 16}},
          dense_view<const double>{4, 5, ones}, matrix(ctx, dtype::float64, 4, 5), {.kernel = GetParam()});
    EXPECT_EQ(c.nnz(), 0);
}

TEST_P(Sddmm, KeepsNaNAndInfinity) {
    check_sddmm_of_nan_and_infinity(context({.backend = backend::cpu, .threads = 2}), GetParam());
}

TEST(SddmmSums, DoNotDependOnThreadsAndStayWithinTheirBound) {
    std::mt19937 random(sddmm_seed + 4);
    std::uniform_real_distribution<double> real(-1, 1);
    const index_t n = 400, inner = 203;
    std::vector<double> x(n * inner), y(inner * n);
    for (auto* v : {&x, &y})
        for (double& value : *v) value = real(random);
    const dictionary m = random_dictionary(n, n, 0.1, dtype::boolean, random);
    std::optional<dictionary> first;
    for (const int threads : {1, 2, 5}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const matrix mask = make_matrix(ctx, m);
        const dense_view<const double> left{n, inner, x}, right{inner, n, y};
        matrix c(ctx, dtype::float64, n, n), expected = c;
        EXPECT_TRUE(sddmm(ctx, c, semiring("plus_times"), left, right, mask).packs_second);
        sddmm(ctx, expected, semiring("plus_times"), left, right, mask, {.kernel = "reference"});
        const dictionary found = read(c), plain = read(expected);
        ASSERT_EQ(found.entries.size(), plain.entries.size());
        for (const auto& [at, bits] : plain.entries)
            ASSERT_NEAR(from_element<double>(found.entries.at(at)), from_element<double>(bits),
                        inner * inner * std::numeric_limits<double>::epsilon());
        if (!first) first = found;
        EXPECT_EQ(first->entries, found.entries) << threads << " threads";
    }
}

// Both operands against their order, each copied where there is room; what is left has to hold the result too.
TEST(SddmmUnderALimit, CopiesOnlyWhatLeavesRoomForTheResult) {
    constexpr index_t n = 200;
    const std::vector<double> x(n * n, 1.0), y(n * n, 2.0);
    const context roomy({.backend = backend::cpu, .threads = 2});
    const matrix mask = load(roomy, "random:200,50").matrix;
    const auto sampled = [&](std::size_t limit) {
        const context ctx({.backend = backend::cpu, .threads = 2, .memory_limit = limit});
        matrix c(ctx, dtype::float64, n, n);
        const dense_plan plan = sddmm(ctx, c, semiring("plus_times"),
                                      dense_view<const double>{n, n, x, dense_order::column_major},
                                      dense_view<const double>{n, n, y, dense_order::row_major}, mask);
        EXPECT_EQ(c.nnz(), 10000);
        EXPECT_EQ(c.get(0, mask.csr<double>().columns[0]), scalar(2.0 * n));
        return static_cast<int>(plan.packs_first) + static_cast<int>(plan.packs_second);
    };
    const std::size_t operand = n * n * sizeof(double), result = 10000 * 12;
    EXPECT_EQ(sampled(0), 2);
    EXPECT_EQ(sampled(2 * operand + 3 * result), 2);
    EXPECT_EQ(sampled(2 * operand + result / 2), 1) << "both fit, but not the result beside them";
    EXPECT_EQ(sampled(operand + result / 2), 0);
}

class GenericSddmm : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(EveryType, GenericSddmm, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GenericSddmm, EverySemiringSamplesAsTheModelSays) {
    std::mt19937 random(sddmm_seed + 5);
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const std::string& name : semiring_names()) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dictionary x = full_dictionary(5, 4, GetParam(), random),
                         y = full_dictionary(4, 6, GetParam(), random),
                         m = random_dictionary(5, 6, 0.4, dtype::boolean, random);
        dense_block left(x, both_orders[random() % 2]), right(y, both_orders[random() % 2]);
        matrix c(ctx, GetParam(), 5, 6);
        const matrix mask = make_matrix(ctx, m);
        dictionary t;
        try {
            t = model_mxm(s, x, y);
        } catch (const domain_error&) {
            EXPECT_THROW(sddmm(ctx, c, s, left.view(), right.view(), mask), domain_error);
            continue;
        }
        const dense_plan plan = sddmm(ctx, c, s, left.view(), right.view(), mask);
        EXPECT_EQ(plan.kernel == "reference", plan.tier == tier::generic);
        ASSERT_TRUE(same(write({5, 6, GetParam(), {}}, t, {&m, false, false, false, {}}), c));
    }
}

}  // namespace
}  // namespace nz::test
