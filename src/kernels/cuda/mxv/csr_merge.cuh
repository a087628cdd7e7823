// mxv/csr_merge on a GPU: w = A u, entries shared out evenly, rows split where need be (dalton2015, section III-A).
//
// Partition: chunk c takes entries [c*N, (c+1)*N); the row that each chunk begins in was found when the matrix came
//   to the device, since it depends on the matrix alone. Empty rows are left out beforehand (row_numbers), so that a
//   chunk never holds more rows than entries.
// Reduce: a block forms the chunk's products in shared memory, then groups of lanes sum its rows. The group is as
//   wide as the rows of this chunk leave lanes for (1 to 32), so that short and long rows both keep the block busy; where
//   lengths vary, a row that is still more than 16 entries a lane is its whole warp's.
//   A row that ends inside is stored; the part of a row that does not is the chunk's carry.
// Update: carries are added to their rows, in the order of the chunks, by one thread or one warp a row.
// Who owns what: block -> chunk, thread -> every 128th of its entries, group of lanes -> row.
// Blocks are small and hold 32 registers a thread, so that a multiprocessor keeps 16 of them: while one waits for its
//   barrier or sums, the others load. A chunk that lies in one row is summed in registers. Chunks twice or four times as
//   large, products padded against bank conflicts, a warp a chunk, persistent blocks fed by bulk copies, and blocks of
//   256 threads where gathers are far were slower or no faster.
// Shared memory: one product an entry. Barriers: one. The update is launched while the reduction still runs and waits
//   for it on the device (programmatic dependent launch).
// Determinism: sums depend on where chunks begin, never on timing. No atomics on values.
// Cost: nnz + rows, whatever the row lengths.
// Distance to the limit (H200, double): 91 to 97% of the floor on meshes, bands and dense rows; where gathers
//   miss, 75 to 85% of the larger of bytes and gathers, since both come from the same memory. Tables:
//   docs/measurements.md.
// Why csr_row was not enough: its warps wait for their longest rows and read entries out of order.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"
#include "plan/mxv_workspace.hpp"
#include "storage/device_csr.hpp"

