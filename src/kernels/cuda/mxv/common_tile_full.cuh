// Rows of tiles of a matvec on a GPU where u has an entry everywhere, a lane a row: over all tiles, and the row's entries outside
// tiles. Shared by tile_row and tile_column.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

constexpr unsigned full_tile_block = 256;

/// A row's sum, and for `any` the column that it came from.
template <class Cell>
struct full_tile_sum : partial<Cell> {
    index_t column = 0;

    __device__ void meet(index_t j, typename Cell::value x) {
        if constexpr (Cell::first_wins) {
            if (!this->met || j < column) {
                this->value = x;
                this->met = true;
                column = j;
            }
        } else {
            this->add(x);
        }
    }
};

/// How tiles are read, settled once a call, as device_row_reader.
template <class Cell>
struct full_tile_reader {
    device_row_reader<Cell, false, false> entries;
    value_tile_arguments t;
    bool constant;
    int shift;

    explicit full_tile_reader(const mxv_arguments& a)
        : entries(a),
          t(a.tiles),
          constant(a.constant),
          shift(a.tiles.size == 16   ? 4
                : a.tiles.size == 32 ? 5
                                     : 6) {}

    __device__ int start(offset_t place) const {
        return shift == 4 ? __ldg(static_cast<const std::uint8_t*>(t.row_starts) + place)
                          : __ldg(static_cast<const std::uint16_t*>(t.row_starts) + place);
    }
    __device__ int column_in_tile(offset_t e) const {
        return (shift == 4 ? __ldg(static_cast<const std::uint8_t*>(t.locals) + e)
                           : __ldg(static_cast<const std::uint16_t*>(t.locals) + e)) &
               (t.size - 1);
    }
    struct range {
        offset_t base;  ///< of the tile's entries
        int first, last;
    };
    /// The entries of row r in tile k.
    __device__ range row_in_tile(std::uint32_t k, int r) const {
        const offset_t base = t.entry_starts[k], place = (offset_t{k} << shift) + r;
        return {base, start(place),
                r + 1 < t.size ? start(place + 1) : static_cast<int>(t.entry_starts[k + 1] - base)};
    }
    /// The row's entries in tile column c, four at a time: their loads are under way together.
    __device__ void add_row(range at, index_t i, index_t c, full_tile_sum<Cell>& sum) const {
        constexpr int batch = 4;
        for (int e = at.first; e < at.last; e += batch) {
            index_t j[batch];
            T x[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const bool here = e + k < at.last;
                j[k] = here ? (c << shift) + column_in_tile(at.base + e + k) : -1;
                x[k] = here ? entries.entry(constant ? 0 : at.base + e + k) : T{};
            }
            typename Cell::value product[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if (j[k] >= 0) product[k] = entries.product(x[k], i, j[k]);
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if (j[k] >= 0) sum.meet(j[k], product[k]);
        }
    }
    /// The entries of row of tiles `tile_row` outside tiles, each lane's row number r in it: the lanes of the group take
    /// entries side by side, and hand their products to the lanes whose rows they are in, in order.
    __device__ void add_outside(index_t tile_row, int r, unsigned lanes, int group,
                                full_tile_sum<Cell>& sum) const {
        const storage::tile_range outside = t.extracted_ranges[tile_row];
        const int lane = static_cast<int>(threadIdx.x) & (group - 1);
        const unsigned first_lane = threadIdx.x % 32 - static_cast<unsigned>(lane);
        for (std::uint32_t base = outside.begin; base < outside.end; base += group) {
            const std::uint32_t k = base + lane;
            int row = 0;
            index_t j = 0;
            typename Cell::value product{};
            if (k < outside.end) {
                j = t.extracted_columns[k];
                row = t.extracted_rows[k];
                const auto x = entries.entry(constant ? 0 : t.outside_values + k);
                product = entries.product(x, (tile_row << shift) + row, j);
            }
            unsigned todo = __ballot_sync(lanes, k < outside.end) >> first_lane;
            if (group == 16) todo &= 0xffff;
            for (; todo; todo &= todo - 1) {
                const int from = __ffs(static_cast<int>(todo)) - 1;
                const int to = __shfl_sync(lanes, row, from, group);
                const index_t column = __shfl_sync(lanes, j, from, group);
                const auto value = from_group(lanes, product, from, group);
                if (to == r) sum.meet(column, value);
            }
        }
    }

private:
    using T = typename Cell::operand;
    template <class V>
    __device__ static V from_group(unsigned lanes, V x, int lane, int width) {
        if constexpr (sizeof(V) < 4)
            return static_cast<V>(__shfl_sync(lanes, static_cast<int>(x), lane, width));
        else
            return __shfl_sync(lanes, x, lane, width);
    }
};

/// Row i's sum by its own lane; the lanes of a group, `lanes`, share a row of tiles and call it together. They look at as
/// many of its tiles at a time as they are; a tile's row is found while the one before it is summed.
template <class Cell, class Reader>
__device__ void sum_full_tile_row(const Reader& reader, index_t tile_row, index_t i, bool allowed,
                                  unsigned lanes, int group, full_tile_sum<Cell>& sum) {
    const int lane = static_cast<int>(threadIdx.x) & (group - 1), r = i & (reader.t.size - 1);
    const unsigned first_lane = threadIdx.x % 32 - static_cast<unsigned>(lane);
    const storage::tile_range tiles = reader.t.tile_ranges[tile_row];
    const std::uint32_t end = tiles.end;
    for (std::uint32_t base = tiles.begin; base < end; base += group) {
        const std::uint32_t mine = base + lane;
        const index_t column = mine < end ? __ldg(reader.t.tile_columns + mine) : 0;
        unsigned todo = __ballot_sync(lanes, mine < end) >> first_lane;
        if (group == 16) todo &= 0xffff;
        int at = __ffs(static_cast<int>(todo)) - 1;
        auto next = reader.row_in_tile(base + at, r);
        while (todo) {
            const auto now = next;
            const index_t c = __shfl_sync(lanes, column, at, group);
            todo &= todo - 1;
            if (todo) {
                at = __ffs(static_cast<int>(todo)) - 1;
                next = reader.row_in_tile(base + at, r);
            }
            if (allowed) reader.add_row(now, i, c, sum);
        }
    }
    // A lane whose row the mask keeps out takes part, and is given a row that no entry has.
    reader.add_outside(tile_row, allowed ? r : -1, lanes, group, sum);
}

/// A lane for each row of the output.
template <class Cell, class Reader>
__global__ void __launch_bounds__(full_tile_block)
    tile_full_kernel(Reader reader, index_t rows, const std::uint32_t* mask, bool complement,
                     typename Cell::value* out, std::uint32_t* present) {
    const offset_t place = offset_t{blockIdx.x} * full_tile_block + threadIdx.x;
    if (place / 32 >= half_words(rows)) return;
    const auto i = static_cast<index_t>(place), word = i / 32;
    const std::uint32_t permitted = allowed_word(mask, complement, rows, word);
    const int group = reader.shift == 4 ? 16 : 32;
    const unsigned lanes = group == 16 ? 0xffffu << (threadIdx.x & 16) : full_warp;
    full_tile_sum<Cell> sum;
    if (permitted & lanes) {
        const bool allowed = permitted >> (threadIdx.x % 32) & 1;
        sum_full_tile_row<Cell>(reader, i >> reader.shift, i, allowed, lanes, group, sum);
    }
    __syncwarp();
    if (sum.met) out[i] = sum.value;
    const unsigned met = __ballot_sync(full_warp, sum.met);
    if (present && threadIdx.x % 32 == 0) present[word] = met;
}

template <class Cell>
void sum_tile_rows_of_full(const mxv_arguments& c, cudaStream_t stream) {
    const full_tile_reader<Cell> reader(c);
    tile_full_kernel<Cell>
        <<<blocks_for(half_words(c.output_size) * 32, full_tile_block), full_tile_block, 0, stream>>>(
            reader, c.output_size, reinterpret_cast<const std::uint32_t*>(c.mask), c.complement,
            static_cast<typename Cell::value*>(c.out_values),
            reinterpret_cast<std::uint32_t*>(c.out_present));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
