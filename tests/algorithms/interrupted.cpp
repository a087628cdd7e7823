// Long work on a CPU is ended by a log that throws, which is how front-ends hear that nobody wants it any more.
#include "nonzero/nonzero.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
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
        // Six million rounds of 40 ns and more, a call in 50 ms.
        const matrix path = with_random_weights(ctx, load(ctx, "banded:6000000,3").matrix, 1, 50, 1);
        for (const bool parents : {false, true})
            EXPECT_THROW(sssp(ctx, path, 0, {.kernel = "delta_stepping", .parents = parents}), enough);
    }
}

// A path is searched by a team that stays together, whose levels are a call each.
TEST(Interrupted, DeepSearchesEndBetweenLevels) {
    using clock = std::chrono::steady_clock;
    for (const int threads : {1, 2}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const matrix path = load(ctx, "banded:2000000,3").matrix;
        int levels = 0, last = std::numeric_limits<int>::max();
        traverse_options o;
        o.on_level = [&](const traverse_level&) {
            if (++levels == last) throw enough("levels");
        };
        const auto begin = clock::now();
        bfs(ctx, path, 0, o);
        const auto whole = clock::now() - begin;
        EXPECT_EQ(levels, 2000000);
        for (const int at : {1, 1000}) {
            levels = 0;
            last = at;
            const auto again = clock::now();
            EXPECT_THROW(bfs(ctx, path, 0, o), enough);
            EXPECT_LT(clock::now() - again, whole / 2) << "after " << at << " levels";
            EXPECT_EQ(levels, at);
        }
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
