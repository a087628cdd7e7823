// Shortest paths against the reference and against a checker that is itself held against wrong answers: every kernel,
// type of weights, number of threads and backend gives the same distances and parents.
#include "nonzero/nonzero.hpp"
#include "storage/matrix_body.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <queue>
#include <random>

namespace nz {
namespace {

template <class T>
std::vector<std::pair<index_t, T>> entries(const vector& v) {
    std::vector<index_t> indices;
    std::vector<T> values;
    v.extract_tuples<T>(indices, values);
    std::vector<std::pair<index_t, T>> all;
    for (std::size_t k = 0; k < indices.size(); ++k) all.emplace_back(indices[k], values[k]);
    return all;
}

// Dijkstra's algorithm over the tuples of a matrix, in the distances' own type.
template <class T>
std::vector<std::pair<index_t, T>> dijkstra(const matrix& a, offset_t source) {
    std::vector<index_t> rows, columns;
    std::vector<T> values;
    a.extract_tuples(rows, columns, values);
    std::vector<std::vector<std::pair<index_t, T>>> out(static_cast<std::size_t>(a.rows()));
    for (std::size_t k = 0; k < rows.size(); ++k) out[rows[k]].emplace_back(columns[k], values[k]);
    std::vector<bool> settled(static_cast<std::size_t>(a.rows()));
    std::vector<T> distance(static_cast<std::size_t>(a.rows()));
    std::priority_queue<std::pair<T, index_t>, std::vector<std::pair<T, index_t>>, std::greater<>> open;
    open.emplace(T{0}, static_cast<index_t>(source));
    while (!open.empty()) {
        const auto [d, u] = open.top();
        open.pop();
        if (settled[u]) continue;
        settled[u] = true;
        distance[u] = d;
        for (const auto& [v, w] : out[u])
            if (!settled[v]) open.emplace(d + w, v);
    }
    std::vector<std::pair<index_t, T>> all;
    for (index_t v = 0; v < a.rows(); ++v)
        if (settled[v]) all.emplace_back(v, distance[v]);
    return all;
}

bool same(const vector& x, const vector& y) {
    return x.type() == y.type() &&
           dispatch(x.type(), [&]<class T>(std::type_identity<T>) { return entries<T>(x) == entries<T>(y); });
}

shortest_result by_reference(const matrix& a, offset_t source, std::optional<dtype> type = {}) {
    const context plain({.backend = backend::cpu, .threads = 1});
    shortest_options o;
    o.kernel = "reference";
    o.type = type;
    return sssp(plain, a, source, o);
}

void expect_paths(const shortest_result& expected, const context& ctx, const matrix& a, offset_t source,
                  const shortest_options& o = {}) {
    const auto found = sssp(ctx, a, source, o);
    EXPECT_EQ(validate_sssp(ctx, a, source, found.distances, found.parents), "");
    EXPECT_TRUE(same(found.distances, expected.distances)) << "distances differ";
    if (o.parents) {
        EXPECT_TRUE(same(found.parents, expected.parents)) << "parents differ";
    }
    EXPECT_EQ(found.reached, expected.reached);
    EXPECT_EQ(found.edges, expected.edges);
    EXPECT_EQ(found.distances.count(), found.reached);
    found.distances.validate();
}

void expect_paths_everywhere(const shortest_result& expected, const matrix& a, offset_t source,
                             const shortest_options& o) {
    for (const context& ctx : test::contexts()) {
        SCOPED_TRACE(std::string(name_of(ctx.backend())) + ", threads " + std::to_string(ctx.threads()));
        expect_paths(expected, ctx, a, source, o);
        if (testing::Test::HasFailure()) return;
    }
}

void expect_all_same(const matrix& a, offset_t source, const shortest_options& o = {}) {
    expect_paths_everywhere(by_reference(a, source, o.type), a, source, o);
}

matrix weighted(const context& ctx, const char* source, std::int32_t low = 1, std::int32_t high = 255) {
    return with_random_weights(ctx, load(ctx, source).matrix, low, high);
}

// The same entries, value k becoming change(value, k).
template <class T, class Change>
matrix with_values(const context& ctx, const matrix& a, Change&& change) {
    std::vector<index_t> rows, columns;
    std::vector<std::int32_t> values;
    a.extract_tuples(rows, columns, values);
    const auto changed = std::make_unique<T[]>(values.size() + 1);
    for (std::size_t k = 0; k < values.size(); ++k) changed[k] = change(values[k], k);
    return matrix::build<T>(ctx, {static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()), rows,
                                  columns, std::span<const T>(changed.get(), values.size())});
}

struct path_case {
    const char* name;
    const char* graph;
    offset_t source;
    friend void PrintTo(const path_case& c, std::ostream* to) { *to << c.graph << " from " << c.source; }
};

class Sssp : public ::testing::TestWithParam<path_case> {};
INSTANTIATE_TEST_SUITE_P(
    Graphs, Sssp,
    ::testing::Values(path_case{"Kronecker", "rmat:10,8", 3}, path_case{"KroneckerLarge", "rmat:14,16", 77},
                      path_case{"KroneckerDirected", "rmat_directed:11,8", 5},
                      path_case{"Uniform", "uniform:3000,6", 0},
                      path_case{"UniformLarge", "uniform:70000,8", 9},
                      path_case{"Grid", "grid2d:60,0.2", 1830},
                      path_case{"GridLarge", "grid2d:300,0.1", 45150}, path_case{"OneVertex", "dense:1,1", 0},
                      path_case{"Complete", "dense:200,200", 13}, path_case{"PowerLaw", "powerlaw:20000", 7},
                      path_case{"Band", "banded:3000,3", 1500}),
    [](const auto& info) { return info.param.name; });

TEST_P(Sssp, FindsTheDistancesOfDijkstra) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = weighted(ctx, GetParam().graph);
    const auto found = sssp(ctx, a, GetParam().source);
    EXPECT_EQ(entries<std::int32_t>(found.distances), dijkstra<std::int32_t>(a, GetParam().source));
    EXPECT_EQ(validate_sssp(ctx, a, GetParam().source, found.distances, found.parents), "");
}

