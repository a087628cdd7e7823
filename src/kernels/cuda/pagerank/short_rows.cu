// pagerank/short_rows on a GPU: whole steps of PageRank (Brin and Page, 1998), product and all, a launch each, where rows are
// short.
//
// Computes: t = A^T y by rows, r' = t + (1 - sum t) p, y' = scale r', and sum |r' - r|. No pass sums t: it is d times what
//   vertices with edges out held, which the step before has summed.
// Who owns what: a thread -> two rows (four of float32), 256 apart; four columns of each, then four entries of y, are loads under
//   way together, and what longer rows have left follows.
// Launches: a step may begin while the one before ends (programmatic dependent launch): it reads offsets, columns and scale, which
//   no step writes, and waits. Steps after the last that is wanted return at once, so that the host looks at changes
//   once for several steps.
// Order: every other step takes its rows from the last to the first, so that it begins with what the step before has left in the
//   second-level cache.
// Sync: one barrier a block, for its sums, which are added to one of sixteen parts as whole numbers of 2^-61. Blocks that all add
//   to one place wait for each other, 4.5 ns a block: twice the time of a step on grid2d:2000,0.3.
// Memory: offsets, columns, y's entries, r, p and scale once; r and y written once. t is never written. No workspace. (With
//   evict-first loads of offsets and columns 0.0393 for 0.0372 ms in float.)
// Determinism: a row is summed in its order, a block's rows by a tree of fixed shape, blocks exactly, in any order.
// Distance to the limit (H200): on grid2d:2000,0.3 1.07 times the floor in double, 1.12 in float, 1.15 and 1.26 were rows always
//   taken forwards: docs/measurements/graphs.md (graph algorithms on a GPU). Columns and products through shared memory, as
//   csr_merge has them, took 1.4 times as long on the grid (barriers between), one row a thread 1.3 times; d over the row's
//   length in place of the scale, where A is symmetric, gained nothing: its division costs what the bytes did.
// Why mxv and pagerank/step were not enough: with rows of three entries t, written and read again, a pass that sums it, and
//   launches with a wait of the host after each step were half of the time.
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/pagerank/short_rows.cuh"

#include <utility>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr int blocks_an_sm = 4;
constexpr int entries_ahead = 4;  ///< of a row, under way together
template <class T>
constexpr int rows_of_thread = 16 / static_cast<int>(sizeof(T));

template <class T, class Offset>
struct rows_view {
    const Offset* offsets;
    const index_t* indices;
    offset_t size;
    double damping, tolerance, carried;
    const T *start, *scale;
    T* ranks;
    const T* scaled;
    T* scaled_next;
    pagerank_fixed_sums* sums;  ///< of this step; those of the one before stand before them
    bool first;                 ///< of the steps put on the stream together
    bool backwards;             ///< the last rows first
};

/// Adds what a block's threads leave.
__device__ void add_sums(pagerank_sums mine, pagerank_fixed_sums* to) {
    __shared__ pagerank_sums of_warp[threads / 32];
    const auto fold = [&](unsigned from) {
        for (unsigned distance = from; distance > 0; distance /= 2) {
            mine.moved += __shfl_down_sync(~0u, mine.moved, distance);
            mine.carried += __shfl_down_sync(~0u, mine.carried, distance);
        }
    };
    fold(16);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    mine = threadIdx.x < threads / 32 ? of_warp[threadIdx.x] : pagerank_sums{};
    fold(threads / 64);
    if (threadIdx.x != 0) return;
    constexpr double units = 1 / pagerank_fixed_unit;
    using word = unsigned long long;
    pagerank_fixed_part& part = to->parts[blockIdx.x % pagerank_fixed_sums::count];
    atomicAdd(reinterpret_cast<word*>(&part.moved), __double2ull_rn(units * mine.moved));
    atomicAdd(reinterpret_cast<word*>(&part.carried), __double2ull_rn(units * mine.carried));
}

/// Whether the step before was the last that is wanted; else the share that is spread anew.
template <class T, class Offset>
__device__ bool is_over(const rows_view<T, Offset>& v, T& share) {
    double carried = v.carried;
    if (!v.first) {
        const unsigned lane = threadIdx.x % pagerank_fixed_sums::count;
        ulonglong2 before = *reinterpret_cast<const ulonglong2*>(&v.sums[-1].parts[lane]);
        for (unsigned distance = pagerank_fixed_sums::count / 2; distance > 0; distance /= 2) {
            before.x += __shfl_xor_sync(~0u, before.x, distance);
            before.y += __shfl_xor_sync(~0u, before.y, distance);
        }
        if (pagerank_fixed_unit * static_cast<double>(before.x) <= v.tolerance) return true;
        carried = v.damping * (pagerank_fixed_unit * static_cast<double>(before.y));
    }
    const double rest = 1 - carried;
    share = static_cast<T>(v.start ? rest : rest / static_cast<double>(v.size));
    return false;
}

