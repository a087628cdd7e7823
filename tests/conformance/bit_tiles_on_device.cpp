// Bit tiles on a GPU: made there, byte for byte, as on the host. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/traverse_tile_device.hpp"
#include "support/battery.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace nz::test {
namespace {

bool same_bytes(const context& gpu, const buffer& there, const buffer& here) {
    std::vector<std::byte> bytes(there.bytes());
    if (bytes.empty()) return here.bytes() == 0;
    gpu.gpu()->download(bytes.data(), there.data(), bytes.size());
    return bytes.size() == here.bytes() && std::memcmp(bytes.data(), here.data(), bytes.size()) == 0;
}

void expect_as_on_the_host(const context& gpu, const context& cpu, const matrix& a, const std::string& name) {
    const auto& rows = a.body().rows();
    for (const int size : {32, 64})
        for (const int least : {0, 3, 1 << 30}) {
            SCOPED_TRACE(name + ", tiles of " + std::to_string(size) + ", from " + std::to_string(least));
            const auto there = ops::bit_tiles_on_device(gpu, a.body(), rows, size, least);
            const storage::bit_tiles here = storage::make_bit_tiles(cpu, rows, size, least);
            EXPECT_EQ(there->tiles, here.tiles);
            EXPECT_EQ(there->words, here.words);
            EXPECT_EQ(there->extracted, here.extracted);
            EXPECT_TRUE(same_bytes(gpu, there->tile_offsets, here.tile_offsets));
            EXPECT_TRUE(same_bytes(gpu, there->headers, here.headers));
            EXPECT_TRUE(same_bytes(gpu, there->row_words, here.row_words));
            EXPECT_TRUE(same_bytes(gpu, there->extracted_offsets, here.extracted_offsets));
            EXPECT_TRUE(same_bytes(gpu, there->extracted_rows, here.extracted_rows));
            EXPECT_TRUE(same_bytes(gpu, there->extracted_columns, here.extracted_columns));
        }
}

// Small ones; several rows of tiles a warp (grid2d:800); windows that rows leave (lp); rows that shared memory
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
