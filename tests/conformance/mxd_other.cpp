// Sparse x dense by other compiled products: sums of the same value in a wider type, and columns by mxv.
#include "support/compare.hpp"
#include "support/contexts.hpp"
#include "support/dense.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace nz::test {
namespace {

constexpr unsigned mxd_other_seed = 20261130;

// One product in every layout against the reference; returns the plans' kernels.
template <class T, class C>
void expect_the_reference(const context& ctx, const semiring& s, const matrix& a, index_t columns,
                          std::mt19937& random, std::string_view kernel, tier expected_tier) {
    for (const bool turned : {false, true})
        for (const dense_order in : both_orders)
            for (const dense_order out : both_orders)
                for (const bool accumulates : {false, true}) {
                    const auto rows = static_cast<index_t>(turned ? a.columns() : a.rows()),
                               inner = static_cast<index_t>(turned ? a.rows() : a.columns());
                    std::vector<T> b(static_cast<std::size_t>(inner) * static_cast<std::size_t>(columns));
                    for (auto& x : b) x = static_cast<T>(random());
                    std::vector<C> c(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
                    for (auto& x : c) x = static_cast<C>(random() % 100);
                    std::vector<C> reference = c;
                    dense_options options{.transpose_a = turned};
                    if (accumulates) options.accum = binary_op(binary_id::minus);
                    const dense_view<const T> given{inner, columns, b, in};
                    const auto plan = mxd(ctx, dense_view<C>{rows, columns, c, out}, s, a, given, options);
                    if (!plan.on_device) {
                        EXPECT_EQ(plan.kernel, kernel) << s.name();
                        EXPECT_EQ(plan.tier, expected_tier) << s.name();
                    }
                    options.kernel = "reference";
                    mxd(ctx, dense_view<C>{rows, columns, reference, out}, s, a, given, options);
                    ASSERT_EQ(c, reference) << s.name() << (turned ? " turned" : "");
                }
}

// Every third row is empty.
template <class T>
matrix with_gaps(const context& ctx, std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<T> x;
    for (index_t row = 0; row < 120; ++row)
        for (index_t column = 0; row % 3 && column < 90; ++column)
            if (random() % 4 == 0)
                i.push_back(row), j.push_back(column), x.push_back(static_cast<T>(random()));
    return matrix::build<T>(ctx, {120, 90, i, j, x});
}

template <class T>
void expect_integers_wrap(std::mt19937& random) {
    for (const context& ctx : contexts()) {
        const matrix a = with_gaps<T>(ctx, random);
        for (const char* name : {"plus_times", "plus_second"}) {
            const semiring s(name);
            const std::string_view kernel = "csr_tiled";
            expect_the_reference<T, T>(ctx, s, a, 9, random, kernel, tier::compiled);
            expect_the_reference<T, std::int64_t>(ctx, s, a, 3, random, kernel, tier::compiled);
            expect_the_reference<T, double>(ctx, s, a, 1, random, kernel, tier::compiled);
        }
    }
}

TEST(MxdByAWiderType, GivesIntegersModuloTheirOwn) {
    std::mt19937 random(mxd_other_seed);
    expect_integers_wrap<std::int8_t>(random);
    expect_integers_wrap<std::uint8_t>(random);
    expect_integers_wrap<std::int16_t>(random);
    expect_integers_wrap<std::uint16_t>(random);
    expect_integers_wrap<std::uint32_t>(random);
    expect_integers_wrap<std::uint64_t>(random);
}

TEST(MxdByColumns, IsTheReferenceWhateverMxvHas) {
    std::mt19937 random(mxd_other_seed + 1);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = with_gaps<std::int32_t>(ctx, random), small = with_gaps<std::int8_t>(ctx, random);
    ASSERT_GE(a.nnz(), 1024);
    for (const char* name : {"any_pair", "plus_pair", "lor_land", "any_first"}) {
        expect_the_reference<std::int32_t, std::int32_t>(ctx, semiring(name), a, 5, random, "columns",
                                                         tier::generic);
        expect_the_reference<std::int32_t, double>(ctx, semiring(name), a, 1, random, "columns",
                                                   tier::generic);
    }
    for (const char* name : {"min_second", "any_second", "max_second"})
        expect_the_reference<std::int8_t, std::int8_t>(ctx, semiring(name), small, 5, random, "columns",
                                                       tier::generic);
    for (const char* name : {"max_times", "min_plus", "plus_min"})
        expect_the_reference<std::int8_t, std::int8_t>(ctx, semiring(name), small, 5, random, "columns",
                                                       tier::generic);
    expect_the_reference<std::int32_t, std::int32_t>(ctx, semiring("max_times"), a, 5, random, "columns",
                                                     tier::generic);
    expect_the_reference<std::int32_t, std::int32_t>(ctx, semiring("max_times"), a, 24, random, "composed",
                                                     tier::generic);
}

TEST(MxdByColumns, LeavesTheRestToOthers) {
    std::mt19937 random(mxd_other_seed + 2);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = with_gaps<std::int32_t>(ctx, random);
    // The place of a column is part of the product.
    expect_the_reference<std::int32_t, std::int64_t>(ctx, semiring("min_secondj_int64"), a, 4, random,
                                                     "generic", tier::generic);
    matrix few(ctx, dtype::int32, 120, 90);
    few.set(3, 4, scalar(std::int32_t{5}));
    expect_the_reference<std::int32_t, std::int32_t>(ctx, semiring("any_pair"), few, 4, random, "generic",
                                                     tier::generic);
}

TEST(MxdByAWiderType, GoesOnWithoutWhereThereIsNoRoom) {
    std::mt19937 random(mxd_other_seed + 3);
    const context free({.backend = backend::cpu, .threads = 1});
    const matrix a = with_gaps<std::int8_t>(free, random);
    std::vector<std::int8_t> b(90 * 400, 3), c(120 * 400), expected = c;
    const dense_view<const std::int8_t> in{90, 400, b};
    mxd(free, dense_view<std::int8_t>{120, 400, expected}, semiring("plus_times"), a, in,
        {.kernel = "reference"});
    // For T in its own type and B by columns, but not for T in int32.
    const context tight({.backend = backend::cpu, .threads = 1, .memory_limit = 120 * 400 * 2});
    EXPECT_EQ(mxd(tight, dense_view<std::int8_t>{120, 400, c}, semiring("plus_times"), a, in).kernel,
              "columns");
    EXPECT_EQ(c, expected);
    const context tighter({.backend = backend::cpu, .threads = 1, .memory_limit = 120 * 400 + 1000});
    c.assign(c.size(), 0);
    EXPECT_EQ(mxd(tighter, dense_view<std::int8_t>{120, 400, c}, semiring("plus_times"), a, in).kernel,
              "generic");
    EXPECT_EQ(c, expected);
    EXPECT_THROW(mxd(tighter, dense_view<std::int8_t>{120, 400, c}, semiring("plus_times"), a, in,
                     {.kernel = "csr_tiled"}),
                 out_of_memory);
}

// Room for T and B by columns, once, and two vectors.
TEST(MxdByColumns, TakesWhatThePlanSays) {
    std::mt19937 random(mxd_other_seed + 4);
    const context free({.backend = backend::cpu, .threads = 1});
    const matrix a = with_gaps<std::int8_t>(free, random);
    const std::vector<std::int8_t> b(90 * 400, 3);
    std::vector<std::int8_t> c(120 * 400), expected = c;
    const dense_view<const std::int8_t> in{90, 400, b};
    const dense_view<std::int8_t> out{120, 400, c};
    const semiring s("min_second");
    mxd(free, dense_view<std::int8_t>{120, 400, expected}, s, a, in, {.kernel = "reference"});
    constexpr std::size_t t = 120 * 400, by_columns = 90 * 400, vectors = 8192;
    const context enough({.backend = backend::cpu, .threads = 1, .memory_limit = t + by_columns + vectors});
    const auto plan = mxd(enough, out, s, a, in);
    EXPECT_EQ(plan.kernel, "columns");
    EXPECT_TRUE(plan.packs_second);
    EXPECT_LE(enough.peak_bytes(), plan.workspace_bytes + vectors);
    EXPECT_EQ(c, expected);
    const context short_of({.backend = backend::cpu, .threads = 1, .memory_limit = t + by_columns / 2});
    c.assign(c.size(), 0);
    EXPECT_EQ(mxd(short_of, out, s, a, in).kernel, "generic");
    EXPECT_EQ(c, expected);
    // Values of B are not read: it stays where it is.
    EXPECT_EQ(mxd(short_of, out, semiring("any_pair"), a, in).kernel, "columns");
}

}  // namespace
}  // namespace nz::test
