#include "kernels/reference/apply.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/apply/rows.hpp"
#include "ops/apply_places.hpp"
#include "ops/checks.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/matrix_words.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

constexpr operation_plan plan{"apply", "reference", tier::generic,
                              "entry by entry through a function pointer, one thread"};

constexpr operation_plan words_plan{"apply", "words", tier::compiled, "values in place, shared out evenly"};

constexpr operation_plan apply_places_plan{"apply", "places", tier::compiled,
                                           "numbers made of places, shared out evenly"};

constexpr operation_plan apply_rows_plan{"apply", "rows", tier::generic,
                                         "rows shared out, an indirect call an entry"};

operation_plan served_there(operation_plan by, std::size_t moved_bytes) {
    by.on_device = true;
    by.moved_bytes = moved_bytes;
    return by;
}

// Neither kernel has what is asked: it is pinned in vain.
void require_no_pin(std::string_view kernel, dtype type) {
    for (const operation_plan& by : {words_plan, apply_places_plan})
        require<not_supported>(kernel != by.kernel,
                               "apply: kernel {} is not compiled for this operator on {}: leave the pin out",
                               by.kernel, name_of(type));
}

bool may_go_by(const operation_plan& by, std::string_view pinned) {
    return pinned.empty() || pinned == by.kernel;
}

// By on_device() or compiled(), of the kernel `by`, which may have nothing, or by the function entry for entry.
template <class OnDevice, class Compiled>
operation_plan apply_function(const context& ctx, vector& w, const algebra::entry_function& f,
                              const vector& u, const vector_options& options, const operation_plan& by,
                              OnDevice&& on_device, Compiled&& compiled) {
    ops::check_output("apply", w, u.size(), ops::describe("u", u));
    ops::check_mask("apply", w, options);
    ops::check_kernel("apply", options.kernel);
    require<not_supported>(options.kernel != apply_rows_plan.kernel,
                           "apply: kernel rows is for matrices: leave the pin out");
    if (may_go_by(by, options.kernel)) {
        const device::arrivals arrived(ctx);
        if (auto t = ops::if_it_fits<vector>(on_device)) {
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            return served_there(by, arrived.bytes());
        }
        if (auto t = compiled()) {
            ops::write_back(ctx, w, std::move(*t), options);
            return by;
        }
    }
    require_no_pin(options.kernel, u.type());
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

// The same for a matrix.
template <class OnDevice, class Compiled>
operation_plan apply_function(const context& ctx, matrix& c, const algebra::entry_function& f,
                              const ops::operand& a, const matrix_options& options, const operation_plan& by,
                              OnDevice&& on_device, Compiled&& compiled) {
    ops::check_output("apply", c, a.rows(), a.columns(), a.describe("A"));
    ops::check_mask("apply", c, options);
    ops::check_kernel("apply", options.kernel);
    if (may_go_by(by, options.kernel)) {
        const device::arrivals arrived(ctx);
        if (auto t = ops::if_it_fits<matrix>(on_device)) {
            ops::write_back_from_device(ctx, c, std::move(*t), options);
            return served_there(by, arrived.bytes());
        }
        if (auto t = compiled(a.entries())) {
            ops::write_back(ctx, c, std::move(*t), options);
            return by;
        }
    }
    require_no_pin(options.kernel, a.a.type());
    const bool reference = options.kernel == "reference";
    ops::write_back(
        ctx, c, reference ? kernels::reference::apply(ctx, f, a.entries()) : apply_rows(ctx, f, a.entries()),
        options);
    return reference ? plan : apply_rows_plan;
}

// The same by words(values) of a vector of the matrix's values, on the GPU or on the host.
template <class OnDevice, class Compiled>
operation_plan apply_to_values(const context& ctx, matrix& c, const algebra::entry_function& f,
                               const ops::operand& a, const matrix_options& options, OnDevice&& on_device,
                               Compiled&& compiled) {
    return apply_function(
        ctx, c, f, a, options, words_plan,
        [&] { return ops::apply_to_values_on_device(ctx, c.body().ctx, a, on_device); },
        [&](const storage::csr& entries) { return ops::apply_to_values(ctx, entries, compiled); });
}

// The comparison that an operator by value is, with what it compares to.
struct compared {
    binary_op op;
    scalar with;
};
std::optional<compared> thunk_comparison(const index_unary_op& op, dtype type, scalar thunk) {
    if (!op.by_value() || op.input_type(type) != type) return {};
    return compared{ops::comparison_by(op), scalar(type, thunk.as(type))};
}

}  // namespace

