// Rows of tiles of a matvec on a GPU where u has gaps, 32 rows a warp: the entries that u meets, in tiles and outside them, found eight bytes of
// locals at a time, and added up in shared memory, each row's in one order. Shared by tile_row and tile_column.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

constexpr int tile_batch = 16;  ///< tiles of a row of tiles that are looked at together

/// A tile that u meets.
struct alignas(16) met_tile {
    offset_t first;      ///< entry
    int count, place;    ///< of its entries; of its first word of locals among those of the batch
    std::uint64_t bits;  ///< u's presence
    index_t column;      ///< of the matrix
};

template <class Cell>
struct alignas(2 * sizeof(index_t)) row_sum {
    typename Cell::value value;
    index_t column;  ///< that `any` took it from; negative: nothing yet
};

/// A warp's shared memory.
template <class Cell>
struct tile_scratch {
    met_tile tiles[2 * tile_batch];
    row_sum<Cell> sums[32];
};

/// The sums of a warp's 32 rows; all lanes call its functions. Group: lanes that share a row of tiles.
template <class Cell, int Group>
struct row_sums {
    using V = typename Cell::value;
    row_sum<Cell>* sums;
    std::uint32_t permitted;  ///< rows that the mask lets through

    __device__ void clear() {
        sums[threadIdx.x % 32].column = -1;
        __syncwarp();
    }
    /// Each lane adds its product, if it has one, to a row of its group's; those that share a row in the lanes' order.
    __device__ void add(bool has, int row, index_t j, V x) {
        const unsigned lane = threadIdx.x % 32;
        unsigned peers = __ballot_sync(full_warp, has) & (Group == 16 ? 0xffffu << (lane & 16) : full_warp);
#pragma unroll
        for (int bit = 1; bit < Group; bit *= 2) {  // __match_any_sync takes several times as long
            const unsigned set = __ballot_sync(full_warp, row & bit);
            peers &= row & bit ? set : ~set;
        }
        int before = has ? __popc(peers & ((1u << lane) - 1)) : 0;
        if (has && before == 0) put(row, j, x);
        while (__any_sync(full_warp, before > 0)) {
            __syncwarp();
            if (--before == 0 && has) put(row, j, x);
        }
        __syncwarp();
    }

private:
    __device__ void put(int row, index_t j, V x) {
        row_sum<Cell> sum = sums[row];
        if constexpr (Cell::first_wins) {
            if (sum.column < 0 || j < sum.column) sums[row] = {x, j};
        } else {
            sums[row] = {sum.column < 0 ? x : Cell::add(sum.value, x), 0};
        }
    }
};

/// How tiles are read: of 16 by half warps, larger ones by warps, of 64 half of their rows.
template <class Cell, int Group>
struct device_tile_reader {
    using V = typename Cell::value;
    using T = typename Cell::operand;
    /// Entries whose locals are in a word of 64 bits, and the bits of each.
    static constexpr int word_entries = Group == 16 ? 8 : 4, local_size = 64 / word_entries;

    device_row_reader<Cell, false, true> entries;
    value_tile_arguments t;
    bool constant;
    int larger_shift;  ///< of tiles that are not of 16

    explicit device_tile_reader(const mxv_arguments& a)
        : entries(a), t(a.tiles), constant(a.constant), larger_shift(a.tiles.size == 32 ? 5 : 6) {}

    __device__ int shift() const { return Group == 16 ? 4 : larger_shift; }

    /// Sums the 32 rows of a word of the result's presence that are permitted; returns which have a result.
    __device__ unsigned sum_word(tile_scratch<Cell>& s, index_t word, std::uint32_t permitted, V* out) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        const index_t i = word * 32 + lane, tile_row = i >> shift();
        row_sums<Cell, Group> sums{s.sums, permitted};
        sums.clear();
        const unsigned mine = Group == 16 ? 0xffffu << (lane & 16) : full_warp;
        const bool wanted = permitted & mine;
        add_tiles(s.tiles + first_lane(), tile_row, word & 1, wanted, sums);
        add_outside(tile_row, word & 1, wanted, sums);
        const row_sum<Cell> sum = s.sums[lane];
        if (sum.column >= 0) out[i] = sum.value;
        return __ballot_sync(full_warp, sum.column >= 0);
    }

