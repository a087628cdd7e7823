// Products over semirings that are not compiled but have the results of one that is: by the compiled kernels, on whichever side, entry for
// entry what the dictionary model says.
#include "algebra/stand_in.hpp"
#include "ops/mxm_product.hpp"
#include "ops/mxv_product.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nz::test {
namespace {

constexpr unsigned stand_in_seed = 20261130;

bool stands_in(const semiring& s, dtype a, dtype b, auto&& is_compiled) {
    try {
        return !is_compiled(s) && algebra::stand_in(s, a, b, is_compiled);
    } catch (const domain_error&) {  // a bitwise monoid of floats
        return false;
    }
}

class StandIns : public ::testing::TestWithParam<dtype> {
protected:
    std::mt19937 random{stand_in_seed};
    dictionary some(index_t rows, index_t columns, dtype type) {
        return random_dictionary(rows, columns, 0.3, type, random);
    }
};
INSTANTIATE_TEST_SUITE_P(Types, StandIns, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(StandIns, OfProductsOfMatricesAreWhatTheModelSays) {
    const dtype type = GetParam();
    int met = 0;
    for (const dtype other : {type, dtype::boolean, dtype::int8, dtype::float32})
        for (const std::string& name : semiring_names()) {
            const semiring s(name);
            if (!stands_in(s, type, other,
                           [&](const semiring& r) { return ops::mxm_cell_of(r, type, other); }))
                continue;
            ++met;
            const dictionary a = some(31, 20, type), b = some(20, 70, other), t = model_mxm(s, a, b);
            for (const context& ctx : contexts()) {
                matrix c(ctx, t.type, 31, 70);
                const auto plan = mxm(ctx, c, s, make_matrix(ctx, a), make_matrix(ctx, b));
                EXPECT_EQ(plan.tier, tier::compiled) << name;
                EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr) << name;
                ASSERT_TRUE(same(t, c)) << name << " of " << name_of(type) << " and " << name_of(other);
            }
        }
    EXPECT_GE(met, 8);
}

TEST_P(StandIns, OfProductsWithVectorsAreWhatTheModelSays) {
    const dtype type = GetParam();
    for (const dtype other : {type, dtype::boolean, dtype::int8, dtype::float32})
        for (const std::string& name : semiring_names()) {
            const semiring s(name), exchanged(s.add(), s.multiply().exchanged());
            const auto cell = [&](const semiring& r) { return ops::mxv_cell_of(r, type, other); };
            const bool pulls = stands_in(s, type, other, cell),
                       turns = stands_in(exchanged, type, other, cell);
            if (!pulls && !turns) continue;
            const dictionary a = some(140, 90, type), u = some(90, 1, other);
            const dictionary by_rows = model_mxm(s, a, u),
                             by_columns = model_mxm(s, transposed(u), transposed(a));
            for (const context& ctx : contexts()) {
                const vector x = make_vector(ctx, u, random);
                vector w(ctx, by_rows.type, 140), v(ctx, by_columns.type, 140);
                const auto pulled = mxv(ctx, w, s, make_matrix(ctx, a), x);
                EXPECT_EQ(pulled.tier == tier::compiled, pulls || cell(s)) << name;
                ASSERT_TRUE(same(by_rows, w)) << name << " of " << name_of(type) << " and " << name_of(other);
                const auto turned = vxm(ctx, v, s, x, make_matrix(ctx, transposed(a)));
                EXPECT_EQ(turned.tier == tier::compiled, turns || cell(exchanged)) << name;
                ASSERT_TRUE(same(transposed(by_columns), v))
                    << "vxm, " << name << " of " << name_of(type) << " and " << name_of(other);
            }
        }
}

// Results go through masks, accumulators and outputs of other types as those of the semiring that was asked for.
TEST_P(StandIns, ObeyEverySetting) {
    const dtype type = GetParam();
    for (const context& ctx : sides()) {
        for (const char* name : {"plus_pair", "any_pair", "any_second"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            const dictionary a = some(11, 17, type), b = some(17, 30, type), u = some(17, 1, type);
            const dictionary t = model_mxm(s, a, b), w = model_mxm(s, a, u);
            const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
            const vector x = make_vector(ctx, u, random);
            for (const dtype out : {t.type, dtype::int16, dtype::float64}) {
                check_settings<matrix>(
                    ctx, 11, 30, out, random, written(t),
                    [&](matrix& c, const matrix_options& options) { mxm(ctx, c, s, left, right, options); });
                check_settings<vector>(
                    ctx, 11, 1, out, random, written(w),
                    [&](vector& c, const vector_options& options) { mxv(ctx, c, s, left, x, options); });
            }
        }
    }
}

TEST(StandInPins, RunAndThoseOfOtherSemiringsAreRefused) {
    const context ctx({.backend = backend::cpu});
    const matrix a(ctx, dtype::uint16, 4, 4);
    matrix c(ctx, dtype::uint16, 4, 4);
    EXPECT_EQ(mxm(ctx, c, semiring("plus_times"), a, a, {.kernel = "hash"}).kernel, "hash");
    EXPECT_EQ(mxm(ctx, c, semiring("plus_times"), a, a, {.kernel = "reference"}).tier, tier::generic);
    EXPECT_THROW(mxm(ctx, c, semiring("min_plus"), a, a, {.kernel = "hash"}), not_supported);
    const matrix reals(ctx, dtype::float64, 4, 4);
    EXPECT_THROW(mxm(ctx, c, semiring("band_pair"), reals, reals), domain_error);
}

// What is pinned to a type is rounded to it first: 2^24 + 1 is no float32, and 300 no int8.
TEST(StandInPins, RoundToTheTypeFirst) {
    const context ctx({.backend = backend::cpu});
    const std::vector<double> values{16777217.0};
    const vector u = vector::dense<double>(ctx, values);
    const std::vector<index_t> zero{0};
    const matrix a = matrix::build<double>(ctx, {1, 1, zero, zero, values});
    for (const char* name : {"GxB_MAX_SECOND_FP32", "GxB_ANY_SECOND_FP32", "GrB_MAX_PLUS_SEMIRING_FP32"}) {
        vector w(ctx, dtype::float64, 1), expected = w;
        mxv(ctx, w, semiring(name), a, u);
        mxv(ctx, expected, semiring(name), a, u, {.kernel = "reference"});
        EXPECT_EQ(w.get(0), expected.get(0)) << name;
        EXPECT_EQ(w.get(0)->get<double>(),
                  std::string_view(name).find("PLUS") == std::string_view::npos ? 16777216.0 : 33554432.0)
            << name;
    }
}

}  // namespace
}  // namespace nz::test