TEST_P(Sssp, EveryBackendAndNumberOfThreadsAgrees) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    expect_all_same(weighted(ctx, GetParam().graph), GetParam().source);
}

TEST_P(Sssp, EveryWidthOfBucketAgrees) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = weighted(ctx, GetParam().graph);
    const auto expected = by_reference(a, GetParam().source);
    for (const double delta : {0.0, 3.0, 50.0, 1000.0, 1e30}) {
        shortest_options o;
        o.delta = delta;
        SCOPED_TRACE("delta " + std::to_string(delta));
        expect_paths_everywhere(expected, a, GetParam().source, o);
        if (HasFailure()) return;
    }
    shortest_options without;
    without.switches.near_far = false;
    without.parents = false;
    expect_paths_everywhere(expected, a, GetParam().source, without);
}

TEST_P(Sssp, TheLoopOverMxvAgreesWithEverySwitch) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = weighted(ctx, GetParam().graph);
    if (a.nnz() > 300000) GTEST_SKIP() << "small graphs only";
    const auto expected = by_reference(a, GetParam().source);
    for (int bits = 0; bits < 4; ++bits) {
        shortest_options o;
        o.kernel = "relax_loop";
        o.switches.change_direction = (bits & 1) != 0;
        o.switches.operand_reuse = (bits & 2) != 0;
        SCOPED_TRACE("switches " + std::to_string(bits));
        expect_paths(expected, ctx, a, GetParam().source, o);
        if (HasFailure()) return;
    }
}

TEST_P(Sssp, EveryTypeOfWeightsAgrees) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = weighted(ctx, GetParam().graph, 0, 100);
    const auto source = GetParam().source;
    const auto as_is = [](std::int32_t w, std::size_t) { return w; };
    const auto halves = [](std::int32_t w, std::size_t) { return static_cast<double>(w) / 7; };
    const matrix of_type[] = {with_values<std::int8_t>(ctx, a, as_is),
                              with_values<std::uint8_t>(ctx, a, as_is),
                              with_values<std::int16_t>(ctx, a, as_is),
                              with_values<std::uint32_t>(ctx, a, as_is),
                              with_values<std::int64_t>(ctx, a, as_is),
                              with_values<std::uint64_t>(ctx, a, as_is),
                              with_values<float>(ctx, a, halves),
                              with_values<double>(ctx, a, halves),
                              with_values<bool>(ctx, a, [](std::int32_t w, std::size_t) { return w > 30; })};
    for (const matrix& b : of_type) {
        SCOPED_TRACE(std::string(name_of(b.type())));
        expect_all_same(b, source);
        if (HasFailure()) return;
    }
    const auto in_floats = sssp(ctx, of_type[6], source);
    EXPECT_EQ(entries<float>(in_floats.distances), dijkstra<float>(of_type[6], source));
    const auto in_doubles = sssp(ctx, of_type[7], source);
    EXPECT_EQ(entries<double>(in_doubles.distances), dijkstra<double>(of_type[7], source));
}

