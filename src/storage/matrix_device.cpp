// The half of a matrix that GPUs hold: copies and results there, and what is derived from them without the host.
#include "core/checks.hpp"
#include "core/device.hpp"
#include "storage/device_convert.hpp"
#include "storage/device_facts.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <limits>

namespace nz {
namespace storage {

matrix_body::matrix_body(const context& c, std::shared_ptr<csr_residence> away)
    : ctx(c),
      row_count(away->rows()->rows),
      column_count(away->rows()->columns),
      type(away->rows()->type),
      rows_(away->rows()),
      away_(std::move(away)) {
    device_.copies.push_back(away_->entries());
    device_.values.push_back(away_->values());
}

void matrix_body::bring_home(const csr& of) const {
    for (const auto& there : {away_, columns_away_})
        if (there && there->rows().get() == &of) there->bring_home();
    if (blank_ && blank_->rows().get() == &of) blank_->fill(ctx);
}

std::shared_ptr<const device_csr> matrix_body::copy_on(const context& gpu, const csr& of,
                                                       bool marks_empty_rows) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const device_csr> unmarked;
    for (const auto& copy : device_.copies) {
        if (copy->source != &of || copy->memory != gpu.device_memory()) continue;
        if (copy->empty_rows.data() || !marks_empty_rows || of.rows == 0) return copy;
        unmarked = copy;
    }
    device_csr copy{&of, gpu.device_memory(), {}, {}, {}, unmarked};
    if (unmarked) {
        copy.offsets = buffer::borrow(unmarked->offsets.data(), unmarked->offsets.bytes());
        copy.indices = buffer::borrow(unmarked->indices.data(), unmarked->indices.bytes());
    } else {
        bring_home(of);  // another GPU may have it
        copy = copy_to_device(gpu, of);
    }
    if (marks_empty_rows) {
        copy.empty_rows = empty_rows_on_device(gpu, storage::rows_of(of, copy));
        gpu.gpu()->wait();
    }
    return device_.copies.emplace_back(std::make_shared<const device_csr>(std::move(copy)));
}
std::shared_ptr<const device_balance> matrix_body::balance_on(const context& gpu, const csr& of) const {
    const auto there = copy_on(gpu, of, false);
    const std::lock_guard lock(mutex_);
    for (const auto& b : device_.balances)
        if (b->source == &of && b->memory == gpu.device_memory()) return b;
    return device_.balances.emplace_back(
        std::make_shared<const device_balance>(balance_on_device(gpu, of, storage::rows_of(of, *there))));
}
std::shared_ptr<const device_heads> matrix_body::heads_on(const context& gpu, const csr& of, row_heads kind,
                                                          const std::function<void(buffer&)>& build) const {
    const std::lock_guard lock(mutex_);
    for (const auto& h : device_.heads)
        if (h->source == &of && h->memory == gpu.device_memory() && h->kind == kind) return h;
    buffer heads(gpu.device_memory(), static_cast<std::size_t>(of.rows) * 2 * sizeof(std::uint32_t));
    build(heads);
    return device_.heads.emplace_back(
        std::make_shared<const device_heads>(&of, gpu.device_memory(), kind, std::move(heads)));
}
std::shared_ptr<const device_values> matrix_body::values_on(const context& gpu, const csr& of,
                                                            dtype wanted) const {
    const std::lock_guard lock(mutex_);
    for (const auto& v : device_.values)
        if (v->source == &of && v->memory == gpu.device_memory() && v->type == wanted) return v;
    for (const auto& v : device_.values)
        if (v->source == &of && v->memory == gpu.device_memory() && v->type == of.type)
            return device_.values.emplace_back(std::make_shared<const device_values>(
                device_values{&of, v->memory, wanted,
                              converted_on_device(gpu, v->values.data(), of.type, wanted,
                                                  of.kind == value_kind::full ? of.nnz : 1)}));
    bring_home(of);
    return device_.values.emplace_back(
        std::make_shared<const device_values>(values_on_device(gpu, of, wanted)));
}
std::shared_ptr<const device_csr> matrix_body::rows_on(const context& gpu) const {
    return copy_on(gpu, rows_anywhere());
}
std::shared_ptr<const device_csr> matrix_body::entries_on(const context& gpu) const {
    return copy_on(gpu, rows_anywhere(), false);
}
std::shared_ptr<const device_csr> matrix_body::columns_on(const context& gpu) const {
    return copy_on(gpu, columns_anywhere(gpu));
}
std::shared_ptr<const device_csr> matrix_body::columns_hub_first_on(const context& gpu) const {
    return copy_on(gpu, columns_hub_first());
}

std::size_t matrix_body::bytes_to_place(const context& gpu, const csr& of,
                                        std::optional<dtype> values) const {
    const std::lock_guard lock(mutex_);
    const auto there = [&](const auto& held) {
        return held->source == &of && held->memory == gpu.device_memory();
    };
    std::size_t bytes = 0;
    if (std::ranges::none_of(device_.copies, there))
        bytes += (static_cast<std::size_t>(of.rows) + 1) * static_cast<std::size_t>(of.offset_bytes) +
                 static_cast<std::size_t>(of.nnz) * sizeof(index_t) + index_padding;
    if (values &&
        std::ranges::none_of(device_.values, [&](const auto& v) { return there(v) && v->type == *values; }))
        bytes += (of.kind == value_kind::full ? static_cast<std::size_t>(of.nnz) : 1) * size_of(*values);
    return bytes;
}
bool matrix_body::is_alone_there(const void* copy) const {
    for (const auto& there : {away_, columns_away_})
        if (there && (copy == there->entries().get() || copy == there->values().get())) return true;
    return false;
}
std::size_t matrix_body::bytes_on(const context& gpu) const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    const auto owned = [](const buffer& b) { return b.borrowed() ? 0 : b.bytes(); };
    for (const auto& c : device_.copies)
        if (c->memory == gpu.device_memory() && !is_alone_there(c.get()))
            bytes += owned(c->offsets) + owned(c->indices) + owned(c->empty_rows);
    for (const auto& v : device_.values)
        if (v->memory == gpu.device_memory() && !is_alone_there(v.get())) bytes += owned(v->values);
    return bytes;
}
std::size_t matrix_body::form_bytes_on(const context& gpu) const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    const auto add = [&](const auto& kept) {
        for (const auto& form : kept)
            if (form->memory == gpu.device_memory()) bytes += form->bytes();
    };
    add(tiles_);
    add(slices_);
    add(blocks_);
    add(ranks_);
    add(bins_);
    add(ell_);
    for (const auto& lists : tile_lists_)
        if (lists->source->memory == gpu.device_memory()) bytes += lists->starts.bytes() + lists->met.bytes();
    for (const auto& bits : device_.bit_tiles)
        if (bits.memory == gpu.device_memory()) bytes += bits.tiles->bytes();
    for (const auto& edges : device_edges_)
        if (edges->memory == gpu.device_memory()) bytes += edges->offsets.bytes() + edges->edges.bytes();
    for (const auto& heads : device_.heads)
        if (heads->memory == gpu.device_memory()) bytes += heads->heads.bytes();
    for (const auto& balance : device_.balances)
        if (balance->memory == gpu.device_memory()) bytes += balance->bytes();
    return bytes;
}
void matrix_body::leave(const context& gpu) const {
    const std::lock_guard lock(mutex_);
    const auto is_there = [&](const auto& held) { return held->memory == gpu.device_memory(); };
    const auto goes = [&](const auto& held) { return is_there(held) && !is_alone_there(held.get()); };
    turned_.reset();
    std::erase_if(device_.copies, goes);
    std::erase_if(device_.values, goes);
    // Before what they were made from.
    std::erase_if(tile_lists_, [&](const auto& l) { return l->source->memory == gpu.device_memory(); });
    std::erase_if(tiles_, is_there);
    std::erase_if(slices_, is_there);
    std::erase_if(blocks_, is_there);
    std::erase_if(ranks_, is_there);
    std::erase_if(bins_, is_there);
    std::erase_if(ell_, is_there);
    std::erase_if(device_edges_, is_there);
    std::erase_if(device_.heads, is_there);
    std::erase_if(device_.balances, is_there);
    std::erase_if(device_.bit_tiles, [&](const auto& b) { return b.memory == gpu.device_memory(); });
}

