// Products with a sparse vector that one block of a GPU gathers, sorts and sums, and those just beyond what it holds. Skipped where
// there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "plan/mxv_workspace.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace nz::test {
namespace {

class MxvFewOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};

constexpr index_t rows = 20000, columns = 9000;

// `count` columns of `rows` with `products` entries in all, columns without any among them; every seventh entry in the row `hub`, if a
// column has it not yet.
dictionary columns_of(offset_t products, index_t count, index_t hub, dtype type, std::mt19937& random) {
    dictionary a{rows, columns, type, {}};
    std::vector<index_t> left(static_cast<std::size_t>(count));
    for (offset_t p = 0; p < products; ++p) ++left[random() % static_cast<std::size_t>(count) / 2 * 2];
    for (index_t j = 0; j < count; ++j)
        for (index_t k = 0; k < left[static_cast<std::size_t>(j)]; ++k) {
            index_t row = k % 7 == 0 ? hub : static_cast<index_t>(random() % rows);
            while (a.entries.contains({row, j})) row = (row + 1) % rows;
            a.entries[{row, j}] = random_value(type, random);
        }
    return a;
}

TEST_F(MxvFewOnDevice, AreWhatTheModelSaysOnBothSidesOfTheLimits) {
    std::mt19937 random(31);
    const context ctx({.backend = backend::cuda});
    constexpr offset_t most = plan::block_products;
    for (const auto* name : {"plus_times_int64", "plus_times_fp64", "min_plus_fp32", "any_secondi_int32",
                             "lor_land_bool", "plus_pair_int64"}) {
        const semiring s(name);
        const dtype type = *s.pinned_type();
        for (const offset_t products :
             {offset_t{0}, offset_t{1}, offset_t{2}, offset_t{33}, offset_t{511}, offset_t{512},
              offset_t{513}, offset_t{3072}, offset_t{3073}, most - 1, most, most + 1, 2 * most})
            for (const index_t count : {1, 40, 513, 3073, 8192, 8193}) {
                if (count == 1 && products > rows) continue;
                SCOPED_TRACE(std::string(name) + ", " + std::to_string(products) + " products of " +
                             std::to_string(count) + " columns");
                const dictionary a = columns_of(products, count, rows - 1, type, random);
                dictionary u{columns, 1, type, {}};
                for (index_t j = 0; j < count; ++j) u.entries[{j, 0}] = random_value(type, random);
                const matrix left = make_matrix(ctx, a);
                const vector right = make_vector(ctx, u, vector_form::sparse);
                vector w(ctx, s.value_type(type, type), rows);
                mxv(ctx, w, s, left, right, {.kernel = "csc_gather_radix"});
                ASSERT_TRUE(same(model_mxm(s, a, u), w));
            }
    }
}

TEST_F(MxvFewOnDevice, ObeyMasks) {
    std::mt19937 random(32);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_int64");
    for (const offset_t products : {60, 2000, 7000}) {
        const dictionary a = columns_of(products, 50, 17, dtype::int64, random);
        dictionary u{columns, 1, dtype::int64, {}};
        for (index_t j = 0; j < 50; ++j) u.entries[{j, 0}] = random_value(dtype::int64, random);
        const dictionary t = model_mxm(s, a, u);
        const matrix left = make_matrix(ctx, a);
        const vector right = make_vector(ctx, u, vector_form::sparse);
        check_settings<vector>(ctx, rows, 1, dtype::int64, random, written(t),
                               [&](vector& w, vector_options options) {
                                   options.kernel = "csc_gather_radix";
                                   mxv(ctx, w, s, left, right, options);
                               });
        const vector nothing(ctx, dtype::boolean, rows);
        vector w(ctx, dtype::int64, rows);
        mxv(ctx, w, s, left, right, {.mask = &nothing, .replace = true, .kernel = "csc_gather_radix"});
        EXPECT_EQ(w.count(), 0);
    }
}