TEST(SsspTypes, FollowTheWeightsUnlessAskedFor) {
    const context ctx;
    const matrix a = weighted(ctx, "grid2d:20,0.1");
    const auto type_of = [&](const matrix& m, std::optional<dtype> asked) {
        shortest_options o;
        o.type = asked;
        return sssp(ctx, m, 5, o).distances.type();
    };
    const auto as_is = [](std::int32_t w, std::size_t) { return w; };
    EXPECT_EQ(type_of(a, {}), dtype::int32);
    EXPECT_EQ(type_of(a, dtype::int64), dtype::int64);
    EXPECT_EQ(type_of(a, dtype::float64), dtype::float64);
    EXPECT_THROW(type_of(a, dtype::float32), domain_error);
    EXPECT_THROW(type_of(a, dtype::uint32), domain_error);
    EXPECT_EQ(type_of(with_values<std::uint32_t>(ctx, a, as_is), {}), dtype::int64);
    EXPECT_EQ(type_of(with_values<float>(ctx, a, as_is), {}), dtype::float32);
    EXPECT_EQ(type_of(with_values<float>(ctx, a, as_is), dtype::float64), dtype::float64);
    EXPECT_THROW(type_of(with_values<float>(ctx, a, as_is), dtype::int64), domain_error);
    shortest_options wide;
    wide.type = dtype::int64;
    expect_all_same(a, 5, wide);
}

TEST(SsspWeights, APatternCountsEveryEdgeAsOne) {
    const context ctx;
    for (const auto* graph : {"rmat:10,8", "grid2d:40,0.2", "rmat_directed:9,8"}) {
        const matrix a = load(ctx, graph).matrix;
        ASSERT_EQ(a.values_held(), value_kind::pattern);
        expect_all_same(a, 1);
        std::vector<std::pair<index_t, std::int32_t>> levels;
        for (const auto& [v, level] : entries<std::int32_t>(bfs(ctx, a, 1).levels))
            if (level >= 0) levels.emplace_back(v, level);
        EXPECT_EQ(entries<std::int32_t>(sssp(ctx, a, 1).distances), levels);
    }
}

TEST(SsspWeights, OneValueForAllIsReadAsSuch) {
    const context ctx;
    const std::vector<index_t> offsets = {0, 2, 3, 4, 4}, columns = {1, 2, 3, 3};
    const std::vector<float> one = {2.5f};
    const matrix a = matrix::from_csr<float, std::int32_t>(ctx, {4, 4, offsets, columns, one});
    ASSERT_EQ(a.values_held(), value_kind::iso);
    expect_all_same(a, 0);
    EXPECT_EQ(entries<float>(sssp(ctx, a, 0).distances),
              (std::vector<std::pair<index_t, float>>{{0, 0.0f}, {1, 2.5f}, {2, 2.5f}, {3, 5.0f}}));
}

TEST(SsspWeights, CyclesOfLengthZeroDoNotTrapParents) {
    const context ctx;
    for (const auto* graph :
         {"rmat:10,8", "grid2d:50,0.2", "rmat_directed:10,8", "banded:500,3", "dense:60,60"}) {
        SCOPED_TRACE(graph);
        expect_all_same(weighted(ctx, graph, 0, 1), 7);
        expect_all_same(weighted(ctx, graph, 0, 0), 7);
    }
}

TEST(SsspWeights, FloatsThatAreLostInRoundingDoNotTrapParents) {
    const context ctx;
    const matrix a = weighted(ctx, "grid2d:40,0.1", 0, 9);
    const matrix b = with_values<float>(
        ctx, a, [](std::int32_t w, std::size_t) { return w == 9 ? 1e9f : 1e-9f * float(w); });
    expect_all_same(b, 0);
    shortest_options narrow;
    narrow.delta = 1e-6;
    narrow.parents = false;
    const matrix few =
        with_values<float>(ctx, weighted(ctx, "grid2d:4", 0, 9),
                           [](std::int32_t w, std::size_t) { return w > 6 ? 1e9f : 1e-9f * float(w); });
    expect_all_same(few, 0, narrow);
}

