#include "storage/edge_weights.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/path_length.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

namespace nz::storage {
namespace {

// The first entry that is no length, or -1; and the sum of the finite ones.
struct survey {
    offset_t first_bad = -1, counted = 0;
    double sum = 0;
};

template <class T>
survey look(const context& ctx, const T* values, offset_t count, dtype type) {
    survey all;
    std::mutex joining;
    parallel::for_pieces(ctx.threads(), count, [&](offset_t begin, offset_t end) {
        survey part;
        for (offset_t k = begin; k < end; ++k) {
            if (!is_length(values[k], type)) {
                part.first_bad = k;
                break;
            }
            const auto x = static_cast<double>(values[k]);
            const bool finite = x <= std::numeric_limits<double>::max();
            part.sum += finite ? x : 0;
            part.counted += finite;
        }
        const std::lock_guard lock(joining);
        if (part.first_bad >= 0 && (all.first_bad < 0 || part.first_bad < all.first_bad))
            all.first_bad = part.first_bad;
        all.sum += part.sum;
        all.counted += part.counted;
    });
    return all;
}

template <class T>
[[noreturn]] void refuse(const csr& a, offset_t k, T value, dtype type) {
    const auto row = with_offsets(a, [&](const auto* offsets) {
        return std::upper_bound(offsets, offsets + a.rows + 1, k) - offsets - 1;
    });
    fail<domain_error>(
        "entry ({}, {}) is {}: the length of an edge must be a number from 0 on that fits {}; {}", row,
        a.index_data()[k], +value, name_of(type),
        value > T{} && !is_floating(type) ? "distances of type float64 hold greater ones"
                                          : "take another algorithm for negative lengths");
}

}  // namespace

edge_weights as_edge_weights(const context& ctx, const csr& a, dtype type) {
    edge_weights w{&a, type, nullptr, a.kind != value_kind::full, 0, {}};
    if (a.kind == value_kind::pattern) {
        w.converted = buffer(ctx.memory(), size_of(type));
        store(w.converted.data(), type, 0, one_of(type));
        w.data = w.converted.data();
        w.mean = 1;
        return w;
    }
    const offset_t count = w.one_for_all ? std::min<offset_t>(a.nnz, 1) : a.nnz;
    dispatch(a.type, [&]<class T>(std::type_identity<T>) {
        const T* const values = a.values.as<const T>();
        const survey found = look(ctx, values, count, type);
        if (found.first_bad >= 0) refuse(a, found.first_bad, values[found.first_bad], type);
        w.mean = found.counted ? found.sum / static_cast<double>(found.counted) : 0;
    });
    w.data = a.values.data();
    if (a.type != type) {
        w.converted = convert_array(ctx, a.values, a.type, type, count);
        w.data = w.converted.data();
    }
    return w;
}

}  // namespace nz::storage
