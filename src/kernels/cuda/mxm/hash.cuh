// mxm/hash on a GPU: C = A B row by row, every row in a table of its own size, by as many threads as it needs.
//
// Steps: survey (products of each row, rows into bins by them), count (entries of each row, rows into bins by those, and
//   the scan that makes offsets), fill. The host reads bins and sizes after each of the first two, no more.
// Who owns what: a row of up to 512 entries (count: 1536 products) belongs to 8 lanes or to a warp, whose hash table lies
//   in shared memory; lanes take its products side by side, whatever rows of B they come from, by a scan of these rows'
//   lengths. A longer row belongs to a block of 512 or 1024 threads: its columns are set as bits of a word-wise table;
//   the bits before a column are its place, so that sums are added up where the result lies, sorted without a sort.
// Shared memory: slots x (a value + 8 bytes) a small row; 1.5 bits a column for a block, up to 1.1 million columns. Wider
//   matrices have that table in device memory, in a workspace of at most 256 MiB.
// Sync: warps after each of their steps; a block between products of one place, once a product's turn.
// Determinism: products of one place are added in the order of k. Lanes whose products meet take turns in their order;
//   in a block entries of A do, or warps where there are more entries than warps. Bit for bit the CPU's.
// Cost: products read once in count and once in fill (twice in a block's rows), a probe of shared memory each; a bitonic
//   sort of short rows' columns. On one H200 laplace3d:100 squared takes 12.6 ms, of which its bytes at the copy rate
//   would be 0.4: products are the time, not streams. Where a block has a row, its turns are: rmat_directed:17,8 spends
//   10 of 12.5 ms in them.
// Why one kernel was not enough: of a row of ten products a block's barriers are the whole time, and a table for a row of
//   a hundred thousand entries fits no shared memory. The idea of bins is that of matam2012 and those after it.
#pragma once

#include "algebra/before_first.hpp"
#include "algebra/cell.hpp"
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

namespace hash_detail {

/// The values of both sides, and what becomes of a product.
template <class Cell>
struct products {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    const T *a_values, *b_values;
    int a_step, b_step;

    products(const device_mxm_arguments& k)
        : a_values(static_cast<const T*>(k.a.values)),
          b_values(static_cast<const T*>(k.b.values)),
          a_step(static_cast<int>(k.a_step)),
          b_step(static_cast<int>(k.b_step)) {}

    __device__ T a(offset_t p) const {
        if constexpr (Cell::reads_a) return read_only(a_values + p * a_step);
        return T{};
    }
    __device__ T b(offset_t q) const {
        if constexpr (Cell::reads_b) return read_only(b_values + q * b_step);
        return T{};
    }
    /// Where the first product wins, entries are gone through from the last, and the last to come stays.
    static constexpr bool backwards = Cell::first_wins;
    __device__ static T read_only(const T* at) {
        if constexpr (std::is_same_v<T, bool>)  // of which the device has no such load
            return *at;
        else
            return __ldg(at);
    }
    __device__ static void add(V& sum, V product) {
        if constexpr (Cell::first_wins)
            sum = product;
        else
            sum = Cell::add(sum, product);
    }
    __device__ static V nothing() {
        if constexpr (Cell::first_wins) return V{};
        return algebra::before_first<Cell>();
    }
};

/// Entries of A whose products lanes have side by side: so few take turns unasked, which costs less than to ask who meets
/// whom. Products of one entry never meet.
inline constexpr int few_turns = 4;

/// Adds products that may meet others of the warp, whose order is that of lanes: `place` is the same where they meet.
template <class Add>
__device__ void add_in_turn(bool active, unsigned place, Add&& add) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned peers = __match_any_sync(full_warp, active ? place : ~lane);
    const int turn = active ? __popc(peers & ((1u << lane) - 1)) : -1;
    for (int now = 0; __any_sync(full_warp, turn >= now); ++now) {
        if (turn == now) add();
        __syncwarp();
    }
}

/// Sorts places[0 .. size), a power of two, by Lanes lanes; the warp's other lanes sort as many.
template <int Lanes>
__device__ void sort_places(unsigned long long* places, int size) {
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    for (int run = 2; run <= size; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
            for (int i = lane; i < size / 2; i += Lanes) {
                const int low = 2 * i - (i & (distance - 1)), high = low + distance;
                const unsigned long long x = places[low], y = places[high];
                if ((x > y) == ((low & run) == 0)) {
                    places[low] = y;
                    places[high] = x;
                }
            }
            __syncwarp();
        }
}

