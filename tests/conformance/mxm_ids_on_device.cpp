// The ids of mxm that a plan seldom takes, pinned on a GPU: every compiled semiring against the model, masks, rows of every length
// against the CPU's kernel, and bands. Skips where there is no GPU.
#include "core/device.hpp"
#include "instantiate/mxm_device_cells.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace nz::test {
namespace {

constexpr unsigned mxm_ids_seed = 20261201;

class PinnedOnDevice : public ::testing::TestWithParam<std::string_view> {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
        SCOPED_TRACE("seed " + std::to_string(mxm_ids_seed));
    }
    std::mt19937 random{mxm_ids_seed};

    // On the GPU, with the plan's word for it.
    static matrix product(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                          matrix_options options = {}) {
        options.kernel = GetParam();
        matrix c(ctx, s.value_type(a.type(), b.type()), options.transpose_a ? a.columns() : a.rows(),
                 options.transpose_b ? b.rows() : b.columns());
        const mxm_plan plan = mxm(ctx, c, s, a, b, options);
        EXPECT_TRUE(plan.on_device) << to_string(plan);
        EXPECT_EQ(plan.kernel, GetParam());
        return c;
    }
};
INSTANTIATE_TEST_SUITE_P(Ids, PinnedOnDevice, ::testing::Values("two_level_sort", "dia_dia"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(PinnedOnDevice, EverySemiringAgreesWithTheModelOverTheBattery) {
    const context ctx({.backend = backend::cuda});
    for (const auto group : {instantiate::arithmetic_device_mxm(), instantiate::tropical_device_mxm(),
                             instantiate::label_device_mxm(), instantiate::structure_device_mxm()})
        for (const auto& cell : group) {
            const semiring s(cell.add, cell.multiply, cell.operand);
            SCOPED_TRACE(s.name());
            auto cases = matrix_battery(cell.operand, random);
            for (auto& larger : larger_matrices(cell.operand, random)) cases.push_back(std::move(larger));
            for (const auto& [name, a] : cases) {
                const dictionary b =
                    a.rows == a.columns ? a : random_dictionary(a.columns, 70, 0.2, cell.operand, random);
                const matrix c = product(ctx, s, make_matrix(ctx, a, true), make_matrix(ctx, b, true));
                c.validate();
                ASSERT_TRUE(same(model_mxm(s, a, b), c)) << name;
            }
        }
}

TEST_P(PinnedOnDevice, MasksAccumulatorsAndTransposesAreObeyed) {
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_int64");
    const dictionary a = random_dictionary(21, 17, 0.25, dtype::int64, random),
                     b = random_dictionary(17, 90, 0.2, dtype::int64, random), t = model_mxm(s, a, b);
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
    check_settings<matrix>(
        ctx, t.rows, t.columns, t.type, random,
        [&](const auto& c, const auto& how) { return write(c, t, how); },
        [&](matrix& c, matrix_options options) {
            options.kernel = GetParam();
            ASSERT_TRUE(mxm(ctx, c, s, left, right, options).on_device);
        });
    for (const bool over_a : {false, true})
        for (const bool over_b : {false, true})
            ASSERT_TRUE(same(t, product(ctx, s, make_matrix(ctx, over_a ? transposed(a) : a),
                                        make_matrix(ctx, over_b ? transposed(b) : b),
                                        {.transpose_a = over_a, .transpose_b = over_b})));
}

TEST_P(PinnedOnDevice, WithoutRowsColumnsOrEntriesTheResultIsEmpty) {
    const context ctx({.backend = backend::cuda});
    for (const auto& [m, n, p] : {std::array{0, 5, 4}, {5, 0, 4}, {5, 4, 0}, {5, 6, 7}}) {
        const matrix c = product(ctx, semiring("plus_times"), matrix(ctx, dtype::float64, m, n),
                                 matrix(ctx, dtype::float64, n, p));
        EXPECT_EQ(c.nnz(), 0);
        c.validate();
    }
}

// Rows of 0 to `longest` entries; one in `empty` is left out whole.
matrix rows_of_all_lengths(const context& ctx, index_t rows, index_t columns, index_t longest, int empty,
                           std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row) {
        const auto kind = static_cast<index_t>(random() % 10);
        if (empty && random() % static_cast<unsigned>(empty)) continue;
        const index_t n = row % 97 == 5 ? longest >> random() % 8 : kind * kind / 2;
        const auto start = static_cast<index_t>(random() % static_cast<unsigned>(columns));
        for (index_t m = 0; m < n; ++m) {
            i.push_back(row);
            j.push_back(kind % 2 ? static_cast<index_t>((start + offset_t{m}) % columns)
                                 : static_cast<index_t>(random() % static_cast<unsigned>(columns)));
            x.push_back(real(random));
        }
    }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}

// Places exact; values too where sums are of one tile, or do not round.
void expect_equal(const matrix& expected, const matrix& found, bool exact) {
    const auto x = expected.csr<double>(), y = found.csr<double>();
    ASSERT_TRUE(std::ranges::equal(x.offsets, y.offsets));
    ASSERT_TRUE(std::ranges::equal(x.columns, y.columns));
    if (exact) {
        ASSERT_EQ(std::memcmp(x.values.data(), y.values.data(), x.values.size_bytes()), 0);
    } else {
        for (std::size_t n = 0; n < x.values.size(); ++n)
            ASSERT_NEAR(x.values[n], y.values[n], 1e-11 * (1 + std::abs(x.values[n]))) << n;
    }
}

TEST_P(PinnedOnDevice, RowsOfAllLengthsAreTheCpus) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    struct shape {
        index_t rows, inner, columns, longest;
        int empty;
    };
    // Rows within tiles and over many; columns and rows that leave no 32 bits for a key; long stretches of A without products.
    constexpr shape shapes[] = {{2000, 3000, 3000, 2500, 0},   {2000, 3000, 300000000, 2500, 0},
                                {300, 3000, 40, 2500, 0},      {103, 3000, 900000, 2900, 0},
                                {60000, 4000, 5000, 4000, 40}, {2000, 30000, 5000, 20000, 300}};
    for (const auto [rows, inner, columns, longest, empty] : shapes) {
        SCOPED_TRACE(::testing::Message() << rows << " x " << inner << " x " << columns);
        const matrix a = rows_of_all_lengths(ctx, rows, inner, longest, 0, random),
                     b = rows_of_all_lengths(ctx, inner, columns, 3000, empty, random);
        for (const auto* name : {"plus_times_fp64", "min_plus_fp64", "any_second_fp64"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            const bool exact = GetParam() != "two_level_sort" || std::string_view(name) != "plus_times_fp64";
            matrix expected(cpu, dtype::float64, rows, columns);
            const mxm_plan plan = mxm(cpu, expected, s, a, b, {.kernel = "hash"});
            EXPECT_GT(plan.products, 4096) << "no more than a tile";
            const matrix c = product(ctx, s, a, b);
            ASSERT_NO_FATAL_FAILURE(expect_equal(expected, c, exact));
            ASSERT_NO_FATAL_FAILURE(expect_equal(c, product(ctx, s, a, b), true)) << "a second time";
        }
    }
}

TEST_P(PinnedOnDevice, ProductsThatFillTilesToTheLastAreTheCpus) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    // Rows of B of `length` entries, rows of A of `entries`: tiles end with rows, with entries of A, and between.
    for (const auto [rows, entries, length] : {std::array{1, 1, 4096},
                                               {1, 2, 4096},
                                               {64, 8, 8},
                                               {65, 8, 8},
                                               {3, 4, 1024},
                                               {7, 1, 5000},
                                               {4096, 1, 1},
                                               {4097, 1, 1},
                                               {9, 3, 1365},
                                               {1, 4095, 1}}) {
        SCOPED_TRACE(::testing::Message() << rows << " x " << entries << " x " << length);
        std::vector<index_t> i, j, k, l;
        for (index_t row = 0; row < rows; ++row)
            for (index_t m = 0; m < entries; ++m) {
                i.push_back(row);
                j.push_back((row * 7 + m) % 5000);
            }
        for (index_t row = 0; row < 5000; ++row)
            for (index_t m = 0; m < length; ++m) {
                k.push_back(row);
                l.push_back((row * 3 + m) % 6000);
            }
        std::vector<double> x(i.size()), y(k.size());
        for (auto& value : x) value = static_cast<double>(random() % 1000);
        for (auto& value : y) value = static_cast<double>(random() % 1000);
        const auto a = matrix::build<double>(ctx, {rows, 5000, i, j, x}),
                   b = matrix::build<double>(ctx, {5000, 6000, k, l, y});
        matrix expected(cpu, dtype::float64, rows, 6000);
        mxm(cpu, expected, semiring("plus_times"), a, b, {.kernel = "hash"});
        ASSERT_NO_FATAL_FAILURE(expect_equal(expected, product(ctx, semiring("plus_times"), a, b), true));
    }
}

