// mxm/masked_dot on a GPU: C<M> = A B, a dot product for each place that the mask lists.
//
// Computes: for each row of the mask, A's row goes into a table of shared memory, its columns hashed; for each place (i, j) of that
//   row, B's column j is gone through and looks itself up there, first among bits that refuse nearly all that is absent. Sums, and
//   whether there is one, stand at the mask's entries until all are known; then rows are counted, scanned, and moved together.
// Who owns what: a warp has a row of A of up to 256 entries, a block of 256 threads a longer one, whose warps take 32 places at a
//   time. Groups of 4 to 32 lanes, by the mean length of those 32 columns, go through a column each. Rows of A over 8,192 entries
//   are not tabled but searched by halving, in device memory.
// Shared memory: 6 bytes a slot and the bits, 32 KiB a block of warps, 104 KiB a block of one row. Workspace: a value and a byte for
//   each entry of the mask, 16 bytes a row.
// Sync: warps, or blocks of a row, after the table is cleared and after it is filled; six launches.
// Determinism: lane l of a group of g adds entries l, l + g, ... of a column, and a group's sums are added in a tree of fixed shape;
//   `any` is the first entry.
// Cost: entries of A's rows once, and of B's columns for each place of the mask. Distance to the limit (H200): triangles of
//   rmat:20,16 take thirteen times what their columns would at a copy's rate: docs/measurements.md (graph algorithms on a GPU).
// Why masked_row was not enough: it numbers places before it sums, so that products come twice; on triangles of Kronecker graphs
//   its tables of words, and the blocks that have long rows, took most of its time.
#pragma once

#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/hash.cuh"
#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

namespace dot_detail {

constexpr unsigned block = 256, warps = block / 32;
constexpr int warp_slots = 512, block_slots = 16384;
constexpr index_t warp_row = warp_slots / 2, block_row = block_slots / 2;
constexpr int warp_marks = 256, block_marks = 2048;  // words

/// A row of A as a set of columns with places: a table in shared memory, or the row itself, ascending.
struct lookup {
    const index_t* row = nullptr;  ///< null: the table serves
    index_t length = 0;
    index_t* keys = nullptr;
    std::uint16_t* places = nullptr;
    std::uint32_t* marks = nullptr;
    int bits = 0, mark_bits = 0;

    __device__ static unsigned hash(index_t column) { return static_cast<unsigned>(column) * 0x9E3779B1u; }
    __device__ int slot_of(index_t column) const { return static_cast<int>(hash(column) >> (32 - bits)); }
    /// Empties the table, by `threads` threads.
    __device__ void clear(int thread, int threads) const {
        for (int s = thread; s < 1 << bits; s += threads) keys[s] = -1;
        for (int w = thread; w < 1 << (mark_bits - 5); w += threads) marks[w] = 0;
    }
    /// Whether the row may hold a column: false for nearly all that it does not hold.
    __device__ bool may_hold(index_t column) const {
        if (row) return true;
        const unsigned mark = hash(column) >> (32 - mark_bits);
        return marks[mark / 32] >> (mark % 32) & 1;
    }
    __device__ void insert(index_t column, int place) const {
        const unsigned mark = hash(column) >> (32 - mark_bits);
        atomicOr(marks + mark / 32, 1u << (mark % 32));
        for (int s = slot_of(column);; s = (s + 1) & ((1 << bits) - 1))
            if (atomicCAS(keys + s, -1, column) == -1) {
                places[s] = static_cast<std::uint16_t>(place);
                return;
            }
    }
    /// The place of a column in the row, or -1.
    __device__ index_t find(index_t column) const {
        if (row) {
            const index_t low = lower_bound(row, index_t{0}, length, column);
            return low < length && __ldg(row + low) == column ? low : -1;
        }
        for (int s = slot_of(column);; s = (s + 1) & ((1 << bits) - 1)) {
            const index_t key = keys[s];
            if (key == column) return places[s];
            if (key == -1) return -1;
        }
    }
};

/// The smallest table, of 2^bits slots, that is at most half full.
__device__ inline int bits_for(index_t length) { return max(5, 33 - __clz(length - 1 + (length == 1))); }

/// What a lane has met of a place: the sum, and for `any` the first entry.
template <class Cell>
struct dot_sum : partial<Cell> {
    using V = typename Cell::value;
    offset_t at = 0;

