// mxm, mxv's reference and kronecker against the dictionary model.
#include "kernels/reference/mxv.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

namespace nz::test {
namespace {

constexpr unsigned products_seed = 20240611;

class Products : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(EveryType, Products, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(Products, MxmWritesAsTheModelSays) {
    std::mt19937 random(products_seed);
    SCOPED_TRACE("seed " + std::to_string(products_seed));
    const context ctx;
    const semiring s("plus_times");
    for (const auto& [name, a] : matrix_battery(GetParam(), random)) {
        SCOPED_TRACE(name);
        const dictionary b = random_dictionary(a.columns, 5, 0.4, GetParam(), random);
        const dictionary t = model_mxm(s, a, b);
        const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, b);
        for (const std::string_view kernel : {"", "reference"})
            check_settings<matrix>(
                ctx, t.rows, t.columns, GetParam(), random,
                [&](const auto& c, const auto& how) { return write(c, t, how); },
                [&, kernel](matrix& c, matrix_options options) {
                    options.kernel = kernel;
                    mxm(ctx, c, s, left, right, options);
                });
        if (HasFatalFailure()) return;
    }
}

TEST_P(Products, MxmMayWriteToItsInputs) {
    std::mt19937 random(products_seed + 1);
    const context ctx;
    const semiring s("plus_times");
    const dictionary a = random_dictionary(9, 9, 0.3, GetParam(), random);
    const dictionary t = model_mxm(s, a, a), transposed_t = model_mxm(s, transposed(a), a);
    check_aliased<matrix>(
        ctx, a, random, [&](const auto& c, const auto& how) { return write(c, t, how); },
        [&](matrix& c, const matrix_options& options) { mxm(ctx, c, s, c, c, options); });
    check_aliased<matrix>(
        ctx, a, random, [&](const auto& c, const auto& how) { return write(c, transposed_t, how); },
        [&](matrix& c, matrix_options options) {
            options.transpose_a = true;
            mxm(ctx, c, s, c, c, options);
        });
}

TEST_P(Products, EverySemiringMultipliesAsTheModelSays) {
    std::mt19937 random(products_seed + 2);
    const context ctx;
    for (const std::string& name : semiring_names()) {
        SCOPED_TRACE(name + ", seed " + std::to_string(products_seed + 2));
        const semiring s(name);
        const dictionary a = random_dictionary(7, 9, 0.4, GetParam(), random),
                         b = random_dictionary(9, 6, 0.4, GetParam(), random);
        const dictionary u = random_dictionary(9, 1, 0.6, GetParam(), random);
        const bool bitwise_on_floats =
            (name.find("bor") + name.find("band") + name.find("bx") != 3 * std::string::npos);
        matrix c(ctx, GetParam(), 7, 6), plain(ctx, GetParam(), 7, 6);
        const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
        dictionary expected;
        try {
            expected = converted(model_mxm(s, a, b), GetParam());
        } catch (const domain_error&) {
            ASSERT_TRUE(bitwise_on_floats);
            EXPECT_THROW(mxm(ctx, c, s, left, right), domain_error);
            continue;
        }
        mxm(ctx, c, s, left, right);
        ASSERT_TRUE(same(expected, c));
        mxm(ctx, plain, s, left, right, {.kernel = "reference"});
        ASSERT_TRUE(same(expected, plain));
        const vector input = make_vector(ctx, u, random);
        const auto w =
            storage::make_vector(kernels::reference::mxv(ctx, s, left.body().rows(), input.body()));
        ASSERT_TRUE(same(model_mxm(s, a, u), w));
    }
}

TEST(ProductsOfMixedTypes, AreComputedInTheTypeThatBothPromoteTo) {
    std::mt19937 random(products_seed + 3);
    const context ctx;
    for (int round = 0; round < 300; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const semiring s(round % 2 ? "plus_times" : "min_plus");
        const dictionary a = random_dictionary(6, 8, 0.4, any_type(random), random),
                         b = random_dictionary(8, 7, 0.4, any_type(random), random);
        const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, transposed(b), true);
        matrix c(ctx, any_type(random), 6, 7);
        mxm(ctx, c, s, left, right, {.transpose_b = true});
        ASSERT_TRUE(same(converted(model_mxm(s, a, b), c.type()), c));
    }
}

TEST(ProductsByRows, AreTheReferencesOnLargerMatricesWhateverTheThreads) {
    std::mt19937 random(products_seed + 4);
    for (const int threads : {1, 2, 3, 7}) {
        context_options options;
        options.threads = threads;
        const context ctx(options);
        for (const auto& [name, a] : larger_matrices(dtype::float64, random)) {
            dictionary scaled = a;
            for (auto& [at, x] : scaled.entries) x = to_element(from_element<double>(x) / 3 + 0.1);
            const matrix left = make_matrix(ctx, scaled);
            matrix c(ctx, dtype::float64, a.rows, a.rows), expected = c;
            mxm(ctx, c, semiring("plus_times"), left, left, {.transpose_b = true, .kernel = "row_row"});
            mxm(ctx, expected, semiring("plus_times"), left, left,
                {.transpose_b = true, .kernel = "reference"});
            ASSERT_TRUE(same(read(expected), c)) << name << ", " << threads << " threads";
        }
    }
}

TEST_P(Products, KroneckerWritesAsTheModelSays) {
    std::mt19937 random(products_seed + 5);
    const context ctx;
    for (const binary_id op :
         {binary_id::times, binary_id::minus, binary_id::firsti, binary_id::secondj, binary_id::lt}) {
        const dictionary a = random_dictionary(3, 4, 0.5, GetParam(), random),
                         b = random_dictionary(4, 2, 0.6, GetParam(), random);
        const dictionary t = model_kronecker(op, a, b);
        const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, transposed(b));
        check_settings<matrix>(
            ctx, t.rows, t.columns, GetParam(), random,
            [&](const auto& c, const auto& how) { return write(c, t, how); },
            [&](matrix& c, matrix_options options) {
                options.transpose_b = true;
                kronecker(ctx, c, op, left, right, options);
            });
    }
}

}  // namespace
}  // namespace nz::test
