// Value tiles on a GPU: of each row of tiles, byte for byte, what the host makes. Skipped where there is no GPU.
#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "ops/tiles_device.hpp"
#include "storage/matrix_body.hpp"
#include "storage/value_tiles.hpp"
#include "support/battery.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace nz::test {
namespace {

template <class T>
std::vector<T> brought(const context& of, const buffer& from) {
    std::vector<T> here(from.bytes() / sizeof(T));
    if (here.empty()) return here;
    if (of.gpu())
        of.gpu()->download(here.data(), from.data(), here.size() * sizeof(T));
    else
        std::memcpy(here.data(), from.data(), here.size() * sizeof(T));
    return here;
}

/// Bytes of the arrays of tiles, on the host; a piece of an array begins `first` elements in.
struct tile_bytes {
    std::vector<storage::tile_range> tiles, outside;
    std::vector<offset_t> entries;
    std::vector<std::byte> columns, row_starts, locals, outside_rows, outside_columns, values;
    std::size_t row_start_bytes, local, value;
    offset_t outside_values;

    tile_bytes(const context& of, const storage::value_tiles& t, bool each)
        : tiles(brought<storage::tile_range>(of, t.tile_ranges)),
          outside(brought<storage::tile_range>(of, t.extracted_ranges)),
          entries(brought<offset_t>(of, t.entry_starts)),
          columns(brought<std::byte>(of, t.tile_columns)),
          row_starts(brought<std::byte>(of, t.row_starts)),
          locals(brought<std::byte>(of, t.locals)),
          outside_rows(brought<std::byte>(of, t.extracted_rows)),
          outside_columns(brought<std::byte>(of, t.extracted_columns)),
          values(brought<std::byte>(of, t.values)),
          local(static_cast<std::size_t>(storage::local_bytes(t.cut.size))),
          value(each ? size_of(*t.type) : 0),
          outside_values(t.outside_values) {
        row_start_bytes = local * static_cast<std::size_t>(t.cut.size);
    }
    static std::vector<std::byte> piece(const std::vector<std::byte>& of, offset_t first, offset_t last,
                                        std::size_t width) {
        return {of.begin() + first * static_cast<offset_t>(width),
                of.begin() + last * static_cast<offset_t>(width)};
    }
};

/// Each row of tiles, wherever its parts stand.
void expect_same(const tile_bytes& there, const tile_bytes& here) {
    ASSERT_EQ(there.tiles.size(), here.tiles.size());
    ASSERT_EQ(there.outside.size(), here.outside.size());
    const auto same = [](const std::vector<std::byte>& a, offset_t a_first, const std::vector<std::byte>& b,
                         offset_t b_first, offset_t count, std::size_t width) {
        return tile_bytes::piece(a, a_first, a_first + count, width) ==
               tile_bytes::piece(b, b_first, b_first + count, width);
    };
    for (std::size_t i = 0; i < here.tiles.size(); ++i) {
        SCOPED_TRACE("row of tiles " + std::to_string(i));
        const storage::tile_range a = there.tiles[i], b = here.tiles[i], p = there.outside[i],
                                  q = here.outside[i];
        ASSERT_EQ(a.size(), b.size());
        ASSERT_EQ(p.size(), q.size());
        ASSERT_TRUE(same(there.columns, a.begin, here.columns, b.begin, b.size(), sizeof(index_t)));
        ASSERT_TRUE(
            same(there.row_starts, a.begin, here.row_starts, b.begin, b.size(), here.row_start_bytes));
        for (std::uint32_t k = 0; k < b.size(); ++k) {
            const offset_t first = there.entries[a.begin + k], expected = here.entries[b.begin + k],
                           count = here.entries[b.begin + k + 1] - expected;
            ASSERT_EQ(there.entries[a.begin + k + 1] - first, count);
            ASSERT_TRUE(same(there.locals, first, here.locals, expected, count, here.local));
            ASSERT_TRUE(same(there.values, first, here.values, expected, count, here.value));
        }
        ASSERT_TRUE(same(there.outside_rows, p.begin, here.outside_rows, q.begin, q.size(), 1));
        ASSERT_TRUE(
            same(there.outside_columns, p.begin, here.outside_columns, q.begin, q.size(), sizeof(index_t)));
        ASSERT_TRUE(same(there.values, there.outside_values + p.begin, here.values,
                         here.outside_values + q.begin, q.size(), here.value));
    }
}

/// Rows of tiles of the same 64 rows one after the other, as products read them.
void expect_rows_of_64_together(const tile_bytes& t, int size) {
    const auto one_after_the_other = [&](const std::vector<storage::tile_range>& ranges) {
        for (std::size_t i = 1; i < ranges.size(); ++i)
            if (i % static_cast<std::size_t>(64 / size) != 0) {
                ASSERT_EQ(ranges[i].begin, ranges[i - 1].end);
            }
    };
    one_after_the_other(t.tiles);
    one_after_the_other(t.outside);
}

void expect_as_on_the_host(const context& gpu, const context& cpu, const matrix& a, const std::string& name,
                           std::optional<dtype> type) {
    const auto& rows = a.body().rows();
    const bool each = type && rows.kind == value_kind::full;
    for (const int size : {16, 32, 64})
        for (const int least : {0, 3, storage::least_value_entries(size), 1 << 30}) {
            SCOPED_TRACE(name + ", tiles of " + std::to_string(size) + ", from " + std::to_string(least) +
                         (type ? ", values" : ""));
            const auto there = ops::tiles_on_device(gpu, a.body(), rows, {size, least}, type);
            const storage::value_tiles here = storage::make_value_tiles(cpu, rows, {size, least}, type);
            EXPECT_EQ(there->count, here.count);
            EXPECT_EQ(there->kept, here.kept);
            EXPECT_EQ(there->extracted, here.extracted);
            const tile_bytes made(gpu, *there, each);
            expect_same(made, tile_bytes(cpu, here, each));
            expect_rows_of_64_together(made, size);
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

// Where the sample sees what others do not have: rows 0 to 255 of each 512 have single entries, the others tiles, and of all blocks
// the sample looks at even ones.
TEST(ValueTilesOnDevice, GoASecondTimeWhereTheSampleForesawTooLittle) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    constexpr index_t n = 140000, run = 8;
    std::vector<index_t> rows, columns;
    for (index_t i = 0; i < n; ++i)
        for (index_t k = 0; k < (i / 256 % 2 ? run : 1); ++k) {
            rows.push_back(i);
            columns.push_back(i / 256 % 2 ? i / 16 * 16 % (n - run) + k
                                          : static_cast<index_t>(offset_t{i} * 9973 % n));
        }
    const std::vector<double> values(rows.size(), 2.5);
    const matrix a = matrix::build<double>(gpu, {n, n, rows, columns, values});
    expect_as_on_the_host(gpu, cpu, a, "every other block", std::nullopt);
    expect_as_on_the_host(gpu, cpu, a, "every other block", dtype::float64);
}

// So many short rows that a warp has several rows of tiles and goes through them once: by turns of 64 rows those of a grid, single
// entries (more tiles than wait in shared memory, where all are kept), threes (as many with tiles of three), and none; and one
// block whose rows of tiles hold more than others' room.
TEST(ValueTilesOnDevice, ShortRowsOfTilesGoSideBySide) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    constexpr index_t n = (1 << 20) + 77, wide = 500000, grid = 2000;
    std::vector<index_t> rows, columns;
    const auto put = [&](index_t i, offset_t j) {
        if (j < 0 || j >= n) return;
        rows.push_back(i);
        columns.push_back(static_cast<index_t>(j));
    };
    for (index_t i = 0; i < n; ++i) {
        const offset_t scattered = offset_t{i} * 9973 % n;
        const index_t kind = i / 64 % 4;
        if (i / 16 == wide / 16 || i / 64 == wide / 64 + 3) {
            for (offset_t k = 0; k < 300; ++k) put(i, k * 3001 + i % 7);
        } else if (kind == 0) {
            for (const offset_t step : {-grid, -1, 1, grid})
                if ((offset_t{i} * 7 + step) % 10 < 7) put(i, i + step);
        } else if (kind == 1) {
            put(i, scattered);
            put(i, (scattered + n / 2) % n);
        } else if (kind == 2) {
            for (int k = 0; k < 3 && i % 3 != 0; ++k) put(i, scattered / 16 * 16 + k * 5);
        }
    }
    const std::vector<double> values(rows.size(), 2.5);
    const matrix a = matrix::build<double>(gpu, {n, n, rows, columns, values});
    expect_as_on_the_host(gpu, cpu, a, "short rows", std::nullopt);
}

}  // namespace
}  // namespace nz::test
