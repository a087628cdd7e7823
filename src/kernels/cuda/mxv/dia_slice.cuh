// mxv/dia_slice on a GPU: w = A u by the diagonals of 32 rows at a time (storage/dia_slices.hpp; matam2012's DIA cut into
// slices of rows, as SELL cuts ELLPACK).
//
// Who owns what: a slice -> a warp, a row -> a lane, so that values and u are read side by side; where slices have hundreds of
//   diagonals, and may be few, a slice -> a cluster of two blocks, whose 32 warps share its diagonals out in runs.
// Memory: values once; 8 bytes a diagonal for up to 32 columns of 4 bytes each; u in runs of 32, which neighbouring diagonals
//   find in the first-level cache. Four values are asked for before the first is added. Long slices' diagonals come to the
//   lanes 32 at a time, and from these by shuffles, so that u's places are known as soon as values are asked for.
// Shared memory: partial sums, of the blocks that share a slice. Barriers: there alone.
// Determinism: a row is summed in the order of its columns; by 32 runs of its slice's diagonals where these are many.
// Cost: 32 values a diagonal, whether its rows are there or not.
// Distance to the limit (H200, slices and vectors once at the copy rate): in double 92 to 96% on 3-D meshes, bands and dense rows, 87
//   to 90% on 2-D meshes, whose few diagonals are three loads one behind another; in float 79 to 81 and 67 to 72%, where instructions
//   are many for few bytes. Table: docs/measurements.md (SpMV and SpMSpV on a GPU).
// Without gain (one H200): slices asked for ahead to the L2 by bulk prefetches (0.96 to 1.08 times the time); warps that stay, with
//   the next slice's diagonals there before it begins (1.03 to 3.4 times); eight values at a time (1.07 to 1.52 times); of short slices
//   two a warp (0.99 to 1.08 times), and a look whether all is there (1.11 to 1.19 times).
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
/// Diagonals a slice, on average, up to which each is read where it is needed.
constexpr offset_t short_slice = 8;
/// Diagonals a slice, on average, from which a cluster shares each; its blocks and their warps.
constexpr offset_t shared_slice_from = 256;
constexpr unsigned shared_slice_blocks = 2, shared_slice_warps = 16;
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

    __device__ slice_piece<Cell> piece(index_t row, offset_t begin, offset_t end) const {
        slice_piece<Cell> p;
        p.diagonals = reinterpret_cast<const int2*>(diagonals) + begin;
        if constexpr (Constant || !Cell::reads_a)
            p.values = entries.values;
        else
            p.values = entries.values + begin * 32 + threadIdx.x % 32;
        p.count = static_cast<int>(end - begin);
        p.row = row;
        return p;
    }
    template <bool All>
    __device__ T value(const slice_piece<Cell>& p, int k) const {
        if constexpr (!Cell::reads_a)
            return T{};
        else if constexpr (Constant)
            return entries.entry(0);
        else
            return All || k < p.count ? load_streamed(p.values + offset_t{k} * 32) : T{};
    }
    /// Adds the diagonals d, k.. of the piece, with values x; All: every one of them is an entry of every row.
    template <bool All>
    __device__ void add(slice_piece<Cell>& p, const int2 (&d)[slice_turn], const T (&x)[slice_turn],
                        int k) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        T y[slice_turn];
        bool here[slice_turn];
#pragma unroll
        for (int n = 0; n < slice_turn; ++n) {
            const index_t column = p.row + d[n].x;
            const bool entry = All || (k + n < p.count && (static_cast<unsigned>(d[n].y) >> lane & 1));
            here[n] = entry && entries.meets(column);
            y[n] = here[n] ? entries.operand(column) : T{};
        }