TEST(SsspWeights, LargeOnesFitOrAreRefused) {
    const context ctx;
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const std::vector<index_t> from = {0, 0, 1, 2}, to = {1, 2, 3, 3};
    const auto path = [&](std::vector<std::int32_t> w) {
        return matrix::build<std::int32_t>(ctx, {4, 4, from, to, w});
    };
    expect_all_same(path({most, 5, most, most - 5}), 0);
    const matrix beyond = path({most, 5, 1, most - 4});
    for (const context& on : test::contexts())
        for (const auto* kernel : {"", "relax_loop", "reference"}) {
            shortest_options o;
            o.kernel = kernel;
            EXPECT_THROW(sssp(on, beyond, 0, o), not_supported) << kernel;
            o.type = dtype::int64;
            EXPECT_EQ(entries<std::int64_t>(sssp(on, beyond, 0, o).distances).back().second,
                      std::int64_t{most} + 1);
        }
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> wide = {huge - 1, 3, 1, huge - 4};
    expect_all_same(matrix::build<std::int64_t>(ctx, {4, 4, from, to, wide}), 0);
}

TEST(SsspWeights, AnInfiniteOneIsNoWay) {
    const context ctx;
    const double none = std::numeric_limits<double>::infinity();
    const std::vector<index_t> from = {0, 1, 0}, to = {1, 2, 2};
    const std::vector<double> w = {1.5, none, none};
    const matrix a = matrix::build<double>(ctx, {3, 3, from, to, w});
    expect_all_same(a, 0);
    shortest_options loop;
    loop.kernel = "relax_loop";
    expect_paths(by_reference(a, 0, loop.type), ctx, a, 0, loop);
    EXPECT_EQ(sssp(ctx, a, 0).reached, 2);
}

