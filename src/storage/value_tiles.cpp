// CSR to tiles: two passes over each row of tiles. Its rows are merged by column of tiles: the smallest that any row has
// next is the next tile, and rows step over what they have in it. One pass counts, one fills; threads share rows
// of tiles.
#include "storage/value_tiles.hpp"

#include "core/bits.hpp"
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/csr_builder.hpp"
#include "storage/forms.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace nz::storage {
namespace {

constexpr int most_size = 64;
constexpr index_t tile_rows_a_turn = 64;
constexpr index_t none = std::numeric_limits<index_t>::max();

// The tiles of one row of tiles, one after the other.
struct tile_walk {
    const csr& a;
    int size, shift;
    index_t first_row;
    int rows;
    std::array<offset_t, most_size> at, end;
    std::array<index_t, most_size> tile;  // that the row's next entry lies in
    std::array<int, most_size> count;     // entries of the present tile by row

    tile_walk(const csr& matrix, int tile_size, index_t tile_row)
        : a(matrix),
          size(tile_size),
          shift(std::countr_zero(static_cast<unsigned>(tile_size))),
          first_row(tile_row * tile_size),
          rows(std::min(tile_size, matrix.rows - first_row)) {
        tile.fill(none);
        count.fill(0);
        for (int r = 0; r < rows; ++r) {
            at[r] = a.offset(first_row + r);
            end[r] = a.offset(first_row + r + 1);
            if (at[r] < end[r]) tile[r] = a.index_data()[at[r]] >> shift;
        }
    }
    // The next tile's column, `none` at the end; `at` stays at its first entries until step().
    index_t next() const { return *std::min_element(tile.begin(), tile.begin() + size); }
    // Counts the entries of tile `column` by row; returns how many there are.
    int measure(index_t column) {
        int total = 0;
        for (int r = 0; r < rows; ++r) {
            count[r] = 0;
            if (tile[r] != column) continue;
            offset_t k = at[r] + 1;
            while (k < end[r] && a.index_data()[k] >> shift == column) ++k;
            count[r] = static_cast<int>(k - at[r]);
            total += count[r];
        }
        return total;
    }
    void step() {
        for (int r = 0; r < rows; ++r) {
            if (!count[r]) continue;
            at[r] += count[r];
            tile[r] = at[r] < end[r] ? a.index_data()[at[r]] >> shift : none;
        }
    }
};

void check_cut(tiling cut) {
    require<domain_error>(cut.size == 16 || cut.size == 32 || cut.size == 64,
                          "tiles of {} rows and columns: there are 16, 32 and 64", cut.size);
}

// What rows of tiles have, one after the other; how many in all.
offset_t place_one_by_one(const array<offset_t>& counts, tile_range* ranges) {
    offset_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto begin = static_cast<std::uint32_t>(sum);
        sum += counts[i];
        ranges[i] = {begin, static_cast<std::uint32_t>(sum)};
    }
    return sum;
}

// Counts, and says where each row of tiles has its parts.
void count_tiles(const context& ctx, const csr& a, value_tiles& t) {
    const auto n = static_cast<std::size_t>(t.tile_rows());
    array<offset_t> tile_counts(ctx, n), outside(ctx, n);
    for_parts(ctx, t.tile_rows(), tile_rows_a_turn, [&](index_t i) {
        offset_t kept = 0, apart = 0;
        tile_walk walk(a, t.cut.size, i);
        for (index_t column; (column = walk.next()) != none; walk.step()) {
            const int entries = walk.measure(column);
            entries >= t.cut.least_entries ? void(++kept) : void(apart += entries);
        }
        tile_counts[static_cast<std::size_t>(i)] = kept;
        outside[static_cast<std::size_t>(i)] = apart;
    });
    t.tile_ranges = buffer(ctx.memory(), n * sizeof(tile_range));
    t.extracted_ranges = buffer(ctx.memory(), n * sizeof(tile_range));
    t.count = place_one_by_one(tile_counts, t.tile_ranges.as<tile_range>());
    t.extracted = place_one_by_one(outside, t.extracted_ranges.as<tile_range>());
    require<not_supported>(
        std::max(t.count, t.extracted) <= std::numeric_limits<std::uint32_t>::max(),
        "{} tiles of {} x {}, {} entries outside: value tiles count up to 2^32 - 1: keep the CSR", t.count,
        t.cut.size, t.cut.size, t.extracted);
    t.kept = t.outside_values = a.nnz - t.extracted;
}

