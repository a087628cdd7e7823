#include "kernels/reference/select.hpp"

#include "storage/csr_builder.hpp"
#include "storage/vector_builder.hpp"

namespace nz::kernels::reference {
namespace {

bool keeps(const algebra::entry_function& keep, element x, index_t i, index_t j) {
    return from_element<bool>(cast(keep.call(x, i, j), keep.type, dtype::boolean));
}

}  // namespace

storage::vector_body select(const context& ctx, const algebra::entry_function& keep,
                            const storage::vector_body& u) {
    storage::vector_builder t(ctx, u.type, u.size);
    storage::for_each_entry(u, [&](index_t i, offset_t k) {
        const element x = storage::load(u.values.data(), u.type, k);
        if (keeps(keep, x, i, 0)) t.add(i, x);
    });
    return std::move(t).finish();
}

storage::csr select(const context& ctx, const algebra::entry_function& keep, const storage::csr& a) {
    storage::csr_builder t(ctx, a.type, a.rows, a.columns);
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) {
            const index_t j = a.index_data()[p];
            if (keeps(keep, a.value(p), i, j)) t.add(i, j, a.value(p));
        }
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
