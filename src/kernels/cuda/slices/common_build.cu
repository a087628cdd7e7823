// CSR to slices on a GPU: storage/dia_slices.cpp's arrays, a warp for the 32 rows of a slice.
//
// Who owns what: a lane stands at the next entry of its row. The smallest distance from the diagonal of all lanes is the
//   slice's next diagonal; the lanes that stand there are its rows, and step on. count goes as far, a scan makes starts of the
//   counts, and fill goes the same way once more and writes, empty diagonals where there is a pitch.
// Memory: the CSR's columns twice, its values once, the slices written once. Lanes read along their own rows, so that a line
//   serves a lane several steps: columns of a slice stay in the first-level cache meanwhile. Values are too many for it: they
//   come to shared memory side by side first, where rows are long enough and the slice has no more than stage_entries.
// Synchronization: a warp's alone.
// Determinism: every place follows from the counts.
// Cost: one step a diagonal: a minimum and a vote over the warp, a load behind them.
// Distance to the limit (H200, double, the CSR read once and the slices written once at the copy rate): 56 and 65% on 2-D meshes, 38% on
//   banded:4000000,21, 24% on laplace3d:160, whose 27 steps wait for each other; 2% on dense:6000,6000, where 188 warps are all.
// Without gain: values of long rows read along the rows at once (laplace3d:160: fill 4.1 ms for 1.4).
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/mxv/common_row.cuh"
#include "kernels/cuda/slices/common_build.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <climits>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned build_block = 128, build_warps = build_block / 32;
constexpr int stage_entries =
    1024;  ///< of a slice, in a warp's shared memory: 28 warps a multiprocessor have 8 KiB each
constexpr int no_distance = INT_MAX;

/// The lane's way along its row.
struct slice_lane {
    const index_t* columns;
    index_t row;
    offset_t at, end;
    int distance;

    __device__ slice_lane(const device_slice_build& b, const device_offsets& offsets, offset_t slice)
        : columns(b.indices), row(static_cast<index_t>(slice * 32 + threadIdx.x % 32)), at(0), end(0) {
        if (slice * 32 + threadIdx.x % 32 < b.rows) {
            at = offsets[row];
            end = offsets[offset_t{row} + 1];
        }
        look();
    }
    __device__ void look() { distance = at < end ? columns[at] - row : no_distance; }
    /// The slice's next diagonal, no_distance at its end.
    __device__ int next() const { return __reduce_min_sync(full_warp, distance); }
    __device__ void step() {
        ++at;
        look();
    }
};

__device__ inline offset_t slice_of_warp() { return (offset_t{blockIdx.x} * build_block + threadIdx.x) / 32; }

__global__ void __launch_bounds__(build_block) count_kernel(device_slice_build b, device_offsets offsets) {
    const offset_t slice = slice_of_warp();
    if (slice > b.slices) return;
    offset_t count = 0;
    if (slice < b.slices) {
        slice_lane lane(b, offsets, slice);
        for (int d; (d = lane.next()) != no_distance; ++count)
            if (lane.distance == d) lane.step();
    }
    if (threadIdx.x % 32 == 0) b.starts[slice] = count;
}

/// Where fill reads values.
enum class value_source { none, rows, stage };

/// U: a value's bits.
template <class U, value_source From>
__global__ void __launch_bounds__(build_block) fill_kernel(device_slice_build b, device_offsets offsets) {
    __shared__ U stage[From == value_source::stage ? build_warps * stage_entries : 1];
    const offset_t slice = slice_of_warp();
    if (slice >= b.slices) return;
    const unsigned of_warp = threadIdx.x % 32;
    slice_lane lane(b, offsets, slice);
    const auto* values = static_cast<const U*>(b.values);
    offset_t base = 0;  // the entry that `values` begins with
    if constexpr (From == value_source::stage) {
        const offset_t from = offsets[slice * 32], to = offsets[min(slice * 32 + 32, offset_t{b.rows})];
        if (to - from <= stage_entries) {
            U* mine = stage + threadIdx.x / 32 * stage_entries;
            for (offset_t k = from + of_warp; k < to; k += 32) mine[k - from] = load_streamed(values + k);
            __syncwarp();
            values = mine;
            base = from;
        }
    }
    U* out = static_cast<U*>(b.out_values);
    offset_t place = b.pitch ? slice * b.pitch : b.starts[slice];
    const offset_t end = b.pitch ? place + b.pitch : place;
    for (int d; (d = lane.next()) != no_distance; ++place) {
        const bool here = lane.distance == d;
        const unsigned rows = __ballot_sync(full_warp, here);
        if (of_warp == 0) b.diagonals[place] = {d, rows};
        if constexpr (From != value_source::none)
            out[place * 32 + of_warp] = here ? values[lane.at - base] : U{0};
        if (here) lane.step();
    }
    for (; place < end; ++place) {
        if (of_warp == 0) b.diagonals[place] = {};
        if constexpr (From != value_source::none) out[place * 32 + of_warp] = U{0};
    }
}

}  // namespace

std::size_t slice_scan_bytes(index_t counts) {
    std::size_t scan = 0, most = 0;
    offset_t* const none = nullptr;
    check(cub::DeviceScan::ExclusiveSum(nullptr, scan, none, counts));
    check(cub::DeviceReduce::Max(nullptr, most, none, none, counts));
    return std::max(scan, most);
}

void count_slices(const device_slice_build& b, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const device_offsets offsets{b.offsets.data, b.offsets.wide};
    count_kernel<<<blocks_for((offset_t{b.slices} + 1) * 32, build_block), build_block, 0, on>>>(b, offsets);
    check(cudaGetLastError());
    std::size_t bytes = b.temporary_bytes;
    check(cub::DeviceReduce::Max(b.temporary, bytes, b.starts, b.most, b.slices + 1, on));
    check(cub::DeviceScan::ExclusiveSum(b.temporary, bytes, b.starts, b.slices + 1, on));
}

void fill_slices(const device_slice_build& b, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    if (b.slices == 0) return;
    const device_offsets offsets{b.offsets.data, b.offsets.wide};
    const unsigned blocks = blocks_for(offset_t{b.slices} * 32, build_block);
    const auto launch = [&]<class U>() {
        if (b.staged)
            fill_kernel<U, value_source::stage><<<blocks, build_block, 0, on>>>(b, offsets);
        else
            fill_kernel<U, value_source::rows><<<blocks, build_block, 0, on>>>(b, offsets);
    };
    switch (b.value_bytes) {
        case 0:
            fill_kernel<std::uint8_t, value_source::none><<<blocks, build_block, 0, on>>>(b, offsets);
            break;
        case 1:
            launch.template operator()<std::uint8_t>();
            break;
        case 2:
            launch.template operator()<std::uint16_t>();
            break;
        case 4:
            launch.template operator()<std::uint32_t>();
            break;
        default:
            launch.template operator()<std::uint64_t>();
    }
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
