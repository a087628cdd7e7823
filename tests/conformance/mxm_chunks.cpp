// Products cut into chunks of rows, by hand and by a memory limit; estimates; and products whose places are known: all
// bit for bit what mxm gives at once.
#include "kernels/kernel_ids.hpp"
#include "ops/mxm_product.hpp"
#include "plan/mxm_workspace.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"
#include "support/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace nz::test {
namespace {

constexpr const char* rings[] = {"plus_times_fp64", "min_plus_fp64", "any_second_fp64", "any_secondi_int32"};

// Rows of up to ten entries, every seventh empty, and one long row.
matrix with_long_row(const context& ctx, index_t rows, index_t columns, index_t long_row, index_t longest,
                     unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<index_t> i, j;
    std::vector<double> x;
    for (index_t row = 0; row < rows; ++row) {
        const index_t n = row == long_row ? longest : row % 7 == 0 ? 0 : static_cast<index_t>(random() % 10);
        for (index_t m = 0; m < n; ++m) {
            i.push_back(row);
            j.push_back(static_cast<index_t>(random() % static_cast<unsigned>(columns)));
            x.push_back(real(random));
        }
    }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}

class EveryCut : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(MxmChunks, EveryCut, ::testing::ValuesIn(kernels_on_cpu("mxm")),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(EveryCut, GivesTheSameBitsHoweverItsRowsAreCut) {
    for (const int threads : {1, 3}) {
        const context ctx = with_threads(threads);
        const matrix a = with_long_row(ctx, 200, 300, 90, 250, 1),
                     b = with_long_row(ctx, 300, 500, 20, 400, 2);
        const matrix mask = with_long_row(ctx, 200, 500, 100, 300, 3);
        for (const auto* ring : rings)
            for (const int masked : {0, 1, 2}) {
                const semiring s(ring);
                matrix_options options{.kernel = GetParam()};
                if (masked)
                    options.mask = &mask, options.mask_structure = true,
                    options.mask_complement = masked == 2;
                const ops::product by_rows = ops::make_product(ctx, s, a, b, options);
                const ops::product& p = GetParam() == "column_column" ? ops::by_columns(by_rows) : by_rows;
                const auto rows = static_cast<index_t>(p.left.rows());
                ops::mxm_collected known;
                mxm_plan plan = ops::make_plan(p, known);
                const storage::csr whole = ops::run_compiled(p, plan, known);
                EXPECT_EQ(plan.chunks, 1);
                for (const auto& cuts : {std::vector<index_t>{0, rows}, {100}, {1, 2, 89, 90, 91, 199}}) {
                    mxm_plan cut = plan;
                    ASSERT_TRUE(same_bits(whole, ops::run_compiled(p, cut, known, cuts)))
                        << ring << ", mask " << masked << ", " << cuts.size() << " cuts";
                    ASSERT_EQ(cut.chunks, cuts[0] == 0 ? 1 : static_cast<index_t>(cuts.size()) + 1);
                }
            }
    }
}

// What a context of `threads` must allow for C = A B by `kernel` beside A, B and the workspace.
std::size_t needed_beside_workspace(const matrix& a, const matrix& b, const matrix& c) {
    return a.body().rows().bytes() + b.body().rows().bytes() + c.body().rows().bytes() +
           12 * (static_cast<std::size_t>(a.rows()) + 1);
}

TEST(MxmChunks, KeepToALimitThatTheWholeWorkspaceExceeds) {
    constexpr int threads = 4;
    const context roomy = with_threads(threads);
    const auto make = [](const context& ctx) {
        return std::pair{with_long_row(ctx, 3000, 2000, 1500, 1500, 4),
                         with_long_row(ctx, 2000, 200000, 20, 400, 5)};
    };
    const auto [a, b] = make(roomy);
    for (const auto* kernel :
         {"hash", "two_level_sort", "dense_row", "row_row", "column_row", "masked_row", "dia_dia"}) {
        matrix whole(roomy, dtype::float64, 3000, 200000);
        const mxm_plan uncut = mxm(roomy, whole, semiring("plus_times"), a, b, {.kernel = kernel});
        ASSERT_EQ(uncut.fewest_threads, 0);
        const std::size_t one = uncut.workspace_bytes / threads,
                          beside = needed_beside_workspace(a, b, whole);
        for (const int fitting : {1, 2}) {
            const std::size_t limit = beside + one * static_cast<std::size_t>(fitting) + one / 2 + 1000;
            const context tight = with_threads(threads, limit);
            const auto [u, v] = make(tight);
            matrix c(tight, dtype::float64, 3000, 200000);
            const mxm_plan plan = mxm(tight, c, semiring("plus_times"), u, v, {.kernel = kernel});
            EXPECT_TRUE(same_bits(whole, c)) << kernel;
            EXPECT_LE(tight.peak_bytes(), limit) << kernel;
            EXPECT_EQ(plan.fewest_threads, fitting) << kernel << ": " << to_string(plan);
            EXPECT_LT(plan.workspace_bytes, uncut.workspace_bytes);
            if (plan.kernel == "hash") {
                EXPECT_GE(plan.chunks, 2) << "the long row and the others";
            }
            EXPECT_NE(to_string(plan).find("chunk"), std::string::npos);
        }
        const context tight = with_threads(threads, beside + one / 2);
        const auto [u, v] = make(tight);
        matrix c(tight, dtype::float64, 3000, 200000);
        try {
            mxm(tight, c, semiring("plus_times"), u, v, {.kernel = kernel});
            FAIL() << kernel << ": half the smallest workspace was enough";
        } catch (const out_of_memory& e) {
            EXPECT_NE(std::string(e.what()).find(std::to_string(one) + " bytes needed"), std::string::npos)
                << kernel << ": " << e.what();
        }
        EXPECT_EQ(c.nnz(), 0);
    }
}

TEST(MxmChunks, AreFilledBeforeTheyAreCountedWhereAllProductsHaveRoom) {
    const auto make = [](const context& ctx) {
        return std::pair{with_long_row(ctx, 3000, 2000, 1500, 1500, 4),
                         with_long_row(ctx, 2000, 900, 20, 400, 5)};
    };
    for (const int threads : {1, 3})
        for (const auto* ring : rings)
            for (const auto* kernel : {"dense_row", "hash"}) {
                const semiring s(ring);
                context roomy = with_threads(threads);
                const auto [a, b] = make(roomy);
                matrix whole(roomy, s.value_type(dtype::float64, dtype::float64), 3000, 900);
                const std::size_t before = roomy.bytes_in_use();
                roomy.reset_peak();
                const mxm_plan plan = mxm(roomy, whole, s, a, b, {.kernel = kernel});
                const std::size_t entry = sizeof(index_t) + size_of(whole.type()),
                                  room = static_cast<std::size_t>(plan.products) * entry,
                                  result = whole.body().rows().bytes();
                EXPECT_GE(roomy.peak_bytes(), before + room + result)
                    << kernel << ", " << ring << ": " << to_string(plan);

                const std::size_t limit = before + plan.workspace_bytes + room + 50000;
                const context tight = with_threads(threads, limit);
                const auto [u, v] = make(tight);
                matrix c(tight, whole.type(), 3000, 900);
                mxm(tight, c, s, u, v, {.kernel = kernel});
                EXPECT_TRUE(same_bits(whole, c)) << kernel << ", " << ring << ": counted first";
                EXPECT_LT(tight.peak_bytes(), limit);
            }
}

TEST(MxmChunks, OfColumnsKeepToALimitToo) {
    constexpr int threads = 4;
    const context roomy = with_threads(threads);
    const auto make = [](const context& ctx) {
        return std::pair{with_long_row(ctx, 2000, 3000, 20, 400, 5),
                         with_long_row(ctx, 3000, 2000, 15, 1500, 4)};
    };
    const auto [a, b] = make(roomy);
    matrix whole(roomy, dtype::float64, 2000, 2000);
    const mxm_plan uncut = mxm(roomy, whole, semiring("plus_times"), a, b, {.kernel = "column_column"});
    EXPECT_EQ(uncut.fewest_threads, 0);
    EXPECT_TRUE(uncut.builds_columns);
    EXPECT_NE(to_string(uncut).find("reads the columns of A and B (built now)"), std::string::npos);
    matrix expected(roomy, dtype::float64, 2000, 2000);
    mxm(roomy, expected, semiring("plus_times"), a, b, {.kernel = "hash"});
    EXPECT_TRUE(same_bits(whole, expected));
    const std::size_t one = uncut.workspace_bytes / threads,
                      limit = 2 * needed_beside_workspace(a, b, whole) + one + one / 2;
    const context tight = with_threads(threads, limit);
    const auto [u, v] = make(tight);
    matrix c(tight, dtype::float64, 2000, 2000);
    mxm(tight, c, semiring("plus_times"), u, v, {.kernel = "column_column"});
    EXPECT_TRUE(same_bits(whole, c));
    EXPECT_LE(tight.peak_bytes(), limit);
}

TEST(MxmChunks, NameTheBytesOfAResultThatDoesNotFit) {
    const context roomy = with_threads(2);
    const matrix a = with_long_row(roomy, 500, 500, 3, 400, 6);
    matrix c(roomy, dtype::float64, 500, 500);
    mxm(roomy, c, semiring("plus_times"), a, a, {.kernel = "row_row"});
    const std::size_t result = c.body().rows().bytes();
    const context tight = with_threads(2, needed_beside_workspace(a, a, c) - a.body().rows().bytes() - 1000);
    const matrix u = with_long_row(tight, 500, 500, 3, 400, 6);
    matrix d(tight, dtype::float64, 500, 500);
    try {
        mxm(tight, d, semiring("plus_times"), u, u, {.kernel = "row_row"});
        FAIL() << "it fitted";
    } catch (const out_of_memory& e) {
        EXPECT_NE(std::string(e.what()).find(std::to_string(result) + " bytes needed for the result"),
                  std::string::npos)
            << e.what();
    }
}

TEST(MxmEstimate, IsExactForFewRowsAndBoundsEveryProduct) {
    std::mt19937 random(8);
    for (const int threads : {1, 3}) {
        const context ctx = with_threads(threads);
        for (const auto& [name, d] : matrix_battery(dtype::float64, random)) {
            const matrix a = make_matrix(ctx, d);
            const bool square = d.rows == d.columns;
            matrix c(ctx, dtype::float64, a.rows(), square ? a.columns() : a.rows());
            const matrix_options options{.transpose_b = !square};
            const mxm_plan plan = mxm(ctx, c, semiring("plus_times"), a, a, options);
            const mxm_estimate e = estimate_mxm(ctx, semiring("plus_times"), a, a, options);
            EXPECT_EQ(e.products, plan.products) << name;
            EXPECT_EQ(e.expected_entries, static_cast<double>(c.nnz())) << name;
            EXPECT_GE(e.most_entries, c.nnz()) << name;
            EXPECT_EQ(e.error(c.nnz()), 0) << name;
            EXPECT_EQ(e.expected_bytes, static_cast<double>(c.body().rows().bytes())) << name;
        }
    }
}

TEST(MxmEstimate, OfASampleComesNearAndDoesNotDependOnThreads) {
    for (const auto* input :
         {"rmat_directed:12,8", "banded:20000,9", "powerlaw:20000", "random:20000,8", "laplace2d:120"}) {
        const context ctx = with_threads(2);
        const matrix a = load(ctx, input).matrix;
        matrix c(ctx, dtype::int64, a.rows(), a.columns());
        const semiring s("plus_pair_int64");
        mxm(ctx, c, s, a, a);
        const mxm_estimate e = estimate_mxm(ctx, s, a, a);
        EXPECT_LE(e.sampled_rows, 1024);
        EXPECT_GT(e.sampled_rows, 100);
        EXPECT_NEAR(e.error(c.nnz()), 0, 0.1) << input;
        EXPECT_GE(e.most_entries, c.nnz());
        EXPECT_GE(e.most_bytes, c.body().rows().bytes());
        EXPECT_EQ(estimate_mxm(with_threads(5), s, a, a).expected_entries, e.expected_entries);
    }
}

TEST(MxmEstimate, RefusesShapesThatDoNotAgree) {
    const context ctx = with_threads(1);
    EXPECT_THROW(estimate_mxm(ctx, semiring("plus_times"), matrix(ctx, dtype::float64, 3, 4),
                              matrix(ctx, dtype::float64, 3, 4)),
                 dimension_mismatch);
}

matrix with_values(const context& ctx, const matrix& a, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<index_t> i, j;
    std::vector<double> x;
    a.extract_tuples(i, j, x);
    for (double& value : x) value = real(random);
    return matrix::build<double>(
        ctx, {static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()), i, j, x});
}

TEST_P(EveryCut, FillsAKnownPatternWithNewValues) {
    for (const auto* ring : rings) {
        const semiring s(ring);
        const dtype type = s.value_type(dtype::float64, dtype::float64);
        const context ctx = with_threads(2), other = with_threads(5);
        const matrix a = with_long_row(ctx, 200, 300, 90, 250, 1),
                     b = with_long_row(ctx, 300, 500, 20, 400, 2);
        if (GetParam() == "column_column") {  // its result stands by columns
            EXPECT_THROW(find_pattern(ctx, s, a, b, {.kernel = GetParam()}), not_supported);
            continue;
        }
        const mxm_pattern pattern = find_pattern(ctx, s, a, b, {.kernel = GetParam()});
        EXPECT_EQ(pattern.plan().kernel, GetParam());
        for (const unsigned seed : {10u, 11u}) {
            const matrix u = with_values(ctx, a, seed), v = with_values(ctx, b, seed + 100);
            matrix expected(ctx, type, 200, 500), c(ctx, type, 200, 500), d(other, type, 200, 500);
            mxm(ctx, expected, s, u, v, {.kernel = GetParam()});
            const mxm_plan plan = mxm(ctx, c, s, u, v, pattern);
            ASSERT_TRUE(same_bits(expected, c)) << ring;
            ASSERT_EQ(plan.kernel, GetParam());
            ASSERT_EQ(pattern.entries(), c.nnz());
            mxm(other, d, s, u, v, pattern);
            ASSERT_TRUE(same_bits(expected, d)) << ring << ", other threads";
        }
    }
}

TEST(MxmPattern, OfABandIsPackedOnceAndFilledOften) {
    const context ctx = with_threads(2);
    const matrix a = load(ctx, "banded:3000,21").matrix;
    const semiring s("plus_times_fp64");
    const mxm_pattern pattern = find_pattern(ctx, s, a, a, {.kernel = "dense_row"});
    EXPECT_TRUE(pattern.plan().packs_words);
    const matrix u = with_values(ctx, a, 3);
    matrix expected(ctx, dtype::float64, 3000, 3000), c = expected;
    mxm(ctx, expected, s, u, u, {.kernel = "dense_row"});
    mxm(ctx, c, s, u, u, pattern);
    EXPECT_TRUE(same_bits(expected, c));
    matrix masked(ctx, dtype::float64, 3000, 3000), by_mask = masked;
    mxm(ctx, masked, s, u, u, pattern, {.mask = &a, .accum = binary_id::plus});
    mxm(ctx, by_mask, s, u, u, {.mask = &a, .accum = binary_id::plus});
    EXPECT_TRUE(same_bits(by_mask, masked));
}

// Filled before they are counted: with room for all that there could be, for some and for none, and with a row that other threads
// wait for.
TEST(MxmTurns, GiveTheSameBitsWhateverRoomTheyHave) {
    for (const int threads : {1, 4}) {
        const context ctx = with_threads(threads);
        const matrix a = with_long_row(ctx, 9000, 3000, 200, 2900, 1),
                     b = with_long_row(ctx, 3000, 60000, 20, 50000, 2);
        for (const auto* kernel : {"dense_row", "hash"})
            for (const auto* ring : rings) {
                const semiring s(ring);
                const matrix_options options{.kernel = kernel};
                const ops::product p = ops::make_product(ctx, s, a, b, options);
                ops::mxm_collected known;
                mxm_plan plan = ops::make_plan(p, known);
                constexpr index_t one_cut[] = {5000};
                const storage::csr counted = ops::run_compiled(p, plan, known, one_cut);
                const offset_t n = counted.nnz;
                ASSERT_GT(n, 300000);
                for (const offset_t room : {offset_t{0}, offset_t{1}, n / 50, n / 2, n - 1, n, 2 * n}) {
                    plan = ops::make_plan(p, known);
                    const storage::csr t = ops::run_compiled(p, plan, known, {}, room);
                    ASSERT_EQ(t.nnz, n) << kernel << ", room for " << room;
                    ASSERT_EQ(t.offset_bytes, counted.offset_bytes);
                    const auto same = [](const buffer& x, const buffer& y) {
                        return x.bytes() == y.bytes() && std::memcmp(x.data(), y.data(), x.bytes()) == 0;
                    };
                    ASSERT_TRUE(same(t.offsets, counted.offsets)) << kernel << ", " << ring << ", " << room;
                    ASSERT_TRUE(same(t.indices, counted.indices)) << kernel << ", " << ring << ", " << room;
                    ASSERT_TRUE(same(t.values, counted.values)) << kernel << ", " << ring << ", " << room;
                }
            }
    }
}

// Runs of three rows of B have joined lists of words here, or none for want of room, and windows from one word to most of a
// matrix of 200,000 columns.
TEST(MxmWords, OfNeighbouringRowsJoinedOrNotGiveTheSameBits) {
    const context ctx = with_threads(2);
    constexpr index_t rows = 3000, inner = 900, columns = 200000, run = 16;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<index_t> i, j;
    std::vector<double> x;
    const auto add = [&](index_t row, index_t column) {
        i.push_back(row);
        j.push_back(column);
        x.push_back(real(random));
    };
    const auto build = [&](index_t m, index_t n) {
        matrix a = matrix::build<double>(ctx, {m, n, i, j, x}, binary_id::first);
        i.clear(), j.clear(), x.clear();
        return a;
    };
    for (index_t row = 0; row < rows; ++row)
        for (int part = 0; part < 6; ++part) {
            const auto first = static_cast<index_t>(random() % (inner - 5));
            for (index_t n = 0; n < 1 + row % 5; ++n) add(row, first + n);
        }
    const matrix a = build(rows, inner);
    index_t first = 0;
    for (index_t row = 0; row < inner; ++row) {
        // Three rows alike, then three far apart, then three of which the second is empty.
        if (row % 9 < 1 || (row % 9 >= 3 && row % 9 <= 6))
            first = row < 450 ? row : static_cast<index_t>(random() % (columns - run));
        if (row % 9 == 7) continue;
        for (index_t n = 0; n < run; ++n) add(row, first + n * (1 + row % 2) / 2);
    }
    const matrix b = build(inner, columns);
    for (const auto* ring : rings) {
        const semiring s(ring);
        matrix expected(ctx, s.value_type(dtype::float64, dtype::float64), rows, columns), c = expected,
                                                                                           twice = expected;
        mxm(ctx, expected, s, a, b, {.kernel = "hash"});
        EXPECT_TRUE(mxm(ctx, c, s, a, b, {.kernel = "dense_row"}).packs_words);
        ASSERT_TRUE(same_bits(expected, c)) << ring;
        const mxm_pattern pattern = find_pattern(ctx, s, a, b, {.kernel = "dense_row"});
        EXPECT_EQ(pattern.entries(), c.nnz());
        mxm(ctx, twice, s, a, b, pattern);
        ASSERT_TRUE(same_bits(expected, twice)) << ring;
    }
}

TEST(MxmPattern, OfOtherPlacesIsRefused) {
    const context ctx = with_threads(2);
    const semiring s("plus_times_fp64");
    const matrix a = with_long_row(ctx, 100, 100, 9, 50, 1);
    matrix moved = a, c(ctx, dtype::float64, 100, 100);
    std::vector<index_t> i, j;
    std::vector<double> x;
    a.extract_tuples(i, j, x);
    moved.remove(i[5], j[5]);
    index_t free = 0;
    while (a.contains(i[5], free)) ++free;
    moved.set(i[5], free, 1.0);
    ASSERT_EQ(moved.nnz(), a.nnz());
    const mxm_pattern pattern = find_pattern(ctx, s, a, a);
    EXPECT_NO_THROW(mxm(ctx, c, s, a, a, pattern));
    EXPECT_THROW(mxm(ctx, c, s, moved, a, pattern), domain_error);
    EXPECT_THROW(mxm(ctx, c, s, a, moved, pattern), domain_error);
    EXPECT_THROW(mxm(ctx, c, s, a, a, pattern, {.transpose_a = true}), domain_error);
    EXPECT_THROW(find_pattern(ctx, s, a, a, {.mask = &a}), not_supported);
    EXPECT_THROW(find_pattern(ctx, semiring("min_times"), a, a), not_supported);
    try {
        mxm(ctx, c, semiring("min_times"), a, a, pattern);
        FAIL() << "filled over a semiring that is not compiled";
    } catch (const not_supported& e) {
        EXPECT_NE(std::string_view(e.what()).find("leave the pattern out"), std::string_view::npos)
            << e.what();
    }
}

}  // namespace
}  // namespace nz::test
