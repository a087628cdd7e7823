// Rows of tiles of a matvec on a GPU where u has gaps, 64 rows a warp. Shared by tile_row, also where u has few entries, and
// tile_column.
//
// A warp's tiles are looked at 32 at a time, those that u meets put down in shared memory, and their locals held against u's
//   presence bits 16 bytes a lane. What is met, and the entries outside tiles whose column u has, stand in line for 32 lanes:
//   they take an entry each, load the two operands, and go on to find the next ones while these are under way. Then each lane
//   writes its product down and adds itself to the bits of its row, and the lane of a row adds up the products whose bits it
//   finds, in their order. A lane without an entry loads the first one's operands: a load that not all lanes made would be
//   waited for at once, since its result is moved.
// Loads that wait for each other: where tiles begin, a row of tiles a lane; their columns and those outside; u's bits; locals,
//   which the L2 is asked for beside u's bits where u has most tile columns; the operands. Of one kind all are sent before the
//   first is waited for.
// Of 32 rows with eight results or more all are written: sectors that are whole.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"

#include <cub/warp/warp_scan.cuh>

#include <type_traits>

namespace nz::kernels::cuda {

/// A tile that u meets.
struct alignas(16) met_tile {
    offset_t first;      ///< entry
    index_t column;      ///< of the matrix
    int row;             ///< of its first row, of the warp's, and tile_hit::in_tile
    std::uint64_t bits;  ///< u's presence; of 16 places twice, so that five bits of a local find theirs
    int count, place;    ///< of its entries; of its first word of locals among those of the batch
};

/// An entry that u meets.
struct alignas(16) tile_hit {
    static constexpr int in_tile =
        64;  ///< flag of `row`: row and column are the tile's, and the local is to be added
    offset_t entry;
    index_t column;
    int row;  ///< of the warp's
};

/// A warp's shared memory.
template <class Cell>
struct tile_scratch {
    met_tile tiles[32];
    tile_hit hits[32];
    typename Cell::value products[32];
    index_t columns[Cell::first_wins ? 32 : 1];  ///< of the products
    std::uint32_t lanes_of_row[64];              ///< that hold a product of the row; 0 between sums
    std::uint32_t permitted[2];                  ///< rows that the mask lets through
};

/// A row's sum, and for `any` the column that it came from.
template <class Cell>
struct row_sum {
    typename Cell::value value{};
    index_t column = -1;  ///< negative: nothing yet

    __device__ bool met() const { return column >= 0; }
    __device__ void add(typename Cell::value x, index_t j) {
        if constexpr (Cell::first_wins) {
            if (column < 0 || j < column) value = x, column = j;
        } else {
            value = column < 0 ? x : Cell::add(value, x);
            column = 0;
        }
    }
};

/// A warp's sums and what is on its way to them: hits that wait for their turn, and an entry a lane whose operands are being
/// loaded.
template <class Cell>
struct tile_sums {
    tile_scratch<Cell>& s;
    index_t first_row;
    row_sum<Cell> rows[2];  ///< lane's row, and that 32 further
    int waiting = 0;
    bool loading = false;
    int row = -1;  ///< of the lane's entry; negative: it has none
    index_t column = 0;
    typename Cell::operand x{}, y{};

    /// Adds the products of the entries that are being loaded to their rows.
    __device__ void finish() {
        if (!loading) return;
        const int lane = static_cast<int>(threadIdx.x % 32);
        if (row >= 0) {
            s.products[lane] = Cell::multiply(x, y, first_row + row, column);
            if constexpr (Cell::first_wins) s.columns[lane] = column;
            atomicOr(&s.lanes_of_row[row], 1u << lane);
        }
        __syncwarp();
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            std::uint32_t left = s.lanes_of_row[half * 32 + lane];
            s.lanes_of_row[half * 32 + lane] = 0;
            for (; left; left &= left - 1) {
                const int k = __ffs(static_cast<int>(left)) - 1;
                rows[half].add(s.products[k], Cell::first_wins ? s.columns[k] : 0);
            }
        }
        loading = false;
    }
};

