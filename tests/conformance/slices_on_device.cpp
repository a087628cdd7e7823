// Slices on a GPU: made there as on the host, taken by plan, and what products by them do with outputs, masks, and matrices of one
// value. Skipped where there is no GPU.
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

// Iso and pattern matrices, transposes, masks, and the accumulator that writes results where they belong.
TEST_F(SlicesOnDevice, ServeWhatOtherKernelsServe) {
    const context gpu({.backend = backend::cuda});
    std::mt19937 random(7);
    const semiring s("plus_times_fp64");
    constexpr index_t n = 900;
    const dictionary u = random_dictionary(n, 1, 1.1, dtype::float64, random),
                     mask = random_dictionary(n, 1, 0.5, dtype::float64, random),
                     old = random_dictionary(n, 1, 1.1, dtype::float64, random);
    const vector right = make_vector(gpu, u, vector_form::dense),
                 allowed = make_vector(gpu, mask, vector_form::bitmap);
    const auto product = [&](const matrix& a, const char* kernel, bool transposed, int way) {
        vector_options o{.kernel = kernel};
        o.transpose_a = transposed;
        if (way == 1) o.mask = &allowed;
        if (way == 2) o.accum = binary_id::second;
        vector w = make_vector(gpu, old, vector_form::dense);
        mxv(gpu, w, s, a, right, o);
        return w;
    };
    for (const auto* name : {"grid2d:30", "laplace2d:30"})
        for (const bool transposed : {false, true})
            for (int way = 0; way < 3; ++way) {
                const matrix a = load(gpu, name).matrix;
                const vector by_rows = product(a, "csr_row", transposed, way),
                             w = product(a, "dia_slice", transposed, way);
                ASSERT_EQ(w.count(), by_rows.count()) << name << ", way " << way;
                for (index_t i = 0; i < n; ++i) {
                    ASSERT_EQ(w.contains(i), by_rows.contains(i)) << name << ", way " << way;
                    if (!w.contains(i)) continue;
                    ASSERT_NEAR(w.get(i)->get<double>(), by_rows.get(i)->get<double>(), 1e-9)
                        << name << ", way " << way;
                }
            }
}

}  // namespace
}  // namespace nz::test
