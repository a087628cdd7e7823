// The entry points of common_vectors.cu and common_write_back.cu.
#pragma once

#include "kernels/device_vectors.hpp"

namespace nz::kernels::cuda {

std::size_t sparse_bytes(index_t size);
void to_bitmap(const device_entries& from, void* values, bits::word* present, void* stream);
void to_sparse(const device_entries& from, void* values, index_t* indices, void* temporary, std::size_t bytes,
               void* stream);
void mask_words(const device_entries& mask, bool structure, bits::word* words, void* stream);
void fill(void* values, dtype type, offset_t size, element value, void* stream);
void write_back(const device_write_back& call, void* stream);
void write_few(const device_write_few& call, void* stream);
void count_bits(const bits::word* words, index_t size, offset_t* count, void* stream);

}  // namespace nz::kernels::cuda