void matrix_body::lend(std::initializer_list<std::shared_ptr<const void>> arrays) const {
    const std::lock_guard lock(mutex_);
    for (const auto& array : arrays)
        if (std::ranges::find(device_.lent, array) == device_.lent.end()) device_.lent.push_back(array);
}

std::shared_ptr<const edge_weights> matrix_body::weights_as(dtype of) const {
    const csr& a = rows();
    const std::lock_guard lock(mutex_);
    for (const auto& w : weights_)
        if (w->source == &a && w->type == of) return w;
    return weights_.emplace_back(std::make_shared<const edge_weights>(as_edge_weights(ctx, a, of)));
}
std::shared_ptr<const joined_edges> matrix_body::joined_as(dtype of) const {
    const auto weights = weights_as(of);
    const std::lock_guard lock(mutex_);
    for (const auto& joined : joined_)
        if (joined->source == weights->source && joined->type == of) return joined;
    return joined_.emplace_back(std::make_shared<const joined_edges>(join_edges(ctx, *weights)));
}
std::shared_ptr<const device_edges> matrix_body::edges_on(const context& gpu, dtype of) const {
    const csr& a = rows_anywhere();
    {
        const std::lock_guard lock(mutex_);
        for (const auto& copy : device_edges_)
            if (copy->source == &a && copy->type == of && copy->memory == gpu.device_memory()) return copy;
    }
    std::optional<device_edges> made;
    if (bytes_to_place(gpu, a, a.type) == 0)
        made = edges_of_rows_on_device(gpu, a, entries_on(gpu), values_on(gpu, a, a.type)->values.data(), of);
    // Of what is no length the host says which entry it is.
    if (!made) made = copy_edges_to_device(gpu, *weights_as(of));
    const std::lock_guard lock(mutex_);
    return device_edges_.emplace_back(std::make_shared<const device_edges>(std::move(*made)));
}

