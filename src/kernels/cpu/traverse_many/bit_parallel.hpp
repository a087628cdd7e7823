// Entry point of traverse_many/bit_parallel on the CPU; the essay is in the .cpp file.
#pragma once

#include "kernels/traverse_many_arguments.hpp"

namespace nz::kernels::cpu {

traverse_many_totals bit_parallel(const traverse_many_arguments& arguments);

}  // namespace nz::kernels::cpu
