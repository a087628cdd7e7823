// The phases that products with sparse vectors tell a watch of (kernels/phases.hpp), and the points on a GPU's stream that time them.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "kernels/phases.hpp"
#include "nonzero/nonzero.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace nz::test {
namespace {

using kernels::phase;
using phases = std::vector<phase>;

class listener final : public kernels::phase_watch {
public:
    phases told;
    void ended(phase which) override { told.push_back(which); }
};

class MxvPhases : public ::testing::TestWithParam<backend> {
protected:
    void SetUp() override {
        if (GetParam() == backend::cuda)
            if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
        ctx_.emplace(context_options{.backend = GetParam()});
        a_.emplace(load(*ctx_, "random:400,6").matrix);
    }
    void multiply(const std::string& kernel) const {
        const std::vector<index_t> places{3, 50, 399};
        const std::vector<std::int32_t> values{1, 2, 3};
        const vector u = vector::build<std::int32_t>(*ctx_, a_->columns(), places, values);
        vector w(*ctx_, dtype::int32, a_->rows());
        mxv(*ctx_, w, semiring("plus_times_int32"), *a_, u, {.kernel = kernel});
    }
    std::optional<context> ctx_;
    std::optional<matrix> a_;
};

TEST_P(MxvPhases, AreToldInOrderByEveryGather) {
    for (const std::string kernel : {"csc_gather_radix", "csc_gather_merge"}) {
        listener heard;
        multiply(kernel);
        EXPECT_EQ(heard.told, (phases{phase::begin, phase::common, phase::sort, phase::scatter})) << kernel;
    }
    listener heard;
    multiply("csc_gather_scatter");
    EXPECT_EQ(heard.told, (phases{phase::begin, phase::common, phase::scatter}));
}

TEST_P(MxvPhases, AreToldToTheLastWatchThatLives) {
    listener outer;
    {
        listener inner;
        multiply("csc_gather_scatter");
        EXPECT_EQ(inner.told.size(), 3u);
    }
    EXPECT_TRUE(outer.told.empty());
    multiply("csc_gather_radix");
    EXPECT_EQ(outer.told.size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(Backends, MxvPhases, ::testing::Values(backend::cpu, backend::cuda),
                         [](const auto& given) { return given.param == backend::cpu ? "Cpu" : "Gpu"; });

TEST(DeviceMarks, TellTheTimeFromEachToTheNextOnce) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context ctx({.backend = backend::cuda});
    device::session& gpu = *ctx.gpu();
    constexpr std::size_t much = std::size_t{1} << 28;
    const buffer memory(ctx.device_memory(), much);
    for (int k = 0; k < 20; ++k)
        gpu.fill(memory.data(), 0, much);  // the next three are put there before their turn comes
    EXPECT_TRUE(gpu.times_between().empty());
    gpu.mark();
    gpu.mark();
    gpu.fill(memory.data(), 1, much);
    gpu.mark();
    const std::vector<double> times = gpu.times_between();
    ASSERT_EQ(times.size(), 2u);
    EXPECT_GE(times[0], 0);
    EXPECT_GT(times[1], times[0]) << "268 MB were written between the last two";
    EXPECT_TRUE(gpu.times_between().empty());
    gpu.mark();
    EXPECT_TRUE(gpu.times_between().empty());
}

}  // namespace
}  // namespace nz::test
