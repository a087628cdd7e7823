// mxm/dia_dia on bands of every make, against the reference bit for bit: full ones, rectangles, meshes of separate diagonals,
// gaps, explicit zeros and NaN beside gaps, bands that change from row to row.
#include "instantiate/mxm_cells.hpp"
#include "kernels/cpu/mxm/dia_dia.hpp"
#include "ops/mxm_product.hpp"
#include "storage/matrix_body.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"
#include "support/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace nz::test {
namespace {

// The places of these diagonals that `keep` keeps; values are neither alike nor exact in sums.
matrix band(
    const context& ctx, index_t rows, index_t columns, const std::vector<index_t>& diagonals,
    const std::function<bool(index_t, index_t)>& keep = [](index_t, index_t) { return true; },
    const std::function<double(index_t, index_t)>& value =
        [](index_t i, index_t j) { return 1.0 / (1 + (i * 31 + j * 17) % 97); }) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    for (index_t row = 0; row < rows; ++row)
        for (const index_t d : diagonals)
            if (row + d >= 0 && row + d < columns && keep(row, row + d)) {
                i.push_back(row);
                j.push_back(row + d);
                x.push_back(value(row, row + d));
            }
    return matrix::build<double>(ctx, {rows, columns, i, j, x});
}

std::vector<index_t> around(index_t low, index_t high) {
    std::vector<index_t> all;
    for (index_t d = low; d <= high; ++d) all.push_back(d);
    return all;
}

double share(const matrix& a, const matrix& b) {
    kernels::mxm_arguments k;
    k.a = ops::structure_of(a.body().rows());
    k.b = ops::structure_of(b.body().rows());
    k.rows = static_cast<index_t>(a.rows());
    return kernels::cpu::dia_dia_share(k);
}

void expect_references(const context& ctx, const matrix& a, const matrix& b, const char* what) {
    for (const auto* ring :
         {"plus_times_fp64", "min_plus_fp64", "any_second_fp64", "any_secondi_int32", "plus_times_fp32",
          "lor_land", "plus_times_int64", "plus_pair_int64", "max_second_fp64", "min_first_int64"}) {
        const semiring s(ring);
        const dtype type = s.value_type(dtype::float64, dtype::float64);
        matrix c(ctx, type, a.rows(), b.columns()), expected = c;
        ASSERT_EQ(mxm(ctx, c, s, a, b, {.kernel = "dia_dia"}).kernel, "dia_dia");
        mxm(ctx, expected, s, a, b, {.kernel = "reference"});
        c.validate();
        ASSERT_TRUE(same_bits(expected, c)) << what << ", " << ring;
    }
}

TEST(DiagonalProducts, OfBandsAreTheReferences) {
    for (const int threads : {1, 3}) {
        const context ctx = with_threads(threads);
        const matrix wide = band(ctx, 500, 500, around(-10, 10)), upper = band(ctx, 500, 500, around(0, 6)),
                     lower = band(ctx, 500, 500, around(-30, -20));
        EXPECT_GT(share(wide, wide), 0.8);
        EXPECT_GT(share(wide, upper), 0.8);
        expect_references(ctx, wide, wide, "wide");
        expect_references(ctx, wide, upper, "upper");
        expect_references(ctx, lower, wide, "lower");
        expect_references(ctx, upper, lower, "upper by lower");
        expect_references(ctx, band(ctx, 400, 600, around(90, 100)), band(ctx, 600, 300, around(-200, -180)),
                          "rectangles");
        expect_references(ctx, band(ctx, 300, 300, around(-60, 60)), band(ctx, 300, 300, around(-2, 2)),
                          "more diagonals than a tile holds");
        expect_references(ctx, band(ctx, 300, 300, around(-2, 2)), band(ctx, 300, 300, around(-60, 60)),
                          "the same in B");
    }
}

