// Generators as inputs: the declaration that nz::load calls; the generators live beside it.
#pragma once

#include <string_view>

#include "nonzero/io.hpp"

namespace nz::io {

/// Runs the generator that `spec` names ("rmat:20,16"). Throws domain_error for arguments that make no sense.
input generate(const context& ctx, std::string_view spec, const read_options& options);

}  // namespace nz::io
