// The product on a GPU: operands are brought where they are not, the result stays.
#include "ops/mxm_device.hpp"

#include "core/checks.hpp"
#include "core/device_copies.hpp"
#include "core/parallel.hpp"
#include "instantiate/mxm_device_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/mxm_device_dot.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

namespace nz::ops {
namespace {

using storage::csr;

// What 63 bits hold, less what a sum of doubles may be off.
constexpr double most_products = 9.2e18;

/// What goes by rows of both: the operands, the products counted, and where rows of the result begin.
class device_rows : protected device_sides {
public:
    void survey() const { kernels::on_cuda().mxm.survey(k_, stream()); }
    /// After survey: what the plan asks for.
    const plan::mxm_survey& read_survey() {
        ctx_.gpu()->download(&k_.by_products, parts().by_products, sizeof k_.by_products);
        return k_.by_products;
    }
    matrix result(const context& own) { return taken(own); }
    /// Before fill: only that reads them.
    void take_values(const device_factors& f) {
        if (!f.ring.ignores_a()) place_values(f.left, f.operand_type, k_.a);
        if (!f.ring.ignores_b()) place_values(f.right, f.operand_type, k_.b);
    }

protected:
    device_rows(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell,
                std::size_t scan_bytes)
        : device_sides(ctx, f.value_type), cell_(cell) {
        const csr& a = place_structure(f.left, k_.a, k_.a_step);
        const csr& b = place_structure(f.right, k_.b, k_.b_step);
        k_.rows = a.rows;
        k_.inner = b.rows;
        k_.columns = b.columns;
        k_.a_entries = a.nnz;
        k_.b_entries = b.nnz;
        k_.scan_bytes = scan_bytes;
        row_parts_ = buffer(ctx.device_memory(), plan::mxm_device_rows(k_.rows, scan_bytes));
        k_.row_parts = row_parts_.data();
    }
    plan::mxm_device_parts parts() const { return {k_.row_parts, k_.rows, k_.scan_bytes}; }

    const instantiate::mxm_device_cell& cell_;
    buffer row_parts_;
};

/// mxm/two_level_sort: products sorted in tiles of equal size, cut rows once more.
class device_sorted : public device_rows {
public:
    device_sorted(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell,
                  std::size_t scan_bytes)
        : device_rows(ctx, f, cell, scan_bytes) {
        require<not_supported>(k_.a_entries <= std::numeric_limits<std::int32_t>::max(),
                               "kernel two_level_sort numbers the entries of A in 31 bits: {} has {}: pin "
                               "another, or none",
                               f.left.describe("A"), k_.a_entries);
        k_.value_bytes = size_of(f.value_type);
    }

