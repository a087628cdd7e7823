#include "kernels/reference/mxm.hpp"

#include "algebra/bound.hpp"
#include "storage/csr_builder.hpp"

#include <map>

namespace nz::kernels::reference {

storage::csr mxm(const context& ctx, const semiring& s, const storage::csr& a, const storage::csr& b) {
    const algebra::bound_semiring ring(s, a.type, b.type);
    storage::csr_builder t(ctx, ring.type(), a.rows, b.columns);
    for (index_t i = 0; i < a.rows; ++i) {
        std::map<index_t, element> sums;
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) {
            const index_t k = a.index_data()[p];
            for (offset_t q = b.offset(k); q < b.offset(k + 1); ++q) {
                const index_t j = b.index_data()[q];
                const element product = ring.product(a.value(p), b.value(q), {i, k, k, j});
                const auto [place, is_first] = sums.try_emplace(j, product);
                if (!is_first) place->second = ring.sum(place->second, product);
            }
        }
        for (const auto& [j, sum] : sums) t.add(i, j, sum);
    }
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
