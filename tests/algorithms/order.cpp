// Orders of vertices against plain walks with sets, and matrices and vectors in a new order against entries moved one by one.
#include "nonzero/nonzero.hpp"
#include "storage/matrix_body.hpp"
#include "support/files.hpp"
#include "support/settings.hpp"
#include "support/small.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <random>
#include <set>

namespace nz::test {
namespace {

constexpr ordering all_orderings[] = {ordering::reverse_cuthill_mckee, ordering::degree, ordering::cluster};

std::vector<index_t> numbers_of(const vector& v) {
    const auto x = v.values<index_t>();
    return {x.begin(), x.end()};
}

std::vector<index_t> identity(offset_t n) {
    std::vector<index_t> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<index_t> shuffled(offset_t n, unsigned seed) {
    std::vector<index_t> all = identity(n);
    std::mt19937 random(seed);
    std::ranges::shuffle(all, random);
    return all;
}

vector order_of(const context& ctx, const std::vector<index_t>& numbers) {
    return vector::dense<index_t>(ctx, numbers);
}

std::vector<std::set<index_t>> neighbours(const matrix& a) {
    std::vector<std::set<index_t>> near(static_cast<std::size_t>(a.rows()));
    for (const auto& [place, value] : read(a).entries) {
        near[place.first].insert(place.second);
        near[place.second].insert(place.first);
    }
    return near;
}

offset_t bandwidth(const matrix& a) { return std::max(a.facts().bandwidth_lower, a.facts().bandwidth_upper); }

// Reverse Cuthill-McKee with sets and a queue.
class plain_walk {
public:
    explicit plain_walk(const matrix& a) : near_(neighbours(a)), placed_(near_.size()) {}

    std::vector<index_t> run() {
        std::vector<index_t> seeds = identity(static_cast<offset_t>(near_.size()));
        std::ranges::sort(seeds, {}, [&](index_t v) { return key(v); });
        for (const index_t seed : seeds)
            if (!placed_[seed]) place(far_end(seed));
        std::ranges::reverse(order_);
        return order_;
    }

private:
    std::pair<std::size_t, index_t> key(index_t v) const { return {near_[v].size(), v}; }
    std::vector<std::vector<index_t>> levels(index_t v) const {
        std::set<index_t> met{v};
        std::vector<std::vector<index_t>> all{{v}};
        for (std::vector<index_t> next{v}; !next.empty();) {
            std::vector<index_t> below;
            for (const index_t u : next)
                for (const index_t w : near_[u])
                    if (met.insert(w).second) below.push_back(w);
            if (!below.empty()) all.push_back(below);
            next = below;
        }
        return all;
    }
    index_t far_end(index_t v) const {
        auto best = levels(v);
        while (best.size() > 1) {
            const auto& last = best.back();
            v = *std::ranges::min_element(last, {}, [&](index_t u) { return key(u); });
            auto next = levels(v);
            if (next.size() <= best.size()) break;
            best = next;
        }
        return v;
    }
    void place(index_t v) {
        std::queue<index_t> queue({v});
        placed_[v] = true;
        for (; !queue.empty(); queue.pop()) {
            order_.push_back(queue.front());
            std::set<std::pair<std::size_t, index_t>> fresh;
            for (const index_t w : near_[queue.front()])
                if (!placed_[w]) fresh.insert(key(w));
            for (const auto& [degree, w] : fresh) {
                placed_[w] = true;
                queue.push(w);
            }
        }
    }

    std::vector<std::set<index_t>> near_;
    std::vector<bool> placed_;
    std::vector<index_t> order_;
};

// A matrix of places given by vertices that are joined.
matrix graph_of(const context& ctx, offset_t n, const std::vector<std::pair<index_t, index_t>>& edges) {
    matrix a(ctx, dtype::boolean, n, n);
    for (const auto& [i, j] : edges) {
        a.set(i, j, scalar(true));
        a.set(j, i, scalar(true));
    }
    return a;
}

TEST(Orders, ArePermutationsAndTheSameForAnyNumberOfThreads) {
    for (const char* graph : {"rmat:9,8", "rmat_directed:9,8", "grid2d:30,0.3", "uniform:700,3",
                              "banded:300,7", "dense:20,20", "dense:1,1", "powerlaw:2000"}) {
        for (const ordering how : all_orderings) {
            SCOPED_TRACE(std::string(graph) + " by " + std::string(name_of(how)));
            const context one({.backend = backend::cpu, .threads = 1}),
                three({.backend = backend::cpu, .threads = 3});
            const matrix a = load(one, graph).matrix;
            const std::vector<index_t> found = numbers_of(order(one, a, how));
            EXPECT_EQ(numbers_of(order(three, load(three, graph).matrix, how)), found);
            std::vector<index_t> sorted = found;
            std::ranges::sort(sorted);
            EXPECT_EQ(sorted, identity(a.rows()));
        }
    }
}

TEST(Orders, ReverseCuthillMckeeIsThePlainWalk) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const char* graph :
         {"grid2d:12", "laplace2d:9", "grid2d:15,0.4", "rmat:7,4", "rmat_directed:7,3", "uniform:300,1"}) {
        const matrix a = load(ctx, graph).matrix;
        const matrix hidden = permute(ctx, a, order_of(ctx, shuffled(a.rows(), 3)));
        for (const matrix* m : {&a, &hidden}) {
            // Loops are entries, and count for a degree; sets of neighbours hold them as well.
            EXPECT_EQ(numbers_of(order(ctx, *m, ordering::reverse_cuthill_mckee)), plain_walk(*m).run())
                << graph;
        }
    }
}

TEST(Orders, ReverseCuthillMckeeFindsShuffledBandsAgain) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const auto& [graph, most] : {std::pair("banded:3000,9", 8), std::pair("grid2d:50", 51),
                                      std::pair("laplace2d:40", 41), std::pair("grid2d:60,0.2", 90)}) {
        const matrix a = load(ctx, graph).matrix;
        const matrix hidden = permute(ctx, a, order_of(ctx, shuffled(a.rows(), 5)));
        EXPECT_GT(bandwidth(hidden), a.rows() / 2) << graph;
        const matrix found = permute(ctx, hidden, order(ctx, hidden, ordering::reverse_cuthill_mckee));
        EXPECT_LE(bandwidth(found), most) << graph;
    }
}

