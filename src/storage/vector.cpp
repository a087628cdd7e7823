#include "nonzero/vector.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nz {
namespace storage {

offset_t vector_body::find(index_t i) const {
    if (form == vector_form::dense) return i;
    if (form == vector_form::bitmap) return bits::test(words(), i) ? i : -1;
    const index_t* at = std::lower_bound(index_data(), index_data() + count, i);
    return at != index_data() + count && *at == i ? at - index_data() : -1;
}

vector_body make_vector_body(const context& ctx, dtype type, index_t size, vector_form form, offset_t count,
                             bool cleared) {
    vector_body v{ctx, size, type, form, count, {}, {}, {}};
    v.values = buffer(ctx.memory(),
                      static_cast<std::size_t>(form == vector_form::sparse ? count : size) * size_of(type));
    if (form == vector_form::sparse)
        v.indices = buffer(ctx.memory(), static_cast<std::size_t>(count) * sizeof(index_t));
    if (form == vector_form::bitmap) {
        v.present = buffer(ctx.memory(), bits::words_for(size) * sizeof(bits::word));
        if (v.present.bytes() && cleared) std::memset(v.present.data(), 0, v.present.bytes());
        if (v.values.bytes() && (cleared || type == dtype::boolean))
            std::memset(v.values.data(), 0, v.values.bytes());
    }
    return v;
}

vector_body copy(const vector_body& v) {
    vector_body out = make_vector_body(v.ctx, v.type, v.size, v.form, v.count);
    if (out.values.bytes()) std::memcpy(out.values.data(), v.values.data(), out.values.bytes());
    if (out.present.bytes()) std::memcpy(out.present.data(), v.present.data(), out.present.bytes());
    if (out.indices.bytes()) std::memcpy(out.indices.data(), v.indices.data(), out.indices.bytes());
    return out;
}

vector_body convert(const vector_body& v, vector_form form) {
    if (form == v.form) return copy(v);
    require<domain_error>(form != vector_form::dense || v.count == v.size,
                          "{} of {} entries are absent: a dense vector has none absent", v.size - v.count,
                          v.size);
    vector_body out = make_vector_body(v.ctx, v.type, v.size, form, v.count);
    by_width(size_of(v.type), [&]<class U>(std::type_identity<U>) {
        const U* from = v.values.as<const U>();
        U* to = out.values.as<U>();
        offset_t place = 0;
        for_each_entry(v, [&](index_t i, offset_t k) {
            if (form == vector_form::sparse) {
                out.indices.as<index_t>()[place] = i;
                to[place++] = from[k];
            } else {
                to[i] = from[k];
                if (form == vector_form::bitmap) bits::set(out.words(), i);
            }
        });
    });
    return out;
}

vector_body convert_values(const vector_body& v, dtype type) {
    vector_body out = make_vector_body(v.ctx, type, v.size, v.form, v.count);
    if (out.present.bytes()) std::memcpy(out.present.data(), v.present.data(), out.present.bytes());
    if (out.indices.bytes()) std::memcpy(out.indices.data(), v.indices.data(), out.indices.bytes());
    out.values =
        convert_array(v.ctx, v.values, v.type, type, v.form == vector_form::sparse ? v.count : v.size);
    return out;
}

}  // namespace storage

using storage::vector_body;

std::string_view name_of(vector_form form) {
    return form == vector_form::dense ? "dense" : form == vector_form::bitmap ? "bitmap" : "sparse";
}

vector::vector(const context& ctx, dtype type, offset_t size) {
    check_dimension(size, "the vector's size");
    body_ = std::make_shared<vector_body>(
        storage::make_vector_body(ctx, type, static_cast<index_t>(size), vector_form::sparse, 0));
}

vector vector::full(const context& ctx, offset_t size, scalar value) {
    check_dimension(size, "the vector's size");
    vector_body v =
        storage::make_vector_body(ctx, value.type(), static_cast<index_t>(size), vector_form::dense, size);
    storage::by_width(size_of(v.type), [&]<class U>(std::type_identity<U>) {
        std::fill_n(v.values.as<U>(), size, static_cast<U>(value.bits().bits));
    });
    return storage::make_vector(std::move(v));
}