TEST(SsspWeights, NegativeOnesAreRefusedByName) {
    const context ctx;
    matrix a = weighted(ctx, "grid2d:4");
    a.set(9, 10, scalar(std::int32_t{-3}));
    a.set(9, 8, scalar(std::int32_t{-1}));
    for (const auto* kernel : {"", "relax_loop", "reference"}) try {
            shortest_options o;
            o.kernel = kernel;
            sssp(ctx, a, 0, o);
            ADD_FAILURE() << "not refused";
        } catch (const domain_error& e) {
            EXPECT_NE(std::string(e.what()).find("(9, 8) is -1"), std::string::npos) << e.what();
        }
    matrix b(ctx, dtype::float64, 3, 3);
    b.set(1, 2, scalar(std::nan("")));
    EXPECT_THROW(sssp(ctx, b, 0), domain_error);
    matrix c(ctx, dtype::uint64, 3, 3);
    c.set(1, 2, scalar(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_THROW(sssp(ctx, c, 0), domain_error);
}

// A hub with an edge to each leaf, leaves in a chain that is shorter: distances fall many times.
matrix falling_star(const context& ctx, index_t leaves) {
    std::vector<index_t> from, to;
    std::vector<std::int32_t> w;
    for (index_t v = 1; v <= leaves; ++v) {
        from.insert(from.end(), {0, v});
        to.insert(to.end(), {v, v % leaves + 1});
        w.insert(w.end(), {2 * v + 1, 1});
    }
    return matrix::build<std::int32_t>(ctx, {leaves + 1, leaves + 1, from, to, w});
}

// Handles of single vertices between layers of other widths, each joined to all of the next handle's first: lists that one thread takes alone
// become long and short again.
matrix beads(const context& ctx, const std::vector<index_t>& widths, std::mt19937& random) {
    std::vector<index_t> from, to;
    std::vector<std::int32_t> w;
    const auto edge = [&](index_t u, index_t v) {
        from.push_back(u), to.push_back(v), w.push_back(1 + static_cast<std::int32_t>(random() % 40));
    };
    index_t last = 0;
    for (const index_t width : widths) {
        for (index_t k = 0; k < 30; ++k, ++last) edge(last, last + 1);
        for (index_t k = 1; k <= width; ++k) {
            edge(last, last + k), edge(last + k, last + width + 1);
            if (k > 1) edge(last + k - 1, last + k);
        }
        last += width + 1;
    }
    return matrix::build<std::int32_t>(ctx, {last + 1, last + 1, from, to, w});
}

TEST(SsspShapes, ListsGrowAndShrinkPastWhatOneThreadTakes) {
    std::mt19937 random(20261130);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const matrix a = beads(ctx, {70, 9000, 3, 65, 400, 63, 9000, 1, 64, 2000}, random);
    ASSERT_GT(a.rows() + a.nnz(), 5 * 16384) << "a team of five";
    for (const bool near_far : {true, false})
        for (const dtype type : {dtype::int32, dtype::float64}) {
            shortest_options o;
            o.switches.near_far = near_far;
            o.type = type;
            if (near_far) o.delta = 7;
            expect_all_same(a, 0, o);
        }
}

TEST(SsspShapes, HubsPathsAndStars) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    expect_all_same(falling_star(ctx, 3000), 0);
    expect_all_same(falling_star(ctx, 12000), 0);
    shortest_options one_bucket;
    one_bucket.switches.near_far = false;
    expect_all_same(falling_star(ctx, 600), 0, one_bucket);
    std::vector<index_t> from, to;
    std::vector<std::int32_t> w;
    for (index_t v = 0; v < 5000; ++v) from.push_back(v), to.push_back(v + 1), w.push_back(v % 7);
    for (index_t leaf = 5001; leaf < 60000; ++leaf)
        from.push_back(5000), to.push_back(leaf), w.push_back(leaf % 251);
    expect_all_same(matrix::build<std::int32_t>(ctx, {60000, 60000, from, to, w}), 0);
}

TEST(SsspShapes, AMatrixThatChangesIsReadAnew) {
    for (const context& ctx : test::contexts()) {
        matrix a = weighted(ctx, "grid2d:10");
        const auto before = sssp(ctx, a, 0);
        a.set(0, 1, scalar(std::int32_t{0}));
        a.set(0, 99, scalar(std::int32_t{1}));
        const auto after = sssp(ctx, a, 0);
        EXPECT_EQ(after.distances.get(99)->get<int>(), 1);
        EXPECT_EQ(after.distances.get(1)->get<int>(), 0);
        EXPECT_EQ(validate_sssp(ctx, a, 0, after.distances, after.parents), "");
        EXPECT_NE(validate_sssp(ctx, a, 0, before.distances, before.parents), "");
    }
}

TEST(SsspShapes, ASourceWithoutEdgesReachesItself) {
    for (const context& ctx : test::contexts()) {
        const auto found = sssp(ctx, matrix(ctx, dtype::float32, 5, 5), 2);
        EXPECT_EQ(found.reached, 1);
        EXPECT_EQ(found.edges, 0);
        EXPECT_EQ(entries<float>(found.distances), (std::vector<std::pair<index_t, float>>{{2, 0.0f}}));
        EXPECT_EQ(entries<int>(found.parents),
                  (std::vector<std::pair<index_t, int>>{{0, -1}, {1, -1}, {2, 2}, {3, -1}, {4, -1}}));
    }
}

TEST(SsspCheck, RefusesEveryKindOfWrongAnswer) {
    const context ctx({.backend = backend::cpu});
    // 0 -3-> 1 -4-> 2 -0-> 3 -0-> 2, 0 -9-> 2; 4 alone.
    const std::vector<index_t> from = {0, 1, 2, 3, 0}, to = {1, 2, 3, 2, 2};
    const std::vector<std::int32_t> w = {3, 4, 0, 0, 9};
    const matrix a = matrix::build<std::int32_t>(ctx, {5, 5, from, to, w});
    using map = std::vector<std::pair<index_t, std::int32_t>>;
    const auto verdict = [&](const map& distances, std::vector<std::int32_t> parents) {
        vector d(ctx, dtype::int32, 5);
        for (const auto& [v, x] : distances) d.set(v, scalar(x));
        return validate_sssp(ctx, a, 0, d, vector::dense<std::int32_t>(ctx, parents));
    };
    const map right = {{0, 0}, {1, 3}, {2, 7}, {3, 7}};
    EXPECT_EQ(verdict(right, {0, 0, 1, 2, -1}), "");
    EXPECT_EQ(verdict(right, {}), "");
    EXPECT_NE(verdict(right, {0, 0, 3, 2, -1}), "") << "a cycle of edges that give the distances";
    EXPECT_NE(verdict(right, {0, 0, 0, 2, -1}), "") << "a parent whose edge is too long";
    EXPECT_NE(verdict(right, {0, 0, 1, 1, -1}), "") << "a parent without an edge";
    EXPECT_NE(verdict(right, {0, 0, 1, 7, -1}), "") << "a parent outside the graph";
    EXPECT_NE(verdict(right, {1, 0, 1, 2, -1}), "") << "the source has another parent";
    EXPECT_NE(verdict(right, {0, 0, 1, -1, -1}), "") << "no parent";
    EXPECT_NE(verdict(right, {0, 0, 1, 2, 0}), "") << "a parent but no distance";
    EXPECT_NE(verdict({{0, 0}, {1, 3}, {2, 9}, {3, 9}}, {0, 0, 0, 2, -1}), "") << "not the shortest";
    EXPECT_NE(verdict({{0, 0}, {1, 3}, {2, 9}, {3, 9}}, {}), "") << "not the shortest, no parents";
    EXPECT_NE(verdict({{0, 0}, {1, 3}, {2, 5}, {3, 5}}, {0, 0, 3, 2, -1}), "")
        << "too short, held up by a cycle";
    EXPECT_NE(verdict({{0, 0}, {1, 3}, {2, 5}, {3, 5}}, {}), "") << "too short, no parents";
    EXPECT_NE(verdict({{0, 0}, {1, 3}, {2, 7}}, {0, 0, 1, -1, -1}), "") << "a vertex left out";
    EXPECT_NE(verdict({{0, 0}, {1, 3}, {2, 7}, {3, 7}, {4, 1}}, {0, 0, 1, 2, 0}), "") << "a vertex too many";
    EXPECT_NE(verdict({{0, 1}, {1, 4}, {2, 8}, {3, 8}}, {0, 0, 1, 2, -1}), "") << "the source is not at 0";
    EXPECT_NE(verdict({{1, 3}}, {0, 0, 1, 2, -1}), "") << "the source has no distance";
}

TEST(SsspFaults, SayWhatIsWrong) {
    const context ctx;
    const matrix a = weighted(ctx, "grid2d:4");
    EXPECT_THROW(sssp(ctx, a, 16), index_out_of_bounds);
    EXPECT_THROW(sssp(ctx, a, -1), index_out_of_bounds);
    EXPECT_THROW(sssp(ctx, matrix(ctx, dtype::int32, 3, 4), 0), dimension_mismatch);
    EXPECT_THROW(sssp(ctx, matrix(ctx, dtype::int32, 0, 0), 0), index_out_of_bounds);
    shortest_options o;
    o.kernel = "delta_steping";
    EXPECT_THROW(sssp(ctx, a, 0, o), domain_error);
    shortest_options nan;
    nan.delta = std::nan("");
    EXPECT_THROW(sssp(ctx, a, 0, nan), domain_error);
    EXPECT_THROW(parse_shortest_switches("near,far"), domain_error);
    EXPECT_FALSE(parse_shortest_switches("none").near_far);
    EXPECT_TRUE(parse_shortest_switches("all").operand_reuse);
    EXPECT_TRUE(parse_shortest_switches("operand_reuse").operand_reuse);
}

// From the third search on the lengths of short rows lie beside their ends; not once an entry has changed.
// The graph and the paths: neither goes to the host, whatever the type of the weights.
void expect_to_stay_there(const context& ctx, std::initializer_list<const char*> names,
                          std::initializer_list<dtype> types) {
    for (const char* name : names) {
        const matrix home = weighted(ctx, name, 1, 100);
        for (const dtype type : types) {
            SCOPED_TRACE(std::string(name) + " " + std::string(name_of(type)));
            matrix at_home(ctx, type, home.rows(), home.columns()), there = at_home;
            apply(ctx, at_home, unary_id::identity, home, {.kernel = "reference"});
            select(ctx, there, index_unary_id::rowle, at_home, scalar(home.rows()));
            ASSERT_TRUE(there.body().away());
            const auto expected = by_reference(at_home, 5);
            const auto found = sssp(ctx, there, 5);
            EXPECT_TRUE(there.body().away());
            EXPECT_EQ(found.moved_bytes, 0u);
            EXPECT_TRUE(found.distances.body_anywhere().home->away());
            EXPECT_TRUE(found.parents.body_anywhere().home->away());
            EXPECT_EQ(found.reached, expected.reached);
            EXPECT_EQ(found.edges, expected.edges);
            EXPECT_TRUE(same(found.distances, expected.distances));
            EXPECT_TRUE(same(found.parents, expected.parents));
        }
    }
}

TEST(SsspOnDevice, OfAGraphThatLiesThereStaysThere) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    expect_to_stay_there(ctx, {"rmat:10,8", "grid2d:60,0.2", "dense:60,60"},
                         {dtype::int8, dtype::uint16, dtype::int32, dtype::int64, dtype::uint64,
                          dtype::float32, dtype::float64});
}

