// mxv/dia_slice on a GPU: w = A u by the diagonals of 32 rows at a time (storage/dia_slices.hpp; matam2012's DIA cut into
// slices of rows, as SELL cuts ELLPACK).
//
// Who owns what: a slice -> a warp, a row -> a lane, so that values and u are read side by side; where all slices have the same 3, 4 or 5
//   diagonals and values are narrow, two slices -> a warp; where slices have hundreds of diagonals, and may be few, a slice -> a
//   cluster of two blocks, whose 32 warps share its diagonals out in runs.
// Memory: values once; 8 bytes a diagonal for up to 32 columns of 4 bytes each; u in runs of 32, which neighbouring diagonals
//   find in the first-level cache. A turn's values (four; all of a slice of 3 to 5) are asked for before its first diagonal is
//   waited for. Where slices have a pitch, nothing is read to know where one begins.
// Shared memory: partial sums, of the blocks that share a slice. Barriers: there alone, and a warp's between asking and waiting.
// Determinism: a row is summed in the order of its columns; by 32 runs of its slice's diagonals where these are many.
// Cost: 32 values a diagonal, whether its rows are there or not.
// Distance to the limit (H200, slices and vectors once at the copy rate): with a pitch of 3, 4, 5 (2-D meshes) 101, 97, 99% in double and 94,
//   89, 87% in float; of 7 and 9 95% and 83, 76%; 3-D meshes and bands 98 to 99% and 82 to 91%; dense rows 92 and 76%. Slices of 3 to 5
//   without a pitch 80 to 83% and 62 to 71%. Table: docs/measurements/spmv.md (SpMV and SpMSpV on a GPU).
// Without gain (one H200, times the time): slices asked for ahead to the L2 by bulk prefetches (0.96 to 1.08); by bulk copies to shared memory
//   (0.96 to 1.66); warps that stay, with the next slice's diagonals there before it begins (1.03 to 3.4); diagonals by way of the lanes
//   and shuffles (0.95 to 1.29); turns of 8 (0.94 to 1.39), of 3, 5 and 6 (0.93 to 1.18, better where they divide the slice); one kernel
//   for up to 8 diagonals in place of one for each number (1.03 to 1.85); two slices a warp in double (1.0 to 1.25); room for all warps
//   of a multiprocessor (0.99 to 1.45); blocks of 256 threads (0.97 to 1.27).
// Why csr_merge was not enough: it reads 4 bytes of column beside each value, and brings products to shared memory and back.
// What it leaves: slices are made once, and values are held twice: the plan takes it for matrices of which it is known that many
//   products follow, and whose rows have their diagonals in common.
#pragma once

#include "algebra/before_first.hpp"
#include "kernels/cuda/mxv/common_row.cuh"

#include <cooperative_groups.h>

namespace nz::kernels::cuda {

constexpr unsigned slice_block = 128;
constexpr int slice_turn = 4;  ///< values asked for at a time
/// Slices of so many diagonals each (their pitch) are one turn, known when it is compiled.
constexpr int least_whole_slice = 3, most_whole_slice = 5;
/// Of these a warp takes so many: narrow values are few bytes to be under way.
template <class T>
constexpr int slices_together = sizeof(T) > 4 ? 1 : 2;
/// Diagonals a slice, on average, from which a cluster shares each; its blocks and their warps.
constexpr offset_t shared_slice_from = 256;
constexpr unsigned shared_slice_blocks = 2, shared_slice_warps = 16;
constexpr int shared_slice_turn = 5;  ///< of them, with few warps to go round
static_assert(storage::slice_rows == 32, "a row of the slice is a lane of the warp");

/// One row's sum, without a branch on what the row has.
template <class Cell>
struct slice_sum {
    using V = typename Cell::value;
    V value = first();
    bool met = false;

