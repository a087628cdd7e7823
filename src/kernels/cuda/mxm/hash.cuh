// mxm/hash on a GPU: C = A B row by row, sorted or in a table of its own size, by as many threads as a row needs.
//
// Steps: survey (products of each row, rows into bins by them); where rows have more than 256 products, B's rows as pairs of
//   a word of 32 columns and those taken in it, and such rows into bins by pairs; count (entries of each row, rows with tables
//   into bins by those, and the scan that makes offsets); fill. The host reads bins and sizes between, no more.
// Who owns what: a row of up to 256 products, or of up to 4096 of which less than half share words, belongs to 8 to 32 lanes or
//   to a block of up to 512 threads. They sort them in registers: up to 1024 by exchanges, column above and place below in 32 bits
//   (in wider matrices more are sorted by digits, fewer are the next kind's), more by digits of the column, as many of its bits
//   first as leave room for places. The first product of each column begins its sum, those after it follow. Beyond a million columns
//   any row of up to 8192 products whose pairs fit no table is sorted too. Another row whose pairs fit a table of shared memory
//   belongs to 16 or 32 lanes: they put its words in, lane by row of B, sort the words, and number what lies before each; a
//   product's place is then its word's number and the bits below its own. Rows of B come one after another, so that products of
//   one step never meet; narrow ones several at a time, added in turn. The longest rows belong
//   to a block of 512 or 1024 threads, or where they are few to as many as 8, and so do rows of many steps of a warp where rows
//   are few: the columns are bits of a word-wise table, and products go through 2048 at a time. Those of up to 16 entries of A are
//   added in turn, a barrier between; of more they are dealt in order to the warps that own their places. What count finds to be
//   too long for fill's tables is sorted where a block's table is wide. Survey and pairs: a lane or 8 to 32 a row, a warp or a
//   block a longer one; neighbouring rows are a few blocks' each, since hubs often are neighbours.
// Shared memory: 14 or 18 bytes a product (sorted), 12 bytes a slot and an entry's value and column (words); for a block 1.5 bits a
//   column, up to 1.0 million columns, 41 KiB for a step and its entries of A, and a row's sums, range by range of columns; where
//   ranges would have few products, or a table leaves no room, sums lie in the result. Wider matrices have that table in device
//   memory, in a workspace of at most 256 MiB.
// Workspace: 19 bytes a row, and where rows are long 8 bytes an entry of B for pairs.
// Sync: warps after each of their steps, blocks that sort after each exchange between warps; a block of a long row between
//   turns, or three times a step. Bins are launched side by side, each on a stream of its own.
// Determinism: products of one place are added in the order of k. Bit for bit the CPU's.
// Cost: products read once in count and once in fill (a long row's twice; pairs in place of products in count).
//   Distance to the limit (H200): docs/measurements/spgemm.md. Instructions and shared memory are the time, not streams: a prototype
//   kept the pipe to shared memory and first-level cache 90% busy in tables, and issued in 75 to 85% of cycles. Sorting moves
//   numbers between lanes in 6 of 15 steps for 32 products, 15 of 36 for 256 (a thread has neighbouring numbers; striped, it
//   was twice as many, and laplace2d's fill took 1.16 ms in place of 0.91). A block's rows of rmat_directed:17,8: 330 instructions
//   a warp for 32 products, about 75 to mark their columns, 100 for their places, 80 to 90 to add them; issued in half of all cycles.
//   Rows of 1025 to 8192 products beyond a million columns: where blocks had them, each cleared and numbered 1.5 bits a column in
//   device memory, powerlaw:4000000 took 49 ms; sorted by digits 13.3.
// Tried: places along as a second array of two bytes, 4 to 13% more in such fills than below the bits of columns; digits of 4 bits,
//   2 to 9% more than of 5. Exchanges for 2048 and 4096 products: 0.94 to 1.0 of that fill, 1.1 to 1.25 of its count.
//   Longer rows there by strips of 524288 columns in shared memory, each searching for its part of every row of B:
//   powerlaw:4000000's 436 took 3.6 ms in fill and 0.70 in count for 1.4 and 0.30; tables in device memory with a second level of
//   bits, so that only words that were touched are numbered and emptied: 1.9 and 0.45 (powerlaw:16000000 62 ms in all for 64).
//   Hashing single columns took 2.5 times as long on random:1000000,8, whose products hardly ever meet, and twice as
//   long on laplace3d:100, where 27 words hold 125 columns; reading B's columns in place of pairs, 1.1 to 1.9 times in count;
//   aligned words of four columns a lane, whose lanes then come to new words at different times, up to twice. A block's sums where
//   the result lies (a sector brought and one written for nearly each product), all steps dealt to warps, and a search for each
//   product's entry: together 1.4 times on rmat_directed:17,8; blocks of 1,024 threads with all of the shared memory for sums 1.3
//   times there; reads of a step ahead, in registers, spill before they arrive (not timed). Places dealt by 16 neighbours: those of hubs are neighbours, 10 times
//   on powerlaw:1000000's longest rows.
// Why one kernel was not enough: of a row of ten products a block's barriers are the whole time, and a table for a row of
//   a hundred thousand entries fits no shared memory. The idea of bins is that of matam2012 and those after it, of products
//   that are sorted dalton2015's, of words with bits that of compressed symbolic steps on CPUs.
#pragma once