namespace {

// The same arrays under another name.
std::shared_ptr<const device_csr> renamed(const csr& name, const device_csr& of,
                                          std::shared_ptr<const void> owner) {
    return std::make_shared<const device_csr>(
        device_csr{&name,
                   of.memory,
                   buffer::borrow(of.offsets.data(), of.offsets.bytes()),
                   buffer::borrow(of.indices.data(), of.indices.bytes()),
                   {},
                   std::move(owner),
                   of.callers});
}

}  // namespace

std::shared_ptr<csr_residence> matrix_body::transposed_on(const context& gpu, const csr& rows) const {
    const auto entries = entries_on(gpu);
    const auto values = values_on(gpu, rows, rows.type);
    auto shape = std::make_shared<csr>(rows.shape());
    std::swap(shape->rows, shape->columns);
    const bool each = rows.kind == value_kind::full;
    device_transpose t = transpose_on_device(gpu, storage::rows_of(rows, *entries), values->values.data(),
                                             each ? size_of(rows.type) : 0);
    if (!each) {
        t.values = buffer(gpu.device_memory(), values->values.bytes());
        gpu.gpu()->copy(t.values.data(), values->values.data(), t.values.bytes());
    }
    gpu.gpu()->wait();  // its temporary memory goes
    const auto& memory = gpu.device_memory();
    auto made = std::make_shared<const device_csr>(
        device_csr{shape.get(), memory, std::move(t.offsets), std::move(t.indices), {}});
    auto held = std::make_shared<const device_values>(
        device_values{shape.get(), memory, shape->type, std::move(t.values)});
    return std::make_shared<csr_residence>(gpu, std::move(shape), std::move(made), std::move(held));
}

matrix matrix_body::transposed(const context& own, const context& gpu) const {
    std::shared_ptr<csr_residence> made;
    {
        const std::lock_guard lock(mutex_);
        if (columns_away_ && columns_away_->entries()->memory == gpu.device_memory()) made = columns_away_;
    }
    if (!made) made = transposed_on(gpu, rows_anywhere());
    return matrix(std::make_shared<matrix_body>(own, std::move(made)));
}