// C = A B by two_level_sort on the GPU has the bits of the CPU's.
void expect_reference(const context& ctx, const context& cpu, const semiring& s, const matrix& a,
                      const matrix& b) {
    const dtype type = s.value_type(a.type(), b.type());
    matrix expected(cpu, type, a.rows(), b.columns()), c(ctx, type, a.rows(), b.columns());
    mxm(cpu, expected, s, a, b, {.kernel = "hash"});
    EXPECT_TRUE(mxm(ctx, c, s, a, b, {.kernel = "two_level_sort"}).on_device);
    ASSERT_TRUE(same(read(expected), c));
}

class SortedOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
        SCOPED_TRACE("seed " + std::to_string(mxm_ids_seed));
    }
    std::mt19937 random{mxm_ids_seed};
};

// Rows of up to 3.4 and 17.6 million products, in 821 and 4,307 tiles, of which the former go once more through tiles and the latter do not; columns
// that hundreds and thousands of tiles found.
TEST_F(SortedOnDevice, RowsOfVeryManyTilesAreTheCpus) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    constexpr index_t n = 4200;
    const matrix b = load(ctx, "dense:4200,4200").matrix;
    std::uniform_real_distribution<double> real(-1, 1);
    for (const index_t longest : {800, 4200}) {
        SCOPED_TRACE(longest);
        std::vector<index_t> i, j;
        std::vector<double> x;
        for (index_t row = 0; row < 4; ++row)
            for (index_t k = 0; k < (row == 1 ? 30 : longest); ++k) {
                i.push_back(row);
                j.push_back((row * 17 + k) % n);
                x.push_back(real(random));
            }
        const auto a = matrix::build<double>(ctx, {4, n, i, j, x});
        for (const auto* name : {"plus_times_fp64", "min_plus_fp64", "any_second_fp64"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            matrix expected(cpu, dtype::float64, 4, n), c(ctx, dtype::float64, 4, n),
                again(ctx, dtype::float64, 4, n);
            mxm(cpu, expected, s, a, b, {.kernel = "hash"});
            EXPECT_TRUE(mxm(ctx, c, s, a, b, {.kernel = "two_level_sort"}).on_device);
            mxm(ctx, again, s, a, b, {.kernel = "two_level_sort"});
            ASSERT_NO_FATAL_FAILURE(expect_equal(expected, c, std::string_view(name) != "plus_times_fp64"));
            ASSERT_NO_FATAL_FAILURE(expect_equal(c, again, true)) << "a second time";
        }
    }
}

