// Tile rows are made independently, in two passes over the entries: count, then fill. Within a tile row the rows are merged
// by tile column: each has a place in its entries, and the smallest tile column of all is the next tile.
#include "storage/bit_tiles.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace nz::storage {
namespace {

constexpr offset_t turn = 64;  // tile rows a thread takes at a time
constexpr offset_t most_counted = std::numeric_limits<std::uint32_t>::max();

template <class Word>
inline constexpr int bits_of = static_cast<int>(sizeof(Word) * 8);

// The entries of one tile row, tile by tile.
template <class Word, class Offset>
class tile_walk {
public:
    static constexpr int size = bits_of<Word>;

    tile_walk(const Offset* offsets, const index_t* indices, index_t rows, index_t tile_row)
        : indices_(indices) {
        const offset_t first = offset_t{tile_row} * size;
        rows_ = static_cast<int>(std::min<offset_t>(size, rows - first));
        for (int r = 0; r < rows_; ++r) {
            at_[r] = offsets[first + r];
            end_[r] = offsets[first + r + 1];
            look(r);
            next_ = std::min(next_, head_[r]);
        }
    }

    /// The next tile is `column`, `occupied`, `reach`, `entries` and `words`; false after the last.
    bool advance() {
        if (next_ == none) return false;
        column = next_;
        next_ = none;
        occupied = reach = 0;
        entries = 0;
        count_ = 0;
        for (int r = 0; r < rows_; ++r) {
            if (head_[r] == column) take(r);
            next_ = std::min(next_, head_[r]);
        }
        return true;
    }
    int word_count() const { return count_; }

    std::uint32_t column = 0;
    Word occupied = 0, reach = 0;
    offset_t entries = 0;
    Word words[size];

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    void look(int r) {
        head_[r] = at_[r] < end_[r] ? static_cast<std::uint32_t>(indices_[at_[r]]) / size : none;
    }
    void take(int r) {
        const Offset begin = at_[r], end = end_[r];
        const auto past = static_cast<std::uint32_t>(column + 1) * size;  // the first column of the next tile
        Offset k = begin;
        Word word = 0;
        do {
            word |= static_cast<Word>(Word{1} << (static_cast<std::uint32_t>(indices_[k++]) % size));
        } while (k < end && static_cast<std::uint32_t>(indices_[k]) < past);
        at_[r] = k;
        look(r);
        words[count_++] = word;
        occupied |= static_cast<Word>(Word{1} << r);
        reach |= word;
        entries += k - begin;
    }

    const index_t* indices_;
    int rows_ = 0, count_ = 0;
    std::uint32_t next_ = none;
    std::uint32_t head_[size];
    Offset at_[size], end_[size];
};

// What a tile row adds to each array; after the scan, where its part begins.
struct tile_row_part {
    offset_t tiles = 0, words = 0, extracted = 0;
};

template <class Word, class Offset>
class builder {
public:
    using walk = tile_walk<Word, Offset>;
    using header = tile_header<Word>;

    builder(const context& ctx, const csr& a, const Offset* offsets, bit_tiles& out)
        : ctx_(ctx), a_(a), offsets_(offsets), out_(out) {}

    void build() {
        const index_t tile_rows = out_.tile_rows();
        array<tile_row_part> parts(ctx_, static_cast<std::size_t>(tile_rows) + 1);
        parallel::for_chunks(ctx_.threads(), tile_rows, turn, [&](offset_t begin, offset_t end) {
            for (offset_t t = begin; t < end; ++t) parts[t] = count(static_cast<index_t>(t));
        });
        scan(parts);
        allocate();
        parallel::for_chunks(ctx_.threads(), tile_rows, turn, [&](offset_t begin, offset_t end) {
            for (offset_t t = begin; t < end; ++t) fill(static_cast<index_t>(t), parts[t], parts[t + 1]);
        });
        finish(parts);
    }

private:
    walk at(index_t tile_row) const { return {offsets_, a_.index_data(), a_.rows, tile_row}; }

    tile_row_part count(index_t tile_row) const {
        tile_row_part part;
        for (walk w = at(tile_row); w.advance();) {
            const bool alone = w.entries < out_.least_entries;
            part.extracted += alone ? w.entries : 0;
            part.tiles += !alone;
            part.words += alone ? 0 : w.word_count();
        }
        return part;
    }

    void scan(array<tile_row_part>& parts) {
        tile_row_part sum;
        for (std::size_t t = 0; t + 1 < parts.size(); ++t) {
            const tile_row_part own = parts[t];
            parts[t] = sum;
            sum = {sum.tiles + own.tiles, sum.words + own.words, sum.extracted + own.extracted};
        }
        parts[parts.size() - 1] = sum;
        require<not_supported>(
            std::max({sum.tiles, sum.words, sum.extracted}) <= most_counted,
            "{} tiles of {} x {} with {} words, {} entries outside: bit tiles count up to {}: keep the CSR",
            sum.tiles, out_.size, out_.size, sum.words, sum.extracted, most_counted);
        out_.tiles = sum.tiles;
        out_.words = sum.words;
        out_.extracted = sum.extracted;
    }

