// mxm: every compiled semiring and every kernel id, pinned through the plan, against the dictionary model over the
// battery, masks, accumulators, replace, transposes and thread counts; and bit for bit against the reference on values
// whose sums round.
#include "instantiate/mxm_cells.hpp"
#include "kernels/cpu/mxm/common_facts.hpp"
#include "kernels/kernel_ids.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/kernels.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nz::test {
namespace {

constexpr unsigned mxm_seed = 20261122;

struct mxm_cell_case {
    const instantiate::mxm_cell* cell;
    semiring ring() const { return {cell->add, cell->multiply, cell->operand}; }
};
std::vector<mxm_cell_case> all_mxm_cells() {
    std::vector<mxm_cell_case> cases;
    for (const auto group : {instantiate::arithmetic_mxm(), instantiate::tropical_mxm(),
                             instantiate::label_mxm(), instantiate::structure_mxm()})
        for (const auto& cell : group) cases.push_back({&cell});
    return cases;
}

TEST(MxmManifest, HasTheCellsOfMxv) {
    EXPECT_EQ(all_mxm_cells().size(), instantiate::mxv_cell_count());
    for (const auto& c : all_mxm_cells())
        EXPECT_NE(instantiate::find_mxv_cell(c.cell->add, c.cell->multiply, c.cell->operand), nullptr);
}

class CompiledProducts : public ::testing::TestWithParam<mxm_cell_case> {};
INSTANTIATE_TEST_SUITE_P(Every, CompiledProducts, ::testing::ValuesIn(all_mxm_cells()),
                         [](const auto& info) { return info.param.ring().name(); });

TEST_P(CompiledProducts, OfEveryKernelAgreeWithTheModelOverTheBattery) {
    std::mt19937 random(mxm_seed);
    SCOPED_TRACE("seed " + std::to_string(mxm_seed));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        auto cases = matrix_battery(type, random);
        for (auto& larger : larger_matrices(type, random)) cases.push_back(std::move(larger));
        for (const auto& [name, a] : cases) {
            const dictionary b =
                a.rows == a.columns ? a : random_dictionary(a.columns, 70, 0.2, type, random);
            const dictionary expected = model_mxm(s, a, b);
            const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, b, true);
            for (const auto kernel : kernels_on_cpu("mxm")) {
                matrix c(ctx, expected.type, a.rows, b.columns);
                const mxm_plan plan = mxm(ctx, c, s, left, right, {.kernel = kernel});
                ASSERT_EQ(plan.kernel, kernel);
                ASSERT_EQ(plan.tier, tier::compiled);
                ASSERT_TRUE(same(expected, c)) << name << ", " << kernel << ", " << threads << " threads";
            }
            matrix c(ctx, expected.type, a.rows, b.columns);
            ASSERT_EQ(mxm(ctx, c, s, left, right).tier, tier::compiled);
            ASSERT_TRUE(same(expected, c)) << name << ", planned, " << threads << " threads";
        }
    }
}

TEST_P(CompiledProducts, OfEveryKernelObeyEveryMask) {
    std::mt19937 random(mxm_seed + 1);
    SCOPED_TRACE("seed " + std::to_string(mxm_seed + 1));
    const context ctx({.backend = backend::cpu, .threads = 2});
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    if (NONZERO_SANITIZED && type != dtype::float64) GTEST_SKIP() << "of one type under a sanitizer";
    const dictionary a = random_dictionary(11, 17, 0.25, type, random),
                     b = random_dictionary(17, 70, 0.2, type, random);
    const dictionary t = model_mxm(s, a, b);
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
    for (const auto kernel : kernels_on_cpu("mxm"))
        check_settings<matrix>(
            ctx, t.rows, t.columns, t.type, random,
            [&](const auto& c, const auto& how) { return write(c, t, how); },
            [&, kernel](matrix& c, matrix_options options) {
                options.kernel = kernel;
                mxm(ctx, c, s, left, right, options);
            });
}