#pragma unroll
        for (int n = 0; n < slice_turn; ++n)
            p.sum.add(here[n], Cell::multiply(x[n], y[n], p.row, p.row + d[n].x));
    }
    /// Adds up the piece, diagonals read where they are needed; Full: turns without a gap are looked for.
    template <bool Full>
    __device__ void add_short(slice_piece<Cell>& p) const {
        for (int k = 0; k < p.count; k += slice_turn) {
            int2 d[slice_turn];
            T x[slice_turn];
#pragma unroll
            for (int n = 0; n < slice_turn; ++n)
                d[n] = k + n < p.count ? __ldg(p.diagonals + k + n) : int2{0, 0};
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) x[n] = value<false>(p, k + n);
            int all = Full ? -1 : 0;
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) all &= d[n].y;
            if (Full && all == -1)
                add<true>(p, d, x, k);
            else
                add<false>(p, d, x, k);
        }
    }
    /// ... diagonals by way of the lanes.
    __device__ void add_long(slice_piece<Cell>& p) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        const auto turn = [&]<bool All>(int2 mine, int from, int k) {
            int2 d[slice_turn];
            T x[slice_turn];
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) x[n] = value<All>(p, k + n);
#pragma unroll
            for (int n = 0; n < slice_turn; ++n) {
                d[n].x = __shfl_sync(full_warp, mine.x, (k - from + n) & 31);
                d[n].y = All ? -1 : __shfl_sync(full_warp, mine.y, (k - from + n) & 31);
            }
            add<All>(p, d, x, k);
        };
        for (int from = 0; from < p.count; from += 32) {
            const bool held = from + lane < p.count;
            const int2 mine = held ? __ldg(p.diagonals + from + lane) : int2{0, 0};
            const int end = min(from + 32, p.count);
            int k = from;
            if (__all_sync(full_warp, !held || mine.y == -1))
                for (; k + slice_turn <= end; k += slice_turn) turn.template operator()<true>(mine, from, k);
            for (; k < end; k += slice_turn) turn.template operator()<false>(mine, from, k);
        }
    }
};

/// What a warp has found for the rows of a slice; one beyond the last one clears its word of presence.
template <class Cell>
__device__ void write_slice(const partial<Cell>& sum, offset_t slice, index_t rows, typename Cell::value* out,
                            std::uint32_t* present) {
    const offset_t row = slice * storage::slice_rows + threadIdx.x % 32;
    const bool met = sum.met && row < rows;
    if (met) out[row] = sum.value;
    const unsigned word = __ballot_sync(full_warp, met);
    if (present && threadIdx.x % 32 == 0) present[slice] = word;
}

template <class Cell, bool Short, class Reader>
__global__ void __launch_bounds__(slice_block)
    dia_slice_kernel(Reader reader, const offset_t* starts, index_t rows, typename Cell::value* out,
                     std::uint32_t* present) {
    const offset_t slice = (offset_t{blockIdx.x} * slice_block + threadIdx.x) / 32;
    if (slice >= half_words(rows)) return;
    slice_piece<Cell> p;
    if (slice * storage::slice_rows < rows)
        p = reader.piece(static_cast<index_t>(slice * storage::slice_rows + threadIdx.x % 32),
                         __ldg(starts + slice), __ldg(starts + slice + 1));
    if constexpr (Short)
        reader.template add_short<false>(p);
    else
        reader.add_long(p);
    write_slice(p.sum.settled(), slice, rows, out, present);
}

template <class Cell, class Reader>
__global__ void __launch_bounds__(shared_slice_warps * 32)
    dia_slice_shared_kernel(Reader reader, const offset_t* starts, index_t rows, typename Cell::value* out,
                            std::uint32_t* present) {
    __shared__ partial<Cell> parts[shared_slice_warps][32];
    const auto cluster = cooperative_groups::this_cluster();
    const offset_t slice = blockIdx.x / shared_slice_blocks;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    slice_piece<Cell> p;
    if (slice * storage::slice_rows < rows) {
        const offset_t begin = starts[slice], end = starts[slice + 1];
        constexpr unsigned all = shared_slice_blocks * shared_slice_warps;
        const offset_t share = (end - begin + all - 1) / all;
        const offset_t from = min(begin + (cluster.block_rank() * shared_slice_warps + warp) * share, end);
        p = reader.piece(static_cast<index_t>(slice * storage::slice_rows + lane), from,
                         min(from + share, end));
    }
    reader.template add_short<true>(p);
    partial<Cell> sum = p.sum.settled();
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
                             c.output_size, static_cast<typename Cell::value*>(c.out_values),
                             reinterpret_cast<std::uint32_t*>(c.out_present)));
}

template <class Cell>
void dia_slice(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
        using reader_type = slice_reader<Cell, Constant, Gaps>;
        const reader_type reader{device_row_reader<Cell, Constant, Gaps>(c), c.slices.diagonals};
        const offset_t slices = half_words(c.output_size);
        if (c.slices.count >= shared_slice_from * slices)
            return launch_shared_slices<Cell>(reader, c, slices, on);
        const auto launch = [&]<bool Short>() {
            const unsigned blocks = blocks_for(slices * 32, slice_block);
            dia_slice_kernel<Cell, Short><<<blocks, slice_block, 0, on>>>(
                reader, c.slices.starts, c.output_size, static_cast<typename Cell::value*>(c.out_values),
                reinterpret_cast<std::uint32_t*>(c.out_present));
        };
        c.slices.count <= short_slice* slices ? launch.template operator()<true>()
                                              : launch.template operator()<false>();
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
