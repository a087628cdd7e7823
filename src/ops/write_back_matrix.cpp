// Matrices written back: by set operations on places (ewise/balanced_path) where accumulator and types are compiled, on whichever side t
// lies; else merged entry by entry on the host.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "ops/ewise_device.hpp"
#include "ops/ewise_join.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/masks.hpp"
#include "ops/matrix_words.hpp"
#include "ops/select_device.hpp"
#include "ops/write_back.hpp"
#include "ops/write_back_entry.hpp"
#include "storage/csr_builder.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {
namespace {

using kernels::set_operation;
using storage::csr;

// Calls f(j, position in c or -1, position in t or -1) for each entry of one row of the result, ascending.
template <class F>
void merge_row(index_t i, const csr& c, const csr& t, const csr* mask, const matrix_options& options, F&& f) {
    offset_t pc = c.offset(i), pt = t.offset(i), pm = mask ? mask->offset(i) : 0;
    const offset_t ec = c.offset(i + 1), et = t.offset(i + 1), em = mask ? mask->offset(i + 1) : 0;
    while (pc < ec || pt < et) {
        const index_t jc = pc < ec ? c.index_data()[pc] : c.columns,
                      jt = pt < et ? t.index_data()[pt] : c.columns;
        const index_t j = std::min(jc, jt);
        while (pm < em && mask->index_data()[pm] < j) ++pm;
        const bool listed = !mask || (pm < em && mask->index_data()[pm] == j &&
                                      lets_through(*mask, pm, options.mask_structure));
        const outcome o = decide(jc == j, jt == j, listed != options.mask_complement,
                                 options.accum.has_value(), options.replace);
        if (o.old_value || o.new_value) f(j, o.old_value ? pc : -1, o.new_value ? pt : -1);
        pc += jc == j;
        pt += jt == j;
    }
}

// Rows below which a second thread costs more than it brings.
constexpr offset_t parallel_rows = 512;

csr merge(const context& ctx, const csr& c, const csr& t, const csr* mask, const matrix_options& options) {
    const auto accum = accumulator(options.accum, c.type, t.type);
    array<offset_t> counts(ctx, static_cast<std::size_t>(c.rows));
    const auto each_row = [&](auto f) {
        parallel::for_pieces(
            ctx.threads(), c.rows,
            [&](offset_t begin, offset_t end) {
                for (offset_t i = begin; i < end; ++i) f(static_cast<index_t>(i));
            },
            1, parallel_rows);
    };
    each_row([&](index_t i) {
        offset_t n = 0;
        merge_row(i, c, t, mask, options, [&](index_t, offset_t, offset_t) { ++n; });
        counts[static_cast<std::size_t>(i)] = n;
    });
    csr out = storage::allocate_rows(ctx, c.type, c.rows, c.columns, counts);
    each_row([&](index_t i) {
        offset_t place = out.offset(i);
        merge_row(i, c, t, mask, options, [&](index_t j, offset_t old, offset_t result) {
            out.indices.as<index_t>()[place] = j;
            storage::store(out.values.data(), out.type, place++,
                           result < 0 ? c.value(old)
                           : old < 0  ? cast(t.value(result), t.type, c.type)
                                      : (*accum)(c.value(old), t.value(result)));
        });
    });
    return out;
}

// c<mask, replace> = accum(c, t) as at most three joins: what the mask lets through of t, what stays of c, and their union.
class joins {
public:
    joins(const context& ctx, const matrix& c, const matrix_options& options, bool on_gpu)
        : ctx_(ctx), own_(c.body().ctx), c_(c), options_(options), on_gpu_(on_gpu) {}