// Rows of which each has more products than a tile, from few entries: cut by columns, whose sums are then those of the products in
// their order, like the other kernels'. Columns that all entries of a row have, and such as few have; rows of 4,097 products and of a million.
TEST_F(SortedOnDevice, RowsThatAreCutByColumnsAreTheReferencesBits) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    std::uniform_real_distribution<double> real(-1, 1);
    struct shape {
        index_t rows, entries, length, columns;
        offset_t spread;
    };
    constexpr shape shapes[] = {{40, 17, 241, 5000, 1},          {40, 2, 2049, 2050, 1},
                                {30, 512, 16, 3000, 187},        {20, 512, 2000, 100000, 37},
                                {300, 100, 90, 300000000, 3301}, {7, 1, 5000, 70000, 11},
                                {3, 300, 70000, 140000, 1}};
    for (const auto [rows, entries, length, columns, spread] : shapes) {
        SCOPED_TRACE(::testing::Message() << entries << " x " << length << " of " << columns);
        constexpr index_t inner = 600;
        std::vector<index_t> i, j, k, l;
        for (index_t row = 0; row < rows; ++row)
            for (index_t m = 0; m < entries; ++m) {
                i.push_back(row);
                j.push_back((row * 7 + m) % inner);
            }
        for (index_t row = 0; row < inner; ++row)
            for (index_t m = 0; m < length; ++m) {
                k.push_back(row);
                // Odd ones the same in all rows: of no row twice, as the spread has no divisor of the columns.
                l.push_back(static_cast<index_t>((m % 2 ? m * spread : (2 * row + m) * spread) % columns));
            }
        std::vector<double> x(i.size()), y(k.size());
        for (auto& value : x) value = real(random);
        for (auto& value : y) value = real(random);
        const auto a = matrix::build<double>(ctx, {rows, inner, i, j, x}),
                   b = matrix::build<double>(ctx, {inner, columns, k, l, y});
        for (const auto* name :
             {"plus_times_fp64", "min_plus_fp64", "any_second_fp64", "any_secondi_int32"}) {
            SCOPED_TRACE(name);
            ASSERT_NO_FATAL_FAILURE(expect_reference(ctx, cpu, semiring(name), a, b));
        }
    }
}