vector vector::from_dense(const context& ctx, dtype type, const void* values, offset_t size) {
    check_dimension(size, "the vector's size");
    if (ctx.gpu() && size && ctx.gpu()->holds(values)) {
        auto there =
            storage::allocate_on_device(ctx, type, static_cast<index_t>(size), vector_form::dense, size);
        ctx.gpu()->wait_for_caller();
        ctx.gpu()->copy(there.values.data(), values, there.values.bytes());
        ctx.gpu()->wait();  // the caller may change his values once this returns
        return storage::make_device_vector(ctx, type, static_cast<index_t>(size), vector_form::dense, size,
                                           std::move(there));
    }
    vector_body v =
        storage::make_vector_body(ctx, type, static_cast<index_t>(size), vector_form::dense, size);
    if (size) std::memcpy(v.values.data(), values, v.values.bytes());
    return storage::make_vector(std::move(v));
}

vector vector::from_tuples(const context& ctx, dtype type, offset_t size, std::span<const index_t> indices,
                           const void* values, std::size_t value_count, const binary_op& duplicates) {
    check_dimension(size, "the vector's size");
    require<dimension_mismatch>(indices.size() == value_count, "{} indices and {} values were given",
                                indices.size(), value_count);
    for (std::size_t k = 0; k < indices.size(); ++k)
        require<index_out_of_bounds>(indices[k] >= 0 && indices[k] < size,
                                     "entry {} is {}, outside the vector of size {}", k, indices[k], size);
    const auto call = duplicates.resolve(type);
    const dtype in = duplicates.input_type(type), out = duplicates.output_type(type);
    const auto n = static_cast<offset_t>(indices.size());
    vector_body v = storage::make_vector_body(ctx, type, static_cast<index_t>(size), vector_form::sparse, n);
    index_t* const places = v.indices.as<index_t>();
    if (std::ranges::adjacent_find(indices, std::ranges::greater_equal()) == indices.end()) {
        std::ranges::copy(indices, places);
        if (n) std::memcpy(v.values.data(), values, v.values.bytes());
        return storage::make_vector(std::move(v));
    }
    const array<offset_t> order(ctx, indices.size());
    std::iota(order.begin(), order.end(), offset_t{0});
    std::ranges::sort(order, [&](offset_t a, offset_t b) {
        return indices[a] != indices[b] ? indices[a] < indices[b] : a < b;
    });
    v.count = 0;
    for (const offset_t k : order) {
        const element x = storage::load(values, type, k);
        if (v.count == 0 || places[v.count - 1] != indices[k]) {
            places[v.count] = indices[k];
            storage::store(v.values.data(), type, v.count++, x);
            continue;
        }
        const element before = storage::load(v.values.data(), type, v.count - 1);
        storage::store(
            v.values.data(), type, v.count - 1,
            cast(call(duplicates.context(), cast(before, type, in), cast(x, type, in)), out, type));
    }
    return storage::make_vector(std::move(v));
}

offset_t vector::size() const { return body_->size; }
offset_t vector::count() const { return body_anywhere().count; }
dtype vector::type() const { return body_->type; }
vector_form vector::form() const { return body_anywhere().form; }

const storage::vector_body& vector::body_anywhere() const {
    body_->home->count_entries(*body_);
    return *body_;
}
const storage::vector_body& vector::body() const {
    body_anywhere();
    body_->home->bring_home(*body_);
    return *body_;
}
storage::vector_body& vector::mutable_body() {
    body();
    if (body_.use_count() > 1)
        body_ = std::make_shared<vector_body>(storage::copy(*body_));
    else
        body_->home = std::make_shared<storage::residence>();  // what the device has is no longer the content
    return *body_;
}

namespace {
void check_place(const vector& v, offset_t i) {
    require<index_out_of_bounds>(i >= 0 && i < v.size(), "entry {} lies outside the vector of size {}", i,
                                 v.size());
}
}  // namespace

