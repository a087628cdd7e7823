// A sparse matrix of one dtype. It owns one or more representations of the same content and builds another
// when a plan asks for it, once, under a lock.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/context.hpp"
#include "nonzero/types.hpp"
#include "nonzero/views.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace nz {

namespace storage {
struct matrix_body;
struct csr;
}  // namespace storage

/// How values are held: one for each entry, one for all of them, or none (every entry is 1).
enum class value_kind : std::uint8_t { full, iso, pattern };

/// What plans know about a matrix. Cheap facts are always there; the others are computed once when asked for.
struct matrix_facts {
    offset_t rows = 0, columns = 0, nnz = 0;
    double degree_mean = 0;   ///< nnz / rows
    offset_t degree_max = 0;  ///< longest row
    offset_t empty_rows = 0;
    offset_t bandwidth_lower = 0;  ///< max of i - j over the entries, 0 when none lies below the diagonal
    offset_t bandwidth_upper = 0;  ///< max of j - i
    bool symmetric_pattern = false;
    bool sorted = true;       ///< columns ascend within each row
    bool duplicates = false;  ///< some (i, j) is stored more than once
};

/// Handle with value semantics: copies share storage until one of them changes. One that was moved from can be assigned to or destroyed.
class matrix {
public:
    /// No entries. Throws domain_error for a dimension below 0, not_supported for one above max_dimension.
    matrix(const context& ctx, dtype type, offset_t rows, offset_t columns);

    /// Copies CSR arrays; rows with unsorted columns are sorted, repeats added up. All three arrays may lie in the memory
    /// of the context's GPU, ready before the call: they are checked and copied there, and the host has no copy (unsorted
    /// ones go by way of the host). Throws invalid_format, index_out_of_bounds, dimension_mismatch for arrays of other lengths, domain_error
    /// for arrays of both memories.
    template <entry_type T, class Offset>
    static matrix from_csr(const context& ctx, const csr_view<T, Offset>& view) {
        return from_arrays(ctx, raw(view), true);
    }
    /// Uses the caller's CSR arrays without a copy; they must outlive the matrix, on a GPU what was asked of it too (context::wait()), and
    /// keep their content until invalidate(). Columns that do not ascend in each row are sorted in a copy by the first operation that reads
    /// them. Offsets must fit the width that the library would choose (32 bits below 2^31 entries). Arrays of the
    /// context's GPU are used where they are: columns must ascend in each row and start at a multiple of 32 bytes.
    /// Throws as from_csr does, and invalid_format for repeats.
    template <entry_type T, class Offset>
    static matrix borrow_csr(const context& ctx, const csr_view<T, Offset>& view) {
        return from_arrays(ctx, raw(view), false);
    }
    /// From coordinates in any order (GrB_build); repeats are combined with `duplicates`, in input order.
    template <entry_type T>
    static matrix build(const context& ctx, const coo_view<T>& view,
                        const binary_op& duplicates = binary_id::plus) {
        return from_tuples(ctx, dtype_of<T>, view.rows, view.columns_count, view.row_indices,
                           view.column_indices, view.values.data(), view.values.size(), duplicates);
    }

    offset_t rows() const;
    offset_t columns() const;
    offset_t nnz() const;
    dtype type() const;
    value_kind values_held() const;
    /// Whether a GPU alone has the entries: get(), csr() and all that looks at them on the host copies them first.
    bool on_device() const;

    bool contains(offset_t i, offset_t j) const;
    std::optional<scalar> get(offset_t i, offset_t j) const;
    /// Pending changes are gathered and merged into the storage when the matrix is next read.
    void set(offset_t i, offset_t j, scalar value);
    void remove(offset_t i, offset_t j);
    void clear();
    void resize(offset_t rows, offset_t columns);

