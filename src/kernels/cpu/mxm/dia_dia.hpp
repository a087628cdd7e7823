// mxm/dia_dia: C = A B by diagonals (matam2012, Algorithm 3): the product of two bands, and of what is a band in places.
//
// Computes: where neighbouring rows of A have the same diagonals, and the rows of B that they name too, diagonal d of A
//   times diagonal e of B goes to diagonal d + e of C, for many rows at a time: rows are the lanes of the vector unit. The
//   paper stores whole matrices by diagonals; here a tile of 128 rows is, in the cache, on its way from CSR and to CSR,
//   so that nothing is converted in memory and an entry stays an entry: explicit zeros are, gaps are not. Rows that are
//   no band (the ends, where diagonals leave the matrix; anything else) are hash's.
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); a tile
//   belongs to one thread, its sums to 32 lanes in registers.
// Count: a tile's rows have as many entries as C has diagonals there; only the columns of A and B are compared with those
//   of the row before.
// Determinism: products of one place are added in the order of A's diagonals, which is that of k.
// Sync: the joins after count and fill. Workspace a thread: tiles of A and B, and hash's.
// Cost: products over the vector's width, each two loads; an entry of A, of B (a tenth more: tiles overlap) and of C
//   moved between row and diagonal once.
// Why dense_row was not enough: its vectors are as short as B's rows, and every row of sums is set up and read out.
#pragma once

#include "kernels/cpu/mxm/hash.hpp"

#include <array>
#include <span>

namespace nz::kernels::cpu {

void dia_dia_count(const mxm_arguments& arguments);
/// The share of some sampled rows of A that are part of a tile.
double dia_dia_share(const mxm_arguments& arguments);

namespace dia_dia_detail {

using plan::dia_tile_rows, plan::dia_lanes, plan::dia_most, plan::dia_most_c, plan::dia_b_values,
    plan::dia_a_stride;

/// Rows of B with the same diagonals that a tile reads, and where they lie in B's tile.
struct cluster {
    index_t shift;  ///< its first row is the tile's first plus this
    index_t rows;
    offset_t entry;  ///< of its first row
    index_t lists;   ///< where its diagonals stand in b_shifts_
    index_t diagonals;
    offset_t at, stride;
};
struct pair {
    std::uint8_t a, cluster, b;
};

/// Rows from one on that are a band, and how their diagonals meet. Kept from tile to tile while nothing changes.
class band_tile {
public:
    explicit band_tile(const mxm_arguments& k) : k_(k) {}

    /// Looks for a tile from row i on that ends before `last`.
    bool find(index_t i, index_t last);

    index_t first() const { return first_; }
    index_t rows() const { return rows_; }
    index_t a_diagonals() const { return a_count_; }
    index_t a_shift(int n) const { return a_shifts_[static_cast<std::size_t>(n)]; }
    std::span<const cluster> clusters() const {
        return {clusters_.data(), static_cast<std::size_t>(cluster_count_)};
    }
    std::span<const index_t> c_shifts() const {
        return {c_shifts_.data(), static_cast<std::size_t>(c_count_)};
    }
    /// The products that add up to diagonal e of C, in the order of k.
    std::span<const pair> pairs(index_t e) const {
        const auto begin = starts_[static_cast<std::size_t>(e)],
                   end = starts_[static_cast<std::size_t>(e) + 1];
        return {pairs_.data() + begin, static_cast<std::size_t>(end - begin)};
    }

private:
    bool read_a(index_t i, index_t last);
    bool read_b();
    bool take_cluster(cluster c);
    bool meet();

    const mxm_arguments& k_;
    index_t first_ = 0, rows_ = 0, a_count_ = 0, cluster_count_ = 0, c_count_ = 0, list_end_ = 0;
    bool met_ = false;  // c_shifts_ and pairs_ are of these diagonals
    std::array<index_t, dia_most> a_shifts_;
    std::array<std::uint8_t, dia_most> a_cluster_;
    std::array<cluster, dia_most> clusters_;
    std::array<index_t, dia_most * 4> b_shifts_;
    std::array<index_t, dia_most_c> c_shifts_;
    std::array<std::int32_t, dia_most_c + 1> starts_;
    std::array<pair, dia_most * dia_most> pairs_;
};

template <class Cell>
class filler {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;

