#include "kernels/cpu/ewise/balanced_path.hpp"

#include "kernels/cpu/ewise/common_windows.hpp"

#include <cstring>
#include <utility>

namespace nz::kernels::cpu {
namespace {

constexpr index_t block_rows = plan::ewise_block_rows;
// Entries from the window at hand to those that are asked of memory: a kilobyte.
constexpr index_t entries_ahead = 256;
// Rows that are left open before they get another window: many, so that windows do not wait for the one before of their
// row; few enough for their entries to stay in the second cache.
constexpr index_t most_open = 64;
// Entries of both sides from which a row is walked to its end at once: the end then costs less than the turns.
constexpr index_t long_row = 512;

/// Whether a block of rows has the same places on both sides; its entries begin at i and j.
bool same_rows(const ewise_arguments& k, index_t row, offset_t i, offset_t j) {
    const offset_t ahead = i - j;
    bool same = true;
    for (offset_t r = row; r <= row + offset_t{block_rows} && same; r += 8)
        same = k.a.offsets[r] - k.b.offsets[r] == ahead;
    for (offset_t r = row; r < row + offset_t{block_rows} && same; ++r)
        same = k.a.offsets[r] - k.b.offsets[r] == ahead;
    return same && std::equal(k.a.columns + i, k.a.columns + k.a.offsets[row + offset_t{block_rows}],
                              k.b.columns + j);
}

/// Counts one piece, a block of rows at a time: first a window of each row, in order; rows with more stay open, and all open
/// ones, of whatever block, get a window in turn.
class piece_counter {
public:
    piece_counter(const ewise_arguments& k, const shared_path& path, int p)
        : k_(k),
          piece_(k, path.cuts[p], path.cuts[p + 1]),
          windows_(k.width <= window_columns),
          a_(k.a.columns + piece_.from.a),
          b_(k.b.columns + piece_.from.b),
          a_room_(k.a.offsets[k.rows] - piece_.from.a),
          b_room_(k.b.offsets[k.rows] - piece_.from.b),
          pairs_of_rows_(path.pairs_of_rows + p),
          same_(path.same),
          of_a_(path.of_a + plan::ewise_path::bits_of(p, piece_.from)),
          pairs_(path.pairs + plan::ewise_path::bits_of(p, piece_.from)) {}

    /// The number of results.
    offset_t run() {
        of_a_[0] = pairs_[0] = std::byte{0};
        const index_t stop = piece_.to.row + path_piece::within_row(k_, piece_.to);
        index_t next = 0;
        for (index_t row = piece_.from.row; row < stop; row = next) {
            const index_t block = row / block_rows;
            next = static_cast<index_t>(std::min<offset_t>(stop, (block + offset_t{1}) * block_rows));
            if (piece_.has_block(row)) {
                same_[block] = same_rows(k_, row, piece_.from.a + i_, piece_.from.b + j_);
                if (same_[block]) {
                    skip_block(row);
                    continue;
                }
            }
            list_rows(row, next);
            walk_rows();
        }
        if constexpr (have_masked_lanes)
            while (open_.size > 0) walk_open<masked_lanes>();
        return results_of(k_.operation, piece_.to.a - piece_.from.a, piece_.to.b - piece_.from.b, found_);
    }

private:
    /// What is left of a row in this piece.
    struct row_part {
        index_t row, i, a_end, j, b_end;
    };