void allocate(const context& ctx, value_tiles& t, std::size_t value_bytes) {
    const auto count = static_cast<std::size_t>(t.count), kept = static_cast<std::size_t>(t.kept),
               outside = static_cast<std::size_t>(t.extracted);
    const auto local = static_cast<std::size_t>(local_bytes(t.cut.size));
    t.tile_columns = buffer(ctx.memory(), count * sizeof(index_t));
    t.entry_starts = buffer(ctx.memory(), (count + 1) * sizeof(offset_t));
    t.row_starts = buffer(ctx.memory(), count * static_cast<std::size_t>(t.cut.size) * local);
    t.locals = buffer(ctx.memory(), kept * local);
    t.extracted_rows = buffer(ctx.memory(), outside);
    t.extracted_columns = buffer(ctx.memory(), outside * sizeof(index_t));
    t.values = buffer(ctx.memory(), (kept + outside) * value_bytes);
}

void put(const buffer& to, int bytes, offset_t place, int x) {
    bytes == 1 ? void(to.as<std::uint8_t>()[place] = static_cast<std::uint8_t>(x))
               : void(to.as<std::uint16_t>()[place] = static_cast<std::uint16_t>(x));
}

// Fills row of tiles i, whose first entries in tiles and outside have the places given.
template <class U>
void fill_tile_row(const csr& a, const U* from, value_tiles& t, index_t i) {
    const int size = t.cut.size, local = local_bytes(size), bits = column_bits(size);
    U* values = t.values.as<U>();
    auto tile = offset_t{t.tile_range_data()[i].begin};
    const auto outside = offset_t{t.extracted_range_data()[i].begin};
    offset_t place = a.offset(offset_t{i} * size) - outside;
    // Entries outside are sorted by row, so each row's places are known once all are counted.
    std::array<offset_t, most_size + 1> apart{};
    if (t.extracted_range_data()[i].size() != 0) {
        tile_walk walk(a, size, i);
        for (index_t column; (column = walk.next()) != none; walk.step())
            if (walk.measure(column) < t.cut.least_entries)
                for (int r = 0; r < walk.rows; ++r) apart[r + 1] += walk.count[r];
    }
    for (int r = 0; r < size; ++r) apart[r + 1] += apart[r];
    tile_walk walk(a, size, i);
    for (index_t column; (column = walk.next()) != none; walk.step()) {
        const bool kept = walk.measure(column) >= t.cut.least_entries;
        if (kept) {
            t.tile_columns.as<index_t>()[tile] = column;
            t.entry_starts.as<offset_t>()[tile] = place;
        }
        int before = 0;
        for (int r = 0; r < size; ++r) {
            if (kept) put(t.row_starts, local, tile * size + r, before);
            if (r >= walk.rows) continue;
            for (int e = 0; e < walk.count[r]; ++e) {
                const offset_t source = walk.at[r] + e;
                const index_t j = a.index_data()[source];
                offset_t to = place + before + e;
                if (kept) {
                    put(t.locals, local, to, r << bits | (j & (size - 1)));
                } else {
                    to = outside + apart[r]++;
                    t.extracted_rows.as<std::uint8_t>()[to] = static_cast<std::uint8_t>(r);
                    t.extracted_columns.as<index_t>()[to] = j;
                    to += t.outside_values;
                }
                if (from) values[to] = from[source];
            }
            before += walk.count[r];
        }
        tile += kept;
        place += kept ? before : 0;
    }
}

}  // namespace

