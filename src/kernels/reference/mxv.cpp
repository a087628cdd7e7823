#include "kernels/reference/mxv.hpp"

#include "algebra/bound.hpp"
#include "storage/vector_builder.hpp"

#include <optional>

namespace nz::kernels::reference {

storage::vector_body mxv(const context& ctx, const semiring& s, const storage::csr& rows_of_a,
                         const storage::vector_body& u) {
    const algebra::bound_semiring ring(s, rows_of_a.type, u.type);
    storage::vector_builder t(ctx, ring.type(), rows_of_a.rows);
    for (index_t i = 0; i < rows_of_a.rows; ++i) {
        std::optional<element> sum;
        for (offset_t p = rows_of_a.offset(i); p < rows_of_a.offset(i + 1); ++p) {
            const index_t k = rows_of_a.index_data()[p];
            const offset_t at = u.find(k);
            if (at < 0) continue;
            const element y = storage::load(u.values.data(), u.type, at);
            const element product = ring.product(rows_of_a.value(p), y, {i, k, k, 0});
            sum = sum ? ring.sum(*sum, product) : product;
        }
        if (sum) t.add(i, *sum);
    }
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
