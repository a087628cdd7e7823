#include "ops/write_back.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "ops/masks.hpp"
#include "ops/vector_words.hpp"
#include "ops/write_back_entry.hpp"

#include <atomic>

namespace nz::ops {
namespace {

using storage::load;
using storage::store;
using storage::vector_body;

// Few entries on both sides: merge the two lists, asking the mask at each place.
vector_body merge_sparse(const vector_body& w, const vector_body& t, const vector_mask& mask,
                         const vector_options& options) {
    const auto accum = accumulator(options.accum, w.type, t.type);
    vector_body out =
        storage::make_vector_body(w.ctx, w.type, w.size, vector_form::sparse, w.count + t.count);
    offset_t pw = 0, pt = 0, place = 0;
    while (pw < w.count || pt < t.count) {
        const index_t iw = pw < w.count ? w.index_data()[pw] : w.size,
                      it = pt < t.count ? t.index_data()[pt] : w.size;
        const index_t i = std::min(iw, it);
        const outcome o = decide(iw == i, it == i, mask(i), accum.has_value(), options.replace);
        const element old = iw == i ? load(w.values.data(), w.type, pw) : element{};
        const element result = it == i ? load(t.values.data(), t.type, pt) : element{};
        pw += iw == i;
        pt += it == i;
        if (!o.old_value && !o.new_value) continue;
        out.indices.as<index_t>()[place] = i;
        store(out.values.data(), w.type, place++,
              !o.new_value  ? old
              : o.old_value ? (*accum)(old, result)
                            : cast(result, t.type, w.type));
    }
    out.count = place;
    return out;
}

// Calls f(i, position) for each entry, shared out over threads.
template <class F>
void for_each_entry_shared(const context& ctx, const vector_body& v, F&& f) {
    if (v.form != vector_form::bitmap) {
        const index_t* indices = v.form == vector_form::sparse ? v.index_data() : nullptr;
        return parallel::for_pieces(ctx.threads(), v.count, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k) f(indices ? indices[k] : static_cast<index_t>(k), k);
        });
    }
    const auto words = static_cast<offset_t>(bits::words_for(v.size));
    parallel::for_pieces(
        ctx.threads(), words,
        [&](offset_t begin, offset_t end) {
            for (offset_t w = begin; w < end; ++w)
                bits::for_each(v.words()[w], w * bits::per_word,
                               [&](offset_t i) { f(static_cast<index_t>(i), i); });
        },
        1, 256);
}

array<bits::word> presence_words(const context& ctx, const vector_body& v) {
    array<bits::word> words(ctx, bits::words_for(v.size));
    for (std::size_t k = 0; k < words.size(); ++k)
        words[k] = v.form == vector_form::dense    ? bits::valid(v.size, k)
                   : v.form == vector_form::bitmap ? v.words()[k]
                                                   : 0;
    if (v.form == vector_form::sparse)
        for (offset_t k = 0; k < v.count; ++k) bits::set(words.data(), v.index_data()[k]);
    return words;
}

array<bits::word> allowed_words(const context& ctx, index_t size, const vector_options& options) {
    array<bits::word> words;
    if (options.mask) {
        words = mask_words(ctx, *options.mask, options.mask_structure);
    } else {
        words = array<bits::word>(ctx, bits::words_for(size));
        words.fill(~bits::word{0});
    }
    for (std::size_t k = 0; k < words.size(); ++k)
        words[k] = (options.mask_complement ? ~words[k] : words[k]) & bits::valid(size, k);
    return words;
}

// Makes the output a bitmap in its own storage, values where they are when they can stay.
vector_body& as_own_bitmap(vector& w) {
    vector_body& v = w.mutable_body();
    if (v.form == vector_form::sparse) v = convert(v, vector_form::bitmap);
    if (v.form == vector_form::dense) {
        buffer present = presence_words(v.ctx, v).release();
        v.present = std::move(present);
        v.form = vector_form::bitmap;
    }
    return v;
}

