// Results on a GPU written back through masks and accumulators there: nothing comes to the host. Skips where there is no GPU.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

constexpr unsigned write_back_seed = 93;

class WriteBackOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{write_back_seed};

    // The same content, on the GPU alone.
    matrix away(const context& ctx, const dictionary& d) {
        matrix c(ctx, d.type, d.rows, d.columns);
        select(ctx, c, index_unary_id::rowle, make_matrix(ctx, d, true), scalar(d.rows));
        return c;
    }
};

bool stays(const setting& s) {
    const bool nothing_let_through = s.mask == mask_kind::none && s.complement;
    return !nothing_let_through &&
           s.accum != binary_id::lt;  // which is no binary operation on the output's type
}

TEST_F(WriteBackOnDevice, EveryWayOfWritingAProductLeavesItThere) {
    const context ctx({.backend = backend::cuda});
    for (const dtype type : {dtype::float64, dtype::int32}) {
        const dictionary a = random_dictionary(170, 170, 0.1, type, random);
        const matrix factor = make_matrix(ctx, a, true);
        matrix product(ctx, type, 170, 170);
        mxm(ctx, product, semiring("plus_times"), factor, factor, {.kernel = "reference"});
        const dictionary t = read(product);
        for (const char* kernel : {"hash", "masked_row", "masked_dot"})
            for (const setting& s : all_settings()) {
                const std::string_view id = kernel;
                if ((id != "hash" && s.mask == mask_kind::none) || (id == "masked_dot" && s.complement))
                    continue;
                SCOPED_TRACE(std::string(kernel) + ", " + s.name());
                const dictionary old = random_dictionary(170, 170, 0.2, type, random),
                                 m = random_dictionary(170, 170, 0.3, dtype::int8, random);
                matrix c = away(ctx, old);
                const matrix mask = away(ctx, m);
                auto options = options_of(s, mask);
                options.kernel = kernel;
                ASSERT_TRUE(mxm(ctx, c, semiring("plus_times"), factor, factor, options).on_device);
                EXPECT_EQ(c.body().away(), stays(s));
                ASSERT_TRUE(same(write(old, t, writing_of(s, m)), c));
            }
    }
}

TEST_F(WriteBackOnDevice, EveryWayOfWritingAJoinOfEveryType) {
    const context ctx({.backend = backend::cuda});
    for (const dtype type : all_types) {
        SCOPED_TRACE(name_of(type));
        const dictionary a = random_dictionary(40, 50, 0.3, type, random);
        const matrix left = make_matrix(ctx, a, true);
        matrix joined(ctx, type, 40, 50);
        ewise_mult(ctx, joined, binary_id::first, left, left, {.kernel = "reference"});
        const dictionary t = read(joined);
        check_settings<matrix>(ctx, 40, 50, type, random, written(t),
                               [&](matrix& c, const matrix_options& options) {
                                   ewise_mult(ctx, c, binary_id::first, left, left, options);
                               });
    }
}

TEST_F(WriteBackOnDevice, ResultsOfAnotherTypeAreConvertedThere) {
    const context ctx({.backend = backend::cuda});
    const dictionary a = random_dictionary(60, 60, 0.2, dtype::float64, random);
    const matrix left = make_matrix(ctx, a, true);
    for (const dtype type : {dtype::float32, dtype::int64, dtype::boolean}) {
        matrix c(ctx, type, 60, 60), expected = c;
        ASSERT_TRUE(ewise_add(ctx, c, binary_id::plus, left, left).on_device);
        EXPECT_TRUE(c.body().away());
        ewise_add(ctx, expected, binary_id::plus, left, left, {.kernel = "reference"});
        EXPECT_TRUE(same(read(expected), c)) << name_of(type);
    }
}

}  // namespace
}  // namespace nz::test
