// The generic product with a vector, for semirings and types that are not compiled.
//
// Who owns what: runs of 256 rows go to whichever thread is free; a row, and the word of 64 rows that says which have a sum, belong to
//   one thread. u has its values by place, so that no entry searches for its own; rows that a mask bars are passed over.
// Determinism: a row's products are added in the order of k. Cost: two operations through function pointers a product.
// Measured: 12 ns a product and thread (laplace3d:60 over max_plus in float, two threads, 33 ms), calls and conversions, not memory.
// Memory: A's rows once, u at random; a sparse u is spread out before.
// Why not the reference: one thread, a binary search an entry where u is sparse, and rows that the mask bars are summed too.
#include "kernels/cpu/mxv/common_generic.hpp"

#include "algebra/bound.hpp"
#include "core/parallel.hpp"

#include <optional>

namespace nz::kernels::cpu {
namespace {

using storage::vector_body;

constexpr offset_t rows_a_turn = 4 * bits::per_word;

}  // namespace

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
