#include "io/vectors.hpp"

#include "core/checks.hpp"
#include "storage/csr_builder.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

namespace nz::io {

matrix as_column(const context& ctx, const vector& v) {
    const storage::vector_body& from = v.body();
    array<offset_t> counts(ctx, static_cast<std::size_t>(from.size));
    counts.fill(0);
    storage::for_each_entry(from, [&](index_t i, offset_t) { counts[static_cast<std::size_t>(i)] = 1; });
    storage::csr a = storage::allocate_rows(ctx, from.type, from.size, 1, counts);
    std::fill_n(a.indices.as<index_t>(), a.nnz, 0);
    storage::by_width(size_of(from.type), [&]<class U>(std::type_identity<U>) {
        U* to = a.values.as<U>();
        storage::for_each_entry(from, [&](index_t, offset_t k) { *to++ = from.values.as<const U>()[k]; });
    });
    return storage::make_matrix(ctx, std::move(a));
}

vector only_column(const context& ctx, const matrix& a, std::string_view source) {
    require<dimension_mismatch>(a.columns() == 1, "{}: a vector has one column, this matrix is {} x {}",
                                source, a.rows(), a.columns());
    const auto rows = a.body().rows_shared();
    const bool dense = rows->nnz == rows->rows;
    storage::vector_body out = storage::make_vector_body(
        ctx, rows->type, rows->rows, dense ? vector_form::dense : vector_form::sparse, rows->nnz);
    offset_t k = 0;
    for (index_t i = 0; i < rows->rows; ++i) {
        if (rows->offset(i) == rows->offset(offset_t{i} + 1)) continue;
        if (!dense) out.indices.as<index_t>()[k] = i;
        storage::store(out.values.data(), rows->type, k, rows->value(k));
        ++k;
    }
    return storage::make_vector(std::move(out));
}

}  // namespace nz::io
