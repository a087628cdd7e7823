// mxm/dia_dia: C = A B by diagonals (matam2012, Algorithm 3): the product of two bands, and of what is a band in places.
//
// Computes: where neighbouring rows of A have the same diagonals, and the rows of B that they name too, diagonal d of A
//   times diagonal e of B goes to diagonal d + e of C, for many rows at a time: rows are the lanes of the vector unit. The
//   paper stores whole matrices by diagonals; here a tile of 128 rows is, in the cache, on its way from CSR and to CSR,
//   so that nothing is converted in memory and an entry stays an entry: explicit zeros are, gaps are not. Rows that are
//   no band (the ends, where diagonals leave the matrix; anything else) are hash's.
// Who owns what: runs of rows with about as many products each, of 512 rows in the mean where every thread has one, go to whichever
//   thread is free (common_rows.hpp); a tile belongs to one thread. 32 of its rows at a time are summed, diagonal by diagonal of C, in
//   registers, and read out by rows, past the caches where the result is large.
// Rows of B that tiles before have brought stay where they lie in the thread's tile of B while nothing else needs the room: a mesh's next
//   line names two thirds of those that its last one did. Which rows of B go on as the row before is looked at once a thread.
// Count: a tile's rows have as many entries as C has diagonals there; only the columns of A and B are compared with those
//   of the row before.
// Determinism: products of one place are added in the order of A's diagonals, which is that of k.
// Sync: the joins after count and fill. Workspace a thread: tiles of A and B, C's sums by diagonals and by rows, two bits a row
//   of B, where pairs begin, and hash's.
// Cost: products over the vector's width, each two loads; an entry of A, of B (a tenth more: tiles overlap) and of C
//   moved between row and diagonal once.
// Distance to the limit (two threads of a Zen 4): A, B and C once at the rate of a copy would take 19% of the time of banded:500000,21,
//   15% of laplace2d:1000's and 10% of laplace3d:60's. Of the last one's on one thread, by samples, the sums and their way out are 36%, the
//   7% of its rows that are hash's 29%, looking for tiles 19%, turning 10%.
// Tried without gain: 16 rows at a time, whose loop the compiler takes apart, product by product.
// Why dense_row was not enough: its vectors are as short as B's rows, and every row of sums is set up and read out.
#pragma once

#include "core/bits.hpp"
#include "core/stream.hpp"
#include "kernels/cpu/mxm/hash.hpp"

#include <array>
#include <span>

namespace nz::kernels::cpu {

void dia_dia_count(const mxm_arguments& arguments);
/// The share of some sampled rows of A that are part of a tile. With a workspace of dia_share_workspace(k.inner) a row of B is looked at once.
double dia_dia_share(const mxm_arguments& arguments);

namespace dia_dia_detail {

using plan::dia_tile_rows, plan::dia_lanes, plan::dia_most, plan::dia_most_c, plan::dia_b_values,
    plan::dia_a_stride, plan::dia_sums_stride;

/// Thread t's part of the workspace.
inline plan::workspace_parts part_of(const mxm_arguments& k, int t) {
    return plan::workspace_parts(static_cast<std::byte*>(k.workspace) +
                                 plan::dia_dia_workspace(k.most_products, k.inner, k.columns, k.value_bytes) *
                                     static_cast<std::size_t>(t));
}

/// Rows of B with the same diagonals that a tile reads, and where they lie in B's tile.
struct cluster {
    index_t shift;  ///< its first row is the tile's first plus this
    index_t rows;
    offset_t entry;  ///< of its first row
    index_t diagonals;
    /// From a diagonal to the next in B's tile: lanes beyond the rows are read and dropped; an odd number of lines keeps diagonals apart
    /// in the cache.
    offset_t stride() const { return ((offset_t{rows} + dia_lanes + 7) / 8 | 1) * 8; }
    offset_t values() const { return diagonals * stride(); }
};
struct pair {
    std::uint8_t a, cluster, b;
};
/// Where the values of a pair begin in the tiles of A and of B, and the diagonal of A.
struct place {
    std::int32_t a, b;
    index_t shift;
};

/// Which rows of B have the diagonals of the row before: looked at once a thread, as several rows of A name each.
class rows_that_follow {
public:
    /// Without workspace each is looked at anew.
    explicit rows_that_follow(const mxm_arguments& k) : k_(k) {}
    rows_that_follow(const mxm_arguments& k, plan::workspace_parts& parts) : k_(k) {
        const auto words = static_cast<std::size_t>(plan::words_of(k.inner));
        known_ = parts.take<bits::word>(words);
        same_ = parts.take<bits::word>(words);
        std::fill_n(known_, words, bits::word{0});
        std::fill_n(same_, words, bits::word{0});
    }
    bool operator()(offset_t i) const {
        if (!known_) return looked_at(i);
        const bits::word bit = bits::word{1} << (i % bits::per_word);
        bits::word &known = known_[i / bits::per_word], &same = same_[i / bits::per_word];
        if (!(known & bit)) {
            known |= bit;
            if (looked_at(i)) same |= bit;
        }
        return same & bit;
    }

private:
    bool looked_at(offset_t i) const;

