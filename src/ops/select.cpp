#include "kernels/reference/select.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/select/rows.hpp"
#include "nonzero/operations.hpp"
#include "ops/checks.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/matrix_words.hpp"
#include "ops/select_device.hpp"
#include "ops/vector_words.hpp"
#include "ops/write_back.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz {
namespace {

constexpr operation_plan select_plan{"select", "reference", tier::generic,
                                     "entry by entry through a function pointer, one thread"};
// Of ops/select_rising alone.
void refuse_rising(std::string_view pinned) {
    require<not_supported>(
        pinned != "rising",
        "select: kernel rising serves the order by degree, which takes no function: leave the "
        "pin out");
}

constexpr operation_plan rows_plan{"select", "rows", tier::compiled, "rows shared out"};
constexpr operation_plan rows_by_function{"select", "rows", tier::generic,
                                          "rows shared out, an indirect call an entry"};

constexpr operation_plan rows_on_gpu{"select", "rows", tier::compiled,
                                     "a bit an entry, tiles of entries shared out", true};

// By value: every value compared by apply/words where that is compiled, and those that pass let through by a mask. The mask
// has a bit a place: not for a few entries on the host.
std::optional<operation_plan> select_by_words(const context& ctx, vector& w, const index_unary_op& op,
                                              const vector& u, scalar thunk, const vector_options& options) {
    const dtype type = u.type();
    if (!options.kernel.empty() || !op.by_value() || op.input_type(type) != type ||
        (u.form() == vector_form::sparse && !u.body_anywhere().home->away()))
        return {};
    const binary_op compare = ops::comparison_by(op);
    if (!ops::find_compiled(compare, type).kernel) return {};
    vector passes(ctx, dtype::boolean, u.size()), kept(ctx, type, u.size());
    operation_plan plan = apply(ctx, passes, compare, u, scalar(type, thunk.as(type)));
    apply(ctx, kept, unary_id::identity, u, {.mask = &passes});
    apply(ctx, w, unary_id::identity, kept, options);
    plan.reason = "values compared in place, then let through by a mask";
    return plan;
}

constexpr operation_plan one_value_plan{"select", "rows", tier::compiled,
                                        "one value for all: it passes or not"};

// By value where one stands for all of A's: every entry, or none.
std::optional<operation_plan> select_one_value(const context& ctx, matrix& c, const index_unary_op& op,
                                               const ops::operand& a, const algebra::entry_function& keep,
                                               matrix_options options) {
    if (!op.by_value()) return {};
    const auto one = ops::one_value_of(ctx, a.a);
    if (!one) return {};
    const bool passes = from_element<bool>(keep.call(one->bits(), 0, 0));
    options.kernel = {};
    options.transpose_a = options.transpose_a && passes;
    operation_plan plan = one_value_plan;
    const matrix none(c.body().ctx, a.a.type(), c.rows(), c.columns());
    const operation_plan moved = apply(ctx, c, unary_id::identity, passes ? a.a : none, options);
    plan.on_device = moved.on_device;
    plan.moved_bytes = moved.moved_bytes;
    return plan;
}

// Whether a built-in comparison is of places, or of a value for each entry.
bool is_compiled(const index_unary_op& op, const storage::csr& a) {
    return op.id() <= index_unary_id::valuege &&
           (!op.by_value() || (a.kind == value_kind::full && op.input_type(a.type) == a.type));
}

storage::csr select_rows(const context& ctx, const index_unary_op& op, scalar thunk, bool compiled,
                         const algebra::entry_function& keep, const storage::csr& a) {
    const array<index_t> lengths(ctx, static_cast<std::size_t>(a.rows));
    kernels::select_arguments k;
    k.compiled = compiled;
    k.op = op.id();
    if (compiled) k.thunk = thunk.as(op.input_type(a.type));
    k.keep = &keep;
    k.a = kernels::csr_entries(a);
    k.threads = ctx.threads();
    k.lengths = lengths.data();
    kernels::cpu::select_rows_count(k);
    storage::csr t = storage::allocate_csr(ctx, a.type, a.kind, a.rows, a.columns,
                                           std::span<const index_t>(lengths.data(), lengths.size()));
    k.out_offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.out_columns = t.indices.as<index_t>();
    if (a.kind == value_kind::full) k.out_values = t.values.data();
    if (a.kind == value_kind::iso) storage::store(t.values.data(), a.type, 0, a.value(0));
    kernels::cpu::select_rows_fill(k);
    return t;
}

}  // namespace

operation_plan select(const context& ctx, vector& w, const index_unary_op& op, const vector& u, scalar thunk,
                      const vector_options& options) {
    ops::check_output("select", w, u.size(), ops::describe("u", u));
    ops::check_mask("select", w, options);
    ops::check_kernel("select", options.kernel);
    refuse_rising(options.kernel);
    const auto keep = algebra::entry_function_of(op, u.type(), thunk);
    require<not_supported>(options.kernel != rows_plan.kernel,
                           "select: kernel rows is for matrices: leave the pin out");
    if (const auto plan = select_by_words(ctx, w, op, u, thunk, options)) return *plan;
    ops::write_back(ctx, w, kernels::reference::select(ctx, keep, u.body()), options);
    return select_plan;
}

operation_plan select(const context& ctx, matrix& c, const index_unary_op& op, const matrix& a, scalar thunk,
                      const matrix_options& options) {
    const ops::operand input{a, options.transpose_a};
    ops::check_output("select", c, input.rows(), input.columns(), input.describe("A"));
    ops::check_mask("select", c, options);
    ops::check_kernel("select", options.kernel);
    refuse_rising(options.kernel);
    const auto keep = algebra::entry_function_of(op, a.type(), thunk);
    if (options.kernel != "reference") {
        if (const auto plan = select_one_value(ctx, c, op, input, keep, options)) return *plan;
        const device::arrivals arrived(ctx);
        if (auto t = ops::if_it_fits<matrix>(
                [&] { return ops::select_on_device(ctx, c.body().ctx, op, thunk, input); })) {
            operation_plan plan = rows_on_gpu;
            ops::write_back_from_device(ctx, c, std::move(*t), options);
            plan.moved_bytes = arrived.bytes();
            return plan;
        }
        const bool compiled = is_compiled(op, input.entries());
        ops::write_back(ctx, c, select_rows(ctx, op, thunk, compiled, keep, input.entries()), options);
        return compiled ? rows_plan : rows_by_function;
    }
    ops::write_back(ctx, c, kernels::reference::select(ctx, keep, input.entries()), options);
    return select_plan;
}

}  // namespace nz
