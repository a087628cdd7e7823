// mxm/masked_dot on a GPU: C<M> = A B, a dot product for each place that the mask lists.
//
// Computes: for each row of the mask, A's row goes into a table of shared memory, its columns hashed; for each place (i, j) of that
//   row, B's column j is gone through and looks itself up there, in tables that are more than an eighth full first among bits that
//   refuse nearly all that is absent. A column of more than 32 entries for each of A's row is searched for those by halving instead.
//   Sums, and whether there is one, stand at the mask's entries until all are known; then rows are counted, scanned, and moved together.
// Who owns what: a warp has a row of A of up to 256 entries, until it has gone through twice the mean of all warps, or 1,024 entries of B;
//   what is left of its places, and longer rows, blocks of 512 threads have, whose warps take up to 32 places at a time: where such rows
//   are few, several blocks have one. For each eight places their columns' lengths say whether 4, 8, 16 or 32 lanes go through a column.
//   A column of more than 4,096 entries that is not searched is a block's. Rows of A over 8,192 entries are not tabled but, behind the
//   bits, searched by halving, in device memory.
// Shared memory: 6 bytes a slot and the bits, 32 KiB a block of warps, 28 and 104 KiB a block of one row of up to 2,048 entries and of
//   more. Workspace: a value and a byte for each entry of the mask, 16 bytes a row.
// Sync: warps, or blocks of a row, after the table is cleared and after it is filled; seven launches.
// Determinism: lane l of a group of g adds entries l, l + g, ... of a column, and a group's sums are added in a tree of fixed shape; which
//   lanes have a column depends on its and its neighbours' lengths alone. `any` is the first entry.
// Cost: entries of A's rows once, and of B's columns for each place of the mask. Distance to the limit (H200): dense:1000,1000 under
//   itself goes through 270 G entries of columns a second, banded:200000,21 through 140 G, where a copy would bring 1,050 G: that is
//   100 and 210 issue slots for 32 entries, which are hashed, probed, and meet in both values. Rows of few short columns leave lanes
//   idle: a warp takes as long for laplace2d's 25 entries a row as for some 150 of the band: docs/measurements/spgemm.md.
// Why masked_row was not enough: it numbers places before it sums, so that products come twice; on triangles of Kronecker graphs
//   its tables of words, and the blocks that have long rows, took most of its time.
#pragma once

#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/hash.cuh"
#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

namespace dot_detail {

constexpr unsigned block = 256, warps = block / 32;                       // of rows that a warp has
constexpr unsigned shared_block = 512, shared_warps = shared_block / 32;  // of rows that blocks share
/// Slots of a row's table, half of which it may take, and bits that refuse where more than an eighth is taken.
constexpr int warp_bits = 9, warp_slots = 1 << warp_bits, mid_slots = 4096, large_slots = 16384;
constexpr int warp_mark_bits = 13, mid_mark_bits = 15, large_mark_bits = 16, untabled_mark_bits = 19;
constexpr index_t warp_row = warp_slots / 2, mid_row = mid_slots / 2, large_row = large_slots / 2;
constexpr int unit = 8;   // places whose columns are gone through by as many lanes each
constexpr int batch = 4;  // entries of a column that a lane has under way together
/// A column of more entries for each of A's row is searched for these by halving.
constexpr index_t search_share = 32;
/// Longer ones that are not searched are gone through by a block.
constexpr index_t block_column = 4096;

/// A row of A as a set of columns with places: a table in shared memory, or the row itself, ascending.
struct lookup {
    const index_t* row = nullptr;
    index_t length = 0;
    bool tabled = true, marked = true;
    index_t* keys = nullptr;
    std::uint16_t* places = nullptr;
    std::uint32_t* marks = nullptr;
    int bits = 0, mark_bits = 0;  ///< at least 5

