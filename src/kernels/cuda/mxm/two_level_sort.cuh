// mxm/two_level_sort on a GPU: C = A B by sorting its products, in tiles of equal size (dalton2015, section III-C).
//
// Computes: products are numbered as A's entries make them and cut into tiles of 4,096, wherever rows end. First level: a block
//   sorts its tile's places, the number of the row within the tile above the column, as few bits of both as the tile needs, the
//   product's number in the lower 12 bits of the same word: keys alone move, in 32 bits where these hold it, else in 64. Where rows and columns of the tile,
//   or those of them that there are, times its entries of A are at most 294,912, a product is a bit of so many, and stands behind as many as are set before
//   it: counted once, or twice. Else keys are sorted by 6 or 7 bits a pass. What it leaves is each product's turn, in 16 bits, a bit for the first of each place, and the number of places of each row that lies in the tile whole. Of the other rows, those cut,
//   each tile leaves a run of columns in order. Second level: the runs' places, by row, column and run, are cut into tiles of 4,096 in
//   their turn. A warp finds a cut by a search for its column, of which each step counts up to three in all of the row's runs, and leaves how far the
//   cut comes in each; a block brings the pieces of runs between two cuts together, sorts them as the first level does, and leaves where each one's sum
//   stands. Products are formed last: the tiles are expanded once more, products put at their turns and each place's added from the first on; then
//   lanes add what runs have of a column, in tiles of the second level. The paper sorts all places of all tiles once more on the device, permutations
//   beside keys; here each place is read and written once. Where a row lies in more than 1,024 tiles (4.2 million products) cuts would take longer
//   than that: the device then sorts all places of cut rows.
//   A row of more than 4,096 products from at most 512 entries of A is ranged: it has tiles of its own, each of which takes all products of a range of
//   columns and is sorted as the first level does; none of its places meets the second. A block counts the row's products by columns, in 4,096 counters; another finds in which
//   column of a counter's a range begins: that of which, and of those before, the rows of B that the row reads have its share together; a step counts up to three columns in all of them.
// Steps: entries (which rows are ranged, starts of each entry's products by a scan), expand (where tiles begin, by search; which rows they cut), count (where ranges
//   begin; first level), cut (runs, where the second level's tiles begin, their orders, and the scan that makes offsets), fill. The host reads two sizes after entries where rows
//   have more than 256 products, three after expand, one after count.
// Who owns what: a tile of either level, or a range -> a block of 256 threads, 512 neighbours -> a warp; in fill a place -> a thread. A cut -> a warp, a ranged row whose columns are counted -> a block of 512, where a range begins -> a block of 128.
// Shared memory: 71 KiB (keys or bits 46, rows 24) in count, 62 KiB in cut, 54 KiB in fill with values of 8 bytes, 18 KiB where columns are counted, next to none for the second level's sums.
// Workspace: 20 1/8 bytes an entry of A, 16 a row, 2 1/8 a product, 4 a product of a cut row, 16 a place that a tile has of one and up to 1/2 for cuts (for doubles; 28 or 36
//   where the device sorts), 4 for each range and entry of its row.
// Sync: the block's barriers between the steps of a tile.
// Determinism: both sorts keep the order of equal keys, and sums follow it: the same bits each time. Those of rows in one tile and of ranged rows are
//   the other kernels' bits; in a cut row each tile's products are added first, then the tiles' sums, by tiles of the second level.
// Cost: products, whatever the matrix looks like: a tile is a tile. A row shorter than a tile is cut at most once, so that few
//   places meet the second level but where rows have more than a thousand products (on laplace3d a sixth) or more than 512 entries.
// Distance to the limit (H200): 20 ps a product on laplace3d:100, 17 on a band of 21 diagonals, 33 to 46 where rows have 25 to 64 products; 25 on
//   rmat_directed:17,8, of whose products ranged rows have three quarters: 8.2 ms. Memory's rate would take a third of it. Instructions are the time:
//   count issues in 64% of the cycles of 24 warps a multiprocessor, 234 a product for 32 lanes on laplace3d: finding its entry 20, reading row and column 31,
//   the bits 90 (marking 10, counting 13, a look 21, twice), order, turns and what begins where 55; a range's 175. Finding where ranges begin takes 9% of rmat's time, half
//   of it for counters, their order 30%, their sums 23%, the other rows' first level 19%, their second 14%. A sort ranks keys by votes, 60 instructions a key and pass.
// What made it so (24.3 and 17.2 ms before, on laplace3d:100 and rmat_directed:17,8; then 15.4 and 11.1 while all rows that are cut met the second level, and while each place was added up
//   by the lane that had its first product, one in six at work on laplace3d): a thread's reads stood in branches, one after the other: they wait together now, 4 or 8 at a
//   time; the ends of pieces were looked for by one warp while seven waited; and counters of four bits took five passes for three.
// Tried without gain: where ranges begin by steps alone, at quarters (twice the time) or about a guess by what lies between (the same time as counters); for the sums, a thread for all places of a column (5% slower), columns
//   fetched with the sums (12%: three blocks for four), scans that end with the warp's longest run (20%: rounds no longer overlap); values put in order in shared memory after an
//   order was left (43% for turns); ranks by 5, 8, 9 or 10 bits, by counters or by counts made first (0 to 30% slower where passes are as many); places of 64 products and
//   more added by their warp (5% slower in fill, and no faster where such places are).
// Why it is not the planned one: products that meet often are added faster where they fall than sorted; on rmat_directed:17,8 hash takes 8.9 ms and half the memory.
#pragma once

