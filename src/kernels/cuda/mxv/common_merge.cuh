// Matvecs on a GPU that share entries out evenly (csr_merge, csr_ranked, csr_binned): a chunk's entries, the sums of its rows, and the update that adds
// the parts of rows that chunks cut. merge_block threads have a chunk; a thread is named by its number among them.
#pragma once

#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/mxv/common_row.cuh"
#include "plan/mxv_workspace.hpp"
#include "storage/device_csr.hpp"

namespace nz::kernels::cuda {

constexpr int merge_entries = static_cast<int>(storage::merge_chunk_entries);
constexpr int merge_block = 128;

template <class Cell>
using carry = partial<Cell>;

constexpr int long_run = 32;  ///< carries that one thread adds; more are a warp's
/// Entries of a row that a lane of its group sums, at most: a longer row of the chunk is the whole warp's.
constexpr int long_piece = 16;

/// Whether some row is much longer than the rest: its pieces are then a warp's.
inline bool rows_vary(const device_mxv_arguments& a) {
    return a.longest_row > long_piece && a.longest_row * offset_t{a.held_rows} > 2 * a.common.nnz;
}

/// A row of the chunk, as positions in it.
struct row_piece {
    int begin, end;
    bool ends;  ///< inside the chunk
};
template <class Offset>
__device__ row_piece piece_of_row(const Offset* offsets, index_t r, offset_t from, int count) {
    const auto begin = static_cast<offset_t>(__ldg(offsets + r)) - from,
               end = static_cast<offset_t>(__ldg(offsets + r + 1)) - from;
    return {begin > 0 ? static_cast<int>(begin) : 0, end < count ? static_cast<int>(end) : count,
            end <= count};
}

/// Sums `piece` by a group of `width` lanes; the first lane of it holds the result.
template <class Cell, bool Gaps, class Products>
__device__ partial<Cell> sum_piece(const Products& products, const std::uint32_t* met, row_piece piece,
                                   int lane, int width) {
    partial<Cell> sum;
    if constexpr (!Gaps && !Cell::first_wins) {
        int k = piece.begin + lane;
        if (k < piece.end) {
            sum.met = true;
            sum.value = products[k];
            for (k += width; k < piece.end; k += width) sum.value = Cell::add(sum.value, products[k]);
        }
        sum.reduce(width);
    } else {  // lanes take runs, so that the first entry stays the first
        const int run = (piece.end - piece.begin + width - 1) / width;
        const int begin = piece.begin + lane * run, end = min(begin + run, piece.end);
        for (int k = begin; k < end; ++k) {
            if (!Gaps || met[k >> 5] >> (k & 31) & 1) sum.add(products[k]);
            if (Cell::first_wins && sum.met) break;
        }
        sum.reduce(width);
    }
    return sum;
}

/// The chunk's entries of one thread, every merge_block-th, of a reader that begins with the chunk: all there where Full, else `count` of them.
template <class Cell, bool Constant, bool Gaps>
struct thread_entries {
    static constexpr int turns = merge_entries / merge_block;
    index_t columns[turns];
    typename Cell::operand values[turns];