// Rows that are cut by columns between short ones, few and many of them in a tile of these, and beside rows without products.
TEST_F(SortedOnDevice, ShortRowsBetweenThoseThatAreCutByColumnsAreTheReferencesBits) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    std::uniform_real_distribution<double> real(-1, 1);
    constexpr index_t n = 6000, rows_of_b = 64;
    std::vector<index_t> k, l;
    for (index_t row = 0; row < rows_of_b; ++row)
        for (index_t m = 0; m < (row < 32 ? 2500 : row == 63 ? 0 : 3); ++m) {
            k.push_back(row);
            l.push_back((row * 31 + m * 7) % n);
        }
    std::vector<double> y(k.size());
    for (auto& value : y) value = real(random);
    const auto b = matrix::build<double>(ctx, {rows_of_b, n, k, l, y});
    for (const index_t every : {2, 3, 20, 150}) {
        SCOPED_TRACE(every);
        constexpr index_t rows = 450;
        std::vector<index_t> i, j;
        for (index_t row = 0; row < rows; ++row) {
            const bool is_long = row % every == every - 1;
            if (row % 7 == 3 && !is_long) {  // no products, from no entry or from one
                if (row % 2) i.push_back(row), j.push_back(63);
                continue;
            }
            for (index_t m = 0; m < 3; ++m) {
                i.push_back(row);
                j.push_back(is_long ? (row + m * 5) % 32 : 32 + (row + m * 5) % 31);
            }
        }
        std::vector<double> x(i.size());
        for (auto& value : x) value = real(random);
        const auto a = matrix::build<double>(ctx, {rows, rows_of_b, i, j, x});
        for (const auto* name : {"plus_times_fp64", "any_secondi_int32"}) {
            SCOPED_TRACE(name);
            ASSERT_NO_FATAL_FAILURE(expect_reference(ctx, cpu, semiring(name), a, b));
        }
    }
}

// Rows of B out of order in the caller's arrays: a GPU has them in order, as ranges of columns are found by bisection.
TEST_F(SortedOnDevice, RowsOfBWhoseColumnsDoNotAscendAreTheReferences) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    constexpr index_t rows = 40, inner = 100, length = 3000, columns = 5000, entries = 20;
    std::vector<index_t> all(columns), b_columns, i, j;
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::int32_t> b_offsets{0};
    for (index_t row = 0; row < inner; ++row) {
        std::shuffle(all.begin(), all.end(), random);
        b_columns.insert(b_columns.end(), all.begin(), all.begin() + length);
        b_offsets.push_back(static_cast<std::int32_t>(b_columns.size()));
    }
    for (index_t row = 0; row < rows; ++row)
        for (index_t m = 0; m < entries; ++m) {
            i.push_back(row);
            j.push_back((row * 7 + m * 3) % inner);
        }
    std::vector<std::int32_t> x(i.size()), y(b_columns.size());
    for (auto& value : x) value = static_cast<std::int32_t>(random() % 1000);
    for (auto& value : y) value = static_cast<std::int32_t>(random() % 1000);
    const auto a = matrix::build<std::int32_t>(ctx, {rows, inner, i, j, x});
    const auto b = matrix::borrow_csr(
        ctx, csr_view<std::int32_t, std::int32_t>{inner, columns, b_offsets, b_columns, y});
    for (const auto* name : {"plus_times_int32", "min_plus_int32", "any_secondi_int32"}) {
        SCOPED_TRACE(name);
        ASSERT_NO_FATAL_FAILURE(expect_reference(ctx, cpu, semiring(name), a, b));
    }
}