    void allocate() {
        const auto room = [&](offset_t count, std::size_t bytes) {
            return buffer(ctx_.memory(), static_cast<std::size_t>(count) * bytes);
        };
        out_.tile_ranges = room(out_.tile_rows(), sizeof(tile_range));
        out_.headers = room(out_.tiles, sizeof(header));
        out_.row_words = room(out_.words, sizeof(Word));
        out_.extracted_ranges = room(out_.tile_rows(), sizeof(tile_range));
        out_.extracted_rows = room(out_.extracted, sizeof(std::uint8_t));
        out_.extracted_columns = room(out_.extracted, sizeof(index_t));
    }

    void fill(index_t tile_row, const tile_row_part& part, const tile_row_part& next) {
        offset_t row_at[bits_of<Word>];  // where the extracted entries of each row go
        if (part.extracted < next.extracted) place_extracted(tile_row, part.extracted, row_at);
        auto* target = out_.headers.as<header>() + part.tiles;
        offset_t at_word = part.words;
        for (walk w = at(tile_row); w.advance();) {
            if (w.entries < out_.least_entries) {
                extract(w, row_at);
                continue;
            }
            *target++ = {w.column, static_cast<std::uint32_t>(at_word), w.occupied, w.reach};
            std::copy_n(w.words, w.word_count(), out_.row_words.as<Word>() + at_word);
            at_word += w.word_count();
        }
    }

    // They ascend by row and within a row by column, but come tile by tile.
    void place_extracted(index_t tile_row, offset_t first, offset_t* row_at) const {
        std::fill_n(row_at, bits_of<Word>, 0);
        for (walk w = at(tile_row); w.advance();)
            if (w.entries < out_.least_entries)
                for_words(w, [&](int r, Word word) { row_at[r] += std::popcount(word); });
        for (int r = 0; r < bits_of<Word>; ++r) first += std::exchange(row_at[r], first);
    }
    void extract(const walk& w, offset_t* row_at) {
        for_words(w, [&](int r, Word word) {
            for (; word; word &= static_cast<Word>(word - 1)) {
                const offset_t k = row_at[r]++;
                out_.extracted_rows.as<std::uint8_t>()[k] = static_cast<std::uint8_t>(r);
                out_.extracted_columns.as<index_t>()[k] = static_cast<index_t>(
                    static_cast<offset_t>(w.column) * bits_of<Word> + std::countr_zero(word));
            }
        });
    }
    template <class F>
    static void for_words(const walk& w, F&& f) {
        int k = 0;
        for (Word rest = w.occupied; rest; rest &= static_cast<Word>(rest - 1))
            f(std::countr_zero(rest), w.words[k++]);
    }