    __device__ static unsigned hash(index_t column) { return static_cast<unsigned>(column) * 0x9E3779B1u; }
    __device__ int next(int slot) const { return (slot + 1) & ((1 << bits) - 1); }
    /// Empties the table, by `threads` threads.
    __device__ void clear(int thread, int threads) const {
        if (tabled)
            for (int s = thread; s < 1 << bits; s += threads) keys[s] = -1;
        if (marked)
            for (int w = thread; w < 1 << (mark_bits - 5); w += threads) marks[w] = 0;
    }
    __device__ void insert(index_t column, int place) const {
        if (marked) {
            const unsigned mark = hash(column) >> (32 - mark_bits);
            atomicOr(marks + mark / 32, 1u << (mark % 32));
        }
        if (!tabled) return;
        for (int s = static_cast<int>(hash(column) >> (32 - bits));; s = next(s))
            if (atomicCAS(keys + s, -1, column) == -1) {
                places[s] = static_cast<std::uint16_t>(place);
                return;
            }
    }
    /// The place of a column in the row, or -1.
    __device__ index_t find(index_t column) const {
        const unsigned h = hash(column);
        if (marked) {  // which refuse nearly all that it does not hold
            const unsigned mark = h >> (32 - mark_bits);
            if (!(marks[mark / 32] >> (mark % 32) & 1)) return -1;
        }
        if (!tabled) {
            const index_t low = lower_bound(row, index_t{0}, length, column);
            return low < length && __ldg(row + low) == column ? low : -1;
        }
        for (int s = static_cast<int>(h >> (32 - bits));; s = next(s)) {
            const index_t key = keys[s];
            if (key == column) return places[s];
            if (key == -1) return -1;
        }
    }
};

/// The smallest table, of 2^bits slots, that is at most half full.
__device__ inline int bits_for(index_t length) { return max(5, 33 - __clz(length - 1 + (length == 1))); }

/// What a lane has met of a place: the sum, and for `any` the first entry of the column.
template <class Cell>
struct dot_sum : partial<Cell> {
    using V = typename Cell::value;
    index_t at = 0;

    __device__ void meet(index_t q, V product) {
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
            const index_t from = Cell::first_wins ? __shfl_down_sync(full_warp, at, distance, width) : 0;
            const bool inside = (static_cast<int>(threadIdx.x) & (width - 1)) + distance < width;
            if (other && inside) meet(from, value);
        }
    }
};

/// Up to 32 places of the mask, a column of B each: the lane's, and what the warp does with all.
struct dot_columns {
    offset_t begin = 0;
    index_t length = 0;
    bool searched = false;  ///< entries of A's row look themselves up in it
    bool of_block = false;
    int count = 0;       ///< places
    int width = 4;       ///< lanes that have a column of the lane's unit together
    unsigned steps = 0;  ///< of all, searches at what they cost
};

template <class Cell>
struct dot_row {
    const device_mxm_arguments& k;
    const hash_detail::products<Cell>& of;
    const lookup& a;
    index_t i;
    typename hash_detail::products<Cell>::row_of_a row;