#include "kernels/cuda/common_lanes.cuh"
#include "kernels/cuda/mxm/common_cut.cuh"
#include "kernels/cuda/mxm/common_cut_sorted.cuh"
#include "kernels/cuda/mxm/common_ranges.cuh"
#include "kernels/cuda/mxm/hash.cuh"

namespace nz::kernels::cuda {

namespace two_level_detail {

/// Ranged rows between those of a tile, in any order: which product stands behind them, and how many places they have up to there.
struct ranged_gaps {
    static constexpr int most = 32;
    int count, behind[most];
    offset_t places[most];

    /// Looks for them among the tiles [from, to) of ranged rows; what it finds beyond `most` is counted alone.
    __device__ void find(const plan::mxm_sort_parts& parts, const plan::mxm_range_parts& ranges,
                         device_offsets a, offset_t from, offset_t to, offset_t first_product) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        for (offset_t t = from + threadIdx.x; t < to; t += sort_block) {
            const index_t row = ranges.rows[t];
            if (parts.ranges[row].tiles != t) continue;
            const int at = atomicAdd(&count, 1);
            if (at >= most) continue;
            behind[at] = static_cast<int>(parts.starts[a[row]] - first_product);
            places[at] = ranges.place_starts[parts.ranges[row + offset_t{1}].tiles];
        }
        __syncthreads();
    }
    /// Places of ranged rows up to the row of a product, `before` those up to the tile's first.
    __device__ offset_t up_to(int product, offset_t before) const {
        for (int g = 0; g < count; ++g)
            if (behind[g] <= product) before = max(before, places[g]);
        return before;
    }
};

/// Words of a warp's order whose places are added up together.
inline constexpr int words_together = 8;
/// A tile of products in shared memory: first how they are found, then they in order, and where the places of some words begin.
template <class V>
struct product_memory {
    struct found_products {
        int begins[plan::sort_tile], warp_last[sort_warps];
    };
    struct sorted_products {
        V values[plan::sort_tile];
        index_t columns[plan::sort_tile];
    };
    union {
        found_products found;
        sorted_products sorted;
    };
    struct added_places {
        std::uint16_t begins[sort_warps][32 * words_together + 2];
        ranged_gaps gaps;
    };
    union {
        range_pieces pieces;
        added_places added;
    };
    unsigned firsts[plan::sort_tile / 32 + 1];  // the first of each place, and the end
};

/// A product: its entries of A and of B, and where its row stands.
struct product_place {
    offset_t of_a, of_b;
    const index_t* row;
};
/// Forms a tile's products, `place` of the round and the number, and puts each at its turn; owners have been found, from what lies where
/// products come to lie.
template <class Cell, class Place>
__device__ void put_in_order(product_memory<typename Cell::value>& m, const hash_detail::products<Cell>& of,
                             const device_mxm_side& a, const device_mxm_side& b,
                             const plan::mxm_tile_orders& orders, int products, Place&& place) {
    const offset_t first = offset_t{blockIdx.x} * plan::sort_tile;
    __syncthreads();  // all have read what products take the place of
    constexpr int words = plan::sort_tile / 32;
    if (threadIdx.x < words) m.firsts[threadIdx.x] = orders.firsts[first / 32 + threadIdx.x];
    if (threadIdx.x == words) m.firsts[words] = 1;
    // Some products at a time, so that their reads wait together: those beyond the last read what it does.
    constexpr int together = 4;
#pragma unroll
    for (int some = 0; some < sort_each; some += together) {
        product_place at[together];
        int turn[together];
        index_t column[together];
        typename Cell::value product[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const int n = min(number_in_tile(some + i), products - 1);
            at[i] = place(some + i, n);
            turn[i] = orders.turns[first + n];
        }
#pragma unroll
        for (int i = 0; i < together; ++i) {
            column[i] = __ldg(b.columns + at[i].of_b);
            index_t row = 0, k = 0;
            if constexpr (Cell::positional) {
                row = *at[i].row;
                k = __ldg(a.columns + at[i].of_a);
            }
            product[i] = Cell::multiply(of.a(at[i].of_a), of.b(at[i].of_b), row, k);
        }
#pragma unroll
        for (int i = 0; i < together; ++i) {
            if (number_in_tile(some + i) >= products) continue;
            m.sorted.columns[turn[i]] = column[i];
            m.sorted.values[turn[i]] = product[i];
        }
    }
    __syncthreads();
}

/// A tile's places, and those of them that begin before the warp's share.
__device__ inline void count_places(const plan::mxm_tile_orders& orders, int& places, int& earlier) {
    places = 0;
    earlier = 0;
    for (int w = 0; w < sort_warps; ++w) {
        const int begun = orders.warp_places[offset_t{blockIdx.x} * sort_warps + w];
        earlier += w < static_cast<int>(threadIdx.x) / 32 ? begun : 0;
        places += begun;
    }
}

/// Adds up each place's products, from the first on, a lane a place; `put` gets its first's turn, its number, its column and the sum.
template <class Cell, class Put>
__device__ void add_up(product_memory<typename Cell::value>& m, int products, int earlier, Put&& put) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    std::uint16_t* const places = m.added.begins[warp];
#pragma unroll 1
    for (int some = 0; some < sort_each; some += words_together) {
        const int first = warp * sort_each + some;
        int count = 0;
#pragma unroll
        for (int r = 0; r < words_together; ++r) {
            const unsigned firsts = m.firsts[first + r];
            if (firsts >> lane & 1)
                places[count + __popc(firsts & ~(~0u << lane))] =
                    static_cast<std::uint16_t>((first + r) * 32 + lane);
            count += __popc(firsts);
        }
        if (lane == 0) {
            int word = first + words_together;
            while (m.firsts[word] == 0) ++word;
            places[count] = static_cast<std::uint16_t>(
                min(word * 32 + __ffs(static_cast<int>(m.firsts[word])) - 1, products));
        }
        __syncwarp();
#pragma unroll 1
        for (int i = lane; i < count; i += 32) {
            const int n = places[i];
            auto sum = m.sorted.values[n];
            if constexpr (!Cell::first_wins) {
                const auto* rest = m.sorted.values + n;
#pragma unroll 1
                for (int left = places[i + 1] - n - 1; left > 0; --left) sum = Cell::add(sum, *++rest);
            }
            put(n, earlier + i, m.sorted.columns[n], sum);
        }
        earlier += count;
        __syncwarp();  // all have read what the next words' places take the place of
    }
}

