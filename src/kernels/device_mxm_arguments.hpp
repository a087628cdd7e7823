// What the kernels that multiply two matrices are called with on a GPU: pointers are the device's.
#pragma once

#include "core/device.hpp"
#include "kernels/mxm_arguments.hpp"
#include "plan/mxm_band_workspace.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "plan/mxm_sort_workspace.hpp"

namespace nz::kernels {

struct device_mxm_arguments {
    device::session* gpu = nullptr;  ///< whose stream the steps of mxm/hash get, which have pieces
    mxm_side a, b;
    offset_t a_step = 1, b_step = 1;  ///< 0: values[0] stands for every entry
    index_t rows = 0, inner = 0, columns = 0;
    offset_t a_entries = 0, b_entries = 0;
    // For masked_row: what may be written, or with `complement` what may not, ascending in each row.
    bool masked = false, complement = false;
    offset_t mask_entries = 0;
    offset_reader mask_offsets;
    const index_t* mask_columns = nullptr;
    // For masked_dot, whose b holds B's columns: sums at the mask's entries, whether there are any, and each row's number.
    void* dot_values = nullptr;
    bool* dot_met = nullptr;
    index_t *dot_lengths = nullptr, *dot_rows = nullptr, *dot_long_rows = nullptr;  ///< [rows], [rows], [2]
    offset_t* dot_starts =
        nullptr;  ///< [rows + 1], from starts; before, where in the mask the rows that are listed begin
    // For dia_dia: plan::mxm_band_bytes, what found there, and the rows that fill takes.
    void* band_parts = nullptr;
    int band_least = 1;  // of plan::band_samples rows, those without which it is none
    plan::mxm_band_shape band{};
    index_t fill_first = 0, fill_last = 0;
    // For two_level_sort, whose tiles take `products` of them as they come: plan::mxm_sort_entry_bytes, plan::mxm_sort_bytes; where rows may
    // be ranged, plan::mxm_range_bytes for their tiles and slots; columns of the places of cut rows in rooms of as many entries as these
    // have products; plan::mxm_cut_bytes for so many places, rows and runs.
    bool ranged = false;
    void *entry_memory = nullptr, *sort_memory = nullptr, *range_memory = nullptr;
    offset_t range_tiles = 0, range_slots = 0;
    std::size_t sort_scan_bytes = 0, cut_sort_bytes = 0, value_bytes = 0;
    index_t* cut_columns = nullptr;
    void* cut_memory = nullptr;
    offset_t cut_places = 0,
             cut_runs = 0;  ///< `cut_runs`: tiles that one row lies in, at most; 0: no more than two
    index_t cut_rows = 0;
    // For numeric: C's entries, and which products each sums (storage::product_list).
    offset_t places = 0, products = 0;
    const std::uint32_t* product_starts = nullptr;
    const void* product_pairs = nullptr;
    void* row_parts = nullptr;  ///< plan::mxm_device_rows bytes: each step leaves there what the next goes by
    std::size_t scan_bytes = 0;
    void* pairs = nullptr;   ///< plan::mxm_pair_bytes, where rows are not all sorted
    void* tables = nullptr;  ///< plan::global_tables of plan::column_table_bytes
    std::size_t table_count = 0;
    // Rows in each bin: the survey's for count, count's for fill.
    plan::mxm_survey by_products{}, by_entries{};
    // The result, for fill. Entries of row i stand from the sum of the entries of all rows before it.
    void* offsets = nullptr;  ///< [rows + 1]; null: not wanted
    bool wide = false;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;
};

/// Puts its work on `stream` (a cudaStream_t) and returns.
using device_mxm_kernel = void (*)(const device_mxm_arguments&, void* stream);

/// The steps of mxm/two_level_sort that are the same for all semirings, in this order; after each but the last sizes are read, and memory
/// is taken.
struct device_sort_table {
    std::size_t (*scan_bytes)(offset_t a_entries, index_t rows, offset_t products) = nullptr;
    device_mxm_kernel entries = nullptr, expand = nullptr, count = nullptr;
    std::size_t (*cut_bytes)(const device_mxm_arguments&) = nullptr;
    device_mxm_kernel cut = nullptr;
};

/// The steps of mxm/hash that are the same for all semirings.
struct device_mxm_table {
    std::size_t (*scan_bytes)(index_t rows) = nullptr;
    device_mxm_kernel survey = nullptr;  ///< products, and rows by them
    device_mxm_kernel pair = nullptr;    ///< B's pairs, and rows that are not sorted by theirs
    device_mxm_kernel count = nullptr;   ///< entries of rows, rows by them, and where they start
    // Of mxm/dia_dia, after survey: the diagonals; and rows that have them leave hash's bins, which are to be read anew.
    device_mxm_kernel find_band = nullptr, take_band = nullptr;
    /// After count, again and again: fill takes rows [first, last) alone, once by_entries has been read anew.
    void (*choose)(const device_mxm_arguments& arguments, index_t first, index_t last,
                   void* stream) = nullptr;
    /// Adds to each of so many columns.
    void (*shift_columns)(index_t* columns, offset_t count, index_t by, void* stream) = nullptr;
    device_sort_table sort{};
    // Of mxm/masked_dot: temporary bytes (in `tables`) of the scan, the scan of row lengths, and the result from what stands at the
    // mask's entries, of so many bytes a value.
    std::size_t (*dot_scan_bytes)(index_t rows) = nullptr;
    /// *steps = entries of B's columns, over all places of the mask.
    void (*dot_steps)(const device_mxm_arguments& arguments, offset_t* steps, void* stream) = nullptr;
    void (*dot_starts)(const device_mxm_arguments& arguments, std::size_t scan_bytes, void* stream) = nullptr;
    void (*dot_compact)(const device_mxm_arguments& arguments, std::size_t value_bytes,
                        void* stream) = nullptr;
};

}  // namespace nz::kernels
