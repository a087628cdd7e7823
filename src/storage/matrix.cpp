#include "nonzero/matrix.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/assemble.hpp"
#include "storage/device_facts.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>

namespace nz {
namespace storage {

matrix_body::matrix_body(const context& c, dtype of, index_t rows, index_t columns)
    : ctx(c),
      row_count(rows),
      column_count(columns),
      type(of),
      blank_(std::make_shared<blank_csr>(of, rows, columns)) {
    rows_ = blank_->rows();
}

matrix_body::matrix_body(const matrix_body& other)
    : ctx(other.ctx),
      row_count(other.row_count),
      column_count(other.column_count),
      type(other.type),
      symmetric_(other.symmetric_) {
    const std::lock_guard lock(other.mutex_);
    rows_ = other.rows_;
    sorted_rows_ = other.sorted_rows_;
    columns_ = other.columns_;
    device_ = other.device_;
    away_ = other.away_;
    blank_ = other.blank_;
    columns_away_ = other.columns_away_;
    weights_ = other.weights_;
    device_edges_ = other.device_edges_;
    joined_ = other.joined_;
    tiles_ = other.tiles_;
    tile_lists_ = other.tile_lists_;
    slices_ = other.slices_;
    blocks_ = other.blocks_;
    ranks_ = other.ranks_;
    bins_ = other.bins_;
    ell_ = other.ell_;
    bit_tiles_ = other.bit_tiles_;
    searched_ = other.searched();
    measured_ = other.measured();
    multiplied_ = other.multiplied();
    expected_ = other.expected_products();
    facts_ = other.facts_;
    pending_ = other.pending_;
}

const csr& matrix_body::shape() const {
    {
        const std::lock_guard lock(mutex_);
        if ((away_ || blank_) && pending_.empty()) return *rows_;
    }
    return rows_as_given();
}

const csr& matrix_body::rows_anywhere() const {
    {
        const std::lock_guard lock(mutex_);
        if (blank_) blank_->fill(ctx);
    }
    const csr& given = shape();
    return given.sorted ? given : rows();
}

void matrix_body::bring_rows_home() const {
    if (away_) away_->bring_home();
    if (blank_) blank_->fill(ctx);
}

const csr& matrix_body::rows_as_given() const {
    const std::lock_guard lock(mutex_);
    bring_rows_home();
    merge_pending();
    return *rows_;
}

std::shared_ptr<const csr> matrix_body::rows_shared() const {
    const std::lock_guard lock(mutex_);
    bring_rows_home();
    merge_pending();
    return sorted_already();
}

std::shared_ptr<const csr> matrix_body::sorted_already() const {
    if (rows_->sorted) return rows_;
    if (!sorted_rows_) {
        csr sorted = copy(ctx, *rows_);
        sort_rows(ctx, sorted, binary_id::second);
        sorted_rows_ = std::make_shared<const csr>(std::move(sorted));
    }
    return sorted_rows_;
}

const csr& matrix_body::columns() const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!columns_) columns_ = symmetric_ ? by_rows : std::make_shared<const csr>(transpose(ctx, *by_rows));
    if (columns_away_) columns_away_->bring_home();
    return *columns_;
}

const csr& matrix_body::columns_hub_first() const {
    const csr& by_columns = columns();
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!hub_first_) hub_first_ = std::make_shared<const csr>(hub_first(ctx, by_columns, *by_rows));
    return *hub_first_;
}

std::shared_ptr<const matrix> matrix_body::turned() const {
    shape();  // changes that wait make it another matrix
    const std::lock_guard lock(mutex_);
    return turned_;
}
std::shared_ptr<const matrix> matrix_body::keep_turned(matrix made) const {
    const std::lock_guard lock(mutex_);
    if (!turned_) turned_ = std::make_shared<const matrix>(std::move(made));
    return turned_;
}

bool matrix_body::has_columns() const {
    const std::lock_guard lock(mutex_);
    return pending_.empty() && (columns_ || symmetric_);
}

bool matrix_body::has_facts() const {
    const std::lock_guard lock(mutex_);
    return pending_.empty() && facts_;
}

const matrix_facts& matrix_body::facts() const {
    const auto on_host = [&] {
        const auto by_rows = rows_shared();
        matrix_facts facts = collect_facts(ctx, *by_rows, row_count == column_count ? &columns() : nullptr);
        facts.sorted = rows_as_given().sorted;
        return facts;
    };
    const auto on_gpu = [&]() -> std::optional<matrix_facts> {
        std::shared_ptr<csr_residence> there;
        {
            const std::lock_guard lock(mutex_);
            if (pending_.empty() && is_away()) there = away_;
        }
        return there ? facts_where_it_lies(there->gpu(), *this) : std::nullopt;
    };
    if (!has_facts()) {
        const auto found = on_gpu();
        const matrix_facts facts = found ? *found : on_host();
        const std::lock_guard lock(mutex_);
        if (!facts_) facts_ = facts;  // what another thread found first may be in use
    }
    const std::lock_guard lock(mutex_);
    return *facts_;
}