    /// After read_survey: each step, and memory for the next; sizes go into the facts.
    void take_tiles(plan::mxm_facts& facts) {
        k_.sort_scan_bytes = steps().scan_bytes(k_.a_entries, k_.rows, facts.products);
        entry_ = buffer(ctx_.device_memory(),
                        plan::mxm_sort_entry_bytes(k_.rows, k_.a_entries, k_.sort_scan_bytes));
        k_.entry_memory = entry_.data();
        k_.ranged = k_.by_products.large_rows() > 0;
        entries();
        take_ranges(facts);
        sort_ = buffer(ctx_.device_memory(), plan::mxm_sort_bytes(k_.products));
        k_.sort_memory = sort_.data();
        expand();
        const plan::mxm_sort_parts tiles(sort_entries(), k_.sort_memory, k_.products);
        const offset_t last = plan::sort_tiles(k_.products);
        ctx_.gpu()->download(&k_.cut_rows, tiles.ranks + last, sizeof k_.cut_rows);
        ctx_.gpu()->download(&facts.cut_products, tiles.rooms + last, sizeof facts.cut_products);
        ctx_.gpu()->download(&k_.cut_runs, tiles.most_runs, sizeof k_.cut_runs);
        cut_columns_ =
            buffer(ctx_.device_memory(), static_cast<std::size_t>(facts.cut_products) * sizeof(index_t));
        k_.cut_columns = cut_columns_.as<index_t>();
        count();
        ctx_.gpu()->download(&k_.cut_places, tiles.cut_starts + last, sizeof k_.cut_places);
        facts.cut_places = k_.cut_places;
        facts.cut_rows = k_.cut_rows;
        facts.cut_runs = k_.cut_runs;
        require<not_supported>(
            plan::cut_by_tiles(k_.cut_runs) || k_.cut_places <= std::numeric_limits<std::uint32_t>::max(),
            "kernel two_level_sort: {} places of rows in more than {} tiles, which it numbers in 32 bits: pin "
            "another, or none",
            k_.cut_places, plan::most_cut_runs);
        k_.cut_sort_bytes = steps().cut_bytes(k_);
        cut_ = buffer(ctx_.device_memory(),
                      plan::mxm_cut_bytes(k_.cut_places, k_.cut_rows, k_.cut_runs, k_.products, k_.columns,
                                          k_.value_bytes, k_.cut_sort_bytes));
        k_.cut_memory = cut_.data();
        cut();
    }
    void take_result() {
        ctx_.gpu()->download(&entries_, parts().starts + k_.rows, sizeof entries_);
        take_entries();
    }
    void entries() const { steps().entries(k_, stream()); }
    void expand() const { steps().expand(k_, stream()); }
    void count() const { steps().count(k_, stream()); }
    void cut() const { steps().cut(k_, stream()); }
    void fill() const { cell_.two_level_sort(k_, stream()); }

private:
    static const kernels::device_sort_table& steps() { return kernels::on_cuda().mxm.sort; }
    plan::mxm_sort_entries sort_entries() const {
        return {k_.entry_memory, k_.rows, k_.a_entries, k_.sort_scan_bytes};
    }
    /// After entries: how many products are left to tiles that take them as they come, and memory for those of ranged rows.
    void take_ranges(plan::mxm_facts& facts) {
        k_.products = facts.products;
        if (k_.ranged) {
            const plan::mxm_sort_entries parts = sort_entries();
            plan::range_start all{};
            ctx_.gpu()->download(&all, parts.ranges + k_.rows, sizeof all);
            k_.range_tiles = all.tiles;
            k_.range_slots = all.slots;
            ctx_.gpu()->download(&k_.products, parts.starts + k_.a_entries, sizeof k_.products);
        }
        facts.range_tiles = k_.range_tiles;
        facts.range_slots = k_.range_slots;
        facts.ranged_products = facts.products - k_.products;
        range_ = buffer(ctx_.device_memory(), plan::mxm_range_bytes(k_.range_tiles, k_.range_slots));
        k_.range_memory = range_.data();
    }

    buffer entry_, sort_, range_, cut_columns_, cut_;
};

/// mxm/hash, masked_row and dia_dia.
class device_mxm : public device_rows {
public:
    device_mxm(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell,
               std::size_t scan_bytes)
        : device_rows(ctx, f, cell, scan_bytes) {}

    void take_mask(const matrix_options& options) { place_mask(options); }

    /// After read_survey: the share of sampled rows that are a band's, or 0 where that is below `least` or no tile of it fits.
    double find_band(double least) {
        k_.band_least = std::max(1, static_cast<int>(least * plan::band_samples));
        band_ = buffer(ctx_.device_memory(), plan::mxm_band_bytes(k_.rows, k_.inner));
        k_.band_parts = band_.data();
        kernels::on_cuda().mxm.find_band(k_, stream());
        ctx_.gpu()->download(&k_.band, &plan::mxm_band_parts(k_.band_parts, k_.rows, k_.inner).band->shape,
                             sizeof k_.band);
        constexpr std::size_t widest = 8;
        const bool fits = plan::band_tile_of(k_.band, widest, size_of(value_type_)) >= 0;
        return fits ? static_cast<double>(k_.band.inside) / plan::band_samples : 0;
    }
    /// What lies in the band is no more hash's.
    void take_band() {
        by_diagonals_ = true;
        k_.fill_last = k_.rows;
        adopt_band();
        read_survey();
    }
    void adopt_band() const {
        if (by_diagonals_) kernels::on_cuda().mxm.take_band(k_, stream());
    }

