// When a product goes to a GPU in parts, which parts, and what is said where there is no room for them.
#include "ops/mxm_strips.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "core/parallel.hpp"
#include "ops/masks.hpp"
#include "ops/mxm_met_rows.hpp"
#include "ops/mxm_parts.hpp"
#include "plan/mxm_band_workspace.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "plan/mxm_strips.hpp"
#include "storage/csr_parts.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace nz::ops {
namespace {

using storage::csr;

std::size_t bytes_to_place(const product& p, const operand& x, bool ignores_values) {
    const storage::matrix_body& body = x.a.body();
    if (x.transposed && !body.has_columns())
        return static_cast<std::size_t>(x.a.nnz()) * entry_bytes(p, x, ignores_values) +
               (static_cast<std::size_t>(x.rows()) + 1) *
                   static_cast<std::size_t>(storage::offset_bytes_for(x.a.nnz()));
    const csr& of = x.transposed ? body.columns_anywhere(p.ctx) : body.rows_anywhere();
    return body.bytes_to_place(p.ctx, of, ignores_values ? std::nullopt : std::optional(p.operand_type));
}

// What the GPU has to take before anything of the product is known.
std::size_t least_bytes(const product& p, const plan::mxm_facts& f) {
    const bool twice = &p.left.a.body() == &p.right.a.body() && p.left.transposed == p.right.transposed;
    const std::size_t a = bytes_to_place(p, p.left, p.ring.ignores_a()),
                      b = bytes_to_place(p, p.right, p.ring.ignores_b());
    return plan::mxm_device_rows(f.rows, 0) + (twice ? std::max(a, b) : a + b);
}

// Of the kernels of the whole, none where parts may each take hash or dia_dia, whose bits are the same.
std::string_view kernel_of(const product& p, plan::mxm_facts f) {
    if (!f.pinned.empty() || !f.masked) return f.pinned;
    f.on_device = true;
    if (!f.complement && f.rows_ready) count_masked_facts(p, f);
    return plan::mxm(f).kernel;
}

// The matrices that the product reads, each once.
std::vector<const storage::matrix_body*> bodies_of(const product& p) {
    std::vector<const storage::matrix_body*> all{&p.left.a.body()};
    if (&p.right.a.body() != all[0]) all.push_back(&p.right.a.body());
    if (p.options.mask && std::ranges::find(all, &p.options.mask->body()) == all.end())
        all.push_back(&p.options.mask->body());
    return all;
}

plan::mxm_part_facts part_facts(const product& p, const plan::mxm_facts& f, std::string_view kernel) {
    const row_costs costs(p, kernel);
    const auto rows = static_cast<std::size_t>(f.rows), inner = static_cast<std::size_t>(f.inner),
               columns = static_cast<std::size_t>(f.columns), a = static_cast<std::size_t>(f.a_entries),
               b = static_cast<std::size_t>(f.b_entries);
    const bool dots = kernel == "masked_dot";  // which reads B's columns
    const std::size_t entry =
        !dots && lies_there(p, p.right) ? 0 : entry_bytes(p, p.right, p.ring.ignores_b());
    plan::mxm_part_facts parts;
    parts.rows = f.rows;
    parts.columns = f.columns;
    parts.row_bytes =
        a * costs.entry + static_cast<std::size_t>(f.mask_entries) * costs.listed + rows * costs.row;
    if (dots) {
        parts.strip_bytes = b * entry + (columns + 1) * sizeof(index_t);  // B is not cut
    } else {
        parts.column_bytes = b * entry + plan::mxm_pair_bytes(f.b_entries, 0);
        parts.strip_bytes = (inner + 1) * sizeof(index_t) + plan::mxm_pair_bytes(0, f.inner);
        if (!kernel.starts_with("masked")) {
            parts.row_bytes += plan::mxm_band_bytes(f.rows, 0);
            parts.strip_bytes += plan::mxm_band_bytes(0, f.inner);
        }
    }
    parts.free = device::bytes_left(p.ctx);
    for (const auto* body : bodies_of(p)) parts.free += body->bytes_on(p.ctx) + body->form_bytes_on(p.ctx);
    return parts;
}

/// Why parts did not serve.
struct no_room {
    plan::mxm_part_facts facts;
    plan::mxm_parts tried;
    std::string last;  ///< what was said of these
};

std::unique_ptr<counted_rows> count_there(const product& part) {
    return count_on_device(part.ctx, factors_of(part), facts_of(part));
}

/// The product cut into parts for `kernel`, each time into smaller ones.
class cuts {
public:
    cuts(const product& p, const plan::mxm_facts& f, std::string_view kernel)
        : p_(p), kernel_(kernel), why_{part_facts(p, f, kernel), {}, {}} {}

