// Results for each vertex as files: columns of numbers, as NumPy's .npz or as text.
#pragma once

#include "nonzero/types.hpp"

#include <span>
#include <string>

namespace nz::io {

/// A column: `count` values of `type`.
struct named_array {
    std::string name;
    dtype type = dtype::float64;
    const void* data = nullptr;
    offset_t count = 0;
};

/// One member NAME.npy for each array, as numpy.savez writes them. Throws error where the file cannot be written.
void write_npz_arrays(const std::string& path, std::span<const named_array> arrays);
/// '# first second ...', then a line for each row; all arrays have as many values. Floating values come out in the
/// shortest form that reads back as the same.
void write_text_columns(const std::string& path, std::span<const named_array> arrays);

}  // namespace nz::io
