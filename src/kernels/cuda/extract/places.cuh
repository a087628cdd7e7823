#pragma once

#include "kernels/places_arguments.hpp"

namespace nz::kernels::cuda {

void extract_places(const places_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
