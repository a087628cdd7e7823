// The steps of mxm on a GPU that are the same for all semirings.
#pragma once

#include "kernels/device_mxm_arguments.hpp"

namespace nz::kernels::cuda {

std::size_t hash_scan_bytes(index_t rows);
void hash_survey(const device_mxm_arguments& arguments, void* stream);
void hash_pair(const device_mxm_arguments& arguments, void* stream);
void hash_count(const device_mxm_arguments& arguments, void* stream);
/// After count: fill takes rows [first, last) alone.
void hash_choose(const device_mxm_arguments& arguments, index_t first, index_t last, void* stream);
void shift_columns(index_t* columns, offset_t count, index_t by, void* stream);
/// The result's row offsets from what count left; a part of fill.
void hash_offsets(const device_mxm_arguments& arguments, void* stream);

void dia_dia_find(const device_mxm_arguments& arguments, void* stream);
void dia_dia_take(const device_mxm_arguments& arguments, void* stream);

std::size_t two_level_sort_scan_bytes(offset_t a_entries, index_t rows, offset_t products);
void two_level_sort_entries(const device_mxm_arguments& arguments, void* stream);
void two_level_sort_expand(const device_mxm_arguments& arguments, void* stream);
void two_level_sort_count(const device_mxm_arguments& arguments, void* stream);
std::size_t two_level_sort_cut_bytes(const device_mxm_arguments& arguments);
void two_level_sort_cut(const device_mxm_arguments& arguments, void* stream);
/// Of entries: which rows are ranged, and their tiles. Of count: those in order, and the rows' entries.
std::size_t range_scan_bytes(index_t rows);
void range_rows(const device_mxm_arguments& arguments, void* stream);
void range_count(const device_mxm_arguments& arguments, index_t* counts, void* stream);
/// A part of cut where the device sorts the places of cut rows.
std::size_t cut_sorted_bytes(offset_t places);
void cut_sorted(const device_mxm_arguments& arguments, index_t* counts, void* stream);

std::size_t dot_scan_bytes(index_t rows);
void dot_steps(const device_mxm_arguments& arguments, offset_t* steps, void* stream);
void dot_starts(const device_mxm_arguments& arguments, std::size_t scan_bytes, void* stream);
void dot_compact(const device_mxm_arguments& arguments, std::size_t value_bytes, void* stream);

}  // namespace nz::kernels::cuda
