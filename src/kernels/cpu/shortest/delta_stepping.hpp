// Entry point of shortest/delta_stepping on a CPU; the essay is in the .cpp file.
#pragma once

#include "kernels/shortest_arguments.hpp"

namespace nz::kernels::cpu {

/// Distances, and parents where they are wanted.
shortest_report delta_stepping(const shortest_arguments& arguments);

}  // namespace nz::kernels::cpu
