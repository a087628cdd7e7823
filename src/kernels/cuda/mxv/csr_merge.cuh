// mxv/csr_merge on a GPU: w = A u, entries shared out evenly, rows split where need be (dalton2015, section III-A).
//
// Partition: chunk c takes entries [c*N, (c+1)*N); the row that each chunk begins in was found when the matrix came
//   to the device, since it depends on the matrix alone. Empty rows are left out beforehand (row_numbers), so that a
//   chunk never holds more rows than entries.
// Reduce: a block forms the chunk's products in shared memory, then groups of lanes sum its rows. The group is as
//   wide as the rows of this chunk leave lanes for (1 to 32), so that short and long rows both keep the block busy; where
//   lengths vary, a row that is still more than 16 entries a lane is its whole warp's.
//   Where it begins is asked for before the block waits. A row that ends inside is stored; a part that does not is the chunk's carry.
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
//   docs/measurements/spmv.md.
// Why csr_row was not enough: its warps wait for their longest rows and read entries out of order.
#pragma once

#include "kernels/cuda/mxv/common_merge.cuh"

namespace nz::kernels::cuda {

/// What 32 registers a thread allow; gaps in u need some more.
template <bool Gaps>
constexpr int merge_blocks_an_sm = Gaps ? 10 : 16;

/// Forms the chunk's products in shared memory.
template <bool Full, class Cell, bool Constant, bool Gaps>
__device__ void form_products(const device_row_reader<Cell, Constant, Gaps>& reader, int count,
                              typename Cell::value* products, std::uint32_t* met) {
    const int thread = static_cast<int>(threadIdx.x);
    thread_entries<Cell, Constant, Gaps> mine;
    mine.template load<Full>(reader, count, thread);
    mine.template each<Full>(reader, [&](int k, bool meets) {
        const int at = k * merge_block + thread;
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
    thread_entries<Cell, Constant, Gaps> mine;
    mine.template load<true>(reader, merge_entries, static_cast<int>(threadIdx.x));
    partial<Cell> sum;
    mine.template each<true>(reader, [&](int k, bool meets) {
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
    sum_rows_of_chunk<Cell, Gaps>(
        products, met, [&](int r) { return piece_of_row(offsets + first, r, from, count); }, row_count,
        uneven, static_cast<int>(threadIdx.x), [] { __syncthreads(); }, finish);
}

template <class Cell>
void csr_merge(const device_mxv_arguments& a, void* stream) {
    static_assert(sizeof(carry<Cell>) <= plan::merge_carry_bytes);
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    auto* out = static_cast<typename Cell::value*>(c.out_values);
    auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
    auto* carries = static_cast<carry<Cell>*>(c.workspace);
    if (present)
        check(cudaMemsetAsync(present, 0, static_cast<std::size_t>(half_words(c.output_size)) * 4, on));
    const unsigned chunks = blocks_for(c.nnz, storage::merge_chunk_entries);
    if (chunks == 0) return;
    const bool uneven = rows_vary(a);
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
    if (chunks > 1) launch_merge_update<Cell>(a, chunks, on);
}

}  // namespace nz::kernels::cuda