void matrix_body::declare_symmetric() { symmetric_ = true; }

void matrix_body::replace(csr a) {
    forget_derived();
    pending_.clear();
    row_count = a.rows;
    column_count = a.columns;
    type = a.type;
    rows_ = std::make_shared<const csr>(std::move(a));
    away_.reset();
    blank_.reset();
}

void matrix_body::forget_derived() {
    drop_derived();
    symmetric_ = false;
}

void matrix_body::drop_derived() const {
    sorted_rows_.reset();
    columns_.reset();
    columns_away_.reset();
    turned_.reset();
    device_ = {};
    weights_.clear();
    device_edges_.clear();
    joined_.clear();
    tiles_.clear();
    tile_lists_.clear();
    slices_.clear();
    sampled_slices_.reset();
    sampled_outside_tiles_.reset();
    blocks_.clear();
    sampled_blocks_.reset();
    ranks_.clear();
    bins_.clear();
    sampled_hot_columns_.reset();
    ell_.clear();
    ell_share_.reset();
    bit_tiles_.clear();
    sampled_tiles_.clear();
    forget_uses();
    hub_first_.reset();
    facts_.reset();
    longest_row_.reset();
    sampled_rows_.reset();
}

// The caller holds the lock.
void matrix_body::merge_pending() const {
    if (pending_.empty()) return;
    const bool own = rows_->sorted && !rows_->offsets.borrowed() && rows_->kind == value_kind::full;
    if (own) drop_derived();  // which may share the rows
    if (!own || rows_.use_count() > 1 || !set_in_place(*rows_, pending_))
        rows_ = std::make_shared<const csr>(merge_changes(ctx, *sorted_already(), pending_));
    away_.reset();
    blank_.reset();
    drop_derived();
    pending_.clear();
}

// A list that is longer is merged first: each look at it is a walk.
constexpr std::size_t changes_looked_through = 64;

std::optional<pending_change> matrix_body::changed_lately(index_t row, index_t column) const {
    const std::lock_guard lock(mutex_);
    if (pending_.size() > changes_looked_through) return {};
    const auto last = std::ranges::find_if(pending_.rbegin(), pending_.rend(), [&](const pending_change& c) {
        return c.row == row && c.column == column;
    });
    return last == pending_.rend() ? std::nullopt : std::optional(*last);
}

std::shared_ptr<const csr> matrix_body::rows_but_for_changes() const {
    const std::lock_guard lock(mutex_);
    bring_rows_home();
    if (pending_.size() > changes_looked_through) merge_pending();
    return sorted_already();
}

void matrix_body::require_room_for_a_change() const {
    if (!ctx.memory_limit()) return;
    const std::lock_guard lock(mutex_);
    bring_rows_home();
    const buffer room(ctx.memory(), merged_bytes(*sorted_already(), pending_.size() + 1));
}

}  // namespace storage

matrix::matrix(const context& ctx, dtype type, offset_t rows, offset_t columns) {
    check_dimension(rows, "the number of rows");
    check_dimension(columns, "the number of columns");
    body_ = std::make_shared<storage::matrix_body>(ctx, type, static_cast<index_t>(rows),
                                                   static_cast<index_t>(columns));
}

offset_t matrix::rows() const { return body_->row_count; }
offset_t matrix::columns() const { return body_->column_count; }
offset_t matrix::nnz() const { return body_->shape().nnz; }
dtype matrix::type() const { return body_->type; }
value_kind matrix::values_held() const { return body_->shape().kind; }
void matrix::expect_products(offset_t count) const {
    require<domain_error>(count >= 0, "{} products to expect: none or more", count);
    body_->shape();  // changes that wait take the expectation back when they are merged
    body_->expect_products(count);
}
const matrix_facts& matrix::facts() const { return body_->facts(); }
const storage::matrix_body& matrix::body() const { return *body_; }

storage::matrix_body& matrix::changed() {
    if (body_.use_count() > 1) body_ = std::make_shared<storage::matrix_body>(*body_);
    return *body_;
}

namespace {
void check_place(const matrix& a, offset_t i, offset_t j) {
    require<index_out_of_bounds>(i >= 0 && i < a.rows() && j >= 0 && j < a.columns(),
                                 "entry ({}, {}) lies outside the {} x {} matrix", i, j, a.rows(),
                                 a.columns());
}
}  // namespace

