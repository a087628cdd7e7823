// Long work on a CPU is ended by a log that throws, which is how front-ends hear that nobody wants it any more.
#include "nonzero/nonzero.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace nz {
namespace {

struct enough : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Ends whatever it is in at the first line of the algorithm.
context ended_by(const std::string& begin, int threads) {
    return context({.backend = backend::cpu, .threads = threads, .log = [begin](std::string_view line) {
                        if (line.starts_with(begin)) throw enough(std::string(line));
                    }});
}

std::vector<offset_t> all_vertices(const matrix& a) {
    std::vector<offset_t> all(static_cast<std::size_t>(a.rows()));
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<offset_t>(v);
    return all;
}

TEST(Interrupted, ShortestPathsEndBetweenRounds) {
    for (const int threads : {1, 3}) {
        const context ctx = ended_by("shortest/delta_stepping", threads);
        // A million rounds: seconds.
        const matrix path = with_random_weights(ctx, load(ctx, "banded:1000000,3").matrix, 1, 50, 1);
        for (const bool parents : {false, true})
            EXPECT_THROW(sssp(ctx, path, 0, {.kernel = "delta_stepping", .parents = parents}), enough);
    }
}

TEST(Interrupted, CentralitiesEndBetweenGroupsOfSources) {
    for (const int threads : {1, 3}) {
        const context between = ended_by("betweenness/", threads),
                      close = ended_by("traverse_many/", threads);
        const matrix grid = load(between, "grid2d:200").matrix;
        const auto sources = all_vertices(grid);
        for (const std::string_view kernel : {"queue", "batched"})
            EXPECT_THROW(betweenness(between, grid, sources, {.kernel = kernel}), enough) << kernel;
        EXPECT_THROW(closeness(close, grid, sources), enough);
        const matrix graph = load(close, "rmat:10,8").matrix;
        EXPECT_THROW(closeness(close, graph, all_vertices(graph)), enough);
    }
}

}  // namespace
}  // namespace nz