TEST(Orders, ReverseCuthillMckeeTakesComponentsOneByOne) {
    const context ctx({.backend = backend::cpu});
    // Two paths, 6-1-4-2 and 0-5-3, and a vertex alone.
    const matrix a = graph_of(ctx, 8, {{6, 1}, {1, 4}, {4, 2}, {0, 5}, {5, 3}});
    EXPECT_EQ(numbers_of(order(ctx, a, ordering::reverse_cuthill_mckee)),
              (std::vector<index_t>{2, 4, 1, 6, 0, 5, 3, 7}));
    EXPECT_EQ(bandwidth(permute(ctx, a, order(ctx, a, ordering::reverse_cuthill_mckee))), 1);
}

TEST(Orders, ByDegreeFallAndTiesKeepTheirOrder) {
    const context ctx({.backend = backend::cpu});
    const matrix star = graph_of(ctx, 6, {{3, 0}, {3, 1}, {3, 4}, {5, 0}});
    EXPECT_EQ(numbers_of(order(ctx, star, ordering::degree)), (std::vector<index_t>{3, 0, 1, 4, 5, 2}));
}

TEST(Orders, ClustersKeepGroupsTogether) {
    const context ctx({.backend = backend::cpu});
    // Three cliques of different sizes, joined in a ring by single edges, under shuffled numbers.
    std::vector<std::pair<index_t, index_t>> edges;
    const std::vector<index_t> name = shuffled(36, 7), first{0, 9, 21, 36};
    for (int c = 0; c < 3; ++c) {
        for (index_t i = first[c]; i < first[c + 1]; ++i)
            for (index_t j = i + 1; j < first[c + 1]; ++j) edges.emplace_back(name[i], name[j]);
        edges.emplace_back(name[first[c]], name[first[(c + 1) % 3] + 1]);
    }
    const auto found = numbers_of(order(ctx, graph_of(ctx, 36, edges), ordering::cluster));
    std::vector<int> clique(36);
    for (int c = 0; c < 3; ++c)
        for (index_t i = first[c]; i < first[c + 1]; ++i) clique[name[i]] = c;
    int changes = 0;
    for (std::size_t k = 1; k < found.size(); ++k) changes += clique[found[k]] != clique[found[k - 1]];
    EXPECT_EQ(changes, 2) << testing::PrintToString(found);
    EXPECT_EQ(clique[found[0]], 2) << "the largest degree comes first";
}