    template <bool Full>
    __device__ void load(const device_row_reader<Cell, Constant, Gaps>& chunk, int count, int thread) {
#pragma unroll
        for (int k = 0; k < turns; ++k) {
            const int at = k * merge_block + thread;
            columns[k] = Full || at < count ? load_streamed(chunk.indices + at) : -1;
            if (Constant)
                values[k] = chunk.entry(0);
            else if (Cell::reads_a && (Full || at < count))
                values[k] = load_streamed(chunk.values + at);
        }
    }
    /// f(turn, whether the entry meets one of u), all turns by all threads.
    template <bool Full, class F>
    __device__ void each(const device_row_reader<Cell, Constant, Gaps>& reader, F&& f) const {
#pragma unroll
        for (int k = 0; k < turns; ++k) f(k, (Full || columns[k] >= 0) && reader.meets(columns[k]));
    }
};

/// Sums the rows of a chunk whose products are formed: piece(r) is its r-th row, as positions in it; wait() returns when all threads of the chunk
/// have formed theirs; finish(r, whether it ends inside, sum) by one lane a row.
template <class Cell, bool Gaps, class Products, class Piece, class Wait, class Finish>
__device__ void sum_rows_of_chunk(const Products& products, const std::uint32_t* met, const Piece& piece_of,
                                  int row_count, bool uneven, int thread, const Wait& wait, Finish&& finish) {
    // Lanes a row: as many as there are for each of its rows.
    int width = 1;
    while (width < 32 && width * 2 * row_count <= merge_block) width *= 2;
    const int group = thread / width, lane = thread % width, groups = merge_block / width;
    const auto ask = [&](int r) { return r < row_count ? piece_of(r) : row_piece{0, 0, false}; };
    row_piece piece = ask(group);
    wait();
    for (int r = group; r - group < row_count; r += groups) {
        if (r != group) piece = ask(r);
        const bool is_long = uneven && piece.end - piece.begin > long_piece * width;
        const auto sum =
            sum_piece<Cell, Gaps>(products, met, is_long ? row_piece{0, 0, false} : piece, lane, width);
        if (lane == 0 && r < row_count && !is_long) finish(r, piece.ends, sum);
        if (!uneven) continue;
        for (unsigned left = __ballot_sync(full_warp, is_long && lane == 0); left; left &= left - 1) {
            const int owner = __ffs(static_cast<int>(left)) - 1, of_warp = thread % 32;
            const row_piece shared{from_lane(piece.begin, owner), from_lane(piece.end, owner), false};
            const auto whole = sum_piece<Cell, Gaps>(products, met, shared, of_warp, 32);
            const int row = from_lane(r, owner);
            const bool ends = from_lane(piece.ends, owner);
            if (of_warp == 0) finish(row, ends, whole);
        }
    }
}

/// Carries of one row stand one after another: the first of them adds all. Rows of many chunks take a warp.
template <class Cell>
__global__ void __launch_bounds__(merge_block)
    csr_merge_update_kernel(const carry<Cell>* carries, const index_t* chunk_rows, const index_t* numbers,
                            device_offsets offsets, index_t rows, int chunks, typename Cell::value* out,
                            std::uint32_t* present) {
    cudaGridDependencySynchronize();
    const int c = static_cast<int>(blockIdx.x * merge_block + threadIdx.x);
    constexpr offset_t entries = merge_entries;
    index_t r = -1;
    int count = 0;  // carries of row r from chunk c on
    if (c + 1 < chunks) {
        r = chunk_rows[c + 1];
        const offset_t begin = r < rows ? offsets[r] : 0;
        // The first chunk of the row carries; the last one, which the row ends in, does not.
        if (r < rows && begin < (c + 1) * entries && begin >= c * entries)
            count = static_cast<int>((offsets[r + offset_t{1}] - 1) / entries - c);
    }
    partial<Cell> sum;
    if (count > 0 && count <= long_run)
        for (int k = 0; k < count; ++k) sum.add(carries[c + k]);
    for (unsigned left = __ballot_sync(full_warp, count > long_run); left; left &= left - 1) {
        const int owner = __ffs(left) - 1, lane = static_cast<int>(threadIdx.x % 32);
        const int from = from_lane(c, owner), n = from_lane(count, owner), run = (n + 31) / 32;
        partial<Cell> part;
        for (int k = lane * run; k < min(n, (lane + 1) * run); ++k) part.add(carries[from + k]);
        part.reduce(32);
        part.value = from_lane(part.value, 0);
        part.met = from_lane(part.met, 0);
        if (lane == owner) sum = part;
    }
    if (!sum.met) return;
    const index_t row = numbers ? numbers[r] : r;
    std::uint32_t* word = present ? present + row / 32 : nullptr;
    if (!word || *word >> row % 32 & 1) sum.add(out[row]);
    out[row] = sum.value;
    if (word) atomicOr(word, 1u << row % 32);
}

template <class Cell>
void launch_merge_update(const device_mxv_arguments& a, unsigned chunks, cudaStream_t on) {
    const mxv_arguments& c = a.common;
    launch_close(csr_merge_update_kernel<Cell>, blocks_for(chunks, merge_block), merge_block, on, true,
                 static_cast<const carry<Cell>*>(c.workspace), a.chunk_rows, a.row_numbers,
                 device_offsets{c.offsets.data, c.offsets.wide}, a.held_rows, static_cast<int>(chunks),
                 static_cast<typename Cell::value*>(c.out_values),
                 reinterpret_cast<std::uint32_t*>(c.out_present));
}

}  // namespace nz::kernels::cuda
