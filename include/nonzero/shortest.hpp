// shortest: the closure of a matrix over (min, +) from one source (single-source shortest paths and its relatives).
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/plan.hpp"
#include "nonzero/vector.hpp"

#include <optional>
#include <string_view>

namespace nz {

/// What may be switched off, to see what it brings.
struct shortest_switches {
    bool near_far =
        true;  ///< delta_stepping: relax from vertices nearer than a bound, raised by delta; off: from all
    bool change_direction =
        true;  ///< relax_loop: pull once the frontier has grown large (yang2018's two phases)
    bool operand_reuse = true;  ///< relax_loop: pull reads all distances in place of those that changed
};
/// "all", "none", or a comma-separated list of near_far, change_direction, operand_reuse. Throws domain_error for other
/// words.
shortest_switches parse_shortest_switches(std::string_view list);

struct shortest_options {
    shortest_switches switches{};
    std::string_view kernel{};  ///< "delta_stepping", "relax_loop"; empty: the plan chooses
    bool parents = true;        ///< compute parents too
    double delta = -1;          ///< width of a bucket, in the unit of the weights; negative: the plan's own
    std::optional<dtype>
        type{};  ///< of distances: int64 or float64 in place of what follows from the weights
};

struct shortest_result {
    vector distances;                  ///< int32, int64, float32 or float64; no entry where there is no path
    vector parents;                    ///< int32, -1 where there is no path; the source is its own parent
    offset_t reached = 0;              ///< vertices, source included
    offset_t edges = 0;                ///< entries in the rows of reached vertices
    offset_t relaxations = 0;          ///< edges looked at; over `edges`: how often each
    offset_t rounds = 0, buckets = 0;  ///< steps that wait for each other; raises of the bound among them
    double delta = 0;                  ///< as it was used; 0 without
    std::string_view kernel{};
    nz::backend backend = backend::cpu;  ///< where it ran
    double kernel_ms = -1;               ///< on a GPU, between two events; -1 on a CPU
    std::size_t device_peak_bytes = 0;   ///< alive at a time on the GPU, graph included
    std::size_t moved_bytes = 0;  ///< brought to the GPU from host memory: of the graph, what was not there
};

}  // namespace nz
