// The product on a GPU: operands are brought where they are not, the result stays.
#include "ops/mxm_device.hpp"

#include "core/checks.hpp"
#include "core/device_copies.hpp"
#include "instantiate/mxm_device_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/masks.hpp"

#include <algorithm>
#include <memory>

namespace nz::ops {
namespace {

using storage::csr;

// What 63 bits hold, less what a sum of doubles may be off.
constexpr double most_products = 9.2e18;

// Operands and masks as the kernels read them, brought where they are not; and memory for a result.
class device_sides {
protected:
    device_sides(const context& ctx, dtype value_type) : ctx_(ctx), value_type_(value_type) {}

    void* stream() const { return ctx_.gpu()->stream(); }
    buffer on_device(const void* data, std::size_t bytes) const {
        buffer there(ctx_.device_memory(), bytes);
        if (bytes) ctx_.gpu()->upload(there.data(), data, bytes);
        return there;
    }
    const csr& place(const operand& x, bool ignores_values, dtype type, kernels::mxm_side& side,
                     offset_t& step) {
        const storage::matrix_body& body = x.a.body();
        const csr& of = x.transposed ? body.columns_anywhere(ctx_) : body.rows_anywhere();
        const auto entries = x.transposed ? body.columns_on(ctx_) : body.entries_on(ctx_);
        kept_.push_back(entries);
        side = {{entries->offsets.data(), of.offset_bytes == 8}, entries->indices.as<index_t>(), nullptr};
        step = of.kind == value_kind::full ? 1 : 0;
        if (ignores_values) return of;
        const auto values = body.values_on(ctx_, of, type);
        kept_.push_back(values);
        side.values = values->values.data();
        return of;
    }
    /// What the product may write. Returns how many places the mask lists.
    offset_t place_mask(const matrix_options& options) {
        const storage::matrix_body& body = options.mask->body();
        const csr& of = body.rows_anywhere();
        k_.masked = true;
        k_.complement = options.mask_complement;
        if (options.mask_structure || of.kind == value_kind::pattern) {
            const auto entries = body.entries_on(ctx_);
            kept_.push_back(entries);
            k_.mask_offsets = {entries->offsets.data(), of.offset_bytes == 8};
            k_.mask_columns = entries->indices.as<index_t>();
            return of.nnz;
        }
        const auto places = mask_places(ctx_, body.rows(), false);
        mask_offsets_ = on_device(places->offsets.data(), places->offsets.bytes());
        mask_columns_ =
            on_device(places->index_data(), static_cast<std::size_t>(places->nnz) * sizeof(index_t));
        k_.mask_offsets = {mask_offsets_.data(), places->offset_bytes == 8};
        k_.mask_columns = mask_columns_.as<index_t>();
        return places->nnz;
    }
    /// Room for `entries_` entries in k_.rows rows.
    void take_entries() {
        const auto n = static_cast<std::size_t>(entries_);
        const auto& memory = ctx_.device_memory();
        const int width = storage::offset_bytes_for(entries_);
        offsets_ = buffer(memory, (static_cast<std::size_t>(k_.rows) + 1) * static_cast<std::size_t>(width));
        indices_ = buffer(memory, n * sizeof(index_t) + storage::index_padding);
        values_ = buffer(memory, n * size_of(value_type_));
        ctx_.gpu()->fill(indices_.as<std::byte>() + n * sizeof(index_t), 0, storage::index_padding);
        k_.offsets = offsets_.data();
        k_.wide = width == 8;
        k_.out_columns = indices_.as<index_t>();
        k_.out_values = values_.data();
    }
    matrix taken(const context& own) {
        csr shape;
        shape.rows = k_.rows;
        shape.columns = k_.columns;
        shape.nnz = entries_;
        shape.type = value_type_;
        shape.offset_bytes = k_.wide ? 8 : 4;
        return storage::make_device_matrix(own, ctx_, std::move(shape), std::move(offsets_),
                                           std::move(indices_), std::move(values_));
    }

