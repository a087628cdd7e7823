// Bins of columns on a GPU: what they hold against the CSR they were made from, products by them over every kind of semiring, and when the
// plan takes them. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/bins_device.hpp"
#include "plan/mxv.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace nz::test {
namespace {

class BinsOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};

template <class T>
std::vector<T> downloaded(const context& gpu, const buffer& there) {
    std::vector<T> here(there.bytes() / sizeof(T));
    if (!here.empty()) gpu.gpu()->download(here.data(), there.data(), there.bytes());
    return here;
}

// Goes from every place of the bins to its entry of the CSR, and to its place by ranges, by run and delta, as the kernel does.
void expect_bins_of(const context& gpu, const storage::csr& a, const storage::column_bins& b,
                    const std::string& what) {
    const auto starts = downloaded<std::uint32_t>(gpu, b.range_starts),
               deltas = downloaded<std::uint32_t>(gpu, b.deltas);
    const auto columns = downloaded<std::uint16_t>(gpu, b.columns),
               order = downloaded<std::uint16_t>(gpu, b.order);
    const auto words = downloaded<storage::bin_word>(gpu, b.words);
    const bool each = b.type && a.kind == value_kind::full;
    const auto values = each ? downloaded<double>(gpu, b.values) : std::vector<double>();
    const index_t width = storage::bin_width(b.operand_bytes);
    ASSERT_EQ(starts.front(), 0u) << what;
    ASSERT_LE(static_cast<offset_t>(starts.back()), b.places()) << what;
    std::vector<char> taken(static_cast<std::size_t>(b.places()), 0);
    std::vector<char> met(static_cast<std::size_t>(a.nnz), 0);
    for (offset_t at = 0; at < a.nnz; ++at) {
        const offset_t bin = at / storage::bin_entries;
        const auto slot = static_cast<unsigned>(at % storage::bin_entries);
        const offset_t k = bin * storage::bin_entries + order[static_cast<std::size_t>(at)];
        ASSERT_LT(k, a.nnz) << what << ", place " << at << " of the bins";
        ASSERT_FALSE(met[static_cast<std::size_t>(k)]++) << what << ": entry " << k << " twice";
        const auto& word = words[static_cast<std::size_t>(bin * (storage::bin_entries / 32) + slot / 32)];
        const auto run =
            word.before + static_cast<unsigned>(std::popcount(word.heads & (~0u >> (31 - slot % 32)))) - 1;
        ASSERT_LT(static_cast<offset_t>(run), b.ranges()) << what << ", entry " << k;
        const auto place = static_cast<std::uint32_t>(bin * storage::bin_entries + slot) +
                           deltas[static_cast<std::size_t>(bin * b.ranges() + run)];
        ASSERT_LT(static_cast<offset_t>(place), b.places()) << what << ", entry " << k;
        ASSERT_FALSE(taken[place]++) << what << ": two entries at place " << place;
        const index_t column = a.index_data()[k], range = column / width;
        ASSERT_EQ(columns[place], column % width) << what << ", entry " << k;
        ASSERT_GE(place, starts[static_cast<std::size_t>(range)]) << what << ", entry " << k;
        ASSERT_LT(place, starts[static_cast<std::size_t>(range) + 1]) << what << ", entry " << k;
        if (each) {
            ASSERT_EQ(values[place], a.values.as<double>()[k]) << what << ", entry " << k;
        }
    }
    for (std::uint32_t place = 0; place < starts.back(); ++place)  // what stands between is there, as zeros
        if (!taken[place]) {
            ASSERT_EQ(columns[place], 0) << what << ", place " << place;
        }
    for (const std::uint32_t start : starts) ASSERT_EQ(start % storage::bin_alignment, 0u) << what;
}

TEST_F(BinsOnDevice, HoldEveryEntryOnceAndLeadBackToIt) {
    const context gpu({.backend = backend::cuda});
    for (const auto* name : {"rmat_directed:14,8", "laplace2d:30", "powerlaw:50000", "random:100000,3",
                             "dense:3,70000", "dense:70000,3", "random:1,1", "random:64,64", "random:4096,1",
                             "lp:40,14000000,200000"}) {  // the last: more ranges than a block has threads
        const matrix a = load(gpu, name).matrix;
        const auto& rows = a.body().rows();
        for (const std::size_t bytes : {8, 4, 1}) {
            const bool wide = bytes == 8;
            const auto type = wide ? std::optional(dtype::float64) : std::nullopt;
            const auto bins = ops::bins_on_device(gpu, a.body(), rows, type, bytes);
            expect_bins_of(gpu, rows, *bins, std::string(name) + " " + std::to_string(bytes));
            EXPECT_EQ(ops::bins_on_device(gpu, a.body(), rows, type, bytes), bins) << "made once";
        }
    }
}

