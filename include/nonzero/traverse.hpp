// traverse: repeat a masked matvec until the frontier is empty (breadth-first search and its relatives), from one
// source or, traverse_many, from many at once.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/plan.hpp"
#include "nonzero/vector.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nz {

/// The five optimisations of yang2018 as separate switches, and one that its section 7.3 describes of another library.
struct traverse_switches {
    bool change_direction = true;  ///< pull while the frontier is large; off: push always
    bool masking = true;           ///< compute only unvisited rows; off: compute all, filter afterwards
    bool early_exit = true;        ///< a row stops at its first parent
    bool operand_reuse = true;     ///< pull reads the visited set in place of the frontier
    bool structure_only = true;    ///< matrix and frontier values are not read
    /// Push claims no vertex: whoever finds it not reached queues it, so that a frontier may hold it more than once, and most
    /// repeats are dropped where they arise. Levels, parents and totals are the same; what is told of each level counts
    /// repeats. push_pull_fused alone has it.
    bool duplicates = false;
};
/// "none", or a comma-separated list of change_direction, masking, early_exit, operand_reuse, structure_only, duplicates and
/// "all", which is the first five. Throws domain_error for other words.
traverse_switches parse_switches(std::string_view list);

/// One level as it was done.
struct traverse_level {
    nz::direction direction;
    std::string_view kernel;
    offset_t
        frontier;  ///< vertices whose neighbours were looked at; with duplicates each as often as it was queued
    offset_t
        unvisited;  ///< vertices not reached before this level; with duplicates at least so many, repeats being taken off
    double ratio;  ///< frontier / vertices, what the rule of yang2018 looks at
    std::string_view reason;
    double time_us = -1;  ///< on a GPU, from its clock; on a CPU whoever wants it reads his own in on_level
};

struct traverse_options {
    traverse_switches switches{};
    std::string_view kernel{};  ///< "push_pull_fused", "push_pull_loop", "tile"; empty: the plan chooses
    bool parents = true;        ///< compute parents too
    bool hub_first =
        false;  ///< pull over adjacency lists ordered by falling degree; parents are then any (fast)
    offset_t max_depth = -1;  ///< levels to go at most; -1: no limit
    nz::determinism determinism = nz::determinism::strict;
    /// The rule's thresholds; negative: the plan's own. For "tile" the frontier's density and the share of unvisited vertices.
    double alpha = -1, beta = -1;
    tiling tiles{};  ///< for "tile", of 32 or 64; a size that is given is taken whatever its memory
    std::vector<direction>
        schedule{};  ///< directions of the first levels, in place of the rule (regret reports)
    std::function<void(const traverse_level&)>
        on_level{};  ///< called after each level, by the calling thread; on a GPU for all at the end
};

struct traverse_result {
    vector levels;         ///< int32, -1 where not reached
    vector parents;        ///< int32, -1 where not reached; the source is its own parent
    offset_t reached = 0;  ///< vertices, source included
    offset_t edges = 0;    ///< entries in the rows of reached vertices, the numerator of TEPS
    std::vector<traverse_level> iterations;  ///< on a GPU the first 65,536
    nz::backend backend = backend::cpu;      ///< where it ran
    double kernel_ms = -1;                   ///< on a GPU, between two events; -1 on a CPU
    std::size_t device_peak_bytes = 0;       ///< alive at a time on the GPU, graph included
    std::size_t moved_bytes = 0;  ///< brought to the GPU from host memory: of the graph, what was not there
};

/// One level of one batch of up to 64 sources as it was done.
struct traverse_many_level {
    offset_t batch;           ///< sources 64 batch, 64 batch + 1...
    nz::direction direction;  ///< of the vertices' words
    offset_t frontier;        ///< vertices in the frontier of at least one source
    offset_t pairs;           ///< (source, vertex) with the vertex in the source's frontier
    offset_t edges;           ///< entries in the rows of the frontier's vertices
    int pushed_sources;       ///< all in a push; in a pull those with few vertices, pushed beside it
    std::string_view reason;
    double time_us = -1;  ///< as in traverse_level
};

struct traverse_many_options {
    std::string_view kernel{};  ///< "bit_parallel", "one_by_one", "reference"; empty: the plan chooses
    bool levels = true;         ///< off: only the counts, which need no memory of order sources x vertices
    bool of_vertices = false;   ///< the counts of each vertex too, 20 bytes a vertex
    bool iterations = true;     ///< off: what each level did is told to on_level alone
    offset_t max_depth = -1;    ///< levels to go at most; -1: no limit
    bool hub_first = false;     ///< pull over adjacency lists ordered by falling degree (built once)
    /// Directions of the first levels of each batch, in place of the rule (tests, regret reports).
    std::vector<direction> schedule{};
    std::function<void(const traverse_many_level&)>
        on_level{};  ///< called after each level, by the calling thread; on a GPU after each batch
};

/// Of each vertex, over the sources, repeats counted: what closeness and eccentricity need. Dense.
struct traverse_many_sums {
    vector reached;     ///< int64: sources that reach it, itself where it is one
    vector level_sums;  ///< int64: sum of its levels from these
    vector depths;      ///< int32: the greatest of them, -1 where no source reaches it
};

/// What a search from many sources found; levels, reached, level_sums and depths have an entry for each source, in their order.
struct traverse_many_result {
    std::vector<vector> levels;        ///< int32 [vertices], -1 where not reached; empty unless asked for
    std::vector<offset_t> reached;     ///< vertices, source included
    std::vector<offset_t> level_sums;  ///< sum of the levels of all vertices reached
    std::vector<std::int32_t> depths;  ///< level of the farthest vertex reached
    offset_t edges = 0;                ///< entries in the rows of reached vertices, summed over the sources
    std::optional<traverse_many_sums> of_vertices;  ///< empty unless asked for
    std::vector<traverse_many_level>
        iterations;  ///< batch by batch (one_by_one: source by source); on a GPU the first 65,536 of each
    nz::backend backend = backend::cpu;  ///< where it ran
    double kernel_ms = -1;               ///< on a GPU, between events, summed over batches; -1 on a CPU
    std::size_t device_peak_bytes = 0;   ///< as in traverse_result
    std::size_t moved_bytes = 0;         ///< likewise
};

}  // namespace nz