#include "kernels/cuda/mxm/common_block_row.cuh"
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_sorted.cuh"
#include "kernels/cuda/mxm/common_words.cuh"

namespace nz::kernels::cuda {

namespace hash_detail {

/// Sorts words[0 .. size), a power of two, by Lanes lanes; the warp's other lanes sort as many.
template <int Lanes>
__device__ void sort_words(unsigned* words, int size) {
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    for (int run = 2; run <= size; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
            for (int i = lane; i < size / 2; i += Lanes) {
                const int low = 2 * i - (i & (distance - 1)), high = low + distance;
                const unsigned x = words[low], y = words[high];
                if ((x > y) == ((low & run) == 0)) {
                    words[low] = y;
                    words[high] = x;
                }
            }
            __syncwarp();
        }
}

/// What a row of many products has in shared memory.
template <class Cell>
struct word_row {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using entry = entry_of_a<T>;

    entry* entries;
    uint2* slots;
    V* sums;
    index_t *columns, *inner;
    unsigned* words;
    unsigned short* before;  ///< entries before each slot's word

    __host__ __device__ static constexpr std::size_t bytes(int lanes, int size, int most) {
        const auto n = static_cast<std::size_t>(lanes), slots = static_cast<std::size_t>(size),
                   sums = static_cast<std::size_t>(most);
        return (n * (sizeof(entry) + sizeof(index_t)) + slots * (sizeof(uint2) + 4) +
                (sums * sizeof(V) + 7) / 8 * 8 + sums * sizeof(index_t) + 15) /
               16 * 16;
    }
    __device__ word_row(std::byte* memory, int lanes, int size, int most) {
        const auto take = [&](auto*& part, int count, std::size_t bytes_each) {
            part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(memory);
            memory += static_cast<std::size_t>(count) * bytes_each;
        };
        take(entries, lanes, sizeof(entry));
        take(slots, size, sizeof(uint2));
        take(sums, 1, (static_cast<std::size_t>(most) * sizeof(V) + 7) / 8 * 8);
        take(columns, most, sizeof(index_t));
        take(inner, lanes, sizeof(index_t));
        take(words, size / 2, sizeof(unsigned));
        take(before, size, sizeof(unsigned short));
    }

    /// What mark_words goes by, where words and the numbers before them come later.
    __device__ unsigned* touched() const { return words; }

