// What only a GPU's matvec does: a planned product that a CUDA graph captures, results that stay on the device until
// somebody looks, a memory limit that is kept there. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/mxv_device.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

namespace nz::test {
namespace {

class MxvOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};

TEST_F(MxvOnDevice, APlannedProductIsCapturedAndReplayed) {
    std::mt19937 random(1);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_fp64");
    const dictionary a = random_dictionary(300, 200, 0.1, dtype::float64, random),
                     u = random_dictionary(200, 1, 0.5, dtype::float64, random);
    const matrix left = make_matrix(ctx, a);
    dictionary few{200, 1, dtype::float64, {}};
    for (const index_t j : {3, 50, 51, 199}) few.entries[{j, 0}] = random_value(dtype::float64, random);
    const vector right = make_vector(ctx, u, vector_form::sparse);
    const auto capture = [&](std::string_view kernel, const dictionary& operand, const vector& as) {
        vector w(ctx, dtype::float64, 300);
        const vector_options options{.kernel = kernel};
        const auto p = ops::make_mxv_product(ctx, w, s, left, as, options, false);
        ops::device_mxv product(p, ops::mxv_facts_of(p));
        const auto graph = ctx.gpu()->record([&] {
            product.recount();
            product.enqueue();
        });
        graph->replay();
        graph->replay();
        EXPECT_TRUE(same(model_mxm(s, a, operand), product.result())) << kernel;
    };
    for (const auto* kernel : {"csr_row", "csr_merge", "csr_row_masked", "csc_gather_radix",
                               "csc_gather_merge", "csc_gather_bucket"})
        capture(kernel, u, right);
    capture("csc_gather_radix", few, make_vector(ctx, few, vector_form::sparse));  // by one block
    // What repeated products with a whole vector take.
    const dictionary whole = random_dictionary(200, 1, 1, dtype::float64, random);
    const vector all = make_vector(ctx, whole, vector_form::dense);
    for (const auto* kernel : {"csr_row", "csr_merge", "csr_ranked", "csr_binned", "dia_slice"})
        capture(kernel, whole, all);
}

TEST_F(MxvOnDevice, RefusesAKernelThatOnlyCpusHave) {
    const context ctx({.backend = backend::cuda});
    const matrix a = load(ctx, "laplace2d:20").matrix;
    vector w(ctx, dtype::float64, a.rows());
    const vector u = vector::full(ctx, a.columns(), 1.0);
    EXPECT_THROW(mxv(ctx, w, semiring("plus_times"), a, u, {.kernel = "bsr_row"}), not_supported);
    EXPECT_EQ(w.count(), 0);
}

// The accumulator `second` keeps what rows without a result had: written in place, but not into what a copy shares.
TEST_F(MxvOnDevice, ResultsTakeThePlaceOfADenseOutputsEntries) {
    std::mt19937 random(3);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_second_fp64");
    constexpr index_t rows = 5000, columns = 300;
    for (const double density : {0.0005, 0.02}) {  // with and without empty rows
        const dictionary a = random_dictionary(rows, columns, density, dtype::float64, random),
                         u = random_dictionary(columns, 1, 1.1, dtype::float64, random),
                         old = random_dictionary(rows, 1, 1.1, dtype::float64, random);
        const matrix left = make_matrix(ctx, a);
        const vector right = make_vector(ctx, u, vector_form::dense);
        dictionary expected = old;
        for (const auto& [place, value] : model_mxm(s, a, u).entries) expected.entries[place] = value;
        for (const auto* kernel : {"csr_merge", "csr_ranked", "csr_binned", "csr_row"}) {
            vector w = make_vector(ctx, old, vector_form::dense);
            const vector before = w;
            mxv(ctx, w, s, left, right, {.accum = binary_id::second, .kernel = kernel});
            EXPECT_TRUE(same(expected, w)) << kernel;
            EXPECT_TRUE(same(old, before)) << kernel;
            mxv(ctx, w, s, left, right, {.accum = binary_id::second, .kernel = kernel});  // now w's alone
            const vector kept = w;
            mxv(ctx, w, s, left, right, {.accum = binary_id::second, .kernel = kernel});
            EXPECT_TRUE(same(expected, w)) << kernel;
            EXPECT_TRUE(same(expected, kept)) << kernel;
        }
        vector w = make_vector(ctx, old, vector_form::dense);
        const auto place = [&] {
            mxv(ctx, w, s, left, right, {.accum = binary_id::second, .kernel = "csr_merge"});
            return w.values_on<double>(ctx).data();
        };
        const double* const first = place();
        EXPECT_EQ(place(), first) << "written where it is";
        EXPECT_TRUE(same(expected, w));
    }
}

TEST_F(MxvOnDevice, ResultsFeedTheNextProductWithoutAHost) {
    std::mt19937 random(2);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_int64");
    const dictionary a = random_dictionary(60, 60, 0.1, dtype::int64, random);
    dictionary expected = random_dictionary(60, 1, 0.5, dtype::int64, random);
    const matrix left = make_matrix(ctx, a);
    vector x = make_vector(ctx, expected, random);
    for (int k = 0; k < 5; ++k) {
        mxv(ctx, x, s, left, x);
        expected = model_mxm(s, a, expected);
    }
    EXPECT_TRUE(same(expected, x));
    vector other = x;  // a copy written to on the host leaves the device's alone
    other.set(0, scalar(std::int64_t{7}));
    mxv(ctx, x, s, left, x);
    EXPECT_TRUE(same(model_mxm(s, a, expected), x));
    mxv(ctx, other, s, left, other);
    expected = model_mxm(s, a, read(other));  // any content will do: only that both sides agree
    mxv(ctx, other, s, left, other);
    EXPECT_TRUE(same(expected, other));
}

TEST_F(MxvOnDevice, ResultsWithGapsAreCountedOnceSomebodyAsks) {
    std::mt19937 random(7);
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_int64");
    constexpr index_t n = 3000;
    dictionary a = random_dictionary(n, n, 0.001, dtype::int64, random);
    dictionary u = random_dictionary(n, 1, 0.02, dtype::int64, random);
    for (const bool whole : {false, true}) {
        if (whole) {  // a row each: what was to be a bitmap has no gap
            for (index_t i = 0; i < n; ++i) a.entries[{i, 0}] = scalar(std::int64_t{1}).bits();
            u.entries[{0, 0}] = scalar(std::int64_t{2}).bits();
        }
        const matrix left = make_matrix(ctx, a);
        const vector right = make_vector(ctx, u, vector_form::sparse);
        const dictionary expected = model_mxm(s, a, u);
        const auto entries = static_cast<offset_t>(expected.entries.size());
        ASSERT_EQ(entries == n, whole);
        for (const auto* kernel : {"csr_row", "csr_merge", "tile_row"}) {
            vector w(ctx, dtype::int64, n);
            mxv(ctx, w, s, left, right, {.kernel = kernel});
            EXPECT_TRUE(w.body_uncounted().home->uncounted()) << kernel << ": nobody has asked";
            std::atomic<int> wrong = 0;
            in_threads(8, [&](int) {
                const vector own = w;
                const auto form = whole ? vector_form::dense : vector_form::bitmap;
                wrong += own.form() != form || own.count() != entries;
            });
            EXPECT_EQ(wrong, 0) << kernel;
            EXPECT_FALSE(w.body_uncounted().home->uncounted());
            EXPECT_TRUE(same(expected, w)) << kernel;
            w.validate();
            // An uncounted result joins what is there, on the device, and is written to, on the host.
            vector sum = w;
            mxv(ctx, sum, s, left, right, {.accum = binary_id::plus, .kernel = kernel});
            vector host(ctx, dtype::int64, n);
            mxv(ctx, host, s, left, right, {.kernel = kernel});
            host.set(1, scalar(std::int64_t{5}));
            EXPECT_EQ(sum.count(), entries);
            EXPECT_EQ(host.get(1)->get<std::int64_t>(), 5);
            host.validate();
            sum.validate();
            vector doubled(ctx, dtype::int64, n);
            apply(ctx, doubled, binary_id::times, w, scalar(std::int64_t{2}));
            EXPECT_TRUE(same(read(doubled), sum)) << kernel;
        }
    }
}

TEST_F(MxvOnDevice, TilesAreMadeForSparseVectorsOfManyProducts) {
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_fp64");
    const matrix a = load(ctx, "laplace3d:20").matrix;
    std::vector<index_t> places;
    std::vector<double> values;
    for (index_t j = 17; j < a.columns(); j += 200) places.push_back(j), values.push_back(2 + j % 3);
    const vector u = vector::build<double>(ctx, a.columns(), places, values);
    vector before(ctx, dtype::float64, a.rows()), w = before;
    EXPECT_NE(mxv(ctx, before, s, a, u).kernel, "tile_row");
    a.expect_products(1000);
    const mxv_plan first = mxv(ctx, w, s, a, u);
    EXPECT_EQ(first.kernel, "tile_row");
    EXPECT_TRUE(first.builds_tiles);
    EXPECT_TRUE(same(read(before), w));
    EXPECT_FALSE(mxv(ctx, w, s, a, u).builds_tiles);
    EXPECT_TRUE(same(read(before), w));
    const vector two =
        vector::build<double>(ctx, a.columns(), std::vector<index_t>{17, 4011}, std::vector<double>{2, 3});
    EXPECT_EQ(mxv(ctx, w, s, a, two).kernel, "csc_gather_radix") << "one block has so few products at once";
    const context limited({.backend = backend::cuda, .device_memory_limit = 1 << 26});
    const matrix b = load(limited, "laplace3d:20").matrix;
    b.expect_products(1000);
    vector y(limited, dtype::float64, b.rows());
    EXPECT_NE(mxv(limited, y, s, b, u).kernel, "tile_row") << "the memory is wanted elsewhere";
    EXPECT_TRUE(same(read(before), y));
}

TEST_F(MxvOnDevice, AVectorOfOneDeviceServesAContextOnTheHostAndAnother) {
    std::mt19937 random(3);
    const context first({.backend = backend::cuda}), second({.backend = backend::cuda}),
        cpu({.backend = backend::cpu});
    const semiring s("min_plus_fp64");
    const dictionary a = random_dictionary(50, 50, 0.2, dtype::float64, random),
                     u = random_dictionary(50, 1, 0.7, dtype::float64, random);
    const matrix left = make_matrix(first, a);
    vector x(first, dtype::float64, 50), y(second, dtype::float64, 50), z(cpu, dtype::float64, 50);
    mxv(first, x, s, left, make_vector(first, u, random));
    const dictionary once = model_mxm(s, a, u), twice = model_mxm(s, a, once);
    mxv(second, y, s, left, x);
    mxv(cpu, z, s, left, x);
    EXPECT_TRUE(same(twice, y));
    EXPECT_TRUE(same(twice, z));
    EXPECT_TRUE(same(once, x));
}

TEST_F(MxvOnDevice, AMemoryLimitIsKeptAndTheOutputStaysAsItWas) {
    const context ctx({.backend = backend::cuda, .memory_limit = 4 << 20});
    const context roomy({.backend = backend::cuda});
    const matrix a = load(roomy, "random:100000,20").matrix;  // 8 MB of indices
    vector w = vector::full(ctx, 100000, scalar(1.0));
    const vector x = vector::full(ctx, 100000, scalar(2.0));
    EXPECT_THROW(mxv(ctx, w, semiring("plus_times"), a, x), out_of_memory);
    EXPECT_EQ(w.get(5)->get<double>(), 1.0);
    mxv(roomy, w, semiring("plus_times"), a, x);
    EXPECT_GT(w.get(5)->get<double>(), 0.0);
}

// Whatever there is room for, the result is all of it or none.
TEST_F(MxvOnDevice, PushesThatFindNoMemoryPullOrSaySo) {
    const context roomy({.backend = backend::cuda});
    const matrix a = load(roomy, "random:200000,16").matrix;
    std::vector<index_t> places;
    std::vector<double> values;
    for (index_t j = 5; j < a.rows(); j += 60) places.push_back(j), values.push_back(1 + j % 7);
    const semiring s("min_plus");
    vector expected(roomy, dtype::float64, a.columns());
    vxm(roomy, expected, s, vector::build<double>(roomy, a.rows(), places, values), a);
    int done = 0, refused = 0;
    const std::size_t graph = 12 * static_cast<std::size_t>(a.nnz());
    for (std::size_t limit = graph; limit < graph + (std::size_t{8} << 20); limit += std::size_t{1} << 18) {
        const context tight({.backend = backend::cuda, .device_memory_limit = limit});
        const vector u = vector::build<double>(tight, a.rows(), places, values);
        vector w(tight, dtype::float64, a.columns());
        try {
            vxm(tight, w, s, u, a);
            ++done;
            ASSERT_TRUE(same(read(expected), w)) << limit;
        } catch (const out_of_memory&) {
            ++refused;
        }
        a.body().leave(tight);
    }
    EXPECT_GT(done, 0);
    EXPECT_GT(refused, 0);
}

// The least of what is not ordered: the same bits whatever comes first.
TEST_F(MxvOnDevice, ScatteredLeastValuesKeepNaNsAndSignsOfZero) {
    const context ctx({.backend = backend::cuda});
    constexpr index_t n = 4000;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    // Row 0 meets NaN alone, row 1 zeros of both signs, row 2 NaN and numbers.
    std::vector<index_t> rows, columns;
    std::vector<double> of;
    for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < 3; ++i) {
            rows.push_back(i), columns.push_back(j);
            of.push_back(i == 0 ? nan : i == 1 ? (j % 2 ? 0.0 : -0.0) : j % 3 ? nan : j);
        }
    const matrix a = matrix::build<double>(ctx, {3, 2 * n, rows, columns, of});
    std::vector<index_t> places(n);
    std::iota(places.begin(), places.end(), 0);
    const vector u = vector::build<double>(ctx, 2 * n, places, std::vector<double>(n, -0.0));
    vector w(ctx, dtype::float64, 3);
    const mxv_plan plan = mxv(ctx, w, semiring("min_plus"), a, u, {.kernel = "csc_gather_scatter"});
    EXPECT_TRUE(plan.on_device);
    EXPECT_TRUE(std::isnan(w.get(0)->get<double>()));
    EXPECT_TRUE(std::signbit(w.get(1)->get<double>()));
    EXPECT_EQ(w.get(2)->get<double>(), 0);
}

