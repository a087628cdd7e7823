// Slices: what goes in comes out, the sample says beforehand what they will take, and they are made and dropped when they should be.
#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"
#include "plan/mxv.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using storage::csr;

TEST(Slices, HoldEveryEntryOnce) {
    std::mt19937 random(20261124);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        auto cases = matrix_battery(dtype::float64, random);
        for (auto& larger : larger_matrices(dtype::float64, random)) cases.push_back(std::move(larger));
        for (const auto& [name, content] : cases) {
            const matrix a = make_matrix(ctx, content);
            const csr& rows = a.body().rows();
            const auto t = storage::make_dia_slices(ctx, rows, dtype::float64);
            validate(t, name.c_str());
            EXPECT_TRUE(same_entries(rows, to_csr(ctx, t))) << name;
        }
    }
}

// As many diagonals in every slice where that adds little; then nothing says where they begin.
TEST(Slices, HaveAPitchWhereItCostsLittle) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const auto pitch_of = [&](const char* name, int expected) {
        const matrix a = load(ctx, name).matrix;
        const csr& rows = a.body().rows();
        const auto t = storage::make_dia_slices(ctx, rows, a.type());
        validate(t, name);
        EXPECT_EQ(t.pitch, expected) << name;
        EXPECT_EQ(t.starts.bytes() == 0, expected > 0) << name;
        if (expected) {
            EXPECT_EQ(t.count, offset_t{expected} * t.slices()) << name;
        }
        EXPECT_TRUE(same_entries(rows, to_csr(ctx, t))) << name;
    };
    pitch_of("laplace2d:150", 5);
    pitch_of("grid2d:150", 4);
    pitch_of("banded:5001,3", 3);
    pitch_of("banded:5001,21", 21);
    pitch_of("laplace3d:20", 0);    // 4% more
    pitch_of("banded:5001,41", 0);  // many
    pitch_of("rmat:10,8", 0);
}

TEST(Slices, ASampleForetellsTheirDiagonals) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const auto* name : {"laplace3d:30", "banded:20000,21", "laplace2d:200", "dense:960,1500"}) {
        const matrix a = load(ctx, name).matrix;
        const csr& rows = a.body().rows();
        const auto t = storage::make_dia_slices(ctx, rows, a.type());
        const double exact = static_cast<double>(t.count) / static_cast<double>(rows.nnz);
        EXPECT_NEAR(storage::sample_slices(rows), exact, 0.05 * exact) << name;
        EXPECT_TRUE(plan::slices_pay(exact, 8)) << name << ' ' << 32 * exact;
    }
    for (const auto* name : {"rmat:12,8", "random:20000,8"}) {
        const matrix a = load(ctx, name).matrix;
        EXPECT_FALSE(plan::slices_pay(storage::sample_slices(a.body().rows()), 8)) << name;
    }
}

// Kernels of `products` products in a row.
std::vector<std::string> kernels_of(const context& ctx, const semiring& s, const matrix& a, dtype type,
                                    int products, determinism order = determinism::strict) {
    const vector u = vector::full(ctx, a.columns(), 1.0);
    std::vector<std::string> kernels;
    for (int k = 0; k < products; ++k) {
        vector w(ctx, type, a.rows());
        kernels.emplace_back(mxv(ctx, w, s, a, u, {.determinism = order}).kernel);
    }
    return kernels;
}

TEST(Slices, AreMadeWhereProductsAreExpectedUntilTheMatrixChanges) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    matrix a = load(ctx, "laplace2d:150").matrix;
    const semiring s("plus_times");
    const int many = static_cast<int>(plan::slices_from_products);
    // Sums of floats keep their order, however many there were.
    EXPECT_NE(kernels_of(ctx, s, a, dtype::float64, many + 2).back(), "dia_slice");
    a.expect_products(many - 1);
    EXPECT_NE(kernels_of(ctx, s, a, dtype::float64, 1)[0], "dia_slice");
    a.expect_products(many);
    EXPECT_EQ(kernels_of(ctx, s, a, dtype::float64, 1)[0], "dia_slice");
    const matrix shares = a;
    EXPECT_EQ(kernels_of(ctx, s, shares, dtype::float64, 1)[0], "dia_slice");
    a.set(0, 1, 5.0);
    EXPECT_NE(kernels_of(ctx, s, a, dtype::float64, 1)[0], "dia_slice");
    EXPECT_EQ(kernels_of(ctx, s, shares, dtype::float64, 1)[0], "dia_slice");
    a.set(0, 2, 6.0);  // not merged yet
    a.expect_products(many);
    EXPECT_EQ(kernels_of(ctx, s, a, dtype::float64, 1)[0], "dia_slice");
    for (index_t j = 0; j < 400; ++j) a.set(7000, 50 * j, 1.0);
    a.expect_products(many);
    EXPECT_NE(kernels_of(ctx, s, a, dtype::float64, 1)[0], "dia_slice") << "one row is long";
    EXPECT_THROW(a.expect_products(-1), domain_error);
}

TEST(Slices, AreMadeAfterManyProductsWhoseOrderDoesNotMatter) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const int many = static_cast<int>(plan::slices_from_products);
    const matrix a = load(ctx, "laplace2d:150").matrix;
    const auto exact = kernels_of(ctx, semiring("min_plus"), a, dtype::float64, many + 1);
    EXPECT_NE(exact[static_cast<std::size_t>(many) - 1], "dia_slice");
    EXPECT_EQ(exact[static_cast<std::size_t>(many)], "dia_slice");
    const matrix b = load(ctx, "laplace2d:150").matrix;
    EXPECT_EQ(kernels_of(ctx, semiring("plus_times"), b, dtype::float64, many + 1, determinism::fast).back(),
              "dia_slice");
}

}  // namespace
}  // namespace nz::test