const csr& matrix_body::columns_anywhere(const context& gpu) const {
    const csr& rows = rows_anywhere();
    if (symmetric_) return rows;
    {
        const std::lock_guard lock(mutex_);
        if (columns_) return *columns_;
    }
    constexpr offset_t most = std::numeric_limits<std::uint32_t>::max();
    std::shared_ptr<csr_residence> made;
    if (gpu.gpu() && away() && rows.nnz <= most) {
        try {
            made = transposed_on(gpu, rows);
        } catch (const out_of_memory&) {  // the host has room
        }
    }
    if (!made) return columns();
    const std::lock_guard lock(mutex_);
    if (columns_) return *columns_;
    columns_ = made->rows();
    columns_away_ = made;
    device_.copies.push_back(made->entries());
    device_.values.push_back(made->values());
    return *columns_;
}

offset_t matrix_body::longest_row() const {
    const csr& rows = rows_anywhere();
    const std::lock_guard lock(mutex_);
    if (longest_row_) return *longest_row_;
    if (is_away() && rows_.get() == &rows) {
        longest_row_ = longest_row_on_device(away_->gpu(), storage::rows_of(rows, *away_->entries()));
        return *longest_row_;
    }
    offset_t longest = 0;
    for (index_t i = 0; i < rows.rows; ++i) longest = std::max(longest, rows.offset(i + 1) - rows.offset(i));
    longest_row_ = longest;
    return longest;
}

row_sample matrix_body::sampled_rows() const {
    const csr& rows = rows_anywhere();
    const std::lock_guard lock(mutex_);
    if (!sampled_rows_)
        sampled_rows_ =
            is_away() && rows_.get() == &rows
                ? summed(sample_on_device(away_->gpu(), storage::rows_of(rows, *away_->entries())), rows.rows,
                         rows.columns)
                : sample_rows(rows);
    return *sampled_rows_;
}

void matrix_body::invalidate() {
    const auto there = away_;
    if (there && there->entries()->callers) there->gpu().wait_for_caller();
    forget_derived();
    if (!there) return;
    // The host's copy of arrays that lie on a GPU is derived as well: the same arrays under a new name.
    auto shape = std::make_shared<csr>(there->rows()->shape());
    const device_csr& entries = *there->entries();
    const device_values& values = *there->values();
    // Whoever has the arrays, not who borrowed them in turn.
    using arrays = std::pair<std::shared_ptr<const device_csr>, std::shared_ptr<const device_values>>;
    const std::shared_ptr<const void> owner =
        entries.owner && values.values.borrowed()
            ? entries.owner
            : std::make_shared<const arrays>(there->entries(), there->values());
    auto same = renamed(*shape, entries, owner);
    auto held = std::make_shared<const device_values>(
        device_values{shape.get(), values.memory, values.type,
                      buffer::borrow(values.values.data(), values.values.bytes())});
    rows_ = shape;
    away_ = std::make_shared<csr_residence>(there->gpu(), std::move(shape), std::move(same), std::move(held));
    device_.copies.push_back(away_->entries());
    device_.values.push_back(away_->values());
}

matrix make_device_matrix(const context& own, const context& gpu, csr shape, buffer offsets, buffer indices,
                          buffer values) {
    const auto rows = std::make_shared<csr>(std::move(shape));
    const auto& memory = gpu.device_memory();
    const bool callers = offsets.borrowed();
    auto entries = std::make_shared<const device_csr>(
        device_csr{rows.get(), memory, std::move(offsets), std::move(indices), {}, {}, callers});
    auto held = std::make_shared<const device_values>(
        device_values{rows.get(), memory, rows->type, std::move(values)});
    return matrix(std::make_shared<matrix_body>(
        own, std::make_shared<csr_residence>(gpu, rows, std::move(entries), std::move(held))));
}

matrix make_device_matrix(const context& own, const context& gpu, const csr& places,
                          const std::shared_ptr<const device_csr>& entries, buffer values) {
    if (entries->callers) {
        const auto copy_of = [&](const buffer& from, std::size_t bytes, std::size_t padding) {
            buffer to(gpu.device_memory(), bytes + padding);
            gpu.gpu()->copy(to.data(), from.data(), bytes);
            gpu.gpu()->fill(to.as<std::byte>() + bytes, 0, padding);
            return to;
        };
        return make_device_matrix(
            own, gpu, places.shape(), copy_of(entries->offsets, entries->offsets.bytes(), 0),
            copy_of(entries->indices, static_cast<std::size_t>(places.nnz) * sizeof(index_t), index_padding),
            std::move(values));
    }
    auto rows = std::make_shared<csr>(places.shape());
    auto named = renamed(*rows, *entries, entries);
    auto held = std::make_shared<const device_values>(
        device_values{rows.get(), gpu.device_memory(), rows->type, std::move(values)});
    return matrix(std::make_shared<matrix_body>(
        own, std::make_shared<csr_residence>(gpu, std::move(rows), std::move(named), std::move(held))));
}