    const context& ctx_;
    dtype value_type_;
    kernels::device_mxm_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the arguments point into
    offset_t entries_ = 0;
    buffer mask_offsets_, mask_columns_, offsets_, indices_, values_;
};

/// mxm/masked_dot: the products of a mask's places.
class device_dot : device_sides {
public:
    device_dot(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell)
        : device_sides(ctx, f.value_type), cell_(cell) {
        const csr& a = place(f.left, f.ring.ignores_a(), f.operand_type, k_.a, k_.a_step);
        const operand columns{f.right.a, !f.right.transposed};
        const csr& b = place(columns, f.ring.ignores_b(), f.operand_type, k_.b, k_.b_step);
        k_.rows = a.rows;
        k_.inner = a.columns;
        k_.columns = b.rows;
        k_.a_entries = a.nnz;
        k_.b_entries = b.nnz;
        mask_entries_ = place_mask(*f.mask);
        const auto n = static_cast<std::size_t>(k_.rows), m = static_cast<std::size_t>(mask_entries_);
        const auto& memory = ctx.device_memory();
        scan_bytes_ = kernels::on_cuda().mxm.dot_scan_bytes(k_.rows);
        sums_ = buffer(memory, m * size_of(value_type_));
        met_ = buffer(memory, m);
        rows_ = buffer(memory, (2 * n + 1) * sizeof(index_t));
        starts_ = buffer(memory, (n + 2) * sizeof(offset_t));
        scan_ = buffer(memory, scan_bytes_);
        k_.dot_values = sums_.data();
        k_.dot_met = met_.as<bool>();
        k_.dot_lengths = rows_.as<index_t>();
        k_.dot_rows = k_.dot_lengths + n;
        k_.dot_long_rows = k_.dot_rows + n;
        k_.dot_starts = starts_.as<offset_t>();
        k_.tables = scan_.data();
    }
    /// Entries of B's columns over all places: the products that are looked for.
    offset_t steps() const {
        offset_t* at = k_.dot_starts + k_.rows + 1;
        kernels::on_cuda().mxm.dot_steps(k_, mask_entries_, at, stream());
        offset_t found = 0;
        ctx_.gpu()->download(&found, at, sizeof found);
        return found;
    }
    void sum() const {
        cell_.masked_dot(k_, stream());
        kernels::on_cuda().mxm.dot_starts(k_, scan_bytes_, stream());
    }
    void take_result() {
        ctx_.gpu()->download(&entries_, k_.dot_starts + k_.rows, sizeof entries_);
        take_entries();
    }
    void compact() const { kernels::on_cuda().mxm.dot_compact(k_, size_of(value_type_), stream()); }
    matrix result(const context& own) { return taken(own); }

private:
    const instantiate::mxm_device_cell& cell_;
    offset_t mask_entries_ = 0;
    std::size_t scan_bytes_ = 0;
    buffer sums_, met_, rows_, starts_, scan_;
};

class device_mxm : device_sides {
public:
    device_mxm(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell,
               std::size_t scan_bytes)
        : device_sides(ctx, f.value_type), cell_(cell) {
        const dtype type = f.operand_type;
        const csr& a = place(f.left, f.ring.ignores_a(), type, k_.a, k_.a_step);
        const csr& b = place(f.right, f.ring.ignores_b(), type, k_.b, k_.b_step);
        k_.rows = a.rows;
        k_.inner = b.rows;
        k_.columns = b.columns;
        k_.a_entries = a.nnz;
        k_.b_entries = b.nnz;
        k_.scan_bytes = scan_bytes;
        row_parts_ = buffer(ctx.device_memory(), plan::mxm_device_rows(k_.rows, scan_bytes));
        k_.row_parts = row_parts_.data();
    }

    void take_mask(const matrix_options& options) { place_mask(options); }

    void survey() const { kernels::on_cuda().mxm.survey(k_, stream()); }
    /// Before count; after the first time with the memory and the bins that are known.
    void pair() const {
        if (k_.pairs) kernels::on_cuda().mxm.pair(k_, stream());
    }
    void count() const { kernels::on_cuda().mxm.count(k_, stream()); }
    void fill() const { (k_.masked ? cell_.masked_row : cell_.hash)(k_, stream()); }

