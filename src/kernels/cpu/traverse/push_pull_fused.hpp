// Entry point of traverse/push_pull_fused; the essay is in the .cpp file.
#pragma once

#include "kernels/traverse_arguments.hpp"

namespace nz::kernels::cpu {

traverse_totals push_pull_fused(const traverse_arguments& arguments);

}  // namespace nz::kernels::cpu
