// What ops asks of a GPU for vectors alone: change of form, masks, and the write-back of a result. Pointers are the
// device's, bitmaps are of 64-bit words as on the host, and work is put on `stream` (a cudaStream_t).
#pragma once

#include "core/bits.hpp"
#include "nonzero/algebra.hpp"
#include "nonzero/vector.hpp"

#include <cstddef>

namespace nz::kernels {

/// A vector's arrays. dense: values; bitmap: values and present; sparse: values and indices.
struct device_entries {
    vector_form form = vector_form::dense;
    dtype type = dtype::float64;
    index_t size = 0;
    offset_t count = 0;
    const void* values = nullptr;
    const bits::word* present = nullptr;
    const index_t* indices = nullptr;
};

/// w<mask, replace> = accum(w, t) for w and t of one type, both dense or bitmap. `mask` null lets everything through,
/// and nothing when complemented.
struct device_write_back {
    device_entries w, t;
    const bits::word* mask = nullptr;
    bool complement = false, replace = false, accumulates = false;
    binary_id accum = binary_id::second;  ///< on w's type
    bool scales =
        false;  ///< in place of accum: alpha t + beta w, absent entries counting as 0, for every place
    double alpha = 1, beta = 0;
    void* out_values = nullptr;
    bits::word* out_present = nullptr;
};

/// w = accum(w, t) where w lies, dense or a bitmap (`present` null or not), at the entries of a sparse t of w's type alone.
struct device_write_few {
    device_entries t;
    binary_id accum = binary_id::second;  ///< on w's type
    void* values = nullptr;
    bits::word* present = nullptr;
    offset_t* count = nullptr;  ///< of a bitmap's entries; grows by those that it had not
};

/// Null functions where the build has no CUDA.
struct device_vector_table {
    /// Bytes of temporary memory for to_sparse.
    std::size_t (*sparse_bytes)(index_t size) = nullptr;
    /// Writes values and presence of any form.
    void (*to_bitmap)(const device_entries& from, void* values, bits::word* present, void* stream) = nullptr;
    /// Writes `from.count` indices and values.
    void (*to_sparse)(const device_entries& from, void* values, index_t* indices, void* temporary,
                      std::size_t bytes, void* stream) = nullptr;
    /// The bits of entries that are present and, unless `structure`, not 0.
    void (*mask_words)(const device_entries& mask, bool structure, bits::word* words, void* stream) = nullptr;
    /// `size` values of `type` become the one with these bits.
    void (*fill)(void* values, dtype type, offset_t size, element value, void* stream) = nullptr;
    /// Writes the values of `from`, of any form, in another type.
    void (*write_back)(const device_write_back& call, void* stream) = nullptr;
    void (*write_few)(const device_write_few& call, void* stream) = nullptr;
    /// *count = set bits among the first `size`.
    void (*count_bits)(const bits::word* words, index_t size, offset_t* count, void* stream) = nullptr;
};

}  // namespace nz::kernels
