// A look at an HDF5 file's own bytes before libhdf5 reads a text of variable length from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nz::io {

/// Whether an attribute `name` refers to a text that is there. libhdf5 (1.10.8) follows a damaged reference, or a damaged
/// heap of texts, out of its memory. `base` is where the file's addresses count from.
bool has_sound_text(std::span<const std::byte> file, std::uint64_t base, std::string_view name);

}  // namespace nz::io
