// Band matrices stored by diagonals: no column indices, so that a product of two moves little more than their values.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/plan.hpp"
#include "nonzero/types.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace nz {

namespace storage {
struct dia;
}

/// Diagonals (the field's DIA). Diagonal d holds A(i, i + offsets[d]) in values[d * stride + i], for the rows i from
/// first_rows[d] to last_rows[d] - 1; where these two lists are empty, for every row in which the diagonal lies inside the matrix.
/// Each of these places is an entry, also with the value 0; other values are not read. The lists lie in the host's memory.
template <entry_type T>
struct dia_view {
    index_t rows = 0, columns = 0;
    std::span<const index_t> offsets;  ///< ascending
    std::span<const T> values;
    offset_t stride = 0;  ///< from a diagonal to the next; 0: rows
    std::span<const index_t> first_rows{}, last_rows{};
};

/// A matrix of diagonals, each with entries in one run of rows and no gaps between. Its values lie in the memory of its context: the
/// GPU's where that has one, else the host's. Handle with value semantics; what it points to never changes.
class dia_matrix {
public:
    /// No diagonals. Throws as matrix does.
    dia_matrix(const context& ctx, dtype type, offset_t rows, offset_t columns);
    /// Copies the values, from the host's memory or that of the context's GPU, ready before the call. Throws invalid_format for offsets
    /// that do not ascend or lie outside, rows outside their diagonal, and arrays that are too short.
    template <entry_type T>
    static dia_matrix from_dia(const context& ctx, const dia_view<T>& view) {
        return from_arrays(ctx, raw(view), true);
    }
    /// Uses the values where they are; they outlive the matrix. Throws domain_error unless that is where those of its own would be.
    template <entry_type T>
    static dia_matrix borrow_dia(const context& ctx, const dia_view<T>& view) {
        return from_arrays(ctx, raw(view), false);
    }
    /// The same entries by diagonals (on the host). Throws not_supported where they would take over four times the memory of the CSR, and
    /// naming the first place where a diagonal has a gap, which would be an entry here.
    static dia_matrix from_matrix(const context& ctx, const matrix& a);
    /// The same entries as a matrix of this context.
    matrix to_matrix(const context& ctx) const;
    /// The same in the memory of this context, itself where it is there; or with values of another type (converted on the host).
    dia_matrix in(const context& ctx) const;
    dia_matrix in(const context& ctx, dtype type) const;

    offset_t rows() const;
    offset_t columns() const;
    offset_t nnz() const;
    offset_t diagonals() const;
    dtype type() const;
    /// Whether the values lie in a GPU's memory.
    bool on_device() const;

    /// The arrays without a copy, of a matrix that lives on; values where they lie: on a GPU for work ordered on the context's stream,
    /// or after context::wait(). Throws domain_error when T is not what is stored.
    template <entry_type T>
    dia_view<T> dia() const&& = delete;
    template <entry_type T>
    dia_view<T> dia() const& {
        const raw_dia r = raw_diagonals(dtype_of<T>);
        return {r.rows,   r.columns,    r.offsets,  {static_cast<const T*>(r.values), r.value_count},
                r.stride, r.first_rows, r.last_rows};
    }

    const storage::dia& body() const { return *body_; }
    dia_matrix(const context& ctx, std::shared_ptr<const storage::dia> body)
        : ctx_(ctx), body_(std::move(body)) {}

private:
    struct raw_dia {
        index_t rows, columns;
        dtype type;
        std::span<const index_t> offsets;
        const void* values;
        std::size_t value_count;
        offset_t stride;
        std::span<const index_t> first_rows, last_rows;
    };
    template <class T>
    static raw_dia raw(const dia_view<T>& v) {
        return {v.rows,          v.columns, dtype_of<T>,  v.offsets,  v.values.data(),
                v.values.size(), v.stride,  v.first_rows, v.last_rows};
    }
    static dia_matrix from_arrays(const context& ctx, const raw_dia& raw, bool copy);
    raw_dia raw_diagonals(dtype type) const;

    context ctx_;
    std::shared_ptr<const storage::dia> body_;
};

/// C = A (+).(x) B by diagonals, on the context's GPU where that has one: C(i, i + d + e) adds A(i, i + d) x B(i + d, i + d + e) in the
/// order of d, bit for bit what mxm gives for the same matrices. C becomes the product, in the type of the sums. Throws
/// dimension_mismatch; not_supported where a diagonal of C would have a gap, which takes diagonals of A farther apart than A has
/// columns, or runs of rows that do not meet. Kernel: stored; semirings and types that are not compiled go by way of mxm.
operation_plan mxm(const context& ctx, dia_matrix& c, const semiring& s, const dia_matrix& a,
                   const dia_matrix& b);

}  // namespace nz