    /// After survey: what the plan asks for.
    const plan::mxm_survey& read_survey() {
        ctx_.gpu()->download(&k_.by_products, parts().by_products, sizeof k_.by_products);
        return k_.by_products;
    }
    /// Memory for the rows that are not sorted, and their bins.
    void take_tables() {
        if (k_.by_products.large_rows() == 0) return;
        pairs_ = buffer(ctx_.device_memory(), plan::mxm_pair_bytes(k_.b_entries, k_.inner));
        k_.pairs = pairs_.data();
        k_.table_count = plan::global_tables(k_.columns, k_.by_products.large_rows());
        tables_ = buffer(ctx_.device_memory(), k_.table_count * plan::column_table_bytes(k_.columns));
        k_.tables = tables_.data();
        pair();
        read_survey();
    }
    /// After count: memory for the result, if there is as much.
    bool takes_result() {
        try {
            take_result();
            return true;
        } catch (const out_of_memory&) {
            offsets_ = buffer();
            indices_ = buffer();
            values_ = buffer();
            return false;
        }
    }
    void take_result() {
        k_.by_entries = k_.by_products;
        if (k_.by_products.large_rows())
            ctx_.gpu()->download(&k_.by_entries, parts().by_entries, sizeof k_.by_entries);
        ctx_.gpu()->download(&entries_, parts().starts + k_.rows, sizeof entries_);
        take_entries();
    }
    /// In place of take_result, fill and result where the entries do not fit: rows in chunks, each on its way to the host
    /// while the next is computed. Returns how many there were.
    matrix stream_result(const context& own, index_t& chunks) {
        ctx_.gpu()->download(&entries_, parts().starts + k_.rows, sizeof entries_);
        std::vector<offset_t> starts(static_cast<std::size_t>(k_.rows) + 1);
        ctx_.gpu()->download(starts.data(), parts().starts, starts.size() * sizeof(offset_t));
        csr c = host_result(starts);
        const std::vector<index_t> cuts = take_slots(starts);
        const auto copies = device::copies_beside(*ctx_.gpu());
        const std::size_t width = size_of(value_type_);
        k_.offsets = nullptr;
        for (std::size_t n = 0; n + 1 < cuts.size(); ++n) {
            const int slot = static_cast<int>(n % device::copies::slots);
            const offset_t from = starts[static_cast<std::size_t>(cuts[n])],
                           count = starts[static_cast<std::size_t>(cuts[n + 1])] - from;
            kernels::on_cuda().mxm.choose(k_, cuts[n], cuts[n + 1], stream());
            ctx_.gpu()->download(&k_.by_entries, parts().by_entries, sizeof k_.by_entries);
            if (n >= device::copies::slots) copies->reuse(slot);
            k_.out_columns = slots_[slot].columns.as<index_t>() - from;
            k_.out_values = slots_[slot].values.as<std::byte>() - from * static_cast<offset_t>(width);
            fill();
            const auto entries = static_cast<std::size_t>(count);
            copies->start(slot, c.indices.as<index_t>() + from, slots_[slot].columns.data(),
                          entries * sizeof(index_t));
            copies->start(slot, c.values.as<std::byte>() + static_cast<std::size_t>(from) * width,
                          slots_[slot].values.data(), entries * width);
        }
        copies->wait();
        ctx_.gpu()->wait();
        chunks = static_cast<index_t>(cuts.size()) - 1;
        return storage::make_matrix(own, std::move(c));
    }
    matrix result(const context& own) { return taken(own); }

private:
    plan::mxm_device_parts parts() const { return {k_.row_parts, k_.rows, k_.scan_bytes}; }

