// A breadth-first search by a plain queue, and what every other is held against it by.
#pragma once

#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <queue>

namespace nz::test {

struct plain_search {
    std::vector<std::int32_t> level, parent;
};

// Levels by a queue; parents the smallest neighbour on the level above.
inline plain_search search_plainly(const matrix& a, offset_t source) {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    std::vector<std::vector<index_t>> out(a.rows());
    for (std::size_t k = 0; k < rows.size(); ++k) out[rows[k]].push_back(columns[k]);
    plain_search s{std::vector<std::int32_t>(a.rows(), -1), std::vector<std::int32_t>(a.rows(), -1)};
    s.level[source] = 0;
    s.parent[source] = static_cast<std::int32_t>(source);
    std::queue<index_t> queue({static_cast<index_t>(source)});
    for (; !queue.empty(); queue.pop()) {
        const index_t u = queue.front();
        for (const index_t v : out[u]) {
            if (s.level[v] < 0) {
                s.level[v] = s.level[u] + 1;
                s.parent[v] = u;
                queue.push(v);
            } else if (s.level[v] == s.level[u] + 1) {
                s.parent[v] = std::min(s.parent[v], u);
            }
        }
    }
    return s;
}

inline matrix graph(const context& ctx, const char* source) { return load(ctx, source).matrix; }

inline void expect_right(const context& ctx, const matrix& a, offset_t source,
                         const traverse_options& options) {
    const auto expected = search_plainly(a, source);
    const auto found = bfs(ctx, a, source, options);
    EXPECT_EQ(test::integers(found.levels), expected.level);
    if (options.parents) {
        EXPECT_EQ(validate_bfs(ctx, a, source, found.levels, found.parents), "");
        if (options.determinism == determinism::strict && !options.hub_first) {
            EXPECT_EQ(test::integers(found.parents), expected.parent);
        }
    }
    offset_t reached = 0, edges = 0;
    const auto& facts_of_rows = a;
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    facts_of_rows.extract_tuples(rows, columns, values);
    for (const auto l : expected.level) reached += l >= 0;
    for (const index_t r : rows) edges += expected.level[r] >= 0;
    EXPECT_EQ(found.reached, reached);
    EXPECT_EQ(found.edges, edges);
}

inline traverse_options tiles_of(int size, int least) {
    traverse_options o;
    o.kernel = "tile";
    o.tiles = {size, least};
    return o;
}

}  // namespace nz::test