std::size_t value_tiles::bytes() const {
    return tile_ranges.bytes() + tile_columns.bytes() + entry_starts.bytes() + row_starts.bytes() +
           locals.bytes() + extracted_ranges.bytes() + extracted_rows.bytes() + extracted_columns.bytes() +
           values.bytes();
}

value_tiles make_value_tiles(const context& ctx, const csr& a, tiling cut, std::optional<dtype> type) {
    check_cut(cut);
    value_tiles t;
    t.source = &a;
    t.memory = ctx.memory();
    t.cut = cut;
    t.type = type;
    count_tiles(ctx, a, t);
    form_values values = values_for_form(ctx, a, type);
    allocate(ctx, t, values.each_bytes);
    if (values.one.data()) t.values = std::move(values.one);
    t.entry_starts.as<offset_t>()[t.count] = t.kept;
    by_width(std::max<std::size_t>(values.each_bytes, 1), [&]<class U>(std::type_identity<U>) {
        for_parts(ctx, t.tile_rows(), tile_rows_a_turn,
                  [&](index_t i) { fill_tile_row(a, static_cast<const U*>(values.each), t, i); });
    });
    return t;
}

tile_lists lists_of(const context& ctx, const value_tiles& t) {
    const index_t columns = tile_columns_of(t.source->columns, t.cut.size);
    const tile_range *tiles = t.tile_range_data(), *apart = t.extracted_range_data();
    // Calls f(row, column) for each that meet, once, rows ascending for each column.
    const auto for_meetings = [&](auto&& f) {
        std::vector<index_t> met;
        for (index_t i = 0; i < t.tile_rows(); ++i) {
            met.assign(t.tile_columns.as<index_t>() + tiles[i].begin,
                       t.tile_columns.as<index_t>() + tiles[i].end);
            for (std::uint32_t k = apart[i].begin; k < apart[i].end; ++k)
                met.push_back(t.extracted_columns.as<index_t>()[k] / t.cut.size);
            std::sort(met.begin(), met.end());
            met.erase(std::unique(met.begin(), met.end()), met.end());
            for (const index_t j : met) f(i, j);
        }
    };
    tile_lists lists{
        {}, false, buffer(ctx.memory(), (static_cast<std::size_t>(columns) + 1) * sizeof(offset_t)), {}};
    auto* at = lists.starts.as<offset_t>();
    std::fill_n(at, columns + 1, 0);
    for_meetings([&](index_t, index_t j) { ++at[j]; });
    for (offset_t& start : lists.starts.span<offset_t>()) lists.count += std::exchange(start, lists.count);
    lists.met = buffer(ctx.memory(), static_cast<std::size_t>(lists.count) * sizeof(index_t));
    for_meetings([&](index_t i, index_t j) { lists.met.as<index_t>()[at[j]++] = i; });
    for (int j = columns; j > 0; --j) at[j] = at[j - 1];
    at[0] = 0;
    return lists;
}

csr to_csr(const context& ctx, const value_tiles& t) {
    const csr& a = *t.source;
    const dtype type = t.type.value_or(a.type);
    const bool each = a.kind == value_kind::full && t.type;
    csr_builder out(ctx, type, a.rows, a.columns);
    const int size = t.cut.size, bits = column_bits(size);
    std::vector<std::array<offset_t, 3>> entries;  // row, column, place
    for (index_t i = 0; i < t.tile_rows(); ++i) {
        entries.clear();
        const tile_range tiles = t.tile_range_data()[i], outside = t.extracted_range_data()[i];
        for (std::uint32_t k = tiles.begin; k < tiles.end; ++k)
            for (offset_t e = t.entry_starts.as<offset_t>()[k]; e < t.entry_starts.as<offset_t>()[k + 1];
                 ++e) {
                const int local =
                    size == 16 ? t.locals.as<std::uint8_t>()[e] : t.locals.as<std::uint16_t>()[e];
                entries.push_back({local >> bits,
                                   offset_t{t.tile_columns.as<index_t>()[k]} * size + (local & (size - 1)),
                                   e});
            }
        for (std::uint32_t e = outside.begin; e < outside.end; ++e)
            entries.push_back({t.extracted_rows.as<std::uint8_t>()[e], t.extracted_columns.as<index_t>()[e],
                               t.outside_values + e});
        std::sort(entries.begin(), entries.end());
        for (const auto& [r, j, place] : entries)
            out.add(static_cast<index_t>(offset_t{i} * size + r), static_cast<index_t>(j),
                    each     ? load(t.values.data(), type, place)
                    : t.type ? load(t.values.data(), type, 0)
                             : one_of(type));
    }
    return std::move(out).finish();
}

