// Checks of sddmm that every backend and kernel passes: against the dictionary model, with masks by value, accumulators and transposes.
#pragma once

#include "support/battery.hpp"
#include "support/dense.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nz::test {

/// A context with a GPU runs the compiled kernel there.
inline void expect_place(const context& ctx, std::string_view kernel, const dense_plan& plan) {
    EXPECT_EQ(plan.on_device, ctx.gpu() && kernel == "row_dot") << to_string(plan);
}

inline void check_sddmm_writing(const context& ctx, std::string_view kernel, std::mt19937& random) {
    const semiring s("plus_times_int64");
    const dictionary x = full_dictionary(21, 6, dtype::int64, random),
                     y = full_dictionary(6, 30, dtype::int64, random), t = model_mxm(s, x, y);
    dense_block left(x, dense_order::row_major), right(y, dense_order::row_major);
    for (const dtype c_type : {dtype::int64, dtype::float32})
        for (const bool structure : {false, true})
            for (const bool replace : {false, true})
                for (const std::optional<binary_op>& accum :
                     {std::optional<binary_op>(), std::optional<binary_op>(binary_id::minus)}) {
                    const dictionary m = random_dictionary(21, 30, 0.3, any_type(random), random),
                                     old = random_dictionary(21, 30, 0.4, c_type, random);
                    const dense_options options{
                        .accum = accum, .mask_structure = structure, .replace = replace, .kernel = kernel};
                    matrix c = make_matrix(ctx, old);
                    expect_place(
                        ctx, kernel,
                        sddmm(ctx, c, s, left.view(), right.view(), make_matrix(ctx, m, true), options));
                    ASSERT_TRUE(same(write(old, t, {&m, structure, false, replace, accum}), c))
                        << structure << replace << accum.has_value();
                    matrix own = make_matrix(ctx, old);
                    sddmm(ctx, own, s, left.view(), right.view(), own, options);
                    ASSERT_TRUE(same(write(old, t, {&old, structure, false, replace, accum}), own))
                        << "its own mask";
                }
}

inline void check_sddmm_transposes(const context& ctx, std::string_view kernel, std::mt19937& random) {
    const semiring s("plus_times");
    const dictionary x = full_dictionary(15, 9, dtype::int8, random),
                     y = full_dictionary(9, 12, dtype::float64, random),
                     m = random_dictionary(15, 12, 0.5, dtype::boolean, random), t = model_mxm(s, x, y);
    const matrix mask = make_matrix(ctx, m);
    for (const bool a : {false, true})
        for (const bool b : {false, true}) {
            dense_block left(a ? transposed(x) : x, dense_order::column_major),
                right(b ? transposed(y) : y, dense_order::row_major);
            matrix c(ctx, dtype::float64, 15, 12);
            expect_place(ctx, kernel,
                         sddmm(ctx, c, s, left.view(), right.view(), mask,
                               {.transpose_a = a, .transpose_b = b, .kernel = kernel}));
            ASSERT_TRUE(same(write({15, 12, dtype::float64, {}}, t, {&m, false, false, false, {}}), c))
                << a << b;
        }
}

inline void check_sddmm_of_nan_and_infinity(const context& ctx, std::string_view kernel) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> x = {inf, 1, 2, 3}, y = {0, 1, 1, 1};
    const std::vector<index_t> i = {0, 0, 1}, j = {0, 1, 1};
    const auto mask = matrix::build<double>(ctx, {2, 2, i, j, {}});
    matrix c(ctx, dtype::float64, 2, 2);
    expect_place(ctx, kernel,
                 sddmm(ctx, c, semiring("plus_times"), dense_view<const double>{2, 2, x},
                       dense_view<const double>{2, 2, y}, mask, {.kernel = kernel}));
    EXPECT_TRUE(std::isnan(c.get(0, 0)->get<double>()));
    EXPECT_EQ(c.get(0, 1)->get<double>(), inf);
    EXPECT_EQ(c.get(1, 1)->get<double>(), 5);
    EXPECT_FALSE(c.get(1, 0).has_value());
}

}  // namespace nz::test