TEST(DiagonalProducts, OfMeshesAreTheReferences) {
    const context ctx = with_threads(2);
    for (const auto* mesh : {"laplace2d:40", "laplace3d:24"}) {
        if (NONZERO_SANITIZED && mesh[7] == '3') continue;  // more than half a minute there
        const matrix a = load(ctx, mesh).matrix;
        EXPECT_GT(share(a, a), mesh[7] == '2' ? 0.5 : 0.2) << mesh;
        expect_references(ctx, a, a, mesh);
    }
    const matrix apart = band(ctx, 600, 600, {-100, -99, -3, 0, 7, 8, 9, 200}),
                 near = band(ctx, 600, 600, {-2, 0, 1, 40});
    EXPECT_GT(share(apart, near), 0.3);
    expect_references(ctx, apart, near, "diagonals apart");
    expect_references(ctx, near, apart, "diagonals apart in B");
}

// Lines of a mesh name rows of B that the line before did, which stay where they lie while there is room; with 60 diagonals there is for
// hardly more than one tile's.
TEST(DiagonalProducts, OfLinesThatShareRowsOfBAreTheReferences) {
    const context ctx = with_threads(2);
    constexpr index_t line = 70, rows = 20 * line;
    const auto beside = [](index_t i, index_t j) { return std::abs(i % line - j % line) <= 1; };
    const matrix mesh = band(ctx, rows, rows, {-71, -70, -69, -1, 0, 1, 69, 70, 71}, beside,
                             [](index_t i, index_t j) { return 1.0 / (1 + (i * 13 + j * 7) % 89); });
    const matrix wide = band(ctx, rows, rows, around(-29, 30)),
                 far = band(ctx, rows, rows, {-600, -599, -300, -299, 0, 1, 300, 301, 600});
    EXPECT_GT(share(mesh, mesh), 0.8);
    EXPECT_GT(share(mesh, wide), 0.5);
    expect_references(ctx, mesh, mesh, "lines of 70");
    expect_references(ctx, mesh, wide, "60 diagonals in B");
    expect_references(ctx, far, wide, "runs of rows of B far apart");
}

