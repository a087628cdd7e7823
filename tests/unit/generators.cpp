#include "io/adjacency.hpp"
#include "io/generate.hpp"
#include "nonzero/errors.hpp"
#include "storage/matrix_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

namespace nz {
namespace {

context with_threads(int threads) { return context({.threads = threads}); }

matrix make(std::string_view spec, int threads = 2, std::uint64_t seed = 1) {
    return io::generate(with_threads(threads), spec, {.seed = seed}).matrix;
}

bool same(const buffer& a, const buffer& b) {
    return a.bytes() == b.bytes() && (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

bool same_bits(const matrix& a, const matrix& b) {
    const storage::csr &x = a.body().rows(), &y = b.body().rows();
    return x.rows == y.rows && x.columns == y.columns && same(x.offsets, y.offsets) &&
           same(x.indices, y.indices) && same(x.values, y.values);
}

// By its content; a matrix that is declared symmetric would answer from its declaration.
bool equals_its_transpose(const matrix& a) {
    const storage::csr& rows = a.body().rows();
    const storage::csr columns = storage::transpose(with_threads(1), rows);
    return same(rows.offsets, columns.offsets) && same(rows.indices, columns.indices) &&
           same(rows.values, columns.values);
}

offset_t loops(const matrix& a) {
    const storage::csr& m = a.body().rows();
    offset_t count = 0;
    for (index_t i = 0; i < m.rows; ++i)
        count += std::count(m.index_data() + m.offset(i), m.index_data() + m.offset(i + 1), i);
    return count;
}

std::string message_of(std::string_view spec) {
    try {
        make(spec);
    } catch (const domain_error& e) {
        return e.what();
    }
    return "no error";
}

const std::vector<std::string> every_generator{"rmat:12,8",         "rmat_directed:12,8", "uniform:5000,8",
                                               "random:3000,20",    "grid2d:150,0.3",     "laplace2d:120",
                                               "laplace3d:25",      "banded:5000,9",      "dense:40,300",
                                               "lp:200,3000,20000", "powerlaw:20000"};

TEST(Generators, HaveTheExactCountsOfSmallMeshes) {
    EXPECT_EQ(make("grid2d:3").nnz(), 24);
    EXPECT_EQ(make("grid2d:1").nnz(), 0);
    EXPECT_EQ(make("grid2d:10").nnz(), 2 * 2 * 10 * 9);
    EXPECT_EQ(make("grid2d:10,1").nnz(), 0);
    EXPECT_EQ(make("laplace2d:3").nnz(), 9 + 24);
    EXPECT_EQ(make("laplace3d:1").nnz(), 1);
    EXPECT_EQ(make("laplace3d:3").nnz(), 7 * 7 * 7);  // (2 + 3 + 2) along each axis
    EXPECT_EQ(make("banded:10,3").nnz(), 28);
    EXPECT_EQ(make("banded:10,4").nnz(), 9 + 10 + 9 + 8);
    EXPECT_EQ(make("banded:4,100").nnz(), 16);
    EXPECT_EQ(make("dense:4,7").nnz(), 28);
    EXPECT_EQ(make("random:50,49").nnz(), 50 * 49);
    EXPECT_EQ(make("random:50,0").nnz(), 0);
    EXPECT_EQ(make("lp:40,300,1000").nnz(), 1000);
    EXPECT_EQ(make("lp:4,10,40").nnz(), 40);
}

TEST(Generators, HaveTheShapesTheyAreAskedFor) {
    EXPECT_EQ(make("rmat:5").rows(), 32);
    EXPECT_EQ(make("uniform:1000,3").columns(), 1000);
    EXPECT_EQ(make("laplace3d:4").rows(), 64);
    EXPECT_EQ(make("lp:40,300,1000").rows(), 40);
    EXPECT_EQ(make("lp:40,300,1000").columns(), 300);
    EXPECT_EQ(make("dense:4,7").columns(), 7);
}

TEST(Generators, GiveValidMatrices) {
    for (const auto& spec : every_generator) EXPECT_NO_THROW(make(spec).validate()) << spec;
    for (const char* spec : {"rmat:1,1", "uniform:1,1", "random:1,1", "dense:1,1", "powerlaw:1", "lp:1,1,0"})
        EXPECT_NO_THROW(make(spec).validate()) << spec;
}

TEST(Generators, GiveTheSameBitsWhateverTheNumberOfThreads) {
    for (const auto& spec : every_generator) {
        const matrix one = make(spec, 1);
        EXPECT_TRUE(same_bits(one, make(spec, 2))) << spec;
        EXPECT_TRUE(same_bits(one, make(spec, 3))) << spec;
    }
    // Large enough for every loop to be shared out.
    for (const char* spec : {"rmat:15,16", "uniform:100000,4", "powerlaw:200000"})
        EXPECT_TRUE(same_bits(make(spec, 1), make(spec, 3))) << spec;
}

TEST(Generators, DifferForDifferentSeeds) {
    for (const char* spec :
         {"rmat:10", "rmat_directed:10", "uniform:1000,4", "random:1000,4", "grid2d:50,0.3", "banded:100,3",
          "dense:10,10", "lp:30,200,1000", "powerlaw:1000"}) {
        EXPECT_TRUE(same_bits(make(spec, 2, 7), make(spec, 2, 7))) << spec;
        EXPECT_FALSE(same_bits(make(spec, 2, 7), make(spec, 2, 8))) << spec;
    }
    EXPECT_TRUE(same_bits(make("rmat:10,16,7"), make("rmat:10,16", 2, 7)));
}

TEST(Generators, GiveUndirectedGraphsThatEqualTheirTranspose) {
    for (const char* spec : {"rmat:12,8", "uniform:5000,8", "grid2d:50,0.3", "laplace2d:30", "laplace3d:9"}) {
        const input in = io::generate(with_threads(2), spec, {});
        EXPECT_TRUE(in.declared_symmetric) << spec;
        EXPECT_TRUE(equals_its_transpose(in.matrix)) << spec;
    }
    const input directed = io::generate(with_threads(2), "rmat_directed:12,8", {});
    EXPECT_FALSE(directed.declared_symmetric);
    EXPECT_FALSE(equals_its_transpose(directed.matrix));
    EXPECT_FALSE(equals_its_transpose(make("banded:100,3")));
}

TEST(Generators, GiveGraphsWithoutLoopsAndValues) {
    for (const char* spec : {"rmat:12,8", "rmat_directed:12,8", "uniform:300,8", "grid2d:50,0.3"}) {
        const matrix a = make(spec);
        EXPECT_EQ(loops(a), 0) << spec;
        EXPECT_EQ(a.values_held(), value_kind::pattern) << spec;
        EXPECT_EQ(a.type(), dtype::boolean) << spec;
    }
}

TEST(Generators, GiveTheValuesThatTheyPromise) {
    const matrix square = make("laplace2d:3"), cube = make("laplace3d:3");
    const auto first = square.csr<double>(), second = cube.csr<double>();
    EXPECT_EQ(first.values[0], 4);
    EXPECT_EQ(first.values[1], -1);
    EXPECT_EQ(second.values[0], 26);
    EXPECT_EQ(second.values[1], -1);
    for (const char* spec :
         {"random:500,4", "banded:500,4", "dense:50,40", "lp:50,400,2000", "powerlaw:700"}) {
        const matrix a = make(spec);
        const auto values = a.csr<double>().values;
        EXPECT_TRUE(std::ranges::all_of(values, [](double x) { return x >= 0.5 && x < 1.5; })) << spec;
        EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / values.size(), 1, 0.05) << spec;
    }
}

TEST(Generators, PutBandsAroundTheDiagonal) {
    const matrix_facts odd = make("banded:100,5").facts(), even = make("banded:100,6").facts();
    EXPECT_EQ(odd.bandwidth_lower, 2);
    EXPECT_EQ(odd.bandwidth_upper, 2);
    EXPECT_EQ(even.bandwidth_lower, 3);
    EXPECT_EQ(even.bandwidth_upper, 2);
}

TEST(Generators, GiveEveryRowOfRandomTheSameLength) {
    const matrix a = make("random:400,300");
    EXPECT_EQ(a.facts().degree_max, 300);
    EXPECT_EQ(a.nnz(), 400 * 300);
    EXPECT_NO_THROW(a.validate());
}

TEST(Generators, ComeCloseToTheSizesThatArePublished) {
    // 17,8 has 1.0 M entries; the smaller sizes keep the share that remains after repeats at about 0.85 to
    // 0.9.
    EXPECT_NEAR(make("rmat_directed:17,8").nnz(), 1.0e6, 0.01e6);
    EXPECT_NEAR(make("rmat:14").nnz() / (2.0 * 16 * 16384), 0.82, 0.03);
    EXPECT_NEAR(make("uniform:65536,16").nnz() / (2.0 * 16 * 65536), 1, 0.001);
    EXPECT_NEAR(make("grid2d:500,0.3").nnz() / (4.0 * 500 * 499), 0.7, 0.005);
    EXPECT_NEAR(make("powerlaw:100000").nnz() / 1e5, 3.1, 0.15);
}

TEST(Generators, GiveKroneckerGraphsHubsAndUniformOnesNone) {
    const matrix_facts kronecker = make("rmat:14").facts(), uniform = make("uniform:16384,16").facts();
    EXPECT_GT(kronecker.degree_max, 50 * kronecker.degree_mean);
    EXPECT_GT(kronecker.empty_rows, 16384 / 10);
    EXPECT_LT(uniform.degree_max, 3 * uniform.degree_mean);
}

TEST(Generators, SpreadTheHubsOverAllVertices) {
    // Without the permutation the first half of the vertices would have 76 % of the edges.
    const matrix a = make("rmat:14");
    const storage::csr& m = a.body().rows();
    EXPECT_NEAR(static_cast<double>(m.offset(m.rows / 2)) / static_cast<double>(m.nnz), 0.5, 0.1);
}

TEST(Generators, GivePowerLawRowsAndColumnsTheSameHubs) {
    const matrix a = make("powerlaw:100000");
    const storage::csr& m = a.body().rows();
    const storage::csr t = storage::transpose(with_threads(2), m);
    index_t longest = 0;
    for (index_t i = 1; i < m.rows; ++i)
        if (m.offset(i + 1) - m.offset(i) > m.offset(longest + 1) - m.offset(longest)) longest = i;
    EXPECT_GT(m.offset(longest + 1) - m.offset(longest), 500);
    EXPECT_GT(t.offset(longest + 1) - t.offset(longest), 500);
}

TEST(Generators, AreKnownByNameAndByHelp) {
    EXPECT_TRUE(is_generator("rmat:20,16"));
    EXPECT_TRUE(is_generator("lp:1"));
    EXPECT_FALSE(is_generator("rmat"));
    EXPECT_FALSE(is_generator("graph.mtx"));
    EXPECT_FALSE(is_generator("c:graph.mtx"));
    EXPECT_EQ(generators().size(), 11u);
    EXPECT_EQ(generators()[0].substr(0, 34), "rmat:SCALE[,EDGEFACTOR[,SEED]]    ");
}

TEST(Generators, RefuseABadSpecWithTheirUsage) {
    EXPECT_EQ(message_of("rmat:x"), "rmat:SCALE[,EDGEFACTOR[,SEED]]: SCALE must be 1..30, got 'x'");
    EXPECT_EQ(message_of("rmat:31"), "rmat:SCALE[,EDGEFACTOR[,SEED]]: SCALE must be 1..30, got '31'");
    EXPECT_EQ(message_of("rmat:"), "rmat:SCALE[,EDGEFACTOR[,SEED]]: SCALE must be 1..30, got ''");
    EXPECT_EQ(message_of("rmat:5,0"), "rmat:SCALE[,EDGEFACTOR[,SEED]]: EDGEFACTOR must be 1..65536, got '0'");
    EXPECT_EQ(message_of("rmat:5.5"), "rmat:SCALE[,EDGEFACTOR[,SEED]]: SCALE must be 1..30, got '5.5'");
    EXPECT_EQ(message_of("uniform:5"), "uniform:VERTICES,EDGEFACTOR: EDGEFACTOR is missing");
    EXPECT_EQ(message_of("powerlaw:5,6"), "powerlaw:ROWS: takes 1 argument, got 2 in '5,6'");
    EXPECT_EQ(message_of("grid2d:5,1.5"),
              "grid2d:SIDE[,DROP_FRACTION]: DROP_FRACTION must lie between 0 and 1, got '1.5'");
    EXPECT_EQ(message_of("grid2d:5,nan"),
              "grid2d:SIDE[,DROP_FRACTION]: DROP_FRACTION must lie between 0 and 1, got 'nan'");
    EXPECT_EQ(message_of("random:5,6"),
              "random:ROWS,PER_ROW: a row of 5 columns cannot have 6 different ones");
    EXPECT_EQ(message_of("lp:2,3,7"), "lp:ROWS,COLUMNS,NNZ: a 2 x 3 matrix has no room for 7 entries");
    EXPECT_EQ(message_of("nothing:5"), "'nothing:5' names no generator");
}

TEST(Generators, RefuseMoreRowsThanAMatrixCanHave) {
    for (const char* spec :
         {"grid2d:46341", "laplace2d:46341", "laplace3d:1291", "banded:2147483648,1", "dense:3e9,1"})
        EXPECT_THROW(make(spec), domain_error) << spec;
}

TEST(Generators, ReportTheirProgressFromNothingToAll) {
    std::vector<double> shares;
    read_options options;
    options.progress = [&](double share) { shares.push_back(share); };
    io::generate(with_threads(2), "rmat:14", options);
    ASSERT_GE(shares.size(), 2u);
    EXPECT_EQ(shares.front(), 0);
    EXPECT_EQ(shares.back(), 1);
}

TEST(Generators, KeepTheMemoryLimitOfTheirContext) {
    const context small({.threads = 2, .memory_limit = 1 << 20});
    EXPECT_THROW(io::generate(small, "rmat:16", {}), out_of_memory);
}

TEST(RandomWeights, AreTheSameInBothDirectionsAndForAnyNumberOfThreads) {
    const matrix a = make("rmat:8,8");
    const matrix w = with_random_weights(with_threads(2), a, 1, 255, 7);
    EXPECT_EQ(w.type(), dtype::int32);
    EXPECT_TRUE(equals_its_transpose(w));
    EXPECT_TRUE(w.body().known_symmetric());
    EXPECT_TRUE(same_bits(w, with_random_weights(with_threads(1), a, 1, 255, 7)));
    EXPECT_FALSE(same_bits(w, with_random_weights(with_threads(1), a, 1, 255, 8)));
    std::set<std::int32_t> seen;
    for (const std::int32_t x : w.csr<std::int32_t>().values) seen.insert(x);
    EXPECT_EQ(*seen.begin(), 1);
    EXPECT_EQ(*seen.rbegin(), 255);
    EXPECT_GT(seen.size(), 250u);
    EXPECT_THROW(with_random_weights(with_threads(1), a, 5, 4), domain_error);
    EXPECT_EQ(with_random_weights(with_threads(1), make("dense:3,4"), -2, -2).get(1, 2)->get<int>(), -2);
}

TEST(Adjacency, DropsLoopsAndRepeatsAndSorts) {
    const context ctx = with_threads(2);
    const std::vector<io::edge> list{{3, 1}, {1, 3}, {2, 2}, {0, 3}, {3, 1}, {0, 1}};
    array<io::edge> edges(ctx, list.size());
    std::ranges::copy(list, edges.begin());
    const storage::csr a = io::adjacency(ctx, 4, std::move(edges), false);
    EXPECT_EQ(std::vector<index_t>(a.index_data(), a.index_data() + a.nnz),
              (std::vector<index_t>{1, 3, 3, 1}));
    EXPECT_EQ(std::vector<offset_t>({a.offset(0), a.offset(1), a.offset(2), a.offset(3), a.offset(4)}),
              (std::vector<offset_t>{0, 2, 3, 3, 4}));
}

}  // namespace
}  // namespace nz