// Rows of exactly as many tiles as go once more through tiles, and of one more, beside many rows that two tiles share; values of all sizes.
TEST_F(SortedOnDevice, ValuesOfAllSizesOnBothSidesOfTheLimitAreTheReferences) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    constexpr index_t n = 4096, inner = 1100;
    std::vector<index_t> k, l;
    for (index_t row = 0; row < inner; ++row)
        for (index_t m = 0; m < (row < 1025 ? n : 50); ++m) {
            k.push_back(row);
            l.push_back(row < 1025 ? m : (row * 61 + m * 3) % n);
        }
    std::vector<std::int8_t> y(k.size());
    for (auto& value : y) value = static_cast<std::int8_t>(random() % 7);
    const auto b = matrix::build<std::int8_t>(ctx, {inner, n, k, l, y});
    for (const index_t tiles : {1023, 1024}) {  // and the part of a tile that rows before leave
        SCOPED_TRACE(tiles);
        std::vector<index_t> i, j;
        for (index_t row = 0; row < 200; ++row)
            for (index_t m = 0; m < (row == 100 ? tiles : 7); ++m) {
                i.push_back(row);
                j.push_back(row == 100 ? m : 1025 + (row * 11 + m * 5) % 75);
            }
        std::vector<std::int8_t> x(i.size());
        for (auto& value : x) value = static_cast<std::int8_t>(random() % 5);
        const auto a = matrix::build<std::int8_t>(ctx, {200, inner, i, j, x});
        for (const auto* name : {"plus_times_int32", "plus_times_fp32", "min_plus_int64", "plus_pair_int64",
                                 "lor_land_bool", "any_secondi_int32"}) {
            SCOPED_TRACE(name);
            ASSERT_NO_FATAL_FAILURE(expect_reference(ctx, cpu, semiring(name), a, b));
        }
    }
}

TEST_P(PinnedOnDevice, OperandsOfWhichNoPartFitsTheMemoryLimitAreRefusedAndTheOutputStaysAsItWas) {
    // A strip of it takes 800,000 bytes for where rows begin alone.
    const context roomy({.backend = backend::cuda}), ctx({.backend = backend::cuda, .memory_limit = 3 << 19});
    const matrix a = load(roomy, "random:100000,8").matrix;
    matrix c(ctx, dtype::float64, 100000, 100000);
    c.set(1, 2, 3.0);
    EXPECT_THROW(mxm(ctx, c, semiring("plus_times"), a, a, {.kernel = GetParam()}), out_of_memory);
    EXPECT_EQ(c.nnz(), 1);
}

// Entries (i, i + d) for the diagonals d; every `gap`-th row has one entry less.
matrix diagonals(const context& ctx, index_t rows, index_t columns, const std::vector<index_t>& shifts,
                 index_t gap, std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row)
        for (std::size_t d = 0; d < shifts.size(); ++d) {
            const index_t column = row + shifts[d];
            if (column < 0 || column >= columns || (gap && row % gap == 3 && d == shifts.size() / 2))
                continue;
            i.push_back(row);
            j.push_back(column);
            x.push_back(real(random));
        }
    return matrix::build<double>(ctx, {rows, columns, i, j, x});
}
std::vector<index_t> run_of(index_t first, index_t last, index_t step = 1) {
    std::vector<index_t> all;
    for (index_t d = first; d <= last; d += step) all.push_back(d);
    return all;
}

class BandsOnDevice : public PinnedOnDevice {};
INSTANTIATE_TEST_SUITE_P(Ids, BandsOnDevice, ::testing::Values("dia_dia", ""), [](const auto& info) {
    return info.param.empty() ? "planned" : std::string(info.param);
});