    void skip_block(index_t first) {
        const offset_t a_begin = k_.a.offsets[first];
        for (index_t row = first; row < first + block_rows; ++row)
            pairs_of_rows_[row] = static_cast<index_t>(k_.a.offsets[row + offset_t{1}] - k_.a.offsets[row]);
        const auto length = static_cast<index_t>(k_.a.offsets[first + offset_t{block_rows}] - a_begin);
        const index_t before = (i_ + j_) / 8;
        found_ += length;
        i_ += length;
        j_ += length;
        if (const index_t byte = (i_ + j_) / 8; byte != before) of_a_[byte] = pairs_[byte] = std::byte{0};
    }
    /// Lists the rows from `first` to before `end` that have entries, and where they end.
    void list_rows(index_t first, index_t end) {
        const auto a_most = static_cast<index_t>(piece_.to.a - piece_.from.a),
                   b_most = static_cast<index_t>(piece_.to.b - piece_.from.b);
        listed_ = 0;
        a_bounds_[0] = i_;
        b_bounds_[0] = j_;
        if constexpr (have_masked_lanes)
            list_by_lanes<masked_lanes>(first, end, a_most, b_most);
        else
            for (index_t row = first, i = i_, j = j_; row < end; ++row) {
                const index_t a_end = end_of(k_.a, row, piece_.from.a, a_most),
                              b_end = end_of(k_.b, row, piece_.from.b, b_most);
                pairs_of_rows_[row] = 0;
                rows_[listed_] = row;
                a_bounds_[listed_ + 1] = a_end;
                b_bounds_[listed_ + 1] = b_end;
                listed_ += a_end != i || b_end != j;
                i = a_end;
                j = b_end;
            }
    }
    static index_t end_of(const ewise_side& side, index_t row, offset_t from, index_t most) {
        return static_cast<index_t>(std::min<offset_t>(side.offsets[row + offset_t{1}] - from, most));
    }
    template <class L>
    void list_by_lanes(index_t first, index_t end, index_t a_most, index_t b_most) {
        index_t i = i_, j = j_;
        short_.size = 0;
        which_short_ = 0;
        for (index_t row = first; row < end; row += 16) {
            const std::uint32_t lanes = end - row < 16 ? (1U << (end - row)) - 1 : 0xffff;
            const auto a = ends<L>(k_.a.offsets, row, lanes, piece_.from.a, a_most),
                       b = ends<L>(k_.b.offsets, row, lanes, piece_.from.b, b_most);
            const auto a_begin = L::shifted_in(a, i), b_begin = L::shifted_in(b, j);
            const std::uint32_t filled = lanes & (L::unequal(a, a_begin) | L::unequal(b, b_begin));
            const std::uint32_t brief = filled & L::at_most(a, L::sum(a_begin, short_rows::most)) &
                                        L::at_most(b, L::sum(b_begin, short_rows::most));
            short_.add<L>(row, a_begin, a, b_begin, b, brief);
            which_short_ |= std::uint64_t{L::pick(brief, filled)} << listed_;
            L::store(pairs_of_rows_ + row, L::zeros(), lanes);
            L::store_picked(rows_ + listed_, L::counted_from(row), filled);
            L::store_picked(a_bounds_ + listed_ + 1, a, filled);
            L::store_picked(b_bounds_ + listed_ + 1, b, filled);
            listed_ += std::popcount(filled);
            i = L::highest(a);
            j = L::highest(b);
        }
    }
    template <class L>
    static auto ends(const offset_reader& offsets, index_t row, std::uint32_t lanes, offset_t from,
                     index_t most) {
        return offsets.wide ? L::differences(static_cast<const std::int64_t*>(offsets.data) + row + 1, lanes,
                                             from, most)
                            : L::differences(static_cast<const std::int32_t*>(offsets.data) + row + 1, lanes,
                                             from, most);
    }

