// SciPy's sparse matrices: scipy.sparse.save_npz and load_npz.
#pragma once

#include "io/output_file.hpp"
#include "nonzero/io.hpp"

#include <span>
#include <string>

namespace nz::io::npz {

/// Reads csr, csc, coo, dia and bsr. Throws invalid_format with the file, the member and the reason.
input read(const context& ctx, std::span<const std::byte> bytes, std::string name,
           const read_options& options);

/// Writes csr, compressed. A pattern becomes a matrix of ones.
void write(const context& ctx, const matrix& a, const output_file& file);

}  // namespace nz::io::npz
