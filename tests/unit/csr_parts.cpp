// Rows and columns cut out of a CSR, even cuts, and rows put together from strips.
#include "storage/csr_parts.hpp"

#include "storage/matrix_body.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using storage::csr;

constexpr unsigned csr_parts_seed = 20261124;

// A dictionary's rows [r0, r1) and columns [c0, c1), numbered from 0.
dictionary cut_out(const dictionary& d, index_t r0, index_t r1, index_t c0, index_t c1) {
    dictionary part{r1 - r0, c1 - c0, d.type, {}};
    for (const auto& [at, x] : d.entries)
        if (at.first >= r0 && at.first < r1 && at.second >= c0 && at.second < c1)
            part.entries[{at.first - r0, at.second - c0}] = x;
    return part;
}

std::vector<dictionary> matrices_to_cut(std::mt19937& random) {
    std::vector<dictionary> all;
    for (const dtype type : {dtype::boolean, dtype::int16, dtype::float32, dtype::float64})
        all.push_back(random_dictionary(70, 40, 0.1, type, random));
    dictionary one_value = random_dictionary(50, 60, 0.1, dtype::int64, random), ones = one_value,
               holes = random_dictionary(60, 60, 0.3, dtype::float64, random);
    for (auto& [at, x] : one_value.entries) x = to_element(std::int64_t{7});
    for (auto& [at, x] : ones.entries) x = to_element(std::int64_t{1});
    std::erase_if(holes.entries, [](const auto& e) {
        return (e.first.first / 9) % 2 == 0 || (e.first.second / 7) % 3 == 1;
    });
    all.push_back(one_value);
    all.push_back(ones);
    all.push_back(holes);
    all.push_back({30, 20, dtype::float64, {}});
    return all;
}

TEST(CsrParts, AreTheEntriesOfTheirRowsAndColumns) {
    std::mt19937 random(csr_parts_seed);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        for (const dictionary& d : matrices_to_cut(random)) {
            const matrix a = make_matrix(ctx, d, true);
            const csr& all = a.body().rows();
            for (const auto& [first, last] : {std::pair{0, 20}, {7, 19}, {13, 13}, {0, 0}}) {
                const matrix rows = storage::make_matrix(ctx, storage::rows_between(ctx, all, first, last));
                EXPECT_TRUE(same(cut_out(d, first, last, 0, d.columns), rows));
                EXPECT_EQ(rows.body().rows().kind, all.kind);
                EXPECT_EQ(rows.body().rows().index_data(), all.index_data() + all.offset(first))
                    << "entries are copied";
                const matrix columns =
                    storage::make_matrix(ctx, storage::columns_between(ctx, all, first, last));
                EXPECT_TRUE(same(cut_out(d, 0, d.rows, first, last), columns));
                EXPECT_EQ(columns.body().rows().kind, all.kind);
            }
            EXPECT_TRUE(same(d, storage::make_matrix(ctx, storage::rows_between(ctx, all, 0, d.rows))));
            EXPECT_TRUE(same(d, storage::make_matrix(ctx, storage::columns_between(ctx, all, 0, d.columns))));
            const array<offset_t> starts = storage::column_starts(ctx, all);
            ASSERT_EQ(starts.size(), static_cast<std::size_t>(d.columns) + 1);
            for (index_t j = 0; j <= d.columns; ++j)
                EXPECT_EQ(starts[static_cast<std::size_t>(j)],
                          static_cast<offset_t>(cut_out(d, 0, d.rows, 0, j).entries.size()));
        }
    }
}

TEST(CsrParts, LieEvenlyBetweenCuts) {
    const std::vector<double> before = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const auto of = [](const std::vector<double>& all) {
        return [&all](index_t i) { return all[static_cast<std::size_t>(i)]; };
    };
    EXPECT_EQ(storage::even_cuts(8, 1, of(before)), (std::vector<index_t>{0, 8}));
    EXPECT_EQ(storage::even_cuts(8, 4, of(before)), (std::vector<index_t>{0, 2, 4, 6, 8}));
    EXPECT_EQ(storage::even_cuts(8, 100, of(before)), (std::vector<index_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    const std::vector<double> heavy = {0, 1, 100, 101, 102, 103};
    EXPECT_EQ(storage::even_cuts(5, 4, of(heavy)), (std::vector<index_t>{0, 2, 5})) << "a list is not cut";
    const std::vector<double> none = {0, 0, 0, 0};
    EXPECT_EQ(storage::even_cuts(3, 2, of(none)), (std::vector<index_t>{0, 3}));
    EXPECT_EQ(storage::even_cuts(0, 5, of(none)), (std::vector<index_t>{0, 0}));
}

TEST(CsrParts, RowsOfStripsStandBehindEachOther) {
    std::mt19937 random(csr_parts_seed + 1);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const dictionary d = random_dictionary(3000, 50, 0.1, dtype::float64, random);
        const matrix a = make_matrix(ctx, d);
        const csr& all = a.body().rows();
        csr c = storage::copy(ctx, all);
        std::fill_n(c.indices.as<index_t>(), c.nnz, -1);
        std::fill_n(c.values.as<double>(), c.nnz, -1.0);
        std::vector<offset_t> next;
        for (index_t i = 0; i < all.rows; ++i) next.push_back(all.offset(i));
        for (const auto& [first, last] : {std::pair{0, 17}, {17, 18}, {18, 50}}) {
            const csr strip = storage::columns_between(ctx, all, first, last);
            std::vector<offset_t> starts;
            for (index_t i = 0; i <= strip.rows; ++i) starts.push_back(strip.offset(i));
            for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 1200}, {1200, 3000}}) {
                const auto at = static_cast<std::size_t>(starts[from]);
                storage::append(threads,
                                {std::span(starts).subspan(from, to - from + 1), strip.index_data() + at,
                                 strip.values.as<double>() + at, first},
                                next.data() + from, c);
            }
        }
        EXPECT_TRUE(same_bits(all, c));
        for (index_t i = 0; i < all.rows; ++i)
            ASSERT_EQ(next[static_cast<std::size_t>(i)], all.offset(i + 1));
    }
}

}  // namespace
}  // namespace nz::test
