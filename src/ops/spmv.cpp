// y = alpha A x + beta y: mxv, then one pass over y and the product where y is scaled or rows are empty.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "nonzero/operations.hpp"
#include "ops/mxv_device.hpp"
#include "ops/vector_words.hpp"
#include "ops/vectors_device.hpp"
#include "storage/vector_body.hpp"

namespace nz {
namespace {

using storage::vector_body;

// Absent entries count as 0; y's are not looked at when beta is 0.
template <class T>
void combine(const context& ctx, double alpha, const vector_body& t, double beta, vector& y) {
    const ops::words_operand product(t, t.type);
    std::optional<ops::words_operand> old;
    if (beta != 0) old.emplace(y.body(), t.type);
    vector_body out = storage::make_vector_body(ctx, t.type, t.size, vector_form::dense, t.size, false);
    const auto value = [](const kernels::words_side& v, offset_t i) {
        return !v.present || bits::test(v.present, i) ? static_cast<const T*>(v.values)[i] : T(0);
    };
    const auto a = static_cast<T>(alpha), b = static_cast<T>(beta);
    parallel::for_pieces(ctx.threads(), t.size, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i) {
            const T p = a * value(product.side(), i);
            out.values.as<T>()[i] = old ? p + b * value(old->side(), i) : p;
        }
    });
    y = storage::make_vector(std::move(out));
}

}  // namespace

mxv_plan spmv(const context& ctx, vector& y, double alpha, const matrix& a, const vector& x, double beta,
              const vector_options& options) {
    require<not_supported>(!options.mask && !options.mask_complement && !options.accum,
                           "spmv writes every row: for masks and accumulators use mxv");
    require<domain_error>(is_floating(y.type()),
                          "spmv works in y's type, which is {}: use float32 or float64", name_of(y.type()));
    const semiring ring(binary_id::plus, binary_id::times, y.type());
    const auto dense = [](const vector& v) { return v.body_uncounted().form == vector_form::dense; };
    if (alpha == 1 && beta == 1 && dense(y)) {
        vector_options o = options;
        o.accum = binary_id::plus;
        return mxv(ctx, y, ring, a, x, o);
    }
    vector t(ctx, y.type(), y.size());
    const mxv_plan plan = mxv(ctx, t, ring, a, x, options);
    if (alpha == 1 && beta == 0 && dense(t)) {
        y = std::move(t);
        return plan;
    }
    if (plan.on_device)
        ops::combine_on_device(ctx, alpha, t, beta, y);
    else if (y.type() == dtype::float32)
        combine<float>(ctx, alpha, t.body(), beta, y);
    else
        combine<double>(ctx, alpha, t.body(), beta, y);
    return plan;
}

}  // namespace nz