TEST(Orders, OfDirectedGraphsTakeEdgesBothWays) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const char* graph : {"rmat_directed:9,6", "rmat_directed:8,2"}) {
        const matrix a = load(ctx, graph).matrix;
        matrix both(ctx, a.type(), a.rows(), a.rows());
        ewise_add(ctx, both, binary_id::first, a, a, {.transpose_b = true});
        ASSERT_NE(both.nnz(), a.nnz());
        for (const ordering how : all_orderings)
            EXPECT_EQ(numbers_of(order(ctx, a, how)), numbers_of(order(ctx, both, how)))
                << graph << name_of(how);
    }
}

TEST(Orders, TakeMatricesOfAnySize) {
    const context ctx({.backend = backend::cpu});
    for (const ordering how : all_orderings) {
        EXPECT_EQ(numbers_of(order(ctx, matrix(ctx, dtype::int8, 0, 0), how)), identity(0));
        EXPECT_EQ(numbers_of(order(ctx, matrix(ctx, dtype::int8, 1, 1), how)), identity(1));
        EXPECT_EQ(order(ctx, matrix(ctx, dtype::float64, 70, 70), how).count(), 70);
        const std::string why =
            refusal<dimension_mismatch>([&] { order(ctx, matrix(ctx, dtype::int8, 3, 4), how); });
        EXPECT_NE(why.find("3 x 4"), std::string::npos) << why;
        EXPECT_NE(why.find("square"), std::string::npos) << why;
        EXPECT_EQ(parse_ordering(name_of(how)), how);
    }
    EXPECT_NE(refusal<domain_error>([] { parse_ordering("amd"); }).find("rcm, degree or cluster"),
              std::string::npos);
}

TEST(Permute, MovesEveryEntryAndChangesNone) {
    std::mt19937 random(11);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        for (int round = 0; round < 40; ++round) {
            const auto n = static_cast<index_t>(round < 30 ? random() % 20 : 2500 + round);
            const dictionary a = random_dictionary(n, n, round < 30 ? 0.3 : 0.002, any_type(random), random);
            const std::vector<index_t> old_of = shuffled(n, round);
            dictionary expected = a;
            expected.entries.clear();
            for (index_t i = 0; i < n; ++i)
                for (index_t j = 0; n < 100 && j < n; ++j)
                    if (const auto at = a.entries.find({old_of[i], old_of[j]}); at != a.entries.end())
                        expected.entries[{i, j}] = at->second;
            if (n >= 100) {
                std::vector<index_t> new_of(old_of.size());
                for (index_t k = 0; k < n; ++k) new_of[old_of[k]] = k;
                for (const auto& [place, value] : a.entries)
                    expected.entries[{new_of[place.first], new_of[place.second]}] = value;
            }
            const matrix m = make_matrix(ctx, a, round % 2 == 0);
            const std::vector<std::int64_t> wide(old_of.begin(), old_of.end());
            EXPECT_TRUE(same(expected, permute(ctx, m, order_of(ctx, old_of))));
            EXPECT_TRUE(same(expected, permute(ctx, m, vector::dense<std::int64_t>(ctx, wide))));
        }
    }
}

TEST(Permute, KeepsWhatIsKnownOfTheMatrix) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:8,4").matrix, b = permute(ctx, a, order(ctx, a, ordering::degree));
    EXPECT_TRUE(a.body().known_symmetric() && b.body().known_symmetric());
    EXPECT_EQ(b.values_held(), a.values_held());
    EXPECT_FALSE(permute(ctx, load(ctx, "rmat_directed:8,4").matrix, order_of(ctx, identity(256)))
                     .body()
                     .known_symmetric());
}