/// The taken slots, column above and slot below, ascending.
template <int Lanes>
__device__ void list_places(const index_t* keys, int slots, unsigned long long* places) {
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const unsigned warp_lane = threadIdx.x % 32, first = warp_lane - static_cast<unsigned>(lane);
    const unsigned group = Lanes == 32 ? full_warp : ((1u << Lanes % 32) - 1) << first;
    int count = 0;
    for (int s = lane; s - lane < slots; s += Lanes) {
        const index_t key = keys[s];
        const unsigned taken = __ballot_sync(full_warp, key != no_key) & group;
        if (key != no_key)
            places[count + __popc(taken & ((1u << warp_lane) - 1))] =
                static_cast<unsigned long long>(key) << 32 | static_cast<unsigned>(s);
        count += __popc(taken);
    }
    const int most = __reduce_max_sync(full_warp, count);
    const int size = most <= 1 ? 1 : 1 << (32 - __clz(most - 1));
    for (int i = count + lane; i < size; i += Lanes) places[i] = ~0ull;
    __syncwarp();
    sort_places<Lanes>(places, size);
}

}  // namespace hash_detail

template <class Cell, int Lanes>
__global__ void __launch_bounds__(lanes_block)
    hash_fill_kernel(device_mxm_side a, device_mxm_side b, hash_detail::products<Cell> of,
                     const index_t* listed, unsigned rows, int slots, const offset_t* starts,
                     index_t* out_columns, typename Cell::value* out_values) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    extern __shared__ unsigned long long shared_tables[];
    const int lane = static_cast<int>(threadIdx.x) % Lanes, group = static_cast<int>(threadIdx.x) / Lanes;
    constexpr int groups = lanes_block / Lanes;
    unsigned long long* places = shared_tables + group * (slots / 2);
    V* const all_sums = reinterpret_cast<V*>(shared_tables + groups * (slots / 2));
    V* const sums = all_sums + group * slots;
    index_t* keys = reinterpret_cast<index_t*>(all_sums + groups * slots) + group * slots;
    const unsigned at = blockIdx.x * groups + static_cast<unsigned>(group);
    const index_t row = at < rows ? listed[at] : 0;
    const offset_t first = at < rows ? a.offsets[row] : 0,
                   last = at < rows ? a.offsets[row + offset_t{1}] : 0;
    for (int s = lane; s < slots; s += Lanes) {
        keys[s] = no_key;
        sums[s] = of.nothing();
    }
    __syncwarp();
    const int shift = shift_of(slots);
    T x{};
    index_t inner = 0;
    for_products<Lanes, of.backwards>(
        a, b, first, last,
        [&](offset_t p, index_t k) {
            x = of.a(p);
            inner = k;
        },
        [&](bool active, int owner, offset_t q) {
            T left{};
            if constexpr (Cell::reads_a) left = lane_value(x, owner, Lanes);
            index_t k = 0;
            if constexpr (Cell::positional) k = __shfl_sync(full_warp, inner, owner, Lanes);
            V product{};
            int slot = 0;
            if (active) {
                bool made;
                slot = slot_of(keys, slots, shift, __ldg(b.columns + q), made);
                product = Cell::multiply(left, of.b(q), row, k);
            }
            const auto add = [&] { of.add(sums[slot], product); };
            const int first_owner = __shfl_sync(full_warp, owner, 0, Lanes);
            const int turn = active ? owner - first_owner : -1;
            const int turns = __reduce_max_sync(full_warp, turn);
            if (turns < hash_detail::few_turns) {
                for (int now = 0; now <= turns; ++now) {
                    if (turn == now) add();
                    __syncwarp();
                }
            } else {
                hash_detail::add_in_turn(active, static_cast<unsigned>(group * slots + slot), add);
            }
        });
    hash_detail::list_places<Lanes>(keys, slots, places);
    if (at >= rows) return;
    const offset_t begin = starts[row];
    const int entries = static_cast<int>(starts[row + offset_t{1}] - begin);
    for (int i = lane; i < entries; i += Lanes) {
        out_columns[begin + i] = static_cast<index_t>(places[i] >> 32);
        out_values[begin + i] = sums[static_cast<unsigned>(places[i])];
    }
}

namespace hash_detail {

/// A block's inclusive scan of one number a thread, and their sum.
__device__ inline int block_scan(int mine, int* warp_totals, int& total) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const int below = __shfl_up_sync(full_warp, mine, distance);
        if (lane >= distance) mine += below;
    }
    if (lane == 31) warp_totals[warp] = mine;
    __syncthreads();
    const int others = lane < warps ? warp_totals[lane] : 0;
    const int before =
        static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(lane < warp ? others : 0)));
    total = static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(others)));
    __syncthreads();
    return before + mine;
}

/// How many columns lie before each word; and the row's columns.
__device__ inline void write_columns(const unsigned long long* bits, int* before, int words, int* warp_totals,
                                     index_t* out) {
    int running = 0;
    for (int base = 0; base < words; base += static_cast<int>(blockDim.x)) {
        const int w = base + static_cast<int>(threadIdx.x);
        unsigned long long left = w < words ? bits[w] : 0;
        const int own = __popcll(left);
        int total;
        int place = running + block_scan(own, warp_totals, total) - own;
        if (w < words) before[w] = place;
        for (; left; left &= left - 1) out[place++] = w * 64 + __ffsll(static_cast<long long>(left)) - 1;
        running += total;
    }
}

}  // namespace hash_detail

