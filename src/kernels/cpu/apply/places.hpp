#pragma once

#include "kernels/apply_places_arguments.hpp"

namespace nz::kernels::cpu {

void apply_places(const apply_places_arguments& arguments);

}  // namespace nz::kernels::cpu
