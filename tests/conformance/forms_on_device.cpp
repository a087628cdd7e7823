// Products on a GPU by the forms that a matrix keeps beside its CSR, with outputs, masks and matrices of one value: as by rows. Skipped
// where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

class FormsOnDevice : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};
INSTANTIATE_TEST_SUITE_P(Kernels, FormsOnDevice, ::testing::Values("dia_slice", "csr_ranked", "csr_binned"),
                         [](const auto& info) { return std::string(info.param); });

// Iso and pattern matrices, transposes, masks, and the accumulator that writes results where they belong.
TEST_P(FormsOnDevice, ServeWhatOtherKernelsServe) {
    const context gpu({.backend = backend::cuda});
    std::mt19937 random(7);
    const semiring s("plus_times_fp64");
    for (const auto* name : {"grid2d:30", "laplace2d:30", "rmat_directed:10,5", "laplace2d:32"}) {
        const index_t n = load(gpu, name).matrix.rows();
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
        for (const bool transposed : {false, true})
            for (int way = 0; way < 3; ++way) {
                const matrix a = load(gpu, name).matrix;
                const vector by_rows = product(a, "csr_row", transposed, way),
                             w = product(a, GetParam(), transposed, way);
                ASSERT_EQ(w.count(), by_rows.count()) << name << ", way " << way;
                for (index_t i = 0; i < n; ++i) {
                    ASSERT_EQ(w.contains(i), by_rows.contains(i)) << name << ", way " << way;
                    if (!w.contains(i)) continue;
                    ASSERT_NEAR(w.get(i)->get<double>(), by_rows.get(i)->get<double>(), 1e-9)
                        << name << ", way " << way;
                }
            }
    }
}

}  // namespace
}  // namespace nz::test
