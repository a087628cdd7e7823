// The generic product with a vector, for semirings and types that are not compiled.
//
// Who owns what: by rows, runs of 256 go to whichever thread is free; a row, and the word of 64 rows that says which have a sum, belong to
//   one thread. u has its values by place, so that no entry searches for its own; rows that a mask bars are passed over. By the columns of
//   A that a sparse u names one thread does it all: sums stand in their rows' places, or, where they would be far apart, among the products.
// Determinism: a row's products are added in the order of k. Cost: two operations through function pointers a product.
// Measured: 12 ns a product and thread (laplace3d:60 over max_plus in float, two threads, 33 ms), calls and conversions, not memory.
// Memory: A's rows once, u at random; a sparse u is spread out before.
// Why not the reference: one thread, a binary search an entry where u is sparse, and rows that the mask bars are summed too.
#include "kernels/cpu/mxv/common_generic.hpp"

#include "algebra/bound.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace nz::kernels::cpu {
namespace {

using storage::vector_body;

constexpr offset_t rows_a_turn = 4 * bits::per_word;
// With fewer products for so many rows sums are not spread out over all of them: a word of 64 is cleared and looked at for each product.
constexpr offset_t rows_a_product = 64;

// Calls f(i, product) for every product of a column that u names and a row that may be written, by ascending columns.
template <class F>
void for_each_product(const algebra::bound_semiring& ring, const storage::csr& columns, const vector_body& u,
                      const bits::word* mask, bool complement, F&& f) {
    if (!mask && complement) return;
    storage::for_each_entry(u, [&](index_t k, offset_t at) {
        const element x = storage::load(u.values.data(), u.type, at);
        for (offset_t p = columns.offset(k); p < columns.offset(k + offset_t{1}); ++p) {
            const index_t i = columns.index_data()[p];
            if (!mask || bits::test(mask, i) != complement)
                f(i, ring.product(columns.value(p), x, {i, k, k, 0}));
        }
    });
}

// Products in the order of their rows, those of a row as they were formed, each row's summed.
vector_body sums_among_products(const context& ctx, const algebra::bound_semiring& ring,
                                std::vector<std::pair<index_t, element>>&& products, index_t rows) {
    std::ranges::stable_sort(products, {}, &std::pair<index_t, element>::first);
    std::size_t count = 0;
    for (const auto& [i, product] : products) {
        if (count && products[count - 1].first == i)
            products[count - 1].second = ring.sum(products[count - 1].second, product);
        else
            products[count++] = {i, product};
    }
    vector_body w =
        storage::make_vector_body(ctx, ring.type(), rows, vector_form::sparse, static_cast<offset_t>(count));
    for (std::size_t n = 0; n < count; ++n) {
        w.indices.as<index_t>()[n] = products[n].first;
        storage::store(w.values.data(), w.type, static_cast<offset_t>(n), products[n].second);
    }
    return w;
}

}  // namespace

vector_body mxv_generic_push(const context& ctx, const semiring& s, const storage::csr& columns,
                             const vector_body& u, offset_t products, const bits::word* mask,
                             bool complement) {
    const algebra::bound_semiring ring(s, columns.type, u.type);
    const index_t rows = columns.columns;
    if (products < rows / rows_a_product) {
        std::vector<std::pair<index_t, element>> formed;
        formed.reserve(static_cast<std::size_t>(products));
        for_each_product(ring, columns, u, mask, complement,
                         [&](index_t i, element product) { formed.emplace_back(i, product); });
        return sums_among_products(ctx, ring, std::move(formed), rows);
    }
    vector_body w = storage::make_vector_body(ctx, ring.type(), rows, vector_form::bitmap, 0);
    for_each_product(ring, columns, u, mask, complement, [&](index_t i, element product) {
        if (bits::test(w.words(), i)) product = ring.sum(storage::load(w.values.data(), w.type, i), product);
        storage::store(w.values.data(), w.type, i, product);
        bits::set(w.words(), i);
    });
    w.count = bits::count(w.words(), w.size);
    return w;
}

vector_body mxv_generic(const context& ctx, const semiring& s, const storage::csr& a, const vector_body& u,
                        const bits::word* mask, bool complement) {
    const algebra::bound_semiring ring(s, a.type, u.type);
    std::optional<vector_body> spread;
    if (u.form == vector_form::sparse) spread = storage::convert(u, vector_form::bitmap);
    const vector_body& x = spread ? *spread : u;
    const bits::word* const present = x.form == vector_form::dense ? nullptr : x.words();
    vector_body w = storage::make_vector_body(ctx, ring.type(), a.rows, vector_form::bitmap, 0, false);
    const auto sum_of = [&](index_t i, offset_t begin, offset_t end) {
        std::optional<element> sum;
        for (offset_t p = begin; p < end; ++p) {
            const index_t k = a.index_data()[p];
            if (present && !bits::test(present, k)) continue;
            const element product =
                ring.product(a.value(p), storage::load(x.values.data(), x.type, k), {i, k, k, 0});
            sum = sum ? ring.sum(*sum, product) : product;
        }
        return sum;
    };
    parallel::for_chunks(ctx.threads(), a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t at = first; at < last; at += bits::per_word) {
            bits::word found = 0;
            for (offset_t i = at; i < std::min(last, at + bits::per_word); ++i) {
                const bool listed = mask && bits::test(mask, i);
                if (mask ? listed == complement : complement) continue;
                const auto sum = sum_of(static_cast<index_t>(i), a.offset(i), a.offset(i + 1));
                storage::store(w.values.data(), w.type, i, sum.value_or(element{}));
                found |= bits::word{sum.has_value()} << (i - at);
            }
            w.words()[at / bits::per_word] = found;
        }
    });
    w.count = bits::count(w.words(), w.size);
    return w;
}

}  // namespace nz::kernels::cpu