    /// Before count; after the first time with the memory and the bins that are known.
    void pair() const {
        if (k_.pairs) kernels::on_cuda().mxm.pair(k_, stream());
    }
    void count() const { kernels::on_cuda().mxm.count(k_, stream()); }
    void fill() const {
        (k_.masked ? cell_.masked_row : cell_.hash)(k_, stream());
        if (by_diagonals_) cell_.dia_dia(k_, stream());
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
    /// In place of take_result, fill and result: where rows begin, and the result in host memory that the GPU may write to.
    std::span<const offset_t> read_starts() {
        const auto n = static_cast<std::size_t>(k_.rows) + 1;
        // Blocks are kept by size: those of a product's parts are one.
        starts_ = buffer(device::pinned_memory(), std::bit_ceil(n) * sizeof(offset_t));
        ctx_.gpu()->download(starts_.data(), parts().starts, n * sizeof(offset_t));
        entries_ = starts_.as<offset_t>()[n - 1];
        return starts();
    }
    std::span<const offset_t> starts() const {
        return {starts_.as<offset_t>(), static_cast<std::size_t>(k_.rows) + 1};
    }
    /// Two chunks of rows on their way: memory for as many entries each as there is room for, of `most` and down to `least`.
    /// Returns how many.
    offset_t take_slots(offset_t most, offset_t least) {
        copies_ = device::copies_beside(*ctx_.gpu());
        k_.offsets = nullptr;
        for (offset_t room = std::max(most, least);; room /= 2) {
            const auto n = static_cast<std::size_t>(std::max(room, least));
            try {
                for (auto& slot : slots_) {
                    slot.columns = buffer(ctx_.device_memory(), n * sizeof(index_t));
                    slot.values = buffer(ctx_.device_memory(), n * size_of(value_type_));
                }
                return static_cast<offset_t>(n);
            } catch (const out_of_memory&) {
                for (auto& slot : slots_) slot = {};
                if (room <= least) throw;
            }
        }
    }
    /// Fills rows [first, last), entries [from, to) of c, and sends them there while the next are filled. Before that `there`
    /// waits for the slot, in order that what is still to do is decided when the link is free.
    void send(index_t first, index_t last, offset_t from, offset_t to, csr& c, bool there = false) {
        const int slot = static_cast<int>(sent_ % device::copies::slots);
        const std::size_t width = size_of(value_type_);
        k_.fill_first = first;
        k_.fill_last = last;
        kernels::on_cuda().mxm.choose(k_, first, last, stream());
        copies_->read(&k_.by_entries, parts().by_entries, sizeof k_.by_entries);
        if (sent_++ >= device::copies::slots) there ? copies_->finish(slot) : copies_->reuse(slot);
        k_.out_columns = slots_[slot].columns.as<index_t>() - from;
        k_.out_values = slots_[slot].values.as<std::byte>() - from * static_cast<offset_t>(width);
        fill();
        if (first_column_)
            kernels::on_cuda().mxm.shift_columns(k_.out_columns + from, to - from, first_column_, stream());
        const auto entries = static_cast<std::size_t>(to - from);
        copies_->start(slot, c.indices.as<index_t>() + from, slots_[slot].columns.data(),
                       entries * sizeof(index_t));
        copies_->start(slot, c.values.as<std::byte>() + static_cast<std::size_t>(from) * width,
                       slots_[slot].values.data(), entries * width);
    }
    void number_columns_from(index_t first) { first_column_ = first; }
    void finish() {
        copies_->wait();
        ctx_.gpu()->wait();
    }

private:
    bool by_diagonals_ = false;
    buffer pairs_, tables_, band_, starts_;
    struct slot {
        buffer columns, values;
    } slots_[device::copies::slots];
    std::unique_ptr<device::copies> copies_;
    std::size_t sent_ = 0;
    index_t first_column_ = 0;
};

offset_t longest_row(std::span<const offset_t> starts) {
    offset_t longest = 1;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        longest = std::max(longest, starts[i + 1] - starts[i]);
    return longest;
}

/// Rows in chunks of as many entries as a slot holds, each on its way to the host while the next is computed.
matrix stream_result(device_mxm& product, const context& ctx, const context& own, const device_factors& f,
                     index_t& chunks) {
    const std::span<const offset_t> starts = product.read_starts();
    csr c = host_result(ctx, device::pinned_memory(), f.value_type, static_cast<index_t>(f.right.columns()),
                        starts);
    const auto most = static_cast<offset_t>(plan::mxm_slot_bytes / (sizeof(index_t) + size_of(f.value_type)));
    const std::vector<index_t> cuts = plan::mxm_cuts(starts, product.take_slots(most, longest_row(starts)));
    const auto start = [&](index_t row) { return starts[static_cast<std::size_t>(row)]; };
    try {
        for (std::size_t n = 0; n + 1 < cuts.size(); ++n)
            product.send(cuts[n], cuts[n + 1], start(cuts[n]), start(cuts[n + 1]), c);
    } catch (...) {
        product.finish();  // copies to `c`, which goes, may be under way
        throw;
    }
    product.finish();
    chunks = static_cast<index_t>(cuts.size()) - 1;
    return storage::make_matrix(own, std::move(c));
}

const instantiate::mxm_device_cell* cell_of(const context& ctx, const device_factors& f) {
    if (!ctx.gpu() || !f.ring.add().is_built_in() || f.ring.converts_twice(f.left.a.type(), f.right.a.type()))
        return nullptr;
    const dtype key = f.ring.multiply().positional() ? f.value_type : f.operand_type;
    return instantiate::find_mxm_device_cell(f.ring.add().id(), f.ring.multiply().id(), key);
}

/// Surveys; throws not_supported where products are too many to be counted.
void collect_products(device_rows& product, const device_factors& f, plan::mxm_facts& facts) {
    product.survey();
    const plan::mxm_survey& known = product.read_survey();
    require<not_supported>(known.about < most_products, "mxm: {}, {}: more than 2^63 - 1 products",
                           f.left.describe("A"), f.right.describe("B"));
    facts.products = static_cast<offset_t>(known.products);
    facts.large_rows = known.large_rows();
    facts.huge_rows = known.huge_rows();
}

/// The plan, once bands have been looked for where that is worth it.
mxm_plan plan_with_band(device_mxm& product, plan::mxm_facts& facts) {
    if (!facts.masked && plan::mxm_needs_device_band(facts))
        facts.band_share = product.find_band(plan::mxm_least_band(facts));
    mxm_plan plan = plan::mxm(facts);
    if (plan.kernel == "dia_dia" && facts.band_share > 0) product.take_band();
    return plan;
}

device_product add_dots(device_dot& product, const context& own, const plan::mxm_facts& facts) {
    mxm_plan plan = plan::mxm(facts);
    plan.products = facts.dot_steps;
    product.sum();
    product.take_result();
    product.compact();
    return {std::move(plan), product.result(own)};
}

/// After products were counted for masked_row: by masked_dot, where the plan takes that by the lists' mean lengths and still once
/// steps are counted.
std::optional<device_product> add_fewer_dots(const context& ctx, const context& own, const device_factors& f,
                                             const instantiate::mxm_device_cell& cell,
                                             plan::mxm_facts& facts) {
    if (plan::mxm(facts).kernel != "masked_dot") return {};
    device_dot product(ctx, f, cell);
    facts.dot_steps = product.steps();
    if (plan::mxm(facts).kernel == "masked_dot") return add_dots(product, own, facts);
    return {};
}

/// After products were counted for masked_row: by diagonals, without the mask, where there are such bands and room for all places; the
/// write-back drops those barred. Passing over products would cost more.
std::optional<device_product> add_band(const context& ctx, const context& own, const device_factors& f,
                                       const instantiate::mxm_device_cell& cell, plan::mxm_facts facts,
                                       device_mxm& masked) {
    if (!facts.masked || !plan::mxm_needs_device_band(facts)) return {};
    facts.band_share = masked.find_band(plan::mxm_least_band(facts));
    if (plan::mxm(facts).kernel != "dia_dia") return {};
    facts.masked = false;
    facts.band_share = -1;
    device_factors all = f;
    all.mask = nullptr;
    device_mxm product(ctx, all, cell, facts.scan_bytes);
    product.take_values(all);
    collect_products(product, all, facts);
    const mxm_plan plan = plan_with_band(product, facts);
    product.take_tables();
    product.count();
    if (!product.takes_result()) return {};
    product.fill();
    return device_product{plan, product.result(own)};
}

template <class Product, class Before>
mxm_kernel_times times_of(const context& ctx, const Product& product, int repeats, Before&& before_fill) {
    mxm_kernel_times times;
    for (int k = 0; k < repeats; ++k) {
        ctx.gpu()->timed(before_fill);
        const double before = ctx.gpu()->milliseconds();
        ctx.gpu()->timed([&] { product.fill(); });
        times.fill_ms.push_back(ctx.gpu()->milliseconds());
        times.all_ms.push_back(before + times.fill_ms.back());
    }
    return times;
}

class counted : public counted_rows {
public:
    counted(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell,
            plan::mxm_facts facts)
        : factors_(f), product_(ctx, f, cell, facts.scan_bytes) {
        if (plan::mxm(facts).kernel == "masked_row") product_.take_mask(*f.mask);
        collect_products(product_, f, facts);
        plan_ = plan_with_band(product_, facts);
        product_.take_tables();
        product_.count();
        starts_ = product_.read_starts();
    }
    const mxm_plan& plan() const override { return plan_; }
    std::span<const offset_t> starts() const override { return starts_; }
    offset_t begin(offset_t entries, index_t first_column) override {
        product_.take_values(factors_);
        product_.number_columns_from(first_column);
        return room_ = product_.take_slots(entries, longest_row(starts_));
    }
    void send(index_t first, index_t last, csr& c) override {
        for (index_t cut = first; first < last; first = cut) {
            const auto beyond =
                std::upper_bound(starts_.begin() + first, starts_.begin() + last + 1, start(first) + room_);
            cut = static_cast<index_t>(beyond - starts_.begin()) - 1;
            product_.send(first, cut, start(first), start(cut), c, true);
        }
    }
    void finish() override { product_.finish(); }

private:
    offset_t start(index_t row) const { return starts_[static_cast<std::size_t>(row)]; }

