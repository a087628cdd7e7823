#include "ops/mxm_product.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/mxm/common_facts.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "kernels/cpu/mxm/dia_dia.hpp"
#include "kernels/kernel_ids.hpp"
#include "ops/composed.hpp"

#include <limits>

namespace nz::ops {

using storage::csr;

const instantiate::mxm_cell* mxm_cell_of(const semiring& s, dtype a, dtype b) {
    if (!s.add().is_built_in() || s.converts_twice(a, b)) return nullptr;
    const dtype value = s.value_type(a, b), key = s.multiply().positional() ? value : s.operand_type(a, b);
    const auto* cell = instantiate::find_mxm_cell(s.add().id(), s.multiply().id(), key);
    return cell && cell->value == value ? cell : nullptr;
}

product make_product(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                     const matrix_options& options) {
    return {ctx,
            s,
            {a, options.transpose_a},
            {b, options.transpose_b},
            options,
            s.operand_type(a.type(), b.type()),
            s.value_type(a.type(), b.type()),
            mxm_cell_of(s, a.type(), b.type())};
}

product by_columns(const product& p) {
    return {p.ctx,
            p.ring,
            {p.right.a, !p.right.transposed},
            {p.left.a, !p.left.transposed},
            p.options,
            p.operand_type,
            p.value,
            p.cell,
            true};
}

void check_factors(const product& p) {
    require<dimension_mismatch>(p.left.columns() == p.right.rows(),
                                "mxm: {}, {}: the columns of the first must equal the rows of the second",
                                p.left.describe("A"), p.right.describe("B"));
    check_kernel("mxm", p.options.kernel);
    const auto kernel = p.options.kernel;
    require<not_supported>(kernel.empty() || kernel == "reference" || p.cell != nullptr,
                           "kernel {} is not compiled for {} on {}: leave --kernel out for the generic path",
                           kernel, p.ring.name(), name_of(p.operand_type));
}

void check_product(const product& p, const matrix& c) {
    check_factors(p);
    check_output("mxm", c, p.left.rows(), p.right.columns(),
                 p.left.describe("A") + " and " + p.right.describe("B"));
    check_mask("mxm", c, p.options);
}

kernels::mxm_side structure_of(const csr& a) {
    return {{a.offsets.data(), a.offset_bytes == 8}, a.index_data(), nullptr};
}

// Whether the rows of what is read are there.
static bool operand_ready(const operand& x) { return !x.transposed || x.a.body().has_columns(); }

plan::mxm_facts facts_of(const product& p) {
    plan::mxm_facts f;
    f.rows = static_cast<index_t>(p.left.rows());
    f.inner = static_cast<index_t>(p.left.columns());
    f.columns = static_cast<index_t>(p.right.columns());
    f.a_entries = p.left.a.nnz();
    f.b_entries = p.right.a.nnz();
    f.compiled = p.cell != nullptr;
    f.composable = !f.compiled && composed_multiply_of(p.ring, p.left.a.type(), p.right.a.type()).has_value();
    f.masked = p.options.mask != nullptr;
    f.complement = p.options.mask_complement;
    f.mask_entries = f.masked ? p.options.mask->nnz() : 0;
    f.columns_ready = p.by_columns ? operand_ready(p.left) && operand_ready(p.right)
                                   : p.right.transposed || p.right.a.body().has_columns();
    f.rows_ready = operand_ready(p.right);
    f.value_bytes = size_of(p.value);
    f.threads = p.ctx.threads();
    f.pinned = kernels::static_id("mxm", p.options.kernel);
    return f;
}

void collect_products(const product& p, plan::mxm_facts& f, mxm_collected& known) {
    known.products = array<offset_t>(p.ctx, static_cast<std::size_t>(f.rows) + 1);
    const auto work = kernels::cpu::count_products(structure_of(p.a()), structure_of(p.b()), f.rows,
                                                   f.threads, known.products.data());
    require<not_supported>(!work.overflow, "mxm: {}, {}: more than 2^63 - 1 products", p.left.describe("A"),
                           p.right.describe("B"));
    f.products = known.products[static_cast<std::size_t>(f.rows)];
    f.most_products = known.most_products = work.most_products;
    f.row_of_product = f.products > 0 ? work.squares / static_cast<double>(f.products) : 0;
    f.most_entries = known.most_entries = work.most_entries;
}

namespace {

double band_share(const product& p) {
    kernels::mxm_arguments k;
    k.a = structure_of(p.a());
    k.b = structure_of(p.b());
    k.rows = p.a().rows;
    k.inner = p.b().rows;
    const buffer seen(p.ctx.memory(), plan::dia_share_workspace(k.inner));
    k.workspace = seen.data();
    return kernels::cpu::dia_dia_share(k);
}

}  // namespace

namespace {

// Lengths of B's columns.
array<index_t> column_lengths(const product& p) {
    array<index_t> lengths(p.ctx, static_cast<std::size_t>(p.right.columns()));
    if (p.right.transposed || p.right.a.body().has_columns()) {
        const csr& columns = p.b_columns();
        parallel::for_pieces(p.ctx.threads(), columns.rows, [&](offset_t begin, offset_t end) {
            for (offset_t j = begin; j < end; ++j)
                lengths[static_cast<std::size_t>(j)] =
                    static_cast<index_t>(columns.offset(j + 1) - columns.offset(j));
        });
        return lengths;
    }
    lengths.fill(0);
    const csr& b = p.b();
    parallel::for_pieces(p.ctx.threads(), b.nnz, [&](offset_t begin, offset_t end) {
        for (offset_t q = begin; q < end; ++q)
            std::atomic_ref(lengths[static_cast<std::size_t>(b.index_data()[q])])
                .fetch_add(1, std::memory_order_relaxed);
    });
    return lengths;
}

// Entries of A's rows and B's columns, over all places of the mask: the steps of their dot products.
offset_t dot_steps(const product& p) {
    const csr &a = p.a(), &mask = p.options.mask->body().rows();
    const array<index_t> lengths = column_lengths(p);
    std::atomic<offset_t> steps{0};
    constexpr offset_t rows_a_turn = 1024;
    parallel::for_chunks(p.ctx.threads(), a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        offset_t mine = 0;
        for (offset_t i = first; i < last; ++i) {
            const offset_t own = a.offset(i + 1) - a.offset(i);
            for (offset_t m = mask.offset(i); own && m < mask.offset(i + 1); ++m)
                mine += own + lengths[static_cast<std::size_t>(mask.index_data()[m])];
        }
        steps += mine;
    });
    return steps;
}

}  // namespace

