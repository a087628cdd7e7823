#include "kernels/reference/reduce.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/reduce/rows.hpp"
#include "ops/checks.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/matrix_words.hpp"
#include "ops/reduce_device.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

#include <cmath>
#include <limits>

namespace nz {
namespace {

constexpr operation_plan reduce_plan{"reduce", "reference", tier::generic, "in storage order on one thread"};
constexpr operation_plan row_sums_plan{"reduce", "rows", tier::compiled, "rows in storage order, shared out"};
constexpr operation_plan row_sums_on_gpu{"reduce", "rows", tier::compiled, "chunks of entries shared out",
                                         true};

storage::vector_body reduce_rows(const context& ctx, const monoid& add, const storage::csr& a) {
    storage::vector_body sums =
        storage::make_vector_body(ctx, add.value_type(a.type), a.rows, vector_form::bitmap, 0, false);
    kernels::reduce_rows_arguments k;
    k.add = &add;
    k.a = kernels::csr_entries(a);
    k.threads = ctx.threads();
    k.sums = sums.values.data();
    k.present = sums.words();
    sums.count = kernels::cpu::reduce_rows(k);
    return sums;
}

// The sum of one value as often as there are entries, where that is a product or the value itself, bit for bit.
std::optional<scalar> of_one_value(const context& ctx, const monoid& add, const matrix& a) {
    const storage::csr& of = a.body().rows_anywhere();
    if (of.nnz == 0 || !add.is_built_in() || add.value_type(of.type) != of.type) return {};
    const auto one = ops::one_value_of(ctx, a);
    if (!one) return {};
    const scalar x = *one;
    if (add.idempotent() || add.id() == binary_id::any) return x;
    if (add.id() != binary_id::plus) return {};
    return dispatch(of.type, [&]<class T>(std::type_identity<T>) -> std::optional<scalar> {
        if constexpr (std::is_same_v<T, bool>) {
            return x;
        } else if constexpr (std::is_floating_point_v<T>) {
            const double one = x.get<T>(), sum = one * static_cast<double>(of.nnz);
            const bool whole = one == std::floor(one);  // then every order of adding gives it
            if (!whole || !(std::abs(sum) <= std::ldexp(1.0, std::numeric_limits<T>::digits))) return {};
            return scalar(static_cast<T>(sum));
        } else {
            return scalar(
                static_cast<T>(static_cast<std::uint64_t>(x.get<T>()) * static_cast<std::uint64_t>(of.nnz)));
        }
    });
}

// Where values are taken in another type a copy of them may find no memory.
template <class F>
std::optional<scalar> by_blocks(F&& f) {
    const auto sum = ops::if_it_fits<std::optional<scalar>>(f);
    return sum ? *sum : std::nullopt;
}

}  // namespace

operation_plan reduce(const context& ctx, vector& w, const monoid& add, const matrix& a,
                      const vector_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("reduce", w, input.rows(), input.describe("A"));
    ops::check_mask("reduce", w, options);
    ops::check_kernel("reduce", options.kernel);
    require<not_supported>(
        options.kernel != "blocks",
        "reduce: kernel blocks adds up a vector: leave the pin out for the rows of a matrix");
    const bool reference = options.kernel == "reference";
    const device::arrivals arrived(ctx);
    if (!reference)
        if (auto t = ops::if_it_fits<vector>([&] { return ops::reduce_rows_on_device(ctx, add, input); })) {
            operation_plan plan = row_sums_on_gpu;
            plan.moved_bytes = arrived.bytes();
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            return plan;
        }
    ops::write_back(ctx, w,
                    reference ? kernels::reference::reduce_rows(ctx, add, input.entries())
                              : reduce_rows(ctx, add, input.entries()),
                    options);
    return reference ? reduce_plan : row_sums_plan;
}

// The order of summation depends on the vector alone: the same bits for floats whatever the number of threads.
scalar reduce(const context& ctx, const monoid& add, const vector& u) {
    if (const auto sum = by_blocks([&] { return ops::reduce_blocks_on_device(ctx, add, u); })) return *sum;
    if (const auto sum = by_blocks([&] { return ops::reduce_blocks(ctx, add, u.body()); })) return *sum;
    return kernels::reference::reduce(add, u.body());
}
scalar reduce(const context& ctx, const monoid& add, const matrix& a) {
    if (const auto sum = of_one_value(ctx, add, a)) return *sum;
    if (const auto sum = by_blocks([&] { return ops::reduce_blocks_on_device(ctx, add, a); })) return *sum;
    if (const auto sum = by_blocks([&] { return ops::reduce_blocks(ctx, add, a.body().rows()); }))
        return *sum;
    return kernels::reference::reduce(add, a.body().rows());
}

}  // namespace nz
