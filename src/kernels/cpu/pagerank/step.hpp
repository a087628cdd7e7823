#pragma once

#include "kernels/pagerank_arguments.hpp"

namespace nz::kernels::cpu {

void pagerank_step(const pagerank_step_arguments& arguments);

}  // namespace nz::kernels::cpu