private:
    using sums_type = row_sums<Cell, Group>;
    static constexpr unsigned group_bits = Group == 16 ? 0xffffu : full_warp;

    __device__ static int lane_of_group() { return static_cast<int>(threadIdx.x) & (Group - 1); }
    __device__ static int first_lane() { return static_cast<int>(threadIdx.x % 32) & ~(Group - 1); }

    __device__ V product(offset_t e, index_t i, index_t j) const {
        return entries.product(entries.entry(constant ? 0 : e), i, j);
    }
    /// u's presence in tile column c; 16 places twice, so that five bits of a local find theirs.
    __device__ std::uint64_t bits(index_t c) const {
        if (shift() == 4)
            return __ldg(reinterpret_cast<const std::uint16_t*>(entries.present) + c) * 0x10001u;
        if (shift() == 5) return __ldg(entries.present + c);
        return __ldg(reinterpret_cast<const unsigned long long*>(entries.present) + c);
    }
    /// The tiles of a row of tiles, a batch at a time; `half` of its rows, where a tile has 64.
    __device__ void add_tiles(met_tile* tiles, index_t tile_row, int half, bool wanted,
                              sums_type& sums) const {
        const int lane = lane_of_group();
        std::uint32_t begin = 0, end = 0;
        if (wanted) begin = __ldg(t.tile_starts + tile_row), end = __ldg(t.tile_starts + tile_row + 1);
        for (; __any_sync(full_warp, begin < end); begin += tile_batch) {
            met_tile mine{};
            if (lane < tile_batch && begin + lane < end) {
                mine.column = __ldg(t.tile_columns + begin + lane);
                mine.bits = bits(mine.column);
                mine.column <<= shift();
            }
            if (!__any_sync(full_warp, mine.bits != 0)) continue;
            if (mine.bits) find_entries(mine, begin + lane, half);
            const int words =
                mine.count
                    ? ((static_cast<int>(mine.first) & (word_entries - 1)) + mine.count - 1) / word_entries +
                          1
                    : 0;
            int upto = words;
#pragma unroll
            for (int distance = 1; distance < tile_batch; distance *= 2) {
                const int other = __shfl_up_sync(full_warp, upto, distance, Group);
                if (lane >= distance) upto += other;
            }
            const int total = __shfl_sync(full_warp, upto, tile_batch - 1, Group);
            mine.place = upto - words;
            const unsigned held = __ballot_sync(full_warp, words != 0) >> first_lane() & group_bits;
            if (words) tiles[__popc(held & ((1u << lane) - 1))] = mine;
            __syncwarp();
            add_words(tiles, tile_row, words ? mine.place : -Group, total, sums);
            __syncwarp();
        }
    }
    __device__ void find_entries(met_tile& tile, std::uint32_t k, int half) const {
        tile.first = __ldg(t.entry_starts + k);
        tile.count = static_cast<int>(__ldg(t.entry_starts + k + 1) - tile.first);
        if (Group == 16 || shift() == 5) return;
        const int middle = __ldg(static_cast<const std::uint16_t*>(t.row_starts) + (offset_t{k} << 6) + 32);
        if (half)
            tile.first += middle, tile.count -= middle;
        else
            tile.count = middle;
    }
    /// A word of locals a lane; `place` is where those of this lane's own tile begin, of `total` of the batch.
    __device__ void add_words(const met_tile* tiles, index_t tile_row, int place, int total,
                              sums_type& sums) const {
        const int lane = lane_of_group();
        int before = -1;
        for (int b = 0; __any_sync(full_warp, b < total); b += Group) {
            const bool begins = static_cast<unsigned>(place - b) < static_cast<unsigned>(Group);
            const unsigned begun =
                __reduce_or_sync(full_warp, begins ? 1u << (place - b + first_lane()) : 0u) >> first_lane() &
                group_bits;
            const int tile = before + __popc(begun & (~0u >> (31 - lane)));
            before += __popc(begun);
            unsigned hits = 0;
            std::uint64_t locals = 0;
            offset_t first = 0;
            index_t column = 0;
            if (b + lane < total) {
                const met_tile r = tiles[tile];
                const offset_t word = r.first / word_entries + (b + lane - r.place);
                first = word * word_entries;
                column = r.column;
                locals = __ldg(static_cast<const unsigned long long*>(t.locals) + word);
                hits = met(locals, r.bits);
                const int low = static_cast<int>(r.first - first), high = low + r.count;
                if (low > 0) hits &= ~0u << low;
                if (high < word_entries) hits &= (1u << high) - 1;
            }
            while (__any_sync(full_warp, hits)) add_hit(hits, locals, first, column, tile_row, sums);
        }
    }
    /// Of a word of locals, those whose columns u has.
    __device__ static unsigned met(std::uint64_t locals, std::uint64_t bits) {
        unsigned found = 0;
#pragma unroll
        for (int k = 0; k < word_entries; ++k) {
            const auto local = static_cast<unsigned>(locals >> (k * local_size));
            const auto hit = Group == 16 ? __funnelshift_r(static_cast<unsigned>(bits), 0u, local)
                                         : static_cast<unsigned>(bits >> (local & 63));
            found |= (hit & 1) << k;
        }
        return found;
    }
    /// The first of each lane's hits.
    __device__ void add_hit(unsigned& hits, std::uint64_t locals, offset_t first, index_t column,
                            index_t tile_row, sums_type& sums) const {
        constexpr int column_bits = Group == 16 ? 4 : 6;
        const int at = hits ? __ffs(static_cast<int>(hits)) - 1 : 0;
        const auto local = static_cast<int>(locals >> (at * local_size)) & ((1 << local_size) - 1);
        const int r = local >> column_bits, row = first_lane() + (r & (Group - 1));
        const index_t j = column + (local & ((1 << column_bits) - 1));
        const bool has = hits && sums.permitted >> row & 1;
        hits &= hits - 1;
        V x{};
        if (has) x = product(first + at, (tile_row << shift()) + r, j);
        sums.add(has, row, j, x);
    }
    /// The entries of a row of tiles outside tiles, one a lane.
    __device__ void add_outside(index_t tile_row, int half, bool wanted, sums_type& sums) const {
        offset_t begin = 0, end = 0;
        if (wanted)
            begin = __ldg(t.extracted_starts + tile_row), end = __ldg(t.extracted_starts + tile_row + 1);
        for (; __any_sync(full_warp, begin < end); begin += Group) {
            const offset_t k = begin + lane_of_group();
            const index_t j = k < end ? __ldg(t.extracted_columns + k) : 0;
            bool has = k < end && entries.meets(j);
            if (!__any_sync(full_warp, has)) continue;
            const int r = has ? __ldg(t.extracted_rows + k) : 0, row = first_lane() + (r & (Group - 1));
            has = has && sums.permitted >> row & 1 && (shift() != 6 || r / 32 == half);
            V x{};
            if (has) x = product(t.kept + k, (tile_row << shift()) + r, j);
            sums.add(has, row, j, x);
        }
    }
};