std::optional<matrix_facts> facts_where_it_lies(const context& gpu, const matrix_body& a) {
    try {
        const csr& rows = a.rows_anywhere();
        const bool square = rows.rows == rows.columns;
        const csr* const columns = square ? &a.columns_anywhere(gpu) : nullptr;
        if (!a.away()) return {};
        const auto entries = a.entries_on(gpu), others = square ? a.columns_on(gpu) : nullptr;
        std::optional<device_rows> transposed;
        if (square) transposed = rows_of(*columns, *others);
        return facts_on_device(gpu, rows_of(rows, *entries), transposed ? &*transposed : nullptr);
    } catch (const out_of_memory&) {  // the host has room
        return {};
    }
}

bool on_device(const context& ctx, std::initializer_list<const buffer*> arrays) {
    if (!ctx.gpu()) return false;
    int given = 0, held = 0;
    for (const buffer* array : arrays) {
        given += array->data() != nullptr && array->bytes() > 0;
        held += array->data() != nullptr && array->bytes() > 0 && ctx.gpu()->holds(array->data());
    }
    require<domain_error>(held == 0 || held == given,
                          "{} of {} arrays lie in the GPU's memory: give all there or all on the host", held,
                          given);
    return held > 0;
}

bool stay_alike(const binary_op& duplicates, offset_t entries, offset_t given) {
    using enum binary_id;
    const binary_id op = duplicates.id();
    return entries == given || op == first || op == second || op == any || op == min || op == max;
}

std::optional<matrix> build_on_device(const context& ctx, device_tuples given, const binary_op& duplicates) {
    device::session& session = *ctx.gpu();
    session.wait_for_caller();
    // A value for each of one coordinate is all values.
    const value_kind alike = !given.values     ? value_kind::pattern
                             : given.count > 1 ? value_kind::iso
                                               : value_kind::full;
    buffer only;
    if (given.one_value && !(given.values && session.holds(given.values))) {
        const element x = given.values ? load(given.values, given.type, 0) : one_of(given.type);
        only = buffer(ctx.device_memory(), sizeof x);
        session.upload(only.data(), &x, sizeof x);
        given.values = only.data();
    }
    auto built = assemble_on_device(ctx, given, duplicates);
    if (!built) return {};
    if (const offset_t k = built->outside; k >= 0) {
        index_t i = 0, j = 0;
        session.download(&i, given.row_indices + k, sizeof i);
        session.download(&j, given.column_indices + k, sizeof j);
        fail<index_out_of_bounds>("entry {} is ({}, {}), outside the {} x {} matrix", k, i, j, given.rows,
                                  given.columns);
    }
    const bool one_for_all = given.one_value && stay_alike(duplicates, built->nnz, given.count);
    if (one_for_all) {
        built->values = buffer(ctx.device_memory(), size_of(given.type));
        session.copy(built->values.data(), given.values, built->values.bytes());
    }
    session.wait();  // the caller may change his arrays once this returns
    return make_device_matrix(
        ctx, ctx,
        csr_shape(given.type, one_for_all ? alike : value_kind::full, given.rows, given.columns, built->nnz),
        std::move(built->offsets), std::move(built->indices), std::move(built->values));
}

buffer brought_home(const context& ctx, const buffer& there) {
    buffer here(ctx.memory(), there.bytes());
    if (there.bytes()) ctx.gpu()->download(here.data(), there.data(), there.bytes());
    return here;
}

void check_stored(const csr& a, dtype type, std::size_t offset_bytes) {
    require<domain_error>(type == a.type, "the matrix holds {}, not {}", name_of(a.type), name_of(type));
    require<domain_error>(offset_bytes == static_cast<std::size_t>(a.offset_bytes),
                          "the matrix has {}-byte offsets, not {}-byte ones", a.offset_bytes, offset_bytes);
}