void validate(const value_tiles& t, const char* what) {
    const csr& a = *t.source;
    const int size = t.cut.size, bits = column_bits(size);
    require<invalid_format>(t.kept + t.extracted == a.nnz, "{}: {} entries in tiles and {} outside, of {}",
                            what, t.kept, t.extracted, a.nnz);
    const auto* entries = t.entry_starts.as<offset_t>();
    for (index_t i = 0; i < t.tile_rows(); ++i) {
        index_t before = -1;
        for (std::uint32_t k = t.tile_range_data()[i].begin; k < t.tile_range_data()[i].end; ++k) {
            const index_t column = t.tile_columns.as<index_t>()[k];
            require<invalid_format>(column > before && column < tile_columns_of(a.columns, size),
                                    "{}: tile {} of row of tiles {} has column {}", what, k, i, column);
            before = column;
            const offset_t held = entries[k + 1] - entries[k];
            require<invalid_format>(held >= t.cut.least_entries && held <= offset_t{size} * size,
                                    "{}: tile {} holds {} entries", what, k, held);
            int last = -1;
            for (offset_t e = entries[k]; e < entries[k + 1]; ++e) {
                const int local =
                    size == 16 ? t.locals.as<std::uint8_t>()[e] : t.locals.as<std::uint16_t>()[e];
                require<invalid_format>(local > last, "{}: entries of tile {} are out of order", what, k);
                const int row = local >> bits, start = size == 16
                                                           ? t.row_starts.as<std::uint8_t>()[k * size + row]
                                                           : t.row_starts.as<std::uint16_t>()[k * size + row];
                require<invalid_format>((last >= 0 && last >> bits == row) || e - entries[k] == start,
                                        "{}: row {} of tile {} starts elsewhere", what, row, k);
                last = local;
            }
        }
    }
}

value_tile_sample sample_value_tiles(const csr& a, tiling cut, std::size_t value_bytes) {
    check_cut(cut);
    constexpr index_t sampled = 256;
    const auto rows = static_cast<index_t>((offset_t{a.rows} + cut.size - 1) / cut.size);
    const index_t step = std::max<index_t>(1, rows / sampled);
    offset_t tiles = 0, kept = 0, outside = 0, looked = 0;
    for (index_t i = step / 2; i < rows; i += step, ++looked) {
        tile_walk walk(a, cut.size, i);
        for (index_t column; (column = walk.next()) != none; walk.step()) {
            const int entries = walk.measure(column);
            entries >= cut.least_entries ? void((++tiles, kept += entries)) : void(outside += entries);
        }
    }
    if (kept + outside == 0) return {};
    const auto local = static_cast<double>(local_bytes(cut.size));
    const double entries = static_cast<double>(kept + outside);
    const double beside = sizeof(index_t) + sizeof(offset_t) + cut.size * local;
    const double bytes = static_cast<double>(looked) * 2 * sizeof(tile_range) +
                         static_cast<double>(tiles) * beside + static_cast<double>(kept) * local +
                         static_cast<double>(outside) * (sizeof(index_t) + 1) +
                         entries * static_cast<double>(value_bytes);
    const double as_csr = static_cast<double>(looked) * cut.size * a.offset_bytes +
                          entries * static_cast<double>(sizeof(index_t) + value_bytes);
    return {tiles ? static_cast<double>(kept) / static_cast<double>(tiles) : 0,
            static_cast<double>(outside) / entries, bytes / as_csr};
}

}  // namespace nz::storage