// Several ranges and many bins; rows over many bins; rows without entries.
TEST_F(BinsOnDevice, ServeEverySemiringTheyReadUFor) {
    const context gpu({.backend = backend::cuda});
    std::mt19937 random(8);
    for (const auto* graph : {"rmat_directed:16,30", "dense:3,700000", "random:300000,5", "random:70000,1"}) {
        const matrix a = load(gpu, graph).matrix;
        for (const auto* ring : {"plus_times_fp64", "plus_times_fp32", "min_plus_int64", "max_second_fp64",
                                 "any_second_int32", "lor_land_bool", "min_first_int64", "plus_second_fp32"})
            for (const vector_form form : {vector_form::dense, vector_form::bitmap}) {
                const semiring s(ring);
                const dtype type = *s.pinned_type();
                const bool exact = !is_floating(type) || std::string_view(ring).starts_with("max");
                const dictionary u =
                    random_dictionary(a.columns(), 1, form == vector_form::dense ? 1.1 : 0.5, type, random);
                const vector right = make_vector(gpu, u, form);
                const dtype value = s.value_type(a.type(), type);
                vector expected(gpu, value, a.rows()), w(gpu, value, a.rows());
                mxv(gpu, expected, s, a, right, {.kernel = "csr_merge"});
                mxv(gpu, w, s, a, right, {.kernel = "csr_binned"});
                ASSERT_EQ(w.count(), expected.count()) << graph << " " << ring;
                for (index_t i = 0; i < a.rows(); i += a.rows() > 1000 ? 13 : 1) {
                    ASSERT_EQ(w.contains(i), expected.contains(i)) << graph << " " << ring << " row " << i;
                    if (!w.contains(i)) continue;
                    const double found = w.get(i)->get<double>(), right_one = expected.get(i)->get<double>();
                    ASSERT_NEAR(found, right_one, exact ? 0 : 1e-5 * (1 + std::abs(right_one)))
                        << graph << " " << ring << " row " << i;
                }
            }
    }
}

TEST_F(BinsOnDevice, ArePlannedForWhatIsExpectedAndGiveTheSameBitsTwice) {
    const context gpu({.backend = backend::cuda});
    const matrix a = load(gpu, "random:5600000,2").matrix;
    std::vector<double> x(static_cast<std::size_t>(a.columns()));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1.0 / static_cast<double>(k + 1);
    const vector u = vector::dense<double>(gpu, x);
    const semiring s("plus_times_fp64");
    vector expected(gpu, dtype::float64, a.rows()), w(gpu, dtype::float64, a.rows()), again = w;
    EXPECT_EQ(mxv(gpu, expected, s, a, u).kernel, "csr_merge");
    a.expect_products(plan::device_bins_from_products);
    const mxv_plan first = mxv(gpu, w, s, a, u);
    const std::size_t held = a.body().form_bytes_on(gpu);
    EXPECT_GT(held, static_cast<std::size_t>(a.nnz()) * 12);
    const mxv_plan second = mxv(gpu, again, s, a, u);
    EXPECT_EQ(first.kernel, "csr_binned");
    EXPECT_TRUE(first.builds_bins);
    EXPECT_FALSE(second.builds_bins);
    EXPECT_EQ(a.body().form_bytes_on(gpu), held);
    for (index_t i = 0; i < a.rows(); i += 97) {
        ASSERT_EQ(w.contains(i), expected.contains(i)) << i;
        if (!w.contains(i)) continue;
        ASSERT_NEAR(w.get(i)->get<double>(), expected.get(i)->get<double>(), 1e-9) << i;
        ASSERT_EQ(w.get(i)->get<double>(), again.get(i)->get<double>()) << i;
    }
    a.body().leave(gpu);
    EXPECT_EQ(a.body().form_bytes_on(gpu), 0u);
    EXPECT_TRUE(mxv(gpu, w, s, a, u).builds_bins);  // whose runs may stand in another order
    for (index_t i = 0; i < a.rows(); ++i) {
        ASSERT_EQ(w.contains(i), again.contains(i)) << i;
        if (w.contains(i)) {
            ASSERT_EQ(w.get(i)->get<double>(), again.get(i)->get<double>()) << i;
        }
    }
    // Nothing of u's values is read: nothing is brought into bins, however many products there are.
    const semiring counts("plus_pair_int64");
    vector lengths(gpu, dtype::int64, a.rows());
    for (int k = 0; k < 2; ++k) EXPECT_EQ(mxv(gpu, lengths, counts, a, u).kernel, "csr_merge");
    EXPECT_EQ(lengths.get(0)->get<std::int64_t>(), 2);
}

