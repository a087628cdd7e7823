// One search of traverse/push_pull_fused: the arrays its steps share, and the steps. The essay is in
// push_pull_fused.cpp.
#pragma once

#include "core/bits.hpp"
#include "kernels/traverse_arguments.hpp"
#include "plan/direction.hpp"

#include <cstddef>
#include <cstdint>

namespace nz::kernels::cpu::traversal {

struct search {
    explicit search(const traverse_arguments& arguments);

    traverse_totals run();

    const traverse_arguments& a;
    const std::size_t words;
    index_t *queue, *next_queue;
    bits::word *visited, *frontier, *found, *dead;
    bits::word* copies;     ///< of the visited set, for dense pushes by more than two threads
    std::uint64_t* packed;  ///< [vertices]: pairs of wide and dense pushes, claims of deep ones
    offset_t frontier_size = 1, frontier_edges = 0;
    offset_t pushed_in_a_row = 0;  ///< vertices, since the last pull
    std::int32_t depth = 0;
    bool queue_valid = true, dead_known = false;
    plan::direction_state state{};
    traverse_totals totals{};

    offset_t degree(index_t v) const { return a.out_offsets[v + offset_t{1}] - a.out_offsets[v]; }
    /// The direction of the level after `level`; edges -1: those of the frontier are not counted.
    plan::direction_choice choose(const plan::direction_state& now, offset_t size, offset_t edges,
                                  std::int32_t level) const;
    bool within_depth(std::int32_t level) const { return a.max_depth < 0 || level < a.max_depth; }
    void report(const plan::direction_choice& choice, offset_t size, offset_t unvisited) const;
    void bitmap_to_queue();  ///< ascending
    void queue_to_frontier();

private:
    void initialise();
    void pull();
    void pull_words(std::size_t first, std::size_t last, const bits::word* operand, offset_t& finds,
                    offset_t& edges);
    index_t first_member(offset_t begin, offset_t end, const bits::word* operand) const;
    void queue_to_bitmap();
    void mark_visited();
    void count_reached();
};

/// One level by push, the finds claimed by the owners of their words.
void push_wide(search& s);

/// One level by push, every thread with a visited set of its own; and whether the level at hand is one for it.
void push_dense(search& s);
bool serves_dense(const search& s);

/// One level by push whose finds may be queued more than once.
void push_repeating(search& s);

/// Levels by push for as long as the rule pushes, by a team that stays together, over packed claims.
void push_deep(search& s);

}  // namespace nz::kernels::cpu::traversal