using algebra::entry_function_of;

operation_plan apply(const context& ctx, vector& w, const unary_op& op, const vector& u,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, u.type()), u, options, words_plan,
        [&] { return ops::apply_words_on_device(ctx, op, u); },
        [&] { return ops::apply_words(ctx, op, u.body()); });
}
operation_plan apply(const context& ctx, vector& w, const index_unary_op& op, const vector& u, scalar thunk,
                     const vector_options& options) {
    if (const auto by_value = thunk_comparison(op, u.type(), thunk))
        return apply(ctx, w, by_value->op, u, by_value->with, options);
    return apply_function(
        ctx, w, entry_function_of(op, u.type(), thunk), u, options, apply_places_plan,
        [&] { return ops::apply_places_on_device(ctx, op, u, thunk); },
        [&] { return ops::apply_places(ctx, op, u.body(), thunk); });
}
operation_plan apply(const context& ctx, vector& w, const binary_op& op, scalar x, const vector& u,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, x, u.type()), u, options, words_plan,
        [&] { return ops::apply_words_on_device(ctx, op, x, u); },
        [&] { return ops::apply_words(ctx, op, x, u.body()); });
}
operation_plan apply(const context& ctx, vector& w, const binary_op& op, const vector& u, scalar y,
                     const vector_options& options) {
    return apply_function(
        ctx, w, entry_function_of(op, u.type(), y), u, options, words_plan,
        [&] { return ops::apply_words_on_device(ctx, op, u, y); },
        [&] { return ops::apply_words(ctx, op, u.body(), y); });
}

operation_plan apply(const context& ctx, matrix& c, const unary_op& op, const matrix& a,
                     const matrix_options& options) {
    return apply_to_values(
        ctx, c, entry_function_of(op, a.type()), {a, options.transpose_a}, options,
        [&](const vector& x) { return ops::apply_words_on_device(ctx, op, x); },
        [&](const storage::vector_body& x) { return ops::apply_words(ctx, op, x); });
}
operation_plan apply(const context& ctx, matrix& c, const index_unary_op& op, const matrix& a, scalar thunk,
                     const matrix_options& options) {
    if (const auto by_value = thunk_comparison(op, a.type(), thunk))
        return apply(ctx, c, by_value->op, a, by_value->with, options);
    const ops::operand of{a, options.transpose_a};
    return apply_function(
        ctx, c, entry_function_of(op, a.type(), thunk), of, options, apply_places_plan,
        [&] { return ops::apply_places_on_device(ctx, c.body().ctx, op, of, thunk); },
        [&](const storage::csr& entries) { return ops::apply_places(ctx, op, entries, thunk); });
}
operation_plan apply(const context& ctx, matrix& c, const binary_op& op, scalar x, const matrix& a,
                     const matrix_options& options) {
    return apply_to_values(
        ctx, c, entry_function_of(op, x, a.type()), {a, options.transpose_a}, options,
        [&](const vector& y) { return ops::apply_words_on_device(ctx, op, x, y); },
        [&](const storage::vector_body& y) { return ops::apply_words(ctx, op, x, y); });
}
operation_plan apply(const context& ctx, matrix& c, const binary_op& op, const matrix& a, scalar y,
                     const matrix_options& options) {
    return apply_to_values(
        ctx, c, entry_function_of(op, a.type(), y), {a, options.transpose_a}, options,
        [&](const vector& x) { return ops::apply_words_on_device(ctx, op, x, y); },
        [&](const storage::vector_body& x) { return ops::apply_words(ctx, op, x, y); });
}

}  // namespace nz
