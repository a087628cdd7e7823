#include "kernels/reference/traverse_many.hpp"

#include <algorithm>

namespace nz::kernels::reference {

traverse_many_totals traverse_many(const traverse_many_arguments& a) {
    plan::workspace_parts memory(a.workspace);
    index_t* const queue = memory.take<index_t>(a.vertices);
    std::int32_t* const level = memory.take<std::int32_t>(a.vertices);
    traverse_many_totals totals;
    for (std::size_t s = 0; s < a.sources.size(); ++s) {
        std::fill_n(level, a.vertices, -1);
        level[a.sources[s]] = 0;
        queue[0] = a.sources[s];
        offset_t count = 1;
        for (offset_t q = 0; q < count; ++q) {
            const index_t u = queue[q];
            const offset_t begin = a.out_offsets[u], end = a.out_offsets[u + offset_t{1}];
            totals.level_sums[s] += level[u];
            totals.depths[s] = std::max(totals.depths[s], level[u]);
            totals.edges += end - begin;
            if (a.max_depth >= 0 && level[u] >= a.max_depth) continue;
            for (offset_t k = begin; k < end; ++k) {
                const index_t v = a.out_neighbours[k];
                if (level[v] >= 0) continue;
                level[v] = level[u] + 1;
                queue[count++] = v;
            }
        }
        totals.reached[s] = count;
        if (a.of_vertices.reached)
            for (offset_t q = 0; q < count; ++q) a.of_vertices.add(queue[q], 1, level[queue[q]]);
        if (a.levels) std::copy_n(level, a.vertices, a.levels[s]);
    }
    return totals;
}

}  // namespace nz::kernels::reference
