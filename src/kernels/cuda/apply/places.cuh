#pragma once

#include "kernels/apply_places_arguments.hpp"

namespace nz::kernels::cuda {

void apply_places(const apply_places_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
