// mxm/two_level_sort: C = A B by sorting its products, in tiles of equal size (dalton2015, section III-C).
//
// Computes: first level: the places of a tile's products are sorted by (row, column), as few bits of them as the tile
//   needs, with the number of the product in the lower bits of the same 64-bit word: keys alone are moved. Second level:
//   a row of more products than a tile is cut into tiles, whose distinct columns are then merged pair by pair. Products
//   are formed last, in the order of their making, and taken in sorted order: reduce by key.
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); tiles
//   are made of a run's rows, whole ones while they fit.
// Determinism: the sort keeps the order of making, so products of one place are added in the order of k; over tiles of a
//   row too, where each goes on from the sum so far.
// Sync: the joins after count and fill. Workspace a thread: a tile's keys twice and its products; the columns of the
//   longest row twice where it needs several tiles.
// Cost: products times three or four radix passes, twice, whatever the matrix looks like: time follows the products.
// Why it is not the planned one: tables and dense rows add most products where they fall, a sort moves each four times.
#pragma once

#include "kernels/cpu/mxm/common_rows.hpp"
#include "plan/mxm_workspace.hpp"

#include <span>

namespace nz::kernels::cpu {

void two_level_sort_count(const mxm_arguments& arguments);

namespace two_level_detail {

using plan::tile_bits;
using plan::tile_products;

/// Where a tile begins: entry p of A, which is in `row` or a later one, and how many of its row of B are done.
struct tile_start {
    index_t row;
    offset_t p, done;
};
struct tile {
    tile_start start;
    offset_t products;
};

/// Calls f(row, p, q, n) for the tile's products, n at a time: entry p of A with the n entries of B from q. Returns where
/// the next tile begins.
template <class F>
tile_start for_products(const mxm_arguments& k, const tile& of, F&& f) {
    tile_start s = of.start;
    for (offset_t left = of.products; left > 0;) {
        while (s.p == k.a.offsets[s.row + offset_t{1}]) ++s.row;
        const span_of_row b = row_of(k.b.offsets, k.a.columns[s.p]);
        const offset_t n = std::min(left, b.size() - s.done);
        if (n > 0) f(s.row, s.p, b.begin + s.done, n);
        left -= n;
        s.done += n;
        if (s.done == b.size()) s = {s.row, s.p + 1, 0};
    }
    return s;
}

/// A tile's keys: row within the tile, column from the smallest, number of the product.
class tile_keys {
public:
    using key = std::uint64_t;
    tile_keys(const mxm_arguments& k, plan::workspace_parts& parts)
        : k_(k), keys_(parts.take<key>(tile_products)), spare_(parts.take<key>(tile_products)) {}

    /// Makes and sorts them; returns where the next tile begins.
    tile_start sort(const tile& of);

    offset_t size() const { return size_; }
    key operator[](offset_t n) const { return keys_[n]; }
    index_t row(key x) const { return first_row_ + static_cast<index_t>(x >> (tile_bits + column_bits_)); }
    index_t column(key x) const {
        return low_ + static_cast<index_t>(x >> tile_bits & ((key{1} << column_bits_) - 1));
    }
    static offset_t product(key x) { return static_cast<offset_t>(x & (tile_products - 1)); }
    /// Whether two keys are of one place.
    static bool same_place(key x, key y) { return x >> tile_bits == y >> tile_bits; }

private:
    const mxm_arguments& k_;
    key *keys_, *spare_;
    offset_t size_ = 0;
    index_t first_row_ = 0, low_ = 0;
    int column_bits_ = 0;
};

/// The distinct columns of a row of several tiles.
class spread_columns {
public:
    spread_columns(const mxm_arguments& k, plan::workspace_parts& parts);
    /// Sorted, each once; `starts` tells them apart while they are merged.
    std::span<const index_t> collect(const mxm_arguments& k, tile_keys& keys, index_t row);
    /// Zeros, as many as collect() found columns: for whoever has to know which places were met.
    index_t* flags(offset_t n);

private:
    void merge_pairs(offset_t lists);

