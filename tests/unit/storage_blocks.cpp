// Blocks: what goes in comes out, the sample says beforehand what they will take, and they are made and dropped when they should be.
#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"
#include "nonzero/operations.hpp"
#include "plan/mxv.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using storage::csr;

// `nodes` (x) a block of side x side, every place an entry.
matrix blocks_of(const context& ctx, const char* nodes, int side, dtype type = dtype::float64) {
    const matrix graph = load(ctx, nodes).matrix;
    const matrix block = load(ctx, "dense:" + std::to_string(side) + "," + std::to_string(side)).matrix;
    matrix a(ctx, type, graph.rows() * side, graph.columns() * side);
    kronecker(ctx, a, binary_op(binary_id::times), graph, block);
    return a;
}

TEST(Blocks, HoldEveryEntryOnce) {
    std::mt19937 random(20261125);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        auto cases = matrix_battery(dtype::float64, random);
        for (auto& larger : larger_matrices(dtype::float64, random)) cases.push_back(std::move(larger));
        for (const auto& [name, content] : cases)
            for (const int side : storage::block_sides) {
                const matrix a = make_matrix(ctx, content);
                const csr& rows = a.body().rows();
                const auto t = storage::make_bsr(ctx, rows, side, dtype::float64);
                validate(t, name.c_str());
                EXPECT_TRUE(same_entries(rows, to_csr(ctx, t))) << name << ", side " << side;
            }
    }
}

TEST(Blocks, ASampleForetellsThem) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const int side : storage::block_sides) {
        const matrix a = blocks_of(ctx, "random:2000,5", side);
        const auto t = storage::make_bsr(ctx, a.body().rows(), side, a.type());
        EXPECT_EQ(t.masks.bytes(), 0u);
        EXPECT_EQ(t.count * side * side, a.nnz());
        const auto best = plan::best_blocks(storage::sample_blocks(a.body().rows()), 8);
        EXPECT_EQ(best.side, side);
        EXPECT_TRUE(plan::blocks_pay(best, 8));
        EXPECT_NEAR(best.bytes, 8 + 4.0 / (side * side), 1e-6);
    }
    for (const auto* name : {"rmat:12,8", "random:20000,8", "laplace2d:100"}) {
        const matrix a = load(ctx, name).matrix;
        EXPECT_FALSE(plan::blocks_pay(plan::best_blocks(storage::sample_blocks(a.body().rows()), 8), 8))
            << name;
    }
}

mxv_plan planned(const context& ctx, const matrix& a, const char* kernel = "") {
    vector w(ctx, dtype::float64, a.rows());
    return mxv(ctx, w, semiring("plus_times"), a, vector::full(ctx, a.columns(), 1.0), {.kernel = kernel});
}

TEST(Blocks, AreMadeWhereProductsAreExpectedUntilTheMatrixChanges) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    matrix a = blocks_of(ctx, "random:2000,5", 6);
    EXPECT_NE(planned(ctx, a).kernel, "bsr_row");
    a.expect_products(plan::slices_from_products);
    for (const bool first : {true, false}) {
        const mxv_plan plan = planned(ctx, a);
        EXPECT_EQ(plan.kernel, "bsr_row");
        EXPECT_EQ(plan.block_side, 6);
        EXPECT_EQ(plan.builds_blocks, first);
    }
    a.set(0, 1, 5.0);
    EXPECT_NE(planned(ctx, a).kernel, "bsr_row");
    EXPECT_TRUE(planned(ctx, a, "bsr_row").builds_blocks);
    // A band's blocks take what its slices take: these go on.
    const matrix band = load(ctx, "banded:20000,21").matrix;
    band.expect_products(plan::slices_from_products);
    EXPECT_EQ(planned(ctx, band).kernel, "dia_slice");
}

}  // namespace
}  // namespace nz::test