class EveryProduct : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Mxm, EveryProduct, ::testing::ValuesIn(kernels_on_cpu("mxm")),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(EveryProduct, MayWriteToItsInputs) {
    std::mt19937 random(mxm_seed + 2);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const semiring s("plus_times_int64");
    const dictionary a = random_dictionary(12, 12, 0.3, dtype::int64, random), t = model_mxm(s, a, a);
    check_aliased<matrix>(
        ctx, a, random, [&](const auto& c, const auto& how) { return write(c, t, how); },
        [&](matrix& c, matrix_options options) {
            options.kernel = GetParam();
            mxm(ctx, c, s, c, c, options);
        });
}

TEST_P(EveryProduct, TransposesEitherSide) {
    std::mt19937 random(mxm_seed + 3);
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const auto* name : {"plus_times_fp64", "min_first_int64", "max_second_fp64", "any_secondi_int64"}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dtype type = *s.pinned_type();
        const dictionary a = random_dictionary(33, 20, 0.2, type, random),
                         b = random_dictionary(20, 45, 0.2, type, random);
        const dictionary t = model_mxm(s, a, b);
        for (const bool left : {false, true})
            for (const bool right : {false, true}) {
                matrix c(ctx, t.type, 33, 45);
                mxm(ctx, c, s, make_matrix(ctx, left ? transposed(a) : a),
                    make_matrix(ctx, right ? transposed(b) : b),
                    {.transpose_a = left, .transpose_b = right, .kernel = GetParam()});
                ASSERT_TRUE(same(t, c)) << left << right;
            }
    }
}

TEST_P(EveryProduct, ConvertsOperandsOfOtherTypes) {
    std::mt19937 random(mxm_seed + 4);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const dictionary a = random_dictionary(40, 30, 0.2, dtype::int8, random),
                     b = random_dictionary(30, 20, 0.3, dtype::float64, random);
    matrix c(ctx, dtype::float32, 40, 20);
    const mxm_plan plan =
        mxm(ctx, c, semiring("plus_times"), make_matrix(ctx, a), make_matrix(ctx, b), {.kernel = GetParam()});
    EXPECT_EQ(plan.tier, tier::compiled);
    EXPECT_TRUE(same(converted(model_mxm(semiring("plus_times"), a, b), dtype::float32), c));
}

// Rows of one entry and rows of thousands, columns in runs and scattered, empty rows: more products in a row than a tile
// sorts, more columns than a strip holds, windows narrow and wide.
matrix uneven(const context& ctx, index_t rows, index_t columns, index_t longest, std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row) {
        const index_t kind = static_cast<index_t>(random() % 8);
        const index_t n = row == rows / 2 ? longest
                          : kind == 0     ? 0
                          : kind == 1     ? 1
                          : kind == 2     ? 2
                                          : 3 + kind * 2;
        const auto start = static_cast<index_t>(random() % static_cast<unsigned>(columns));
        for (index_t m = 0; m < n; ++m) {
            i.push_back(row);
            j.push_back(kind % 2 ? static_cast<index_t>((start + m) % columns)
                                 : static_cast<index_t>(random() % static_cast<unsigned>(columns)));
            x.push_back(real(random));
        }
    }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}

TEST_P(EveryProduct, IsTheReferencesBitForBitOnUnevenRows) {
    std::mt19937 random(mxm_seed + 5);
    for (const int threads : {1, 2, 5}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const matrix a = uneven(ctx, 300, 2000, 1500, random);
        for (const index_t columns : {700, 100000}) {
            if (columns > 700 && GetParam() == "masked_dot")
                continue;  // a dot product for each of 3e7 places
            const matrix b = uneven(ctx, 2000, columns, 600, random);
            for (const auto* ring :
                 {"plus_times_fp64", "min_plus_fp64", "any_second_fp64", "any_secondi_int32"}) {
                const semiring s(ring);
                const dtype type = s.value_type(dtype::float64, dtype::float64);
                matrix c(ctx, type, 300, columns), expected = c;
                mxm(ctx, c, s, a, b, {.kernel = GetParam()});
                c.validate();
                mxm(ctx, expected, s, a, b, {.kernel = "reference"});
                ASSERT_TRUE(same_bits(expected, c))
                    << ring << ", " << columns << " columns, " << threads << " threads";
            }
        }
    }
}