    index_t *columns_, *spare_;
    offset_t *starts_, *next_starts_;
};

/// A thread's share of the work, whatever is done with a tile: whole(first, last) for tiles of whole rows, whose keys are
/// sorted then, spread(row) for rows of several tiles.
template <class Whole, class Spread>
void for_tiles(const mxm_arguments& k, index_t first, index_t last, tile_keys& keys, Whole&& whole,
               Spread&& spread) {
    for (index_t i = first; i < last;) {
        const offset_t before = k.products[i];
        if (k.products[i + offset_t{1}] - before > tile_products) {
            spread(i++);
            continue;
        }
        index_t end = i + 1;
        while (end < last && k.products[end + offset_t{1}] - before <= tile_products &&
               end - i < tile_products)
            ++end;
        const tile of{{i, k.a.offsets[i], 0}, k.products[end] - before};
        keys.sort(of);
        whole(i, end, of);
        i = end;
    }
}

/// Calls f(tile) for the tiles of one row; f returns where the next one begins.
template <class F>
void for_tiles_of_row(const mxm_arguments& k, index_t row, F&& f) {
    tile_start at{row, k.a.offsets[row], 0};
    for (offset_t left = k.products[row + offset_t{1}] - k.products[row]; left > 0; left -= tile_products)
        at = f(tile{at, std::min(left, tile_products)});
}

inline plan::workspace_parts parts_of(const mxm_arguments& k, int t) {
    return plan::workspace_parts(static_cast<std::byte*>(k.workspace) +
                                 plan::two_level_workspace(k.most_products, k.value_bytes) *
                                     static_cast<std::size_t>(t));
}

template <class Cell>
class filler {
public:
    using V = typename Cell::value;
    filler(const mxm_arguments& k, int t)
        : k_(k),
          parts_(parts_of(k, t)),
          keys_(k, parts_),
          values_(parts_.take<V>(tile_products)),
          spread_(k, parts_),
          of_(k) {}

    void operator()(index_t first, index_t last) {
        for_tiles(
            k_, first, last, keys_,
            [&](index_t i, index_t, const tile& of) {
                form_products(of);
                reduce(k_.offsets[i]);
            },
            [&](index_t row) { fill_spread(row); });
    }

private:
    void form_products(const tile& of) {
        V* value = values_;
        for_products(k_, of, [&](index_t row, offset_t p, offset_t q, offset_t n) {
            const auto x = of_.a(p);
            const index_t at = k_.a.columns[p];
            for (offset_t m = 0; m < n; ++m) *value++ = Cell::multiply(x, of_.b(q + m), row, at);
        });
    }

    // Rows of a tile lie one after the other in the result.
    void reduce(offset_t place) {
        for (offset_t n = 0; n < keys_.size(); ++place) {
            const auto x = keys_[n];
            V sum = values_[tile_keys::product(x)];
            while (++n < keys_.size() && tile_keys::same_place(x, keys_[n]))
                sum = Cell::add(sum, values_[tile_keys::product(keys_[n])]);
            of_.out_columns[place] = keys_.column(x);
            of_.out_values[place] = sum;
        }
    }

    void fill_spread(index_t row) {
        const auto columns = spread_.collect(k_, keys_, row);
        const offset_t begin = k_.offsets[row];
        index_t* out = of_.out_columns + begin;
        V* sums = of_.out_values + begin;
        std::copy(columns.begin(), columns.end(), out);
        const auto size = static_cast<offset_t>(columns.size());
        index_t* met = spread_.flags(size);
        for_tiles_of_row(k_, row, [&](const tile& of) {
            const tile_start next = keys_.sort(of);
            form_products(of);
            offset_t at = 0;
            for (offset_t n = 0; n < keys_.size(); ++n) {
                at = std::lower_bound(out + at, out + size, keys_.column(keys_[n])) - out;
                const V value = values_[tile_keys::product(keys_[n])];
                sums[at] = met[at] ? Cell::add(sums[at], value) : value;
                met[at] = 1;
            }
            return next;
        });
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    tile_keys keys_;
    V* values_;
    spread_columns spread_;
    mxm_operands<Cell> of_;
};

}  // namespace two_level_detail

template <class Cell>
void two_level_sort_fill(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return two_level_detail::filler<Cell>(k, t); });
}

}  // namespace nz::kernels::cpu