    void finish(const array<tile_row_part>& parts) {
        const auto range = [](offset_t begin, offset_t end) {
            return tile_range{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
        };
        for (std::size_t t = 0; t + 1 < parts.size(); ++t) {
            out_.tile_ranges.template as<tile_range>()[t] = range(parts[t].tiles, parts[t + 1].tiles);
            out_.extracted_ranges.template as<tile_range>()[t] =
                range(parts[t].extracted, parts[t + 1].extracted);
        }
    }

    const context& ctx_;
    const csr& a_;
    const Offset* offsets_;
    bit_tiles& out_;
};

// Calls f(row, column) for every entry of the tile row, tiles first, then the extracted ones.
template <class Word, class F>
void for_entries(const bit_tiles& a, index_t tile_row, F&& f) {
    constexpr int size = bits_of<Word>;
    const auto first = static_cast<index_t>(offset_t{tile_row} * size);
    const auto* headers = a.header_data<Word>();
    const auto [begin, end] = a.tile_range_data()[tile_row];
    for (std::uint32_t t = begin; t < end; ++t) {
        const Word* word = a.row_words.as<const Word>() + headers[t].start;
        for (Word rows = headers[t].occupied; rows; rows &= static_cast<Word>(rows - 1), ++word)
            for (Word columns = *word; columns; columns &= static_cast<Word>(columns - 1))
                f(first + std::countr_zero(rows),
                  static_cast<index_t>(headers[t].column * offset_t{size} + std::countr_zero(columns)));
    }
    const tile_range extracted = a.extracted_range_data()[tile_row];
    for (std::uint32_t k = extracted.begin; k < extracted.end; ++k)
        f(first + a.extracted_rows.as<const std::uint8_t>()[k], a.extracted_columns.as<const index_t>()[k]);
}

template <class Word>
csr entries_of(const context& ctx, const bit_tiles& a) {
    array<index_t> lengths(ctx, static_cast<std::size_t>(a.rows));
    lengths.fill(0);
    for (index_t t = 0; t < a.tile_rows(); ++t)
        for_entries<Word>(a, t, [&](index_t i, index_t) { ++lengths[i]; });
    csr out = allocate_csr(ctx, dtype::boolean, value_kind::pattern, a.rows, a.columns,
                           std::span<const index_t>(lengths.data(), lengths.size()));
    lengths.fill(0);
    auto* indices = out.indices.as<index_t>();
    for (index_t t = 0; t < a.tile_rows(); ++t)
        for_entries<Word>(a, t, [&](index_t i, index_t j) { indices[out.offset(i) + lengths[i]++] = j; });
    for (index_t i = 0; i < a.rows; ++i)
        std::sort(indices + out.offset(i), indices + out.offset(i + offset_t{1}));
    return out;
}

}  // namespace

bit_tiles make_bit_tiles(const context& ctx, const csr& a, int size, int least_entries) {
    require<not_supported>(size == 32 || size == 64, "bit tiles of {0} x {0}: there are those of 32 and 64",
                           size);
    bit_tiles out;
    out.rows = a.rows;
    out.columns = a.columns;
    out.size = size;
    out.least_entries = least_entries;
    out.nnz = a.nnz;
    with_offsets(a, [&]<class Offset>(const Offset* offsets) {
        if (size == 64)
            builder<std::uint64_t, Offset>(ctx, a, offsets, out).build();
        else
            builder<std::uint32_t, Offset>(ctx, a, offsets, out).build();
    });
    return out;
}

csr to_csr(const context& ctx, const bit_tiles& a) {
    return a.size == 64 ? entries_of<std::uint64_t>(ctx, a) : entries_of<std::uint32_t>(ctx, a);
}

namespace {

// Every element is one tile row's.
void check_ranges(const bit_tiles& a, const tile_range* ranges, offset_t count, const char* of,
                  const char* what) {
    std::vector<tile_range> parts(ranges, ranges + a.tile_rows());
    for (index_t t = 0; t < a.tile_rows(); ++t)
        require<invalid_format>(parts[t].begin <= parts[t].end && parts[t].end <= count,
                                "{}: tile row {} has {} {} to {} of {}", what, t, of, parts[t].begin,
                                parts[t].end, count);
    std::erase_if(parts, [](const tile_range& r) { return r.size() == 0; });
    std::ranges::sort(parts, {}, &tile_range::begin);
    offset_t next = 0;
    for (const auto [begin, end] : parts) {
        require<invalid_format>(begin == next, "{}: {} {} to {} are no tile row's, or two's", what, of,
                                std::min(next, offset_t{begin}), std::max(next, offset_t{begin}));
        next = end;
    }
    require<invalid_format>(next == count, "{}: tile rows have {} {} of {}", what, next, of, count);
}

void check_arrays(const bit_tiles& a, const char* what) {
    require<invalid_format>(a.size == 32 || a.size == 64,
                            "{}: tiles of {} x {}; there are those of 32 and 64", what, a.size, a.size);
    const auto word = static_cast<std::size_t>(a.size / 8);
    const auto ranges = static_cast<std::size_t>(a.tile_rows()) * sizeof(tile_range);
    require<invalid_format>(
        a.tile_ranges.bytes() >= ranges && a.extracted_ranges.bytes() >= ranges &&
            a.headers.bytes() >= static_cast<std::size_t>(a.tiles) * (2 * word + 8) &&
            a.row_words.bytes() >= static_cast<std::size_t>(a.words) * word &&
            a.extracted_rows.bytes() >= static_cast<std::size_t>(a.extracted) &&
            a.extracted_columns.bytes() >= static_cast<std::size_t>(a.extracted) * sizeof(index_t),
        "{}: arrays are shorter than {} tiles, {} words and {} extracted entries need", what, a.tiles,
        a.words, a.extracted);
    check_ranges(a, a.tile_range_data(), a.tiles, "tiles", what);
    check_ranges(a, a.extracted_range_data(), a.extracted, "extracted entries", what);
}

// The bits of a tile that lie within `extent` rows or columns.
template <class Word>
Word within(index_t extent, std::uint32_t tile) {
    const offset_t left = extent - static_cast<offset_t>(tile) * bits_of<Word>;
    return left >= bits_of<Word> ? static_cast<Word>(~Word{0})
           : left <= 0           ? Word{0}
                                 : static_cast<Word>((Word{1} << left) - 1);
}

struct tile_contents {
    offset_t words = 0, entries = 0;
};

// What the tiles of one tile row hold.
template <class Word>
tile_contents check_tiles(const bit_tiles& a, index_t row, const char* what) {
    const auto* headers = a.header_data<Word>();
    const auto [begin, end] = a.tile_range_data()[row];
    tile_contents sum;
    for (std::uint32_t t = begin; t < end; ++t) {
        const auto [column, start, occupied, reach] = headers[t];
        require<invalid_format>(column < static_cast<std::uint32_t>(a.tile_columns()) &&
                                    (t == begin || headers[t - 1].column < column),
                                "{}: tile {} of tile row {} stands at column {}: out of order or outside",
                                what, t - begin, row, column);
        require<invalid_format>(
            occupied != 0 && (occupied & ~within<Word>(a.rows, static_cast<std::uint32_t>(row))) == 0,
            "{}: tile ({}, {}) has no rows, or some beyond the matrix", what, row, column);
        const offset_t next = offset_t{start} + std::popcount(occupied);
        require<invalid_format>(next <= a.words, "{}: tile ({}, {}) has words {} to {} of {}", what, row,
                                column, start, next, a.words);
        sum.words += std::popcount(occupied);
        Word all = 0;
        for (offset_t k = start; k < next; ++k) {
            const Word word = a.row_words.as<const Word>()[k];
            require<invalid_format>(word != 0 && (word & ~within<Word>(a.columns, column)) == 0,
                                    "{}: word {} of tile ({}, {}) is empty, or has columns beyond the matrix",
                                    what, k - start, row, column);
            sum.entries += std::popcount(word);
            all |= word;
        }
        require<invalid_format>(reach == all, "{}: tile ({}, {}) reaches columns {:x}, its words {:x}", what,
                                row, column, reach, all);
    }
    return sum;
}

void check_extracted(const bit_tiles& a, index_t row, const char* what) {
    const auto [begin, end] = a.extracted_range_data()[row];
    const auto* rows = a.extracted_rows.as<const std::uint8_t>();
    const auto* columns = a.extracted_columns.as<const index_t>();
    const index_t held = static_cast<index_t>(std::min<offset_t>(a.size, a.rows - offset_t{row} * a.size));
    for (std::uint32_t k = begin; k < end; ++k) {
        require<invalid_format>(rows[k] < held && columns[k] >= 0 && columns[k] < a.columns,
                                "{}: extracted entry {} of tile row {} lies outside the matrix", what,
                                k - begin, row);
        require<invalid_format>(
            k == begin || std::pair(rows[k - 1], columns[k - 1]) < std::pair(rows[k], columns[k]),
            "{}: extracted entry {} of tile row {} is out of order or repeated", what, k - begin, row);
    }
}

template <class Word>
void check_all(const bit_tiles& a, const char* what) {
    offset_t entries = a.extracted, words = 0;
    for (index_t row = 0; row < a.tile_rows(); ++row) {
        const tile_contents of_row = check_tiles<Word>(a, row, what);
        words += of_row.words;
        entries += of_row.entries;
        check_extracted(a, row, what);
    }
    require<invalid_format>(words == a.words, "{}: tiles have {} words, the count is {}", what, words,
                            a.words);
    require<invalid_format>(entries == a.nnz, "{}: {} entries are there, the count is {}", what, entries,
                            a.nnz);
}

}  // namespace

void validate(const bit_tiles& a, const char* what) {
    check_arrays(a, what);
    a.size == 64 ? check_all<std::uint64_t>(a, what) : check_all<std::uint32_t>(a, what);
}

tile_sample sample_tiles(const csr& a, int size) {
    constexpr offset_t samples = 256;
    tile_sample s;
    s.size = size;
    double entries = 0;
    with_offsets(a, [&]<class Offset>(const Offset* offsets) {
        with_tile_word(size, [&]<class Word>(std::type_identity<Word>) {
            const offset_t tile_rows = (offset_t{a.rows} + size - 1) / size;
            const offset_t count = std::min(samples, tile_rows);
            for (offset_t t = 0; t < count; ++t)
                for (tile_walk<Word, Offset> w(offsets, a.index_data(), a.rows,
                                               static_cast<index_t>(t * tile_rows / count));
                     w.advance();) {
                    entries += static_cast<double>(w.entries);
                    ++s.tiles;
                    s.words += w.word_count();
                    if (w.entries >= tile_sample::most_least) continue;
                    ++s.few_tiles[w.entries];
                    s.few_words[w.entries] += w.word_count();
                }
        });
    });
    if (entries == 0) return s;
    s.tiles /= entries;
    s.words /= entries;
    for (int k = 0; k < tile_sample::most_least; ++k) s.few_tiles[k] /= entries, s.few_words[k] /= entries;
    return s;
}

}  // namespace nz::storage