// All products in one row: what a block sums in one run, in the same bits each time.
TEST_F(MxvFewOnDevice, OfOneRowAreSummedTheSameEveryTime) {
    std::mt19937 random(33);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_fp64");
    for (const index_t count : {500, 3000, 8000}) {
        dictionary a{rows, columns, dtype::float64, {}}, u{columns, 1, dtype::float64, {}};
        for (index_t j = 0; j < count; ++j) {
            a.entries[{7, j}] = to_element(1.0 / (1 + j));
            u.entries[{j, 0}] = to_element(1.0 + j % 3);
        }
        const matrix left = make_matrix(ctx, a);
        const vector right = make_vector(ctx, u, vector_form::sparse);
        std::vector<std::uint64_t> bits;
        for (int k = 0; k < 5; ++k) {
            vector w(ctx, dtype::float64, rows);
            mxv(ctx, w, s, left, right, {.kernel = "csc_gather_radix"});
            ASSERT_EQ(w.count(), 1);
            double expected = 0;
            for (index_t j = 0; j < count; ++j) expected += 1.0 / (1 + j) * (1.0 + j % 3);
            const double found = w.get(7)->get<double>();
            EXPECT_NEAR(found, expected, 1e-12 * expected);
            bits.push_back(std::bit_cast<std::uint64_t>(found));
        }
        EXPECT_EQ(bits, std::vector(bits.size(), bits[0]));
    }
}

// The mean says few, and a hub among the columns has many.
TEST_F(MxvFewOnDevice, MoreProductsThanTheMeanSaidAreSharedOut) {
    std::mt19937 random(34);
    const context ctx({.backend = backend::cuda});
    const semiring s("min_plus_fp64");
    dictionary a{rows, columns, dtype::float64, {}};
    for (index_t i = 0; i < rows; ++i) a.entries[{i, 3}] = random_value(dtype::float64, random);
    for (index_t j = 10; j < 200; ++j) a.entries[{j * 3, j}] = random_value(dtype::float64, random);
    dictionary u{columns, 1, dtype::float64, {}};
    for (const index_t j : {3, 50, 60}) u.entries[{j, 0}] = random_value(dtype::float64, random);
    const matrix left = make_matrix(ctx, a);
    const vector right = make_vector(ctx, u, vector_form::sparse);
    for (const auto* kernel :
         {"csc_gather_radix", ""}) {  // the first has the columns made that the plan asks for
        vector w(ctx, dtype::float64, rows);
        mxv(ctx, w, s, left, right, {.kernel = kernel});
        EXPECT_TRUE(same(model_mxm(s, a, u), w)) << kernel;
    }
}

// The mean says many, and the listed columns are short: one block has them once they have been counted.
TEST_F(MxvFewOnDevice, FewerProductsThanTheMeanSaidNeedNoWorkspace) {
    std::mt19937 random(35);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_int64");
    dictionary a{rows, columns, dtype::int64, {}}, u{columns, 1, dtype::int64, {}};
    for (index_t j = 0; j < columns; ++j)
        for (index_t k = 0; k < (j < 1000 ? 1 : 10); ++k)
            a.entries[{(j * 7 + k * 311) % rows, j}] = random_value(dtype::int64, random);
    for (index_t j = 0; j < 1000; ++j) u.entries[{j, 0}] = random_value(dtype::int64, random);
    const matrix left = make_matrix(ctx, a);
    const vector right = make_vector(ctx, u, vector_form::sparse);
    vector w(ctx, dtype::int64, rows);
    EXPECT_EQ(mxv(ctx, w, s, left, right, {.kernel = "csc_gather_radix"}).workspace_bytes, 0U);
    EXPECT_TRUE(same(model_mxm(s, a, u), w));
}

// All of u is there, and a pull would make offsets for every column of A first.
TEST_F(MxvFewOnDevice, AFullVectorPushesTheRowsOfAVeryWideMatrix) {
    std::mt19937 random(36);
    const context ctx({.backend = backend::cuda});
    constexpr index_t few = 5, wide = 30000000;
    for (const auto* name : {"plus_times_fp64", "min_plus_int64", "plus_first_fp32"}) {
        const semiring s(name);
        const dtype type = *s.pinned_type();
        for (const offset_t entries : {40, 30000}) {
            dictionary a{few, wide, type, {}}, u{few, 1, type, {}};
            for (offset_t k = 0; k < entries; ++k)
                a.entries[{static_cast<index_t>(random() % few), static_cast<index_t>(random() % wide)}] =
                    random_value(type, random);
            for (index_t i = 0; i < few; ++i) u.entries[{i, 0}] = random_value(type, random);
            const dictionary expected = transposed(model_mxm(s, transposed(u), a));
            for (const vector_form form : {vector_form::dense, vector_form::bitmap, vector_form::sparse}) {
                vector w(ctx, s.value_type(type, type), wide);
                const mxv_plan plan = vxm(ctx, w, s, make_vector(ctx, u, form), make_matrix(ctx, a));
                EXPECT_EQ(plan.direction, direction::push) << to_string(plan);
                EXPECT_TRUE(same(expected, w)) << name << entries;
            }
        }
    }
}

}  // namespace
}  // namespace nz::test
