// A row of mxm/hash that a block has: its columns as bits, its sums in shared memory, products a step at a time.
#pragma once

#include "kernels/cuda/mxm/common_operands.cuh"
#include "kernels/cuda/mxm/common_step.cuh"

namespace nz::kernels::cuda {

namespace hash_detail {

/// A block's inclusive scan of one number a thread, and their sum.
__device__ inline int block_scan(int mine, int* warp_totals, int& total) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
    mine = sum_up_to<32>(mine);
    if (lane == 31) warp_totals[warp] = mine;
    __syncthreads();
    const int others = lane < warps ? warp_totals[lane] : 0;
    const int before =
        static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(lane < warp ? others : 0)));
    total = static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(others)));
    __syncthreads();
    return before + mine;
}

/// How many columns lie before each word; and the row's columns, where they are asked for.
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
        for (; out && left; left &= left - 1)
            out[place++] = w * 64 + __ffsll(static_cast<long long>(left)) - 1;
        running += total;
    }
}

}  // namespace hash_detail

/// What a block that has a row keeps beside the row's table.
template <class Cell>
struct alignas(16) block_row {
    entry_spread entries;
    block_step<typename Cell::value> step;
    typename Cell::operand left[spread_entries];
    int warp_totals[32], ends[2][2];
    // The row, this block's share of it, and the range of columns that it adds up at; here for the sake of registers.
    offset_t first, last, begin;
    index_t row;
    int last_word, last_place, word, word_end, place_begin, place_end;
    bool shared;
};
/// Entries of A whose products a step adds in turn, a barrier between; of more they are dealt to warps.
inline constexpr int most_turns = 16;
/// Products that an entry of A has in each range of columns at least, where a row is done in several.
inline constexpr int range_products = 32;