/// A tile of places of cut rows in a block's registers, in order; `after`: what stands for the place after the warp's last.
template <class V>
struct place_tile {
    int places;
    std::uint32_t sources[sort_each], after;
    V values[sort_each];

    /// Of 32 places those that are the first of their columns.
    __device__ unsigned firsts(int r) const {
        return __ballot_sync(full_warp, (r < sort_each ? sources[r] : after) & plan::source_first);
    }
    /// How many of them are that, in the lower half, and how many the first of their rows, in the upper: of `lanes`.
    __device__ int count(int r, unsigned lanes) const {
        return __popc(firsts(r) & lanes) |
               __popc(__ballot_sync(full_warp, sources[r] & plan::source_row) & lanes) << 16;
    }
};

/// Adds up those of a column, which lie side by side, in a fixed order: over the lanes of a warp, 32 at a time, and then over warps. Each
/// value gets the sum up to it; returned are the rounds, by bit, in which the thread has the last of a column that begins in the tile.
/// `carry` gets what belongs to a place of the tile before.
template <class Cell>
__device__ unsigned add_places(place_tile<typename Cell::value>& tile, bool continues,
                               typename Cell::value* carry) {
    using V = typename Cell::value;
    __shared__ V leads[sort_warps];  // what a warp has of a place that begins before it
    __shared__ bool begins[sort_warps], at_once[sort_warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    bool begun = false, goes_on = false;
    unsigned ended = 0, next = tile.firsts(0);
    V sum{};
    if (lane == 0) at_once[warp] = next & 1;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        const unsigned firsts = next, up_to = firsts & (~0u >> (31 - lane));
        next = tile.firsts(r + 1);
        const int start = up_to ? 31 - __clz(static_cast<int>(up_to)) : 0;
        const V before = from_lane(sum, 31);
        sum = tile.values[r];
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const V below = from_below(sum, distance);
            if (lane - distance >= start) sum = Cell::add(below, sum);
        }
        if (!up_to && r > 0) sum = Cell::add(before, sum);
        tile.values[r] = sum;
        const bool ends = n + 1 >= tile.places || (lane < 31 ? firsts >> (lane + 1) : next) & 1;
        const bool own = begun || up_to, last = r == sort_each - 1 && lane == 31;
        if (n < tile.places) {
            ended |= static_cast<unsigned>(ends && own) << r;
            if (!own && (ends || last)) leads[warp] = sum;
            goes_on = last && !ends && own;
        }
        begun = begun || firsts != 0;
    }
    if (lane == 0) begins[warp] = begun;
    __syncthreads();
    const auto with_leads = [&](V with, int first) {
        for (int w = first; w < sort_warps && w * sort_warp_products < tile.places && !at_once[w]; ++w) {
            with = Cell::add(with, leads[w]);
            if (begins[w]) break;
        }
        return with;
    };
    if (goes_on) {
        tile.values[sort_each - 1] = with_leads(sum, warp + 1);
        ended |= 1u << (sort_each - 1);
    }
    if (threadIdx.x == 0 && continues) *carry = begins[0] ? leads[0] : with_leads(leads[0], 1);
    return ended;
}

}  // namespace two_level_detail

