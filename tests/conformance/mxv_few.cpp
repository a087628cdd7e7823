// Products with a vector of few entries whose matrix is read by the columns that it names: over semirings that are not compiled, and of
// matrices whose values are of another type.
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nz::test {
namespace {

constexpr unsigned few_seed = 20261130;

vector few_of(const context& ctx, index_t size, index_t count, dtype type, std::mt19937& random) {
    dictionary d{size, 1, type, {}};
    while (std::ssize(d.entries) < count)
        d.entries[{static_cast<index_t>(random() % static_cast<unsigned>(size)), 0}] =
            random_value(type, random);
    return make_vector(ctx, d, vector_form::sparse);
}

// Sums stand among the products where these are few for so many rows, else in their rows' places.
TEST(GenericPush, IsWhatTheReferenceSays) {
    std::mt19937 random(few_seed);
    for (const int threads : {1, 3})
        for (const index_t wide : {500, 20000}) {
            const context ctx = with_threads(threads);
            const dictionary content = random_dictionary(600, wide, 25.0 / wide, dtype::int32, random);
            const matrix a = make_matrix(ctx, content), t = make_matrix(ctx, transposed(content));
            (void)t.body().columns();
            for (const char* name :
                 {"max_minus", "any_minus", "plus_secondj", "min_firsti", "plus_max", "lxor_pair"}) {
                const semiring s(name);
                SCOPED_TRACE(name);
                const dtype type = s.value_type(dtype::int32, dtype::int16);
                for (const index_t count : {0, 1, 2, 9}) {
                    const vector u = few_of(ctx, 600, count, dtype::int16, random);
                    vector w(ctx, type, wide), expected = w;
                    const auto plan = vxm(ctx, w, s, u, a);
                    EXPECT_EQ(plan.direction, direction::push);
                    EXPECT_FALSE(plan.builds_transpose);
                    vxm(ctx, expected, s, u, a, {.kernel = "reference"});
                    ASSERT_TRUE(same(read(expected), w)) << count;
                    EXPECT_EQ(mxv(ctx, w, s, t, u).direction, direction::push);
                    mxv(ctx, expected, s, t, u, {.kernel = "reference"});
                    ASSERT_TRUE(same(read(expected), w)) << count;
                }
            }
        }
}

TEST(GenericPush, HeedsMasksAndAccumulators) {
    std::mt19937 random(few_seed + 1);
    const context ctx = with_threads(1);
    for (const index_t wide : {250, 3000}) {
        const dictionary content = random_dictionary(300, wide, 12.0 / wide, dtype::int32, random);
        const matrix a = make_matrix(ctx, content);
        const semiring s("max_minus");
        for (const index_t count : {1, 3}) {
            const vector u = few_of(ctx, 300, count, dtype::int32, random);
            const dictionary t = transposed(model_mxm(s, transposed(read(u)), content));
            check_settings<vector>(ctx, wide, 1, dtype::int32, random, written(t),
                                   [&](vector& w, const vector_options& options) {
                                       EXPECT_EQ(vxm(ctx, w, s, u, a, options).kernel, "generic");
                                   });
        }
    }
}

TEST(GenericPush, PaysWhereItsColumnsAreFew) {
    const context ctx = with_threads(2);
    const matrix a = load(ctx, "rmat:10,16").matrix;
    std::mt19937 random(few_seed + 2);
    vector w(ctx, dtype::float64, a.columns());
    const semiring s("max_minus_fp64");
    EXPECT_EQ(vxm(ctx, w, s, few_of(ctx, 1024, 3, dtype::float64, random), a).direction, direction::push);
    mxv(ctx, w, s, a, vector::full(ctx, 1024, scalar(1.0)));
    EXPECT_EQ(mxv(ctx, w, s, a, few_of(ctx, 1024, 900, dtype::float64, random)).direction, direction::pull);
}

// Only what u names is converted.
TEST(PushOfAnotherType, IsWhatTheReferenceSays) {
    std::mt19937 random(few_seed + 3);
    for (const context& ctx : contexts())
        for (const auto& [name, type, other] : {std::tuple("plus_times", dtype::float32, dtype::float64),
                                                std::tuple("min_plus", dtype::int8, dtype::int32),
                                                std::tuple("plus_times", dtype::uint16, dtype::int64),
                                                std::tuple("min_plus", dtype::boolean, dtype::float64)}) {
            const semiring s(name);
            SCOPED_TRACE(std::string(name) + " of " + std::string(name_of(type)));
            const dictionary content = random_dictionary(700, 400, 0.1, type, random);
            const matrix a = make_matrix(ctx, content);
            for (const std::string_view kernel :
                 {"", "csc_gather_scatter", "csc_gather_radix", "csc_gather_merge"})
                for (const index_t count : {1, 3, 60}) {
                    if (ctx.gpu() && kernel == "csc_gather_scatter") continue;
                    const vector u = few_of(ctx, 700, count, other, random);
                    vector w(ctx, s.value_type(type, other), 400), expected = w;
                    const auto plan = vxm(ctx, w, s, u, a, {.kernel = kernel});
                    EXPECT_TRUE(plan.converts_matrix);
                    vxm(ctx, expected, s, u, a, {.kernel = "reference"});
                    ASSERT_TRUE(same(read(expected), w)) << kernel << " " << count;
                }
        }
}

TEST(PushOfAnotherType, TakesNoMemoryForTheRest) {
    context ctx = with_threads(2);
    const matrix rows = load(ctx, "rmat:14,16").matrix;
    matrix a(ctx, dtype::float32, rows.rows(), rows.columns());
    apply(ctx, a, index_unary_id::colindex, rows, scalar(0));
    ASSERT_EQ(a.values_held(), value_kind::full);
    vector u(ctx, dtype::float64, a.rows()), w = u;
    u.set(77, scalar(1.0));
    u.convert_to(vector_form::sparse);
    const std::size_t before = ctx.bytes_in_use();
    ctx.reset_peak();
    EXPECT_EQ(vxm(ctx, w, semiring("plus_times"), u, a).direction, direction::push);
    EXPECT_LT(ctx.peak_bytes() - before, static_cast<std::size_t>(a.nnz()) * sizeof(double) / 4);
}

}  // namespace
}  // namespace nz::test