    /// Nothing where a join is not compiled.
    std::optional<matrix> run(matrix t, bool within_mask) {
        std::optional<ewise_choice> how = moving(c_.type());
        if (options_.accum && c_.nnz() > 0)
            how = choose_ewise(set_operation::unite, *options_.accum, c_.type(), t.type());
        if (!how || how->result != c_.type()) return {};
        const bool masked = options_.mask != nullptr;
        std::optional<matrix> fresh = masked && !within_mask ? inside(t) : std::move(t), old = rest();
        if (!fresh || !old) return {};
        if (old->nnz() == 0 && fresh->type() == c_.type()) return fresh;
        return join(set_operation::unite, *how, *old, *fresh);
    }

private:
    // The mask, or those of its places that let through.
    const matrix& places() {
        const matrix& mask = *options_.mask;
        if (!asked_) {
            asked_ = true;
            if (on_gpu_)
                places_ = mask_places_for_device(ctx_, mask, options_.mask_structure);
            else if (auto of = mask_places(ctx_, mask.body().rows(), options_.mask_structure))
                places_ = storage::make_matrix(own_, std::move(*of));
        }
        return places_ ? *places_ : mask;
    }
    // What of the old output has to do with the new one.
    std::optional<matrix> rest() {
        const bool masked = options_.mask != nullptr;
        if (c_.nnz() == 0) return c_;
        if (options_.accum) return masked && options_.replace ? inside(c_) : c_;
        return masked && !options_.replace ? outside(c_) : empty(c_.type());
    }
    std::optional<matrix> inside(const matrix& x) {
        return restricted(x, options_.mask_complement ? set_operation::subtract : set_operation::intersect);
    }
    std::optional<matrix> outside(const matrix& x) {
        return restricted(x, options_.mask_complement ? set_operation::intersect : set_operation::subtract);
    }
    std::optional<matrix> restricted(const matrix& x, set_operation operation) {
        if (x.nnz() == 0) return x;
        const matrix& mask = places();
        if (mask.nnz() == 0) return operation == set_operation::subtract ? x : empty(x.type());
        return join(operation, moving_a(x.type()), x, mask);
    }
    std::optional<matrix> join(set_operation operation, const ewise_choice& how, const matrix& a,
                               const matrix& b) const {
        if (on_gpu_) return join_on_device(ctx_, own_, operation, how, {a}, {b});
        auto joined = join_balanced(ctx_, operation, how, a.body().rows(), b.body().rows());
        return joined ? std::optional(storage::make_matrix(own_, std::move(*joined))) : std::nullopt;
    }
    matrix empty(dtype type) const { return {own_, type, c_.rows(), c_.columns()}; }

    const context& ctx_;
    const context& own_;
    const matrix& c_;
    const matrix_options& options_;
    bool on_gpu_, asked_ = false;
    std::optional<matrix> places_;  // where not all of the mask's let through
};

// Nothing where a join is not compiled, or parts of the result have no room beside it: the merge takes none.
std::optional<matrix> joined(const context& ctx, const matrix& c, const matrix& t,
                             const matrix_options& options, bool within_mask, bool on_gpu) {
    if (!options.mask && options.mask_complement) return {};  // nothing is let through
    return if_it_fits<matrix>([&] { return joins(ctx, c, options, on_gpu).run(t, within_mask); });
}

void write_back(const context& ctx, matrix& c, matrix t, const matrix_options& options, bool within_mask,
                bool on_gpu) {
    const context own = c.body().ctx;
    accumulator(options.accum, c.type(), t.type());  // throws where it means nothing
    const bool unmasked = !options.mask && !options.mask_complement,
               all = !options.accum && (unmasked || (within_mask && (options.replace || c.nnz() == 0)));
    if (all && t.type() == c.type()) {
        c = std::move(t);
    } else if (all) {
        c = on_gpu ? in_type_on_device(ctx, own, t, c.type())
                   : storage::make_matrix(own, convert_values(ctx, t.body().rows(), c.type()));
    } else if (auto of = joined(ctx, c, t, options, within_mask, on_gpu)) {
        c = std::move(*of);
    } else {
        const csr* mask = options.mask ? &options.mask->body().rows() : nullptr;
        c = storage::make_matrix(own, merge(ctx, c.body().rows(), t.body().rows(), mask, options));
    }
}

}  // namespace

void write_back(const context& ctx, matrix& c, csr&& t, const matrix_options& options, bool within_mask) {
    write_back(ctx, c, storage::make_matrix(c.body().ctx, std::move(t)), options, within_mask, false);
}

void write_back_from_device(const context& ctx, matrix& c, matrix t, const matrix_options& options,
                            bool within_mask) {
    write_back(ctx, c, std::move(t), options, within_mask, true);
}

}  // namespace nz::ops