mxm_plan make_plan(const product& p, mxm_collected& known) {
    plan::mxm_facts f = facts_of(p);
    if (plan::mxm_needs_products(f)) collect_products(p, f, known);
    if (plan::mxm_needs_dot_steps(f)) f.dot_steps = dot_steps(p);
    if (plan::mxm_needs_band(f)) f.band_share = band_share(p);
    if (plan::mxm_needs_words(f)) {
        known.words = array<offset_t>(p.ctx, static_cast<std::size_t>(f.inner) + 1);
        kernels::cpu::count_words(structure_of(p.b()), f.inner, f.threads, known.words.data());
        f.words = known.words[static_cast<std::size_t>(f.inner)];
    }
    return plan::mxm(f);
}

std::vector<plan::mxm_piece> mxm_pieces_of(const product& p, const mxm_collected& known, int pieces) {
    const csr& a = p.a();
    kernels::mxm_arguments k;
    k.rows = a.rows;
    k.products = known.products.data();
    std::vector<plan::mxm_piece> all;
    for (int n = 0; n < pieces; ++n) {
        plan::mxm_piece piece{kernels::cpu::run_begin(k, n, pieces),
                              kernels::cpu::run_begin(k, n + 1, pieces)};
        if (piece.first < piece.last) all.push_back(piece);
    }
    parallel::for_chunks(p.ctx.threads(), static_cast<offset_t>(all.size()), 1, [&](offset_t n, offset_t) {
        plan::mxm_piece& piece = all[static_cast<std::size_t>(n)];
        for (offset_t i = piece.first; i < piece.last; ++i) {
            piece.most_products = std::max(piece.most_products, known.products[i + 1] - known.products[i]);
            piece.most_entries = std::max(piece.most_entries, a.offset(i + 1) - a.offset(i));
        }
    });
    return all;
}

std::size_t bytes_left(const context& ctx) {
    if (ctx.memory_limit() == 0) return std::numeric_limits<std::size_t>::max();
    const std::size_t used = ctx.bytes_in_use();
    return used < ctx.memory_limit() ? ctx.memory_limit() - used : 0;
}

}  // namespace nz::ops
