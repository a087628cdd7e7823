// What the steps of a batch of betweenness are called with, on every backend: up to 64 sources at once, a bit each in the
// words of vertices, a place each in their rows of path counts.
#pragma once

#include "kernels/offset_reader.hpp"

#include <cstdint>
#include <span>

namespace nz::kernels {

using source_word = std::uint64_t;

/// Edges of one direction.
struct betweenness_edges {
    offset_reader offsets;
    const index_t* neighbours = nullptr;
};

/// The vertices of a level, each with the sources that are so far away.
struct betweenness_level {
    index_t* vertices = nullptr;
    source_word* masks = nullptr;
    offset_t count = 0;
};

/// What a step found: vertices of the next level, and the edges out of them.
struct betweenness_found {
    offset_t vertices = 0, edges = 0;
    offset_t long_rows = 0;  ///< a GPU's: rows that whole blocks take in the step at hand
};

/// Pointers are the device's on a GPU.
struct betweenness_arguments {
    index_t vertices = 0;
    betweenness_edges out, in;
    int sources = 0;                 ///< 1 to 64
    int stride = 0;                  ///< places in a row of `paths`: sources rounded up to a power of two
    source_word* visited = nullptr;  ///< [vertices]
    source_word* level = nullptr;    ///< [vertices]: of the level that a step goes from
    source_word* next = nullptr;     ///< [vertices]: of the level that it makes
    /// [vertices x stride]: numbers of shortest paths; on the way back, once a level is done, (1 + handed on) / paths.
    double* paths = nullptr;
    double* centrality = nullptr;       ///< [vertices], added to
    index_t* found_vertices = nullptr;  ///< [vertices]
    index_t* long_rows = nullptr;       ///< [vertices], a GPU's; null: no row is long
    betweenness_found* found = nullptr;
    int threads = 1;
};

/// The steps of a batch; on a GPU they are put on `stream`.
struct betweenness_table {
    /// Sources are visited, on `level`, with one path each; words and centrality come cleared but for this.
    void (*start)(const betweenness_arguments& k, const betweenness_level& sources, void* stream) = nullptr;
    /// next, found = what the edges out of `from` reach first.
    void (*push)(const betweenness_arguments& k, const betweenness_level& from, void* stream) = nullptr;
    /// The same and the paths, looked for by every vertex that a source has not reached.
    void (*pull)(const betweenness_arguments& k, void* stream) = nullptr;
    /// to = the found vertices and their words, which become visited.
    void (*keep)(const betweenness_arguments& k, const betweenness_level& to, void* stream) = nullptr;
    /// The paths to a level's vertices from those on `level`: after push and keep.
    void (*count)(const betweenness_arguments& k, const betweenness_level& to, void* stream) = nullptr;
    /// level = 0 at a level's vertices.
    void (*clear)(const betweenness_arguments& k, const betweenness_level& of, void* stream) = nullptr;
    /// level = its words at a level's vertices.
    void (*mark)(const betweenness_arguments& k, const betweenness_level& of, void* stream) = nullptr;
    /// What a level's vertices hand on, from the one behind on `level`: added to the centrality, and left in their rows.
    void (*back)(const betweenness_arguments& k, const betweenness_level& of, void* stream) = nullptr;
};

/// betweenness/queue: as many sources at a time as threads.
struct betweenness_queue_arguments {
    index_t vertices = 0;
    betweenness_edges out;
    std::span<const offset_t> sources;
    double* centrality = nullptr;  ///< [vertices], added to
    void* workspace = nullptr;     ///< plan::betweenness_queue_parts, one a thread
    int threads = 1;
};

/// What betweenness/queue on a GPU tells of a source.
struct betweenness_queue_report {
    std::int32_t levels = 0;
    std::int32_t lost = 0;  ///< not 0: paths of one level are too far apart for doubles of one exponent
};

/// betweenness/queue on a GPU: a cluster of blocks a source. Pointers are the device's.
struct device_betweenness_queue_arguments {
    index_t vertices = 0;
    betweenness_edges out, in;  ///< the same pointers: the graph is symmetric
    const index_t* sources = nullptr;
    int count = 0;                 ///< of sources
    double* centrality = nullptr;  ///< [vertices], added to
    void* workspace = nullptr;     ///< plan::device_betweenness_queue_parts for `count` sources
    betweenness_queue_report* reports = nullptr;  ///< [count]
    int blocks = 1;                               ///< of a cluster: 1, 2, 4, 8 or 16
};

}  // namespace nz::kernels
