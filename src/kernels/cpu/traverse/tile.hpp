// Entry point of traverse/tile; the essay is in the .cpp file.
#pragma once

#include "kernels/tile_arguments.hpp"

namespace nz::kernels::cpu {

traverse_totals tile(const tile_arguments& arguments);

}  // namespace nz::kernels::cpu
