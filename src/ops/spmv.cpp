// y = alpha A x + beta y: mxv, then one pass over y and the product.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "nonzero/operations.hpp"
#include "ops/mxv_device.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"
#include "storage/vector_body.hpp"

namespace nz {
namespace {

using storage::vector_body;

// Entries of either, absent ones counting as 0; y's are not looked at when beta is 0.
template <class T>
void combine(const context& ctx, double alpha, const vector_body& t, double beta, vector& y) {
    const vector_body product =
        storage::convert(t, t.form == vector_form::dense ? t.form : vector_form::bitmap);
    const bool reads = beta != 0 && y.count() > 0;
    vector_body old = reads ? storage::convert(y.body(), y.form() == vector_form::dense ? vector_form::dense
                                                                                        : vector_form::bitmap)
                            : storage::make_vector_body(ctx, t.type, t.size, vector_form::bitmap, 0);
    vector_body out = storage::make_vector_body(ctx, t.type, t.size, vector_form::bitmap, 0);
    const auto words_of = [](const vector_body& v, std::size_t k) {
        return v.form == vector_form::dense ? bits::valid(v.size, k) : v.words()[k];
    };
    const auto a = static_cast<T>(alpha), b = static_cast<T>(beta);
    parallel::for_pieces(
        ctx.threads(), t.size,
        [&](offset_t begin, offset_t end) {
            for (offset_t first = begin; first < end; first += bits::per_word) {
                const auto k = static_cast<std::size_t>(first / bits::per_word);
                const bits::word in_product = words_of(product, k), in_old = words_of(old, k);
                out.words()[k] = in_product | in_old;
                bits::for_each(in_product | in_old, 0, [&](int bit) {
                    const offset_t i = first + bit;
                    const T p = in_product >> bit & 1 ? a * product.values.as<T>()[i] : T(0);
                    out.values.as<T>()[i] = in_old >> bit & 1 ? p + b * old.values.as<T>()[i] : p;
                });
            }
        },
        bits::per_word);
    out.count = bits::count(out.words(), out.size);
    y = storage::make_vector(ops::settled(std::move(out)));
}

}  // namespace

mxv_plan spmv(const context& ctx, vector& y, double alpha, const matrix& a, const vector& x, double beta,
              const vector_options& options) {
    require<not_supported>(!options.mask && !options.mask_complement && !options.accum,
                           "spmv writes every row: for masks and accumulators use mxv");
    require<domain_error>(is_floating(y.type()),
                          "spmv works in y's type, which is {}: use float32 or float64", name_of(y.type()));
    const semiring ring(binary_id::plus, binary_id::times, y.type());
    vector_options o = options;
    if (beta == 0 && alpha == 1) return mxv(ctx, y, ring, a, x, o);
    if (beta == 1 && alpha == 1) {
        o.accum = binary_id::plus;
        return mxv(ctx, y, ring, a, x, o);
    }
    vector t(ctx, y.type(), y.size());
    const mxv_plan plan = mxv(ctx, t, ring, a, x, o);
    if (plan.on_device)
        ops::combine_on_device(ctx, alpha, t, beta, y);
    else if (y.type() == dtype::float32)
        combine<float>(ctx, alpha, t.body(), beta, y);
    else
        combine<double>(ctx, alpha, t.body(), beta, y);
    return plan;
}

}  // namespace nz