void check_width(const csr& a) {
    require<not_supported>(a.offset_bytes == offset_bytes_for(a.nnz),
                           "{}-byte offsets for {} entries: borrow {}-byte ones, or copy with from_csr",
                           a.offset_bytes, a.nnz, offset_bytes_for(a.nnz));
}

}  // namespace storage

bool matrix::on_device() const { return body_->away(); }

matrix matrix::from_device_arrays(const context& ctx, const raw_csr& raw, bool copied) {
    device::session& session = *ctx.gpu();
    storage::csr given = borrowed(raw);
    session.wait_for_caller();
    const storage::device_check found = storage::check_on_device(
        ctx, {given.rows, given.columns, given.nnz, raw.offsets, given.offset_bytes == 8, raw.columns});
    if (!found.valid || (copied && !found.sorted)) {  // the host's path finds the words, or sorts
        const buffer offsets = storage::brought_home(ctx, given.offsets),
                     columns = storage::brought_home(ctx, given.indices),
                     values = storage::brought_home(ctx, given.values);
        raw_csr on_host = raw;
        on_host.offsets = offsets.data();
        on_host.columns = columns.as<index_t>();
        on_host.values = values.data();
        return from_arrays(ctx, on_host, true);
    }
    buffer offsets, indices, values;
    const auto copy_of = [&](const buffer& from, std::size_t padding) {
        buffer to(ctx.device_memory(), from.bytes() + padding);
        session.copy(to.data(), from.data(), from.bytes());
        if (padding) session.fill(to.as<std::byte>() + from.bytes(), 0, padding);
        return to;
    };
    const bool narrows = given.offset_bytes != storage::offset_bytes_for(given.nnz);
    if (copied) {
        offsets = narrows ? storage::narrowed_on_device(ctx, given.offsets.as<const std::int64_t>(),
                                                        raw.offset_count)
                          : copy_of(given.offsets, 0);
        indices = copy_of(given.indices, storage::index_padding);
        values = copy_of(given.values, 0);
        given.offset_bytes = storage::offset_bytes_for(given.nnz);
        session.wait();  // the caller may change his arrays once this returns
    } else {
        storage::check_width(given);
        require<not_supported>(found.sorted,
                               "some row's columns do not ascend: copy with from_csr, which sorts");
        // Kernels read columns in aligned groups of eight, so also the few places after the last that share its 32 bytes.
        require<not_supported>(reinterpret_cast<std::uintptr_t>(raw.columns) % storage::index_padding == 0,
                               "columns on a GPU start at a multiple of {} bytes: copy with from_csr",
                               storage::index_padding);
        offsets = std::move(given.offsets);
        indices = std::move(given.indices);
        values = std::move(given.values);
    }
    if (given.kind == value_kind::pattern) {
        const element one = storage::one_of(given.type);
        values = buffer(ctx.device_memory(), sizeof one);
        session.upload(values.data(), &one, sizeof one);
    }
    given.offsets = buffer();
    given.indices = buffer();
    given.values = buffer();
    return storage::make_device_matrix(ctx, ctx, std::move(given), std::move(offsets), std::move(indices),
                                       std::move(values));
}

matrix::raw_csr matrix::raw_rows_on(const context& gpu, dtype type, std::size_t offset_bytes) const {
    require<not_supported>(gpu.gpu() != nullptr, "this context has no GPU: csr() gives the host's arrays");
    const storage::csr& a = body_->rows_anywhere();
    storage::check_stored(a, type, offset_bytes);
    const auto entries = body_->entries_on(gpu);
    const auto values = body_->values_on(gpu, a, a.type);
    body_->lend({entries, values});
    const std::size_t count = a.kind == value_kind::full ? static_cast<std::size_t>(a.nnz) : 1;
    return {a.rows,
            a.columns,
            a.nnz,
            a.type,
            a.kind,
            offset_bytes,
            entries->offsets.data(),
            entries->indices.as<index_t>(),
            values->values.data(),
            static_cast<std::size_t>(a.rows) + 1,
            count};
}

}  // namespace nz
