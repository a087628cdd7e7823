// Slices on a GPU: made there as on the host, and taken by plan. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/slices_device.hpp"
#include "plan/mxv.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace nz::test {
namespace {

class SlicesOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};

bool same_bytes(const context& gpu, const buffer& there, const buffer& here) {
    std::vector<std::byte> bytes(there.bytes());
    if (bytes.empty()) return here.bytes() == 0;
    gpu.gpu()->download(bytes.data(), there.data(), bytes.size());
    return bytes.size() == here.bytes() && std::memcmp(bytes.data(), here.data(), bytes.size()) == 0;
}

// Short rows, rows that pass through shared memory, and slices of more entries than it holds; with a pitch and without.
TEST_F(SlicesOnDevice, AreMadeThereAsOnTheHost) {
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    for (const auto* name : {"laplace2d:70", "laplace3d:15", "banded:3000,41", "rmat:9,8", "dense:45,300",
                             "random:100,1", "grid2d:150", "banded:3001,3", "banded:5000,9", "laplace2d:8"})
        for (const dtype type : {dtype::float64, dtype::float32, dtype::int64}) {
            const matrix a = load(gpu, name).matrix;
            const auto& rows = a.body().rows();
            const auto there = ops::slices_on_device(gpu, a.body(), rows, type);
            const auto here = storage::make_dia_slices(cpu, rows, type);
            ASSERT_EQ(there->count, here.count) << name;
            EXPECT_EQ(there->pitch, here.pitch) << name;
            EXPECT_TRUE(same_bytes(gpu, there->starts, here.starts)) << name;
            EXPECT_TRUE(same_bytes(gpu, there->diagonals, here.diagonals)) << name;
            if (rows.kind == value_kind::full) {
                EXPECT_TRUE(same_bytes(gpu, there->values, here.values)) << name;
            }
        }
}

TEST_F(SlicesOnDevice, ArePlannedForWhatIsExpectedAlsoOfAResultThatStayedThere) {
    const context gpu({.backend = backend::cuda});
    const matrix a = load(gpu, "laplace2d:500").matrix;
    matrix twice(gpu, dtype::float64, a.rows(), a.columns());
    ewise_add(gpu, twice, binary_id::plus, a, a);
    const vector u = vector::full(gpu, a.columns(), 1.0);
    vector expected(gpu, dtype::float64, a.rows()), w(gpu, dtype::float64, a.rows());
    mxv(gpu, expected, semiring("plus_times"), twice, u, {.kernel = "csr_merge"});
    twice.expect_products(plan::device_slices_from_products);
    EXPECT_TRUE(mxv(gpu, w, semiring("plus_times"), twice, u).builds_slices);
    const mxv_plan second = mxv(gpu, w, semiring("plus_times"), twice, u);
    EXPECT_EQ(second.kernel, "dia_slice");
    EXPECT_FALSE(second.builds_slices);
    for (index_t i = 0; i < 250000; i += 997)
        EXPECT_NEAR(w.get(i)->get<double>(), expected.get(i)->get<double>(), 1e-9) << i;
}

}  // namespace
}  // namespace nz::test
