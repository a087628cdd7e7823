// .nzb, our own cache: a header and the arrays of the CSR as they lie in memory, with checksums.
#pragma once

#include "nonzero/io.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace nz::io::nzb {

/// Whether the bytes begin like such a file, of whatever version.
bool is_nzb(std::span<const std::byte> bytes);

/// Reads and validates. Throws invalid_format with the file and the reason.
input read(const context& ctx, std::span<const std::byte> bytes, std::string_view name,
           const read_options& options);

/// The file's bytes in pieces, in order.
void write(const context& ctx, const matrix& a, const std::function<void(std::string_view)>& write);

}  // namespace nz::io::nzb
