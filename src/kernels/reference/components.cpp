#include "kernels/reference/components.hpp"

#include <algorithm>

namespace nz::kernels::reference {

void components(const components_arguments& a) {
    index_t* const parent = a.labels;
    for (index_t v = 0; v < a.vertices; ++v) parent[v] = v;
    const auto root_of = [&](index_t v) {
        while (parent[v] != v) v = parent[v];
        return v;
    };
    for (index_t u = 0; u < a.vertices; ++u)
        for (offset_t k = a.out_offsets[u]; k < a.out_offsets[u + offset_t{1}]; ++k) {
            const index_t x = root_of(u), y = root_of(a.out_neighbours[k]);
            parent[std::max(x, y)] = std::min(x, y);
            parent[u] = std::min(x, y);
        }
    for (index_t v = 0; v < a.vertices; ++v) parent[v] = root_of(v);
}

}  // namespace nz::kernels::reference