    const device_factors factors_;
    device_mxm product_;
    mxm_plan plan_;
    std::span<const offset_t> starts_;
    offset_t room_ = 0;
};

class counted_dots : public counted_rows {
public:
    counted_dots(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell,
                 plan::mxm_facts facts)
        : product_(ctx, f, cell) {
        facts.dot_steps = product_.steps();
        plan_ = plan::mxm(facts);
        plan_.products = facts.dot_steps;
        product_.sum();
        starts_ = product_.read_starts();
    }
    const mxm_plan& plan() const override { return plan_; }
    std::span<const offset_t> starts() const override { return {starts_.data(), starts_.size()}; }
    offset_t begin(offset_t, index_t) override {
        product_.take_result();
        product_.compact();
        return std::max<offset_t>(starts().back(), 1);
    }
    void send(index_t first, index_t last, csr& c) override {
        const auto at = [&](index_t row) { return starts_[static_cast<std::size_t>(row)]; };
        product_.fetch(at(first), at(last), c);
    }
    void finish() override {}

private:
    device_dot product_;
    mxm_plan plan_;
    array<offset_t> starts_;
};

}  // namespace

csr host_result(const context& ctx, const std::shared_ptr<memory_resource>& memory, dtype type,
                index_t columns, std::span<const offset_t> starts) {
    csr c;
    c.rows = static_cast<index_t>(starts.size()) - 1;
    c.columns = columns;
    c.nnz = starts.back();
    c.type = type;
    c.offset_bytes = storage::offset_bytes_for(c.nnz);
    const auto n = static_cast<std::size_t>(c.nnz);
    c.offsets = buffer(ctx.memory(), starts.size() * static_cast<std::size_t>(c.offset_bytes));
    c.indices = buffer(memory, n * sizeof(index_t));
    c.values = buffer(memory, n * size_of(type));
    storage::by_width(static_cast<std::size_t>(c.offset_bytes), [&]<class U>(std::type_identity<U>) {
        parallel::for_pieces(ctx.threads(), offset_t{c.rows} + 1, [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                c.offsets.as<U>()[i] = static_cast<U>(starts[static_cast<std::size_t>(i)]);
        });
    });
    return c;
}

std::unique_ptr<counted_rows> count_on_device(const context& ctx, const device_factors& f,
                                              plan::mxm_facts facts) {
    const auto* cell = facts.compiled ? cell_of(ctx, f) : nullptr;
    facts.on_device = cell != nullptr;
    facts.scan_bytes = cell ? kernels::on_cuda().mxm.scan_bytes(facts.rows) : 0;
    const auto kernel = plan::mxm(facts).kernel;
    if (!plan::mxm_on_device(facts) || kernel == "two_level_sort") return nullptr;
    if (kernel == "masked_dot") return std::make_unique<counted_dots>(ctx, f, *cell, facts);
    return std::make_unique<counted>(ctx, f, *cell, facts);
}

bool goes_to_device(const context& ctx, const device_factors& f, plan::mxm_facts facts) {
    facts.on_device = facts.compiled && cell_of(ctx, f) != nullptr;
    return plan::mxm_on_device(facts);
}

std::optional<device_product> mxm_on_device(const context& ctx, const context& own, const device_factors& f,
                                            plan::mxm_facts facts) {
    const auto* cell = facts.compiled ? cell_of(ctx, f) : nullptr;
    facts.on_device = cell != nullptr;
    if (!plan::mxm_on_device(facts)) return {};
    if (plan::mxm(facts).kernel == "masked_dot") {
        device_dot product(ctx, f, *cell);
        facts.dot_steps = product.steps();
        return add_dots(product, own, facts);
    }
    facts.scan_bytes = kernels::on_cuda().mxm.scan_bytes(facts.rows);
    if (plan::mxm(facts).kernel == "two_level_sort") {
        device_sorted product(ctx, f, *cell, facts.scan_bytes);
        product.take_values(f);
        collect_products(product, f, facts);
        product.take_tiles(facts);
        product.take_result();
        product.fill();
        return device_product{plan::mxm(facts), product.result(own)};
    }
    device_mxm product(ctx, f, *cell, facts.scan_bytes);
    product.take_values(f);
    if (plan::mxm(facts).kernel == "masked_row") product.take_mask(*f.mask);
    collect_products(product, f, facts);
    if (auto dots = add_fewer_dots(ctx, own, f, *cell, facts)) return dots;
    try {
        if (auto band = add_band(ctx, own, f, *cell, facts, product)) return band;
    } catch (const out_of_memory&) {  // for workspace beside the masked product's
    }
    mxm_plan plan = plan_with_band(product, facts);
    product.take_tables();
    product.count();
    if (product.takes_result()) {
        product.fill();
        return device_product{plan, product.result(own)};
    }
    matrix result = stream_result(product, ctx, own, f, plan.chunks);
    return device_product{plan, std::move(result)};
}

mxm_kernel_times mxm_kernel_ms(const context& ctx, const device_factors& f, int repeats) {
    const auto* cell = cell_of(ctx, f);
    require<not_supported>(cell != nullptr, "this product does not run on a GPU");
    const std::size_t scan_bytes = kernels::on_cuda().mxm.scan_bytes(static_cast<index_t>(f.left.rows()));
    if (f.mask && f.mask->kernel == "two_level_sort") {
        device_sorted product(ctx, f, *cell, scan_bytes);
        product.take_values(f);
        plan::mxm_facts facts;
        collect_products(product, f, facts);
        product.take_tiles(facts);
        product.take_result();
        return times_of(ctx, product, repeats, [&] {
            product.survey();
            product.entries();
            product.expand();
            product.count();
            product.cut();
        });
    }
    device_mxm product(ctx, f, *cell, scan_bytes);
    product.take_values(f);
    plan::mxm_facts facts;
    facts.on_device = true;
    facts.rows = static_cast<index_t>(f.left.rows());
    facts.masked = f.mask && f.mask->mask;
    if (f.mask) facts.pinned = f.mask->kernel;
    if (facts.masked) product.take_mask(*f.mask);
    collect_products(product, f, facts);
    plan_with_band(product, facts);
    product.take_tables();
    product.count();
    product.take_result();
    return times_of(ctx, product, repeats, [&] {
        product.survey();
        product.adopt_band();
        product.pair();
        product.count();
    });
}

}  // namespace nz::ops
