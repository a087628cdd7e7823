// Binsparse 0.1: sparse arrays in HDF5, described by JSON. binsparse.cpp and binsparse_write.cpp, or binsparse_absent.cpp in
// a build without libhdf5.
#pragma once

#include "io/output_file.hpp"
#include "nonzero/io.hpp"
#include "nonzero/vector.hpp"

#include <cstring>
#include <span>
#include <string>

namespace nz::io::binsparse {

/// Whether the bytes begin like an HDF5 file.
inline bool is_hdf5(std::span<const std::byte> bytes) {
    constexpr char signature[] = "\x89HDF\r\n\x1a\n";
    return bytes.size() >= 8 && std::memcmp(bytes.data(), signature, 8) == 0;
}

/// Reads every predefined format and structure; a vector is a matrix of one column. Throws invalid_format with the file
/// and the reason, not_supported without libhdf5.
input read(const context& ctx, const std::string& path, const read_options& options);

/// A pattern and an iso matrix keep one value.
void write(const context& ctx, const matrix& a, const output_file& file, file_layout layout);
/// A dense vector as DVEC, another as CVEC.
void write(const context& ctx, const vector& v, const output_file& file);

}  // namespace nz::io::binsparse