/// `Ranged`: there are ranged rows, which may stand between those of a tile.
template <class Cell, bool Ranged>
__global__ void __launch_bounds__(sort_block, 4)
    two_level_sort_fill_kernel(device_mxm_side a, device_mxm_side b, hash_detail::products<Cell> of,
                               offset_t a_entries, offset_t products, plan::mxm_sort_parts parts,
                               plan::mxm_range_parts ranges, const offset_t* starts,
                               typename Cell::value* cut_sums, index_t* out_columns,
                               typename Cell::value* out_values) {
    using V = typename Cell::value;
    extern __shared__ uint4 shared_tiles[];
    auto& m = *reinterpret_cast<two_level_detail::product_memory<V>*>(shared_tiles);
    const product_tile tile(parts, blockIdx.x, products, a_entries);
    int owner[sort_each];
    find_owners(parts, tile, m.found.begins, m.found.warp_last, owner);
    two_level_detail::put_in_order<Cell>(m, of, a, b, parts.orders, tile.products, [&](int r, int n) {
        const offset_t p = tile.entry + owner[r];
        return two_level_detail::product_place{p, parts.of_b[p] + tile.first + n, parts.rows + p};
    });
    int places, earlier;
    two_level_detail::count_places(parts.orders, places, earlier);
    const int first_places = parts.first_places[blockIdx.x], last_places = parts.last_places[blockIdx.x];
    V* const cut_first = cut_sums + parts.cut_starts[blockIdx.x];
    // Rows that lie in the tile whole follow one another in the result, but for ranged ones between them.
    [[maybe_unused]] bool gaps = false;
    [[maybe_unused]] offset_t before = 0;
    if (first_places + last_places < places) {
        const index_t cut = parts.cut_rows[blockIdx.x], first = cut >= 0 ? cut + 1 : parts.rows[tile.entry];
        offset_t begin = starts[first] - first_places;
        if constexpr (Ranged) {
            const offset_t from = parts.ranges[first].tiles,
                           to = parts.ranges[parts.rows[tile.entry + tile.entries - 1]].tiles;
            gaps = from < to;
            if (gaps) {
                before = ranges.place_starts[from];
                begin -= before;
                m.added.gaps.find(parts, ranges, a.offsets, from, to, tile.first);
            }
        }
        out_columns += begin;
        out_values += begin;
    }
    const int last_from = places - last_places, to_last = first_places - last_from;
    two_level_detail::add_up<Cell>(m, tile.products, earlier, [&](int n, int at, index_t column, V sum) {
        if (at >= first_places && at < last_from) {
            offset_t to = at;
            if constexpr (Ranged)
                // A row's products have the same turns as they have numbers.
                if (gaps) {
                    if (m.added.gaps.count <= two_level_detail::ranged_gaps::most) {
                        to += m.added.gaps.up_to(n, before);
                    } else {
                        const offset_t p =
                            last_up_to(parts.starts, tile.entry, tile.entry + tile.entries, tile.first + n);
                        to += ranges.place_starts[parts.ranges[parts.rows[p]].tiles];
                    }
                }
            out_columns[to] = column;
            out_values[to] = sum;
        } else {
            cut_first[at < first_places ? at : at + to_last] = sum;
        }
    });
}

