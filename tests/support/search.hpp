// A breadth-first search by a plain queue, and what every other is held against it by.
#pragma once

#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace nz::test {

struct plain_search {
    std::vector<std::int32_t> level, parent;
    offset_t reached = 0, edges = 0;  // vertices, and entries in their rows
};

// Levels by a queue; parents the smallest neighbour on the level above.
inline plain_search search_plainly(const matrix& a, offset_t source) {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<std::size_t> begin(n + 1);
    for (const index_t r : rows) ++begin[static_cast<std::size_t>(r) + 1];
    for (std::size_t u = 0; u < n; ++u) begin[u + 1] += begin[u];
    std::vector<index_t> out(columns.size());
    std::vector<std::size_t> end(begin.begin(), begin.end() - 1);
    for (std::size_t k = 0; k < rows.size(); ++k) out[end[static_cast<std::size_t>(rows[k])]++] = columns[k];
    plain_search s{std::vector<std::int32_t>(n, -1), std::vector<std::int32_t>(n, -1)};
    s.level[source] = 0;
    s.parent[source] = static_cast<std::int32_t>(source);
    std::vector<index_t> queue{static_cast<index_t>(source)};
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const auto u = static_cast<std::size_t>(queue[next]);
        s.edges += static_cast<offset_t>(begin[u + 1] - begin[u]);
        for (std::size_t k = begin[u]; k < begin[u + 1]; ++k) {
            const index_t v = out[k];
            if (s.level[v] < 0) {
                s.level[v] = s.level[u] + 1;
                s.parent[v] = static_cast<std::int32_t>(u);
                queue.push_back(v);
            } else if (s.level[v] == s.level[u] + 1) {
                s.parent[v] = std::min(s.parent[v], static_cast<std::int32_t>(u));
            }
        }
    }
    s.reached = static_cast<offset_t>(queue.size());
    return s;
}

inline matrix graph(const context& ctx, const char* source) { return load(ctx, source).matrix; }

inline void expect_right(const context& ctx, const matrix& a, offset_t source,
                         const traverse_options& options, const plain_search& expected) {
    const auto found = bfs(ctx, a, source, options);
    EXPECT_EQ(test::integers(found.levels), expected.level);
    if (options.parents) {
        EXPECT_EQ(validate_bfs(ctx, a, source, found.levels, found.parents), "");
        if (options.determinism == determinism::strict && !options.hub_first) {
            EXPECT_EQ(test::integers(found.parents), expected.parent);
        }
    }
    EXPECT_EQ(found.reached, expected.reached);
    EXPECT_EQ(found.edges, expected.edges);
}

inline void expect_right(const context& ctx, const matrix& a, offset_t source,
                         const traverse_options& options) {
    expect_right(ctx, a, source, options, search_plainly(a, source));
}

inline traverse_options tiles_of(int size, int least) {
    traverse_options o;
    o.kernel = "tile";
    o.tiles = {size, least};
    return o;
}

}  // namespace nz::test