    const mxm_arguments& k_;
    bits::word *known_ = nullptr, *same_ = nullptr;
};

/// Rows from one on that are a band, and how their diagonals meet. Kept from tile to tile while nothing changes.
class band_tile {
public:
    band_tile(const mxm_arguments& k, const rows_that_follow& follows)
        : k_(k),
          follows_(follows),
          same_(k.rows <= k.inner && k.a.columns == k.b.columns && k.a.offsets.data == k.b.offsets.data) {}

    /// Looks for a tile from row i on that ends before `last`.
    bool find(index_t i, index_t last);
    /// Where there is none: from how many rows on there is none either, row i itself at least.
    index_t in_vain() const { return in_vain_; }

    index_t first() const { return first_; }
    index_t rows() const { return rows_; }
    index_t a_diagonals() const { return now_.a_count; }
    index_t a_shift(int n) const { return now_.a_shifts[static_cast<std::size_t>(n)]; }
    std::span<const cluster> clusters() const {
        return {clusters_.data(), static_cast<std::size_t>(now_.clusters)};
    }
    std::span<const index_t> c_shifts() const {
        return {c_shifts_.data(), static_cast<std::size_t>(c_count_)};
    }
    /// All products, by diagonals of C.
    std::span<const pair> pairs() const {
        return {pairs_.data(), static_cast<std::size_t>(starts_[static_cast<std::size_t>(c_count_)])};
    }
    /// Those that add up to diagonal e of C, in the order of k: from the first number up to the second.
    std::pair<std::int32_t, std::int32_t> range(index_t e) const {
        return {starts_[static_cast<std::size_t>(e)], starts_[static_cast<std::size_t>(e) + 1]};
    }

private:
    /// The diagonals of A and of the rows of B that they name: what the pairs depend on.
    struct pattern {
        index_t a_count = 0, clusters = 0;
        std::array<index_t, dia_most> a_shifts;
        std::array<std::uint8_t, dia_most> a_cluster;
        std::array<index_t, dia_most + 1> lists;  // where each cluster's diagonals begin in b_shifts
        std::array<index_t, dia_most * 4> b_shifts;
        bool operator==(const pattern& other) const;
    };

    bool read_a(index_t i, index_t last);
    bool read_b();
    bool take_cluster(const cluster& c);
    bool meet();

