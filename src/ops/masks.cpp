#include "ops/masks.hpp"

#include "core/parallel.hpp"
#include "storage/vector_body.hpp"

#include <atomic>

namespace nz::ops {
namespace {

using storage::vector_body;

// Writes the words of a dense or bitmap mask from its values; bits start as presence says.
template <class T>
void keep_nonzero(const context& ctx, const T* values, offset_t size, bits::word* words) {
    parallel::for_pieces(
        ctx.threads(), size,
        [&](offset_t begin, offset_t end) {
            for (offset_t first = begin; first < end; first += bits::per_word) {
                bits::word& word = words[first / bits::per_word];
                bits::for_each(word, 0, [&](int bit) {
                    if (values[first + bit] == T(0)) word &= ~(bits::word{1} << bit);
                });
            }
        },
        bits::per_word);
}

}  // namespace

array<bits::word> mask_words(const context& ctx, const vector& mask, bool structure) {
    const vector_body& m = mask.body();
    array<bits::word> words(ctx, bits::words_for(m.size));
    if (m.form == vector_form::sparse) {
        words.fill(0);
        for (offset_t k = 0; k < m.count; ++k)
            if (structure || truthy(m.values.data(), m.type, k)) bits::set(words.data(), m.index_data()[k]);
        return words;
    }
    for (std::size_t w = 0; w < words.size(); ++w)
        words[w] = m.form == vector_form::dense ? bits::valid(m.size, w) : m.words()[w];
    if (!structure)
        dispatch(m.type, [&]<class T>(std::type_identity<T>) {
            keep_nonzero(ctx, m.values.as<const T>(), m.size, words.data());
        });
    return words;
}

std::optional<storage::csr> mask_places(const context& ctx, const storage::csr& mask, bool structure) {
    if (structure || mask.kind == value_kind::pattern) return {};
    if (mask.kind == value_kind::iso) {
        if (truthy(mask.values.data(), mask.type, 0)) return {};
        return storage::make_empty_csr(ctx, dtype::boolean, mask.rows, mask.columns);
    }
    const array<index_t> counts(ctx, static_cast<std::size_t>(mask.rows));
    std::atomic<offset_t> total{0};
    std::optional<storage::csr> places;
    dispatch(mask.type, [&]<class T>(std::type_identity<T>) {
        const T* values = mask.values.as<const T>();
        parallel::for_pieces(ctx.threads(), mask.rows, [&](offset_t begin, offset_t end) {
            offset_t sum = 0;
            for (offset_t i = begin; i < end; ++i) {
                index_t n = 0;
                for (offset_t p = mask.offset(i); p < mask.offset(i + 1); ++p) n += values[p] != T(0);
                counts[static_cast<std::size_t>(i)] = n;
                sum += n;
            }
            total += sum;
        });
        if (total == mask.nnz) return;
        places = storage::allocate_csr(ctx, dtype::boolean, value_kind::pattern, mask.rows, mask.columns,
                                       std::span<const index_t>(counts.data(), counts.size()));
        parallel::for_pieces(ctx.threads(), mask.rows, [&](offset_t begin, offset_t end) {
            index_t* at = places->indices.as<index_t>() + places->offset(begin);
            for (offset_t p = mask.offset(begin); p < mask.offset(end); ++p)
                if (values[p] != T(0)) *at++ = mask.index_data()[p];
        });
    });
    return places;
}

bool vector_mask::listed(index_t i) const {
    if (!mask_) return true;
    const offset_t k = mask_->find(i);
    return k >= 0 && (structure_ || truthy(mask_->values.data(), mask_->type, k));
}

}  // namespace nz::ops
