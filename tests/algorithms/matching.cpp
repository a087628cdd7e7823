// Maximal matchings, valid and the same for any number of threads, and a checker that is itself held against wrong ones.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace nz {
namespace {

using mates = std::vector<std::int32_t>;

mates mates_of(const vector& v) {
    const auto x = v.values<std::int32_t>();
    return {x.begin(), x.end()};
}

// By definition, from entries: an edge between every pair of mates, none between two without.
void expect_maximal(const matrix& a, const matching_result& found) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    a.extract_tuples(from, to, ignored);
    std::set<std::pair<index_t, index_t>> edges;
    const mates of_rows = mates_of(found.of_rows), of_columns = mates_of(found.of_columns);
    for (std::size_t e = 0; e < from.size(); ++e) {
        edges.insert({from[e], to[e]});
        EXPECT_TRUE(of_rows[from[e]] >= 0 || of_columns[to[e]] >= 0) << from[e] << " " << to[e];
    }
    offset_t count = 0;
    for (index_t i = 0; i < a.rows(); ++i) {
        if (of_rows[i] < 0) continue;
        ++count;
        EXPECT_EQ(of_columns[of_rows[i]], i);
        EXPECT_TRUE(edges.contains({i, of_rows[i]}));
    }
    for (index_t j = 0; j < a.columns(); ++j) count -= of_columns[j] >= 0;
    EXPECT_EQ(count, 0);
}

TEST(Matching, IsMaximalAndTheSameForAnyNumberOfThreads) {
    for (const char* graph :
         {"rmat:8,6", "rmat_directed:9,2", "lp:300,500,900", "lp:500,300,900", "dense:40,25", "dense:1,1",
          "grid2d:20,0.3", "banded:200,1", "powerlaw:500", "random:400,2"}) {
        std::vector<mates> all;
        for (const context& ctx : test::contexts()) {
            SCOPED_TRACE(graph);
            const matrix a = load(ctx, graph).matrix;
            const auto found = matching(ctx, a);
            expect_maximal(a, found);
            EXPECT_EQ(validate_matching(ctx, a, found.of_rows, found.of_columns), "");
            EXPECT_LE(found.rounds, 60);
            all.push_back(mates_of(found.of_rows));
            EXPECT_EQ(all.back(), all.front());
        }
    }
}

TEST(Matching, OfDenseAndDiagonalMatricesIsPerfect) {
    const context ctx({.backend = backend::cpu});
    EXPECT_EQ(matching(ctx, load(ctx, "dense:40,25").matrix).count, 25);
    EXPECT_EQ(matching(ctx, load(ctx, "dense:25,40").matrix).count, 25);
    const auto diagonal = matching(ctx, load(ctx, "banded:99,1").matrix);
    EXPECT_EQ(diagonal.count, 99);
    EXPECT_EQ(diagonal.rounds, 1);
}

TEST(Matching, DependsOnTheSeedAlone) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:10,8").matrix;
    EXPECT_EQ(mates_of(matching(ctx, a, {5}).of_rows), mates_of(matching(ctx, a, {5}).of_rows));
    EXPECT_NE(mates_of(matching(ctx, a, {5}).of_rows), mates_of(matching(ctx, a, {6}).of_rows));
}

TEST(MatchingCheck, AcceptsAnyMaximalOneAndRefusesOthers) {
    const context ctx({.backend = backend::cpu});
    // Rows 0, 1, 2 and columns 0, 1: 0 - 0, 0 - 1, 1 - 1, 2 - 1.
    const std::vector<index_t> from = {0, 0, 1, 2}, to = {0, 1, 1, 1};
    const matrix a = matrix::build<double>(ctx, {3, 2, from, to, std::vector<double>(4, 1.0)});
    const auto verdict = [&](const mates& rows, const mates& columns) {
        return validate_matching(ctx, a, vector::dense<std::int32_t>(ctx, rows),
                                 vector::dense<std::int32_t>(ctx, columns));
    };
    EXPECT_EQ(verdict({0, 1, -1}, {0, 1}), "");
    EXPECT_EQ(verdict({0, -1, 1}, {0, 2}), "");
    EXPECT_EQ(verdict({1, -1, -1}, {-1, 0}), "") << "maximal, not the largest";
    EXPECT_NE(verdict({-1, 1, -1}, {-1, 1}), "") << "0 - 0 could be added";
    EXPECT_NE(verdict({-1, -1, -1}, {-1, -1}), "");
    EXPECT_NE(verdict({0, 1, 1}, {0, 1}), "") << "a column with two rows";
    EXPECT_NE(verdict({0, 1, -1}, {0, 2}), "") << "mates that disagree";
    EXPECT_NE(verdict({1, 0, -1}, {1, 0}), "") << "no edge 1 - 0";
    EXPECT_NE(verdict({0, 2, -1}, {0, -1}), "") << "no such column";
    EXPECT_NE(verdict({0, -1, -1}, {0, 1}), "");
    EXPECT_NE(validate_matching(ctx, a, vector(ctx, dtype::int32, 3), vector(ctx, dtype::int32, 2)), "");
    EXPECT_THROW(validate_matching(ctx, a, vector(ctx, dtype::int32, 2), vector(ctx, dtype::int32, 2)),
                 dimension_mismatch);
}

TEST(Matching, OfMatricesWithoutEntriesIsEmpty) {
    const context ctx({.backend = backend::cpu});
    EXPECT_EQ(matching(ctx, matrix(ctx, dtype::int32, 0, 4)).count, 0);
    EXPECT_EQ(matching(ctx, matrix(ctx, dtype::int32, 4, 0)).count, 0);
    EXPECT_EQ(mates_of(matching(ctx, matrix(ctx, dtype::int32, 2, 3)).of_columns), (mates{-1, -1, -1}));
}

}  // namespace
}  // namespace nz