TEST_F(MxvOnDevice, RowsOfEveryLengthAddUpAcrossChunksAndBlocks) {
    // Rows of 1 ... 9,000 entries and empty ones between: lanes, warps, blocks; rows over several chunks.
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    std::vector<index_t> rows, columns;
    std::vector<std::int64_t> values;
    index_t row = 0;
    for (const index_t length :
         {1, 31, 32, 33, 2047, 0, 2048, 2049, 4096, 4097, 0, 0, 9000, 100000, 5, 8, 16, 64})
        for (int repeat = 0; repeat < 5; ++repeat, ++row)
            for (index_t k = 0; k < length; ++k) {
                rows.push_back(row);
                columns.push_back(k);
                values.push_back(k % 13 - 6 + row);
            }
    const matrix a = matrix::build<std::int64_t>(ctx, {row + 40, 100000, rows, columns, values});
    std::vector<std::int64_t> x(100000);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<std::int64_t>(k % 7) - 3;
    const vector u = vector::dense<std::int64_t>(ctx, x);
    for (const auto* name : {"plus_times_int64", "min_plus_int64", "any_secondi_int64"})
        for (const auto* kernel : {"csr_row", "csr_merge", "csr_row_masked"}) {
            const semiring s(name);
            vector found(ctx, dtype::int64, row + 40), expected(cpu, dtype::int64, row + 40);
            mxv(ctx, found, s, a, u, {.kernel = kernel});
            mxv(cpu, expected, s, a, u);
            EXPECT_TRUE(same(read(expected), found)) << name << ", " << kernel;
        }
}

}  // namespace
}  // namespace nz::test
