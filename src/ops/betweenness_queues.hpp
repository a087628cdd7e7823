// betweenness/queue on either side: memory, rounds of sources, and what they tell.
#pragma once

#include "core/buffer.hpp"
#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "plan/betweenness.hpp"

#include <optional>
#include <span>

namespace nz::ops {

struct counted_queues {
    buffer centrality;    ///< [vertices] doubles, on the plan's side
    offset_t levels = 0;  ///< of all searches
};

/// Nothing where numbers of paths are beyond what the kernel's numbers can say.
std::optional<counted_queues> betweenness_queues(const context& ctx, const matrix& a,
                                                 std::span<const offset_t> sources,
                                                 const plan::betweenness_plan& plan);

}  // namespace nz::ops
