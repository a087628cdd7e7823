#pragma once

#include "kernels/betweenness_arguments.hpp"

#include <optional>

namespace nz::kernels::cpu {

/// Adds to the centrality what the vertices hand on for each source. Returns the levels of all searches; nothing where a
/// number of paths is beyond a long double.
std::optional<offset_t> betweenness_queue(const betweenness_queue_arguments& k);

}  // namespace nz::kernels::cpu
