#include "kernels/reference/sddmm.hpp"

#include "algebra/bound.hpp"
#include "storage/csr_builder.hpp"

namespace nz::kernels::reference {

storage::csr sddmm(const context& ctx, const semiring& s, const storage::dense& x, const storage::dense& y,
                   const storage::csr& places) {
    const algebra::bound_semiring ring(s, x.type, y.type);
    storage::csr_builder t(ctx, ring.type(), places.rows, places.columns);
    for (index_t i = 0; i < places.rows; ++i)
        for (offset_t p = places.offset(i); p < places.offset(i + 1); ++p) {
            const index_t j = places.index_data()[p];
            element sum = ring.product(x.value(i, 0), y.value(0, j), {i, 0, 0, j});
            for (index_t k = 1; k < x.columns; ++k)
                sum = ring.sum(sum, ring.product(x.value(i, k), y.value(k, j), {i, k, k, j}));
            t.add(i, j, sum);
        }
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