    const mxm_arguments& k_;
    const rows_that_follow& follows_;
    const bool same_;  // rows of A are rows of B
    index_t first_ = 0, rows_ = 0, c_count_ = 0, in_vain_ = 1;
    pattern now_, met_;  // c_shifts_ and pairs_ are of met_
    std::array<cluster, dia_most> clusters_;
    std::array<index_t, dia_most_c> c_shifts_;
    std::array<std::int32_t, dia_most_c + 1> starts_;
    std::array<pair, dia_most * dia_most> pairs_;
};

/// Where rows of B lie in a thread's tile of B: those that tiles before this one had brought, as long as nothing else took their place.
class turned_rows {
public:
    /// Another tile: what it reads stays.
    void begin() { ++tile_; }
    /// Where they lie, -1 where they do not.
    offset_t find(const cluster& c) {
        for (held& h : std::span(held_).first(count_))
            if (h.entry == c.entry && h.rows == c.rows && h.diagonals == c.diagonals) {
                h.tile = tile_;
                return h.at;
            }
        return -1;
    }
    /// Room for them, which what earlier tiles read may lose; -1 where there is none.
    offset_t make_room(const cluster& c);
    void clear() { count_ = 0, next_ = 0; }

private:
    struct held {
        offset_t entry, at, values, tile;
        index_t rows, diagonals;
    };
    std::array<held, dia_most * 2> held_;
    std::size_t count_ = 0;
    offset_t next_ = 0, tile_ = 0;
};

/// to(d, r) = from(r, d), eight rows at a time: lines are read from the cache and written whole. What lies between the rows and the next
/// diagonal becomes 0, as lanes beyond the rows are read.
template <class T>
void turn(const T* __restrict from, index_t rows, index_t width, T* __restrict to, offset_t stride) {
    constexpr index_t block = 8;
    index_t r = 0;
    for (; r + block <= rows; r += block)
        for (index_t d = 0; d < width; ++d)
            for (index_t lane = 0; lane < block; ++lane)
                to[d * stride + r + lane] = from[(r + lane) * offset_t{width} + d];
    for (; r < rows; ++r)
        for (index_t d = 0; d < width; ++d) to[d * stride + r] = from[r * offset_t{width} + d];
    for (index_t d = 0; d < width; ++d) std::fill_n(to + d * stride + rows, stride - rows, T{});
}

template <class Cell>
class filler {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;

    filler(const mxm_arguments& k, int t)
        : k_(k),
          parts_(part_of(k, t)),
          follows_(k, parts_),
          a_values_(parts_.take<T>(dia_most * dia_a_stride)),
          b_values_(parts_.take<T>(dia_b_values)),
          sums_(parts_.take<V>(dia_most_c * dia_sums_stride)),
          row_values_(parts_.take<V>(dia_most_c * dia_lanes)),
          row_columns_(parts_.take<index_t>(dia_most_c * dia_lanes)),
          places_(parts_.take<place>(dia_most * dia_most)),
          tile_(k, follows_),
          of_(k),
          other_(k, parts_),
          streams_(k.offsets[k.rows] - k.offsets[0] > streamed_entries) {}

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last;) {
            if (!tile_.find(i, last)) {
                other_(i, i + tile_.in_vain());
                i += tile_.in_vain();
                continue;
            }
            load();
            for (index_t r = 0; r < tile_.rows(); r += dia_lanes) {
                for (index_t e = 0; e < static_cast<index_t>(tile_.c_shifts().size()); ++e)
                    add_diagonal(e, r);
                read_out(r, std::min<index_t>(dia_lanes, tile_.rows() - r));
            }
            i += tile_.rows();
        }
        if (streams_) stream::finish();
    }

private:
    // Smaller results stay in the caches.
    static constexpr offset_t streamed_entries = (offset_t{4} << 20) / offset_t{sizeof(V) + sizeof(index_t)};

    // The rows of A and B, turned to diagonals.
    void load() {
        if constexpr (Cell::reads_a) {
            const offset_t begin = k_.a.offsets[tile_.first()];
            if (of_.a_step == 0)
                std::fill_n(a_values_, tile_.a_diagonals() * dia_a_stride, of_.a(begin));
            else
                turn(of_.a_values + begin, tile_.rows(), tile_.a_diagonals(), a_values_, dia_a_stride);
        }
        if constexpr (Cell::reads_b)
            if (!load_b()) {
                kept_.clear();
                load_b();
            }
        find_places();
    }
    // Those of B that are not there yet; false where what the tile reads leaves no room between.
    bool load_b() {
        kept_.begin();
        const auto clusters = tile_.clusters();
        for (std::size_t n = 0; n < clusters.size(); ++n) at_[n] = kept_.find(clusters[n]);
        for (std::size_t n = 0; n < clusters.size(); ++n) {
            if (at_[n] >= 0) continue;
            const cluster& c = clusters[n];
            at_[n] = kept_.make_room(c);
            if (at_[n] < 0) return false;
            turn(of_.b_values + c.entry, c.rows, c.diagonals, b_values_ + at_[n], c.stride());
        }
        return true;
    }

