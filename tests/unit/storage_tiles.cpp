// Tiles: what goes in comes out, in every size, and the sample says beforehand what they will take.
#include "nonzero/algorithms.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"
#include "plan/mxv.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using storage::csr;

TEST(Tiles, HoldEveryEntryOnceInEverySizeWhateverStaysOutside) {
    std::mt19937 random(20261122);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        auto cases = matrix_battery(dtype::float64, random);
        for (auto& larger : larger_matrices(dtype::float64, random)) cases.push_back(std::move(larger));
        for (const auto& [name, content] : cases) {
            const matrix a = make_matrix(ctx, content);
            const csr& rows = a.body().rows();
            for (const int size : {16, 32, 64})
                for (const int least : {0, 1, 5, 1 << 20}) {
                    const auto t = storage::make_value_tiles(ctx, rows, {size, least}, dtype::float64);
                    const std::string what = name + ", tiles of " + std::to_string(size);
                    validate(t, what.c_str());
                    if (least <= 1) {
                        EXPECT_EQ(t.extracted, 0) << what;
                    }
                    if (least > 4096) {
                        EXPECT_EQ(t.count, 0) << what;
                    }
                    EXPECT_TRUE(same_entries(rows, to_csr(ctx, t))) << what;
                }
        }
    }
}

TEST(Tiles, ASampleForetellsWhatTheyTake) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const auto* name : {"laplace3d:30", "banded:20000,21", "rmat:12,8", "random:20000,8"}) {
        const matrix a = load(ctx, name).matrix;
        const csr& rows = a.body().rows();
        for (const int size : {16, 32, 64}) {
            const tiling cut = plan::tiles_for({size, -1});
            const auto t = storage::make_value_tiles(ctx, rows, cut, a.type());
            const auto s = storage::sample_value_tiles(rows, cut, rows.kind == value_kind::full ? 8 : 0);
            const double growth = static_cast<double>(t.bytes()) / static_cast<double>(rows.bytes());
            EXPECT_NEAR(s.growth, growth, 0.1 * growth) << name << ", " << size;
            EXPECT_LE(growth, 1.5) << name << ", " << size;
            EXPECT_NEAR(s.outside, static_cast<double>(t.extracted) / static_cast<double>(rows.nnz), 0.1)
                << name << ", " << size;
        }
    }
}

TEST(Tiles, OtherSizesAreRefused) {
    const context ctx({.backend = backend::cpu});
    const matrix a = load(ctx, "grid2d:8").matrix;
    vector w(ctx, dtype::float64, 64);
    const vector u = vector::dense<double>(ctx, std::vector<double>(64, 1.0));
    EXPECT_THROW(mxv(ctx, w, semiring("plus_times"), a, u, {.kernel = "tile_row", .tiles = {24, -1}}),
                 domain_error);
}

TEST(Tiles, AreMadeOnceAndGoWithTheMatrixsContent) {
    const context ctx({.backend = backend::cpu});
    matrix a = load(ctx, "laplace2d:20").matrix;
    vector w(ctx, dtype::float64, 400);
    const vector u = vector::dense<double>(ctx, std::vector<double>(400, 1.0));
    const auto product = [&] {
        return mxv(ctx, w, semiring("plus_times"), a, u, {.kernel = "tile_row"}).builds_tiles;
    };
    EXPECT_TRUE(product());
    EXPECT_FALSE(product());
    const double before = w.get(0)->get<double>();
    a.set(0, 1, 5.0);
    EXPECT_TRUE(product());
    EXPECT_NE(w.get(0)->get<double>(), before);
}

// A matrix that is changed again and again may have its arrays where they were two changes ago: tiles are not known by that.
TEST(Tiles, OfEarlierContentsAreNeverTaken) {
    for (const context& ctx : contexts()) {
        for (const char* kernel : {"tile_row", "tile_column"}) {
            const std::vector<index_t> rows = {0, 1, 5}, columns = {1, 0, 6};
            const std::vector<double> values = {2, 3, 1};
            matrix a = matrix::build<double>(ctx, {40, 40, rows, columns, values});
            const vector u = vector::dense<double>(ctx, std::vector<double>(40, 1.0));
            double sum = 0;
            for (index_t k = 0; k < 40; ++k) {
                a.set(2, k, static_cast<double>(k + 1));
                sum += k + 1;
                vector w(ctx, dtype::float64, 40);
                mxv(ctx, w, semiring("plus_times"), a, u, {.kernel = kernel});
                ASSERT_EQ(w.get(2)->get<double>(), sum) << kernel << ", change " << k;
            }
        }
        matrix path = load(ctx, "banded:400,3").matrix;
        for (index_t far = 100; far < 400; far += 50) {
            path.set(0, far, scalar(std::int32_t{1}));
            traverse_options by_tiles;
            by_tiles.kernel = "tile";
            const auto found = bfs(ctx, path, 0, by_tiles);
            ASSERT_EQ(found.levels.get(far)->get<std::int32_t>(), 1) << far;
        }
    }
}

}  // namespace
}  // namespace nz::test