// One value for all, and a transpose that is wider than it is long.
TEST_F(BinsOnDevice, ServeOneValueForAllAndTransposes) {
    const context gpu({.backend = backend::cuda});
    const semiring s("plus_times_fp64");
    for (const bool transposed : {false, true})
        for (const bool iso : {false, true}) {
            matrix a = load(gpu, "lp:300,40000,50000").matrix;
            if (iso) {
                const auto arrays = a.csr<double>();
                const std::vector<double> value{2.5};
                a = matrix::from_csr<double, std::int32_t>(
                    gpu, {arrays.rows, arrays.columns_count, arrays.offsets, arrays.columns, value});
                ASSERT_EQ(a.values_held(), value_kind::iso);
            }
            const index_t rows = transposed ? a.columns() : a.rows(),
                          columns = transposed ? a.rows() : a.columns();
            std::vector<double> x(static_cast<std::size_t>(columns));
            for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k % 100) + 1;
            const vector u = vector::dense<double>(gpu, x);
            vector expected(gpu, dtype::float64, rows), w = expected;
            vector_options by_merge{.kernel = "csr_merge"}, by_bins{.kernel = "csr_binned"};
            by_merge.transpose_a = by_bins.transpose_a = transposed;
            mxv(gpu, expected, s, a, u, by_merge);
            mxv(gpu, w, s, a, u, by_bins);
            ASSERT_EQ(w.count(), expected.count());
            for (index_t i = 0; i < rows; ++i) {
                ASSERT_EQ(w.contains(i), expected.contains(i)) << i;
                if (!w.contains(i)) continue;
                const double right = expected.get(i)->get<double>();
                ASSERT_NEAR(w.get(i)->get<double>(), right, 1e-9 * std::abs(right)) << i;
            }
        }
}

TEST_F(BinsOnDevice, ServeMoreRangesThanABlockHasThreads) {
    const context gpu({.backend = backend::cuda});
    const matrix a = load(gpu, "lp:40,14000000,200000").matrix;
    std::vector<double> x(static_cast<std::size_t>(a.columns()));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k % 1000) + 1;
    const vector u = vector::dense<double>(gpu, x);
    const semiring s("plus_times_fp64");
    vector expected(gpu, dtype::float64, a.rows()), w = expected;
    mxv(gpu, expected, s, a, u, {.kernel = "csr_merge"});
    mxv(gpu, w, s, a, u, {.kernel = "csr_binned"});
    ASSERT_EQ(w.count(), expected.count());
    for (index_t i = 0; i < a.rows(); ++i) {
        const double right = expected.get(i)->get<double>();
        ASSERT_NEAR(w.get(i)->get<double>(), right, 1e-9 * std::abs(right)) << i;
    }
}

// Infinity and NaN are products like others, of the rows that meet them alone.
TEST_F(BinsOnDevice, KeepInfinitiesWhereTheyBelong) {
    const context gpu({.backend = backend::cuda});
    const matrix a = load(gpu, "random:50000,3").matrix;
    std::vector<double> x(static_cast<std::size_t>(a.columns()), 1.0);
    x[0] = x[20000] = std::numeric_limits<double>::infinity();
    x[40000] = std::numeric_limits<double>::quiet_NaN();
    const vector u = vector::dense<double>(gpu, x);
    const semiring s("plus_times_fp64");
    vector expected(gpu, dtype::float64, a.rows()), w = expected;
    mxv(gpu, expected, s, a, u, {.kernel = "csr_merge"});
    mxv(gpu, w, s, a, u, {.kernel = "csr_binned"});
    for (index_t i = 0; i < a.rows(); ++i) {
        ASSERT_EQ(w.contains(i), expected.contains(i)) << i;
        if (!w.contains(i)) continue;
        const double found = w.get(i)->get<double>(), right = expected.get(i)->get<double>();
        ASSERT_TRUE(found == right || std::abs(found - right) < 1e-9 || (found != found && right != right))
            << i;
    }
}

TEST_F(BinsOnDevice, SayWhatTheyDoNotTake) {
    const context gpu({.backend = backend::cuda});
    const matrix a(gpu, dtype::float64, 1, static_cast<index_t>(storage::most_bin_ranges * 12288 + 1));
    EXPECT_THROW(ops::bins_on_device(gpu, a.body(), a.body().rows(), dtype::float64, 8), not_supported);
}

}  // namespace
}  // namespace nz::test
