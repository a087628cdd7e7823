#pragma once

#include "kernels/places_arguments.hpp"

namespace nz::kernels::cpu {

/// How many of the places have an entry.
offset_t extract_places(const places_arguments& arguments);

}  // namespace nz::kernels::cpu