/// The same of a range of a row's columns, all of whose places are the result's.
template <class Cell>
__global__ void __launch_bounds__(sort_block, 4)
    two_level_range_fill_kernel(device_mxm_side a, device_mxm_side b, hash_detail::products<Cell> of,
                                plan::mxm_sort_entries parts, plan::mxm_range_parts ranges,
                                const offset_t* starts, index_t* out_columns,
                                typename Cell::value* out_values) {
    using V = typename Cell::value;
    extern __shared__ uint4 shared_tiles[];
    auto& m = *reinterpret_cast<two_level_detail::product_memory<V>*>(shared_tiles);
    const range_tile tile(parts, ranges, a.offsets, blockIdx.x);
    const offset_t begin =
        starts[tile.row] + ranges.place_starts[blockIdx.x] - ranges.place_starts[tile.first];
    int piece[sort_each];
    const int products =
        find_range(tile, ranges, a, b.offsets, m.found.begins, m.found.warp_last, m.pieces, piece).places;
    two_level_detail::put_in_order<Cell>(m, of, a, b, ranges.orders, products, [&](int r, int n) {
        const int i = piece[r];
        return two_level_detail::product_place{tile.entry + m.pieces.entry[i], m.pieces.of_b[i] + n,
                                               &tile.row};
    });
    int places, earlier;
    two_level_detail::count_places(ranges.orders, places, earlier);
    out_columns += begin;
    out_values += begin;
    two_level_detail::add_up<Cell>(m, products, earlier, [&](int, int at, index_t column, V sum) {
        out_columns[at] = column;
        out_values[at] = sum;
    });
}

/// A tile of places of cut rows: those of a column are added up in the order of runs. What goes on from the tile before is left to
/// two_level_cut_carry_kernel.
template <class Cell>
__global__ void __launch_bounds__(sort_block, 3)
    two_level_cut_fill_kernel(offset_t places, plan::mxm_cut_parts cut, index_t* out_columns,
                              typename Cell::value* out_values) {
    using V = typename Cell::value;
    __shared__ int warp_totals[sort_warps];
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const offset_t first = offset_t{blockIdx.x} * plan::sort_tile;
    two_level_detail::place_tile<V> tile;
    tile.places = static_cast<int>(min(offset_t{plan::sort_tile}, places - first));
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        tile.sources[r] = n < tile.places ? cut.sources[first + n] : 0;
    }
    const int end = (warp + 1) * sort_warp_products;
    tile.after = end < tile.places ? cut.sources[first + end] : 0;
    const V* const sums = static_cast<const V*>(cut.sums) + plan::first_source(blockIdx.x);
#pragma unroll
    for (int r = 0; r < sort_each; ++r)
        if (Cell::first_wins ? tile.sources[r] & plan::source_first : number_in_tile(r) < tile.places)
            tile.values[r] = sums[tile.sources[r] & plan::source_place];
    int all = 0;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) all += tile.count(r, ~0u);
    if (threadIdx.x % 32 == 0) warp_totals[warp] = all;
    __syncthreads();
    int earlier = 0;
    for (int w = 0; w < warp; ++w) earlier += warp_totals[w];
    const offset_t before = cut.firsts[blockIdx.x];
    const plan::mxm_cut_bound from = cut.bounds[blockIdx.x];
    unsigned ended = 0;
    if constexpr (Cell::first_wins) {
#pragma unroll
        for (int r = 0; r < sort_each; ++r)
            ended |= static_cast<unsigned>((tile.sources[r] & plan::source_first) != 0) << r;
    } else {
        ended = two_level_detail::add_places<Cell>(tile, from.continues,
                                                   static_cast<V*>(cut.carries) + blockIdx.x);
    }
    constexpr int together = 8;
