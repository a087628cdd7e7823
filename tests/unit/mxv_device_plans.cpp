// Plans of mxv on a GPU against tables of facts: no matrix, no kernel, no GPU.
#include "plan/mxv.hpp"
#include "plan/mxv_workspace.hpp"
#include "support/mxv_facts.hpp"

#include <gtest/gtest.h>

namespace nz {
namespace {

using test::square;

TEST(MxvPlan, OnAGpuEntriesAreSharedOutEvenly) {
    auto f = square(1000000, 16000000);
    f.on_device = true;
    const auto p = plan::mxv(f);
    EXPECT_EQ(p.kernel, "csr_merge");
    EXPECT_TRUE(p.on_device);
    EXPECT_EQ(p.output, vector_form::dense);
    EXPECT_EQ(p.workspace_bytes, 15625 * plan::merge_carry_bytes);
    f.compiled = false;
    EXPECT_FALSE(plan::mxv(f).on_device) << "the generic path is the host's";
}

TEST(MxvPlan, OnAGpuSmallMatricesOfShortRowsTakeOneLaunch) {
    auto f = square(40000, 160000);
    f.on_device = true;
    f.degree_max = -1;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge") << "how long its rows are is not known";
    f.degree_max = plan::short_on_device(true).longest;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row");
    f.degree_max = plan::short_on_device(true).longest + 1;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
    f.degree_max = 13;
    f.nnz = 40000 * 13;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge") << "rows of 13 entries on average";
    f.degree_max = 4;
    f.nnz = plan::small_on_device + 1;
    f.output_size = f.input_size = f.input_count = f.nnz / 4;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");

    f = square(40000, 160000);
    f.on_device = true;
    f.input = vector_form::sparse;
    f.input_count = 4000;
    f.degree_max = plan::short_on_device(false).longest;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_row") << "longer rows wait less for a u with gaps";
    f.degree_max = plan::short_on_device(false).longest + 1;
    EXPECT_EQ(plan::mxv(f).kernel, "csr_merge");
}

TEST(MxvPlan, OnAGpuTilesOfManyRowsLeaveFewProductsToOneBlock) {
    const auto kernel_of = [](offset_t rows, offset_t products) {
        plan::mxv_facts f = square(rows, 330'000);
        f.on_device = true;
        f.input = vector_form::sparse;
        f.input_count = rows / 1000;
        f.products = products;
        f.longest_row = 8;
        f.outside_tiles = 0.3;
        f.expected = 1000;
        f.push_ready = true;
        return plan::mxv(f).kernel;
    };
    EXPECT_EQ(kernel_of(129'000, 331), "csc_gather_radix");
    EXPECT_EQ(kernel_of(129'000, 500), "tile_row");
    EXPECT_EQ(kernel_of(45'000, 331), "csc_gather_radix");
    EXPECT_EQ(kernel_of(45'000, 350), "tile_row");
}

// A mesh of a million points, of whose u a product meets a few entries.
TEST(MxvPlan, OnAGpuTilesServeSparseVectorsWhereManyProductsFollow) {
    plan::mxv_facts f = square(1000000, 27000000);
    f.on_device = true;
    f.input = vector_form::sparse;
    f.input_count = 1000;
    f.entry_bytes = 8;
    f.longest_row = 27;
    f.outside_tiles = 0.1;
    f.slice_diagonals = 1.01 / 32;
    EXPECT_NE(plan::mxv(f).kernel, "tile_row");
    f.expected = plan::device_tiles_from_products;
    EXPECT_EQ(plan::mxv(f).kernel, "tile_row");
    EXPECT_TRUE(plan::mxv(f).builds_tiles);
    f.tiles_ready = true;
    EXPECT_FALSE(plan::mxv(f).builds_tiles);
    const auto kernel_with = [&](auto change) {
        plan::mxv_facts g = f;
        change(g);
        return plan::mxv(g).kernel;
    };
    EXPECT_EQ(kernel_with([](auto& g) { g.any_order = true; }), "tile_row") << "before a scatter too";
    EXPECT_EQ(kernel_with([](auto& g) { g.expected = plan::device_tiles_from_products - 1; }), "dia_slice")
        << "which fewer products pay for";
    EXPECT_EQ(kernel_with([](auto& g) { g.input_count = 100000; }), "dia_slice") << "a tenth of u";
    EXPECT_EQ(kernel_with([](auto& g) { g.input_count = 40000; }), "tile_row") << "a 25th, of long rows";
    EXPECT_EQ(kernel_with([](auto& g) { g.nnz = 3 * g.output_size, g.input_count = 3000; }), "tile_row");
    EXPECT_EQ(kernel_with([](auto& g) { g.nnz = 3 * g.output_size, g.input_count = 4000; }), "dia_slice")
        << "rows of three";
    EXPECT_EQ(kernel_with([](auto& g) { g.outside_tiles = 0.6; }), "dia_slice");
    f.slice_diagonals = -1;
    for (const auto change : std::initializer_list<void (*)(plan::mxv_facts&)>{
             [](auto& g) { g.outside_tiles = 0.6; }, [](auto& g) { g.outside_tiles = -1; },
             [](auto& g) { g.longest_row = 1600; }, [](auto& g) { g.limited = true; },
             [](auto& g) { g.input_count = 200000; }, [](auto& g) { g.nnz = 0; },
             [](auto& g) { g.longest_row = 1000, g.input_count = 4000; }, [](auto& g) { g.masked = true; },
             [](auto& g) { g.first_wins = true; }, [](auto& g) { g.terminates = true; },
             [](auto& g) { g.on_device = false; }})
        EXPECT_NE(kernel_with(change), "tile_row");
    EXPECT_EQ(kernel_with([](auto& g) { g.longest_row = 2500, g.nnz = 2000 * g.output_size; }), "tile_row")
        << "long rows all";
    EXPECT_EQ(kernel_with([](auto& g) {
                  g.outside_tiles = 0.9, g.nnz = plan::small_on_device, g.output_size = g.input_size = 100000;
              }),
              "tile_row")
        << "one launch, whatever it reads";
    const auto small_with = [&](double mean, index_t longest, index_t share_of_u) {
        return kernel_with([=](auto& g) {
            g.output_size = g.input_size = 5000, g.nnz = static_cast<offset_t>(5000 * mean);
            g.outside_tiles = 0.9, g.longest_row = longest;
            g.input_count = g.input_size / share_of_u, g.products = g.nnz / share_of_u;
        });
    };
    EXPECT_EQ(small_with(10, 60, 10), "tile_row") << "a tenth of u";
    EXPECT_NE(small_with(10, 60, 9), "tile_row");
    EXPECT_EQ(small_with(16, 477, 100), "tile_row") << "477 (477 + 15 x 16) / 100";
    EXPECT_NE(small_with(80, 368, 100), "tile_row")
        << "368 (368 + 15 x 80) / 100: long rows beside the longest";
    EXPECT_EQ(kernel_with([](auto& g) { g.input_count = 100, g.products = 2700; }), "tile_row")
        << "more products than a block has as soon";
    EXPECT_EQ(kernel_with([](auto& g) { g.input_count = 10, g.products = 270; }), "csc_gather_radix");
    const auto with_row_of = [&](index_t longest) {
        return kernel_with([longest](auto& g) {
            g.nnz = 370000, g.output_size = g.input_size = 37000;
            g.input_count = 37, g.products = 370, g.longest_row = longest;
        });
    };
    EXPECT_EQ(with_row_of(277), "tile_row");
    EXPECT_EQ(with_row_of(504), "csc_gather_radix") << "the warp of the longest row is waited for";
    EXPECT_EQ(kernel_with([](auto& g) { g.input_count = 100, g.products = 2700, g.longest_row = 1600; }),
              "csc_gather_radix")
        << "no tiles";
    f.first_wins = true;
    EXPECT_TRUE(kernel_with([](auto&) {}).starts_with("csc_")) << "a push is weighed for it as before";
}

TEST(MxvPlan, OnAGpuThePullIsCheaperWhereRowsReadNearbyAndMany) {
    const auto chosen = [](offset_t rows, offset_t nnz, offset_t products, double scattered) {
        auto f = square(rows, nnz);
        f.on_device = true;
        f.input = vector_form::sparse;
        f.input_count = products;
        f.products = products;
        f.scattered = scattered;
        return plan::mxv(f).kernel;
    };
    EXPECT_EQ(chosen(4096000, 108000000, 10800000, 0), "csr_merge") << "laplace3d:160, a tenth of u";
    EXPECT_EQ(chosen(4096000, 108000000, 1080000, 0), "csc_gather_radix");
    EXPECT_EQ(chosen(4000000, 32000000, 3200000, 1), "csc_gather_radix") << "random:4000000,8";
    EXPECT_EQ(chosen(4000000, 32000000, 3200000, 0), "csr_merge");
    EXPECT_EQ(chosen(4284, 11300000, 113000, 1), "csr_merge")
        << "a linear programme: long rows read u in order";
    EXPECT_EQ(chosen(5000, 25000000, 25000, 0), "csc_gather_radix") << "five products a row: no buckets";
    EXPECT_EQ(chosen(29000, 25000000, 10000, 0), "csc_gather_merge") << "few, but too many a row for buckets";
    EXPECT_EQ(chosen(1000000, 25000000, 25000, 0), "csc_gather_bucket");
}

TEST(MxvPlan, OnAGpuOneBlockGathersFewProducts) {
    auto f = square(1000000, 8000000);
    f.on_device = true;
    f.input = vector_form::sparse;
    f.input_count = 300;  // 2,400 products by the mean
    EXPECT_TRUE(plan::gathers_in_block(f));
    for (const bool any_order : {false, true}) {
        f.any_order = any_order;
        EXPECT_EQ(plan::mxv(f).kernel, "csc_gather_radix");
    }
    f.products = 2400;
    EXPECT_EQ(plan::mxv(f).workspace_bytes, 0U);
    f.products = plan::block_products + 1;
    EXPECT_FALSE(plan::gathers_in_block(f)) << "counted products overrule the mean";
    EXPECT_EQ(plan::mxv(f).kernel, "csc_gather_scatter");
    f.products = -1;
    f.nnz = 400000, f.output_size = f.input_size = 50000;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull) << "small matrices are read as fast";
    f.input_count = 30;
    EXPECT_EQ(plan::mxv(f).direction, direction::push) << "not as fast as few products are sorted";
    f.input = vector_form::bitmap;
    EXPECT_EQ(plan::mxv(f).direction, direction::pull) << "entries would have to be listed first";
    f.input_count = plan::block_products + 1;
    EXPECT_FALSE(plan::gathers_in_block(f)) << "more columns than a block lists";
}

TEST(MxvPlan, OnAGpuThePushFollowsTheProductsAndTheOrderOfSums) {
    auto f = square(8000000, 64000000);
    f.on_device = true;
    f.scattered = 1;
    f.input = vector_form::sparse;
    const auto chosen = [&](offset_t products) {
        f.input_count = products / 8;
        f.products = products;
        return plan::mxv(f).kernel;
    };
    EXPECT_EQ(chosen(8192), "csc_gather_radix") << "one block";
    EXPECT_EQ(chosen(9000), "csc_gather_bucket");
    EXPECT_EQ(chosen(500000), "csc_gather_bucket");
    EXPECT_EQ(chosen(640000), "csc_gather_radix");
    f.output_size = 1 << 20;
    EXPECT_EQ(chosen(255000), "csc_gather_bucket") << "one product for 4.1 rows";
    EXPECT_EQ(chosen(270000), "csc_gather_radix") << "one for 3.9";
    f.longest_row = 4 * 61;  // 64,000,000 entries in 2^20 rows: 61 on the mean
    EXPECT_EQ(chosen(335000), "csc_gather_bucket")
        << "one for 3.1, and no row that is much longer than others";
    EXPECT_EQ(chosen(360000), "csc_gather_radix") << "one for 2.9";
    f.longest_row = 5 * 61;
    EXPECT_EQ(chosen(335000), "csc_gather_radix") << "hubs";
    f.longest_row = -1;
    f.output_size = 8000000;
    EXPECT_EQ(chosen(6400000), "csc_gather_radix");
    EXPECT_EQ(chosen(32000000), "csr_merge");
    f.any_order = true;
    EXPECT_EQ(chosen(8192), "csc_gather_radix");
    EXPECT_EQ(chosen(9000), "csc_gather_scatter");
    EXPECT_EQ(chosen(12000000), "csc_gather_scatter");
    EXPECT_EQ(chosen(32000000), "csr_merge");
    f.output_size = f.input_size = 1000;
    f.nnz = 16000;
    EXPECT_EQ(chosen(4000), "csr_row") << "a small matrix is read sooner than products are counted";
}

// Fully and partly filled diagonals, as measured (plan/mxv.hpp).
TEST(MxvPlan, OnAGpuSlicesPayUpToTheBytesOfTheCsrAndForShortRowsBeyond) {
    const auto pays = [](double diagonals, double filled, std::size_t value_bytes) {
        const double mean = diagonals * filled;
        return plan::slices_pay_on_device(diagonals / (storage::slice_rows * mean), value_bytes, mean);
    };
    EXPECT_TRUE(pays(21, 1, 8));
    EXPECT_TRUE(pays(21, 0.75, 8));
    EXPECT_FALSE(pays(21, 0.6, 8));
    EXPECT_FALSE(pays(21, 0.5, 4));
    EXPECT_TRUE(pays(5, 0.6, 8));
    EXPECT_FALSE(pays(5, 0.4, 8));
    EXPECT_TRUE(pays(5, 0.3, 4));
    EXPECT_FALSE(pays(5, 0.1, 4));
}

}  // namespace
}  // namespace nz
