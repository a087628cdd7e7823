#include "storage/dense.hpp"

#include "core/parallel.hpp"

#include <algorithm>

namespace nz::storage {
namespace {

// Rows that are copied together between two orders: as many as values of 4 bytes share a line of the cache.
constexpr index_t rows_together = 16;
// Entries below which a second thread costs more than it brings.
constexpr offset_t conversion_parallel_from = 32768;

template <class F, class T>
void copy_rows(const dense& from, const dense& to, index_t first, index_t last) {
    const F* source = static_cast<const F*>(from.data);
    T* target = static_cast<T*>(to.data);
    if (from.row_major() && to.row_major()) {
        for (index_t i = first; i < last; ++i)
            for (index_t j = 0; j < from.columns; ++j)
                target[i * to.row_step + j] = convert<T>(source[i * from.row_step + j]);
        return;
    }
    for (index_t i0 = first; i0 < last; i0 += rows_together) {
        const index_t end = std::min<index_t>(last, i0 + rows_together);
        for (index_t j = 0; j < from.columns; ++j)
            for (index_t i = i0; i < end; ++i) target[to.at(i, j)] = convert<T>(source[from.at(i, j)]);
    }
}

}  // namespace

dense dense_of(const dense_input& v, bool transposed) {
    const bool by_rows = v.order == dense_order::row_major;
    const offset_t stride = v.stride ? v.stride : by_rows ? v.columns : v.rows;
    dense d{v.type, const_cast<void*>(v.data), v.rows, v.columns, by_rows ? stride : 1, by_rows ? 1 : stride};
    if (transposed) {
        std::swap(d.rows, d.columns);
        std::swap(d.row_step, d.column_step);
    }
    return d;
}

dense packed_dense(dtype type, void* memory, index_t rows, index_t columns, dense_order order) {
    if (order == dense_order::row_major) return {type, memory, rows, columns, columns, 1};
    return {type, memory, rows, columns, 1, rows};
}

void copy_dense(const context& ctx, const dense& from, const dense& to) {
    const offset_t entries = static_cast<offset_t>(from.rows) * from.columns;
    dispatch(from.type, [&]<class F>(std::type_identity<F>) {
        dispatch(to.type, [&]<class T>(std::type_identity<T>) {
            parallel::for_pieces(
                entries < conversion_parallel_from ? 1 : ctx.threads(), from.rows,
                [&](offset_t begin, offset_t end) {
                    copy_rows<F, T>(from, to, static_cast<index_t>(begin), static_cast<index_t>(end));
                },
                rows_together, 0);
        });
    });
}

}  // namespace nz::storage