TEST(Permute, AndRestoreUndoEachOtherOnVectorsOfEveryFormAndType) {
    const context ctx({.backend = backend::cpu});
    std::mt19937 random(2);
    for (const dtype type : all_types) {
        for (const vector_form form : {vector_form::dense, vector_form::bitmap, vector_form::sparse}) {
            const std::vector<index_t> old_of = shuffled(150, random());
            const vector o = order_of(ctx, old_of);
            const dictionary d =
                random_dictionary(150, 1, form == vector_form::dense ? 1.0 : 0.3, type, random);
            const vector v = make_vector(ctx, d, form);
            dictionary expected = d;
            expected.entries.clear();
            for (index_t k = 0; k < 150; ++k)
                if (const auto at = d.entries.find({old_of[k], 0}); at != d.entries.end())
                    expected.entries[{k, 0}] = at->second;
            const vector moved = permute(ctx, v, o);
            EXPECT_TRUE(same(expected, moved)) << name_of(type);
            EXPECT_EQ(moved.form(), form);
            EXPECT_TRUE(same(d, restore(ctx, moved, o))) << name_of(type);
            EXPECT_TRUE(same(d, permute(ctx, moved, inverse(ctx, o)))) << name_of(type);
        }
    }
}

TEST(Permute, RefusesWhatIsNoOrder) {
    const context ctx({.backend = backend::cpu});
    const matrix a(ctx, dtype::float64, 3, 3);
    const auto says = [&](const vector& o, const char* what) {
        const std::string why = refusal<domain_error>([&] { permute(ctx, a, o); });
        EXPECT_NE(why.find(what), std::string::npos) << why;
    };
    says(order_of(ctx, {0, 2, 2}), "has 2 at places 1 and 2");
    says(order_of(ctx, {0, 3, 1}), "has 3 at place 1");
    says(order_of(ctx, {-1, 2, 1}), "has -1 at place 0");
    says(vector_of<std::int32_t>(ctx, 3, {{0, 0}, {2, 1}}), "none may be missing");
    says(vector::full(ctx, 3, scalar(1.0)), "float64");
    EXPECT_NE(refusal<dimension_mismatch>([&] { permute(ctx, a, order_of(ctx, {0, 1})); }).find("size 2"),
              std::string::npos);
    EXPECT_THROW(permute(ctx, matrix(ctx, dtype::int8, 2, 3), order_of(ctx, {0, 1})), dimension_mismatch);
    EXPECT_THROW(restore(ctx, vector(ctx, dtype::int8, 4), order_of(ctx, {0, 1})), dimension_mismatch);
    EXPECT_THROW(permute(ctx, vector(ctx, dtype::int8, 4), order_of(ctx, {0, 1})), dimension_mismatch);
}

TEST(Restore, NamesVerticesAsTheCallerDoes) {
    const context ctx({.backend = backend::cpu});
    const vector o = order_of(ctx, {2, 0, 3, 1});
    const std::vector<std::int64_t> parents{0, 0, -1, 2}, expected{2, 3, 2, -1};
    const vector found = restore_vertices(ctx, vector::dense<std::int64_t>(ctx, parents), o);
    EXPECT_TRUE(std::ranges::equal(found.values<std::int64_t>(), expected)) << text(found);
    EXPECT_EQ(text(restore_vertices(ctx, vector_of<std::int32_t>(ctx, 4, {{0, 3}, {2, 1}}), o)), "2=1 3=0");
    const std::string why = refusal<index_out_of_bounds>(
        [&] { restore_vertices(ctx, vector_of<std::int32_t>(ctx, 4, {{1, 4}}), o); });
    EXPECT_NE(why.find("4 at place 1"), std::string::npos) << why;
    EXPECT_THROW(restore_vertices(ctx, vector::full(ctx, 4, scalar(1.0)), o), domain_error);
}

TEST(Restore, GivesSearchesOfTheReorderedGraphInTheCallersNumbers) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const char* graph : {"rmat:10,8", "rmat_directed:10,8", "grid2d:40,0.3"}) {
        const matrix a = load(ctx, graph).matrix;
        const vector levels = bfs(ctx, a, 5).levels;
        for (const ordering how : all_orderings) {
            const vector o = order(ctx, a, how);
            const auto inside = bfs(ctx, permute(ctx, a, o), numbers_of(inverse(ctx, o))[5]);
            const vector found = restore(ctx, inside.levels, o);
            EXPECT_TRUE(std::ranges::equal(found.values<std::int32_t>(), levels.values<std::int32_t>()))
                << graph;
            EXPECT_EQ(validate_bfs(ctx, a, 5, found, restore_vertices(ctx, inside.parents, o)), "") << graph;
        }
    }
}

}  // namespace
}  // namespace nz::test