/// Blocks of one x have a row together. `room`: sums that a block has in shared memory. A row of more is done in as many ranges
/// of columns, or where these have few products an entry of A, with sums where the result lies.
template <class Cell, bool Masked>
__global__ void __launch_bounds__(wide_row_block)
    hash_fill_rows_kernel(device_mxm_side a, device_mxm_side b, device_mask mask,
                          hash_detail::products<Cell> of, const index_t* listed, unsigned rows,
                          index_t columns, block_tables tables, int room, const offset_t* starts,
                          index_t* out_columns, typename Cell::value* out_values) {
    using V = typename Cell::value;
    using T = typename Cell::operand;
    extern __shared__ unsigned long long shared_tables[];
    auto& m = *reinterpret_cast<block_row<Cell>*>(shared_tables);
    const int words = static_cast<int>((offset_t{columns} + 63) / 64), t = static_cast<int>(threadIdx.x);
    V* const in_shared = reinterpret_cast<V*>(&m + 1);
    unsigned long long* bits =
        tables.of_block(shared_tables + (sizeof m + plan::padded(room * sizeof(V))) / 8);
    int* before = reinterpret_cast<int*>(bits + words);
    for (unsigned at = blockIdx.x; at < rows; at += gridDim.x) {
        const index_t row = listed[at];
        const offset_t products = mark_columns(m.entries, a, b, mask, row, bits, words);
        hash_detail::write_columns(bits, before, words, m.warp_totals,
                                   blockIdx.y == 0 ? out_columns + starts[row] : nullptr);
        // The first word that has `place` entries before it, or more.
        const auto word_from = [&](int low, int place) {
            for (int high = words; low < high;) {
                const int middle = (low + high) / 2;
                before[middle] < place ? low = middle + 1 : high = middle;
            }
            return low;
        };
        __syncthreads();
        if (t == 0) {
            m.row = row;
            m.first = a.offsets[row];
            m.last = a.offsets[row + offset_t{1}];
            m.begin = starts[row];
            const int entries = static_cast<int>(starts[row + offset_t{1}] - m.begin);
            // Where several blocks have the row, this one has those words whose entries begin in its share.
            const auto share_of = [&](unsigned n) {
                return static_cast<int>(offset_t{entries} * n / gridDim.y);
            };
            m.word_end = blockIdx.y == 0 ? 0 : word_from(0, share_of(blockIdx.y));
            m.last_word = blockIdx.y + 1 == gridDim.y ? words : word_from(0, share_of(blockIdx.y + 1));
            m.last_place = m.last_word < words ? before[m.last_word] : entries;
            m.place_end = m.word_end < words ? before[m.word_end] : entries;
            const int ranges = room > 0 ? (m.last_place - m.place_end + room - 1) / room : 0;
            m.shared = ranges == 1 || (ranges > 1 && products / gridDim.y >= offset_t{range_products} *
                                                                                 ranges * (m.last - m.first));
        }
        __syncthreads();
        int step = 0;
        while (m.place_end < m.last_place) {
            __syncthreads();
            if (t == 0) {
                m.word = m.word_end;
                m.place_begin = m.place_end;
                const bool rest = !m.shared || m.last_place - m.place_begin <= room;
                m.word_end = rest ? m.last_word
                                  : word_from(m.word + 1, m.place_begin + room - 63);  // a word has up to 64
                m.place_end = rest ? m.last_place : before[m.word_end];
            }
            __syncthreads();
            V* const sums = m.shared ? in_shared : out_values + m.begin + m.place_begin;
            if constexpr (!Cell::first_wins)
                for (int i = t; i < m.place_end - m.place_begin; i += static_cast<int>(blockDim.x))
                    sums[i] = of.nothing();
            for (offset_t n = 0; n < m.last - m.first; n += spread_entries) {
                const bool all = m.word == 0 && m.word_end == words;
                const column_range range{
                    m.word * 64,
                    all ? 0 : static_cast<index_t>(min(m.word_end * offset_t{64}, offset_t{columns})), all};
                m.entries.template take<of.backwards>(a, b, m.first, m.last, n, range,
                                                      [&](int e, offset_t p) { m.left[e] = of.a(p); });
                for (offset_t from = 0; from < m.entries.total(); from += step_products, ++step) {
                    int place[step_each], owner[step_each];
                    index_t column[step_each];
                    T right[step_each] = {};
                    V product[step_each];
                    m.entries.owners(from, owner);
                    int* const ends = m.ends[step % 2];
                    const auto last_number =
                        static_cast<int>(min(m.entries.total() - from, offset_t{step_products})) - 1;
                    if (t == 0) ends[0] = owner[0];
#pragma unroll
                    for (int u = 0; u < step_each; ++u)
                        if (owner[u] >= 0 && product_number(u) == last_number) ends[1] = owner[u];
#pragma unroll
                    for (int u = 0; u < step_each; ++u) {
                        // Without branches, so that a thread's reads wait together (of no product: the first's); and no
                        // read-only ones, which the compiler puts off beyond the barrier, to where they are waited for.
                        const offset_t q = m.entries.place_in_b(owner[u], from + product_number(u));
                        column[u] = b.columns[q];
                        if constexpr (Cell::reads_b) right[u] = of.b_values[q * of.b_step];
                    }
                    __syncthreads();  // sums of the step before are there
                    unsigned long long word_bits[step_each];
#pragma unroll
                    for (int u = 0; u < step_each; ++u) {
                        word_bits[u] = bits[column[u] / 64];
                        place[u] = before[column[u] / 64] - m.place_begin;
                    }
#pragma unroll
                    for (int u = 0; u < step_each; ++u) {
                        const int entry = max(owner[u], 0), bit = column[u] % 64;
                        place[u] += __popcll(word_bits[u] & ((1ull << bit) - 1));
                        product[u] = Cell::multiply(m.left[entry], right[u], m.row, m.entries.rows[entry]);
                        if (owner[u] < 0 || (Masked && !(word_bits[u] >> bit & 1))) place[u] = -1;
                    }
                    const int first_owner = ends[0], turns = ends[1] - first_owner + 1;
                    if (turns > most_turns) {
                        m.step.template add<hash_detail::products<Cell>>(place, product, sums);
                        continue;
                    }
                    for (int turn = 0; turn < turns; ++turn) {  // products of one entry of A never meet
                        if (turn > 0) __syncthreads();
                        V sum[step_each];
                        const auto has = [&](int u) {
                            return place[u] >= 0 && owner[u] - first_owner == turn;
                        };
#pragma unroll
                        for (int u = 0; u < step_each; ++u)
                            if (has(u)) sum[u] = sums[place[u]];
#pragma unroll
                        for (int u = 0; u < step_each; ++u) {
                            if (!has(u)) continue;
                            of.add(sum[u], product[u]);
                            sums[place[u]] = sum[u];
                        }
                    }
                }
            }
            __syncthreads();
            if (m.shared)
                for (int i = t; i < m.place_end - m.place_begin; i += static_cast<int>(blockDim.x))
                    out_values[m.begin + m.place_begin + i] = sums[i];
        }
        __syncthreads();
    }
}

}  // namespace nz::kernels::cuda