TEST_P(EveryProduct, KeepsNaNInfinityAndTheSignsOfZeros) {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const double odd[] = {nan, inf, -inf, -0.0, 0.0, 1};
    const context ctx({.backend = backend::cpu, .threads = 2});
    std::vector<index_t> i, j;
    std::vector<double> x;
    for (index_t row = 0; row < 36; ++row)
        for (index_t column = 0; column < 36; ++column)
            if ((row * 7 + column * 5) % 4 != 1) {
                i.push_back(row);
                j.push_back(column);
                x.push_back(odd[(row * row + 3 * column) % 6]);
            }
    const auto a = matrix::build<double>(ctx, {36, 36, i, j, x});
    for (const auto* ring : {"plus_times_fp64", "min_plus_fp64", "max_plus_fp64", "min_max_fp64"}) {
        matrix c(ctx, dtype::float64, 36, 36), expected = c;
        mxm(ctx, c, semiring(ring), a, a, {.kernel = GetParam()});
        mxm(ctx, expected, semiring(ring), a, a, {.kernel = "reference"});
        const auto u = c.csr<double>(), v = expected.csr<double>();
        ASSERT_EQ(u.values.size(), v.values.size());
        for (std::size_t k = 0; k < u.values.size(); ++k) {
            ASSERT_EQ(std::isnan(u.values[k]), std::isnan(v.values[k])) << ring << " at " << k;
            ASSERT_EQ(std::signbit(u.values[k]) && !std::isnan(u.values[k]),
                      std::signbit(v.values[k]) && !std::isnan(v.values[k]))
                << ring << " at " << k;
            if (!std::isnan(v.values[k])) {
                ASSERT_EQ(u.values[k], v.values[k]) << ring << " at " << k;
            }
        }
    }
}

TEST_P(EveryProduct, ReadsWideOffsetsLikeNarrowOnes) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const std::vector<std::int64_t> offsets = {0, 2, 2, 5};
    const std::vector<index_t> columns = {0, 2, 0, 1, 2};
    const std::vector<double> values = {1, 2, 3, 4, 5};
    const auto a = matrix::from_csr<double, std::int64_t>(ctx, {3, 3, offsets, columns, values});
    matrix c(ctx, dtype::float64, 3, 3);
    mxm(ctx, c, semiring("plus_times"), a, a, {.kernel = GetParam()});
    EXPECT_EQ(c.get(0, 0)->get<double>(), 7);
    EXPECT_EQ(c.get(2, 2)->get<double>(), 31);
    EXPECT_EQ(c.nnz(), 6);
}