/// The sum over the lanes up to each, and over all.
__device__ inline int sum_up_to_lane(int x, int& total) {
    cub::WarpScan<int>::TempStorage none;
    int sum;
    cub::WarpScan<int>(none).InclusiveSum(x, sum);
    total = __shfl_sync(full_warp, sum, 31);
    return sum;
}

/// How tiles are read. Local: a byte for tiles of 16, 16 bits for larger ones.
template <class Cell, class Local>
struct device_tile_reader {
    using V = typename Cell::value;
    using sums_type = tile_sums<Cell>;
    static constexpr bool small = sizeof(Local) == 1;
    /// Entries whose locals are in a word of 16 bytes.
    static constexpr int word_entries = 16 / sizeof(Local), column_bits = small ? 4 : 6;
    /// Rows of tiles that a warp's 64 rows are, at most.
    static constexpr int most_tile_rows = small ? 4 : 2;
    /// A word for each lane holds so many hits that taking them bit by bit is less work than lane by lane.
    static constexpr int many_hits = 96;
    /// Rows of 32 with a result from which on all are written.
    static constexpr int most_rows = 8;

    device_row_reader<Cell, false, true> entries;
    value_tile_arguments t;
    bool constant, meets_most;  ///< meets_most: u has an entry in most tile columns
    index_t rows, tile_rows;
    int shift;

    explicit device_tile_reader(const mxv_arguments& a)
        : entries(a),
          t(a.tiles),
          constant(a.constant),
          meets_most(a.u_count * a.tiles.size >= a.u_size),
          rows(a.output_size),
          tile_rows(static_cast<index_t>((offset_t{a.output_size} + a.tiles.size - 1) / a.tiles.size)),
          shift(a.tiles.size == 16   ? 4
                : a.tiles.size == 32 ? 5
                                     : 6) {}

    /// Sums the rows of a word of the result's presence that are permitted; returns which have a result. All lanes call it.
    __device__ std::uint64_t sum_word(tile_scratch<Cell>& s, index_t word, std::uint64_t permitted,
                                      V* out) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        s.lanes_of_row[lane] = s.lanes_of_row[lane + 32] = 0;
        s.permitted[0] = static_cast<std::uint32_t>(permitted);
        s.permitted[1] = static_cast<std::uint32_t>(permitted >> 32);
        sums_type sums{s, word * 64};
        const index_t row = sums.first_row >> shift, last = min(row + (64 >> shift), tile_rows);
        const tile_row_starts starts = starts_of(min(row + min(lane, most_tile_rows), last), last);
        const std::uint32_t begin = __shfl_sync(full_warp, starts.tiles, 0),
                            end = __shfl_sync(full_warp, starts.tiles, most_tile_rows);
        const std::uint32_t k = __shfl_sync(full_warp, starts.outside, 0) + lane,
                            outside_end = __shfl_sync(full_warp, starts.outside, most_tile_rows);
        outside_entry near = look_outside(k, outside_end), far = look_outside(k + 32, outside_end);
        const stored_tile first = look_at_tile(begin + lane, end);
        near.bits = k < outside_end ? word_of(near.column) : 0;
        far.bits = k + 32 < outside_end ? word_of(far.column) : 0;
        add_tiles(sums, starts.tiles, begin, end, permitted, first,
                  begin + lane < end ? bits(first.column) : std::uint64_t{0});
        add_outside(sums, starts.outside, k, near);
        add_outside(sums, starts.outside, k + 32, far);
        for (std::uint32_t more = k + 64; more - lane < outside_end; more += 32) {
            near = look_outside(more, outside_end);
            near.bits = more < outside_end ? word_of(near.column) : 0;
            add_outside(sums, starts.outside, more, near);
        }
        if (sums.waiting) load(sums, sums.waiting);
        sums.finish();
        std::uint64_t found = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const index_t i = sums.first_row + half * 32 + lane;
            const unsigned met = __ballot_sync(full_warp, sums.rows[half].met());
            if (sums.rows[half].met() || (__popc(met) >= most_rows && i < rows))
                out[i] = sums.rows[half].value;
            found |= std::uint64_t{met} << (32 * half);
        }
        return found;
    }

