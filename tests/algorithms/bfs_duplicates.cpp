// Searches whose pushes tolerate repeats (switch duplicates): the same levels, parents and totals where every vertex is found by
// hundreds at once, with the least room in the queue, by levels of all widths and with pulls in between.
#include "kernels/cpu/traverse/push_pull_fused.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/traverse.hpp"
#include "ops/traverse_device.hpp"
#include "storage/matrix_body.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

// A source, then layers of so many vertices, each joined to all of the next: every vertex is found by a whole layer.
matrix layers(const context& ctx, index_t width, index_t count, bool both_ways) {
    std::vector<index_t> from, to;
    const auto edge = [&](index_t u, index_t v) {
        from.push_back(u), to.push_back(v);
        if (both_ways) from.push_back(v), to.push_back(u);
    };
    for (index_t k = 0; k < width; ++k) edge(0, 1 + k);
    for (index_t layer = 1; layer < count; ++layer)
        for (index_t k = 0; k < width; ++k)
            for (index_t m = 0; m < width; ++m) edge(1 + (layer - 1) * width + k, 1 + layer * width + m);
    const index_t n = 1 + width * count;
    return matrix::build<bool>(ctx, {n, n, from, to, {}});
}

traverse_options repeating(bool parents, determinism d, bool change_direction) {
    traverse_options o;
    o.switches.duplicates = true;
    o.switches.change_direction = change_direction;
    o.parents = parents;
    o.determinism = d;
    return o;
}

void expect_same(const context& ctx, const matrix& a, offset_t source, const traverse_options& o,
                 const traverse_result& found) {
    const context cpu({.backend = backend::cpu, .threads = 1});
    traverse_options plain;
    plain.kernel = "push_pull_fused";
    plain.max_depth = o.max_depth;
    const auto expected = bfs(cpu, a, source, plain);
    EXPECT_EQ(test::integers(found.levels), test::integers(expected.levels));
    EXPECT_EQ(found.reached, expected.reached) << "each vertex once";
    EXPECT_EQ(found.edges, expected.edges);
    EXPECT_EQ(found.iterations.size(), expected.iterations.size());
    for (std::size_t l = 0; l < std::min(found.iterations.size(), expected.iterations.size()); ++l)
        EXPECT_GE(found.iterations[l].frontier, expected.iterations[l].frontier) << "repeats come on top";
    if (!o.parents) return;
    if (o.max_depth < 0) {
        EXPECT_EQ(validate_bfs(ctx, a, source, found.levels, found.parents), "");
    }
    if (o.determinism == determinism::strict) {
        EXPECT_EQ(test::integers(found.parents), test::integers(expected.parents));
    }
}

template <class F>
void for_kinds(F&& f) {
    for (const bool change : {true, false})
        for (const bool parents : {true, false})
            for (const auto d : {determinism::strict, determinism::fast}) {
                SCOPED_TRACE(std::string(change ? "both directions" : "push alone") +
                             (parents ? d == determinism::strict ? ", smallest" : ", any" : ""));
                f(repeating(parents, d, change));
            }
}

struct repeats_case {
    const char* name;
    const char* graph;
    offset_t source;
    friend void PrintTo(const repeats_case& c, std::ostream* to) { *to << c.graph << " from " << c.source; }
};

class BfsDuplicates : public ::testing::TestWithParam<repeats_case> {};
INSTANTIATE_TEST_SUITE_P(Graphs, BfsDuplicates,
                         ::testing::Values(repeats_case{"Kronecker", "rmat:15,16", 77},
                                           repeats_case{"KroneckerDirected", "rmat_directed:11,8", 5},
                                           repeats_case{"Uniform", "uniform:70000,16", 9},
                                           repeats_case{"GridLarge", "grid2d:300", 45150},
                                           repeats_case{"Complete", "dense:200,200", 13},
                                           repeats_case{"Band", "banded:5000,3", 2500},
                                           repeats_case{"OneVertex", "dense:1,1", 0}),
                         [](const auto& info) { return info.param.name; });

TEST_P(BfsDuplicates, GiveTheSameAnswer) {
    for (const context& ctx : test::contexts()) {
        const matrix a = load(ctx, GetParam().graph).matrix;
        for_kinds([&](traverse_options o) {
            expect_same(ctx, a, GetParam().source, o, bfs(ctx, a, GetParam().source, o));
            o.max_depth = 2;
            expect_same(ctx, a, GetParam().source, o, bfs(ctx, a, GetParam().source, o));
            o.max_depth = -1;
            if (!o.switches.change_direction) return;
            o.schedule.assign(40, direction::pull);
            for (std::size_t l = 0; l < o.schedule.size(); l += 2) o.schedule[l] = direction::push;
            expect_same(ctx, a, GetParam().source, o, bfs(ctx, a, GetParam().source, o));
        });
    }
}

TEST(BfsDuplicatesRoom, LayersThatAllFindAreSearched) {
    for (const context& ctx : test::contexts())
        for (const bool both_ways : {false, true})
            for (const index_t width : {3, 60, 700}) {
                SCOPED_TRACE("layers of " + std::to_string(width));
                const matrix a = layers(ctx, width, 3, both_ways);
                for_kinds([&](const traverse_options& o) { expect_same(ctx, a, 0, o, bfs(ctx, a, 0, o)); });
            }
}

// A queue of one entry: whatever a level finds, it is read back from the levels.
TEST(BfsDuplicatesRoom, OneEntryIsEnoughOnACpu) {
    for (const int threads : {1, 2, 4}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const matrix a = layers(ctx, 200, 4, false);
        const storage::csr& rows = a.body().rows();
        const auto n = static_cast<std::size_t>(a.rows());
        const auto expected = bfs(ctx, a, 0, {});
        for (const offset_t room : {1, 150, 201}) {
            std::vector<std::int32_t> levels(n), parents(n);
            const buffer workspace(ctx.memory(), plan::push_pull_fused_workspace(a.rows(), threads));
            kernels::traverse_arguments k;
            k.vertices = static_cast<index_t>(a.rows());
            k.out_offsets = {rows.offsets.data(), rows.offset_bytes == 8};
            k.out_neighbours = rows.index_data();
            k.switches.change_direction = false;
            k.switches.duplicates = true;
            k.queue_room = room;
            k.levels = levels.data();
            k.parents = parents.data();
            k.workspace = workspace.data();
            k.threads = threads;
            const auto totals = kernels::cpu::push_pull_fused(k);
            EXPECT_EQ(levels, test::integers(expected.levels)) << room;
            EXPECT_EQ(parents, test::integers(expected.parents)) << room;
            EXPECT_EQ(totals.reached, expected.reached);
            EXPECT_EQ(totals.edges, expected.edges);
        }
    }
}

// Room for each vertex's pieces once, and where pull steps in for hardly any.
TEST(BfsDuplicatesRoom, TheLeastIsEnoughOnAGpu) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU";
    for (const index_t width : {60, 700, 2000})
        for (const bool whole_gpu : {false, true}) {
            const matrix a = layers(ctx, width, 4, true);
            for_kinds([&](const traverse_options& o) {
                SCOPED_TRACE("layers of " + std::to_string(width));
                auto plan = ops::plan_traverse(ctx, a, o);
                if (whole_gpu) plan.blocks = 0;
                plan.queue_capacity = o.switches.change_direction ? 64 : a.rows() + a.nnz() / 128;
                expect_same(ctx, a, 0, o, ops::traverse_on_device(ctx, a, 0, o, plan));
            });
        }
}

}  // namespace
}  // namespace nz
