// From coordinates to sorted CSR, in parallel: what files, generators and GrB_build end in.
#pragma once

#include "storage/csr.hpp"

#include <functional>
#include <span>

namespace nz::storage {

/// A run of coordinates in input order. `values` has `count` values of the matrix's type, or is null.
struct tuple_chunk {
    const index_t* rows;
    const index_t* columns;
    const void* values;
    offset_t count;
};

/// What each tuple (i, j, v) with i != j stands for besides itself.
enum class mirror : std::uint8_t {
    none,
    symmetric,      ///< also (j, i, v)
    skew_symmetric  ///< also (j, i, -v)
};

/// Builds the CSR of all tuples, chunks taken in order. Repeats are combined with `duplicates` in input
/// order. Indices must lie within the shape (the caller checks; only debug builds check again). Memory: the CSR, and 16
/// bytes an entry (tuples in random order: deal.hpp) or an offset a row and thread (in the order of rows, nearly);
/// where there are repeats, also the CSR before they are combined. Of tuples in random order `tuples_read` is called, where it is given, before
/// the CSR is allocated: they are not looked at again.
csr assemble(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
             std::span<const tuple_chunk> chunks, mirror expand, const binary_op& duplicates,
             const std::function<void()>& tuples_read = {});

}  // namespace nz::storage