    // The result in host memory that the GPU may write to, its offsets there.
    csr host_result(const std::vector<offset_t>& starts) const {
        csr c;
        c.rows = k_.rows;
        c.columns = k_.columns;
        c.nnz = entries_;
        c.type = value_type_;
        c.offset_bytes = storage::offset_bytes_for(entries_);
        const auto n = static_cast<std::size_t>(entries_);
        const auto pinned = device::pinned_memory();
        c.offsets = buffer(ctx_.memory(), starts.size() * static_cast<std::size_t>(c.offset_bytes));
        c.indices = buffer(pinned, n * sizeof(index_t));
        c.values = buffer(pinned, n * size_of(value_type_));
        if (c.offset_bytes == 8)
            std::ranges::copy(starts, c.offsets.as<std::int64_t>());
        else
            std::ranges::transform(starts, c.offsets.as<std::int32_t>(),
                                   [](offset_t at) { return static_cast<std::int32_t>(at); });
        return c;
    }
    // Memory for two chunks, as large as there is room for up to plan::mxm_slot_bytes, and where rows are cut: chunks hold
    // as many entries as a slot.
    std::vector<index_t> take_slots(const std::vector<offset_t>& starts) {
        const std::size_t entry = sizeof(index_t) + size_of(value_type_);
        offset_t longest = 1;
        for (std::size_t i = 0; i + 1 < starts.size(); ++i)
            longest = std::max(longest, starts[i + 1] - starts[i]);
        for (auto room = static_cast<offset_t>(plan::mxm_slot_bytes / entry);; room /= 2) {
            const auto n = static_cast<std::size_t>(std::max(room, longest));
            try {
                for (auto& slot : slots_) {
                    slot.columns = buffer(ctx_.device_memory(), n * sizeof(index_t));
                    slot.values = buffer(ctx_.device_memory(), n * size_of(value_type_));
                }
                return plan::mxm_cuts(starts, static_cast<offset_t>(n));
            } catch (const out_of_memory&) {
                for (auto& slot : slots_) slot = {};
                if (room <= longest) throw;
            }
        }
    }
    const instantiate::mxm_device_cell& cell_;
    buffer row_parts_, pairs_, tables_;
    struct slot {
        buffer columns, values;
    } slots_[device::copies::slots];
};

const instantiate::mxm_device_cell* cell_of(const context& ctx, const device_factors& f) {
    if (!ctx.gpu() || !f.ring.add().is_built_in()) return nullptr;
    const dtype key = f.ring.multiply().positional() ? f.value_type : f.operand_type;
    return instantiate::find_mxm_device_cell(f.ring.add().id(), f.ring.multiply().id(), key);
}

}  // namespace

std::optional<device_product> mxm_on_device(const context& ctx, const context& own, const device_factors& f,
                                            plan::mxm_facts facts) {
    const auto* cell = facts.compiled ? cell_of(ctx, f) : nullptr;
    facts.on_device = cell != nullptr;
    if (!plan::mxm_on_device(facts)) return {};
    if (plan::mxm(facts).kernel == "masked_dot") {
        device_dot product(ctx, f, *cell);
        facts.products = product.steps();
        product.sum();
        product.take_result();
        product.compact();
        return device_product{plan::mxm(facts), product.result(own)};
    }
    facts.scan_bytes = kernels::on_cuda().mxm.scan_bytes(facts.rows);
    device_mxm product(ctx, f, *cell, facts.scan_bytes);
    if (plan::mxm(facts).kernel == "masked_row") product.take_mask(*f.mask);
    product.survey();
    const plan::mxm_survey& known = product.read_survey();
    require<not_supported>(known.about < most_products, "mxm: {}, {}: more than 2^63 - 1 products",
                           f.left.describe("A"), f.right.describe("B"));
    facts.products = static_cast<offset_t>(known.products);
    facts.large_rows = known.large_rows();
    mxm_plan plan = plan::mxm(facts);
    product.take_tables();
    product.count();
    if (product.takes_result()) {
        product.fill();
        return device_product{plan, product.result(own)};
    }
    matrix result = product.stream_result(own, plan.chunks);
    return device_product{plan, std::move(result)};
}

mxm_kernel_times mxm_kernel_ms(const context& ctx, const device_factors& f, int repeats) {
    const auto* cell = cell_of(ctx, f);
    require<not_supported>(cell != nullptr, "this product does not run on a GPU");
    device_mxm product(ctx, f, *cell, kernels::on_cuda().mxm.scan_bytes(static_cast<index_t>(f.left.rows())));
    if (f.mask && f.mask->mask) product.take_mask(*f.mask);
    product.survey();
    product.read_survey();
    product.take_tables();
    product.count();
    product.take_result();
    mxm_kernel_times times;
    for (int k = 0; k < repeats; ++k) {
        ctx.gpu()->timed([&] {
            product.survey();
            product.pair();
            product.count();
        });
        const double before = ctx.gpu()->milliseconds();
        ctx.gpu()->timed([&] { product.fill(); });
        times.fill_ms.push_back(ctx.gpu()->milliseconds());
        times.all_ms.push_back(before + times.fill_ms.back());
    }
    return times;
}

}  // namespace nz::ops
