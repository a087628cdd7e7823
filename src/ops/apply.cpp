#include "kernels/reference/apply.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/apply/rows.hpp"
#include "ops/checks.hpp"
#include "ops/matrix_words.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan plan{"apply", "reference", tier::generic,
                              "entry by entry through a function pointer, one thread"};

constexpr operation_plan words_plan{"apply", "words", tier::compiled, "values in place, shared out evenly"};

constexpr operation_plan apply_rows_plan{"apply", "rows", tier::generic,
                                         "rows shared out, an indirect call an entry"};

// By on_device() or compiled(), which may have nothing, or by the function entry for entry.
template <class OnDevice, class Compiled>
operation_plan apply_function(const context& ctx, vector& w, const algebra::entry_function& f,
                              const vector& u, const vector_options& options, OnDevice&& on_device,
                              Compiled&& compiled) {
    ops::check_output("apply", w, u.size(), ops::describe("u", u));
    ops::check_mask("apply", w, options);
    ops::check_kernel("apply", options.kernel);
    require<not_supported>(options.kernel != apply_rows_plan.kernel,
                           "apply: kernel rows is for matrices: leave the pin out");
    if (options.kernel != "reference") {
        const device::arrivals arrived(ctx);
        if (auto t = on_device()) {
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            operation_plan plan_there = words_plan;
            plan_there.on_device = true;
            plan_there.moved_bytes = arrived.bytes();
            return plan_there;
        }
        if (auto t = compiled()) {
            ops::write_back(ctx, w, std::move(*t), options);
            return words_plan;
        }
    }
    require<not_supported>(options.kernel != words_plan.kernel,
                           "apply: kernel words is not compiled for this operator on {}: leave the pin out",
                           name_of(u.type()));
    ops::write_back(ctx, w, kernels::reference::apply(ctx, f, u.body()), options);
    return plan;
}

storage::csr apply_rows(const context& ctx, const algebra::entry_function& f, const storage::csr& a) {
    storage::csr t = ops::with_places_of(ctx, a, f.type, value_kind::full);
    kernels::apply_rows_arguments k;
    k.f = &f;
    k.a = kernels::csr_entries(a);
    k.threads = ctx.threads();
    k.out_values = t.values.data();
    kernels::cpu::apply_rows(k);
    return t;
}

// By words(values) on the GPU or on the host, which may have nothing, or by the function entry for entry.
template <class OnDevice, class Compiled>
operation_plan apply_function(const context& ctx, matrix& c, const algebra::entry_function& f,
                              const ops::operand& a, const matrix_options& options, OnDevice&& on_device,
                              Compiled&& compiled) {
    ops::check_output("apply", c, a.rows(), a.columns(), a.describe("A"));
    ops::check_mask("apply", c, options);
    ops::check_kernel("apply", options.kernel);
    if (options.kernel.empty() || options.kernel == words_plan.kernel) {
        const device::arrivals arrived(ctx);
        if (auto t = ops::apply_to_values_on_device(ctx, c.body().ctx, a, on_device)) {
            ops::write_back_from_device(ctx, c, std::move(*t), options);
            operation_plan plan_there = words_plan;
            plan_there.on_device = true;
            plan_there.moved_bytes = arrived.bytes();
            return plan_there;
        }
        if (auto t = ops::apply_to_values(ctx, a.entries(), compiled)) {
            ops::write_back(ctx, c, std::move(*t), options);
            return words_plan;
        }
    }
    require<not_supported>(options.kernel != words_plan.kernel,
                           "apply: kernel words is not compiled for this operator on {}: leave the pin out",
                           name_of(a.a.type()));
    const bool reference = options.kernel == "reference";
    ops::write_back(
        ctx, c, reference ? kernels::reference::apply(ctx, f, a.entries()) : apply_rows(ctx, f, a.entries()),
        options);
    return reference ? plan : apply_rows_plan;
}

}  // namespace

using algebra::entry_function_of;

operation_plan apply(const context& ctx, vector& w, const unary_op& op, const vector& u,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, u.type()), u, options,
        [&] { return ops::apply_words_on_device(ctx, op, u); },
        [&] { return ops::apply_words(ctx, op, u.body()); });
}
operation_plan apply(const context& ctx, vector& w, const index_unary_op& op, const vector& u, scalar thunk,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, u.type(), thunk), u, options, [] { return std::optional<vector>(); },
        [] { return std::optional<storage::vector_body>(); });
}
operation_plan apply(const context& ctx, vector& w, const binary_op& op, scalar x, const vector& u,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, x, u.type()), u, options,
        [&] { return ops::apply_words_on_device(ctx, op, x, u); },
        [&] { return ops::apply_words(ctx, op, x, u.body()); });
}
operation_plan apply(const context& ctx, vector& w, const binary_op& op, const vector& u, scalar y,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, u.type(), y), u, options,
        [&] { return ops::apply_words_on_device(ctx, op, u, y); },
        [&] { return ops::apply_words(ctx, op, u.body(), y); });
}

operation_plan apply(const context& ctx, matrix& c, const unary_op& op, const matrix& a,
                     const matrix_options& options) {
    return apply_function(
        ctx, c, entry_function_of(op, a.type()), {a, options.transpose_a}, options,
        [&](const vector& x) { return ops::apply_words_on_device(ctx, op, x); },
        [&](const storage::vector_body& x) { return ops::apply_words(ctx, op, x); });
}
operation_plan apply(const context& ctx, matrix& c, const index_unary_op& op, const matrix& a, scalar thunk,
                     const matrix_options& options) {
    return apply_function(
        ctx, c, entry_function_of(op, a.type(), thunk), {a, options.transpose_a}, options,
        [](const vector&) { return std::optional<vector>(); },
        [](const storage::vector_body&) { return std::optional<storage::vector_body>(); });
}
operation_plan apply(const context& ctx, matrix& c, const binary_op& op, scalar x, const matrix& a,
                     const matrix_options& options) {
    return apply_function(
        ctx, c, entry_function_of(op, x, a.type()), {a, options.transpose_a}, options,
        [&](const vector& y) { return ops::apply_words_on_device(ctx, op, x, y); },
        [&](const storage::vector_body& y) { return ops::apply_words(ctx, op, x, y); });
}
operation_plan apply(const context& ctx, matrix& c, const binary_op& op, const matrix& a, scalar y,
                     const matrix_options& options) {
    return apply_function(
        ctx, c, entry_function_of(op, a.type(), y), {a, options.transpose_a}, options,
        [&](const vector& x) { return ops::apply_words_on_device(ctx, op, x, y); },
        [&](const storage::vector_body& x) { return ops::apply_words(ctx, op, x, y); });
}

}  // namespace nz
