#include "core/checks.hpp"
#include "nonzero/operations.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace nz {

matrix diag(const context& ctx, const vector& v, offset_t k) {
    constexpr offset_t most = std::numeric_limits<index_t>::max();
    const offset_t n = v.size(), below = std::max<offset_t>(0, -k), right = std::max<offset_t>(0, k);
    require<domain_error>(k > -most && k < most && n + below + right <= most,
                          "diag: a vector of size {} on diagonal {} needs more than {} rows", n, k, most);
    const storage::vector_body entries = storage::convert(v.body(), vector_form::sparse);
    const auto side = static_cast<index_t>(n + below + right);
    const array<index_t> lengths(ctx, static_cast<std::size_t>(side));
    lengths.fill(0);
    for (offset_t e = 0; e < entries.count; ++e)
        lengths[static_cast<std::size_t>(entries.index_data()[e] + below)] = 1;
    storage::csr d = storage::allocate_csr(ctx, v.type(), value_kind::full, side, side,
                                           std::span<const index_t>(lengths.data(), lengths.size()));
    for (offset_t e = 0; e < entries.count; ++e)
        d.indices.as<index_t>()[e] = static_cast<index_t>(entries.index_data()[e] + right);
    if (entries.count > 0)
        std::memcpy(d.values.data(), entries.values.data(),
                    static_cast<std::size_t>(entries.count) * size_of(v.type()));
    return storage::make_matrix(ctx, std::move(d));
}

vector diagonal(const context& ctx, const matrix& a, offset_t k) {
    const offset_t m = a.rows(), n = a.columns(), first = std::max<offset_t>(0, -k);
    const offset_t length =
        k <= -m || k >= n ? 0 : std::min(m - first, n - std::max<offset_t>(0, k));  // no overflow of m + k
    vector d(ctx, a.type(), length);
    if (length == 0) return d;
    matrix kept(ctx, a.type(), m, n);
    select(ctx, kept, index_unary_id::diag, a, scalar(std::int64_t{k}));
    vector of_rows(ctx, a.type(), m);
    reduce(ctx, of_rows, binary_id::times, kept);  // of one entry, which 1 leaves as it is: NaN and -0 too
    if (length == m) return of_rows;
    const array<index_t> places(ctx, static_cast<std::size_t>(length));
    std::iota(places.begin(), places.end(), static_cast<index_t>(first));
    extract(ctx, d, of_rows, index_list(std::span<const index_t>(places.data(), places.size())));
    return d;
}

}  // namespace nz