#pragma unroll
    for (int some = 0; some < sort_each; some += together) {
        offset_t to[together];
        index_t column[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const int count = earlier + tile.count(some + i, ~0u >> (31 - threadIdx.x % 32)),
                      at = max((count & 0xffff) - 1, 0);
            earlier += tile.count(some + i, ~0u);
            to[i] = cut.row_starts[from.rank + (count >> 16)] + before + at;
            column[i] = cut.columns[first + at];
        }
#pragma unroll
        for (int i = 0; i < together; ++i) {
            if (!(ended >> (some + i) & 1)) continue;
            out_columns[to[i]] = column[i];
            out_values[to[i]] = tile.values[some + i];
        }
    }
}

/// Adds what a tile has of a place that begins in the tile before: a column of a row has no more places than the row runs, so that the
/// place ends there.
template <class Cell>
__global__ void __launch_bounds__(sort_block)
    two_level_cut_carry_kernel(offset_t tiles, plan::mxm_cut_parts cut, typename Cell::value* out_values) {
    const offset_t t = offset_t{blockIdx.x} * sort_block + threadIdx.x;
    if (t >= tiles || !cut.bounds[t].continues) return;
    auto& value = out_values[cut.row_starts[cut.bounds[t].rank] + cut.firsts[t] - 1];
    value = Cell::add(value, static_cast<const typename Cell::value*>(cut.carries)[t]);
}
static_assert(plan::most_cut_runs <= plan::sort_tile);

template <class Cell>
void two_level_sort_fill(const device_mxm_arguments& k, void* stream) {
    using V = typename Cell::value;
    using memory = two_level_detail::product_memory<V>;
    hash_offsets(k, stream);
    const auto on = static_cast<cudaStream_t>(stream);
    const device_mxm_side a(k.a, k.a_step), b(k.b, k.b_step);
    const hash_detail::products<Cell> of(k);
    const offset_t* const starts = plan::mxm_device_parts(k.row_parts, k.rows, k.scan_bytes).starts;
    auto* const values = static_cast<V*>(k.out_values);
    if (k.range_tiles > 0) {
        allow_shared(two_level_range_fill_kernel<Cell>, sizeof(memory));
        two_level_range_fill_kernel<Cell>
            <<<static_cast<unsigned>(k.range_tiles), sort_block, sizeof(memory), on>>>(
                a, b, of, sort_entries_of(k), range_parts_of(k), starts, k.out_columns, values);
        check(cudaGetLastError());
    }
    if (k.products == 0) return;
    const plan::mxm_sort_parts parts = sort_parts_of(k);
    const plan::mxm_cut_parts cut(k.cut_memory, k.cut_places, k.cut_rows, k.cut_runs, k.products,
                                  k.value_bytes, k.cut_sort_bytes);
    const bool by_tiles = plan::cut_by_tiles(k.cut_runs);
    const auto fill =
        k.range_tiles > 0 ? two_level_sort_fill_kernel<Cell, true> : two_level_sort_fill_kernel<Cell, false>;
    allow_shared(fill, sizeof(memory));
    fill<<<static_cast<unsigned>(plan::sort_tiles(k.products)), sort_block, sizeof(memory), on>>>(
        a, b, of, k.a_entries, k.products, parts, range_parts_of(k), starts,
        static_cast<V*>(by_tiles ? cut.sums : cut_sorted_parts_of(k).sums), k.out_columns, values);
    if (k.cut_places > 0 && !by_tiles) {
        cut_sorted_fill_kernel<Cell>
            <<<static_cast<unsigned>((k.cut_places + sort_block - 1) / sort_block), sort_block, 0, on>>>(
                k.cut_places, cut_sorted_parts_of(k), plan::bits_of_column(k.columns), starts, k.out_columns,
                values);
    } else if (k.cut_places > 0) {
        const offset_t tiles = plan::mxm_cut_tiles(k.cut_places);
        two_level_cut_fill_kernel<Cell>
            <<<static_cast<unsigned>(tiles), sort_block, 0, on>>>(k.cut_places, cut, k.out_columns, values);
        if constexpr (!Cell::first_wins)
            two_level_cut_carry_kernel<Cell>
                <<<static_cast<unsigned>((tiles + sort_block - 1) / sort_block), sort_block, 0, on>>>(
                    tiles, cut, values);
    }
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
