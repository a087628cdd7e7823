// Compressed sparse rows: the representation that everything else is built from. Also CSC, as the CSR of the
// transpose.
#pragma once

#include "core/buffer.hpp"
#include "nonzero/matrix.hpp"

#include <memory>
#include <mutex>
#include <span>

namespace nz::storage {

/// offsets[rows + 1] (32-bit below 2^31 entries, else 64-bit), indices[nnz], values by kind: [nnz], [1] or
/// none.
struct csr {
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    dtype type = dtype::float64;
    value_kind kind = value_kind::full;
    int offset_bytes = 4;
    bool sorted = true;  ///< columns ascend in every row; false only for a caller's arrays
    buffer offsets, indices, values;

    const index_t* index_data() const { return indices.as<index_t>(); }
    std::size_t value_bytes() const { return size_of(type); }
    /// Where row i starts; with_offsets is for loops.
    offset_t offset(offset_t i) const {
        return offset_bytes == 4 ? offsets.as<const std::int32_t>()[i] : offsets.as<const std::int64_t>()[i];
    }
    /// The value of the entry at position k, as bits of `type`.
    element value(offset_t k) const;
    std::size_t bytes() const { return offsets.bytes() + indices.bytes() + values.bytes(); }
    /// The same without its arrays, with values of another type.
    csr shape(dtype of) const;
    csr shape() const { return shape(type); }
};

/// The narrowest offset width for `nnz` entries.
constexpr int offset_bytes_for(offset_t nnz) { return nnz < (offset_t{1} << 31) ? 4 : 8; }
/// Whether positions of that width still hold what lies a few turns of a warp past the last entry, as searches on a GPU step.
constexpr bool steps_past_end_fit(offset_t nnz) {
    return offset_bytes_for(nnz) == offset_bytes_for(nnz + 256);
}

/// `nnz` entries without arrays.
inline csr csr_shape(dtype type, value_kind kind, index_t rows, index_t columns, offset_t nnz) {
    csr a;
    a.rows = rows;
    a.columns = columns;
    a.nnz = nnz;
    a.type = type;
    a.kind = kind;
    a.offset_bytes = offset_bytes_for(nnz);
    return a;
}
inline csr csr::shape(dtype of) const {
    csr a = csr_shape(of, kind, rows, columns, nnz);
    a.offset_bytes = offset_bytes;
    return a;
}

/// Calls f(const Offset* offsets) with the width that is stored.
template <class F>
decltype(auto) with_offsets(const csr& a, F&& f) {
    return a.offset_bytes == 4 ? f(a.offsets.as<const std::int32_t>())
                               : f(a.offsets.as<const std::int64_t>());
}

/// Calls f(std::type_identity<U>{}) with an unsigned type of `bytes` bytes: moving values needs no more.
template <class F>
decltype(auto) by_width(std::size_t bytes, F&& f) {
    switch (bytes) {
        case 1:
            return f(std::type_identity<std::uint8_t>{});
        case 2:
            return f(std::type_identity<std::uint16_t>{});
        case 4:
            return f(std::type_identity<std::uint32_t>{});
        default:
            return f(std::type_identity<std::uint64_t>{});
    }
}

/// Reads or writes value k of an array of `type`.
inline element load(const void* values, dtype type, offset_t k) {
    return by_width(size_of(type), [&]<class U>(std::type_identity<U>) {
        return element{static_cast<const U*>(values)[k]};
    });
}
inline void store(void* values, dtype type, offset_t k, element x) {
    by_width(size_of(type),
             [&]<class U>(std::type_identity<U>) { static_cast<U*>(values)[k] = static_cast<U>(x.bits); });
}
inline element one_of(dtype type) { return cast(to_element(true), dtype::boolean, type); }

inline element csr::value(offset_t k) const {
    return kind == value_kind::pattern ? one_of(type)
                                       : load(values.data(), type, kind == value_kind::iso ? 0 : k);
}

/// An empty matrix: all offsets 0.
csr make_empty_csr(const context& ctx, dtype type, index_t rows, index_t columns);
/// The same, whose offsets are not there until somebody looks at them: an output costs what is written to it.
class blank_csr {
public:
    blank_csr(dtype type, index_t rows, index_t columns);
    const std::shared_ptr<csr>& rows() const { return rows_; }
    /// Fills its arrays, once.
    void fill(const context& ctx);

private:
    std::mutex mutex_;
    std::shared_ptr<csr> rows_;
};
/// A CSR with room for nnz entries, offsets of the width for nnz, nothing filled in.
csr allocate_csr(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
                 offset_t nnz);
/// The same with offsets from the length of each row.
csr allocate_csr(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
                 std::span<const index_t> lengths);
/// The transpose, columns sorted; values moved along, offsets as wide as a's. Memory beside it: at most 16 bytes an entry
/// and a few hundred KiB a thread. See transpose.cpp.
csr transpose(const context& ctx, const csr& a);
/// The same entries with values converted to `type`; structure is copied too.
csr convert_values(const context& ctx, const csr& a, dtype type);
/// `count` values of type `from` as values of type `to`.
buffer convert_array(const context& ctx, const buffer& values, dtype from, dtype to, offset_t count);
/// a's structure (no values) with each row's columns ordered by falling length of that column's row in
/// `lengths`, ties ascending: traversals meet likely parents first.
csr hub_first(const context& ctx, const csr& a, const csr& lengths);
csr copy(const context& ctx, const csr& a);
/// Sorts the columns of every row (stably) and combines repeats with `duplicates`; returns whether it had to.
bool sort_rows(const context& ctx, csr& a, const binary_op& duplicates);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const csr& a, const char* what);
/// Reads the matrix once and, for symmetry, a transpose, which may be passed in.
matrix_facts collect_facts(const context& ctx, const csr& a, const csr* transposed);

/// What 256 rows, evenly spread, say of all: how they read a vector, without a pass over the matrix.
struct row_sample {
    double deviation = 0;  ///< standard deviation of their lengths over the mean length; 0 without entries
    double scattered = 0;  ///< share of their entries farther than near_columns from the matrix's diagonal
    double distance = 0;   ///< how many columns from it they lie, on average
    double runs = 0;       ///< share of those behind another whose column is the next one
    static constexpr index_t near_columns = 32768;  ///< 256 KiB of doubles, which a core's own cache keeps
    static constexpr offset_t samples = 256;
};
/// One of them: its length and its first columns.
struct sampled_row {
    static constexpr int most = 16;
    index_t row = 0;
    index_t columns[most] = {};
    offset_t length = 0;
};
row_sample sample_rows(const csr& a);
row_sample summed(std::span<const sampled_row> samples, index_t rows, index_t columns);

}  // namespace nz::storage