// Writes t's values into a bitmap w where allowed; w's bits are still the old ones.
void write_values(const context& ctx, vector_body& w, const vector_body& t, const array<bits::word>& allowed,
                  const std::optional<binary_op>& op) {
    if (const auto accum = accumulator(op, w.type, t.type)) {
        for_each_entry_shared(ctx, t, [&](index_t i, offset_t k) {
            if (!bits::test(allowed.data(), i)) return;
            const element x = load(t.values.data(), t.type, k);
            store(w.values.data(), w.type, i,
                  bits::test(w.words(), i) ? (*accum)(load(w.values.data(), w.type, i), x)
                                           : cast(x, t.type, w.type));
        });
        return;
    }
    std::optional<vector_body> converted;
    if (t.type != w.type) converted = convert_values(t, w.type);
    const void* values = converted ? converted->values.data() : t.values.data();
    storage::by_width(size_of(w.type), [&]<class U>(std::type_identity<U>) {
        const U* from = static_cast<const U*>(values);
        U* to = w.values.as<U>();
        for_each_entry_shared(ctx, t, [&](index_t i, offset_t k) {
            if (bits::test(allowed.data(), i)) to[i] = from[k];
        });
    });
}

// The general case, on bitmaps: values first, then whole words of presence.
void update_bitmap(const context& ctx, vector& w, const vector_body& t, const vector_options& options) {
    const array<bits::word> allowed = allowed_words(ctx, t.size, options);
    const array<bits::word> result = presence_words(ctx, t);
    vector_body& v = as_own_bitmap(w);
    write_values(ctx, v, t, allowed, options.accum);
    std::atomic<offset_t> count{0};
    parallel::for_pieces(
        ctx.threads(), static_cast<offset_t>(result.size()),
        [&](offset_t begin, offset_t end) {
            offset_t present = 0;
            for (offset_t k = begin; k < end; ++k) {
                const bits::word old = v.words()[k], inside = options.accum ? old | result[k] : result[k];
                v.words()[k] = (inside & allowed[k]) | (options.replace ? 0 : old & ~allowed[k]);
                present += std::popcount(v.words()[k]);
            }
            count += present;
        },
        1, 4096);
    v.count = count;
    settle(v);
}

}  // namespace

vector_body settled(vector_body&& v) {
    if (v.count == v.size) {
        v.present = buffer();
        v.indices = buffer();
        v.form = vector_form::dense;
        return std::move(v);
    }
    const auto form = v.count > v.size / bitmap_from_one_in ? vector_form::bitmap : vector_form::sparse;
    return form == v.form ? std::move(v) : convert(v, form);
}

void settle(vector_body& v) {
    try {
        v = settled(std::move(v));
    } catch (const out_of_memory&) {  // it stays what it is, which is right too
    }
}

void write_back(const context& ctx, vector& w, vector_body&& t, const vector_options& options) {
    if (!options.mask && !options.mask_complement && !options.accum) {
        w = storage::make_vector(settled(t.type == w.type() ? std::move(t) : convert_values(t, w.type())));
        return;
    }
    if (!options.mask && !options.mask_complement && w.form() != vector_form::sparse &&
        accumulate_words(ctx, *options.accum, w, t))
        return;
    if (w.form() != vector_form::sparse || t.form != vector_form::sparse) {
        if (!options.accum || options.accum->id() != binary_id::user)
            return update_bitmap(ctx, w, t, options);
        vector changed = w;  // a copy, for the caller's operator may throw
        update_bitmap(ctx, changed, t, options);
        w = std::move(changed);
        return;
    }
    const vector_mask mask(options.mask ? &options.mask->body() : nullptr, options.mask_structure,
                           options.mask_complement);
    w = storage::make_vector(settled(merge_sparse(w.body(), t, mask, options)));
}

}  // namespace nz::ops