    /// The columns of places [first, end) of the mask, up to 32; all lanes of the warp call it.
    __device__ dot_columns look(offset_t first, offset_t end) const {
        dot_columns c;
        const offset_t place = first + threadIdx.x % 32;
        if (place < end) {
            const device_offsets offsets{k.b.offsets.data, k.b.offsets.wide};
            const index_t j = __ldg(k.mask_columns + place);
            c.begin = offsets[j];
            c.length = static_cast<index_t>(offsets[j + offset_t{1}] - c.begin);
        }
        c.searched = c.length / search_share > a.length;
        c.of_block = !c.searched && c.length > block_column;
        c.count = static_cast<int>(min(offset_t{32}, end - first));
        const auto entries = static_cast<unsigned>(c.searched ? a.length : c.of_block ? 0 : c.length);
        c.steps = __reduce_add_sync(full_warp,
                                    c.searched ? entries * static_cast<unsigned>(search_share) : entries);
        c.width = best_width(entries);
        return c;
    }
    /// Their sums, but for those that a block has; places begin at `first`. Returns how many have an entry.
    __device__ int take(offset_t first, const dot_columns& c) const {
        int met = 0;
        for (int from = 0; from < c.count; from += unit)
            met += take_unit(first, c, from, min(unit, c.count - from));
        return met;
    }
    /// A column by all threads of a block of Warps warps; the sum is thread 0's.
    template <int Warps>
    __device__ dot_sum<Cell> sum(offset_t from, index_t length) const {
        __shared__ typename Cell::value values[Warps];
        __shared__ index_t first[Warps];
        __shared__ bool met[Warps];
        const int t = static_cast<int>(threadIdx.x);
        dot_sum<Cell> s;
        add(s, from, length, t, 32 * Warps);
        __syncwarp();
        s.join(32);
        if (t % 32 == 0) {
            values[t / 32] = s.value;
            first[t / 32] = s.at;
            met[t / 32] = s.met;
        }
        __syncthreads();
        if (t == 0)
            for (int w = 1; w < Warps; ++w)
                if (met[w]) s.meet(first[w], values[w]);
        __syncthreads();
        return s;
    }
    __device__ void put(offset_t place, const dot_sum<Cell>& s) const {
        k.dot_met[place] = s.met;
        if (s.met) static_cast<typename Cell::value*>(k.dot_values)[place] = s.value;
    }

private:
    // Lanes a column for the eight columns of the lane's unit: so many that turns are few, of batches and of columns; a turn of columns
    // goes on until the longest of them is through.
    __device__ static int best_width(unsigned entries) {
        constexpr unsigned turn_cost = 3, batch_cost = 4;
        unsigned least = ~0u;
        int best = 4;
#pragma unroll
        for (int width = 4; width <= 32; width *= 2) {
            const int together = 32 / width;
            unsigned batches =
                (entries + static_cast<unsigned>(width * batch) - 1) / static_cast<unsigned>(width * batch);
#pragma unroll
            for (int distance = 1; distance < unit; distance *= 2) {
                const unsigned other = __shfl_xor_sync(full_warp, batches, distance);
                batches = distance < together ? max(batches, other) : batches + other;
            }
            const unsigned cost = batch_cost * batches + turn_cost * static_cast<unsigned>(unit / together);
            if (cost >= least) continue;
            least = cost;
            best = width;
        }
        return best;
    }
    __device__ int take_unit(offset_t first, const dot_columns& c, int begin, int count) const {
        const int width = __shfl_sync(full_warp, c.width, begin);
        const int groups = 32 / width, group = static_cast<int>(threadIdx.x % 32) / width,
                  lane = static_cast<int>(threadIdx.x) & (width - 1);
        int met = 0;
        for (int base = 0; base < count; base += groups) {
            const int own = begin + base + group;
            const offset_t from = __shfl_sync(full_warp, c.begin, own & 31);
            const index_t length = __shfl_sync(full_warp, c.length, own & 31);
            const bool searched = __shfl_sync(full_warp, c.searched, own & 31),
                       mine = !__shfl_sync(full_warp, c.of_block, own & 31) && base + group < count;
            dot_sum<Cell> s;
            if (mine) searched ? search(s, from, length, lane, width) : add(s, from, length, lane, width);
            __syncwarp();
            s.join(width);
            if (mine && lane == 0) put(first + own, s);
            met += __popc(__ballot_sync(full_warp, mine && lane == 0 && s.met));
        }
        return met;
    }
    // Entries lane, lane + width, ... of a column look themselves up in A's row.
    __device__ void add(dot_sum<Cell>& s, offset_t from, index_t length, int lane, int width) const {
        const auto column = of.from(k.b.columns, from);
        const auto end = static_cast<unsigned>(length), step = static_cast<unsigned>(width);
        for (auto q = static_cast<unsigned>(lane); q < end; q += batch * step) {
            index_t inner[batch], at[batch];
#pragma unroll
            for (unsigned n = 0; n < batch; ++n)
                inner[n] = q + n * step < end ? column.column(static_cast<index_t>(q + n * step)) : -1;
#pragma unroll
            for (unsigned n = 0; n < batch; ++n) at[n] = inner[n] >= 0 ? a.find(inner[n]) : -1;
            typename Cell::operand x[batch], y[batch];
#pragma unroll
            for (unsigned n = 0; n < batch; ++n) {
                x[n] = at[n] >= 0 ? row.value(at[n]) : typename Cell::operand{};
                y[n] =
                    at[n] >= 0 ? column.value(static_cast<index_t>(q + n * step)) : typename Cell::operand{};
            }
#pragma unroll
            for (unsigned n = 0; n < batch; ++n)
                if (at[n] >= 0)
                    s.meet(static_cast<index_t>(q + n * step), Cell::multiply(x[n], y[n], i, inner[n]));
        }
    }
    // Entries of A's row look themselves up in the column.
    __device__ void search(dot_sum<Cell>& s, offset_t from, index_t length, int lane, int width) const {
        const auto column = of.from(k.b.columns, from);
        for (offset_t at = lane; at < a.length; at += width) {
            const auto p = static_cast<index_t>(at);
            const index_t inner = __ldg(a.row + p),
                          q = lower_bound(column.columns, index_t{0}, length, inner);
            if (q < length && column.column(q) == inner)
                s.meet(q, Cell::multiply(row.value(p), column.value(q), i, inner));
        }
    }
};