    void walk_rows() {
        if (listed_ == 0) return;
        if constexpr (have_masked_lanes)
            if (windows_) return walk_by_windows<masked_lanes>();
        for (index_t n = 0; n < listed_; ++n) walk_rest<true>(row_at(n));
        pass_list();
    }
    /// The n-th row listed.
    [[gnu::always_inline]] row_part row_at(index_t n) const {
        return {rows_[n], a_bounds_[n], a_bounds_[n + 1], b_bounds_[n], b_bounds_[n + 1]};
    }
    void pass_list() {
        i_ = a_bounds_[listed_];
        j_ = b_bounds_[listed_];
    }
    template <class L>
    void walk_by_windows() {
        // B's, unless something else is written.
        const index_t end = a_bounds_[listed_] + b_bounds_[listed_];
        for (index_t byte = (i_ + j_ + 7) / 8; byte <= end / 8; byte += 64) {
            L::store(of_a_ + byte, L::zeros());
            L::store(pairs_ + byte, L::zeros());
        }
        if (walk_short<L>()) {
            for (std::uint64_t left = ~which_short_ & all_listed(); left; left &= left - 1)
                walk_first<L, false>(row_at(std::countr_zero(left)));
        } else {
            for (index_t n = 1; n < listed_; ++n) {
                prefetch(a_, a_bounds_[n]);
                prefetch(b_, b_bounds_[n]);
            }
            for (index_t n = 0; n < listed_; ++n) walk_first<L, true>(row_at(n));
        }
        pass_list();
        while (open_.size >= most_open) walk_open<L>();
    }
    std::uint64_t all_listed() const { return ~std::uint64_t{0} >> (block_rows - listed_); }
    /// Half of the rows or more, if so many are short: they come first, in order, and leave gaps for the others. Else, and
    /// where a place is repeated, nothing.
    template <class L>
    bool walk_short() {
        if (2 * short_.size < listed_) return false;
        // The last entries of a matrix have no four behind them.
        if (a_bounds_[listed_] + short_.most > a_room_ || b_bounds_[listed_] + short_.most > b_room_)
            return false;
        constexpr index_t line = 64 / sizeof(index_t);
        for (index_t i = a_bounds_[0]; i < a_bounds_[listed_]; i += line) prefetch(a_, i + entries_ahead);
        for (index_t j = b_bounds_[0]; j < b_bounds_[listed_]; j += line) prefetch(b_, j + entries_ahead);
        if (!short_.walk<L>(a_, b_)) return false;
        index_t found = 0;
        for (index_t k = 0; k < short_.size; ++k) {
            append(short_.i[k] + short_.j[k], short_.of_a[k], short_.pairs[k]);
            const index_t pairs = std::popcount(short_.pairs[k]);
            pairs_of_rows_[short_.row[k]] = pairs;
            found += pairs;
        }
        found_ += found;
        return true;
    }
    /// The first window of a row.
    template <class L, bool InOrder>
    [[gnu::always_inline]] void walk_first(row_part r) {
        if (std::min(r.a_end - r.i, r.b_end - r.j) >= long_row) [[unlikely]]
            r = walk_long<L, InOrder>(r);
        prefetch(a_, r.i + entries_ahead);
        prefetch(b_, r.j + entries_ahead);
        const window<L> w(a_ + r.i, r.a_end - r.i, b_ + r.j, r.b_end - r.j);
        if (w.repeats) [[unlikely]]
            return walk_rest<InOrder>(r);
        keep<InOrder>(r.i + r.j, w.of_a, w.pairs);
        pass(r, w);
    }
    /// As far as both sides have more than eight entries; what is left. Its pairs are added once: a row of many pieces has one
    /// line for them all.
    template <class L, bool InOrder>
    [[gnu::noinline]] row_part walk_long(row_part r) {
        index_t found = 0;
        while (r.a_end - r.i > 8 && r.b_end - r.j > 8) {
            prefetch(a_, r.i + entries_ahead);
            prefetch(b_, r.j + entries_ahead);
            const window<L> w(a_ + r.i, b_ + r.j);
            if (w.repeats) [[unlikely]]
                break;
            keep<InOrder>(r.i + r.j, w.of_a, w.pairs);
            found += std::popcount(w.pairs);
            r.i += static_cast<index_t>(w.from_a);
            r.j += static_cast<index_t>(w.from_b);
        }
        count(r.row, found);
        return r;
    }
    /// A window of each open row.
    template <class L>
    void walk_open() {
        const index_t open = std::exchange(open_.size, 0);
        for (index_t o = 0; o < open; ++o) {
            const row_part r{open_.row[o], open_.i[o], open_.a_end[o], open_.j[o], open_.b_end[o]};
            prefetch(a_, r.i + 32);
            prefetch(b_, r.j + 32);
            const window<L> w(a_ + r.i, r.a_end - r.i, b_ + r.j, r.b_end - r.j);
            if (w.repeats || (r.j == r.b_end && r.a_end - r.i > 8)) [[unlikely]] {
                walk_rest<false>(r);
                continue;
            }
            insert(r.i + r.j, w.of_a, w.pairs);
            pass(r, w);
        }
    }
    /// Past a window. The row stays open where A has more: of B's rest nothing needs to be written.
    template <class L>
    [[gnu::always_inline]] void pass(const row_part& r, const window<L>& w) {
        count(r.row, std::popcount(w.pairs));
        const index_t i = r.i + static_cast<index_t>(w.from_a), o = open_.size;
        open_.row[o] = r.row;
        open_.i[o] = i;
        open_.a_end[o] = r.a_end;
        open_.j[o] = r.j + static_cast<index_t>(w.from_b);
        open_.b_end[o] = r.b_end;
        open_.size = o + (i != r.a_end);
    }
    /// All of it, entry by entry, without a branch on which side is next.
    template <bool InOrder>
    [[gnu::noinline]] void walk_rest(const row_part& r) {
        const index_t *const a = a_, *const b = b_;
        offset_t i = r.i, j = r.j;
        const offset_t a_end = r.a_end, b_end = r.b_end;
        index_t found = 0;
        while (i < a_end || j < b_end) {
            const offset_t at = i + j;
            std::uint64_t of_a = 0, pairs = 0;
            offset_t step = 0;
            while (step < 47 && (i < a_end) & (j < b_end)) {
                const index_t x = a[i], y = b[j];
                const std::uint64_t in_a = x <= y, in_b = y <= x;
                of_a |= in_a << step;
                pairs |= (in_a & in_b) << step;
                found += static_cast<index_t>(in_a & in_b);
                i += static_cast<offset_t>(in_a);
                j += static_cast<offset_t>(in_b);
                step = i + j - at;
            }
            if (j == b_end) {
                const offset_t rest = std::min(a_end - i, 48 - step);
                of_a |= ((std::uint64_t{1} << rest) - 1) << step;
                i += rest;
            } else if (i == a_end) {
                j += std::min(b_end - j, 48 - step);
            }
            keep<InOrder>(static_cast<index_t>(at), of_a, pairs);
        }
        count(r.row, found);
    }
    template <bool InOrder>
    [[gnu::always_inline]] void keep(index_t at, std::uint64_t of_a, std::uint64_t pairs) {
        if constexpr (InOrder)
            append(at, of_a, pairs);
        else
            insert(at, of_a, pairs);
    }
    void count(index_t row, index_t pairs) {
        pairs_of_rows_[row] += pairs;
        found_ += pairs;
    }
    /// Up to 48 steps, of which nothing further on is there yet: eight bytes are written.
    [[gnu::always_inline]] void append(index_t at, std::uint64_t of_a, std::uint64_t pairs) {
        const auto bit = static_cast<std::uint32_t>(at);
        put(of_a_ + bit / 8, of_a << bit % 8);
        put(pairs_ + bit / 8, pairs << bit % 8);
    }
    static void put(std::byte* to, std::uint64_t bits) {
        bits |= static_cast<std::uint64_t>(*to);
        std::memcpy(to, &bits, sizeof bits);
    }
    /// Up to 48 steps between others.
    void insert(index_t at, std::uint64_t of_a, std::uint64_t pairs) {
        const auto bit = static_cast<std::uint32_t>(at);
        add(of_a_ + bit / 8, of_a << bit % 8);
        add(pairs_ + bit / 8, pairs << bit % 8);
    }
    static void add(std::byte* to, std::uint64_t bits) {
        std::uint64_t word;
        std::memcpy(&word, to, sizeof word);
        word |= bits;
        std::memcpy(to, &word, sizeof word);
    }

