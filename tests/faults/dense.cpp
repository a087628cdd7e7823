// Dense operands that do not fit: shapes, memory too small, strides, memory that overlaps, kernels that are not there.
#include "nonzero/operations.hpp"
#include "support/files.hpp"
#include "support/small.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

struct DenseOperands : ::testing::Test {
    context ctx{{.backend = backend::cpu, .threads = 2}};
    matrix a = matrix_of<double>(ctx, 3, 4, {{0, 0, 1}, {0, 3, 2}, {2, 1, 3}});
    std::vector<double> b = std::vector<double>(20, 1), c = std::vector<double>(20, 6);
    semiring ring{"plus_times"};
    dense_view<const double> in{4, 5, b};
    dense_view<double> out{3, 5, {c.data(), 15}};

    template <class E, class F>
    void refused(F&& call, std::initializer_list<std::string_view> words) {
        const std::string what = refusal<E>(call);
        EXPECT_NE(what, "") << "nothing was thrown";
        for (const auto word : words) EXPECT_NE(what.find(word), std::string::npos) << what;
        EXPECT_EQ(c, std::vector<double>(20, 6)) << what;
    }
};

TEST_F(DenseOperands, OfShapesThatDoNotAgreeAreNamed) {
    refused<dimension_mismatch>([&] { mxd(ctx, out, ring, a, dense_view<const double>{5, 4, b}); },
                                {"A is 3 x 4 float64", "B is 5 x 4 float64"});
    refused<dimension_mismatch>([&] { mxd(ctx, dense_view<double>{4, 5, c}, ring, a, in); },
                                {"C is 4 x 5", "the result is 3 x 5"});
    refused<dimension_mismatch>([&] { mxd(ctx, out, ring, a, in, {.transpose_a = true}); }, {"A^T is 4 x 3"});
    refused<dimension_mismatch>([&] { mxd(ctx, out, ring, a, in, {.transpose_b = true}); }, {"B is 5 x 4"});
    matrix t(ctx, dtype::float64, 3, 5);
    const std::vector<double> x(12, 1);
    const dense_view<const double> left{3, 4, x};
    refused<dimension_mismatch>([&] { sddmm(ctx, t, ring, left, left, t); }, {"X is 3 x 4", "Y is 3 x 4"});
    refused<dimension_mismatch>([&] { sddmm(ctx, t, ring, left, in, a); },
                                {"the mask is 3 x 4", "C is 3 x 5"});
    matrix wrong(ctx, dtype::float64, 3, 4);
    refused<dimension_mismatch>([&] { sddmm(ctx, wrong, ring, left, in, t); }, {"the result is 3 x 5"});
}

TEST_F(DenseOperands, OfTooLittleMemoryOrShortStridesAreRefused) {
    refused<dimension_mismatch>(
        [&] { mxd(ctx, out, ring, a, dense_view<const double>{4, 5, {b.data(), 19}}); },
        {"B is 4 x 5", "takes 20 values", "holds 19"});
    refused<dimension_mismatch>(
        [&] { mxd(ctx, out, ring, a, dense_view<const double>{4, 5, b, dense_order::row_major, 6}); },
        {"takes 23 values"});
    refused<domain_error>(
        [&] { mxd(ctx, out, ring, a, dense_view<const double>{4, 5, b, dense_order::row_major, 4}); },
        {"stride of 4", "5 at least"});
    refused<domain_error>(
        [&] { mxd(ctx, out, ring, a, dense_view<const double>{4, 5, b, dense_order::column_major, 3}); },
        {"by columns", "stride of 3", "4 at least"});
    refused<domain_error>([&] { mxd(ctx, out, ring, a, dense_view<const double>{-1, 5, b}); }, {"negative"});
    refused<dimension_mismatch>(
        [&] { mxd(ctx, out, ring, a, dense_view<const double>{1517889155, 1519111591, b}); }, {"stride of"});
    matrix t(ctx, dtype::float64, 3, 4);
    const std::vector<double> x(12, 1);
    const dense_view<const double> left{3, 4, x};
    // Strides whose places, reckoned, come round to where the memory is.
    for (const offset_t stride :
         {std::numeric_limits<offset_t>::max(), std::numeric_limits<offset_t>::max() / 2, offset_t{1} << 61,
          offset_t{1} << 62, offset_t{1} << 60})
        for (const dense_order order : {dense_order::row_major, dense_order::column_major}) {
            const dense_view<const double> far{4, 4, b, order, stride};
            refused<dimension_mismatch>([&] { mxd(ctx, out, ring, a, far); }, {"B is 4 x 4", "stride of"});
            refused<dimension_mismatch>(
                [&] { mxd(ctx, dense_view<double>{3, 4, c, order, stride}, ring, a, in); },
                {"C is 3 x 4", "stride of"});
            refused<dimension_mismatch>([&] { sddmm(ctx, t, ring, left, far, t); },
                                        {"Y is 4 x 4", "stride of"});
        }
    // The last row needs no gap behind it.
    EXPECT_NO_THROW(mxd(ctx, dense_view<double>{3, 2, {c.data(), 8}, dense_order::row_major, 3}, ring, a,
                        dense_view<const double>{4, 2, b}));
}

TEST_F(DenseOperands, ThatOverlapTheResultAreRefused) {
    std::vector<double> shared(40, 2);
    const dense_view<const double> first{4, 5, {shared.data(), 20}};
    refused<domain_error>(
        [&] { mxd(ctx, dense_view<double>{3, 5, {shared.data() + 19, 15}}, ring, a, first); },
        {"C overlaps that of B"});
    EXPECT_EQ(shared, std::vector<double>(40, 2));
    EXPECT_NO_THROW(mxd(ctx, dense_view<double>{3, 5, {shared.data() + 20, 15}}, ring, a, first));
    const std::vector<std::int32_t> offsets = {0, 1, 1, 2};
    const std::vector<index_t> columns = {0, 1};
    std::vector<double> values(15, 1);
    const auto lent =
        matrix::borrow_csr<double, std::int32_t>(ctx, {3, 4, offsets, columns, {values.data(), 2}});
    refused<domain_error>([&] { mxd(ctx, dense_view<double>{3, 5, values}, ring, lent, in); },
                          {"C overlaps that of A"});
}

TEST_F(DenseOperands, AreNotGivenToKernelsThatAreNotThere) {
    refused<domain_error>([&] { mxd(ctx, out, ring, a, in, {.kernel = "hash"}); },
                          {"csr_tiled", "csr_merge", "reference"});
    refused<not_supported>([&] { mxd(ctx, out, ring, a, in, {.kernel = "csr_half_warp"}); },
                           {"csr_half_warp is not there on the CPU", "half warp"});
    refused<not_supported>([&] { mxd(ctx, out, semiring("max_times"), a, in, {.kernel = "csr_tiled"}); },
                           {"not compiled for max_times", "float64"});
    refused<not_supported>([&] { mxd(ctx, out, ring, a, in, {.replace = true}); }, {"mxm or sddmm"});
    refused<domain_error>([&] { mxd(ctx, out, ring, a, in, {.accum = binary_id::bor}); }, {"bor"});
    matrix t(ctx, dtype::float64, 3, 5);
    const std::vector<double> x(12, 1);
    refused<domain_error>(
        [&] { sddmm(ctx, t, ring, dense_view<const double>{3, 4, x}, in, t, {.kernel = "csr_tiled"}); },
        {"row_dot", "reference"});
}

}  // namespace
}  // namespace nz::test
