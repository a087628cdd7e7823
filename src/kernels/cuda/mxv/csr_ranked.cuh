// mxv/csr_ranked on a GPU: w = A u as csr_merge, with u in the order of its columns' entries (storage/ranked_columns.hpp) and the head of
// that order in every multiprocessor's shared memory.
//
// Rank: u is brought into the order first. Then one block a multiprocessor stays: it copies the head of the order, the operands of the
//   hottest columns, and its eight teams of 128 threads go through the chunks, each one chunk at a time as csr_merge's blocks do
//   (common_merge.cuh): products to shared memory, rows summed from there, carries added by the update.
// Who owns what: team -> every so manieth chunk, thread -> every 128th of its entries, group of lanes -> row.
// Memory: structure and values once, the next chunk's asked for before the present one's rows are summed; operands of hot columns by
//   shared memory, the rest by gathers that the order has brought into fewer lines. u's entries in columns that have any are read and
//   written once more, and a place of the order for each.
// Shared memory: the table (plan::hot_columns), and eight chunks' products. Barriers: two of a team a chunk.
// Determinism: as csr_merge; rows keep the order of their entries.
// Cost: nnz + rows + columns.
// Distance to the limit (H100, floor of what is read by ranks): rmat_directed:22,16 85% in double, 64% in float; rmat_directed:20,16 57 and
//   45%. The order of u is a tenth of it. What the rest waits for is not measured. Table: docs/measurements/spmv.md (SpMV and SpMSpV on a GPU).
// Without gain: the next chunk asked for before the products of this one are formed (spilled registers, 1.10 times the time); tables of 32 to
//   128 KiB for 80 (0.98 to 1.06 in double).
// Why csr_merge was not enough: where few columns have most entries it asks the L2 for the same operands over and over, 32 bytes for each.
// What it leaves: making the ranks is a pass over the columns with an atomic addition an entry, a sort, and a gather an entry: the plan takes
//   it where many products are expected and a sample finds hot columns. Operators that do not read u's values go by csr_merge.
#pragma once

#include "core/cuda_shared.hpp"
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/mxv/csr_merge.cuh"

namespace nz::kernels::cuda {

constexpr int ranked_teams = 8, ranked_block = ranked_teams * merge_block;

/// ranked[r] = u[columns[r]], and whether it is there.
template <class T, bool Gaps>
__global__ void __launch_bounds__(merge_block)
    rank_vector_kernel(const T* u, const std::uint32_t* present, const index_t* __restrict__ columns,
                       index_t size, T* ranked, std::uint32_t* ranked_present) {
    const offset_t r = offset_t{blockIdx.x} * merge_block + threadIdx.x;
    const index_t j = r < size ? load_streamed(columns + r) : 0;
    const bool there = r < size && (!Gaps || bit_of(present, j));
    if (there) ranked[r] = u[j];
    if constexpr (Gaps) {
        const unsigned bits = __ballot_sync(full_warp, there);
        if (r % 32 == 0 && r / 32 < half_words(size)) ranked_present[r / 32] = bits;
    }
}

/// What the threads of a block share.
template <class Cell, bool Gaps>
struct ranked_memory {
    typename Cell::value products[ranked_teams][merge_entries];
    std::uint32_t met[ranked_teams][Gaps ? merge_entries / 32 : 1];
};

__device__ inline void wait_for_team(int team) { __barrier_sync_count(team + 1, merge_block); }

/// The chunks of a matrix, by number.
template <class Cell, bool Constant, bool Gaps, class Offset>
struct ranked_chunks {
    device_row_reader<Cell, Constant, Gaps> reader;
    const Offset* offsets;
    const index_t* chunk_rows;
    const index_t* numbers;
    index_t rows;
    offset_t nnz;
    int chunks, hot;
    bool uneven;
    typename Cell::value* out;
    std::uint32_t* present;
    carry<Cell>* carries;
};

/// A chunk on its way: its entries of one thread, and where its rows begin and end.
template <class Cell, bool Constant, bool Gaps>
struct ranked_chunk {
    thread_entries<Cell, Constant, Gaps> mine;
    index_t first, last;
    int count;

