// Bit tiles: round trips from the battery for both sizes and several thresholds, a tile by hand, each rule broken once, the
// sample against what is built.
#include "storage/bit_tiles.hpp"

#include "nonzero/io.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace nz::test {
namespace {

using namespace storage;

constexpr int everything = 1 << 30;

dictionary pattern_of(dictionary d) {
    for (auto& [at, x] : d.entries) x = one_of(dtype::boolean);
    d.type = dtype::boolean;
    return d;
}

TEST(BitTiles, AndBackKeepEveryEntry) {
    std::mt19937 random(1);
    auto battery = matrix_battery(dtype::int32, random);
    for (auto& m : larger_matrices(dtype::int32, random)) battery.push_back(std::move(m));
    battery.push_back({"130 x 130", random_dictionary(130, 130, 0.2, dtype::int32, random)});
    for (const int threads : {1, 3}) {
        const context ctx({.threads = threads});
        for (const auto& [name, d] : battery)
            for (const int size : {32, 64})
                for (const int least : {0, 3, everything}) {
                    SCOPED_TRACE(name + ", " + std::to_string(size) + ", " + std::to_string(least));
                    const matrix a = make_matrix(ctx, d, true);
                    const bit_tiles t = make_bit_tiles(ctx, a.body().rows(), size, least);
                    validate(t, "tiles");
                    EXPECT_TRUE(least > 0 || t.extracted == 0);
                    EXPECT_TRUE(least < everything || t.tiles == 0);
                    EXPECT_EQ(difference(pattern_of(d), read(storage::make_matrix(ctx, to_csr(ctx, t)))), "");
                }
    }
}

// Rows 0 and 2 of tile (0, 0), row 1 of tile (0, 1), one entry of tile (1, 1).
matrix by_hand(const context& ctx) {
    const std::vector<index_t> rows{0, 0, 1, 1, 2, 40}, columns{0, 31, 32, 35, 5, 36};
    return matrix::build<bool>(ctx, {41, 41, rows, columns, {}});
}

TEST(BitTiles, HaveAWordForEachOccupiedRow) {
    const context ctx;
    const matrix a = by_hand(ctx);
    const bit_tiles t = make_bit_tiles(ctx, a.body().rows(), 32, 2);
    EXPECT_EQ(t.tiles, 2);
    EXPECT_EQ(t.words, 3);
    EXPECT_EQ(t.extracted, 1);
    const auto* headers = t.header_data<std::uint32_t>();
    EXPECT_EQ(headers[0].column, 0u);
    EXPECT_EQ(headers[0].occupied, 0b101u);
    EXPECT_EQ(headers[0].reach, 1u | 1u << 5 | 1u << 31);
    EXPECT_EQ(headers[1].column, 1u);
    EXPECT_EQ(headers[1].start, 2u);
    const auto* words = t.row_words.as<const std::uint32_t>();
    EXPECT_EQ(words[0], 1u | 1u << 31);
    EXPECT_EQ(words[1], 1u << 5);
    EXPECT_EQ(words[2], 0b1001u);
    EXPECT_EQ(t.extracted_rows.as<std::uint8_t>()[0], 40 - 32);
    EXPECT_EQ(t.extracted_columns.as<index_t>()[0], 36);
}

TEST(BitTiles, ThatBreakARuleAreNamed) {
    const context ctx;
    const matrix a = by_hand(ctx);
    const auto fault = [&](auto&& change) -> std::string {
        bit_tiles t = make_bit_tiles(ctx, a.body().rows(), 32, 2);
        change(t);
        try {
            validate(t, "tiles");
        } catch (const invalid_format& e) {
            return e.what();
        }
        return "none";
    };
    const auto expect = [&](const char* text, auto&& change) {
        const std::string found = fault(change);
        EXPECT_NE(found.find(text), std::string::npos) << found;
    };
    const auto header = [](bit_tiles& t) { return t.headers.as<tile_header<std::uint32_t>>(); };
    expect("none", [](bit_tiles&) {});
    expect("16 x 16", [](bit_tiles& t) { t.size = 16; });
    expect("shorter", [&](bit_tiles& t) { t.row_words = buffer(ctx.memory(), 4); });
    expect("tile row 0 has tiles 0 to 2 of 1", [](bit_tiles& t) { t.tiles = 1; });
    const auto ranges = [](bit_tiles& t) { return t.tile_ranges.as<tile_range>(); };
    expect("tile row 1 has tiles 2 to 1 of 2", [&](bit_tiles& t) { ranges(t)[1].end = 1; });
    expect("tiles 1 to 2 are no tile row's, or two's", [&](bit_tiles& t) { ranges(t)[1] = {1, 2}; });
    expect("tiles 0 to 1 are no tile row's, or two's", [&](bit_tiles& t) { ranges(t)[0].begin = 1; });
    expect("tile rows have 1 tiles of 2", [&](bit_tiles& t) { ranges(t)[0].end = 1; });
    expect("tile rows have 0 extracted entries of 1",
           [](bit_tiles& t) { t.extracted_ranges.as<tile_range>()[1] = {0, 0}; });
    expect("out of order", [&](bit_tiles& t) { header(t)[1].column = 0; });
    expect("out of order or outside", [&](bit_tiles& t) { header(t)[1].column = 2; });
    expect("has no rows", [&](bit_tiles& t) { header(t)[0].occupied = 0; });
    expect("tile (0, 1) reaches columns 1, its words 9", [&](bit_tiles& t) { header(t)[1].reach = 1; });
    expect("tiles have 4 words, the count is 3", [&](bit_tiles& t) {
        header(t)[0].occupied = 7;
        header(t)[0].reach |= header(t)[1].reach;
    });
    expect("words 2 to 3 of 2", [&](bit_tiles& t) { t.words = 2; });
    expect("tiles have 3 words, the count is 2", [&](bit_tiles& t) {
        t.words = 2;
        header(t)[1].start = 1;
        header(t)[1].reach = 1u << 5;
    });
    expect("word 1 of tile (0, 0) is empty", [](bit_tiles& t) { t.row_words.as<std::uint32_t>()[1] = 0; });
    expect("columns beyond", [](bit_tiles& t) { t.row_words.as<std::uint32_t>()[2] = 1u << 9; });
    expect("lies outside the matrix", [](bit_tiles& t) { t.extracted_rows.as<std::uint8_t>()[0] = 9; });
    expect("lies outside the matrix", [](bit_tiles& t) { t.extracted_columns.as<index_t>()[0] = 41; });
    expect("the count is 7", [](bit_tiles& t) { t.nnz = 7; });
}

TEST(BitTiles, HaveTheirPartsInAnyOrder) {
    const context ctx;
    const matrix a = load(ctx, "grid2d:20").matrix;
    bit_tiles t = make_bit_tiles(ctx, a.body().rows(), 32, 30);
    ASSERT_GT(t.extracted, 0);
    const auto backwards = [&]<class T>(buffer& ranges, buffer& array, offset_t count,
                                        std::type_identity<T>) {
        const std::vector<T> old(array.as<T>(), array.as<T>() + count);
        offset_t next = 0;
        for (index_t row = t.tile_rows(); row-- > 0;) {
            const tile_range was = ranges.as<tile_range>()[row];
            std::copy_n(old.begin() + was.begin, was.size(), array.as<T>() + next);
            ranges.as<tile_range>()[row] = {static_cast<std::uint32_t>(next),
                                            static_cast<std::uint32_t>(next + was.size())};
            next += was.size();
        }
    };
    backwards(t.tile_ranges, t.headers, t.tiles, std::type_identity<tile_header<std::uint32_t>>{});
    const buffer ranges(ctx.memory(), t.extracted_ranges.bytes());
    std::memcpy(ranges.data(), t.extracted_ranges.data(), ranges.bytes());
    backwards(t.extracted_ranges, t.extracted_rows, t.extracted, std::type_identity<std::uint8_t>{});
    std::memcpy(t.extracted_ranges.data(), ranges.data(), ranges.bytes());
    backwards(t.extracted_ranges, t.extracted_columns, t.extracted, std::type_identity<index_t>{});
    validate(t, "tiles");
    EXPECT_EQ(difference(pattern_of(read(a)), read(storage::make_matrix(ctx, to_csr(ctx, t)))), "");
}

TEST(BitTiles, OfOtherSizesAreRefused) {
    const context ctx;
    const matrix a = by_hand(ctx);
    EXPECT_THROW(make_bit_tiles(ctx, a.body().rows(), 16, 0), not_supported);
}

TEST(BitTiles, AreMadeOnceAndServeBothDirectionsOfASymmetricMatrix) {
    const context ctx;
    const auto& mesh = load(ctx, "grid2d:20").matrix;
    const auto rows = mesh.body().bit_tiles_of_rows(64, 2);
    EXPECT_EQ(rows, mesh.body().bit_tiles_of_columns(64, 2));
    EXPECT_EQ(rows, mesh.body().bit_tiles_of_rows(64, 2));
    EXPECT_NE(rows, mesh.body().bit_tiles_of_rows(32, 2));
    EXPECT_NE(rows, mesh.body().bit_tiles_of_rows(64, 0));
    matrix a = by_hand(ctx);
    const auto before = a.body().bit_tiles_of_rows(32, 0);
    EXPECT_EQ(to_csr(ctx, *a.body().bit_tiles_of_columns(32, 0)).nnz, 6);
    EXPECT_NE(before, a.body().bit_tiles_of_columns(32, 0));
    a.set(7, 7, true);
    EXPECT_EQ(a.body().bit_tiles_of_rows(32, 0)->nnz, 7) << "a change drops them";
}

TEST(TileSamples, ForeseeTheBytes) {
    const context ctx;
    for (const auto* source :
         {"grid2d:300,0.15", "laplace3d:30", "banded:100000,21", "rmat:14,8", "uniform:20000,6"})
        for (const int size : {32, 64})
            for (const int least : {0, 4}) {
                const auto& in = load(ctx, source).matrix;
                const csr& a = in.body().rows();
                const tile_sample s = in.body().sampled_tiles(size);
                const auto expected = static_cast<double>(expected_bytes(s, a.rows, a.nnz, least));
                const auto built = static_cast<double>(make_bit_tiles(ctx, a, size, least).bytes());
                EXPECT_NEAR(expected / built, 1, 0.08) << source << ", " << size << ", " << least;
            }
}

TEST(TileSamples, CountTilesAndTheirRows) {
    const context ctx;
    const matrix a = by_hand(ctx);
    const tile_sample s = sample_tiles(a.body().rows(), 32);
    EXPECT_DOUBLE_EQ(s.tiles, 3.0 / 6);
    EXPECT_DOUBLE_EQ(s.words, 4.0 / 6);
    EXPECT_DOUBLE_EQ(s.few_tiles[1], 1.0 / 6);
    EXPECT_DOUBLE_EQ(s.few_words[3], 2.0 / 6);
    EXPECT_EQ(sample_tiles(matrix(ctx, dtype::boolean, 5, 5).body().rows(), 64).tiles, 0);
    EXPECT_DOUBLE_EQ(sample_tiles(a.body().rows(), 16).tiles, 4.0 / 6);
}

}  // namespace
}  // namespace nz::test