    static constexpr V first() {
        if constexpr (Cell::first_wins)
            return V{};
        else
            return algebra::before_first<Cell>();
    }
    /// Adds x where it is `here`.
    __device__ void add(bool here, V x) {
        if constexpr (Cell::first_wins)
            value = here && !met ? x : value;
        else
            value = here ? Cell::add(value, x) : value;
        met |= here;
    }
    __device__ partial<Cell> settled() const {
        partial<Cell> p;
        p.value = value;
        p.met = met;
        return p;
    }
};

/// Some of a slice's diagonals, their values, and the lane's row.
template <class Cell>
struct slice_piece {
    const int2* diagonals = nullptr;
    const typename Cell::operand* values = nullptr;  ///< the lane's
    int count = 0;
    index_t row = 0;
    slice_sum<Cell> sum;
};

template <class Cell, bool Constant, bool Gaps>
struct slice_reader {
    using T = typename Cell::operand;
    device_row_reader<Cell, Constant, Gaps> entries;
    const storage::slice_diagonal* diagonals;

    /// The lane's part of `count` diagonals of a slice, from diagonal `begin` of all.
    __device__ slice_piece<Cell> piece(unsigned slice, offset_t begin, int count) const {
        slice_piece<Cell> p;
        p.diagonals = reinterpret_cast<const int2*>(diagonals) + begin;
        if constexpr (Constant || !Cell::reads_a)
            p.values = entries.values;
        else
            p.values = entries.values + begin * 32 + threadIdx.x % 32;
        p.count = count;
        p.row = static_cast<index_t>(slice * storage::slice_rows + threadIdx.x % 32);
        return p;
    }
    /// The same of the slice `by` behind, where all slices have `pitch` diagonals: at a distance known when it is compiled.
    __device__ slice_piece<Cell> behind(slice_piece<Cell> p, int by, int pitch, int count) const {
        p.diagonals += by * pitch;
        if constexpr (!Constant && Cell::reads_a) p.values += by * pitch * 32;
        p.row += by * storage::slice_rows;
        p.count = count;
        return p;
    }
    __device__ T value(const slice_piece<Cell>& p, int k) const {
        if constexpr (!Cell::reads_a)
            return T{};
        else if constexpr (Constant)
            return entries.entry(0);
        else
            return k < p.count ? load_streamed(p.values + offset_t{k} * 32) : T{};
    }
    /// Adds diagonals with values x; All: every one of them is an entry of every row.
    template <bool All, int Turn>
    __device__ void add(slice_piece<Cell>& p, const int2 (&d)[Turn], const T (&x)[Turn]) const {
        const unsigned mine = 1u << threadIdx.x % 32;
        auto from_row = entries;  // its u begins at the lane's row
        from_row.u += p.row;
        T y[Turn];
        bool here[Turn];
#pragma unroll
        for (int n = 0; n < Turn; ++n) {
            const bool entry = All || (static_cast<unsigned>(d[n].y) & mine);
            here[n] = entry && entries.meets(p.row + d[n].x);
            y[n] = here[n] ? from_row.operand(d[n].x) : T{};
        }
#pragma unroll
        for (int n = 0; n < Turn; ++n) p.sum.add(here[n], Cell::multiply(x[n], y[n], p.row, p.row + d[n].x));
    }
    /// Adds up one turn of several pieces, from diagonal k of each; Full: turns without a gap are looked for.
    template <int Turn, bool Full, int Pieces>
    __device__ void add_turn(slice_piece<Cell> (&p)[Pieces], int k) const {
        int2 d[Pieces][Turn];
        T x[Pieces][Turn];
        int all = Full ? -1 : 0;
#pragma unroll
        for (int q = 0; q < Pieces; ++q)
#pragma unroll
            for (int n = 0; n < Turn; ++n)
                d[q][n] = k + n < p[q].count ? __ldg(p[q].diagonals + k + n) : int2{0, 0};
#pragma unroll
        for (int q = 0; q < Pieces; ++q)
#pragma unroll
            for (int n = 0; n < Turn; ++n) x[q][n] = value(p[q], k + n);
        // Between asking and waiting: else the compiler waits for a diagonal before it has asked for all values.
        __syncwarp(__activemask());
#pragma unroll
        for (int q = 0; q < Pieces; ++q) {
#pragma unroll
            for (int n = 0; n < Turn; ++n) all &= d[q][n].y;
        }
#pragma unroll
        for (int q = 0; q < Pieces; ++q) {
            if (Full && all == -1)
                add<true>(p[q], d[q], x[q]);
            else
                add<false>(p[q], d[q], x[q]);
        }
    }
    /// Adds up a piece, so many diagonals at a time.
    template <int Turn>
    __device__ void add_all(slice_piece<Cell> (&p)[1]) const {
        for (int k = 0; k < p[0].count; k += Turn) add_turn<Turn, true>(p, k);
    }
};

/// What a warp has found for the rows of a slice; one beyond the last one clears its word of presence.
template <class Cell>
__device__ void write_slice(const partial<Cell>& sum, unsigned slice, index_t rows, typename Cell::value* out,
                            std::uint32_t* present) {
    const unsigned row = slice * storage::slice_rows + threadIdx.x % 32;
    const bool met = sum.met && row < static_cast<unsigned>(rows);
    if (met) out[row] = sum.value;
    const unsigned word = __ballot_sync(full_warp, met);
    if (present && threadIdx.x % 32 == 0) present[slice] = word;
}

__device__ inline unsigned slice_of_warp() { return (blockIdx.x * slice_block + threadIdx.x) / 32; }
__device__ inline bool has_rows(unsigned slice, index_t rows) {
    return slice * storage::slice_rows < static_cast<unsigned>(rows);
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(slice_block)
    dia_slice_kernel(Reader reader, const offset_t* starts, int pitch, unsigned slices, index_t rows,
                     typename Cell::value* out, std::uint32_t* present) {
    const unsigned slice = slice_of_warp();
    if (slice >= slices) return;
    slice_piece<Cell> p[1];
    if (has_rows(slice, rows)) {
        const offset_t begin = pitch ? offset_t{slice} * pitch : __ldg(starts + slice);
        const int count = pitch ? pitch : static_cast<int>(__ldg(starts + slice + 1) - begin);
        p[0] = reader.piece(slice, begin, count);
    }
    reader.template add_all<slice_turn>(p);
    write_slice(p[0].sum.settled(), slice, rows, out, present);
}

template <class Cell, int Pitch, class Reader>
__global__ void __launch_bounds__(slice_block)
    dia_slice_whole_kernel(Reader reader, unsigned slices, index_t rows, typename Cell::value* out,
                           std::uint32_t* present) {
    constexpr int together = slices_together<typename Cell::operand>;
    const unsigned first = slice_of_warp() * together;
    if (first >= slices) return;
    slice_piece<Cell> p[together];
    p[0] = reader.piece(first, offset_t{first} * Pitch, has_rows(first, rows) ? Pitch : 0);
#pragma unroll
    for (int q = 1; q < together; ++q)
        p[q] = reader.behind(p[0], q, Pitch, has_rows(first + q, rows) ? Pitch : 0);
    reader.template add_turn<Pitch, false>(p, 0);
#pragma unroll
    for (int q = 0; q < together; ++q) write_slice(p[q].sum.settled(), first + q, rows, out, present);
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(shared_slice_warps * 32)
    dia_slice_shared_kernel(Reader reader, const offset_t* starts, int pitch, index_t rows,
                            typename Cell::value* out, std::uint32_t* present) {
    __shared__ partial<Cell> parts[shared_slice_warps][32];
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned slice = blockIdx.x / shared_slice_blocks;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    slice_piece<Cell> p[1];
    if (has_rows(slice, rows)) {
        const offset_t begin = pitch ? offset_t{slice} * pitch : starts[slice];
        const offset_t end = pitch ? begin + pitch : starts[slice + 1];
        constexpr unsigned all = shared_slice_blocks * shared_slice_warps;
        const offset_t share = (end - begin + all - 1) / all;
        const offset_t from = min(begin + (cluster.block_rank() * shared_slice_warps + warp) * share, end);
        p[0] = reader.piece(slice, from, static_cast<int>(min(from + share, end) - from));
    }
    reader.template add_all<shared_slice_turn>(p);
    partial<Cell> sum = p[0].sum.settled();
    parts[warp][lane] = sum;
    cluster.sync();
    if (cluster.block_rank() == 0 && warp == 0) {
        for (unsigned k = 1; k < shared_slice_warps; ++k) sum.add(parts[k][lane]);
        for (unsigned rank = 1; rank < shared_slice_blocks; ++rank) {
            const auto* others = cluster.map_shared_rank(&parts[0][0], rank);
            for (unsigned k = 0; k < shared_slice_warps; ++k) sum.add(others[k * 32 + lane]);
        }
        write_slice(sum, slice, rows, out, present);
    }
    cluster.sync();  // a block's shared memory stays until it has been read
}

/// Diagonals of every slice; 0: as starts say.
inline int pitch_of(const mxv_arguments& c) {
    return c.slices.starts
               ? 0
               : static_cast<int>(c.slices.count / blocks_for(c.output_size, storage::slice_rows));
}

template <class Cell, class Reader>
void launch_shared_slices(const Reader& reader, const mxv_arguments& c, offset_t slices, cudaStream_t on) {
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shared_slice_blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = static_cast<unsigned>(slices) * shared_slice_blocks;
    launch.blockDim = shared_slice_warps * 32;
    launch.stream = on;
    launch.attrs = &cluster;
    launch.numAttrs = 1;
    check(cudaLaunchKernelEx(&launch, dia_slice_shared_kernel<Cell, Reader>, reader, c.slices.starts,
                             pitch_of(c), c.output_size, static_cast<typename Cell::value*>(c.out_values),
                             reinterpret_cast<std::uint32_t*>(c.out_present)));
}

/// The kernel for slices of this pitch alone, if there is one.
template <class Cell, int Pitch = least_whole_slice, class Reader>
bool launch_whole_slices(const Reader& reader, const mxv_arguments& c, offset_t slices, cudaStream_t on) {
    if constexpr (Pitch <= most_whole_slice) {
        if (pitch_of(c) != Pitch) return launch_whole_slices<Cell, Pitch + 1>(reader, c, slices, on);
        constexpr int together = slices_together<typename Cell::operand>;
        dia_slice_whole_kernel<Cell, Pitch>
            <<<blocks_for(slices / together * 32, slice_block), slice_block, 0, on>>>(
                reader, static_cast<unsigned>(slices), c.output_size,
                static_cast<typename Cell::value*>(c.out_values),
                reinterpret_cast<std::uint32_t*>(c.out_present));
        return true;
    }
    return false;
}

template <class Cell>
void dia_slice(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
        using reader_type = slice_reader<Cell, Constant, Gaps>;
        const reader_type reader{device_row_reader<Cell, Constant, Gaps>(c), c.slices.diagonals};
        const offset_t slices = half_words(c.output_size);  // even
        if (c.slices.count >= shared_slice_from * slices)
            return launch_shared_slices<Cell>(reader, c, slices, on);
        if constexpr (!Gaps)
            if (launch_whole_slices<Cell>(reader, c, slices, on)) return;
        dia_slice_kernel<Cell><<<blocks_for(slices * 32, slice_block), slice_block, 0, on>>>(
            reader, c.slices.starts, pitch_of(c), static_cast<unsigned>(slices), c.output_size,
            static_cast<typename Cell::value*>(c.out_values),
            reinterpret_cast<std::uint32_t*>(c.out_present));
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