    filler(const mxm_arguments& k, int t)
        : k_(k),
          parts_(static_cast<std::byte*>(k.workspace) +
                 plan::dia_dia_workspace(k.most_products, k.columns, k.value_bytes) *
                     static_cast<std::size_t>(t)),
          a_values_(parts_.take<T>(dia_most * dia_a_stride)),
          b_values_(parts_.take<T>(dia_b_values)),
          tile_(k),
          of_(k),
          other_(k, parts_) {
        std::fill_n(a_values_, dia_most * dia_a_stride, T{});
        std::fill_n(b_values_, dia_b_values, T{});
    }

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last;) {
            if (!tile_.find(i, last)) {
                other_(i, i + 1);
                ++i;
                continue;
            }
            load();
            index_t* columns = of_.out_columns + k_.offsets[i];
            const auto shifts = tile_.c_shifts();
            for (index_t r = 0; r < tile_.rows(); ++r)
                for (const index_t shift : shifts) *columns++ = i + r + shift;
            for (index_t e = 0; e < static_cast<index_t>(shifts.size()); ++e) add_diagonal(e);
            i += tile_.rows();
        }
    }

private:
    // The rows of A and B, turned to diagonals.
    void load() {
        const index_t n = tile_.a_diagonals();
        const offset_t begin = k_.a.offsets[tile_.first()];
        if constexpr (Cell::reads_a)
            for (index_t r = 0; r < tile_.rows(); ++r)
                for (index_t d = 0; d < n; ++d)
                    a_values_[d * dia_a_stride + r] = of_.a(begin + r * offset_t{n} + d);
        if constexpr (Cell::reads_b)
            for (const cluster& c : tile_.clusters())
                for (index_t r = 0; r < c.rows; ++r)
                    for (index_t d = 0; d < c.diagonals; ++d)
                        b_values_[c.at + d * c.stride + r] = of_.b(c.entry + r * offset_t{c.diagonals} + d);
    }

    void add_diagonal(index_t e) {
        const auto pairs = tile_.pairs(e);
        const offset_t width = static_cast<offset_t>(tile_.c_shifts().size());
        V* out = of_.out_values + k_.offsets[tile_.first()] + e;
        for (index_t r = 0; r < tile_.rows(); r += dia_lanes) {
            std::array<V, dia_lanes> sums;
            multiply(pairs[0], r, [&](int lane, V product) { sums[lane] = product; });
            if constexpr (!Cell::first_wins)
                for (const pair& p : pairs.subspan(1))
                    multiply(p, r, [&](int lane, V product) { sums[lane] = Cell::add(sums[lane], product); });
            const index_t n = std::min<index_t>(dia_lanes, tile_.rows() - r);
            for (index_t lane = 0; lane < n; ++lane)
                out[(r + lane) * width] = sums[static_cast<std::size_t>(lane)];
        }
    }

    template <class Put>
    [[gnu::always_inline]] void multiply(const pair& p, index_t r, Put&& put) {
        const cluster& c = tile_.clusters()[p.cluster];
        const index_t shift = tile_.a_shift(p.a), row = tile_.first() + r;
        const T* x = a_values_ + p.a * dia_a_stride + r;
        const T* y = b_values_ + c.at + p.b * c.stride + (shift - c.shift) + r;
        for (int lane = 0; lane < dia_lanes; ++lane)
            put(lane, Cell::multiply(x[lane], y[lane], row + lane, row + lane + shift));
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    T *a_values_, *b_values_;
    band_tile tile_;
    mxm_operands<Cell> of_;
    hash_detail::filler<Cell> other_;
};

}  // namespace dia_dia_detail

template <class Cell>
void dia_dia_fill(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return dia_dia_detail::filler<Cell>(k, t); });
}

}  // namespace nz::kernels::cpu