template <class Cell>
__global__ void __launch_bounds__(wide_row_block)
    hash_fill_rows_kernel(device_mxm_side a, device_mxm_side b, hash_detail::products<Cell> of,
                          const index_t* listed, unsigned rows, index_t columns, block_tables tables,
                          const offset_t* starts, index_t* out_columns, typename Cell::value* out_values) {
    using V = typename Cell::value;
    extern __shared__ unsigned long long shared_tables[];
    __shared__ entry_spread m;
    __shared__ int warp_totals[32], ends[2];
    const int words = (columns + 63) / 64, warps = static_cast<int>(blockDim.x) / 32;
    const int t = static_cast<int>(threadIdx.x);
    unsigned long long* bits = tables.of_block(shared_tables);
    int* before = reinterpret_cast<int*>(bits + words);
    for (unsigned at = blockIdx.x; at < rows; at += gridDim.x) {
        const index_t row = listed[at];
        const offset_t first = a.offsets[row], last = a.offsets[row + offset_t{1}], begin = starts[row];
        const offset_t entries = starts[row + offset_t{1}] - begin;
        V* sums = out_values + begin;
        mark_columns(m, a, b, first, last, bits, words);
        hash_detail::write_columns(bits, before, words, warp_totals, out_columns + begin);
        if constexpr (!Cell::first_wins)
            for (offset_t i = t; i < entries; i += blockDim.x) sums[i] = of.nothing();
        __syncthreads();
        for_block_products<of.backwards>(
            m, a, b, first, last, [&](bool active, offset_t n, int owner, offset_t q) {
                V product{};
                int place = 0;
                if (active) {
                    const index_t j = __ldg(b.columns + q);
                    place = before[j / 64] + __popcll(bits[j / 64] & ((1ull << j % 64) - 1));
                    product = Cell::multiply(of.a(entry_at<of.backwards>(first, last, n + owner)), of.b(q),
                                             row, m.rows[owner]);
                }
                // Products of one entry of A never meet. Where a block's are of several, they add in turn.
                const bool last_active = __syncthreads_count(active) == t + 1;
                if (t == 0) ends[0] = owner;
                if (last_active) ends[1] = owner;
                __syncthreads();
                const int first_owner = ends[0], turns = ends[1] - first_owner + 1;
                const auto add = [&] { of.add(sums[place], product); };
                if (turns <= warps) {
                    for (int turn = 0; turn < turns; ++turn) {
                        if (active && owner - first_owner == turn) add();
                        __syncthreads();
                    }
                } else {
                    for (int turn = 0; turn < warps; ++turn) {
                        if (t / 32 == turn)
                            hash_detail::add_in_turn(active, static_cast<unsigned>(place), add);
                        __syncthreads();
                    }
                }
            });
        __syncthreads();
    }
}

namespace hash_detail {

template <class Cell, int Lanes>
void fill_bin(const device_mxm_arguments& k, const plan::mxm_device_parts& parts, const index_t* listed,
              unsigned rows, int slots, cudaStream_t stream) {
    using V = typename Cell::value;
    constexpr unsigned groups = lanes_block / Lanes;
    const std::size_t shared =
        groups * static_cast<std::size_t>(slots) * (sizeof(V) + sizeof(index_t) + sizeof(std::uint64_t) / 2);
    allow_shared(hash_fill_kernel<Cell, Lanes>, shared);
    hash_fill_kernel<Cell, Lanes><<<(rows + groups - 1) / groups, lanes_block, shared, stream>>>(
        device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), products<Cell>(k), listed, rows,
        slots, parts.starts, k.out_columns, static_cast<V*>(k.out_values));
}

}  // namespace hash_detail

template <class Cell>
void hash_fill(const device_mxm_arguments& k, void* stream) {
    using V = typename Cell::value;
    hash_offsets(k, stream);
    const auto on = static_cast<cudaStream_t>(stream);
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const index_t* listed = parts.listed;
    if (const unsigned rows = k.by_entries.block_rows()) {
        const block_launch l = block_launch_of(k, rows);
        allow_shared(hash_fill_rows_kernel<Cell>, l.shared_bytes);
        hash_fill_rows_kernel<Cell><<<l.blocks, l.threads, l.shared_bytes, on>>>(
            device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), hash_detail::products<Cell>(k),
            listed, rows, k.columns, l.tables, parts.starts, k.out_columns, static_cast<V*>(k.out_values));
        listed += rows;
    }
    for (int bin = plan::block_bins; bin < plan::empty_bin; ++bin) {
        const unsigned rows = k.by_entries.rows[bin];
        if (rows == 0) continue;
        const int slots = plan::slots_of_bin(bin);
        slots <= few_lanes_slots ? hash_detail::fill_bin<Cell, few_lanes>(k, parts, listed, rows, slots, on)
                                 : hash_detail::fill_bin<Cell, 32>(k, parts, listed, rows, slots, on);
        listed += rows;
    }
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
