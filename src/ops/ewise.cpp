#include "kernels/reference/ewise.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "ops/checks.hpp"
#include "ops/ewise_device.hpp"
#include "ops/ewise_join.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

namespace nz {
namespace {

using kernels::set_operation;

constexpr operation_plan add_plan{"ewise_add", "reference", tier::generic,
                                  "union of sorted entries, one thread"};
constexpr operation_plan multiply_plan{"ewise_mult", "reference", tier::generic,
                                       "intersection of sorted entries, one thread"};
constexpr operation_plan difference_plan{"ewise_difference", "reference", tier::generic,
                                         "sorted entries, one thread"};
constexpr operation_plan symmetric_plan{"ewise_symmetric_difference", "reference", tier::generic,
                                        "sorted entries, one thread"};
constexpr std::string_view balanced = "balanced_path", words = "words";

// The plan once the compiled kernel has served, with the operator or for the words that have it.
operation_plan served(operation_plan plan, bool by_values = false) {
    plan.kernel = balanced;
    plan.tier = tier::compiled;
    plan.reason = by_values ? "values of places that both have side by side, then as words"
                            : "entries of both shared out evenly";
    return plan;
}
// Whether the compiled kernel may be asked; a pin of it that could not be served is refused.
bool asks(std::string_view pinned) { return pinned.empty() || pinned == balanced; }
void refuse_unserved(const operation_plan& plan, std::string_view pinned, const std::string& why) {
    require<not_supported>(pinned.empty() || pinned == "reference",
                           "{}: kernel {} {}: leave the pin out for the generic path", plan.operation, pinned,
                           why);
}
std::string not_compiled(const binary_op& op, dtype a, dtype b) {
    return std::string("is not compiled for ")
        .append(op.name())
        .append(" of ")
        .append(name_of(a))
        .append(" and ")
        .append(name_of(b));
}

void check(const operation_plan& plan, const vector& w, const vector& u, const vector& v,
           const vector_options& options) {
    require<dimension_mismatch>(u.size() == v.size(), "{}: {}, {}: the sizes must be equal", plan.operation,
                                ops::describe("u", u), ops::describe("v", v));
    ops::check_output(plan.operation, w, u.size(), ops::describe("u", u));
    ops::check_mask(plan.operation, w, options);
    ops::check_kernel("ewise", options.kernel);
}

// u at places where v has no entry, in a type: on the GPU or the host.
vector without(const context& ctx, bool there, const vector& u, const vector& v, dtype type) {
    const vector_options others{.mask = &v, .mask_structure = true, .mask_complement = true};
    vector t(ctx, type, u.size());
    if (there)
        ops::write_back_from_device(ctx, t, ops::in_type_on_device(ctx, u, type), others);
    else
        ops::write_back(ctx, t, storage::convert_values(u.body(), type), others);
    return t;
}

// As both differences come by words: under the other operand's structure as a mask.
vector difference_by_words(const context& ctx, bool there, set_operation operation, const vector& u,
                           const vector& v) {
    if (operation == set_operation::subtract) return without(ctx, there, u, v, u.type());
    const dtype type = promote(u.type(), v.type());
    const vector left = without(ctx, there, u, v, type), right = without(ctx, there, v, u, type);
    vector t(ctx, type, u.size());
    ewise_add(ctx, t, binary_id::first, left, right);
    return t;
}

// Vectors of which one lies on the GPU; nothing where it has no room.
std::optional<vector> join_there(const context& ctx, set_operation operation, const binary_op& op,
                                 const vector& u, const vector& v) {
    return ops::if_it_fits<vector>([&]() -> std::optional<vector> {
        if (ops::computes(operation)) return ops::join_words_on_device(ctx, operation, op, u, v);
        if (!ops::lives_there(ctx, u) && !ops::lives_there(ctx, v)) return {};
        vector t = difference_by_words(ctx, true, operation, u, v);
        return ops::lives_there(ctx, t) ? std::optional(std::move(t)) : std::nullopt;
    });
}
// Vectors that are not both sparse.
std::optional<storage::vector_body> join_here(const context& ctx, set_operation operation,
                                              const binary_op& op, const vector& u, const vector& v) {
    if (ops::computes(operation)) return ops::join_words(ctx, operation, op, u.body(), v.body());
    if (u.form() == vector_form::sparse && v.form() == vector_form::sparse) return {};
    vector t = difference_by_words(ctx, false, operation, u, v);
    return std::move(t.mutable_body());
}

// Two vectors: by lists of places where both are sparse, by words of places where one is not, else by reference().
template <class Reference>
operation_plan join(const context& ctx, vector& w, const operation_plan& plan, set_operation operation,
                    const binary_op& op, const vector& u, const vector& v, const vector_options& options,
                    Reference&& reference) {
    const device::arrivals arrived(ctx);
    if (options.kernel.empty() || options.kernel == words)
        if (auto t = join_there(ctx, operation, op, u, v)) {
            ops::write_back_from_device(ctx, w, std::move(*t), options);
            return {plan.operation, words,          tier::compiled, "place by place, where they are",
                    true,           arrived.bytes()};
        }
    const auto how = ops::choose_ewise(operation, op, u.type(), v.type());
    if (how && asks(options.kernel))
        if (auto t = ops::join_balanced(ctx, operation, *how, u.body(), v.body())) {
            ops::write_back(ctx, w, std::move(*t), options);
            return served(plan);
        }
    if (options.kernel.empty() || options.kernel == words)
        if (auto t = join_here(ctx, operation, op, u, v)) {
            ops::write_back(ctx, w, std::move(*t), options);
            return {plan.operation, words, tier::compiled, "place by place: not both are sparse"};
        }
    const bool sparse = u.form() == vector_form::sparse && v.form() == vector_form::sparse;
    refuse_unserved(
        plan, options.kernel,
        sparse == (options.kernel == balanced)
            ? not_compiled(op, u.type(), v.type())
            : std::string(sparse ? "joins vectors that are not both sparse" : "joins sparse vectors") +
                  ", here one is " + std::string(name_of(u.form())) + " and one " +
                  std::string(name_of(v.form())));
    ops::write_back(ctx, w, reference(), options);
    return plan;
}

void check(const operation_plan& plan, const matrix& c, const ops::operand& a, const ops::operand& b,
           const matrix_options& options) {
    require<dimension_mismatch>(a.rows() == b.rows() && a.columns() == b.columns(),
                                "{}: {}, {}: the shapes must be equal", plan.operation, a.describe("A"),
                                b.describe("B"));
    ops::check_output(plan.operation, c, a.rows(), a.columns(), a.describe("A"));
    ops::check_mask(plan.operation, c, options);
    ops::check_kernel("ewise", options.kernel);
}

// By the compiled kernel where it serves, else by reference().
template <class Reference>
operation_plan join(const context& ctx, matrix& c, const operation_plan& plan, set_operation operation,
                    const binary_op& op, const ops::operand& a, const ops::operand& b,
                    const matrix_options& options, Reference&& reference) {
    if (asks(options.kernel)) {
        const auto how = ops::choose_ewise(operation, op, a.a.type(), b.a.type());
        const device::arrivals arrived(ctx);
        const context& own = c.body().ctx;
        bool whole_there = false;
        auto there = ops::if_it_fits<matrix>([&] {
            auto t = how ? ops::join_on_device(ctx, own, operation, *how, a, b) : std::nullopt;
            whole_there = t.has_value();
            return t ? std::move(t) : ops::join_values_on_device(ctx, own, operation, op, a, b);
        });
        if (there) {
            operation_plan on_gpu = served(plan, !whole_there);
            on_gpu.on_device = true;
            ops::write_back_from_device(ctx, c, std::move(*there), options);
            on_gpu.moved_bytes = arrived.bytes();
            return on_gpu;
        }
        auto here = how ? ops::join_balanced(ctx, operation, *how, a.entries(), b.entries()) : std::nullopt;
        const bool whole = here.has_value();
        if (!here) here = ops::join_values(ctx, operation, op, a.entries(), b.entries());
        if (here) {
            ops::write_back(ctx, c, std::move(*here), options);
            return served(plan, !whole);
        }
    }
    refuse_unserved(plan, options.kernel,
                    options.kernel == words ? "joins vectors" : not_compiled(op, a.a.type(), b.a.type()));
    ops::write_back(ctx, c, reference(), options);
    return plan;
}

}  // namespace

operation_plan ewise_add(const context& ctx, vector& w, const binary_op& op, const vector& u, const vector& v,
                         const vector_options& options) {
    check(add_plan, w, u, v, options);
    return join(ctx, w, add_plan, set_operation::unite, op, u, v, options,
                [&] { return kernels::reference::ewise_add(ctx, op, u.body(), v.body()); });
}

operation_plan ewise_add(const context& ctx, matrix& c, const binary_op& op, const matrix& a, const matrix& b,
                         const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    check(add_plan, c, left, right, options);
    return join(ctx, c, add_plan, set_operation::unite, op, left, right, options,
                [&] { return kernels::reference::ewise_add(ctx, op, left.entries(), right.entries()); });
}

operation_plan ewise_mult(const context& ctx, vector& w, const binary_op& op, const vector& u,
                          const vector& v, const vector_options& options) {
    check(multiply_plan, w, u, v, options);
    return join(ctx, w, multiply_plan, set_operation::intersect, op, u, v, options,
                [&] { return kernels::reference::ewise_mult(ctx, op, u.body(), v.body()); });
}

operation_plan ewise_mult(const context& ctx, matrix& c, const binary_op& op, const matrix& a,
                          const matrix& b, const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    check(multiply_plan, c, left, right, options);
    return join(ctx, c, multiply_plan, set_operation::intersect, op, left, right, options,
                [&] { return kernels::reference::ewise_mult(ctx, op, left.entries(), right.entries()); });
}

operation_plan ewise_difference(const context& ctx, vector& w, const vector& u, const vector& v,
                                const vector_options& options) {
    check(difference_plan, w, u, v, options);
    return join(ctx, w, difference_plan, set_operation::subtract, binary_id::first, u, v, options,
                [&] { return kernels::reference::ewise_difference(ctx, u.body(), v.body()); });
}

operation_plan ewise_difference(const context& ctx, matrix& c, const matrix& a, const matrix& b,
                                const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    check(difference_plan, c, left, right, options);
    return join(ctx, c, difference_plan, set_operation::subtract, binary_id::first, left, right, options,
                [&] { return kernels::reference::ewise_difference(ctx, left.entries(), right.entries()); });
}

operation_plan ewise_symmetric_difference(const context& ctx, vector& w, const vector& u, const vector& v,
                                          const vector_options& options) {
    check(symmetric_plan, w, u, v, options);
    return join(ctx, w, symmetric_plan, set_operation::exclude, binary_id::first, u, v, options,
                [&] { return kernels::reference::ewise_symmetric_difference(ctx, u.body(), v.body()); });
}

operation_plan ewise_symmetric_difference(const context& ctx, matrix& c, const matrix& a, const matrix& b,
                                          const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    check(symmetric_plan, c, left, right, options);
    return join(ctx, c, symmetric_plan, set_operation::exclude, binary_id::first, left, right, options, [&] {
        return kernels::reference::ewise_symmetric_difference(ctx, left.entries(), right.entries());
    });
}

}  // namespace nz