    template <class Offset>
    __device__ void ask(const ranked_chunks<Cell, Constant, Gaps, Offset>& of, int chunk, int thread) {
        const offset_t from = offset_t{chunk} * merge_entries;
        count = static_cast<int>(min(of.nnz - from, offset_t{merge_entries}));
        auto reader = of.reader;
        reader.move_to(from);
        if (count == merge_entries)
            mine.template load<true>(reader, count, thread);
        else
            mine.template load<false>(reader, count, thread);
        first = __ldg(of.chunk_rows + chunk);
        last = min(__ldg(of.chunk_rows + chunk + 1), of.rows - 1);
    }
};

template <class Cell, bool Constant, bool Gaps, class Offset>
__global__ void __launch_bounds__(ranked_block, 1)
    csr_ranked_kernel(const __grid_constant__ ranked_chunks<Cell, Constant, Gaps, Offset> of) {
    using T = typename Cell::operand;
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<ranked_memory<Cell, Gaps>*>(memory);
    T* table = reinterpret_cast<T*>(memory + sizeof(ranked_memory<Cell, Gaps>));
    const int team = static_cast<int>(threadIdx.x) / merge_block,
              thread = static_cast<int>(threadIdx.x) % merge_block;
    const int step = static_cast<int>(gridDim.x) * ranked_teams;
    int chunk = static_cast<int>(blockIdx.x) * ranked_teams + team;
    ranked_chunk<Cell, Constant, Gaps> at;
    if (chunk < of.chunks) at.ask(of, chunk, thread);
    for (int k = static_cast<int>(threadIdx.x); k < of.hot; k += ranked_block)
        if (of.reader.meets(k)) table[k] = of.reader.u[k];
    __syncthreads();
    for (; chunk < of.chunks; chunk += step) {
        at.mine.template each<false>(of.reader, [&](int k, bool meets) {
            const int place = k * merge_block + thread;
            const index_t rank = at.mine.columns[k];
            if (meets) {
                const T y = rank < of.hot ? table[rank] : of.reader.operand(rank);
                shared.products[team][place] = Cell::multiply(at.mine.values[k], y, 0, rank);
            }
            if constexpr (Gaps) {
                const unsigned bits = __ballot_sync(full_warp, meets);
                if (thread % 32 == 0) shared.met[team][place / 32] = bits;
            }
        });
        const index_t first = at.first, last = at.last;
        const int count = at.count;
        if (chunk + step < of.chunks) at.ask(of, chunk + step, thread);
        const auto finish = [&](int r, bool ends, const partial<Cell>& sum) {
            if (!ends) {
                of.carries[chunk] = sum;
            } else if (sum.met) {
                const index_t row = of.numbers ? of.numbers[first + r] : first + r;
                of.out[row] = sum.value;
                if (of.present) atomicOr(of.present + row / 32, 1u << row % 32);
            }
        };
        const auto piece = [&](int r) {
            return piece_of_row(of.offsets + first, r, offset_t{chunk} * merge_entries, count);
        };
        sum_rows_of_chunk<Cell, Gaps>(
            shared.products[team], shared.met[team], piece, last - first + 1, of.uneven, thread,
            [&] { wait_for_team(team); }, finish);
        wait_for_team(team);
    }
}

template <class Cell, bool Constant, bool Gaps, class Offset>
void launch_ranked(ranked_chunks<Cell, Constant, Gaps, Offset> of, index_t held, cudaStream_t on) {
    using T = typename Cell::operand;
    constexpr auto kernel = csr_ranked_kernel<Cell, Constant, Gaps, Offset>;
    constexpr int fixed = sizeof(ranked_memory<Cell, Gaps>);
    const int room = (most_shared_memory_here() - fixed) / static_cast<int>(sizeof(T));
    of.hot = std::min({plan::hot_columns(sizeof(T)), static_cast<int>(held), room});
    const int bytes = fixed + of.hot * static_cast<int>(sizeof(T));
    allow_shared(kernel, static_cast<std::size_t>(bytes));
    const unsigned blocks =
        std::min(blocks_for(of.chunks, ranked_teams), static_cast<unsigned>(multiprocessors_here()));
    kernel<<<blocks, ranked_block, bytes, on>>>(of);
    check(cudaGetLastError());
}

template <class Cell>
void csr_ranked(const device_mxv_arguments& a, void* stream) {
    if constexpr (!Cell::reads_b) {
        csr_merge<Cell>(a, stream);
    } else {
        using T = typename Cell::operand;
        const mxv_arguments& c = a.common;
        const auto on = static_cast<cudaStream_t>(stream);
        auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
        if (present)
            check(cudaMemsetAsync(present, 0, static_cast<std::size_t>(half_words(c.output_size)) * 4, on));
        const unsigned chunks = blocks_for(c.nnz, storage::merge_chunk_entries);
        if (chunks == 0) return;
        plan::workspace_parts parts(c.workspace);
        auto* carries = parts.take<std::byte>(static_cast<offset_t>(plan::device_csr_merge_workspace(c.nnz)));
        T* ranked = parts.take<T>(c.u_size);
        auto* ranked_present = parts.take<std::uint32_t>(half_words(c.u_size));
        const bool uneven = rows_vary(a);
        with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
            device_row_reader<Cell, Constant, Gaps> reader(c);
            rank_vector_kernel<T, Gaps><<<blocks_for(c.ranked.held, merge_block), merge_block, 0, on>>>(
                reader.u, reader.present, c.ranked.columns, c.ranked.held, ranked, ranked_present);
            reader.indices = c.ranked.ranks;
            reader.u = ranked;
            reader.present = ranked_present;
            const auto launch = [&]<class Offset>(const Offset* typed) {
                launch_ranked<Cell, Constant, Gaps, Offset>(
                    {reader, typed, a.chunk_rows, a.row_numbers, a.held_rows, c.nnz, static_cast<int>(chunks),
                     0, uneven, static_cast<typename Cell::value*>(c.out_values), present,
                     reinterpret_cast<carry<Cell>*>(carries)},
                    c.ranked.held, on);
            };
            c.offsets.wide ? launch(static_cast<const std::int64_t*>(c.offsets.data))
                           : launch(static_cast<const std::int32_t*>(c.offsets.data));
        });
        if (chunks > 1) launch_merge_update<Cell>(a, chunks, on);
    }
}

}  // namespace nz::kernels::cuda