    __device__ void meet(offset_t q, V product) {
        if constexpr (Cell::first_wins) {
            if (this->met && at < q) return;
            this->value = product;
            this->met = true;
            at = q;
        } else {
            this->add(product);
        }
    }
    /// Over the lanes of groups of `width`; right in the first lane of each.
    __device__ void join(int width) {
        for (int distance = 1; distance < width; distance *= 2) {
            const V value = from_above(this->value, distance, width);
            const bool other = __shfl_down_sync(full_warp, this->met, distance, width);
            const offset_t from = Cell::first_wins ? __shfl_down_sync(full_warp, at, distance, width) : 0;
            const bool inside = (static_cast<int>(threadIdx.x) & (width - 1)) + distance < width;
            if (other && inside) meet(from, value);
        }
    }
};

template <class Cell>
struct dot_row {
    const device_mxm_arguments& k;
    const hash_detail::products<Cell>& of;
    const lookup& a;
    index_t i;
    offset_t a_begin;

    /// Places [first, end) of the mask, up to 32; all lanes of the warp call it. Returns how many have an entry.
    __device__ int take(offset_t first, offset_t end) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
        const offset_t place = first + lane;
        offset_t begin = 0, stop = 0;
        if (place < end) {
            const device_offsets offsets{k.b.offsets.data, k.b.offsets.wide};
            const index_t j = __ldg(k.mask_columns + place);
            begin = offsets[j];
            stop = offsets[j + offset_t{1}];
        }
        const int count = static_cast<int>(min(offset_t{32}, end - first));
        const unsigned length = static_cast<unsigned>(min(stop - begin, offset_t{1} << 20));
        const unsigned mean = __reduce_add_sync(full_warp, length) / static_cast<unsigned>(count);
        int width = 4;
        while (width < 32 && static_cast<unsigned>(width) * 2 <= mean) width *= 2;
        const int groups = 32 / width, group = lane / width;
        int met = 0;
        for (int base = 0; base < count; base += groups) {
            const int own = base + group;
            const offset_t from = __shfl_sync(full_warp, begin, own & 31),
                           to = __shfl_sync(full_warp, stop, own & 31);
            met += finish(first + own, own < count, sum(from, own < count ? to : from, width), width);
        }
        return met;
    }

private:
    __device__ dot_sum<Cell> sum(offset_t from, offset_t to, int width) const {
        dot_sum<Cell> s;
        constexpr int batch = 4;  // columns under way together
        for (offset_t q = from + (threadIdx.x & (width - 1)); q < to; q += batch * width) {
            index_t inner[batch];
#pragma unroll
            for (int n = 0; n < batch; ++n)
                inner[n] = q + n * width < to ? __ldg(k.b.columns + q + n * width) : -1;
#pragma unroll
            for (int n = 0; n < batch; ++n) {
                if (inner[n] < 0 || !a.may_hold(inner[n])) continue;
                const index_t at = a.find(inner[n]);
                const offset_t here = q + n * width;
                if (at >= 0) s.meet(here, Cell::multiply(of.a(a_begin + at), of.b(here), i, inner[n]));
            }
        }
        __syncwarp();
        s.join(width);
        return s;
    }
    __device__ int finish(offset_t place, bool own, const dot_sum<Cell>& s, int width) const {
        const bool leads = own && (threadIdx.x & (width - 1)) == 0;
        if (leads) {
            k.dot_met[place] = s.met;
            if (s.met) static_cast<typename Cell::value*>(k.dot_values)[place] = s.value;
        }
        return __popc(__ballot_sync(full_warp, leads && s.met));
    }
};