TEST_P(EveryProduct, NamesTheBytesNeededWhereTheLimitIsTooSmall) {
    std::mt19937 random(mxm_seed + 6);
    const context roomy({.backend = backend::cpu, .threads = 2});
    const dictionary d = random_dictionary(300, 300, 0.1, dtype::float64, random);
    const context tight({.backend = backend::cpu, .threads = 2, .memory_limit = 200000});
    const matrix a = make_matrix(tight, d);
    matrix c(tight, dtype::float64, 300, 300);
    try {
        mxm(tight, c, semiring("plus_times"), a, a, {.kernel = GetParam()});
        FAIL() << "no error";
    } catch (const out_of_memory& e) {
        EXPECT_NE(std::string(e.what()).find("bytes needed"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("limit of 200000"), std::string::npos) << e.what();
    }
    EXPECT_EQ(c.nnz(), 0);
}

// Nothing is computed, and nothing is written to a workspace that there was no room for.
TEST(MxmOfNoRows, TakesNoWorkspace) {
    std::mt19937 random(5);
    const context roomy({.backend = backend::cpu});
    const matrix none(roomy, dtype::float64, 0, 13), empty(roomy, dtype::float64, 0, 0),
        b = make_matrix(roomy, full_dictionary(13, 20, dtype::float64, random)),
        no_columns(roomy, dtype::float64, 20, 0);
    for (const std::size_t limit : {100, 400, 2000})
        for (const char* kernel :
             {"", "dense_row", "hash", "row_row", "column_row", "two_level_sort", "column_column"}) {
            const context tight({.backend = backend::cpu, .threads = 1, .memory_limit = limit});
            for (const auto& [left, right] :
                 {std::pair{&none, &b}, std::pair{&empty, &empty}, std::pair{&b, &no_columns}}) {
                matrix c(roomy, dtype::float64, left->rows(), right->columns());
                const bool fits =
                    limit == 2000 && left == &none && std::string_view(kernel) != "column_column";
                try {
                    mxm(tight, c, semiring("plus_times"), *left, *right, {.kernel = kernel});
                    EXPECT_EQ(c.nnz(), 0) << kernel;
                } catch (const out_of_memory&) {  // nor does what is collected before have room
                    EXPECT_FALSE(fits) << kernel;
                }
            }
        }
}

// Half is no int32 but 0, and 256 no int8 but 0, before either is a truth value.
TEST(PinnedTypes, AreTakenBeforeTruthValues) {
    for (const context& ctx : contexts()) {
        const std::vector<index_t> zero{0};
        const std::vector<double> half{0.5}, one{1};
        const std::vector<std::int32_t> large{256};
        const std::vector<float> ones{1};
        const matrix a = matrix::build<double>(ctx, {1, 1, zero, zero, half}),
                     b = matrix::build<double>(ctx, {1, 1, zero, zero, one}),
                     c = matrix::build<std::int32_t>(ctx, {1, 1, zero, zero, large});
        const vector u = vector::dense<float>(ctx, ones);
        const auto product = [&](const char* name, const matrix& x) {
            const semiring s(name);
            matrix t(ctx, s.value_type(x.type(), dtype::float64), 1, 1);
            mxm(ctx, t, s, x, b);
            vector w(ctx, s.value_type(x.type(), dtype::float32), 1);
            mxv(ctx, w, s, x, u);
            EXPECT_EQ(t.get(0, 0)->get<double>(), w.get(0)->get<double>()) << name;
            std::vector<double> dense(1, 7);
            const std::vector<double> factor(1, 1);
            mxd(ctx, dense_view<double>{1, 1, dense}, s, x, dense_view<const double>{1, 1, factor});
            EXPECT_EQ(t.get(0, 0)->get<double>(), dense[0]) << name;
            return t.get(0, 0)->get<double>();
        };
        for (const char* name : {"plus_land_int32", "lor_land_int32", "lor_times_int64", "max_land_int8"})
            EXPECT_EQ(product(name, a), 0) << name;
        EXPECT_EQ(product("plus_land_fp32", a), 1);
        EXPECT_EQ(product("lor_land", a), 1);
        EXPECT_EQ(product("lor_lor_int32", a), 1) << "by the other operand";
        EXPECT_EQ(product("plus_land_int8", c), 0);
        EXPECT_EQ(product("plus_land_int16", c), 1);
        EXPECT_EQ(product("any_pair_int32", a), 1) << "values are not looked at";
    }
}

TEST(MxmPins, OverBoolSumsAndProductsAreOrAndAnd) {
    std::mt19937 random(mxm_seed + 7);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const dictionary a = random_dictionary(60, 50, 0.2, dtype::boolean, random),
                     b = random_dictionary(50, 70, 0.2, dtype::boolean, random);
    for (const auto* name : {"lor_land", "plus_times", "max_times", "plus_min", "lor_min"}) {
        const semiring s(name);
        matrix c(ctx, dtype::boolean, 60, 70);
        const mxm_plan plan = mxm(ctx, c, s, make_matrix(ctx, a), make_matrix(ctx, b));
        EXPECT_EQ(plan.tier, tier::compiled) << name;
        EXPECT_TRUE(same(model_mxm(s, a, b), c)) << name;
        EXPECT_TRUE(same(model_mxm(semiring("lor_land"), a, b), c)) << name;
    }
    matrix c(ctx, dtype::boolean, 60, 70);
    EXPECT_EQ(mxm(ctx, c, semiring("times_plus"), make_matrix(ctx, a), make_matrix(ctx, b)).tier,
              tier::generic);
}

TEST(MxmPins, OfUncompiledSemiringsAreRefused) {
    const context ctx({.backend = backend::cpu});
    const matrix a(ctx, dtype::uint16, 4, 4);
    matrix c(ctx, dtype::uint16, 4, 4);
    EXPECT_EQ(mxm(ctx, c, semiring("min_plus"), a, a).tier, tier::generic);
    EXPECT_THROW(mxm(ctx, c, semiring("min_plus"), a, a, {.kernel = "hash"}), not_supported);
}

TEST(MxmProducts, BeyondTheWidthsOfIntegersAreCountedOrRefused) {
    using kernels::mxm_side;
    constexpr index_t rows = 70000;
    std::vector<std::int64_t> a_offsets(rows + 1), before(rows + 1);
    for (index_t i = 0; i <= rows; ++i) a_offsets[static_cast<std::size_t>(i)] = i;
    const std::vector<index_t> columns(rows);
    const std::int64_t row_of_40000[] = {0, 40000}, huge_row[] = {0, std::int64_t{1} << 62};
    const mxm_side a{{a_offsets.data(), true}, columns.data(), nullptr};
    const auto fits = kernels::cpu::count_products(a, {{row_of_40000, true}}, rows, 2, before.data());
    EXPECT_FALSE(fits.overflow);
    EXPECT_EQ(before[rows], std::int64_t{70000} * 40000);  // above 2^31
    EXPECT_EQ(fits.most_products, 40000);
    EXPECT_FALSE(kernels::cpu::count_products(a, {{huge_row, true}}, 1, 2, before.data()).overflow);
    EXPECT_TRUE(kernels::cpu::count_products(a, {{huge_row, true}}, 2, 2, before.data()).overflow)
        << "2^63 in two rows";
    const std::int64_t one_row[] = {0, 2};
    EXPECT_TRUE(kernels::cpu::count_products({{one_row, true}, columns.data(), nullptr}, {{huge_row, true}},
                                             1, 2, before.data())
                    .overflow)
        << "2^63 in one row";
}

// Products over a caller's own operator form no entry that the mask bars: each row's table has the places that it lists.
TEST(GenericMxm, HasNoMoreThanTheMaskLetsThrough) {
    context ctx({.backend = backend::cpu, .threads = 2});
    const matrix g = load(ctx, "rmat:9,16").matrix;
    matrix a(ctx, dtype::float32, g.rows(), g.columns()), c = a, all = a;
    apply(ctx, a, unary_id::one, g);
    const auto minus = binary_op::make<float>("own_minus", [](float x, float y) { return x - y; });
    const semiring ring(monoid("max"), minus);
    const std::size_t before = ctx.bytes_in_use();
    ctx.reset_peak();
    ASSERT_EQ(mxm(ctx, all, ring, a, a).kernel, "generic");
    const std::size_t whole = ctx.peak_bytes() - before, held = ctx.bytes_in_use();
    ctx.reset_peak();
    ASSERT_EQ(mxm(ctx, c, ring, a, a, {.mask = &g, .mask_structure = true}).tier, tier::generic);
    EXPECT_LT(ctx.peak_bytes() - held, whole / 4);
    matrix expected(ctx, dtype::float32, g.rows(), g.columns());
    apply(ctx, expected, unary_id::identity, all, {.mask = &g, .mask_structure = true});
    EXPECT_TRUE(same(read(expected), c));
    mxm(ctx, c, ring, a, a, {.mask = &g, .mask_structure = true, .mask_complement = true, .replace = true});
    apply(ctx, expected, unary_id::identity, all,
          {.mask = &g, .mask_structure = true, .mask_complement = true, .replace = true});
    EXPECT_TRUE(same(read(expected), c));
}

}  // namespace
}  // namespace nz::test
