// Parents from distances, by a pass over the edges after the search: so that they depend on nothing but the distances.
#pragma once

#include "kernels/shortest_arguments.hpp"

namespace nz::kernels::cpu {

/// All of a.parents from a.distances.
void shortest_parents(const shortest_arguments& a);
/// The parents that are left out by a pass which only looks at nearer vertices: those over edges of length 0.
void finish_shortest_parents(const shortest_arguments& a);

}  // namespace nz::kernels::cpu