/// Calls f(reader) with the reader for the tiles' size.
template <class Cell, class F>
void with_tile_reader(const mxv_arguments& a, F&& f) {
    if (a.tiles.size == 16)
        f(device_tile_reader<Cell, 16>(a));
    else
        f(device_tile_reader<Cell, 32>(a));
}

constexpr unsigned tile_block = 128;

/// A warp for every 32 rows of the output.
template <class Cell, class Reader>
__global__ void __launch_bounds__(tile_block)
    tile_row_kernel(Reader reader, index_t rows, const std::uint32_t* mask, bool complement,
                    typename Cell::value* out, std::uint32_t* present) {
    __shared__ tile_scratch<Cell> scratch[tile_block / 32];
    const auto word = static_cast<index_t>((blockIdx.x * tile_block + threadIdx.x) / 32);
    if (word >= half_words(rows)) return;
    const std::uint32_t permitted = allowed_word(mask, complement, rows, word);
    const unsigned found = permitted ? reader.sum_word(scratch[threadIdx.x / 32], word, permitted, out) : 0;
    if (threadIdx.x % 32 == 0) present[word] = found;
}

template <class Cell>
void sum_tile_rows(const mxv_arguments& c, cudaStream_t stream) {
    with_tile_reader<Cell>(c, [&](const auto& reader) {
        tile_row_kernel<Cell>
            <<<blocks_for(half_words(c.output_size) * 32, tile_block), tile_block, 0, stream>>>(
                reader, c.output_size, reinterpret_cast<const std::uint32_t*>(c.mask), c.complement,
                static_cast<typename Cell::value*>(c.out_values),
                reinterpret_cast<std::uint32_t*>(c.out_present));
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
