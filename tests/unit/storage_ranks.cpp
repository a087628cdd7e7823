// Ranks of columns: every column once, by its entries; the sample tells where they pay; they are made and dropped when they should be.
#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"
#include "nonzero/operations.hpp"
#include "plan/mxv.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"
#include "support/hot_columns.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

TEST(Ranks, HoldEveryColumnOnceByItsEntries) {
    std::mt19937 random(20261126);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        auto cases = matrix_battery(dtype::float64, random);
        for (auto& larger : larger_matrices(dtype::float64, random)) cases.push_back(std::move(larger));
        for (const auto& [name, content] : cases) {
            const matrix a = make_matrix(ctx, content);
            EXPECT_NO_THROW(validate(storage::make_ranked_columns(ctx, a.body().rows()), name.c_str()))
                << name;
        }
        const matrix graph = load(ctx, "rmat_directed:12,8").matrix;  // pieces for several threads
        EXPECT_NO_THROW(validate(storage::make_ranked_columns(ctx, graph.body().rows()), "rmat"));
    }
}

TEST(Ranks, ThatAreWrongAreRefused) {
    const context ctx({.backend = backend::cpu, .threads = 1});
    const matrix a = load(ctx, "rmat_directed:6,4").matrix;
    const auto spoilt = [&](auto&& spoil) {
        auto t = storage::make_ranked_columns(ctx, a.body().rows());
        spoil(t.columns.as<index_t>(), t.ranks.as<index_t>());
        validate(t, "ranks");
    };
    EXPECT_NO_THROW(spoilt([](index_t*, index_t*) {}));
    EXPECT_THROW(spoilt([](index_t* columns, index_t*) { columns[3] = columns[4]; }), invalid_format);
    EXPECT_THROW(spoilt([](index_t* columns, index_t*) { columns[0] = 64; }), invalid_format);
    EXPECT_THROW(spoilt([](index_t* columns, index_t*) { std::swap(columns[0], columns[63]); }),
                 invalid_format);
    EXPECT_THROW(spoilt([](index_t*, index_t* ranks) { ranks[5] ^= 1; }), invalid_format);
}

TEST(Ranks, ASampleTellsWhetherAFewColumnsHaveManyOfTheEntries) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const auto* name : {"rmat_directed:18,4", "rmat:16,8"})
        EXPECT_GT(storage::sample_hot_columns(load(ctx, name).matrix.body().rows()), plan::hot_columns_share)
            << name;
    for (const auto* name : {"random:300000,4", "laplace2d:400", "banded:200000,5"})
        EXPECT_LT(storage::sample_hot_columns(load(ctx, name).matrix.body().rows()),
                  plan::hot_columns_share / 4)
            << name;
    EXPECT_EQ(storage::sample_hot_columns(matrix(ctx, dtype::float64, 5, 5).body().rows()), 0);
}

TEST(Ranks, AreMadeWhereProductsAreExpectedUntilTheMatrixChangesAndKeepTheBitsOfWholeRows) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    // No slice of equally long rows has 32 of them.
    matrix a = of_hot_columns(ctx, 3000, [](index_t i) { return 20 + i / 31; });
    std::vector<double> x(hot_matrix_columns);
    std::mt19937 random(5);
    for (double& v : x) v = static_cast<double>(random()) / 3;
    const vector u = vector::dense<double>(ctx, x);
    const auto product = [&](vector& w, const char* kernel = "") {
        return mxv(ctx, w, semiring("plus_times"), a, u, {.kernel = kernel});
    };
    vector by_rows(ctx, dtype::float64, 3000), w(ctx, dtype::float64, 3000);
    EXPECT_NE(product(w).kernel, "csr_ranked");
    product(by_rows, "csr_row");
    a.expect_products(plan::ranks_from_products);
    for (const bool first : {true, false}) {
        const mxv_plan plan = product(w);
        EXPECT_EQ(plan.kernel, "csr_ranked");
        EXPECT_EQ(plan.builds_ranks, first);
        for (index_t i = 0; i < 3000; ++i)
            ASSERT_EQ(w.get(i)->get<double>(), by_rows.get(i)->get<double>()) << i;
    }
    const matrix kept = a;
    EXPECT_FALSE(product(w, "csr_ranked").builds_ranks);
    a.set(0, 1, 5.0);
    EXPECT_NE(product(w).kernel, "csr_ranked");
    EXPECT_TRUE(product(w, "csr_ranked").builds_ranks);
    // Nothing of u's values is read: there is nothing to bring near.
    vector counts(ctx, dtype::int64, 3000);
    const mxv_plan plan = mxv(ctx, counts, semiring("plus_pair_int64"), a, u, {.kernel = "csr_ranked"});
    EXPECT_FALSE(plan.builds_ranks);
    EXPECT_EQ(counts.get(1)->get<std::int64_t>(), 20);
    vector lengths(ctx, dtype::int64, hot_matrix_columns);
    EXPECT_FALSE(mxv(ctx, lengths, semiring("plus_pair_int64"), a, by_rows,
                     {.transpose_a = true, .kernel = "csr_ranked"})
                     .builds_ranks);
}

}  // namespace
}  // namespace nz::test