std::optional<scalar> matrix::get(offset_t i, offset_t j) const {
    check_place(*this, i, j);
    if (const auto changed = body_->changed_lately(static_cast<index_t>(i), static_cast<index_t>(j)))
        return changed->removed ? std::nullopt : std::optional(scalar(type(), changed->value));
    const auto held = body_->rows_but_for_changes();
    const storage::csr& a = *held;
    const index_t *begin = a.index_data() + a.offset(i), *end = a.index_data() + a.offset(i + 1);
    const index_t* at = std::lower_bound(begin, end, static_cast<index_t>(j));
    if (at == end || *at != j) return {};
    return scalar(a.type, a.value(at - a.index_data()));
}
bool matrix::contains(offset_t i, offset_t j) const { return get(i, j).has_value(); }

void matrix::set(offset_t i, offset_t j, scalar value) {
    check_place(*this, i, j);
    body_->require_room_for_a_change();
    changed().add_pending({static_cast<index_t>(i), static_cast<index_t>(j), value.as(type()), false});
}
void matrix::remove(offset_t i, offset_t j) {
    check_place(*this, i, j);
    body_->require_room_for_a_change();
    changed().add_pending({static_cast<index_t>(i), static_cast<index_t>(j), {}, true});
}
void matrix::clear() {
    auto& body = changed();
    body.replace(storage::make_empty_csr(body.ctx, body.type, body.row_count, body.column_count));
}

void matrix::resize(offset_t rows, offset_t columns) {
    check_dimension(rows, "the number of rows");
    check_dimension(columns, "the number of columns");
    const storage::csr& a = body_->rows();
    const offset_t common = std::min<offset_t>(rows, a.rows);
    array<index_t> lengths(body_->ctx, static_cast<std::size_t>(rows));
    lengths.fill(0);
    for (offset_t i = 0; i < common; ++i) {
        const index_t *const begin = a.index_data() + a.offset(i), *const end =
                                                                       a.index_data() + a.offset(i + 1);
        const index_t* const last =
            columns < a.columns ? std::lower_bound(begin, end, static_cast<index_t>(columns)) : end;
        lengths[static_cast<std::size_t>(i)] = static_cast<index_t>(last - begin);
    }
    storage::csr t = storage::allocate_csr(body_->ctx, a.type, a.kind, static_cast<index_t>(rows),
                                           static_cast<index_t>(columns),
                                           std::span<const index_t>(lengths.data(), lengths.size()));
    const std::size_t width = a.kind == value_kind::full ? a.value_bytes() : 0;
    for (offset_t i = 0; i < common; ++i) {
        const auto n = static_cast<std::size_t>(lengths[static_cast<std::size_t>(i)]);
        std::copy_n(a.index_data() + a.offset(i), n, t.indices.as<index_t>() + t.offset(i));
        std::copy_n(a.values.as<const std::byte>() + static_cast<std::size_t>(a.offset(i)) * width, n * width,
                    t.values.as<std::byte>() + static_cast<std::size_t>(t.offset(i)) * width);
    }
    if (a.kind == value_kind::iso) storage::store(t.values.data(), a.type, 0, a.value(0));
    changed().replace(std::move(t));
}

void matrix::validate() const {
    const storage::csr& a = body_->rows();
    storage::validate(a, "csr");
    if (body_->has_columns()) storage::validate(body_->columns(), "csc");
}
void matrix::invalidate() { body_->invalidate(); }

storage::csr matrix::borrowed(const raw_csr& raw) {
    check_dimension(raw.rows, "the number of rows");
    check_dimension(raw.columns_count, "the number of columns");
    storage::csr view;
    view.rows = static_cast<index_t>(raw.rows);
    view.columns = static_cast<index_t>(raw.columns_count);
    view.nnz = raw.nnz;
    view.type = raw.type;
    view.kind = raw.kind;
    view.offset_bytes = static_cast<int>(raw.offset_bytes);
    const std::size_t values = raw.kind == value_kind::full ? raw.nnz : raw.kind == value_kind::iso ? 1 : 0;
    view.offsets = buffer::borrow(raw.offsets, (static_cast<std::size_t>(raw.rows) + 1) * raw.offset_bytes);
    view.indices = buffer::borrow(raw.columns, static_cast<std::size_t>(raw.nnz) * sizeof(index_t));
    view.values = buffer::borrow(raw.values, values * size_of(raw.type));
    require<dimension_mismatch>(raw.offset_count == static_cast<std::size_t>(raw.rows) + 1,
                                "a CSR matrix of {} rows needs {} offsets, {} were given", raw.rows,
                                raw.rows + 1, raw.offset_count);
    require<dimension_mismatch>(
        raw.value_count == values,
        "{} values were given for {} entries: give one for each, one for all, or none", raw.value_count,
        raw.nnz);
    return view;
}

