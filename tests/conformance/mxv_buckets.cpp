// mxv/csc_gather_scatter with products for many buckets: bit for bit the merge sort's sums, for any number of threads.
#include "plan/mxv_workspace.hpp"
#include "support/compare.hpp"
#include "support/model.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nz::test {
namespace {

constexpr unsigned buckets_seed = 20261203;

TEST(ScatterBuckets, AreAsManyAsThreadsNeedAndCachesHold) {
    EXPECT_EQ(plan::scatter_bits(10'000'000, 2), 15);
    EXPECT_EQ(plan::scatter_bits(100'000, 16), 10) << "97 buckets for 16 threads";
    EXPECT_EQ(plan::scatter_bits(50, 4), 6) << "whole words";
    const int bits = plan::scatter_bits(2'000'000'000, 2);
    EXPECT_LT(2'000'000'000 >> bits, 1024);
    EXPECT_GE(2'000'000'000 >> (bits - 1), 1024);
}

TEST(ScatterBuckets, GiveTheMergeSortsBitsForAnyNumberOfThreads) {
    constexpr index_t rows = 400'000, columns = 3'000, each = 40;
    std::mt19937 random(buckets_seed);
    std::uniform_real_distribution<double> real(-1, 1);
    const context one({.backend = backend::cpu, .threads = 1});
    std::vector<index_t> i, j, places;
    std::vector<double> x, y;
    for (index_t column = 0; column < columns; ++column)
        for (index_t m = 0; m < each; ++m) {
            // Half in a few rows, where sums are long; the last row too.
            const auto row = static_cast<index_t>(random() % rows);
            i.push_back(m == 0 ? rows - 1 : m % 2 ? row % 64 * 6000 : row);
            j.push_back(column);
            x.push_back(real(random));
        }
    const matrix a = matrix::build<double>(one, {rows, columns, i, j, x}, binary_id::first);
    for (index_t column = 0; column < columns; column += 1 + static_cast<index_t>(random() % 2)) {
        places.push_back(column);
        y.push_back(real(random));
    }
    const vector u = vector::build<double>(one, columns, places, y);
    for (const auto* name :
         {"plus_times_fp64", "any_second_fp64", "min_plus_fp64", "any_secondi_int32", "plus_pair_int64"}) {
        const semiring s(name);
        const dtype type = s.value_type(dtype::float64, dtype::float64);
        vector expected(one, type, rows);
        mxv(one, expected, s, a, u, {.kernel = "csc_gather_merge"});
        const dictionary of = read(expected);
        ASSERT_GT(of.entries.size(), 20000u);
        for (const int threads : {1, 2, 3, 8}) {
            const context ctx({.backend = backend::cpu, .threads = threads});
            vector w(ctx, type, rows);
            mxv(ctx, w, s, a, u, {.kernel = "csc_gather_scatter"});
            ASSERT_TRUE(same(of, w)) << name << ", " << threads << " threads";
        }
    }
}

}  // namespace
}  // namespace nz::test
