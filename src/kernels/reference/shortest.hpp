#pragma once

#include "kernels/shortest_arguments.hpp"

namespace nz::kernels::reference {

/// distances = the least fixed point of d(v) = min over u of d(u) + A(u,v), d(source) = 0: every edge is relaxed until
/// none changes a distance. Parents as sssp() states them.
void shortest(const shortest_arguments& a);

}  // namespace nz::kernels::reference
