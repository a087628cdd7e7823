#include "kernels/reference/apply.hpp"

#include "storage/csr_builder.hpp"
#include "storage/vector_builder.hpp"

namespace nz::kernels::reference {

storage::vector_body apply(const context& ctx, const algebra::entry_function& f,
                           const storage::vector_body& u) {
    storage::vector_builder t(ctx, f.type, u.size);
    storage::for_each_entry(
        u, [&](index_t i, offset_t k) { t.add(i, f.call(storage::load(u.values.data(), u.type, k), i, 0)); });
    return std::move(t).finish();
}

storage::csr apply(const context& ctx, const algebra::entry_function& f, const storage::csr& a) {
    storage::csr_builder t(ctx, f.type, a.rows, a.columns);
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) {
            const index_t j = a.index_data()[p];
            t.add(i, j, f.call(a.value(p), i, j));
        }
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