    /// Numbers the entries before each word of the table and lists the columns, by Lanes lanes.
    template <int Lanes>
    __device__ void number(const word_table& table) {
        const int lane = static_cast<int>(threadIdx.x) % Lanes;
        const unsigned group = group_lanes<Lanes>(), below = (1u << threadIdx.x % 32) - 1;
        int count = 0;
        for (unsigned s = static_cast<unsigned>(lane); s - static_cast<unsigned>(lane) < table.size();
             s += Lanes) {
            const unsigned word = s < table.size() ? table[s].x : no_word;
            const unsigned taken = __ballot_sync(full_warp, word != no_word) & group;
            if (word != no_word) words[count + __popc(taken & below)] = word;
            count += __popc(taken);
        }
        const int most = __reduce_max_sync(full_warp, count);
        const int size = most <= 1 ? 1 : 1 << (32 - __clz(most - 1));
        for (int i = count + lane; i < size; i += Lanes) words[i] = no_word;
        __syncwarp();
        sort_words<Lanes>(words, size);
        int all = 0;
        for (int i = lane; i - lane < most; i += Lanes) {
            unsigned bits = 0, slot = 0;
            if (i < count) slot = table.slot_of(words[i], bits);
            const int end = all + sum_up_to<Lanes>(__popc(bits));
            all = __shfl_sync(full_warp, end, Lanes - 1, Lanes);
            int place = end - __popc(bits);
            if (i < count) before[slot] = static_cast<unsigned short>(place);
            for (; bits; bits &= bits - 1)
                columns[place++] = static_cast<index_t>(
                    words[i] * 32 + static_cast<unsigned>(__ffs(static_cast<int>(bits))) - 1);
        }
        __syncwarp();
    }
    /// The column's number; below 0 where the mask bars it.
    template <bool Masked>
    __device__ int place_of(const word_table& table, index_t column) const {
        unsigned bits;
        const unsigned j = static_cast<unsigned>(column);
        int slot;
        if constexpr (Masked) {
            slot = table.find(j / 32, bits);
            if (slot < 0 || !(bits >> j % 32 & 1)) return -1;
        } else {
            slot = static_cast<int>(table.slot_of(j / 32, bits));
        }
        return before[slot] + __popc(bits & ((1u << j % 32) - 1));
    }
};

}  // namespace hash_detail

namespace hash_detail {

/// What a row whose products are sorted has in shared memory.
template <class Cell, int Threads, int Each>
struct sorted_memory {
    typename sorted_row<Threads, Each>::memory order;
    team_entries<Threads, typename Cell::operand> in;
    typename Cell::value products[Threads * Each];
    unsigned short firsts[Threads * Each + 2];
};

}  // namespace hash_detail

/// Rows whose products are sorted: `rows` of them, from `listed`.
template <class Cell, int Threads, int Each, bool Masked>
__global__ void __launch_bounds__(row_team<Threads>::block)
    hash_fill_sorted_kernel(device_mxm_side a, device_mxm_side b, device_mask mask,
                            hash_detail::products<Cell> of, const index_t* listed, unsigned rows,
                            index_t columns, const offset_t* starts, index_t* out_columns,
                            typename Cell::value* out_values) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using team = row_team<Threads>;
    using sorted = sorted_row<Threads, Each>;
    extern __shared__ uint4 shared_rows[];
    auto& m = reinterpret_cast<hash_detail::sorted_memory<Cell, Threads, Each>*>(shared_rows)[team::number()];
    const unsigned at = blockIdx.x * team::teams + static_cast<unsigned>(team::number());
    const index_t row = at < rows ? listed[at] : 0;
    const offset_t first = at < rows ? a.offsets[row] : 0,
                   last = at < rows ? a.offsets[row + offset_t{1}] : 0;
    const int total = for_places<Threads>(
        m.in, a, b, first, last, [&](offset_t p) { return of.a(p); },
        [&](int place, offset_t q, T left, int owner) {
            index_t k = 0;
            if constexpr (Cell::positional) k = m.in.inner[owner];
            m.order.put(place, __ldg(b.columns + q));
            m.products[place] = Cell::multiply(left, of.b(q), row, k);
        });
    const sorted order(m.order, total, columns);
    const int entries =
        order.columns([&](index_t column) { return !Masked || mask.lets(row, column); },
                      [&](int n, int i) { m.firsts[n] = static_cast<unsigned short>(i); }, m.in.scratch);
    if (team::lane() == 0) m.firsts[entries] = static_cast<unsigned short>(total);
    team::sync();
    if (at >= rows) return;
    const offset_t begin = starts[row];
    for (int n = team::lane(); n < entries; n += Threads) {
        const int from = m.firsts[n];
        const index_t column = order.column_at(from);
        int to = m.firsts[n + 1];
        if constexpr (Masked)  // columns between may be barred
            for (to = from + 1; to < total && order.column_at(to) == column;) ++to;
        V sum = m.products[order.place_at(from)];
        if constexpr (!Cell::first_wins)
            for (int i = from + 1; i < to; ++i) sum = Cell::add(sum, m.products[order.place_at(i)]);
        out_columns[begin + n] = column;
        out_values[begin + n] = sum;
    }
}