    /// CSR arrays without a copy: of a matrix that lives on, for the view is into it. Throws domain_error when T or Offset is
    /// not what is stored.
    template <entry_type T, class Offset = std::int32_t>
    csr_view<T, Offset> csr() const&& = delete;
    template <entry_type T, class Offset = std::int32_t>
    csr_view<T, Offset> csr() const& {
        const raw_csr r = raw_rows(dtype_of<T>, sizeof(Offset));
        const auto n = static_cast<std::size_t>(r.nnz);
        return {static_cast<index_t>(r.rows),
                static_cast<index_t>(r.columns_count),
                {static_cast<const Offset*>(r.offsets), static_cast<std::size_t>(r.rows) + 1},
                {r.columns, n},
                {static_cast<const T*>(r.values), r.kind == value_kind::full  ? n
                                                  : r.kind == value_kind::iso ? 1
                                                                              : 0}};
    }
    /// The same arrays in the memory of this context's GPU, copied there only where they are not; an iso or a pattern
    /// matrix has one value there. For work ordered on the context's stream, or after context::wait(); until the matrix
    /// changes. Throws domain_error when T or Offset is not what is stored, not_supported where the context has no GPU.
    template <entry_type T, class Offset = std::int32_t>
    csr_view<T, Offset> csr_on(const context& gpu) const&& = delete;
    template <entry_type T, class Offset = std::int32_t>
    csr_view<T, Offset> csr_on(const context& gpu) const& {
        const raw_csr r = raw_rows_on(gpu, dtype_of<T>, sizeof(Offset));
        const auto n = static_cast<std::size_t>(r.nnz);
        return {static_cast<index_t>(r.rows),
                static_cast<index_t>(r.columns_count),
                {static_cast<const Offset*>(r.offsets), static_cast<std::size_t>(r.rows) + 1},
                {r.columns, n},
                {static_cast<const T*>(r.values), r.value_count}};
    }
    /// Copies all entries out, row by row.
    template <entry_type T>
    void extract_tuples(std::vector<index_t>& row_indices, std::vector<index_t>& column_indices,
                        std::vector<T>& values) const {
        row_indices.resize(nnz());
        column_indices.resize(row_indices.size());
        auto copy = std::make_unique<T[]>(row_indices.size() + 1);
        copy_tuples(dtype_of<T>, row_indices.data(), column_indices.data(), copy.get());
        values.assign(copy.get(), copy.get() + row_indices.size());
    }

    /// Cached structure; the first call reads the matrix (and, for symmetry, its transpose).
    const matrix_facts& facts() const;
    /// Throws invalid_format unless every representation keeps its rules (monotone offsets, columns in range
    /// and sorted, no repeats, sizes that agree).
    void validate() const;
    /// Says that about so many products with vectors will follow, until the matrix changes: plans of mxv may then make a copy
    /// that takes the time of dozens of products and makes each faster (kernels dia_slice, bsr_row, ell_slice, csr_ranked,
    /// csr_binned, tile_row), or turn it. Sums of floats may be taken in another order from then on. Throws domain_error below 0.
    void expect_products(offset_t count) const;
    /// The values behind borrow_csr() changed: forgets everything derived from them. Offsets and columns must be what they were,
    /// for they are not checked again: borrow the arrays anew where they are not.
    void invalidate();

    const storage::matrix_body& body() const;
    explicit matrix(std::shared_ptr<storage::matrix_body> body) : body_(std::move(body)) {}

private:
    struct raw_csr {
        offset_t rows, columns_count, nnz;
        dtype type;
        value_kind kind;
        std::size_t offset_bytes;
        const void* offsets;
        const index_t* columns;
        const void* values;
        std::size_t offset_count, value_count;  // as the caller gave them
    };
    template <class T, class Offset>
    static raw_csr raw(const csr_view<T, Offset>& v) {
        static_assert(sizeof(Offset) == 4 || sizeof(Offset) == 8);
        return {v.rows,
                v.columns_count,
                static_cast<offset_t>(v.columns.size()),
                dtype_of<T>,
                v.values.size() == v.columns.size() && !v.values.empty() ? value_kind::full
                : v.values.empty()                                       ? value_kind::pattern
                                                                         : value_kind::iso,
                sizeof(Offset),
                v.offsets.data(),
                v.columns.data(),
                v.values.data(),
                v.offsets.size(),
                v.values.size()};
    }
    static storage::csr borrowed(const raw_csr& raw);
    static matrix from_arrays(const context&, const raw_csr&, bool copy);
    static matrix from_device_arrays(const context&, const raw_csr&, bool copy);
    static matrix from_tuples(const context&, dtype, offset_t rows, offset_t columns,
                              std::span<const index_t>, std::span<const index_t>, const void* values,
                              std::size_t value_count, const binary_op&);
    raw_csr raw_rows(dtype type, std::size_t offset_bytes) const;
    raw_csr raw_rows_on(const context& gpu, dtype type, std::size_t offset_bytes) const;
    void copy_tuples(dtype type, index_t* row_indices, index_t* column_indices, void* values) const;
    storage::matrix_body& changed();

    std::shared_ptr<storage::matrix_body> body_;
};

}  // namespace nz
