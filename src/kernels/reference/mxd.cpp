#include "kernels/reference/mxd.hpp"

#include "algebra/bound.hpp"

namespace nz::kernels::reference {

void mxd(const semiring& s, const storage::csr& a, const storage::dense& b, const storage::dense& t,
         index_t first, index_t last) {
    const algebra::bound_semiring ring(s, a.type, b.type);
    for (index_t i = first; i < last; ++i)
        for (index_t j = 0; j < b.columns; ++j) {
            element sum = s.add().identity(ring.type());
            for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) {
                const index_t k = a.index_data()[p];
                const element product = ring.product(a.value(p), b.value(k, j), {i, k, k, j});
                sum = p == a.offset(i) ? product : ring.sum(sum, product);
            }
            t.set(i, j, sum);
        }
}

}  // namespace nz::kernels::reference
