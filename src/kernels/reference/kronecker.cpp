#include "kernels/reference/kronecker.hpp"

#include "algebra/bound.hpp"
#include "storage/csr_builder.hpp"

namespace nz::kernels::reference {

storage::csr kronecker(const context& ctx, const binary_op& op, const storage::csr& a,
                       const storage::csr& b) {
    const algebra::bound_binary f(op, a.type, b.type);
    storage::csr_builder t(ctx, f.type(), a.rows * b.rows, a.columns * b.columns);
    for (index_t i = 0; i < a.rows; ++i)
        for (index_t k = 0; k < b.rows; ++k)
            for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p)
                for (offset_t q = b.offset(k); q < b.offset(k + 1); ++q) {
                    const index_t j = a.index_data()[p], l = b.index_data()[q];
                    t.add(i * b.rows + k, j * b.columns + l, f(a.value(p), b.value(q), {i, j, k, l}));
                }
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
