// Bit tiles on a GPU: those of the host, in whatever order rows of tiles have their parts. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/traverse_tile_device.hpp"
#include "support/battery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace nz::test {
namespace {

// The same tiles on the host, parts of the arrays as they stand on the GPU.
storage::bit_tiles brought_home(const context& gpu, const context& cpu, const storage::bit_tiles& there) {
    storage::bit_tiles here;
    here.rows = there.rows;
    here.columns = there.columns;
    here.size = there.size;
    here.least_entries = there.least_entries;
    here.tiles = there.tiles;
    here.words = there.words;
    here.nnz = there.nnz;
    here.extracted = there.extracted;
    for (const auto array : {&storage::bit_tiles::tile_ranges, &storage::bit_tiles::headers,
                             &storage::bit_tiles::row_words, &storage::bit_tiles::extracted_ranges,
                             &storage::bit_tiles::extracted_rows, &storage::bit_tiles::extracted_columns}) {
        here.*array = buffer(cpu.memory(), (there.*array).bytes());
        if ((there.*array).bytes())
            gpu.gpu()->download((here.*array).data(), (there.*array).data(), (there.*array).bytes());
    }
    return here;
}

// Row of tiles after row of tiles, wherever its parts stand.
template <class Word>
void expect_equal(const storage::bit_tiles& a, const storage::bit_tiles& b) {
    for (index_t row = 0; row < a.tile_rows(); ++row) {
        const storage::tile_range of_a = a.tile_range_data()[row], of_b = b.tile_range_data()[row];
        ASSERT_EQ(of_a.size(), of_b.size()) << "row of tiles " << row;
        for (std::uint32_t k = 0; k < of_a.size(); ++k) {
            const auto &x = a.header_data<Word>()[of_a.begin + k], &y = b.header_data<Word>()[of_b.begin + k];
            ASSERT_EQ(x.column, y.column);
            ASSERT_EQ(x.occupied, y.occupied) << "tile (" << row << ", " << x.column << ")";
            ASSERT_TRUE(std::equal(a.row_words.as<const Word>() + x.start,
                                   a.row_words.as<const Word>() + x.start + std::popcount(x.occupied),
                                   b.row_words.as<const Word>() + y.start))
                << "words of tile (" << row << ", " << x.column << ")";
        }
        const storage::tile_range out_a = a.extracted_range_data()[row],
                                  out_b = b.extracted_range_data()[row];
        ASSERT_EQ(out_a.size(), out_b.size()) << "row of tiles " << row;
        const auto same = [&](const auto* x, const auto* y) {
            return std::equal(x + out_a.begin, x + out_a.end, y + out_b.begin);
        };
        ASSERT_TRUE(
            same(a.extracted_rows.as<const std::uint8_t>(), b.extracted_rows.as<const std::uint8_t>()));
        ASSERT_TRUE(same(a.extracted_columns.as<const index_t>(), b.extracted_columns.as<const index_t>()));
    }
}

void expect_as_on_the_host(const context& gpu, const context& cpu, const matrix& a, const std::string& name) {
    const auto& rows = a.body().rows();
    for (const int size : {32, 64})
        for (const int least : {0, 3, 1 << 30}) {
            SCOPED_TRACE(name + ", tiles of " + std::to_string(size) + ", from " + std::to_string(least));
            const auto made = ops::bit_tiles_on_device(gpu, a.body(), rows, size, least);
            const storage::bit_tiles here = storage::make_bit_tiles(cpu, rows, size, least),
                                     there = brought_home(gpu, cpu, *made);
            ASSERT_EQ(there.tiles, here.tiles);
            ASSERT_EQ(there.words, here.words);
            ASSERT_EQ(there.extracted, here.extracted);
            validate(there, "made on the GPU");
            size == 64 ? expect_equal<std::uint64_t>(there, here) : expect_equal<std::uint32_t>(there, here);
        }
}

// The GPU has it alone: nothing is foreseen, and the first pass counts. Most rows of tiles have nothing and the last ones much: the
// sample foresees too little.
TEST(BitTilesOnDevice, AreMadeAgainWhereTheRoomWasTooSmall) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    std::vector<index_t> i, j;
    for (index_t k = 0; k < 40000; ++k)
        i.push_back(99648 + k / 120), j.push_back(static_cast<index_t>(offset_t{k} * 977 % 99991));
    const matrix late = matrix::build<bool>(cpu, {100000, 100000, i, j, {}});
    ASSERT_EQ(late.body().sampled_tiles(32).tiles, 0) << "a sample that meets nothing";
    expect_as_on_the_host(gpu, cpu, late, "entries in the last rows alone");

    const matrix factor = load(cpu, "grid2d:60").matrix;
    matrix product(gpu, dtype::float64, factor.rows(), factor.columns());
    mxm(gpu, product, semiring("plus_times_fp64"), factor, factor);
    ASSERT_TRUE(product.on_device());
    const auto made = ops::bit_tiles_on_device(gpu, product.body(), product.body().rows_anywhere(), 32, 0);
    EXPECT_TRUE(product.on_device()) << "nobody looked";
    const storage::bit_tiles there = brought_home(gpu, cpu, *made);
    validate(there, "made on the GPU");
    expect_equal<std::uint32_t>(there, storage::make_bit_tiles(cpu, product.body().rows(), 32, 0));
}

// Small ones; several rows of tiles a warp (grid2d:800); more headers than may wait (lp); rows that shared memory
// holds only apart from their neighbours (rmat), and not at all (dense).
TEST(BitTilesOnDevice, AreMadeThereAsOnTheHost) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    for (const auto* name :
         {"grid2d:150", "grid2d:800,0.3", "laplace3d:40", "banded:3000,41", "rmat:9,8", "rmat:14,16",
          "dense:45,300", "dense:45,40000", "random:100,1", "lp:3000,200000,40000", "banded:3001,3"})
        expect_as_on_the_host(gpu, cpu, load(gpu, name).matrix, name);
    std::mt19937 random(1);
    for (const auto& [name, d] : matrix_battery(dtype::int32, random))
        expect_as_on_the_host(gpu, cpu, make_matrix(gpu, d, true), name);
}

}  // namespace
}  // namespace nz::test
