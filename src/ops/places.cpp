#include "ops/places.hpp"

#include "core/device.hpp"
#include "kernels/cpu/assign/places.hpp"
#include "kernels/cpu/extract/places.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/reference/places.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/line_sources.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"
#include "ops/write_back_entry.hpp"
#include "storage/device_convert.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

using kernels::places_arguments;
using kernels::words_side;
using storage::device_vector;
using storage::vector_body;

vector_body result_of(const context& ctx, places_arguments& k, dtype type) {
    vector_body t = storage::make_vector_body(ctx, type, k.size, vector_form::bitmap, 0, false);
    k.value_bytes = size_of(type);
    k.threads = ctx.threads();
    k.values = t.values.data();
    k.present = t.words();
    return t;
}

// A dense or bitmap copy on the GPU, in `type`.
class device_side {
public:
    device_side(const context& ctx, const vector& v, dtype type)
        : placed_(place_on_device(ctx, v.body_anywhere())) {
        const kernels::device_entries& e = placed_.entries;
        words = {e.values, e.form == vector_form::bitmap ? e.present : nullptr, 1};
        if (e.type == type) return;
        converted_ = storage::converted_on_device(ctx, e.values, e.type, type, e.size, words.present);
        words.values = converted_.data();
    }
    words_side words;

private:
    placed_vector placed_;
    buffer converted_;
};

// A vector's entries go to the listed places each, one value to all of them, however often they are listed.
line_sources sources_of(const context& ctx, const assigned& u, const index_list& list, offset_t extent) {
    return u.u ? line_sources::spread(ctx, list, extent) : line_sources::repeated(ctx, list, extent);
}

vector moved_on_device(const context& ctx, places_arguments& k, dtype type,
                       void (*by)(const places_arguments&, void*)) {
    device_vector t = storage::allocate_on_device(ctx, type, k.size, vector_form::bitmap, 0);
    k.value_bytes = size_of(type);
    k.values = t.values.data();
    k.present = t.present.as<bits::word>();
    by(k, ctx.gpu()->stream());
    return from_bitmap(ctx, type, k.size, std::move(t));
}

}  // namespace

vector_body extract_places(const context& ctx, const vector_body& u, const index_list& list) {
    const auto sources = line_sources::listed(ctx, list, u.size);
    if (sources.all()) return storage::copy(u);
    const words_operand from(u, u.type);
    array<index_t> own;
    places_arguments k;
    k.size = sources.lines();
    k.sources = sources.sources(ctx, own);
    k.from = from.side();
    vector_body t = result_of(ctx, k, u.type);
    t.count = kernels::cpu::extract_places(k);
    return t;
}

vector_body assign_places(const context& ctx, const vector_body& w, const assigned& u, const index_list& list,
                          bool keeps_rest) {
    const auto sources = sources_of(ctx, u, list, w.size);
    const dtype type = keeps_rest ? w.type : u.type();
    const element one = u.x.as(type);
    array<index_t> own;
    places_arguments k;
    k.size = w.size;
    k.sources = sources.sources(ctx, own);
    std::optional<words_operand> from, rest;
    if (u.u) k.from = from.emplace(u.u->body(), type).side();
    std::uint64_t value = 0;
    storage::store(&value, type, 0, one);
    if (!u.u) k.from = {&value, nullptr, 0};
    k.has_rest = keeps_rest;
    if (keeps_rest) k.rest = rest.emplace(w, type).side();
    vector_body t = result_of(ctx, k, type);
    t.count = kernels::cpu::assign_places(k);
    return t;
}

bool assign_in_place(vector& w, const assigned& u, const index_list& list,
                     const std::optional<binary_op>& accum) {
    if (w.is_shared() || w.on_device() || w.form() == vector_form::sparse) return false;
    const vector_body* const from = u.u ? &u.u->body() : nullptr;
    if (from == &w.body()) return false;
    const auto found = [&](index_t source) { return from ? from->find(source) : 0; };
    const auto targets = kernels::reference::last_by_place(list, w.size());
    const bool leaves_gaps = from && !accum && from->form != vector_form::dense;
    if (leaves_gaps && w.form() == vector_form::dense &&
        std::ranges::any_of(targets, [&](const auto& to) { return found(to.source) < 0; }))
        return false;
    const auto join = accumulator(accum, w.type(), u.type());
    vector_body& v = w.mutable_body();
    for (const auto [place, source] : targets) {
        const offset_t at = found(source);
        const bool present = v.find(place) >= 0;
        if (at >= 0) {
            const element x = from ? storage::load(from->values.data(), from->type, at) : u.x.bits();
            storage::store(v.values.data(), v.type, place,
                           join && present ? (*join)(storage::load(v.values.data(), v.type, place), x)
                                           : cast(x, u.type(), v.type));
            if (!present) bits::set(v.words(), place);
            v.count += !present;
        } else if (!accum && present) {
            bits::reset(v.words(), place);
            --v.count;
        }
    }
    settle(v);
    return true;
}

std::optional<vector> extract_places_on_device(const context& ctx, const vector& u, const index_list& list) {
    if (!lives_there(ctx, u)) return {};
    if (list.is_all()) return u;
    return if_it_fits<vector>([&] {
        const auto all = line_sources::listed(ctx, list, u.size());
        device_lines there(ctx, all);
        const device_side from(ctx, u, u.type());
        places_arguments k;
        k.size = static_cast<index_t>(list.size(u.size()));
        k.sources = there.sources();
        k.from = from.words;
        return moved_on_device(ctx, k, u.type(), kernels::on_cuda().places.extract);
    });
}

std::optional<vector> assign_places_on_device(const context& ctx, const vector& w, const assigned& u,
                                              const index_list& list, bool keeps_rest) {
    if (!lives_there(ctx, w) && !(u.u && lives_there(ctx, *u.u))) return {};
    return if_it_fits<vector>([&] {
        if (list.is_all()) return u.u ? *u.u : full(ctx, w.size(), u.x);
        const dtype type = keeps_rest ? w.type() : u.type();
        const auto all = sources_of(ctx, u, list, w.size());
        device_lines there(ctx, all);
        const buffer value(ctx.device_memory(), size_of(type));
        places_arguments k;
        k.size = static_cast<index_t>(w.size());
        k.sources = there.sources();
        std::optional<device_side> from, rest;
        if (u.u) {
            k.from = from.emplace(ctx, *u.u, type).words;
        } else {
            kernels::on_cuda().vectors.fill(value.data(), type, 1, u.x.as(type), ctx.gpu()->stream());
            k.from = {value.data(), nullptr, 0};
        }
        k.has_rest = keeps_rest;
        if (keeps_rest) k.rest = rest.emplace(ctx, w, type).words;
        return moved_on_device(ctx, k, type, kernels::on_cuda().places.assign);
    });
}

}  // namespace nz::ops
