// Value tiles on a GPU: made there, byte for byte, as on the host. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/tiles_device.hpp"
#include "storage/matrix_body.hpp"
#include "storage/value_tiles.hpp"
#include "support/battery.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace nz::test {
namespace {

bool same_bytes(const context& gpu, const buffer& there, const void* here, std::size_t bytes) {
    if (there.bytes() < bytes) return false;
    std::vector<std::byte> copy(bytes);
    if (bytes) gpu.gpu()->download(copy.data(), there.data(), bytes);
    return bytes == 0 || std::memcmp(copy.data(), here, bytes) == 0;
}
bool same_bytes(const context& gpu, const buffer& there, const buffer& here) {
    return there.bytes() == here.bytes() && same_bytes(gpu, there, here.data(), here.bytes());
}

void expect_as_on_the_host(const context& gpu, const context& cpu, const matrix& a, const std::string& name,
                           std::optional<dtype> type) {
    const auto& rows = a.body().rows();
    for (const int size : {16, 32, 64})
        for (const int least : {0, 3, storage::least_value_entries(size), 1 << 30}) {
            SCOPED_TRACE(name + ", tiles of " + std::to_string(size) + ", from " + std::to_string(least) +
                         (type ? ", values" : ""));
            const auto there = ops::tiles_on_device(gpu, a.body(), rows, {size, least}, type);
            const storage::value_tiles here = storage::make_value_tiles(cpu, rows, {size, least}, type);
            EXPECT_EQ(there->count, here.count);
            EXPECT_EQ(there->kept, here.kept);
            EXPECT_EQ(there->extracted, here.extracted);
            EXPECT_TRUE(same_bytes(gpu, there->tile_starts, here.tile_starts));
            EXPECT_TRUE(same_bytes(gpu, there->extracted_starts, here.extracted_starts));
            EXPECT_TRUE(same_bytes(gpu, there->tile_columns, here.tile_columns));
            EXPECT_TRUE(same_bytes(gpu, there->entry_starts, here.entry_starts));
            EXPECT_TRUE(same_bytes(gpu, there->row_starts, here.row_starts));
            EXPECT_TRUE(same_bytes(gpu, there->locals, here.locals.data(), here.locals.bytes()));
            EXPECT_TRUE(same_bytes(gpu, there->extracted_rows, here.extracted_rows));
            EXPECT_TRUE(same_bytes(gpu, there->extracted_columns, here.extracted_columns));
            if (type && rows.kind == value_kind::full) {
                EXPECT_TRUE(same_bytes(gpu, there->values, here.values));
            }
        }
}

// Small ones; short rows of tiles side by side (grid2d:800); rows of tiles that come to shared memory in turn (rmat:14), and
// that it does not hold at all (dense); long rows with tiles of 64 (banded:3000,41).
TEST(ValueTilesOnDevice, AreMadeThereAsOnTheHost) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    for (const auto* name :
         {"grid2d:150", "grid2d:800,0.3", "laplace3d:40", "banded:3000,41", "rmat:9,8", "rmat:14,16",
          "dense:45,300", "dense:45,40000", "random:100,1", "lp:3000,200000,40000", "banded:3001,3"}) {
        const matrix a = load(gpu, name).matrix;
        expect_as_on_the_host(gpu, cpu, a, name, std::nullopt);
        expect_as_on_the_host(gpu, cpu, a, name, dtype::float64);
    }
    std::mt19937 random(1);
    for (const auto& [name, d] : matrix_battery(dtype::int32, random)) {
        expect_as_on_the_host(gpu, cpu, make_matrix(gpu, d, true), name, std::nullopt);
        expect_as_on_the_host(gpu, cpu, make_matrix(gpu, d, true), name, dtype::int32);
    }
}

}  // namespace
}  // namespace nz::test
