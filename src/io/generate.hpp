// Generators: inputs that are computed from a name such as "rmat:20,16" instead of read from a file.
#pragma once

#include "nonzero/io.hpp"

#include <string_view>

namespace nz::io {

/// Runs the generator that `spec` names. The same spec and seed give the same matrix, bit for bit, whatever
/// the number of threads. Throws domain_error, with the generator's usage, for arguments it does not take.
input generate(const context& ctx, std::string_view spec, const read_options& options);

}  // namespace nz::io