    /// None where there is no room for smaller ones.
    std::unique_ptr<cut_product> next() {
        plan::mxm_parts parts = plan::mxm_cut(why_.facts, halvings_);
        std::vector<met_rows> chunks = by_met_rows(parts);
        if (!chunks.empty()) parts = {static_cast<index_t>(chunks.size()), 1};
        if (parts.strips == 0 || parts == why_.tried) return {};
        why_.tried = parts;
        const bool all = halvings_++ > 0;  // copies in other types, of other representations
        if (parts.chunks > 1 || all) p_.left.a.body().leave(p_.ctx);
        if (parts.strips > 1 || !chunks.empty() || all) p_.right.a.body().leave(p_.ctx);
        if (p_.options.mask && (parts.chunks > 1 || parts.strips > 1 || all))
            p_.options.mask->body().leave(p_.ctx);
        const auto& memory = device::pinned_memory();
        return chunks.empty()
                   ? std::make_unique<cut_product>(p_, kernel_, parts, count_there, memory)
                   : std::make_unique<cut_product>(p_, kernel_, std::move(chunks), count_there, memory);
    }
    /// Whether there was memory for the work.
    template <class Work>
    bool fits(Work&& work) {
        try {
            work();
            return true;
        } catch (const out_of_memory& e) {
            why_.last = e.what();
            return false;
        }
    }
    /// The next that there is room to count, counted.
    std::unique_ptr<cut_product> counted() {
        std::unique_ptr<cut_product> cut = next();
        while (cut && !fits([&] { cut->count(); })) cut = next();
        return cut;
    }
    const no_room& why() const { return why_; }

private:
    /// In place of these parts, of which the strips would bring A over the link once each; none where that is less, or where the
    /// numbers of B's rows are looked at.
    std::vector<met_rows> by_met_rows(const plan::mxm_parts& parts) const {
        const auto at_hand = [](const operand& x) {
            return !x.a.body().away() && (!x.transposed || x.a.body().has_columns());
        };
        if (parts.strips == 1 || kernel_ == "masked_dot" || p_.ring.multiply().positional() ||
            !at_hand(p_.left) || !at_hand(p_.right) || !p_.a().sorted || !p_.b().sorted)
            return {};
        const plan::mxm_part_facts& f = why_.facts;
        const double most = static_cast<double>(f.free / plan::parts_of_free * plan::factors_of_free >>
                                                halvings_),
                     of_b = static_cast<double>(f.column_bytes + f.strip_bytes),
                     by_strips = of_b + static_cast<double>(f.row_bytes) * std::max(parts.strips - 1, 0);
        return chunks_by_met_rows(p_, f, kernel_, most,
                                  parts.strips ? by_strips : std::numeric_limits<double>::infinity());
    }

    const product& p_;
    std::string_view kernel_;
    no_room why_;
    int halvings_ = 0;
};

/// The product in parts by `kernel`, or nothing, and why.
std::optional<device_product> in_parts(const product& p, const context& own, const plan::mxm_facts& f,
                                       std::string_view kernel, no_room& why) {
    cuts of(p, f, kernel);
    while (const auto cut = of.counted()) {
        // Pinned, which the memory limit of the GPU does not count.
        csr result = host_result(p.ctx, device::pinned_memory(), p.value,
                                 static_cast<index_t>(p.right.columns()), cut->starts());
        if (of.fits([&] { cut->fill(0, result.rows, result); }))
            return device_product{cut->plan(), storage::make_matrix(own, std::move(result))};
    }
    why = of.why();
    return {};
}

[[noreturn]] void say_no_room(const product& p, std::string_view kernel, const no_room& why) {
    const std::string given = p.left.describe("A") + ", " + p.right.describe("B"),
                      whole = kernel == "masked_dot" ? " beside B, which kernel masked_dot takes whole" : "";
    require<out_of_memory>(
        !why.last.empty(),
        "mxm: {}: {} bytes needed on the GPU for the smallest parts of them{}, {} free: raise the limit, or use --backend cpu",
        given, plan::mxm_least_free(why.facts), whole, why.facts.free);
    fail<out_of_memory>(
        "mxm: {}: no room for {} chunks of rows by {} strips of columns, nor for larger ones: {}", given,
        why.tried.chunks, why.tried.strips, why.last);
}

/// A product in parts whose rows are filled some at a time: parts of these, into smaller ones where memory has become short.
class counted_parts final : public counted_rows {
public:
    counted_parts(const product& p, const plan::mxm_facts& f)
        : p_(p), kernel_(f.pinned), of_(p, f, kernel_), cut_(next()), plan_(cut_->plan()) {}

