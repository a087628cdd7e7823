#pragma once

#include "kernels/betweenness_arguments.hpp"

namespace nz::kernels::cpu {

const betweenness_table& batched_betweenness();

}  // namespace nz::kernels::cpu
