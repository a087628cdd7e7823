// Sorting rows, combining repeats and collecting facts, on matrices large enough to be shared out to threads.
#include "io/random_stream.hpp"
#include "storage/csr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace nz::storage {
namespace {

context with_threads(int threads) {
    context_options options;
    options.threads = threads;
    return context(options);
}

// Rows with unsorted columns and repeats: row 5 long, every third row empty; entry k has the value k.
csr unsorted(const context& ctx, index_t rows, value_kind kind) {
    std::vector<index_t> lengths(rows);
    io::random_stream random(1, 2);
    for (index_t i = 0; i < rows; ++i)
        lengths[i] = i == 5 ? 50000 : i % 3 == 0 ? 0 : static_cast<index_t>(random.below(12));
    csr a = allocate_csr(ctx, dtype::float64, kind, rows, 4000, std::span<const index_t>(lengths));
    for (offset_t k = 0; k < a.nnz; ++k) {
        a.indices.as<index_t>()[k] = static_cast<index_t>(random.below(4000));
        if (kind == value_kind::full) a.values.as<double>()[k] = static_cast<double>(k);
    }
    return a;
}

TEST(Rows, AreSortedAndTheirRepeatsAddedUp) {
    for (int threads : {1, 2, 3}) {
        const context ctx = with_threads(threads);
        csr a = unsorted(ctx, 30000, value_kind::full);
        std::map<std::pair<index_t, index_t>, double> expected;
        for (index_t i = 0; i < a.rows; ++i)
            for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k)
                expected[{i, a.index_data()[k]}] += a.values.as<double>()[k];
        EXPECT_TRUE(sort_rows(ctx, a, binary_id::plus));
        EXPECT_NO_THROW(validate(a, "a"));
        ASSERT_EQ(a.nnz, static_cast<offset_t>(expected.size()));
        auto next = expected.begin();
        for (index_t i = 0; i < a.rows; ++i)
            for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k, ++next) {
                ASSERT_EQ(next->first, std::pair(i, a.index_data()[k]));
                ASSERT_EQ(next->second, a.values.as<double>()[k]);
            }
        EXPECT_FALSE(sort_rows(ctx, a, binary_id::plus));
    }
}

TEST(Rows, KeepTheFirstOrTheLastRepeatInInputOrder) {
    const context ctx = with_threads(2);
    csr first = unsorted(ctx, 30000, value_kind::full), last = unsorted(ctx, 30000, value_kind::full);
    sort_rows(ctx, first, binary_id::first);
    sort_rows(ctx, last, binary_id::second);
    ASSERT_EQ(first.nnz, last.nnz);
    for (offset_t k = 0; k < first.nnz; ++k)
        ASSERT_LE(first.values.as<double>()[k], last.values.as<double>()[k]);
}

TEST(Rows, OfAPatternLoseTheirRepeats) {
    const context ctx = with_threads(2);
    csr pattern = unsorted(ctx, 30000, value_kind::pattern), full = unsorted(ctx, 30000, value_kind::full);
    sort_rows(ctx, pattern, binary_id::plus);
    sort_rows(ctx, full, binary_id::plus);
    ASSERT_EQ(pattern.nnz, full.nnz);
    EXPECT_TRUE(std::equal(pattern.index_data(), pattern.index_data() + pattern.nnz, full.index_data()));
    EXPECT_EQ(pattern.values.bytes(), 0u);
}

TEST(Facts, AreTheSameWhateverTheNumberOfThreads) {
    const csr a = unsorted(with_threads(1), 30000, value_kind::full);
    for (int threads : {1, 2, 5}) {
        const matrix_facts facts = collect_facts(with_threads(threads), a, nullptr);
        EXPECT_EQ(facts.nnz, a.nnz);
        EXPECT_EQ(facts.degree_max, 50000);
        EXPECT_GE(facts.empty_rows, 10000);
        EXPECT_EQ(facts.empty_rows, collect_facts(with_threads(1), a, nullptr).empty_rows);
        EXPECT_EQ(facts.bandwidth_upper, collect_facts(with_threads(1), a, nullptr).bandwidth_upper);
        EXPECT_EQ(facts.bandwidth_lower, collect_facts(with_threads(1), a, nullptr).bandwidth_lower);
        EXPECT_FALSE(facts.sorted);
        EXPECT_TRUE(facts.duplicates);
        EXPECT_FALSE(facts.symmetric_pattern);
    }
}

TEST(Facts, SeeWhetherThePatternIsSymmetric) {
    const context ctx = with_threads(2);
    const std::vector<index_t> lengths(100000, 1);
    csr a = allocate_csr(ctx, dtype::float64, value_kind::pattern, 100000, 100000,
                         std::span<const index_t>(lengths));
    for (index_t i = 0; i < a.rows; ++i) a.indices.as<index_t>()[i] = a.rows - 1 - i;  // the other diagonal
    EXPECT_TRUE(collect_facts(ctx, a, nullptr).symmetric_pattern);
    EXPECT_EQ(collect_facts(ctx, a, nullptr).bandwidth_lower, 99999);
    std::swap(a.indices.as<index_t>()[10], a.indices.as<index_t>()[77]);
    EXPECT_FALSE(collect_facts(ctx, a, nullptr).symmetric_pattern);
    EXPECT_TRUE(collect_facts(ctx, a, nullptr).sorted);
}

// Rows of `length` entries, `step` columns apart, around the diagonal.
csr spaced(const context& ctx, index_t rows, index_t length, index_t step) {
    const std::vector<index_t> lengths(static_cast<std::size_t>(rows), length);
    csr a = allocate_csr(ctx, dtype::float64, value_kind::iso, rows, rows + length * step,
                         std::span<const index_t>(lengths));
    for (offset_t k = 0; k < a.nnz; ++k)
        a.indices.as<index_t>()[k] = static_cast<index_t>(k / length + k % length * step);
    return a;
}

TEST(SampledRows, TellRunsOfNeighbouringColumnsFromOthers) {
    const context ctx = with_threads(1);
    EXPECT_EQ(sample_rows(spaced(ctx, 1000, 9, 1)).runs, 1);
    EXPECT_EQ(sample_rows(spaced(ctx, 1000, 9, 3)).runs, 0);
    EXPECT_EQ(sample_rows(spaced(ctx, 1000, 1, 1)).runs, 0) << "one entry follows none";
    EXPECT_EQ(sample_rows(spaced(ctx, 1000, 0, 1)).runs, 0);
    csr halves = spaced(ctx, 1000, 4, 1);
    for (index_t i = 0; i < halves.rows; ++i)
        for (index_t k = 2; k < 4; ++k) halves.indices.as<index_t>()[halves.offset(i) + k] += 1;
    EXPECT_NEAR(sample_rows(halves).runs, 2.0 / 3, 1e-12);
    EXPECT_EQ(sample_rows(halves).deviation, 0);
}

}  // namespace
}  // namespace nz::storage