    const mxm_plan& plan() const override { return plan_; }
    bool in_parts() const override { return true; }
    std::span<const offset_t> starts() const override { return cut_->starts(); }
    offset_t begin(offset_t entries, index_t) override { return entries; }
    void send(index_t first, index_t last, csr& c) override {
        while (!of_.fits([&] { cut_->fill(first, last, c); })) cut_ = next();
    }
    void finish() override {}

private:
    std::unique_ptr<cut_product> next() {
        auto cut = of_.counted();
        if (!cut) say_no_room(p_, kernel_, of_.why());
        return cut;
    }
    const product& p_;
    const std::string kernel_;
    cuts of_;
    std::unique_ptr<cut_product> cut_;
    const mxm_plan plan_;
};

}  // namespace

void count_masked_facts(const product& p, plan::mxm_facts& f) {
    const csr &a = p.a(), &b = p.b(), &mask = p.options.mask->body().rows();
    const std::optional<csr> own = mask_places(p.ctx, mask, p.options.mask_structure);
    const csr& places = own ? *own : mask;
    const array<offset_t> columns = storage::column_starts(p.ctx, b);
    std::atomic<offset_t> products{0}, large{0}, huge{0}, steps{0};
    constexpr offset_t rows_a_turn = 1024;
    parallel::for_chunks(p.ctx.threads(), a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        offset_t all = 0, larger = 0, largest = 0, looked_up = 0;
        for (offset_t i = first; i < last; ++i) {
            if (places.offset(i) == places.offset(i + 1)) continue;
            for (offset_t m = places.offset(i); m < places.offset(i + 1); ++m) {
                const auto j = static_cast<std::size_t>(places.index_data()[m]);
                looked_up += columns[j + 1] - columns[j];
            }
            offset_t own_products = 0;
            for (offset_t q = a.offset(i); q < a.offset(i + 1); ++q) {
                const offset_t k = a.index_data()[q];
                own_products += b.offset(k + 1) - b.offset(k);
            }
            const int bin = plan::bin_of_products(own_products, b.columns, plan::sorted_under_mask);
            all += own_products;
            larger += bin < plan::first_sort_bin;
            largest += bin < plan::block_bins - 1;
        }
        products += all;
        large += larger;
        huge += largest;
        steps += looked_up;
    });
    f.products = products;
    f.large_rows = large;
    f.huge_rows = huge;
    if (plan::mxm(f).kernel == "masked_dot") f.dot_steps = steps;  // the means spoke for it
}

std::optional<device_product> mxm_within_device(const product& p, const context& own) {
    const plan::mxm_facts f = facts_of(p);
    const device_factors factors = factors_of(p);
    if (!goes_to_device(p.ctx, factors, f)) return {};
    const bool sorts = f.pinned == "two_level_sort";
    // Under a mask it is not known yet which representation of B is read.
    const std::size_t needed = f.masked ? 0 : least_bytes(p, f), left = device::bytes_left(p.ctx);
    require<out_of_memory>(
        !sorts || needed <= left,
        "kernel two_level_sort takes both factors whole: {} bytes needed on the GPU, {} free: pin another, or none, or raise the limit",
        needed, left);
    if (needed <= left) {
        try {
            return mxm_on_device(p.ctx, own, factors, f);
        } catch (const out_of_memory&) {
            if (sorts) throw;
        }
    }
    std::string_view kernel = kernel_of(p, f);
    no_room why;
    auto done = in_parts(p, own, f, kernel, why);
    if (!done && kernel == "masked_dot" && f.pinned.empty()) {
        kernel = "masked_row";
        done = in_parts(p, own, f, kernel, why);
    }
    if (!done) say_no_room(p, kernel, why);
    return done;
}

bool goes_in_parts(const product& p) {
    const plan::mxm_facts f = facts_of(p);
    return goes_to_device(p.ctx, factors_of(p), f) && least_bytes(p, f) > device::bytes_left(p.ctx);
}

std::unique_ptr<counted_rows> count_within_device(const product& p) {
    const plan::mxm_facts f = facts_of(p);
    const device_factors factors = factors_of(p);
    if (!goes_to_device(p.ctx, factors, f)) return {};
    if (f.pinned == "two_level_sort") return {};
    if (least_bytes(p, f) <= device::bytes_left(p.ctx)) {
        try {
            return count_on_device(p.ctx, factors, f);
        } catch (const out_of_memory&) {  // in parts, then
        }
    }
    return std::make_unique<counted_parts>(p, f);
}

}  // namespace nz::ops