private:
    struct stored_tile {
        index_t column;
        offset_t first, last;
    };
    /// Of the warp's row of tiles of the lane's number, or behind them all.
    struct tile_row_starts {
        std::uint32_t tiles, outside;
    };
    /// Of row of tiles i, or where i is `last`, the one behind the warp's, where theirs end: they stand one after the other.
    __device__ tile_row_starts starts_of(index_t i, index_t last) const {
        const bool behind = i == last;
        const uint2 tiles = __ldg(reinterpret_cast<const uint2*>(t.tile_ranges) + (i - behind)),
                    outside = __ldg(reinterpret_cast<const uint2*>(t.extracted_ranges) + (i - behind));
        return {behind ? tiles.y : tiles.x, behind ? outside.y : outside.x};
    }
    struct outside_entry {
        index_t column;
        int row;             ///< of its row of tiles
        std::uint32_t bits;  ///< the word of u's presence that its column is in
    };

    __device__ stored_tile look_at_tile(std::uint32_t k, std::uint32_t end) const {
        const bool here = k < end;
        return {here ? __ldg(t.tile_columns + k) : 0, here ? __ldg(t.entry_starts + k) : 0,
                here ? __ldg(t.entry_starts + k + 1) : 0};
    }
    __device__ outside_entry look_outside(std::uint32_t k, std::uint32_t end) const {
        const bool here = k < end;
        return {here ? __ldg(t.extracted_columns + k) : 0, here ? __ldg(t.extracted_rows + k) : 0, 0};
    }
    __device__ std::uint32_t word_of(index_t j) const { return __ldg(entries.present + (j >> 5)); }
    /// u's presence in tile column c.
    __device__ std::uint64_t bits(index_t c) const {
        if constexpr (small)
            return __ldg(reinterpret_cast<const std::uint16_t*>(entries.present) + c) * 0x10001u;
        else if (shift == 5)
            return __ldg(entries.present + c);
        else
            return __ldg(reinterpret_cast<const unsigned long long*>(entries.present) + c);
    }
    /// The first of the warp's rows in whose row of tiles number k of what `starts` counts is; the lanes hold where each row of
    /// tiles starts.
    __device__ int row_of(std::uint32_t starts, std::uint32_t k) const {
        int first = 0;
#pragma unroll
        for (int r = 1; r < most_tile_rows; ++r)
            first += k >= __shfl_sync(full_warp, starts, r) ? 1 << shift : 0;
        return first;
    }
    /// The locals of up to 32 tiles, which stand together, are on their way to the L2 from now on.
    __device__ void fetch_locals(const stored_tile& stored, std::uint32_t count) const {
        constexpr int sector = 32 / sizeof(Local);
        const offset_t from = __shfl_sync(full_warp, stored.first, 0) & ~offset_t{sector - 1},
                       to = __shfl_sync(full_warp, stored.last, static_cast<int>(min(count, 32u)) - 1);
        for (offset_t k = from + sector * static_cast<int>(threadIdx.x % 32); k < to; k += 32 * sector)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const Local*>(t.locals) + k));
    }

    /// The tiles from `begin` on; the first 32 have been looked at.
    __device__ void add_tiles(sums_type& sums, std::uint32_t starts, std::uint32_t begin, std::uint32_t end,
                              std::uint64_t permitted, stored_tile stored, std::uint64_t met_bits) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        for (;;) {
            if (meets_most && begin < end) fetch_locals(stored, end - begin);
            met_tile mine{stored.first, stored.column << shift, row_of(starts, begin + lane), met_bits, 0, 0};
            int words = 0;
            if (mine.bits) {
                mine.count = static_cast<int>(stored.last - stored.first);
                const int skipped = static_cast<int>(stored.first & (word_entries - 1));
                if (permitted >> mine.row << (64 - t.size))
                    words = (skipped + mine.count + word_entries - 1) / word_entries;
                mine.row |= tile_hit::in_tile;
            }
            if (const unsigned held = __ballot_sync(full_warp, words != 0)) {
                int total;
                mine.place = sum_up_to_lane(words, total) - words;
                if (words) sums.s.tiles[__popc(held & ((1u << lane) - 1))] = mine;
                __syncwarp();
                add_words(sums, words ? mine.place : -32, total);
                __syncwarp();
            }
            begin += 32;
            if (begin >= end) return;
            stored = look_at_tile(begin + lane, end);
            met_bits = begin + lane < end ? bits(stored.column) : 0;
        }
    }
    /// A word of locals a lane; `place` is where those of this lane's own tile begin, of `total` of the batch.
    __device__ void add_words(sums_type& sums, int place, int total) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        int before = -1;
        for (int b = 0; b < total; b += 32) {
            const bool begins = static_cast<unsigned>(place - b) < 32u;
            const unsigned begun = __reduce_or_sync(full_warp, begins ? 1u << (place - b) : 0u);
            const int tile = before + __popc(begun & (~0u >> (31 - lane)));
            before += __popc(begun);
            unsigned hits = 0;
            tile_hit hit{};
            if (b + lane < total) {
                const met_tile& r = sums.s.tiles[tile];
                const offset_t first = r.first;
                const int low = static_cast<int>(first & (word_entries - 1)) -
                                (b + lane - r.place) * word_entries,
                          high = low + r.count;
                hit = {first - low, r.column, r.row};
                hits = met(
                    __ldg(reinterpret_cast<const uint4*>(static_cast<const Local*>(t.locals) + hit.entry)),
                    r.bits);
                if (low > 0) hits &= ~0u << low;
                if (high < word_entries) hits &= (1u << high) - 1;
            }
            add_hits(sums, hits, hit);
        }
    }
    /// Of a word of locals, those whose columns u has.
    __device__ static unsigned met(const uint4& locals, std::uint64_t bits) {
        const unsigned words[4] = {locals.x, locals.y, locals.z, locals.w};
        unsigned found = 0;
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            if constexpr (small) {
                // Bit k of the bits turned by column - k is the column's.
                const auto table = static_cast<unsigned>(bits);
                const unsigned turns =
                    ((words[w] & 0x0f0f0f0fu) | 0x10101010u) - (0x03020100u + 0x04040404u * w);
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    found |= __funnelshift_r(table, table, turns >> (8 * k)) & (1u << (4 * w + k));
            } else {
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    found |= (static_cast<unsigned>(bits >> (words[w] >> (16 * k) & 63)) & 1) << (2 * w + k);
            }
        }
        return found;
    }
    /// Hits of a word a lane, which begins with entry `word`: lane by lane, or where they are many the first of each, then
    /// the second...
    __device__ void add_hits(sums_type& sums, unsigned hits, tile_hit word) const {
        int total;
        const int mine = __popc(hits), before = sum_up_to_lane(mine, total) - mine;
        if (total >= many_hits) {
            for (unsigned left = __reduce_or_sync(full_warp, hits); left; left &= left - 1) {
                const int k = __ffs(static_cast<int>(left)) - 1;
                add_one(sums, hits >> k & 1, {word.entry | k, word.column, word.row});
            }
            return;
        }
        add(sums, before, total, [&](int& at) {
            for (; hits && at < 32; hits &= hits - 1)
                sums.s.hits[at++] = {word.entry | (__ffs(static_cast<int>(hits)) - 1), word.column, word.row};
        });
    }
    /// An entry outside tiles a lane.
    __device__ void add_outside(sums_type& sums, std::uint32_t starts, std::uint32_t k,
                                outside_entry e) const {
        const bool has = e.bits >> (e.column & 31) & 1;
        if (!__any_sync(full_warp, has)) return;
        e.row += row_of(starts, k);
        add_one(sums, has, {t.outside_values + k, e.column, e.row});
    }
    __device__ void add_one(sums_type& sums, bool has, tile_hit hit) const {
        const unsigned set = __ballot_sync(full_warp, has);
        add(sums, __popc(set & ((1u << (threadIdx.x % 32)) - 1)), __popc(set), [&](int& at) {
            if (has && at < 32) {
                sums.s.hits[at] = hit;
                has = false;
            }
        });
    }
    /// `total` hits of the warp, before this lane's own `before`, behind those that wait; write(place) writes those of the
    /// lane's whose places are below 32. As soon as there are 32, they are loaded.
    template <class Write>
    __device__ void add(sums_type& sums, int before, int total, Write&& write) const {
        int place = sums.waiting + before;
        sums.waiting += total;
        for (;;) {
            write(place);
            if (sums.waiting < 32) return;
            load(sums, 32);
            sums.waiting -= 32;
            place -= 32;
        }
    }
    /// The first `count` of the hits that wait, a lane each, once those before them are summed.
    __device__ void load(sums_type& sums, int count) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        sums.finish();
        __syncwarp();
        const tile_hit hit = sums.s.hits[lane < count ? lane : 0];
        int row = hit.row;
        sums.column = hit.column;
        if (row & tile_hit::in_tile) {
            const unsigned local = __ldg(static_cast<const Local*>(t.locals) + hit.entry);
            row = (row & (tile_hit::in_tile - 1)) + static_cast<int>(local >> column_bits);
            sums.column += static_cast<index_t>(local & ((1u << column_bits) - 1));
        }
        sums.x = entries.entry(constant ? 0 : hit.entry);
        sums.y = entries.operand(sums.column);
        sums.row = lane < count && (sums.s.permitted[row >> 5] >> (row & 31) & 1) ? row : -1;
        sums.loading = true;
        __syncwarp();
    }
};