TEST_P(BandsOnDevice, AreTheCpusBitForBit) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    struct bands {
        index_t rows, inner, columns;
        std::vector<index_t> a, b;
        index_t gap;
    };
    const bands all[] = {{5000, 5000, 5000, run_of(-10, 10), run_of(-10, 10), 0},
                         {5000, 5000, 5000, run_of(-2, 1), run_of(-3, 9), 0},
                         {5000, 5000, 5000, run_of(-30, 30), run_of(-32, 31), 0},
                         {4000, 5000, 6000, run_of(0, 12), run_of(100, 108), 0},
                         {5000, 5000, 5000, run_of(-9, 9, 3), run_of(-20, 20, 5), 0},
                         {5000, 5000, 5000, {-100, -1, 0, 1, 100}, {-100, -1, 0, 1, 100}, 0},
                         {5000, 5000, 5000, run_of(-10, 10), run_of(-10, 10), 211},
                         {5000, 5000, 5000, run_of(-40, 40), run_of(-5, 5), 0},
                         {5000, 5000, 5000, {-2000, 0, 2000}, {-7, 0, 7}, 0},
                         {5000, 5000, 5000, {0}, run_of(-10, 10), 0}};
    for (const bands& s : all) {
        SCOPED_TRACE(::testing::Message()
                     << s.a.size() << " by " << s.b.size() << " diagonals of " << s.rows);
        const matrix a = diagonals(ctx, s.rows, s.inner, s.a, s.gap, random),
                     b = diagonals(ctx, s.inner, s.columns, s.b, s.gap, random);
        for (const auto* name : {"plus_times_fp64", "any_second_fp64", "min_plus_fp64", "plus_times_fp32",
                                 "lor_land_bool", "any_secondi_int64"}) {
            SCOPED_TRACE(name);
            const semiring ring(name);
            const dtype type = ring.value_type(a.type(), b.type());
            matrix expected(cpu, type, s.rows, s.columns), c(ctx, type, s.rows, s.columns);
            mxm(cpu, expected, ring, a, b, {.kernel = "hash"});
            ASSERT_TRUE(mxm(ctx, c, ring, a, b, {.kernel = GetParam()}).on_device);
            c.validate();
            ASSERT_TRUE(same(read(expected), c));
        }
    }
}

// Meshes whose walls leave rows of fewer entries in all places, the one in the middle too, and diagonals far apart.
TEST_P(BandsOnDevice, OfMeshesAreTheCpusBitForBit) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    const matrix plane = load(ctx, "laplace2d:100").matrix, space = load(ctx, "laplace3d:24").matrix,
                 narrow = diagonals(ctx, 10000, 12000, run_of(-1, 3), 97, random),
                 wide = diagonals(ctx, 13824, 13824, {-13000, -577, -40, -39, 0, 24, 577, 13000}, 0, random);
    for (const auto& [a, b] : {std::pair{&plane, &plane}, std::pair{&plane, &narrow},
                               std::pair{&space, &space}, std::pair{&space, &wide}, std::pair{&wide, &space}})
        for (const auto* name : {"plus_times_fp64", "any_second_fp64", "plus_times_fp32", "lor_land_bool",
                                 "any_secondi_int64"}) {
            SCOPED_TRACE(::testing::Message() << name << ", " << a->nnz() << " by " << b->nnz());
            const semiring ring(name);
            const dtype type = ring.value_type(a->type(), b->type());
            matrix expected(cpu, type, a->rows(), b->columns()), c(ctx, type, a->rows(), b->columns());
            mxm(cpu, expected, ring, *a, *b, {.kernel = "hash"});
            const mxm_plan plan = mxm(ctx, c, ring, *a, *b, {.kernel = GetParam()});
            ASSERT_TRUE(plan.on_device);
            c.validate();
            ASSERT_TRUE(same(read(expected), c));
        }
}

