// Slices of equally long rows: what goes in comes out, the share says beforehand what they will hold, and they are made and dropped when they
// should be, by ranked columns where a few have many of the entries.
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

using storage::csr;

TEST(EllSlices, HoldEveryRowOnce) {
    std::mt19937 random(20261125);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        auto cases = matrix_battery(dtype::float64, random);
        for (auto& larger : larger_matrices(dtype::float64, random)) cases.push_back(std::move(larger));
        std::vector<std::pair<std::string, matrix>> all;
        for (const auto& [name, content] : cases) all.emplace_back(name, make_matrix(ctx, content));
        for (const auto* name :
             {"rmat_directed:12,8", "random:200000,3", "lp:64,5000,90000"})  // several windows
            all.emplace_back(name, load(ctx, name).matrix);
        for (const auto& [name, a] : all)
            for (const bool ranked : {false, true}) {
                const csr& rows = a.body().rows();
                const auto t = storage::make_ell_slices(ctx, rows, ranked, rows.type);
                ASSERT_NO_THROW(validate(t, name.c_str())) << name;
                EXPECT_TRUE(same_entries(rows, to_csr(ctx, t))) << name << ", ranked " << ranked;
                const offset_t held = t.starts.as<offset_t>()[t.slices];
                EXPECT_EQ(storage::share_in_ell_slices(ctx, rows),
                          rows.nnz ? static_cast<double>(held) / static_cast<double>(rows.nnz) : 0)
                    << name;
            }
    }
}

TEST(EllSlices, ThatAreWrongAreRefused) {
    const context ctx({.backend = backend::cpu, .threads = 1});
    const matrix a = load(ctx, "rmat_directed:10,4").matrix;
    const auto spoilt = [&](auto&& spoil) {
        auto t = storage::make_ell_slices(ctx, a.body().rows(), true, dtype::float64);
        ASSERT_GT(t.slices, 2);
        ASSERT_GT(t.whole, 2);
        spoil(t);
        validate(t, "slices");
    };
    EXPECT_NO_THROW(spoilt([](auto&) {}));
    const auto refused = [&](auto&& spoil) { EXPECT_THROW(spoilt(spoil), invalid_format); };
    refused([](auto& t) { t.rows.template as<index_t>()[3] = t.rows.template as<index_t>()[4]; });
    refused([](auto& t) { t.rows.template as<index_t>()[0] = 1024; });
    refused([](auto& t) { t.starts.template as<offset_t>()[1] += 32; });
    refused([](auto& t) { ++t.whole_starts.template as<offset_t>()[1]; });
    refused([](auto& t) { t.present.template as<std::uint64_t>()[2] ^= 1; });
    refused([](auto& t) { t.places.template as<index_t>()[5] ^= 1; });
    refused(
        [](auto& t) { std::swap(t.columns.template as<index_t>()[0], t.columns.template as<index_t>()[1]); });
}

TEST(EllSlices, HoldWhatHasManyRowsOfALength) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const auto share = [&](const char* name) {
        return storage::share_in_ell_slices(ctx, load(ctx, name).matrix.body().rows());
    };
    EXPECT_EQ(share("random:100000,16"), 1);
    EXPECT_GT(share("powerlaw:100000"), 0.7);
    EXPECT_TRUE(plan::ell_pays(share("rmat_directed:17,8")));
    EXPECT_FALSE(plan::ell_pays(share("lp:200,50000,500000")));
    EXPECT_EQ(share("dense:64,2000"), 0) << "rows of several pages";
}

TEST(EllSlices, AreMadeWhereProductsAreExpectedUntilTheMatrixChanges) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    matrix a = load(ctx, "random:200000,8").matrix;
    vector w(ctx, dtype::float64, a.rows());
    const vector u = whole_numbers(ctx, a.columns());
    const auto product = [&](const char* kernel = "") {
        return mxv(ctx, w, semiring("plus_times_fp64"), a, u, {.kernel = kernel});
    };
    EXPECT_NE(product().kernel, "ell_slice");
    a.expect_products(plan::ell_from_products);
    for (const bool first : {true, false}) {
        const mxv_plan plan = product();
        EXPECT_EQ(plan.kernel, "ell_slice");
        EXPECT_EQ(plan.builds_ell, first);
        EXPECT_FALSE(plan.ranked) << "u fits a core's cache";
    }
    const matrix kept = a;
    EXPECT_FALSE(product("ell_slice").builds_ell);
    a.set(0, 1, 5.0);
    EXPECT_NE(product().kernel, "ell_slice");
    EXPECT_TRUE(product("ell_slice").builds_ell);
    vector columns(ctx, dtype::float64, a.columns());
    EXPECT_TRUE(
        mxv(ctx, columns, semiring("plus_times_fp64"), a, w, {.transpose_a = true, .kernel = "ell_slice"})
            .builds_ell);
}

TEST(EllSlices, ReadRankedColumnsWhereAFewHaveManyOfTheEntries) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = of_hot_columns(ctx, 60000, [](index_t i) { return i % 300 == 7 ? 900 : i % 4 * 20; });
    a.expect_products(plan::ell_from_products);
    const vector u = whole_numbers(ctx, hot_matrix_columns);
    vector gaps(ctx, dtype::float64, hot_matrix_columns);
    select(ctx, gaps, index_unary_op("valuege"), u, 400.0);
    for (const auto* ring : {"plus_times_fp64", "min_plus_fp64", "max_second_fp64", "plus_pair_int64"})
        for (const vector* of : {&u, static_cast<const vector*>(&gaps)}) {
            const semiring s(ring);
            const dtype type = s.value_type(a.type(), u.type());
            vector expected(ctx, type, a.rows()), w(ctx, type, a.rows());
            mxv(ctx, expected, s, a, *of, {.kernel = "csr_row"});
            const mxv_plan plan = mxv(ctx, w, s, a, *of, {.kernel = "ell_slice"});
            EXPECT_EQ(plan.ranked, !s.ignores_b()) << ring;
            for (index_t i = 0; i < a.rows(); ++i)
                ASSERT_EQ(expected.get(i), w.get(i)) << ring << ", row " << i;
        }
    vector w(ctx, dtype::float64, a.rows());
    const mxv_plan plan = mxv(ctx, w, semiring("plus_times_fp64"), a, u, {});
    EXPECT_EQ(plan.kernel, "ell_slice");
    EXPECT_TRUE(plan.ranked && !plan.builds_ell);
}

}  // namespace
}  // namespace nz::test