/// Rows of many products and up to `most_entries` entries, in tables of `size` slots. `Narrow`: so many lanes go through a row
/// of B together, Lanes / Narrow rows at a time.
template <class Cell, int Lanes, int Narrow, bool Masked>
__global__ void __launch_bounds__(lanes_block)
    hash_fill_words_kernel(device_mxm_side a, device_mxm_side b, device_pairs pairs, device_mask mask,
                           hash_detail::products<Cell> of, const index_t* listed, unsigned rows, int size,
                           int most_entries, const offset_t* starts, index_t* out_columns,
                           typename Cell::value* out_values) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    using word_row = hash_detail::word_row<Cell>;
    using entry = typename word_row::entry;
    extern __shared__ uint4 shared_rows[];
    constexpr int groups = lanes_block / Lanes, at_once = 2, together = Lanes / Narrow;
    const int lane = static_cast<int>(threadIdx.x) % Lanes, group = static_cast<int>(threadIdx.x) / Lanes;
    word_row m(reinterpret_cast<std::byte*>(shared_rows) +
                   static_cast<std::size_t>(group) * word_row::bytes(Lanes, size, most_entries),
               Lanes, size, most_entries);
    const unsigned at = blockIdx.x * groups + static_cast<unsigned>(group);
    const index_t row = at < rows ? listed[at] : 0;
    const offset_t first = at < rows ? a.offsets[row] : 0,
                   last = at < rows ? a.offsets[row + offset_t{1}] : 0;
    const offset_t begin = at < rows ? starts[row] : 0;
    const int entries = at < rows ? static_cast<int>(starts[row + offset_t{1}] - begin) : 0;
    const word_table table(m.slots, size);
    for (int i = lane; i < entries; i += Lanes) m.sums[i] = of.nothing();
    mark_words<Lanes>(a, b.offsets, pairs, mask, row, first, last, table, m.touched());
    m.template number<Lanes>(table);

    const int turn = lane / Narrow, reader = lane % Narrow;
    for (offset_t base = 0; __any_sync(full_warp, base < last - first); base += Lanes) {
        entry mine{};
        int length = 0;
        if (base + lane < last - first) {
            const offset_t p = entry_at<of.backwards>(first, last, base + lane);
            const index_t k = __ldg(a.columns + p);
            const offset_t of_b = b.offsets[k];
            length = static_cast<int>(b.offsets[k + offset_t{1}] - of_b);
            mine = entry(of_b, length, of.a(p));
            if constexpr (Cell::positional) m.inner[lane] = k;
        }
        m.entries[lane] = mine;
        __syncwarp();
        const int longest = __reduce_max_sync(full_warp, length);
        const int most = __reduce_max_sync(
            full_warp, static_cast<int>(max(offset_t{0}, min(offset_t{Lanes}, last - first - base))));
        const auto product_of = [&](int owner, T left, T right) {
            index_t k = 0;
            if constexpr (Cell::positional) k = m.inner[owner];
            return Cell::multiply(left, right, row, k);
        };
        if (longest <= Narrow) {
            for (int first_of = 0; first_of < most; first_of += at_once * together) {
                bool active[at_once];
                index_t column[at_once];
                V product[at_once];
#pragma unroll
                for (int u = 0; u < at_once; ++u) {
                    const int owner = first_of + u * together + turn;
                    const entry e = m.entries[min(owner, Lanes - 1)];
                    active[u] = owner < Lanes && reader < e.length();
                    if (!active[u]) continue;
                    const auto of_b = of.from(b.columns, e.begin());
                    column[u] = of_b.column(reader);
                    product[u] = product_of(owner, e.value, of_b.value(reader));
                }
#pragma unroll
                for (int u = 0; u < at_once; ++u) {
                    const int place = active[u] ? m.template place_of<Masked>(table, column[u]) : -1;
#pragma unroll
                    for (int now = 0; now < together; ++now) {
                        if (place >= 0 && turn == now) of.add(m.sums[place], product[u]);
                        __syncwarp();
                    }
                }
            }
        } else {
            for (int owner = 0; owner < most; ++owner) {
                const entry e = m.entries[owner];
                const int count = e.length();
                const auto of_b = of.from(b.columns, e.begin());
                for (int i = lane; i < longest; i += at_once * Lanes) {
                    index_t column[at_once];
                    T right[at_once];
#pragma unroll
                    for (int u = 0; u < at_once; ++u)
                        if (i + u * Lanes < count) {
                            column[u] = of_b.column(i + u * Lanes);
                            right[u] = of_b.value(i + u * Lanes);
                        }
#pragma unroll
                    for (int u = 0; u < at_once; ++u)
                        if (i + u * Lanes < count) {
                            const int place = m.template place_of<Masked>(table, column[u]);
                            if (!Masked || place >= 0)
                                of.add(m.sums[place], product_of(owner, e.value, right[u]));
                        }
                }
                __syncwarp();
            }
        }
        __syncwarp();
    }
    for (int i = lane; i < entries; i += Lanes) {
        out_columns[begin + i] = m.columns[i];
        out_values[begin + i] = m.sums[i];
    }
}

