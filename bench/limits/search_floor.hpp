// The least time of a graph's kernels on the device or the processor at hand, by the rates that this run measures.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"

namespace nz::bench {

/// Of each the larger of the bytes over the copy rate and of the looks at random places over the gather rate for a table of their size.
/// On a GPU a barrier of the grid a level or round beside it (thin levels and rounds that stay on few multiprocessors do with less); on a
/// CPU levels of little work are one thread's, and wait for nobody.
class search_floor {
public:
    explicit search_floor(const context& ctx);

    /// However well it chooses its directions: an offset and a level a vertex, one sector of the list of each vertex reached (32 bytes; on
    /// a CPU a line of 64), or all lists where these are shorter; one look into a bitmap for each vertex reached.
    double bfs_ms(const matrix& a, double reached, double levels) const;
    /// Many at once: an offset and a word a vertex read and written, `written` bytes of levels, and for every vertex and level at which
    /// searches come to it (`visits`) a sector of its list, or in each level all lists; one look at a word a visit. Where short rows share
    /// sectors the bytes are an estimate.
    double bfs_many_ms(const matrix& a, double visits, double written, double levels) const;
    /// Shortest paths that relax every edge of what they reach once, neighbour and length side by side (`edge_bytes`): these, and an offset
    /// and a distance a vertex; one look at a distance an edge.
    double sssp_ms(double vertices, double edges, double edge_bytes, double rounds) const;
    /// Components: an offset read and a label read and written a vertex, one sector of each list or all lists, and one look at a neighbour's
    /// label a vertex.
    double components_ms(const matrix& a) const;
    /// Triangles: every edge of `edges` once from the vertex that comes first, and `looks` into a table that the nearest cache holds.
    double triangles_ms(double vertices, double edges, double looks) const;
    /// Betweenness from so many sources at once: every edge once forward and once back, each time one look at the counts, 8 bytes a source,
    /// of its other end; an offset, and a level and two numbers a source, a vertex.
    double betweenness_ms(const matrix& a, double sources) const;
    /// One step of PageRank: the product with the transpose, then what the step reads and writes of four vectors beside it. On a GPU.
    double pagerank_step_ms(const matrix& a, dtype type) const;

private:
    double copied_ms(double bytes) const;
    double gathered_ms(double count, double table_bytes, int element_bytes) const;
    double waited_ms(double times) const;

    bool on_gpu_;
    int threads_;
    double sector_bytes_;
};

}  // namespace nz::bench
