// Searches on a GPU under a limit of its memory: what does not fit is refused with the bytes that it needs, what does is right. Skips
// where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace nz {
namespace {

using test::integers;

class SearchLimitsOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    using levels = std::vector<std::int32_t>;
    using search = std::function<levels(const context&, const matrix&)>;

    static matrix weighted(const context& ctx, const char* name) {
        return with_random_weights(ctx, load(ctx, name).matrix, 1, 9);
    }

    // With every limit from an eighth of what the search takes without one to a quarter more: refused or right, and refused by the
    // first, right by the last. Neither takes anything once its graph is gone.
    static void expect_refused_or_right(const char* name, const search& of) {
        SCOPED_TRACE(name);
        const context roomy({.backend = backend::cuda});
        const levels expected = of(roomy, weighted(roomy, name));
        const std::size_t peak = roomy.device_peak_bytes();
        int refused = 0, right = 0;
        for (const int eighths : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
            const std::size_t limit = peak / 8 * static_cast<std::size_t>(eighths) + 4096;
            const context tight({.backend = backend::cuda, .device_memory_limit = limit});
            const std::size_t free = device::bytes_left(tight);
            try {
                const matrix a = weighted(tight, name);
                EXPECT_EQ(of(tight, a), expected) << limit;
                EXPECT_GT(eighths, 1) << "an eighth cannot be enough";
                ++right;
            } catch (const out_of_memory& e) {
                EXPECT_LT(eighths, 10) << e.what();
                const std::string said = e.what();
                EXPECT_NE(said.find("bytes"), std::string::npos) << said;
                EXPECT_NE(said.find_first_of("123456789"), std::string::npos) << said;
                ++refused;
            }
            EXPECT_EQ(device::bytes_left(tight), free);
        }
        EXPECT_GT(refused, 0);
        EXPECT_GT(right, 0);
    }
};

constexpr const char* graphs[] = {"rmat:13,16", "grid2d:150,0.2"};

TEST_F(SearchLimitsOnDevice, BreadthFirst) {
    for (const char* name : graphs)
        for (const char* kernel : {"push_pull_fused", "tile"})
            for (const bool parents : {false, true})
                expect_refused_or_right(name, [=](const context& ctx, const matrix& a) {
                    traverse_options o;
                    o.kernel = kernel;
                    if (o.kernel == "tile") o.tiles.size = 32;
                    o.parents = parents;
                    const auto found = bfs(ctx, a, 1, o);
                    EXPECT_EQ(found.backend, backend::cuda);
                    levels all = integers(found.levels);
                    if (parents) {
                        const levels of = integers(found.parents);
                        all.insert(all.end(), of.begin(), of.end());
                    }
                    return all;
                });
}

TEST_F(SearchLimitsOnDevice, FromManySources) {
    for (const char* name : graphs)
        expect_refused_or_right(name, [](const context& ctx, const matrix& a) {
            std::vector<offset_t> sources(64);
            for (std::size_t s = 0; s < sources.size(); ++s) sources[s] = static_cast<offset_t>(s * 3);
            const auto found = bfs_many(ctx, a, sources, {.of_vertices = true});
            EXPECT_EQ(found.backend, backend::cuda);
            levels all = integers(found.of_vertices->depths);
            for (const auto* sums : {&found.of_vertices->reached, &found.of_vertices->level_sums})
                for (const auto sum : sums->values<std::int64_t>())
                    all.push_back(static_cast<std::int32_t>(sum));
            for (const auto& of : found.levels) {
                const levels one = integers(of);
                all.insert(all.end(), one.begin(), one.end());
            }
            return all;
        });
}

TEST_F(SearchLimitsOnDevice, ShortestPaths) {
    for (const char* name : graphs)
        for (const bool parents : {false, true})
            expect_refused_or_right(name, [=](const context& ctx, const matrix& a) {
                shortest_options o;
                o.parents = parents;
                const auto found = sssp(ctx, a, 1, o);
                EXPECT_EQ(found.backend, backend::cuda);
                std::vector<index_t> reached;
                levels distances;
                found.distances.extract_tuples(reached, distances);
                levels all(reached.begin(), reached.end());
                all.insert(all.end(), distances.begin(), distances.end());
                return all;
            });
}

}  // namespace
}  // namespace nz