/// A row's beginning, end and columns ahead, which no step writes.
template <class T, class Offset>
struct row_structure {
    Offset begin, end;
    T scale;
    index_t columns[entries_ahead];

    __device__ void take_bounds(const rows_view<T, Offset>& v, offset_t row) {
        begin = __ldg(v.offsets + row);
        end = __ldg(v.offsets + row + 1);
        scale = __ldcs(v.scale + row);
    }
    __device__ void take_columns(const rows_view<T, Offset>& v) {
#pragma unroll
        for (int j = 0; j < entries_ahead; ++j)
            columns[j] = begin + j < end ? __ldg(v.indices + begin + j) : -1;
    }
};

template <class T, class Offset>
__global__ void __launch_bounds__(threads, blocks_an_sm) short_rows_kernel(const rows_view<T, Offset> v) {
    constexpr int rows = rows_of_thread<T>;
    const unsigned block = v.backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const offset_t first = offset_t{block} * (rows * offset_t{threads}) + threadIdx.x;
    const auto row_of = [&](int k) { return min(first + k * offset_t{threads}, v.size - 1); };
    row_structure<T, Offset> a[rows];
#pragma unroll
    for (int k = 0; k < rows; ++k) a[k].take_bounds(v, row_of(k));
#pragma unroll
    for (int k = 0; k < rows; ++k) a[k].take_columns(v);
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    T share;
    if (is_over(v, share)) return;
    T old[rows], values[rows][entries_ahead];
#pragma unroll
    for (int k = 0; k < rows; ++k) {
        old[k] = __ldcg(v.ranks + row_of(k));
#pragma unroll
        for (int j = 0; j < entries_ahead; ++j)
            values[k][j] = a[k].columns[j] >= 0 ? v.scaled[a[k].columns[j]] : T(0);
    }
    pagerank_sums mine{};
#pragma unroll
    for (int k = 0; k < rows; ++k) {
        T next = values[k][0];
#pragma unroll
        for (int j = 1; j < entries_ahead; ++j) next += values[k][j];
        for (Offset at = a[k].begin + entries_ahead; at < a[k].end; ++at)
            next += v.scaled[__ldg(v.indices + at)];
        const offset_t row = first + k * offset_t{threads};
        if (row >= v.size) continue;
        next += v.start ? share * v.start[row] : share;
        v.ranks[row] = next;
        v.scaled_next[row] = next * a[k].scale;
        mine.moved += static_cast<double>(abs(next - old[k]));
        if (a[k].scale != 0) mine.carried += static_cast<double>(next);
    }
    add_sums(mine, v.sums);
}

template <class T, class Offset>
void run(const device_pagerank_rows_arguments& k, cudaStream_t on) {
    constexpr offset_t rows = offset_t{threads} * rows_of_thread<T>;
    const auto blocks = static_cast<unsigned>((k.size + rows - 1) / rows);
    const auto of = [](const void* at) { return static_cast<const T*>(at); };
    T *y = static_cast<T*>(k.scaled), *next = static_cast<T*>(k.scaled_next);
    for (int step = 0; step < k.count; ++step) {
        const rows_view<T, Offset> v{static_cast<const Offset*>(k.offsets.data),
                                     k.indices,
                                     k.size,
                                     k.damping,
                                     k.tolerance,
                                     k.carried,
                                     of(k.start),
                                     of(k.scale),
                                     static_cast<T*>(k.ranks),
                                     y,
                                     next,
                                     k.sums + step,
                                     step == 0,
                                     step % 2 != 0};
        // What comes before the first may write what it reads.
        launch_close(short_rows_kernel<T, Offset>, blocks, threads, on, step > 0, v);
        std::swap(y, next);
    }
}

}  // namespace

void pagerank_short_rows(const device_pagerank_rows_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(k.sums, 0, static_cast<std::size_t>(k.count) * sizeof *k.sums, on));
    const auto typed = [&]<class Offset>(Offset) {
        k.type == dtype::float32 ? run<float, Offset>(k, on) : run<double, Offset>(k, on);
    };
    k.offsets.wide ? typed(std::int64_t{}) : typed(std::int32_t{});
}

}  // namespace nz::kernels::cuda