std::optional<scalar> vector::get(offset_t i) const {
    check_place(*this, i);
    const offset_t k = body().find(static_cast<index_t>(i));
    if (k < 0) return {};
    return scalar(body_->type, storage::load(body().values.data(), body_->type, k));
}
bool vector::contains(offset_t i) const { return get(i).has_value(); }

namespace {

// A bitmap takes and loses entries in constant time, and a sparse vector moves half of its entries for each unless it is the last; but a
// bitmap has room for all places. That is taken where it is little, and where as many entries, set one by one, have moved several times
// as many bytes, and there is memory for it.
bool takes_bitmap(const vector_body& v, offset_t at) {
    constexpr double little = 1 << 26, times = 4;
    const double width = static_cast<double>(size_of(v.type)), bytes = static_cast<double>(v.size) * width,
                 count = static_cast<double>(v.count),
                 moved = count * count / 4 * (width + static_cast<double>(sizeof(index_t)));
    return bytes <= little || (at < v.count && moved >= times * bytes);
}

bool become_bitmap(vector_body& v) {
    try {
        v = storage::convert(v, vector_form::bitmap);
        return true;
    } catch (const out_of_memory&) {
        return false;
    }
}

// A larger array where this one has no room for another entry; none where it has.
buffer larger_for(const context& ctx, const buffer& array, std::size_t width, offset_t count) {
    const std::size_t used = static_cast<std::size_t>(count) * width;
    return array.bytes() < used + width ? buffer(ctx.memory(), used + used / 2 + 16 * width) : buffer();
}

// Entries [at, count) of an array go one place further, into the larger one where there is one.
void make_room(buffer& array, buffer&& larger, std::size_t width, offset_t at, offset_t count) {
    const std::size_t before = static_cast<std::size_t>(at) * width,
                      used = static_cast<std::size_t>(count) * width;
    std::byte *const from = array.as<std::byte>(), *const to = larger.data() ? larger.as<std::byte>() : from;
    if (used > before) std::memmove(to + before + width, from + before, used - before);
    if (to == from) return;
    if (before) std::memcpy(to, from, before);
    array = std::move(larger);
}

// A sparse vector's entry i, whose value is still to be stored, at this position. Nothing moves before there is memory for both arrays.
void insert_at(vector_body& v, offset_t at, index_t i) {
    buffer values = larger_for(v.ctx, v.values, size_of(v.type), v.count),
           indices = larger_for(v.ctx, v.indices, sizeof(index_t), v.count);
    make_room(v.values, std::move(values), size_of(v.type), at, v.count);
    make_room(v.indices, std::move(indices), sizeof(index_t), at, v.count);
    v.indices.as<index_t>()[at] = i;
    ++v.count;
}

void remove_at(vector_body& v, offset_t at) {
    const std::size_t width = size_of(v.type), after = static_cast<std::size_t>(v.count - at - 1);
    std::byte* const values = v.values.as<std::byte>() + static_cast<std::size_t>(at) * width;
    std::memmove(values, values + width, after * width);
    index_t* const indices = v.indices.as<index_t>() + at;
    std::memmove(indices, indices + 1, after * sizeof(index_t));
    --v.count;
}

}  // namespace

void vector::set(offset_t i, scalar value) {
    check_place(*this, i);
    vector_body* v = &mutable_body();
    const auto place = static_cast<index_t>(i);
    if (v->find(place) < 0 && v->form == vector_form::sparse) {
        const index_t* const begin = v->index_data();
        const offset_t at = std::lower_bound(begin, begin + v->count, place) - begin;
        if (!takes_bitmap(*v, at) || !become_bitmap(*v)) insert_at(*v, at, place);
    }
    if (v->form == vector_form::bitmap && !bits::test(v->words(), i)) {
        bits::set(v->words(), i);
        ++v->count;
    }
    storage::store(v->values.data(), v->type, v->find(place), value.as(v->type));
}

void vector::remove(offset_t i) {
    check_place(*this, i);
    const offset_t at = body().find(static_cast<index_t>(i));
    if (at < 0) return;
    vector_body& v = mutable_body();
    if (v.form == vector_form::sparse && (!takes_bitmap(v, at + 1) || !become_bitmap(v)))
        return remove_at(v, at);
    if (v.form == vector_form::dense) v = storage::convert(v, vector_form::bitmap);
    bits::reset(v.words(), i);
    --v.count;
}

