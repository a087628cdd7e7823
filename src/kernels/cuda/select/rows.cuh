// Entry points of select on a GPU; the essays are in rows.cu and rising.cu, and for the others in extract/rows.cu and assign/rows.cu. fill serves
// all counts.
#pragma once

#include "kernels/select_arguments.hpp"

namespace nz::kernels::cuda {

std::size_t select_scan_bytes(offset_t entries);
void select_rows_count(const device_select_arguments& arguments, void* stream);
void rising_count(const device_select_arguments& arguments, void* stream);
void select_fill(const device_select_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