    void find_places() {
        const auto pairs = tile_.pairs();
        for (std::size_t m = 0; m < pairs.size(); ++m) {
            const pair& p = pairs[m];
            const cluster& c = tile_.clusters()[p.cluster];
            const index_t shift = tile_.a_shift(p.a);
            const offset_t at = Cell::reads_b ? at_[p.cluster] + p.b * c.stride() + shift - c.shift : 0;
            places_[m] = {static_cast<std::int32_t>(p.a * dia_a_stride), static_cast<std::int32_t>(at),
                          shift};
        }
    }

    // Diagonal e of C in rows r to r + dia_lanes - 1 of the tile.
    void add_diagonal(index_t e, index_t r) {
        const auto [begin, end] = tile_.range(e);
        std::array<V, dia_lanes> sums;
        multiply(places_[begin], r, [&](std::size_t lane, V product) { sums[lane] = product; });
        if constexpr (!Cell::first_wins)
            for (const place* p = places_ + begin + 1; p != places_ + end; ++p)
                multiply(*p, r,
                         [&](std::size_t lane, V product) { sums[lane] = Cell::add(sums[lane], product); });
        std::copy(sums.begin(), sums.end(), sums_ + e * dia_sums_stride);
    }

    template <class Put>
    [[gnu::always_inline]] void multiply(const place& p, index_t r, Put&& put) const {
        const index_t row = tile_.first() + r, inner = row + p.shift;
        const T* x = a_values_ + p.a + r;
        const T* y = b_values_ + p.b + r;
        for (index_t lane = 0; lane < dia_lanes; ++lane) {
            T u{}, v{};
            if constexpr (Cell::reads_a) u = x[lane];
            if constexpr (Cell::reads_b) v = y[lane];
            put(static_cast<std::size_t>(lane), Cell::multiply(u, v, row + lane, inner + lane));
        }
    }

    // Rows r to r + n - 1 of the tile, from diagonals to rows.
    void read_out(index_t r, index_t n) {
        const auto shifts = tile_.c_shifts();
        const offset_t width = std::ssize(shifts), begin = k_.offsets[tile_.first() + offset_t{r}];
        index_t *const to_columns = of_.out_columns + begin, *columns = streams_ ? row_columns_ : to_columns;
        V *const to_values = of_.out_values + begin, *values = streams_ ? row_values_ : to_values;
        for (index_t lane = 0; lane < n; ++lane, columns += width, values += width) {
            const index_t row = tile_.first() + r + lane;
            for (offset_t e = 0; e < width; ++e) columns[e] = row + shifts[static_cast<std::size_t>(e)];
            for (offset_t e = 0; e < width; ++e) values[e] = sums_[e * dia_sums_stride + lane];
        }
        if (!streams_) return;
        const auto entries = static_cast<std::size_t>(n * width);
        stream::copy(to_columns, row_columns_, entries * sizeof(index_t));
        stream::copy(to_values, row_values_, entries * sizeof(V));
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    rows_that_follow follows_;
    T *a_values_, *b_values_;
    V *sums_, *row_values_;
    index_t* row_columns_;
    place* places_;
    band_tile tile_;
    turned_rows kept_;
    std::array<offset_t, dia_most> at_;
    mxm_operands<Cell> of_;
    hash_detail::filler<Cell> other_;
    const bool streams_;
};

}  // namespace dia_dia_detail

template <class Cell>
void dia_dia_fill(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return dia_dia_detail::filler<Cell>(k, t); }, plan::dia_run_rows);
}

}  // namespace nz::kernels::cpu