TEST(SsspOnDevice, OfAFewVerticesThatLieThereStaysThere) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    expect_to_stay_there(ctx, {"dense:30,30"}, {dtype::int16, dtype::float64});
}

TEST(SsspOnDevice, OfAGraphThatLiesThereRefusesWhatIsNoLength) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    matrix a = weighted(ctx, "grid2d:4");
    a.set(9, 8, scalar(std::int32_t{-1}));
    matrix there(ctx, dtype::int32, 16, 16);
    select(ctx, there, index_unary_id::rowle, a, scalar(16));
    ASSERT_TRUE(there.body().away());
    try {
        sssp(ctx, there, 0);
        ADD_FAILURE() << "not refused";
    } catch (const domain_error& e) {
        EXPECT_NE(std::string(e.what()).find("(9, 8) is -1"), std::string::npos) << e.what();
    }
}

TEST(SsspAgain, FindsTheSameFromJoinedEdges) {
    const context plain = test::with_threads(2);
    const matrix whole = weighted(plain, "grid2d:40,0.2");
    const auto as_given = [](std::int32_t x, std::size_t) { return x; };
    const auto check = [&]<class T>(std::type_identity<T>) {
        for (const context& ctx : test::contexts()) {
            matrix a = with_values<T>(ctx, whole, as_given);
            const auto search_often = [&] {
                const auto expected = by_reference(a, 7);
                for (int search = 0; search < 4; ++search) expect_paths(expected, ctx, a, 7);
            };
            search_often();
            a.set(7, 8, scalar(T{0}));
            a.set(7, 1599, scalar(T{1}));
            search_often();
        }
    };
    check(std::type_identity<std::int32_t>{});
    check(std::type_identity<std::int64_t>{});
    check(std::type_identity<float>{});
    check(std::type_identity<double>{});
}

