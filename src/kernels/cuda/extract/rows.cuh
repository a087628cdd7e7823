#pragma once

#include "kernels/extract_arguments.hpp"
#include "kernels/select_arguments.hpp"

namespace nz::kernels::cuda {

std::size_t extract_scan_bytes(index_t rows);
void extract_rows_count(const device_extract_arguments& arguments, void* stream);
void extract_rows_fill(const device_extract_arguments& arguments, void* stream);
void spread_sources(const index_t* list, offset_t count, lines_from from, index_t* sources, offset_t lines,
                    void* stream);
void named_sources(const index_t* sources, offset_t lines, bits::word* words, void* stream);
/// Columns that have a place; select_fill writes them there.
void extract_columns_count(const device_select_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