/// Rows up to warp_row, a warp each, until that has gone through its share of steps; longer ones and what is left are listed, rows up
/// to mid_row from the front, the others from the back. Until rows are counted, dot_starts has where in the mask they begin.
template <class Cell>
__global__ void __launch_bounds__(block, 5)
    dot_rows_kernel(device_mxm_arguments k, hash_detail::products<Cell> of, unsigned share) {
    __shared__ index_t keys[warps][warp_slots];
    __shared__ std::uint16_t places[warps][warp_slots];
    __shared__ std::uint32_t marks[warps][(1 << warp_mark_bits) / 32];
    const index_t i = static_cast<index_t>(blockIdx.x * warps + threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    if (i >= k.rows) return;
    const device_offsets offsets{k.a.offsets.data, k.a.offsets.wide},
        mask{k.mask_offsets.data, k.mask_offsets.wide};
    const offset_t begin = offsets[i], first = mask[i], end = mask[i + offset_t{1}];
    const auto length = static_cast<index_t>(offsets[i + offset_t{1}] - begin);
    int met = 0;
    offset_t left = end;
    if (length == 0) {
        for (offset_t m = first + lane; m < end; m += 32) k.dot_met[m] = false;
    } else if (length > warp_row) {
        left = first;
    } else if (first < end) {
        const int least = bits_for(length), bits = min(least + 2, warp_bits);
        const lookup a{.row = k.a.columns + begin,
                       .length = length,
                       .marked = bits < least + 2,
                       .keys = keys[warp],
                       .places = places[warp],
                       .marks = marks[warp],
                       .bits = bits,
                       .mark_bits = min(warp_mark_bits, least + 4)};
        a.clear(lane, 32);
        __syncwarp();
        for (int p = lane; p < length; p += 32) a.insert(__ldg(k.a.columns + begin + p), p);
        __syncwarp();
        const dot_row<Cell> row{k, of, a, i, of.row(begin)};
        unsigned steps = 0;
        for (offset_t m = first; m < end; m += 32) {
            const dot_columns c = row.look(m, end);
            // What is left is as much a place, about.
            const bool worth = c.steps / 32 * (end - m) > share / 2;
            const bool much = steps + c.steps > (m == first ? 2 : 1) * share;
            if ((much && worth) || __any_sync(full_warp, c.of_block)) {
                left = m;
                break;
            }
            steps += c.steps;
            met += row.take(m, c);
        }
    }
    if (lane != 0) return;
    k.dot_lengths[i] = met;
    if (left == end) return;
    const bool large = length > mid_row;
    const index_t n = atomicAdd(k.dot_long_rows + large, 1), at = large ? k.rows - 1 - n : n;
    k.dot_rows[at] = i;
    k.dot_starts[at] = left;
}

/// Listed rows, by blocks: where there are few of them, each has parts of many.
template <class Cell, bool Large>
__global__ void __launch_bounds__(shared_block, 2)
    dot_shared_rows_kernel(device_mxm_arguments k, hash_detail::products<Cell> of) {
    constexpr int slots = Large ? large_slots : mid_slots, most_parts = 64;
    extern __shared__ index_t room[];
    __shared__ int long_columns, listed;
    __shared__ offset_t list[shared_block];
    const int t = static_cast<int>(threadIdx.x);
    const device_offsets offsets{k.a.offsets.data, k.a.offsets.wide},
        mask{k.mask_offsets.data, k.mask_offsets.wide};
    const int rows = k.dot_long_rows[Large];
    if (rows == 0) return;
    const int parts = min(max(2 * static_cast<int>(gridDim.x) / rows, 1), most_parts);
    for (offset_t work = blockIdx.x; work < offset_t{rows} * parts; work += gridDim.x) {
        const auto n = static_cast<index_t>(work % rows), at = Large ? k.rows - 1 - n : n, i = k.dot_rows[at];
        const offset_t begin = offsets[i], end = mask[i + offset_t{1}], left = k.dot_starts[at];
        // Places that a warp has at a time, and the block.
        const int each = end - left < offset_t{parts} * shared_block ? unit : 32,
                  together = each * shared_warps;
        const offset_t first = left + work / rows * together;
        if (first >= end) continue;
        const auto length = static_cast<index_t>(offsets[i + offset_t{1}] - begin);
        const bool tabled = !Large || length <= large_row;
        const lookup a{.row = k.a.columns + begin,
                       .length = length,
                       .tabled = tabled,
                       .keys = room,
                       .places = reinterpret_cast<std::uint16_t*>(room + slots),
                       .marks = reinterpret_cast<std::uint32_t*>(tabled ? room + slots / 2 * 3 : room),
                       .bits = bits_for(length),
                       .mark_bits = !tabled ? untabled_mark_bits
                                    : Large ? large_mark_bits
                                            : mid_mark_bits};
        if (t == 0) long_columns = 0;
        a.clear(t, shared_block);
        __syncthreads();
        for (offset_t p = t; p < length; p += shared_block)
            a.insert(__ldg(k.a.columns + begin + p), static_cast<int>(p));
        __syncthreads();
        const dot_row<Cell> row{k, of, a, i, of.row(begin)};
        int met = 0;
        const offset_t stride = offset_t{parts} * together;
        for (offset_t m = first + t / 32 * each; m < end; m += stride) {
            const dot_columns c = row.look(m, min(end, m + each));
            if (c.of_block) long_columns = 1;
            met += row.take(m, c);
        }
        if (t % 32 == 0 && met) atomicAdd(k.dot_lengths + i, met);
        __syncthreads();
        if (long_columns) {
            for (offset_t base = first; base < end; base += stride) {
                if (t == 0) listed = 0;
                __syncthreads();
                const offset_t m = base + t / 32 * each;
                if (m < end && row.look(m, min(end, m + each)).of_block)
                    list[atomicAdd(&listed, 1)] = m + t % 32;
                __syncthreads();
                for (int l = 0; l < listed; ++l) {
                    const device_offsets b{k.b.offsets.data, k.b.offsets.wide};
                    const index_t j = __ldg(k.mask_columns + list[l]);
                    const dot_sum<Cell> s =
                        row.template sum<shared_warps>(b[j], static_cast<index_t>(b[j + offset_t{1}] - b[j]));
                    if (t > 0) continue;
                    row.put(list[l], s);
                    if (s.met) atomicAdd(k.dot_lengths + i, 1);
                }
                __syncthreads();
            }
        }
        __syncthreads();
    }
}

template <class Cell, bool Large>
void shared_rows(const device_mxm_arguments& k, const hash_detail::products<Cell>& of, unsigned blocks,
                 cudaStream_t on) {
    constexpr int slots = Large ? large_slots : mid_slots,
                  room = slots * 6 + (1 << (Large ? large_mark_bits : mid_mark_bits)) / 8;
    static_assert(!Large || room >= (1 << untabled_mark_bits) / 8);
    allow_shared(dot_shared_rows_kernel<Cell, Large>, room);
    dot_shared_rows_kernel<Cell, Large><<<blocks, shared_block, room, on>>>(k, of);
}

}  // namespace dot_detail

/// Sums at the mask's entries, and the result's row lengths.
template <class Cell>
void masked_dot(const device_mxm_arguments& k, void* stream) {
    using namespace dot_detail;
    const auto on = static_cast<cudaStream_t>(stream);
    const hash_detail::products<Cell> of(k);
    const int multiprocessors = k.gpu->about().multiprocessors;
    check(cudaMemsetAsync(k.dot_long_rows, 0, 2 * sizeof(index_t), on));
    if (k.rows == 0) return;
    dot_rows_kernel<Cell><<<(static_cast<unsigned>(k.rows) + warps - 1) / warps, block, 0, on>>>(
        k, of, plan::dot_share(k.mask_entries, k.columns ? k.b_entries / k.columns : 0, multiprocessors));
    shared_rows<Cell, false>(k, of, 3 * static_cast<unsigned>(multiprocessors), on);
    shared_rows<Cell, true>(k, of, 2 * static_cast<unsigned>(multiprocessors), on);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