matrix matrix::from_arrays(const context& ctx, const raw_csr& raw, bool copied) {
    storage::csr view = borrowed(raw);
    if (storage::on_device(ctx, {&view.offsets, &view.indices, &view.values}))
        return from_device_arrays(ctx, raw, copied);
    storage::with_offsets(view, [&](const auto* offsets) {
        require<invalid_format>(offsets[0] == 0 && offsets[raw.rows] == raw.nnz,
                                "offsets run from {} to {}; {} columns were given", offsets[0],
                                offsets[raw.rows], raw.nnz);
        for (offset_t i = 0; i < raw.rows; ++i) {
            require<invalid_format>(offsets[i] <= offsets[i + 1] && offsets[i + 1] <= raw.nnz,
                                    "row {} runs from {} to {}, outside 0..{}", i, offsets[i], offsets[i + 1],
                                    raw.nnz);
            for (auto k = offsets[i]; k < offsets[i + 1]; ++k) {
                require<index_out_of_bounds>(raw.columns[k] >= 0 && raw.columns[k] < raw.columns_count,
                                             "row {} has column {}, outside 0..{}", i, raw.columns[k],
                                             raw.columns_count - 1);
                view.sorted = view.sorted && (k == offsets[i] || raw.columns[k - 1] < raw.columns[k]);
            }
        }
    });
    if (!copied) {
        storage::check_width(view);
        if (!view.sorted) {  // unsorted is served; repeats are not, since every entry must have one value
            storage::csr probe = storage::copy(ctx, view);
            storage::sort_rows(ctx, probe, binary_id::second);
            require<invalid_format>(
                probe.nnz == view.nnz,
                "some (row, column) is given more than once: use build (from_coo in Python), which combines repeats");
        }
        return storage::make_matrix(ctx, std::move(view));
    }
    storage::csr own = storage::allocate_csr(ctx, view.type, view.kind, view.rows, view.columns, view.nnz);
    storage::with_offsets(view, [&](const auto* from) {
        for (offset_t i = 0; i <= raw.rows; ++i)
            if (own.offset_bytes == 4)
                own.offsets.as<std::int32_t>()[i] = static_cast<std::int32_t>(from[i]);
            else
                own.offsets.as<std::int64_t>()[i] = from[i];
    });
    if (view.nnz) std::memcpy(own.indices.data(), raw.columns, own.indices.bytes());
    if (own.values.bytes()) std::memcpy(own.values.data(), raw.values, own.values.bytes());
    if (view.sorted) return storage::make_matrix(ctx, std::move(own));
    if (own.kind == value_kind::full) {
        storage::sort_rows(ctx, own, binary_id::plus);
        return storage::make_matrix(ctx, std::move(own));
    }
    // Repeats of one value for all have to be added up: a value each, unless there are none.
    const element only = own.value(0);
    own.values = buffer(ctx.memory(), static_cast<std::size_t>(own.nnz) * own.value_bytes());
    own.kind = value_kind::full;
    for (offset_t k = 0; k < own.nnz; ++k) storage::store(own.values.data(), own.type, k, only);
    storage::sort_rows(ctx, own, binary_id::plus);
    if (own.nnz == view.nnz) {
        own.kind = view.kind;
        own.values = buffer(ctx.memory(), view.kind == value_kind::iso ? own.value_bytes() : 0);
        if (view.kind == value_kind::iso) storage::store(own.values.data(), own.type, 0, only);
    }
    return storage::make_matrix(ctx, std::move(own));
}

namespace {

// Throws for the first coordinate that lies outside.
void check_places(const context& ctx, offset_t rows, offset_t columns, std::span<const index_t> row_indices,
                  std::span<const index_t> column_indices) {
    const auto n = static_cast<offset_t>(row_indices.size());
    const auto outside = [&](offset_t k) {
        const index_t i = row_indices[static_cast<std::size_t>(k)],
                      j = column_indices[static_cast<std::size_t>(k)];
        return (i < 0) | (i >= rows) | (j < 0) | (j >= columns);
    };
    std::atomic<bool> all_inside{true};
    parallel::for_pieces(ctx.threads(), n, [&](offset_t begin, offset_t end) {
        bool any = false;  // without branches, for the vector unit
        for (offset_t k = begin; k < end; ++k) any |= outside(k);
        if (any) all_inside = false;
    });
    for (offset_t k = 0; !all_inside && k < n; ++k)
        require<index_out_of_bounds>(!outside(k), "entry {} is ({}, {}), outside the {} x {} matrix", k,
                                     row_indices[static_cast<std::size_t>(k)],
                                     column_indices[static_cast<std::size_t>(k)], rows, columns);
}

}  // namespace