void vector::clear() { *this = vector(body_->ctx, body_->type, body_->size); }

void vector::resize(offset_t size) {
    check_dimension(size, "the vector's size");
    vector_body from = storage::convert(body(), vector_form::sparse);
    const offset_t kept = std::lower_bound(from.index_data(), from.index_data() + from.count,
                                           static_cast<index_t>(std::min<offset_t>(size, from.size))) -
                          from.index_data();
    vector_body to =
        storage::make_vector_body(from.ctx, from.type, static_cast<index_t>(size), vector_form::sparse, kept);
    if (kept) {
        std::memcpy(to.indices.data(), from.indices.data(), to.indices.bytes());
        std::memcpy(to.values.data(), from.values.data(), to.values.bytes());
    }
    *this = storage::make_vector(std::move(to));
}

void vector::convert_to(vector_form form) {
    if (form != this->form()) *this = storage::make_vector(storage::convert(body(), form));
}

bool vector::on_device() const { return body_->home->away(); }

namespace {
// Where no entry is absent every form has them in the order of their places.
void check_dense(const vector_body& v, dtype type) {
    require<domain_error>(v.count == v.size,
                          "{} of {} entries are absent: take those that are there (extract_tuples; in Python "
                          "entries() and to_numpy())",
                          v.size - v.count, v.size);
    require<domain_error>(type == v.type, "the vector holds {}, not {}", name_of(v.type), name_of(type));
}
}  // namespace

const void* vector::dense_values(dtype type) const {
    check_dense(body_anywhere(), type);
    return body().values.data();
}
const void* vector::dense_values_on(const context& gpu, dtype type) const {
    check_dense(body_anywhere(), type);
    require<not_supported>(gpu.gpu() != nullptr, "this context has no GPU: values() gives the host's array");
    // Another GPU's alone: a copy that nobody holds would not outlive this call.
    const vector_body& there = body_->home->away() && !body_->home->away_on(gpu) ? body() : *body_;
    return there.home->lend(gpu, there)->values.data();
}

void vector::copy_tuples(dtype type, index_t* indices, void* values) const {
    offset_t place = 0;
    storage::for_each_entry(body(), [&](index_t i, offset_t k) {
        indices[place] = i;
        storage::store(values, type, place++,
                       cast(storage::load(body().values.data(), body_->type, k), body_->type, type));
    });
}

void vector::validate() const {
    const vector_body& v = body();
    const auto stored = static_cast<std::size_t>(v.form == vector_form::sparse ? v.count : v.size);
    require<invalid_format>(
        v.values.bytes() >= stored * size_of(v.type) &&
            (v.form != vector_form::sparse || v.indices.bytes() >= stored * sizeof(index_t)) &&
            (v.form != vector_form::bitmap ||
             v.present.bytes() >= bits::words_for(v.size) * sizeof(bits::word)),
        "{} vector: arrays are shorter than size {} and {} entries need", name_of(v.form), v.size, v.count);
    if (v.form == vector_form::dense)
        require<invalid_format>(v.count == v.size, "dense vector of size {} says it has {} entries", v.size,
                                v.count);
    if (v.form == vector_form::bitmap) {
        require<invalid_format>(v.count == bits::count(v.words(), v.size),
                                "bitmap holds {} bits, the count is {}", bits::count(v.words(), v.size),
                                v.count);
        for (std::size_t w = 0; w < bits::words_for(v.size); ++w)
            require<invalid_format>((v.words()[w] & ~bits::valid(v.size, w)) == 0,
                                    "bitmap has bits set beyond size {}", v.size);
    }
    if (v.form == vector_form::sparse)
        for (offset_t k = 0; k < v.count; ++k)
            require<invalid_format>(v.index_data()[k] >= 0 && v.index_data()[k] < v.size &&
                                        (k == 0 || v.index_data()[k - 1] < v.index_data()[k]),
                                    "sparse vector: index {} at position {} is out of range or not ascending",
                                    v.index_data()[k], k);
}

}  // namespace nz