// Joined edges would stay, and be missing where later calls need memory.
TEST(SsspAgain, AMemoryLimitThatHeldForOneSearchHoldsForMany) {
    int held = 0;
    for (std::size_t limit = std::size_t{1} << 18; limit <= std::size_t{1} << 21; limit += 1 << 15) {
        const context ctx = test::with_threads(2, limit);
        std::optional<matrix> a;
        try {
            a.emplace(weighted(ctx, "grid2d:60,0.2"));
            sssp(ctx, *a, 7);  // with parents
        } catch (const out_of_memory&) {
            continue;
        }
        ++held;
        for (int search = 0; search < 4; ++search) EXPECT_NO_THROW(sssp(ctx, *a, 7)) << limit;
        shortest_options o;
        o.parents = false;
        for (int search = 0; search < 4; ++search) sssp(ctx, *a, 7, o);
        EXPECT_NO_THROW(sssp(ctx, *a, 7)) << limit;
    }
    EXPECT_GT(held, 0);
}

TEST(SsspKernel, IsNamedWhateverBecomesOfTheNameThatWasAskedFor) {
    const context ctx;
    const matrix a = weighted(ctx, "grid2d:5");
    for (const auto* name : {"relax_loop", "reference", "delta_stepping"}) {
        std::string asked = name;
        const auto found = sssp(ctx, a, 1, {.kernel = asked});
        asked.assign(asked.size(), '?');
        EXPECT_EQ(found.kernel, name);
    }
}

}  // namespace
}  // namespace nz
