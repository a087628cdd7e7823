// What the kernels of select are called with for a matrix. Two entry points: count, then fill.
#pragma once

#include "algebra/entry_function.hpp"
#include "core/bits.hpp"
#include "kernels/csr_entries.hpp"

namespace nz::kernels {

struct select_arguments {
    // By a built-in comparison where `compiled` says so, of places or of A's own values; else by any function.
    bool compiled = false;
    index_unary_id op = index_unary_id::tril;
    element thunk{};  ///< an int64 for places, else of A's type
    const algebra::entry_function* keep = nullptr;
    csr_entries a;
    int threads = 1;
    index_t* lengths = nullptr;  ///< [rows], from count
    // The result, for fill.
    offset_reader out_offsets;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;  ///< null where the result has one value for all, or none
};

/// What select/rising is called with: a square pattern, count and fill as above.
struct rising_arguments {
    index_t rows = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    int threads = 1;
    index_t* lengths = nullptr;  ///< [rows], from count
    offset_reader out_offsets;
    index_t* out_columns = nullptr;
};

/// On a GPU, what of a matrix extract and assign keep too: pointers are the device's.
struct device_select_arguments {
    index_t rows = 0;
    offset_t entries = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    // What of rows: a comparison of places or, with values, of them.
    index_unary_id op = index_unary_id::valuene;
    element thunk{};
    const void* values = nullptr;  ///< [entries] of `type`, or null
    dtype type = dtype::float64;
    // What of places: columns that have one, [columns], -1: none.
    const index_t* place_of = nullptr;
    // What of a region of rows x columns: a bit for each, null for all of them. What lies within, or what does not.
    const bits::word *row_words = nullptr, *column_words = nullptr;
    bool within = false;
    void* workspace = nullptr;  ///< plan::select_workspace: count leaves there what fill goes by
    void* temporary = nullptr;
    std::size_t scan_bytes = 0;
    // The result, for fill.
    void* out_offsets = nullptr;  ///< [rows + 1]
    bool wide = false;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;  ///< null where the result is a pattern
};

/// Null functions where the build has no CUDA.
struct device_select_table {
    std::size_t (*scan_bytes)(offset_t entries) = nullptr;
    void (*rows_count)(const device_select_arguments& arguments, void* stream) = nullptr;
    void (*rising_count)(const device_select_arguments& arguments, void* stream) = nullptr;
    void (*columns_count)(const device_select_arguments& arguments, void* stream) = nullptr;
    void (*region_count)(const device_select_arguments& arguments, void* stream) = nullptr;
    void (*fill)(const device_select_arguments& arguments, void* stream) = nullptr;
};

}  // namespace nz::kernels