/// Rows up to warp_row, a warp each; longer ones are listed.
template <class Cell>
__global__ void __launch_bounds__(block)
    dot_rows_kernel(device_mxm_arguments k, hash_detail::products<Cell> of) {
    __shared__ index_t keys[warps][warp_slots];
    __shared__ std::uint16_t places[warps][warp_slots];
    __shared__ std::uint32_t marks[warps][warp_marks];
    const index_t i = static_cast<index_t>(blockIdx.x * warps + threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    if (i >= k.rows) return;
    const device_offsets offsets{k.a.offsets.data, k.a.offsets.wide},
        mask{k.mask_offsets.data, k.mask_offsets.wide};
    const offset_t begin = offsets[i], first = mask[i], end = mask[i + offset_t{1}];
    const auto length = static_cast<index_t>(offsets[i + offset_t{1}] - begin);
    if (length > warp_row && first < end) {
        if (lane == 0) {
            k.dot_rows[atomicAdd(k.dot_long_rows, 1)] = i;
            k.dot_lengths[i] = 0;
        }
        return;
    }
    int met = 0;
    if (length == 0) {
        for (offset_t m = first + lane; m < end; m += 32) k.dot_met[m] = false;
    } else if (first < end) {
        const int bits = bits_for(length), mark_bits = min(13, bits + 4);
        const lookup a{nullptr, length, keys[warp], places[warp], marks[warp], bits, mark_bits};
        a.clear(lane, 32);
        __syncwarp();
        for (int p = lane; p < length; p += 32) a.insert(__ldg(k.a.columns + begin + p), p);
        __syncwarp();
        const dot_row<Cell> row{k, of, a, i, begin};
        for (offset_t m = first; m < end; m += 32) met += row.take(m, end);
    }
    if (lane == 0) k.dot_lengths[i] = met;
}

/// Listed rows, a block each.
template <class Cell>
__global__ void __launch_bounds__(block)
    dot_long_rows_kernel(device_mxm_arguments k, hash_detail::products<Cell> of) {
    extern __shared__ index_t room[];
    const int warp = static_cast<int>(threadIdx.x / 32);
    const device_offsets offsets{k.a.offsets.data, k.a.offsets.wide},
        mask{k.mask_offsets.data, k.mask_offsets.wide};
    for (int at = static_cast<int>(blockIdx.x); at < *k.dot_long_rows; at += static_cast<int>(gridDim.x)) {
        const index_t i = k.dot_rows[at];
        const offset_t begin = offsets[i], first = mask[i], end = mask[i + offset_t{1}];
        const auto length = static_cast<index_t>(offsets[i + offset_t{1}] - begin);
        const bool tabled = length <= block_row;
        const lookup a{tabled ? nullptr : k.a.columns + begin,
                       length,
                       room,
                       reinterpret_cast<std::uint16_t*>(room + block_slots),
                       reinterpret_cast<std::uint32_t*>(room + block_slots) + block_slots / 2,
                       bits_for(length),
                       16};
        if (tabled) {
            a.clear(static_cast<int>(threadIdx.x), block);
            __syncthreads();
            for (int p = static_cast<int>(threadIdx.x); p < length; p += block)
                a.insert(__ldg(k.a.columns + begin + p), p);
            __syncthreads();
        }
        const dot_row<Cell> row{k, of, a, i, begin};
        int met = 0;
        for (offset_t m = first + warp * 32; m < end; m += block) met += row.take(m, end);
        if (threadIdx.x % 32 == 0 && met) atomicAdd(k.dot_lengths + i, met);
        __syncthreads();
    }
}

}  // namespace dot_detail

/// Sums at the mask's entries, and the result's row lengths.
template <class Cell>
void masked_dot(const device_mxm_arguments& k, void* stream) {
    using namespace dot_detail;
    const auto on = static_cast<cudaStream_t>(stream);
    const hash_detail::products<Cell> of(k);
    check(cudaMemsetAsync(k.dot_long_rows, 0, sizeof(index_t), on));
    dot_rows_kernel<Cell><<<(static_cast<unsigned>(k.rows) + warps - 1) / warps, block, 0, on>>>(k, of);
    constexpr int room = block_slots * (sizeof(index_t) + sizeof(std::uint16_t)) + block_marks * 4;
    constexpr unsigned long_blocks = 1024;  // two are on a multiprocessor at a time
    check(
        cudaFuncSetAttribute(dot_long_rows_kernel<Cell>, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    dot_long_rows_kernel<Cell><<<long_blocks, block, room, on>>>(k, of);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