/// Calls f(reader) with the reader for the tiles' size.
template <class Cell, class F>
void with_tile_reader(const mxv_arguments& a, F&& f) {
    if (a.tiles.size == 16)
        f(device_tile_reader<Cell, std::uint8_t>(a));
    else
        f(device_tile_reader<Cell, std::uint16_t>(a));
}

/// The rows of a word of the result's presence that a mask lets through.
__device__ inline std::uint64_t allowed_rows(const bits::word* mask, bool complement, index_t rows,
                                             index_t word) {
    const index_t left = rows - word * 64;
    const std::uint64_t valid = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    return mask ? (complement ? ~mask[word] : mask[word]) & valid : valid;
}

constexpr unsigned tile_block = 128, tile_blocks_an_sm = 8;

/// A warp for every word of the result's presence.
template <class Cell, class Reader>
__global__ void __launch_bounds__(tile_block, tile_blocks_an_sm)
    tile_row_kernel(Reader reader, index_t words, index_t rows, const bits::word* mask, bool complement,
                    typename Cell::value* out, bits::word* present) {
    __shared__ tile_scratch<Cell> scratch[tile_block / 32];
    const auto word = static_cast<index_t>((blockIdx.x * tile_block + threadIdx.x) / 32);
    if (word >= words) return;
    const std::uint64_t permitted = allowed_rows(mask, complement, rows, word);
    const std::uint64_t found =
        permitted ? reader.sum_word(scratch[threadIdx.x / 32], word, permitted, out) : 0;
    if (threadIdx.x % 32 == 0) present[word] = found;
}

template <class Cell>
void sum_tile_rows(const mxv_arguments& c, cudaStream_t stream) {
    const auto words = static_cast<index_t>(bits::words_for(c.output_size));
    with_tile_reader<Cell>(c, [&](const auto& reader) {
        tile_row_kernel<Cell><<<blocks_for(offset_t{words} * 32, tile_block), tile_block, 0, stream>>>(
            reader, words, c.output_size, c.mask, c.complement,
            static_cast<typename Cell::value*>(c.out_values), c.out_present);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