matrix matrix::from_tuples(const context& ctx, dtype type, offset_t rows, offset_t columns,
                           std::span<const index_t> row_indices, std::span<const index_t> column_indices,
                           const void* values, std::size_t value_count, const binary_op& duplicates) {
    check_dimension(rows, "the number of rows");
    check_dimension(columns, "the number of columns");
    require<dimension_mismatch>(row_indices.size() == column_indices.size(),
                                "{} row indices and {} column indices were given", row_indices.size(),
                                column_indices.size());
    const std::size_t n = row_indices.size();
    require<dimension_mismatch>(value_count == n || value_count <= 1, "{} values were given for {} entries",
                                value_count, n);
    const buffer i = buffer::borrow(row_indices.data(), row_indices.size_bytes()),
                 j = buffer::borrow(column_indices.data(), column_indices.size_bytes()),
                 x = buffer::borrow(values, value_count * size_of(type)), none;
    const bool one_value = value_count != n || n == 1;  // which may lie elsewhere
    if (storage::on_device(ctx, {&i, &j, one_value ? &none : &x})) {
        storage::device_tuples given{static_cast<index_t>(rows),
                                     static_cast<index_t>(columns),
                                     static_cast<offset_t>(n),
                                     row_indices.data(),
                                     column_indices.data(),
                                     value_count ? values : nullptr,
                                     type,
                                     one_value};
        if (auto built = storage::build_on_device(ctx, given, duplicates)) return std::move(*built);
        const buffer i_here = storage::brought_home(ctx, i), j_here = storage::brought_home(ctx, j),
                     x_here = storage::on_device(ctx, {&x}) ? storage::brought_home(ctx, x) : buffer();
        return from_tuples(ctx, type, rows, columns, {i_here.as<index_t>(), n}, {j_here.as<index_t>(), n},
                           x_here.bytes() ? x_here.data() : values, value_count, duplicates);
    }
    if (one_value && storage::on_device(ctx, {&x})) {
        const buffer x_here = storage::brought_home(ctx, x);
        return from_tuples(ctx, type, rows, columns, row_indices, column_indices, x_here.data(), value_count,
                           duplicates);
    }
    check_places(ctx, rows, columns, row_indices, column_indices);
    // One value for several repeated entries still has to be combined: spread it out first.
    array<std::uint64_t> spread(ctx, value_count == n ? 0 : n);
    const element only = value_count == 1 ? storage::load(values, type, 0) : storage::one_of(type);
    if (value_count != n)
        parallel::for_pieces(ctx.threads(), static_cast<offset_t>(n), [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k) storage::store(spread.data(), type, k, only);
        });
    const storage::tuple_chunk chunk{row_indices.data(), column_indices.data(),
                                     value_count == n ? values : spread.data(), static_cast<offset_t>(n)};
    storage::csr made =
        storage::assemble(ctx, type, value_kind::full, static_cast<index_t>(rows),
                          static_cast<index_t>(columns), {&chunk, 1}, storage::mirror::none, duplicates);
    if (value_count != n && storage::stay_alike(duplicates, made.nnz, static_cast<offset_t>(n))) {
        made.kind = value_count ? value_kind::iso : value_kind::pattern;
        made.values = value_count ? buffer(ctx.memory(), size_of(type)) : buffer();
        if (value_count) storage::store(made.values.data(), type, 0, only);
    }
    return storage::make_matrix(ctx, std::move(made));
}

matrix::raw_csr matrix::raw_rows(dtype type, std::size_t offset_bytes) const {
    const storage::csr& a = body_->rows();
    storage::check_stored(a, type, offset_bytes);
    return {a.rows,           a.columns,      a.nnz,           a.type, a.kind, offset_bytes,
            a.offsets.data(), a.index_data(), a.values.data(), 0,      0};
}

void matrix::copy_tuples(dtype type, index_t* row_indices, index_t* column_indices, void* values) const {
    const storage::csr& a = body_->rows();
    for (offset_t i = 0; i < a.rows; ++i)
        for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k) {
            row_indices[k] = static_cast<index_t>(i);
            column_indices[k] = a.index_data()[k];
            storage::store(values, type, k, cast(a.value(k), a.type, type));
        }
}

}  // namespace nz
