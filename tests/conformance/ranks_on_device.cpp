// Ranks of columns on a GPU: made there as on the host, taken by plan, and products by them over more chunks than one turn of the
// grid. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/ranks_device.hpp"
#include "plan/mxv.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace nz::test {
namespace {

class RanksOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};

std::vector<index_t> downloaded(const context& gpu, const buffer& there) {
    std::vector<index_t> here(there.bytes() / sizeof(index_t));
    if (!here.empty()) gpu.gpu()->download(here.data(), there.data(), there.bytes());
    return here;
}

TEST_F(RanksOnDevice, AreMadeThereAsOnTheHost) {
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    for (const auto* name : {"rmat_directed:14,8", "laplace2d:30", "powerlaw:5000", "random:100000,3",
                             "dense:3,70000", "dense:70000,3", "random:1,1"}) {
        const matrix a = load(gpu, name).matrix;
        const auto& rows = a.body().rows();
        const auto there = ops::ranks_on_device(gpu, a.body(), rows);
        const auto here = storage::make_ranked_columns(cpu, rows);
        const auto same = [](const std::vector<index_t>& found, const buffer& expected) {
            return found.size() * sizeof(index_t) == expected.bytes() &&
                   std::memcmp(found.data(), expected.data(), expected.bytes()) == 0;
        };
        EXPECT_EQ(there->held, here.held) << name;
        EXPECT_TRUE(same(downloaded(gpu, there->columns), here.columns)) << name;
        EXPECT_TRUE(same(downloaded(gpu, there->ranks), here.ranks)) << name;
        EXPECT_EQ(ops::ranks_on_device(gpu, a.body(), rows), there) << "made once";
    }
}

// 1,500 chunks and more: teams have a second one.
TEST_F(RanksOnDevice, ServeManyChunksOfEverySemiringTheyReadUFor) {
    const context gpu({.backend = backend::cuda});
    std::mt19937 random(8);
    for (const auto* graph : {"rmat_directed:16,30", "dense:3,700000"}) {
        const matrix a = load(gpu, graph).matrix;
        for (const auto* ring : {"plus_times_fp64", "plus_times_fp32", "min_plus_int64", "max_second_fp64",
                                 "any_second_int32", "lor_land_bool"})
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
                mxv(gpu, w, s, a, right, {.kernel = "csr_ranked"});
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

TEST_F(RanksOnDevice, ArePlannedForWhatIsExpectedAndGiveTheSameBitsTwice) {
    const context gpu({.backend = backend::cuda});
    const matrix a = load(gpu, "rmat_directed:20,4").matrix;
    std::vector<double> x(static_cast<std::size_t>(a.columns()));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1.0 / static_cast<double>(k + 1);
    const vector u = vector::dense<double>(gpu, x);
    const semiring s("plus_times_fp64");
    vector expected(gpu, dtype::float64, a.rows()), w(gpu, dtype::float64, a.rows()), again = w;
    EXPECT_EQ(mxv(gpu, expected, s, a, u).kernel, "csr_merge");
    a.expect_products(plan::device_ranks_from_products);
    const mxv_plan first = mxv(gpu, w, s, a, u), second = mxv(gpu, again, s, a, u);
    EXPECT_EQ(first.kernel, "csr_ranked");
    EXPECT_TRUE(first.builds_ranks && first.compacts_rows);
    EXPECT_FALSE(second.builds_ranks);
    for (index_t i = 0; i < a.rows(); i += 97) {
        ASSERT_EQ(w.contains(i), expected.contains(i)) << i;
        if (!w.contains(i)) continue;
        ASSERT_NEAR(w.get(i)->get<double>(), expected.get(i)->get<double>(), 1e-9) << i;
        ASSERT_EQ(w.get(i)->get<double>(), again.get(i)->get<double>()) << i;
    }
}

}  // namespace
}  // namespace nz::test