namespace hash_detail {

/// Rows of B of so few entries that lanes share a step; rows of the result of so few, in tables so small, that two share a
/// warp.
inline constexpr int narrow = 8, few_entries = 128, few_slots = 1024;

template <class Cell, int Lanes, int Narrow, bool Masked>
void fill_words_by(const device_mxm_arguments& k, const offset_t* starts, const index_t* listed,
                   unsigned rows, int size, int most_entries, cudaStream_t stream) {
    constexpr unsigned groups = lanes_block / Lanes;
    const std::size_t shared = groups * word_row<Cell>::bytes(Lanes, size, most_entries);
    allow_shared(hash_fill_words_kernel<Cell, Lanes, Narrow, Masked>, shared);
    hash_fill_words_kernel<Cell, Lanes, Narrow, Masked>
        <<<(rows + groups - 1) / groups, lanes_block, shared, stream>>>(
            device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), device_pairs(k), device_mask(k),
            products<Cell>(k), listed, rows, size, most_entries, starts, k.out_columns,
            static_cast<typename Cell::value*>(k.out_values));
}
template <class Cell, bool Masked>
void fill_words(const device_mxm_arguments& k, const offset_t* starts, const index_t* listed, unsigned rows,
                int bin, cudaStream_t stream) {
    const int most = static_cast<int>(plan::entries_of_bin(bin)),
              size = plan::slots_for(k.by_entries.most_words[bin - plan::block_bins]);
    const bool two_a_warp = most <= few_entries && size <= few_slots;
    auto fill = two_a_warp ? &fill_words_by<Cell, 16, 16, Masked> : &fill_words_by<Cell, 32, 32, Masked>;
    if constexpr (!Masked)
        if (k.by_products.products <= static_cast<unsigned long long>(k.a_entries) * (narrow + 1))
            fill = two_a_warp ? &fill_words_by<Cell, 16, narrow, false>
                              : &fill_words_by<Cell, 32, narrow, false>;
    fill(k, starts, listed, rows, size, most, stream);
}