namespace nz::kernels::cuda {

constexpr int merge_entries = static_cast<int>(storage::merge_chunk_entries);
constexpr int merge_block = 128;
/// What 32 registers a thread allow; gaps in u need some more.
template <bool Gaps>
constexpr int merge_blocks_an_sm = Gaps ? 10 : 16;

template <class Cell>
using carry = partial<Cell>;

constexpr int long_run = 32;  ///< carries that one thread adds; more are a warp's
/// Entries of a row that a lane of its group sums, at most: a longer row of the chunk is the whole warp's.
constexpr int long_piece = 16;

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
template <class Cell, bool Gaps>
__device__ partial<Cell> sum_piece(const typename Cell::value* products, const std::uint32_t* met,
                                   row_piece piece, int lane, int width) {
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

/// The chunk's entries of one thread, every merge_block-th: all there where Full, else `count` of them in the chunk.
template <bool Full, class Cell, bool Constant, bool Gaps>
struct thread_entries {
    static constexpr int turns = merge_entries / merge_block;
    index_t columns[turns];
    typename Cell::operand values[turns];

    __device__ thread_entries(const device_row_reader<Cell, Constant, Gaps>& reader, int count) {
#pragma unroll
        for (int k = 0; k < turns; ++k) {
            const int at = k * merge_block + static_cast<int>(threadIdx.x);
            columns[k] = Full || at < count ? load_streamed(reader.indices + at) : -1;
            if (Constant)
                values[k] = reader.entry(0);
            else if (Cell::reads_a && (Full || at < count))
                values[k] = load_streamed(reader.values + at);
        }
    }
    /// f(turn, whether the entry meets one of u), all turns by all threads.
    template <class F>
    __device__ void each(const device_row_reader<Cell, Constant, Gaps>& reader, F&& f) const {
#pragma unroll
        for (int k = 0; k < turns; ++k) f(k, (Full || columns[k] >= 0) && reader.meets(columns[k]));
    }
};

/// Forms the chunk's products in shared memory.
template <bool Full, class Cell, bool Constant, bool Gaps>
__device__ void form_products(const device_row_reader<Cell, Constant, Gaps>& reader, int count,
                              typename Cell::value* products, std::uint32_t* met) {
    const thread_entries<Full, Cell, Constant, Gaps> mine(reader, count);
    mine.each(reader, [&](int k, bool meets) {
        const int at = k * merge_block + static_cast<int>(threadIdx.x);
        if (meets) products[at] = reader.product(mine.values[k], 0, mine.columns[k]);
        if constexpr (Gaps) {
            const unsigned bits = __ballot_sync(full_warp, meets);
            if (threadIdx.x % 32 == 0) met[at / 32] = bits;
        }
    });
}

/// A chunk that lies in one row is summed in registers; right in thread 0.
template <class Cell, bool Constant, bool Gaps>
__device__ partial<Cell> sum_whole_chunk(const device_row_reader<Cell, Constant, Gaps>& reader) {
    __shared__ partial<Cell> parts[merge_block / 32];
    const thread_entries<true, Cell, Constant, Gaps> mine(reader, merge_entries);
    partial<Cell> sum;
    mine.each(reader, [&](int k, bool meets) {
        if (meets) sum.add(reader.product(mine.values[k], 0, mine.columns[k]));
    });
    sum.reduce(32);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 1; k < merge_block / 32; ++k) sum.add(parts[k]);
    return sum;
}

template <class Offset, class Cell, bool Constant, bool Gaps>
__global__ void __launch_bounds__(merge_block, merge_blocks_an_sm<Gaps>)
    csr_merge_kernel(device_row_reader<Cell, Constant, Gaps> reader, const Offset* __restrict__ offsets,
                     const index_t* __restrict__ numbers, const index_t* __restrict__ chunk_rows,
                     index_t rows, offset_t nnz, bool uneven, typename Cell::value* out,
                     std::uint32_t* present, carry<Cell>* carries) {
    // The row that an entry lies in is not known where its product is made.
    static_assert(Cell::multiply_id != binary_id::firsti && Cell::multiply_id != binary_id::secondj);
    __shared__ typename Cell::value products[merge_entries];
    __shared__ std::uint32_t met[Gaps ? merge_entries / 32 : 1];
    const offset_t from = offset_t{blockIdx.x} * merge_entries;
    const int count = static_cast<int>(nnz - from < merge_entries ? nnz - from : merge_entries);
    const index_t first = chunk_rows[blockIdx.x];
    const int row_count = min(chunk_rows[blockIdx.x + 1], rows - 1) - first + 1;
    reader.move_to(from);
    const auto finish = [&](int r, bool ends, const partial<Cell>& sum) {
        if (!ends) {
            carries[blockIdx.x] = sum;
        } else if (sum.met) {
            const index_t row = numbers ? numbers[first + r] : first + r;
            out[row] = sum.value;
            if (present) atomicOr(present + row / 32, 1u << row % 32);
        }
    };
    if (!Cell::first_wins && row_count == 1 && count == merge_entries) {
        const auto sum = sum_whole_chunk(reader);
        if (threadIdx.x == 0) finish(0, piece_of_row(offsets, first, from, count).ends, sum);
        return;
    }
    if (count == merge_entries)
        form_products<true>(reader, count, products, met);
    else
        form_products<false>(reader, count, products, met);
    __syncthreads();
    // Lanes a row: as many as the block has for each of its rows.
    int width = 1;
    while (width < 32 && width * 2 * row_count <= merge_block) width *= 2;
    const int group = static_cast<int>(threadIdx.x) / width, lane = static_cast<int>(threadIdx.x) % width;
    const int groups = merge_block / width;
    for (int r = group; r - group < row_count; r += groups) {
        const row_piece piece =
            r < row_count ? piece_of_row(offsets, first + r, from, count) : row_piece{0, 0, false};
        const bool is_long = uneven && piece.end - piece.begin > long_piece * width;
        const auto sum =
            sum_piece<Cell, Gaps>(products, met, is_long ? row_piece{0, 0, false} : piece, lane, width);
        if (lane == 0 && r < row_count && !is_long) finish(r, piece.ends, sum);
        if (!uneven) continue;
        for (unsigned left = __ballot_sync(full_warp, is_long && lane == 0); left; left &= left - 1) {
            const int owner = __ffs(static_cast<int>(left)) - 1, of_warp = static_cast<int>(threadIdx.x % 32);
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
void csr_merge(const device_mxv_arguments& a, void* stream) {
    static_assert(sizeof(carry<Cell>) <= plan::merge_carry_bytes);
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    const device_offsets offsets{c.offsets.data, c.offsets.wide};
    auto* out = static_cast<typename Cell::value*>(c.out_values);
    auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
    auto* carries = static_cast<carry<Cell>*>(c.workspace);
    if (present)
        check(cudaMemsetAsync(present, 0, static_cast<std::size_t>(half_words(c.output_size)) * 4, on));
    const unsigned chunks = blocks_for(c.nnz, storage::merge_chunk_entries);
    if (chunks == 0) return;
    const bool uneven = a.longest_row > long_piece && a.longest_row * offset_t{a.held_rows} > 2 * c.nnz;
    with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
        const device_row_reader<Cell, Constant, Gaps> reader(c);
        const auto launch = [&](const auto* typed) {
            csr_merge_kernel<<<chunks, merge_block, 0, on>>>(reader, typed, a.row_numbers, a.chunk_rows,
                                                             a.held_rows, c.nnz, uneven, out, present,
                                                             carries);
        };
        c.offsets.wide ? launch(static_cast<const std::int64_t*>(c.offsets.data))
                       : launch(static_cast<const std::int32_t*>(c.offsets.data));
    });
    check(cudaGetLastError());
    if (chunks == 1) return;
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = blocks_for(chunks, merge_block);
    launch.blockDim = merge_block;
    launch.stream = on;
    launch.attrs = &early;
    launch.numAttrs = 1;
    check(cudaLaunchKernelEx(&launch, csr_merge_update_kernel<Cell>, static_cast<const carry<Cell>*>(carries),
                             a.chunk_rows, a.row_numbers, offsets, a.held_rows, static_cast<int>(chunks), out,
                             present));
}

}  // namespace nz::kernels::cuda
