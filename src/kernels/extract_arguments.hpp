// What the kernels of extract and assign are called with for a matrix. Two entry points: count, then fill.
#pragma once

#include "core/bits.hpp"
#include "kernels/csr_entries.hpp"

#include <span>

namespace nz::kernels {

/// What the lines of an output come from that a list says.
enum class lines_from : unsigned char {
    list,        ///< line k from list[k]
    positions,   ///< line list[k] from k, the largest of several
    themselves,  ///< line list[k] from list[k]
    first        ///< line list[k] from 0
};

/// An entry's column and its place in the output.
struct column_target {
    index_t column, place;
    friend auto operator<=>(const column_target&, const column_target&) = default;
};

struct extract_rows_arguments {
    csr_entries a;
    index_t rows = 0;                      ///< of the output
    const index_t* row_sources = nullptr;  ///< [rows], -1: an empty one; null: the same rows
    // Where columns go: as they are, by a place for each (-1: none), or by a list ascending in columns.
    bool all_columns = false;
    const index_t* place_of = nullptr;
    std::span<const column_target> targets;
    const index_t* target_of =
        nullptr;                ///< of each column the first of these (-1: none); null: it is looked for
    bool ascending = true;      ///< places ascend where columns do
    bool every_column = false;  ///< each has one place
    int threads = 1;
    index_t* lengths = nullptr;  ///< [rows], from count
    // The result, for fill.
    offset_reader out_offsets;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;  ///< null where the result has one value for all, or none
};

/// The matrix C with a region of rows x columns replaced by T's entries, which lie within it. Both have values of one type.
struct assign_rows_arguments {
    csr_entries c, t;
    // The region: a bit for each; null: all of them.
    const bits::word *rows = nullptr, *columns = nullptr;
    int threads = 1;
    index_t* lengths = nullptr;
    offset_reader out_offsets;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;
};

/// Rows of A put together on a GPU: pointers are the device's.
struct device_extract_arguments {
    index_t rows = 0;
    offset_t entries = 0;  ///< of the result, for fill
    offset_reader offsets;
    const index_t* columns = nullptr;
    const void* values = nullptr;  ///< null: none to move
    std::size_t value_bytes = 0;
    const index_t* row_sources = nullptr;  ///< [rows], -1: an empty one
    offset_t* starts = nullptr;            ///< [rows + 1], from count
    void* temporary = nullptr;
    std::size_t scan_bytes = 0;
    void* out_offsets = nullptr;  ///< [rows + 1]
    bool wide = false;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;
};

struct device_extract_table {
    std::size_t (*scan_bytes)(index_t rows) = nullptr;
    void (*rows_count)(const device_extract_arguments& arguments, void* stream) = nullptr;
    void (*rows_fill)(const device_extract_arguments& arguments, void* stream) = nullptr;
    /// sources[list[k]], of `lines`, as `from` says, and -1 where the list names none.
    void (*spread)(const index_t* list, offset_t count, lines_from from, index_t* sources, offset_t lines,
                   void* stream) = nullptr;
    /// A bit for each source that is not -1, whole words.
    void (*named)(const index_t* sources, offset_t lines, bits::word* words, void* stream) = nullptr;
};

}  // namespace nz::kernels