    const ewise_arguments& k_;
    const path_piece piece_;
    const bool windows_;
    const index_t *const a_, *const b_;  // the piece's first entries, from which all positions count
    const offset_t a_room_, b_room_;     // entries from there to the matrix's last
    index_t i_ = 0, j_ = 0;
    offset_t found_ = 0;  // pairs
    index_t* const pairs_of_rows_;
    std::uint8_t* const same_;
    std::byte *const of_a_, *const pairs_;
    index_t listed_ = 0;
    // Rows with entries; the n-th has its entries between bounds n and n + 1.
    index_t rows_[block_rows], a_bounds_[block_rows + 1], b_bounds_[block_rows + 1];
    short_rows short_;
    std::uint64_t which_short_ = 0;  // of those listed
    struct {
        index_t size = 0;
        index_t row[most_open + block_rows], i[most_open + block_rows], a_end[most_open + block_rows],
            j[most_open + block_rows], b_end[most_open + block_rows];
    } open_;  // rows, and where they go on
};

plan::ewise_cut cut_before(const ewise_arguments& k, const shared_path& path, int p) {
    const offset_t entries = k.a.offsets[k.rows] + k.b.offsets[k.rows];
    return p == 0 ? plan::ewise_cut{0, 0, 0}
                  : cut_path(k.a, k.b, k.rows, parallel::piece(entries, p, path.pieces).first);
}

}  // namespace

offset_t balanced_path_count(const ewise_arguments& k) {
    const shared_path path(k);
    for (int p = 0; p <= path.pieces; ++p) path.cuts[p] = cut_before(k, path, p);
    path.starts[0] = 0;
    parallel::run(k.threads, [&](int t, int) {
        const auto [first, last] = path.share(t);
        for (int p = first; p < last; ++p) path.starts[p + 1] = piece_counter(k, path, p).run();
    });
    for (int p = 0; p < path.pieces; ++p) path.starts[p + 1] += path.starts[p];
    return path.starts[path.pieces];
}

}  // namespace nz::kernels::cpu
