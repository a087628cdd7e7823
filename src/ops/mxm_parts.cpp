#include "ops/mxm_parts.hpp"

#include "core/device_copies.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "storage/csr_parts.hpp"

#include <algorithm>
#include <bit>

namespace nz::ops {

using storage::csr;

device_factors factors_of(const product& p) {
    return {p.ring, p.left, p.right, p.operand_type, p.value, &p.options};
}

std::size_t entry_bytes(const product& p, const operand& x, bool ignores_values) {
    const bool full = !ignores_values && x.a.body().shape().kind == value_kind::full;
    return sizeof(index_t) + (full ? size_of(p.operand_type) : 0);
}

bool lies_there(const product& p, const operand& x) {
    const storage::matrix_body& body = x.a.body();
    return !x.transposed && body.bytes_on(p.ctx) == 0 && body.bytes_to_place(p.ctx, body.shape(), {}) == 0;
}

// Of hash, less what rounding adds to the parts of all rows.
static constexpr std::size_t workspace_of_row =
    (plan::mxm_device_rows(1 << 20, 0) - plan::mxm_device_rows(0, 0)) >> 20;

row_costs::row_costs(const product& p, std::string_view kernel) {
    const bool dots = kernel == "masked_dot";
    const std::size_t value = size_of(p.value);
    entry = lies_there(p, p.left) ? 0 : entry_bytes(p, p.left, p.ring.ignores_a());
    row = sizeof(index_t) + (dots ? plan::masked_dot_device_workspace(1, 0, value) : workspace_of_row);
    if (!p.options.mask || !kernel.starts_with("masked")) return;
    row += sizeof(index_t);
    // Of masked_dot a sum each, and perhaps an entry of the result.
    listed = sizeof(index_t) +
             (dots ? plan::masked_dot_device_workspace(0, 1, value) + sizeof(index_t) + value : 0);
}

/// Where pieces of strips come to before their rows are moved to their places: three, one that is moved from beside those that are
/// written to.
class cut_product::stages {
public:
    stages(const std::shared_ptr<memory_resource>& memory, offset_t entries, std::size_t width)
        : entries_(entries), width_(width) {
        const auto n = static_cast<std::size_t>(entries);
        for (auto& s : at_) s = {buffer(memory, n * sizeof(index_t)), buffer(memory, n * width)};
    }
    offset_t entries() const { return entries_; }
    /// The n-th piece's, for entries from `from` on.
    csr window(std::size_t n, offset_t from) const {
        csr w;
        w.indices = buffer::borrow(at_[n % count].columns.as<index_t>() - from, 0);
        w.values =
            buffer::borrow(at_[n % count].values.as<std::byte>() - from * static_cast<offset_t>(width_), 0);
        return w;
    }
    const index_t* columns(std::size_t n) const { return at_[n % count].columns.as<index_t>(); }
    const void* values(std::size_t n) const { return at_[n % count].values.data(); }

private:
    static constexpr std::size_t count = device::copies::slots + 1;
    struct stage {
        buffer columns, values;
    } at_[count];
    offset_t entries_;
    std::size_t width_;
};

cut_product::cut_product(const product& p, std::string_view kernel, part_counter count_part,
                         std::shared_ptr<memory_resource> memory)
    : p_(p), count_part_(std::move(count_part)), memory_(std::move(memory)) {
    masked_ = p.options.mask && kernel.starts_with("masked");
    options_.mask_structure = p.options.mask_structure;
    options_.mask_complement = masked_ && p.options.mask_complement;
    options_.kernel = kernel;
}
cut_product::cut_product(const product& p, std::string_view kernel, plan::mxm_parts parts,
                         part_counter count_part, std::shared_ptr<memory_resource> memory)
    : cut_product(p, kernel, std::move(count_part), std::move(memory)) {
    cut_rows(parts.chunks);
    cut_columns(parts.strips);
}
cut_product::cut_product(const product& p, std::string_view kernel, std::vector<met_rows> chunks,
                         part_counter count_part, std::shared_ptr<memory_resource> memory)
    : cut_product(p, kernel, std::move(count_part), std::move(memory)) {
    met_ = std::move(chunks);
    for (const met_rows& chunk : met_) rows_.push_back(chunk.row);
    rows_.push_back(static_cast<index_t>(p.left.rows()));
    columns_ = {0, static_cast<index_t>(p.right.columns())};
}
cut_product::~cut_product() = default;

void cut_product::cut_rows(index_t chunks) {
    const auto rows = static_cast<index_t>(p_.left.rows());
    rows_ = {0, rows};
    if (chunks == 1) return;
    const row_costs costs(p_, options_.kernel);
    const csr& a = p_.a();
    const csr* mask = masked_ ? &p_.options.mask->body().rows() : nullptr;
    rows_ = storage::even_cuts(rows, chunks, [&](index_t i) {
        return static_cast<double>(i) * static_cast<double>(costs.row) +
               static_cast<double>(a.offset(i)) * static_cast<double>(costs.entry) +
               (mask ? static_cast<double>(mask->offset(i)) * static_cast<double>(costs.listed) : 0);
    });
}

void cut_product::cut_columns(index_t strips) {
    const auto columns = static_cast<index_t>(p_.right.columns());
    columns_ = {0, columns};
    if (strips == 1) return;
    turned_ = p_.right.transposed && !p_.right.a.body().has_columns();
    if (turned_) {  // rows of what B is the transpose of are its columns
        const csr& of = p_.right.a.body().rows();
        columns_ =
            storage::even_cuts(columns, strips, [&](index_t j) { return static_cast<double>(of.offset(j)); });
        return;
    }
    const array<offset_t> starts = storage::column_starts(p_.ctx, p_.b());
    columns_ = storage::even_cuts(
        columns, strips, [&](index_t j) { return static_cast<double>(starts[static_cast<std::size_t>(j)]); });
}

matrix cut_product::chunk(index_t first, index_t last, const met_rows* met) const {
    const csr& a = p_.a();
    return storage::make_matrix(
        p_.ctx, met ? storage::rows_between(p_.ctx, a, first, last, met->first, met->last - met->first)
                    : storage::rows_between(p_.ctx, a, first, last));
}
matrix cut_product::strip(std::size_t s, bool with_values) const {
    const index_t first = columns_[s], last = columns_[s + 1];
    return storage::make_matrix(p_.ctx,
                                turned_ ? storage::rows_between(p_.ctx, p_.right.a.body().rows(), first, last)
                                        : storage::columns_between(p_.ctx, p_.b(), first, last, with_values));
}
matrix cut_product::mask_of(index_t first, index_t last, index_t column, index_t last_column) const {
    csr rows = storage::rows_between(p_.ctx, p_.options.mask->body().rows(), first, last);
    if (last_column - column < rows.columns)
        rows = storage::columns_between(p_.ctx, rows, column, last_column);
    return storage::make_matrix(p_.ctx, std::move(rows));
}

void cut_product::each(index_t first, index_t last, bool with_values,
                       const std::function<void(counted_rows&, index_t, index_t)>& f) const {
    const bool cuts_columns = columns_.size() > 2;
    for (std::size_t s = 0; s + 1 < columns_.size(); ++s) {
        std::optional<matrix> b;
        if (cuts_columns) b = strip(s, with_values);
        for (std::size_t c = 0; c + 1 < rows_.size(); ++c) {
            const index_t begin = std::max(first, rows_[c]), end = std::min(last, rows_[c + 1]);
            if (begin >= end && rows_.size() > 2) continue;
            const bool cuts_rows = end - begin < p_.left.rows();
            const met_rows* const met = met_.empty() ? nullptr : &met_[c];
            std::optional<matrix> a, mask;
            if (cuts_rows || met) a = chunk(begin, end, met);
            if (met)
                b = storage::make_matrix(
                    p_.ctx, storage::rows_between(p_.ctx, p_.b(), met->first, met->last, met->first_column,
                                                  met->last_column - met->first_column));
            const index_t column = met ? met->first_column : columns_[s];
            if (masked_ && (cuts_rows || cuts_columns || met))
                mask = mask_of(begin, end, column, met ? met->last_column : columns_[s + 1]);
            matrix_options options = options_;
            if (masked_) options.mask = mask ? &*mask : p_.options.mask;
            const product part{p_.ctx,
                               p_.ring,
                               a ? operand{*a} : p_.left,
                               b ? operand{*b, turned_} : p_.right,
                               options,
                               p_.operand_type,
                               p_.value,
                               p_.cell};
            f(*count_part_(part), begin, column);
        }
    }
}

void cut_product::add(const mxm_plan& of_part, bool first) {
    if (!first) {
        plan_.products += of_part.products;
        plan_.workspace_bytes = std::max(plan_.workspace_bytes, of_part.workspace_bytes);
        return;
    }
    plan_ = of_part;
    plan_.chunks = static_cast<index_t>(rows_.size()) - 1;
    plan_.strips = static_cast<index_t>(columns_.size()) - 1;
    plan_.reason = met_.empty()
                       ? "no room on the GPU for both factors: rows of A by columns of B, part by part"
                       : "no room on the GPU for both factors: rows of A by the rows of B that they meet";
}

void cut_product::count() {
    const auto rows = static_cast<index_t>(p_.left.rows());
    next_ = array<offset_t>(p_.ctx, static_cast<std::size_t>(rows) + 1);
    next_.fill(0);
    bool first = true;
    each(0, rows, false, [&](counted_rows& part, index_t row, index_t) {
        const auto starts = part.starts();
        offset_t* const lengths = next_.data() + row;
        for (std::size_t i = 1; i < starts.size(); ++i) lengths[i] += starts[i] - starts[i - 1];
        add(part.plan(), std::exchange(first, false));
    });
    for (std::size_t i = 1; i < next_.size(); ++i) next_[i] += next_[i - 1];
}

void cut_product::fill(index_t first_row, index_t last_row, csr& result) {
    const auto most = static_cast<offset_t>(plan::mxm_slot_bytes / (sizeof(index_t) + size_of(p_.value)));
    for (index_t i = first_row; i < last_row; ++i) next_[static_cast<std::size_t>(i)] = result.offset(i);
    each(first_row, last_row, true, [&](counted_rows& part, index_t row, index_t column) {
        const offset_t entries = part.starts().back();
        if (entries == 0) return;
        const bool rows_whole = columns_.size() == 2;
        const offset_t room = part.begin(std::min(most, entries), rows_whole ? column : 0);
        if (rows_whole)
            receive_rows(part, row, result);
        else
            receive_strip(part, row, column, room, result);
    });
}

// All columns of a chunk's rows.
void cut_product::receive_rows(counted_rows& part, index_t row, csr& result) {
    const auto from = static_cast<std::size_t>(result.offset(row));
    csr window;
    window.indices = buffer::borrow(result.indices.as<index_t>() + from, 0);
    window.values = buffer::borrow(result.values.as<std::byte>() + from * size_of(p_.value), 0);
    part.send(0, static_cast<index_t>(part.starts().size()) - 1, window);
    part.finish();
}

// Some columns of them, in pieces of up to `room` entries.
void cut_product::receive_strip(counted_rows& part, index_t row, index_t column, offset_t room, csr& result) {
    if (!stages_ || room > stages_->entries()) {
        stages_.reset();
        const auto entries = std::bit_ceil(static_cast<std::uint64_t>(room));  // blocks are kept by size
        stages_ = std::make_unique<stages>(memory_, static_cast<offset_t>(entries), size_of(p_.value));
    }
    const auto starts = part.starts();
    const std::vector<index_t> cuts = plan::mxm_cuts(starts, room);
    const std::size_t pieces = cuts.size() - 1;
    const auto move = [&](std::size_t n) {
        const auto first = static_cast<std::size_t>(cuts[n]), last = static_cast<std::size_t>(cuts[n + 1]);
        storage::append(
            p_.ctx.threads(),
            {starts.subspan(first, last - first + 1), stages_->columns(n), stages_->values(n), column},
            next_.data() + row + first, result);
    };
    constexpr std::size_t under_way = device::copies::slots;
    for (std::size_t n = 0; n < pieces; ++n) {
        csr window = stages_->window(n, starts[static_cast<std::size_t>(cuts[n])]);
        part.send(cuts[n], cuts[n + 1], window);
        if (n >= under_way) move(n - under_way);
    }
    part.finish();
    for (std::size_t n = pieces - std::min(pieces, under_way); n < pieces; ++n) move(n);
}

}  // namespace nz::ops
