#include "storage/coo.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/csr_builder.hpp"

#include <tuple>

namespace nz::storage {
namespace {

void copy_bytes(const buffer& from, const buffer& to) {
    if (to.bytes()) std::memcpy(to.data(), from.data(), to.bytes());
}

}  // namespace

coo to_coo(const context& ctx, const csr& a) {
    const std::size_t index_bytes = static_cast<std::size_t>(a.nnz) * sizeof(index_t);
    const std::size_t values = a.kind == value_kind::full  ? static_cast<std::size_t>(a.nnz)
                               : a.kind == value_kind::iso ? 1
                                                           : 0;
    coo out{a.rows,
            a.columns,
            a.nnz,
            a.type,
            a.kind,
            buffer(ctx.memory(), index_bytes),
            buffer(ctx.memory(), index_bytes),
            buffer(ctx.memory(), values * a.value_bytes())};
    copy_bytes(a.indices, out.column_indices);
    copy_bytes(a.values, out.values);
    index_t* row_indices = out.row_indices.as<index_t>();
    with_offsets(a, [&](const auto* offsets) {
        parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                std::fill(row_indices + offsets[i], row_indices + offsets[i + 1], static_cast<index_t>(i));
        });
    });
    return out;
}

csr to_csr(const context& ctx, const coo& a) {
    csr out = allocate_csr(ctx, a.type, a.kind, a.rows, a.columns, a.nnz);
    copy_bytes(a.column_indices, out.indices);
    copy_bytes(a.values, out.values);
    const index_t* rows = a.row_data();
    by_width(static_cast<std::size_t>(out.offset_bytes), [&]<class U>(std::type_identity<U>) {
        U* offsets = out.offsets.as<U>();
        // Entry k begins its row and the empty ones before it.
        parallel::for_pieces(ctx.threads(), a.nnz, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k)
                for (offset_t i = k ? offset_t{rows[k - 1]} + 1 : 0; i <= rows[k]; ++i)
                    offsets[i] = static_cast<U>(k);
        });
        std::fill(offsets + (a.nnz ? offset_t{rows[a.nnz - 1]} + 1 : 0), offsets + a.rows + 1,
                  static_cast<U>(a.nnz));
    });
    return out;
}

void validate(const coo& a, const char* what) {
    const std::size_t values = a.kind == value_kind::full  ? static_cast<std::size_t>(a.nnz)
                               : a.kind == value_kind::iso ? 1
                                                           : 0;
    const std::size_t index_bytes = static_cast<std::size_t>(a.nnz) * sizeof(index_t);
    require<invalid_format>(a.row_indices.bytes() >= index_bytes && a.column_indices.bytes() >= index_bytes &&
                                a.values.bytes() >= values * size_of(a.type),
                            "{}: arrays are shorter than {} entries need", what, a.nnz);
    for (offset_t k = 0; k < a.nnz; ++k) {
        const index_t i = a.row_data()[k], j = a.column_data()[k];
        require<invalid_format>(i >= 0 && i < a.rows && j >= 0 && j < a.columns,
                                "{}: entry {} is ({}, {}), outside {} x {}", what, k, i, j, a.rows,
                                a.columns);
        require<invalid_format>(
            k == 0 || std::tie(a.row_data()[k - 1], a.column_data()[k - 1]) < std::tie(i, j),
            "{}: entry {}, ({}, {}), is out of order or repeated", what, k, i, j);
    }
}

}  // namespace nz::storage