template <class Cell, int Threads, int Each, bool Masked>
void fill_sorted(const device_mxm_arguments& k, const offset_t* starts, const index_t* listed, unsigned rows,
                 cudaStream_t stream) {
    constexpr unsigned teams = row_team<Threads>::teams;
    constexpr std::size_t shared = teams * sizeof(sorted_memory<Cell, Threads, Each>);
    const auto kernel = hash_fill_sorted_kernel<Cell, Threads, Each, Masked>;
    allow_shared(kernel, shared);
    kernel<<<(rows + teams - 1) / teams, row_team<Threads>::block, shared, stream>>>(
        device_mxm_side(k.a, k.a_step), device_mxm_side(k.b, k.b_step), device_mask(k), products<Cell>(k),
        listed, rows, k.columns, starts, k.out_columns, static_cast<typename Cell::value*>(k.out_values));
}

}  // namespace hash_detail

/// `Masked`: masked_row.
template <class Cell, bool Masked = false>
void hash_fill(const device_mxm_arguments& k, void* stream) {
    using V = typename Cell::value;
    hash_offsets(k, stream);
    const auto pieces = k.gpu->fork_into(k.by_entries.launches());
    const auto next = [&] { return static_cast<cudaStream_t>(pieces->next()); };
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const device_mxm_side a(k.a, k.a_step), b(k.b, k.b_step);
    V* const values = static_cast<V*>(k.out_values);
    const index_t* listed = parts.listed;
    const auto fill_rows = [&](unsigned rows, unsigned together) {
        if (rows == 0) return;
        const block_launch l = block_launch_of(k, rows);
        static_assert(sizeof(block_row<Cell>) <= plan::block_row_bytes);
        const int room = plan::sums_beside(l.shared_bytes, sizeof(V), l.threads == row_block ? 2 : 1);
        const std::size_t shared = sizeof(block_row<Cell>) +
                                   plan::padded(static_cast<std::size_t>(room) * sizeof(V)) + l.shared_bytes;
        allow_shared(hash_fill_rows_kernel<Cell, Masked>, shared);
        hash_fill_rows_kernel<Cell, Masked><<<dim3(l.blocks, together), l.threads, shared, next()>>>(
            a, b, device_mask(k), hash_detail::products<Cell>(k), listed, rows, k.columns, l.tables, room,
            parts.starts, k.out_columns, values);
        listed += rows;
    };
    // Tables in device memory are one launch's.
    const unsigned huge = plan::tables_in_shared(k.columns) ? k.by_entries.huge_rows() : 0;
    fill_rows(huge, plan::blocks_a_row(huge, k.gpu->about().multiprocessors));
    fill_rows(k.by_entries.block_rows() - huge, 1);
    for (int bin = plan::block_bins; bin < plan::empty_bin; ++bin) {
        const unsigned rows = k.by_entries.rows[bin];
        if (rows == 0) continue;
        if (bin >= plan::first_sort_bin) {
            with_sorted_bin(bin, [&]<int Threads, int Each>() {
                if constexpr (!Masked || Threads * Each <= plan::sorted_at_once)
                    hash_detail::fill_sorted<Cell, Threads, Each, Masked>(k, parts.starts, listed, rows,
                                                                          next());
            });
        } else {
            hash_detail::fill_words<Cell, Masked>(k, parts.starts, listed, rows, bin, next());
        }
        listed += rows;
    }
    pieces->join();
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