TEST_P(BandsOnDevice, InChunksAreTheSameBitForBit) {
    const context cpu({.backend = backend::cpu, .threads = 2}),
        small({.backend = backend::cuda, .memory_limit = std::size_t{45} << 20});
    const matrix a = diagonals(cpu, 150000, 150000, run_of(-4, 4), 0, random);
    matrix c(small, dtype::float64, 150000, 150000), expected(cpu, dtype::float64, 150000, 150000);
    const mxm_plan plan = mxm(small, c, semiring("plus_times"), a, a, {.kernel = GetParam()});
    mxm(cpu, expected, semiring("plus_times"), a, a, {.kernel = "hash"});
    EXPECT_EQ(plan.kernel, "dia_dia");
    EXPECT_GT(plan.chunks, 1) << to_string(plan);
    ASSERT_NO_FATAL_FAILURE(expect_equal(expected, c, true));
}

TEST(DeviceBandPlans, AreForManyRowsOfManyProductsAlone) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    std::mt19937 random(mxm_ids_seed + 1);
    const context ctx({.backend = backend::cuda});
    const auto planned = [&](const matrix& a, matrix_options options = {}) {
        matrix c(ctx, dtype::float64, a.rows(), a.columns());
        return std::string(mxm(ctx, c, semiring("plus_times"), a, a, options).kernel);
    };
    const matrix band = diagonals(ctx, 20000, 20000, run_of(-10, 10), 0, random);
    EXPECT_EQ(planned(band), "hash") << "nine million products";
    EXPECT_EQ(planned(diagonals(ctx, 30000, 30000, run_of(-10, 10), 0, random)), "dia_dia");
    EXPECT_EQ(planned(band, {.mask = &band}), "masked_dot")
        << "few rows, for whose products launches are many";
    EXPECT_EQ(planned(diagonals(ctx, 2500000, 2500000, run_of(0, 1), 0, random)), "hash") << "few products";
    EXPECT_EQ(planned(diagonals(ctx, 30000, 30000, run_of(-10, 10), 5, random)), "hash") << "rows with gaps";
    EXPECT_EQ(planned(load(ctx, "random:30000,21").matrix), "hash");
    EXPECT_EQ(planned(load(ctx, "laplace2d:640").matrix), "dia_dia") << "the row in the middle is at a wall";
    EXPECT_EQ(planned(load(ctx, "laplace3d:32").matrix), "dia_dia") << "28 of 32 are inside, thrice";
}

TEST(MaskedOnDevice, ProductsAreThoseOfTheCpuWhicheverKernelIsPlanned) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    const semiring s("plus_pair_int64");
    for (const auto& [source, kernel] :
         {std::pair{"rmat:12,8", "masked_dot"}, std::pair{"rmat_directed:12,8", "masked_dot"},
          std::pair{"laplace2d:200", "masked_row"}, std::pair{"banded:300000,21", "dia_dia"}}) {
        SCOPED_TRACE(source);
        const matrix there = load(ctx, source).matrix, here = load(cpu, source).matrix;
        for (const bool again : {false, true}) {
            matrix c(ctx, dtype::int64, there.rows(), there.columns()),
                expected(cpu, dtype::int64, there.rows(), there.columns());
            const mxm_plan plan = mxm(ctx, c, s, there, there, {.mask = &there, .mask_structure = true});
            EXPECT_EQ(plan.kernel, kernel) << (again ? "columns at hand" : "columns not at hand");
            mxm(cpu, expected, s, here, here, {.mask = &here, .mask_structure = true});
            EXPECT_TRUE(same(read(expected), c));
        }
    }
}

TEST(MaskedOnDevice, BandsWithNoRoomForAllPlacesPassThoseOver) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    // A takes 77 MB, all places of A A 150, those of A 77.
    const context ctx({.backend = backend::cuda, .memory_limit = std::size_t{220} << 20}),
        cpu({.backend = backend::cpu, .threads = 2});
    const matrix a = load(ctx, "banded:300000,21").matrix;
    matrix c(ctx, dtype::float64, a.rows(), a.columns()),
        expected(cpu, dtype::float64, a.rows(), a.columns());
    EXPECT_EQ(mxm(ctx, c, semiring("plus_times"), a, a, {.mask = &a, .mask_structure = true}).kernel,
              "masked_row");
    mxm(cpu, expected, semiring("plus_times"), a, a, {.mask = &a, .mask_structure = true});
    ASSERT_NO_FATAL_FAILURE(expect_equal(expected, c, true));
}

}  // namespace
}  // namespace nz::test
