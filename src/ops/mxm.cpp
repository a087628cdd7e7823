// mxm: check, collect facts, plan, count and fill, write back.
#include "plan/mxm.hpp"

#include "core/checks.hpp"
#include "instantiate/mxm_cells.hpp"
#include "kernels/cpu/mxm/common_facts.hpp"
#include "kernels/cpu/mxm/common_generic.hpp"
#include "kernels/reference/mxm.hpp"
#include "ops/checks.hpp"
#include "ops/ewise_device.hpp"
#include "ops/masks.hpp"
#include "ops/mxm_device.hpp"
#include "ops/write_back.hpp"

#include <optional>

namespace nz {
namespace {

using storage::csr;

struct product {
    const context& ctx;
    const semiring& ring;
    ops::operand left, right;
    const matrix_options& options;
    dtype operand, value;
    const instantiate::mxm_cell* cell;  // null: not compiled

    const csr& a() const { return left.entries(); }
    const csr& b() const { return right.entries(); }
    const csr& b_columns() const { return ops::operand{right.a, !right.transposed}.entries(); }
};

product make_product(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                     const matrix_options& options) {
    const dtype operand = s.operand_type(a.type(), b.type()), value = s.value_type(a.type(), b.type());
    const dtype key = s.multiply().positional() ? value : operand;
    const auto* cell =
        s.add().is_built_in() ? instantiate::find_mxm_cell(s.add().id(), s.multiply().id(), key) : nullptr;
    if (cell && cell->value != value) cell = nullptr;
    return {ctx, s, {a, options.transpose_a}, {b, options.transpose_b}, options, operand, value, cell};
}

void check(const product& p, const matrix& c) {
    require<dimension_mismatch>(p.left.columns() == p.right.rows(),
                                "mxm: {}, {}: the columns of the first must equal the rows of the second",
                                p.left.describe("A"), p.right.describe("B"));
    ops::check_output("mxm", c, p.left.rows(), p.right.columns(),
                      p.left.describe("A") + " and " + p.right.describe("B"));
    ops::check_mask("mxm", c, p.options);
    ops::check_kernel("mxm", p.options.kernel);
    const auto kernel = p.options.kernel;
    require<not_supported>(kernel.empty() || kernel == "reference" || p.cell != nullptr,
                           "kernel {} is not compiled for {} on {}: leave --kernel out for the generic path",
                           kernel, p.ring.name(), name_of(p.operand));
}

kernels::mxm_side structure_of(const csr& a) {
    return {{a.offsets.data(), a.offset_bytes == 8}, a.index_data(), nullptr};
}

// Values of the cell's operand type; converted or spread ones are kept here.
struct side_values {
    buffer own;
    const void* data = nullptr;
};
side_values values_of(const product& p, const csr& a, bool spread) {
    side_values v;
    if (a.kind == value_kind::full) {
        if (a.type == p.operand) return {{}, a.values.data()};
        v.own = storage::convert_array(p.ctx, a.values, a.type, p.operand, a.nnz);
    } else {
        const element one = cast(a.value(0), a.type, p.operand);
        const offset_t n = spread ? a.nnz : 1;
        v.own = buffer(p.ctx.memory(), static_cast<std::size_t>(n) * sizeof(element));
        for (offset_t k = 0; k < n; ++k) storage::store(v.own.data(), p.operand, k, one);
    }
    v.data = v.own.data();
    return v;
}

// What the plan asks for beyond shapes and counts.
struct collected {
    array<offset_t> products, words;
    offset_t most_products = 0, most_entries = 0;
};

plan::mxm_facts facts_of(const product& p) {
    plan::mxm_facts f;
    f.rows = static_cast<index_t>(p.left.rows());
    f.inner = static_cast<index_t>(p.left.columns());
    f.columns = static_cast<index_t>(p.right.columns());
    f.a_entries = p.left.a.nnz();
    f.b_entries = p.right.a.nnz();
    f.compiled = p.cell != nullptr;
    f.masked = p.options.mask != nullptr;
    f.complement = p.options.mask_complement;
    f.mask_entries = f.masked ? p.options.mask->nnz() : 0;
    f.columns_ready = p.right.transposed || p.right.a.body().has_columns();
    f.value_bytes = size_of(p.value);
    f.threads = p.ctx.threads();
    f.pinned = p.options.kernel;
    return f;
}

mxm_plan make_plan(const product& p, collected& known) {
    plan::mxm_facts f = facts_of(p);
    if (plan::mxm_needs_products(f)) {
        known.products = array<offset_t>(p.ctx, static_cast<std::size_t>(f.rows) + 1);
        const auto work = kernels::cpu::count_products(structure_of(p.a()), structure_of(p.b()), f.rows,
                                                       f.threads, known.products.data());
        require<not_supported>(!work.overflow, "mxm: {}, {}: more than 2^63 - 1 products",
                               p.left.describe("A"), p.right.describe("B"));
        f.products = known.products[static_cast<std::size_t>(f.rows)];
        f.most_products = known.most_products = work.most_products;
        f.most_entries = known.most_entries = work.most_entries;
    }
    if (plan::mxm_needs_words(f)) {
        known.words = array<offset_t>(p.ctx, static_cast<std::size_t>(f.inner) + 1);
        kernels::cpu::count_words(structure_of(p.b()), f.inner, f.threads, known.words.data());
        f.words = known.words[static_cast<std::size_t>(f.inner)];
    }
    return plan::mxm(f);
}

// The kernel's own T = A B.
csr run_compiled(const product& p, const mxm_plan& plan, const collected& known) {
    const csr &a = p.a(), &b = plan.reads_columns ? p.b_columns() : p.b();
    kernels::mxm_arguments k;
    k.a = structure_of(a);
    k.b = structure_of(b);
    const side_values a_values = p.ring.ignores_a() ? side_values{} : values_of(p, a, false),
                      b_values = p.ring.ignores_b() ? side_values{} : values_of(p, b, true);
    k.a.values = a_values.data;
    k.a_step = a.kind == value_kind::full;
    k.b.values = b_values.data;
    k.rows = a.rows;
    k.inner = a.columns;
    k.columns = static_cast<index_t>(p.right.columns());
    k.products = known.products.data();
    k.words = plan.packs_words ? known.words.data() : nullptr;
    k.most_products = known.most_products;
    k.most_entries = known.most_entries;
    std::optional<csr> own_places;
    if (p.options.mask && plan.kernel.starts_with("masked")) {
        const csr& mask = p.options.mask->body().rows();
        own_places = ops::mask_places(p.ctx, mask, p.options.mask_structure);
        const csr& places = own_places ? *own_places : mask;
        k.masked = true;
        k.complement = p.options.mask_complement;
        k.mask_offsets = {places.offsets.data(), places.offset_bytes == 8};
        k.mask_columns = places.index_data();
    }
    k.threads = p.ctx.threads();
    k.value_bytes = size_of(p.value);
    const buffer workspace(p.ctx.memory(), plan.workspace_bytes);
    k.workspace = workspace.data();
    const array<index_t> counts(p.ctx, static_cast<std::size_t>(k.rows));
    k.counts = counts.data();
    instantiate::find_mxm_count(plan.kernel)(k);
    csr t = storage::allocate_csr(p.ctx, p.value, value_kind::full, k.rows, k.columns,
                                  std::span<const index_t>(counts.data(), counts.size()));
    k.offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.out_columns = t.indices.as<index_t>();
    k.out_values = t.values.data();
    p.cell->kernel(plan.kernel)(k);
    return t;
}

}  // namespace

mxm_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
             const matrix_options& options) {
    const product p = make_product(ctx, s, a, b, options);
    check(p, c);
    if (auto t =
            ops::mxm_on_device(ctx, c.body().ctx, {s, p.left, p.right, p.operand, p.value}, facts_of(p))) {
        ctx.log(to_string(t->plan));
        ops::write_back_from_device(ctx, c, std::move(t->result), options);
        return t->plan;
    }
    collected known;
    const mxm_plan plan = make_plan(p, known);
    ctx.log(to_string(plan));
    ops::write_back(ctx, c,
                    plan.kernel == "reference" ? kernels::reference::mxm(ctx, s, p.a(), p.b())
                    : plan.kernel == "generic" ? kernels::cpu::mxm_generic(ctx, s, p.a(), p.b())
                                               : run_compiled(p, plan, known),
                    options);
    return plan;
}

}  // namespace nz