// B is the first rows of a taller A, over the same arrays: what is known of B's rows says nothing of those beyond.
TEST(DiagonalProducts, OfATallMatrixAndItsOwnFirstRowsAreTheReferences) {
    const context ctx = with_threads(2);
    constexpr index_t rows = 4000, columns = 900;
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> places;
    for (index_t i = 0; i < rows; ++i) {
        const index_t first = i < columns ? i : i * 37 % 400;  // a band, and then rows that break it
        for (index_t d = 0; d < (i % 53 == 0 ? 2 : 4) && first + d < columns; ++d)
            places.push_back(first + d);
        offsets.push_back(static_cast<std::int32_t>(places.size()));
    }
    std::vector<double> values(places.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(1 + k % 89);
    const std::span<const std::int32_t> all(offsets);
    const auto head = static_cast<std::size_t>(offsets[columns]);
    const matrix a =
        matrix::borrow_csr(ctx, csr_view<double, std::int32_t>{rows, columns, all, places, values});
    const matrix b =
        matrix::borrow_csr(ctx, csr_view<double, std::int32_t>{columns, columns, all.first(columns + 1),
                                                               std::span<const index_t>(places).first(head),
                                                               std::span<const double>(values).first(head)});
    expect_references(ctx, a, b, "its own first rows");
    for (const char* kernel : {"", "dia_dia"}) {
        matrix c(ctx, dtype::float64, rows, columns), expected = c;
        mxm(ctx, c, semiring("plus_times"), a, b, {.kernel = kernel});
        mxm(ctx, expected, semiring("plus_times"), a, b, {.kernel = "hash"});
        c.validate();
        ASSERT_TRUE(same_bits(expected, c)) << kernel;
    }
}

// Results beyond the caches go past them; rows begin anywhere in a line of memory.
TEST(DiagonalProducts, OfManyEntriesAreTheSame) {
    for (const int threads : {1, 3}) {
        const context ctx = with_threads(threads);
        const matrix a = load(ctx, "laplace2d:210").matrix;
        for (const auto* ring : {"plus_times_fp64", "plus_times_fp32", "plus_pair_int64"}) {
            const semiring s(ring);
            matrix c(ctx, s.value_type(a.type(), a.type()), a.rows(), a.rows()), expected = c;
            mxm(ctx, c, s, a, a, {.kernel = "dia_dia"});
            mxm(ctx, expected, s, a, a, {.kernel = "hash"});
            c.validate();
            ASSERT_GT(c.nnz(), (4 << 20) / 8) << "fewer stay in the caches";
            ASSERT_TRUE(same_bits(expected, c)) << ring;
        }
    }
}

TEST(DiagonalProducts, KeepEntriesThatAreZeroAndGapsThatAreNone) {
    const context ctx = with_threads(2);
    const auto some = [](index_t i, index_t j) { return i % 90 != 17 || j % 3 == 0; };
    const auto odd = [](index_t i, index_t j) {
        const double values[] = {0.0, -0.0, std::numeric_limits<double>::infinity(), 2.5, -1.5};
        return values[(i * 7 + j) % 5];
    };
    const matrix gaps = band(ctx, 700, 700, around(-4, 4), some),
                 zeros = band(ctx, 700, 700, around(-4, 4), some,
                              [](index_t i, index_t j) { return i % 3 ? 0.0 : i - j; });
    expect_references(ctx, gaps, zeros, "zeros");
    expect_references(ctx, zeros, gaps, "zeros in A");
    matrix c(ctx, dtype::float64, 700, 700), expected = c;
    const matrix infinite = band(ctx, 700, 700, around(-4, 4), some, odd);
    mxm(ctx, c, semiring("plus_times_fp64"), infinite, gaps, {.kernel = "dia_dia"});
    mxm(ctx, expected, semiring("plus_times_fp64"), infinite, gaps, {.kernel = "hash"});
    const auto u = c.csr<double>(), v = expected.csr<double>();
    ASSERT_TRUE(std::ranges::equal(u.columns, v.columns));
    for (std::size_t k = 0; k < u.values.size(); ++k)
        ASSERT_TRUE(u.values[k] == v.values[k] || (std::isnan(u.values[k]) && std::isnan(v.values[k]))) << k;
}

TEST(DiagonalProducts, ArePlannedForBandsAlone) {
    const context ctx = with_threads(2);
    const semiring s("plus_times");
    const auto planned = [&](const matrix& a, const matrix_options& options = {}) {
        matrix c(ctx, dtype::float64, a.rows(), a.columns());
        return mxm(ctx, c, s, a, a, options).kernel;
    };
    const matrix wide = band(ctx, 3000, 3000, around(-7, 7));
    EXPECT_EQ(planned(wide), "dia_dia");
    EXPECT_EQ(planned(band(ctx, 3000, 3000, around(-20, 20))), "dia_dia") << "many products a row";
    EXPECT_NE(planned(wide, {.mask = &wide}), "dia_dia");
    EXPECT_NE(planned(band(ctx, 3000, 3000, around(0, 1))), "dia_dia") << "few products a row";
    EXPECT_NE(planned(band(ctx, 3000, 3000, around(-7, 7), [](index_t i, index_t) { return i % 20 != 3; })),
              "dia_dia")
        << "a gap in every tile";
    EXPECT_NE(planned(load(ctx, "random:3000,21").matrix), "dia_dia");
    EXPECT_EQ(share(load(ctx, "random:3000,21").matrix, wide), 0);
    EXPECT_EQ(share(matrix(ctx, dtype::float64, 0, 0), matrix(ctx, dtype::float64, 0, 0)), 0);
}

}  // namespace
}  // namespace nz::test
