// The transitive closure against reachability by definition, and a checker that is itself held against wrong pairs.
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace nz {
namespace {

using pair_set = std::set<std::pair<index_t, index_t>>;

pair_set pairs_of(const matrix& m) {
    std::vector<index_t> from, to;
    std::vector<double> ignored;
    m.extract_tuples(from, to, ignored);
    pair_set pairs;
    for (std::size_t e = 0; e < from.size(); ++e) pairs.insert({from[e], to[e]});
    return pairs;
}

// By joining paths at each vertex in turn.
pair_set closure_by_definition(const matrix& a) {
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
    for (const auto& [u, v] : pairs_of(a)) reach[u][v] = true;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t u = 0; u < n; ++u)
            if (reach[u][k])
                for (std::size_t v = 0; v < n; ++v)
                    if (reach[k][v]) reach[u][v] = true;
    pair_set pairs;
    for (std::size_t u = 0; u < n; ++u)
        for (std::size_t v = 0; v < n; ++v)
            if (reach[u][v]) pairs.insert({static_cast<index_t>(u), static_cast<index_t>(v)});
    return pairs;
}

TEST(Closure, HasEveryPairJoinedByAPath) {
    for (const char* graph : {"rmat:6,2", "rmat_directed:7,1", "rmat_directed:6,3", "random:150,1",
                              "banded:70,2", "grid2d:8,0.4", "powerlaw:120", "dense:1,1"})
        for (const context& ctx : test::contexts()) {
            SCOPED_TRACE(graph);
            const matrix a = load(ctx, graph).matrix;
            pair_set expected = closure_by_definition(a);
            const auto found = transitive_closure(ctx, a);
            EXPECT_TRUE(found.complete);
            EXPECT_EQ(pairs_of(found.reach), expected);
            EXPECT_EQ(validate_transitive_closure(ctx, a, found.reach), "");
            const auto reflexive = transitive_closure(ctx, a, {.reflexive = true});
            for (index_t v = 0; v < a.rows(); ++v) expected.insert({v, v});
            EXPECT_EQ(pairs_of(reflexive.reach), expected);
            EXPECT_EQ(validate_transitive_closure(ctx, a, reflexive.reach, {.reflexive = true}), "");
        }
}

TEST(Closure, GoesTwiceAsFarAStep) {
    const context ctx({.backend = backend::cpu});
    std::vector<index_t> from, to;
    for (index_t v = 0; v < 63; ++v) from.push_back(v), to.push_back(v + 1);
    const matrix path = matrix::build<double>(ctx, {64, 64, from, to, std::vector<double>(63, 0.0)});
    const auto two = transitive_closure(ctx, path, {.max_steps = 2});
    EXPECT_FALSE(two.complete);
    EXPECT_TRUE(two.reach.contains(0, 4));
    EXPECT_FALSE(two.reach.contains(0, 5));
    EXPECT_NE(validate_transitive_closure(ctx, path, two.reach), "");
    const auto all = transitive_closure(ctx, path);
    EXPECT_EQ(all.steps, 7);
    EXPECT_EQ(all.reach.nnz(), 64 * 63 / 2);
}

TEST(ClosureCheck, RefusesMissingAndAddedPairs) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat_directed:7,1").matrix;
    const matrix right = transitive_closure(ctx, a).reach;
    ASSERT_EQ(validate_transitive_closure(ctx, a, right), "");
    const pair_set pairs = pairs_of(right);
    for (const auto& [u, v] : {*pairs.begin(), *pairs.rbegin(), *std::next(pairs.begin(), 7)}) {
        matrix wrong = right;
        wrong.remove(u, v);
        EXPECT_NE(validate_transitive_closure(ctx, a, wrong), "");
    }
    int added = 0;
    for (index_t v = 0; v < a.rows() && added < 3; ++v) {
        if (right.contains(5, v)) continue;
        matrix wrong = right;
        wrong.set(5, v, scalar(true));
        EXPECT_NE(validate_transitive_closure(ctx, a, wrong), "");
        ++added;
    }
    EXPECT_NE(validate_transitive_closure(ctx, a, right, {.reflexive = true}), "");
}

TEST(ClosureFaults, SayWhatIsWrong) {
    const context ctx({.backend = backend::cpu});
    EXPECT_THROW(transitive_closure(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
    EXPECT_THROW(transitive_closure(ctx, matrix(ctx, dtype::int32, 3, 3), {.max_steps = -1}), domain_error);
    EXPECT_THROW(transitive_closure(ctx, load(ctx, "grid2d:4").matrix, {.kernel = "square"}), domain_error);
    EXPECT_EQ(transitive_closure(ctx, matrix(ctx, dtype::int32, 0, 0)).reach.nnz(), 0);
    const context small({.backend = backend::cpu, .memory_limit = 4 << 20});
    EXPECT_THROW(transitive_closure(small, load(small, "grid2d:60").matrix), out_of_memory);
}

}  // namespace
}  // namespace nz
