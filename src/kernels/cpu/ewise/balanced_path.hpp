// ewise/balanced_path: C = A op B entry by entry, as union, intersection, difference or symmetric difference of their
// places, straight from CSR (dalton2015, section III-B).
//
// Who owns what: a thread owns one piece of the balanced path through both matrices' entries, whatever rows it
//   falls in (schedule/balanced.hpp); it writes the offsets of the rows that end in its piece. Joins: after each pass.
// Two passes, one merge: count walks columns alone and keeps two bits of each step of the path (plan::ewise_path), the pairs
//   of each row and each piece's number of results; fill follows the bits, sixteen steps at a time, blind to rows, with no
//   branch but the loop's: A's and B's next columns and values are spread over the places under masks.
// Count takes 64 rows at a time. Those that have the same places on both sides are one comparison of memory, here, and one
//   copy and one loop over values in fill; they leave no bits. Of others every row gets a window (common_windows.hpp), whose
//   bits go where they belong: a step's place in the string is the sum of its positions in A and B, so no window waits for
//   another. Rows with more stay open, until there are 64 and each gets another window. Where half of the rows or more have
//   up to four entries a side, those come first, compared all with all and worked out sixteen rows at a time (short_rows). All
//   that where the build may use masked lanes and columns are below 2^28; elsewhere, and where a place is repeated, rows go
//   entry by entry, without a branch on which side is next; fill does so where the build has no masked lanes.
// Memory: columns of A and B twice, their values once, C once, by way of a stage in the first cache
//   (common_stage.hpp), the workspace twice: a quarter of a byte an entry of A and B, four bytes a row. Both passes ask for
//   what they read next before they get there.
// Determinism: no sum, no order to choose; repeats of a place are matched by rank.
// Cost: |A| + |B| a pass. A pass over C needs at least (|A| + |B|)(2 columns + value) + |C|(column + value) bytes, so that
//   at the rate of a copy doubles without a common place reach 86% of the rate that counts A, B and C once, those of equal
//   places 82%. docs/measurements/spadd.md says how near it comes. Fill is near it everywhere; count takes some 8 ns a window on an
//   EPYC (Zen 5), one a row at least, and less than half of that a short row.
// Tried without gain: four walks of other pieces in turn instead of rows that stay open (a row's next window then waits for the
//   one before: count of random:1000000,8 8.6 ms, so 5.5), long rows cut into parts that are open together, a window's exit as a branch
//   (the kernel before: mispredicted at the end of every second row, in both passes); short rows worked out one by one
//   (powerlaw:1000000 on one thread 11.9 ms for 10.9), a piece of 65,536 to a million entries counted and filled while it is in the caches,
//   in turns, as mxm's runs are (six inputs 0.95 to 1.05 of the time, the power law 1.05).
// Why the reference was not enough: one thread, an indirect call an entry, and a sort of what it appends.
#pragma once

#include "algebra/functors.hpp"
#include "core/masked_lanes.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/ewise/common_path.hpp"
#include "kernels/cpu/ewise/common_stage.hpp"

#include <bit>
#include <cstring>

namespace nz::kernels::cpu {

offset_t balanced_path_count(const ewise_arguments& arguments);

namespace balanced_detail {

// Entries from those at hand to those that are asked of memory: without, fill took half as long again on matrices beyond
// the caches, as results went out while nothing came in.
constexpr offset_t columns_ahead = 256, values_ahead = 128;
// Results beyond this go past the caches, which saves a quarter of fill's time where rows are equal, two fifths elsewhere
// and a tenth where the result has 11 MB; smaller ones stay for whoever reads them next.
constexpr std::size_t streamed_bytes = std::size_t{8} << 20;

template <class T>
using bits_of =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The values of one side; one that stands for all is repeated as often as fill takes at a time.
template <class U>
class side_values {
public:
    explicit side_values(const ewise_side& side)
        : values_(static_cast<const U*>(side.values)), step_(side.step) {
        if (step_ == 0 && values_) std::fill_n(same_, 16, values_[0]);
    }
    const U* window(offset_t i) const { return (step_ == 0 ? same_ : values_) + i * step_; }
    const U* from(offset_t i) const { return values_ + i * step_; }
    offset_t step() const { return step_; }

private:
    const U* values_;
    offset_t step_;
    U same_[16] = {};
};

/// The next steps of the path, sixteen where there are so many: one fewer where the last would part a pair.
struct path_steps {
    std::uint32_t of_a, pairs;
    int count;

    path_steps(const std::byte* of_a_bits, const std::byte* pair_bits, offset_t at, offset_t end) {
        count = static_cast<int>(std::min<offset_t>(end - at, 16));
        pairs = bits(pair_bits, at);
        count -= static_cast<int>(pairs >> (count - 1) & 1);
        const std::uint32_t all = (1U << count) - 1;
        pairs &= all;
        of_a = bits(of_a_bits, at) & all;
    }

private:
    static std::uint32_t bits(const std::byte* from, offset_t at) {
        std::uint32_t word;
        std::memcpy(&word, from + at / 8, sizeof word);
        return word >> at % 8;
    }
};

/// Writes the results of one thread's pieces. Values move as bits, so that choosing one needs no branch.
template <binary_id Op, class T, set_operation Operation>
class piece_writer {
public:
    using U = bits_of<T>;
    piece_writer(const ewise_arguments& k, const shared_path& path, int first_piece)
        : a_(k.a.columns),
          b_(k.b.columns),
          a_values_(k.a),
          b_values_(k.b),
          out_(k.columns, static_cast<U*>(k.values), path.starts[first_piece],
               static_cast<std::size_t>(path.starts[path.pieces]) * (sizeof(index_t) + sizeof(T)) >
                   streamed_bytes) {}

    void finish() { out_.finish(); }

    /// The entries from i and j up to these ends; `at` is the first step among the piece's bits.
    void join(offset_t i, offset_t a_end, offset_t j, offset_t b_end, offset_t at, const std::byte* of_a,
              const std::byte* pairs) {
        for (const offset_t end = at + (a_end - i) + (b_end - j); at < end;) {
            prefetch(a_, i + columns_ahead);
            prefetch(b_, j + columns_ahead);
            prefetch(a_values_.window(0), (i + values_ahead) * a_values_.step());
            if constexpr (reads_b) prefetch(b_values_.window(0), (j + values_ahead) * b_values_.step());
            out_.space();
            path_steps steps(of_a, pairs, at, end);
            if constexpr (have_masked_lanes)
                put<masked_lanes>(i, j, steps);
            else
                put(i, j, steps);
            at += steps.count;
            const int from_a = std::popcount(steps.of_a);
            i += from_a;
            j += steps.count - from_a;
        }
    }
    /// `length` entries whose places are the same on both sides.
    void join_same(offset_t i, offset_t j, offset_t length) {
        if constexpr (of_pairs)
            for (offset_t done = 0; done < length;) {
                const offset_t n = std::min(length - done, out_.space());
                std::copy_n(a_ + i + done, n, out_.columns());
                const U *u = a_values_.from(i + done), *v = b_values_.from(j + done);
                U* to = out_.values();
                if (a_values_.step() == 1 && b_values_.step() == 1)
                    for (offset_t k = 0; k < n; ++k) to[k] = both(u[k], v[k]);
                else
                    for (offset_t k = 0; k < n; ++k)
                        to[k] = both(u[k * a_values_.step()], v[k * b_values_.step()]);
                out_.add(n);
                done += n;
            }
    }

private:
    static constexpr bool of_pairs =
        Operation == set_operation::unite || Operation == set_operation::intersect;
    static constexpr bool reads_b = Operation != set_operation::subtract;

    static U both(U u, U v) {
        return std::bit_cast<U>(
            static_cast<T>(algebra::binary<Op>(std::bit_cast<T>(u), std::bit_cast<T>(v))));
    }

    /// Of the places with entries of A and of B those that stay.
    static std::uint32_t kept(std::uint32_t of_a, std::uint32_t of_b) {
        using enum set_operation;
        return Operation == unite       ? of_a | of_b
               : Operation == intersect ? of_a & of_b
               : Operation == subtract  ? of_a & ~of_b
                                        : of_a ^ of_b;
    }

    template <class L>
    [[gnu::always_inline]] void put(offset_t i, offset_t j, const path_steps& steps) {
        const std::uint32_t all = (1U << steps.count) - 1, places = all & ~(steps.pairs << 1),
                            of_a = L::pick(steps.of_a, places),
                            of_b = L::pick((all & ~steps.of_a) | steps.pairs, places);
        using columns = typename L::template values<index_t>;
        const std::uint32_t stay = kept(of_a, of_b);
        write<L>(out_.columns(), L::spread(a_ + i, of_a, L::spread(b_ + j, of_b, columns())), stay);
        typename L::template values<U> values = {};
        if constexpr (of_pairs && Op != binary_id::first) {
            alignas(64) U u[16], v[16];
            const auto of_b_side = L::spread(b_values_.window(j), of_b, values);
            values = L::spread(a_values_.window(i), of_a, of_b_side);
            L::store(u, values);
            L::store(v, of_b_side);
            for (int lane = 0; lane < 16; ++lane) v[lane] = both(u[lane], v[lane]);
            values = L::overlaid(v, of_a & of_b, values);
        } else {
            if constexpr (reads_b) values = L::spread(b_values_.window(j), of_b, values);
            values = L::spread(a_values_.window(i), of_a, values);
        }
        write<L>(out_.values(), values, stay);
        out_.add(std::popcount(stay));
    }
    template <class L, class V, class Lanes>
    static void write(V* to, const Lanes& lanes, std::uint32_t stay) {
        if constexpr (Operation == set_operation::unite)
            L::store(to, lanes);
        else
            L::store_picked(to, lanes, stay);
    }
    /// Entry by entry, without a branch on which side is next: what is not there is not read.
    void put(offset_t i, offset_t j, const path_steps& steps) {
        std::uint32_t of_a = steps.of_a, pairs = steps.pairs;
        for (int left = steps.count; left > 0;) {
            const std::uint32_t in_a = of_a & 1, pair = pairs & 1, in_b = (in_a ^ 1) | pair;
            const U *u = a_values_.from(i), *v = b_values_.from(j);
            const U* const first = chosen(in_a, u, reads_b ? v : out_.values());
            U value = *first;
            if constexpr (of_pairs)
                value ^= (value ^ both(value, *chosen(pair, v, first))) & static_cast<U>(-U(pair));
            *out_.columns() = *chosen(in_a, a_ + i, b_ + j);
            *out_.values() = value;
            out_.add(kept(in_a, in_b));
            i += in_a;
            j += in_b;
            of_a >>= 1 + pair;
            pairs >>= 1 + pair;
            left -= static_cast<int>(1 + pair);
        }
    }
    template <class V>
    static const V* chosen(std::uint32_t first, const V* p, const V* q) {
        const auto x = reinterpret_cast<std::uintptr_t>(p), y = reinterpret_cast<std::uintptr_t>(q);
        return reinterpret_cast<const V*>(y ^ ((x ^ y) & -std::uintptr_t{first}));
    }

    const index_t *a_, *b_;
    const side_values<U> a_values_, b_values_;
    result_stage<U> out_;
};

template <class L>
index_t sum_sixteen(const index_t* numbers, index_t before, index_t* sums) {
    const auto all = L::sum(L::running_sum(L::load(numbers)), before);
    L::store(sums, all);
    return L::highest(all);
}
/// The sums of up to a block's numbers and `before`, each up to its own; returns the last.
inline index_t sum_up(const index_t* numbers, index_t count, index_t before, index_t* sums) {
    index_t r = 0;
    if constexpr (have_masked_lanes)
        for (; r + 16 <= count; r += 16) before = sum_sixteen<masked_lanes>(numbers + r, before, sums + r);
    for (; r < count; ++r) sums[r] = before += numbers[r];
    return before;
}

/// The offsets behind the rows that end in piece p.
template <set_operation Operation>
void write_offsets(const ewise_arguments& k, const shared_path& path, int p) {
    const plan::ewise_cut from = path.cuts[p], to = path.cuts[p + 1];
    const index_t* pairs_of_rows = path.pairs_of_rows + p;
    const offset_t start = path.starts[p];
    const auto write = [&](auto* offsets, const auto* a, const auto* b) {
        // Any width does, were a difference to wrap: the result fits. So many rows at a time are one loop over lanes.
        using offset = std::remove_reference_t<decltype(*offsets)>;
        using number = std::make_unsigned_t<offset>;
        const auto shift = static_cast<number>(start) - results_of(Operation, static_cast<number>(from.a),
                                                                   static_cast<number>(from.b), number{0});
        index_t pairs[plan::ewise_block_rows], before = 0;
        for (offset_t first = from.row; first < to.row; first += plan::ewise_block_rows) {
            const auto rows =
                static_cast<index_t>(std::min<offset_t>(to.row - first, plan::ewise_block_rows));
            before = sum_up(pairs_of_rows + first, rows, before, pairs);
            for (index_t r = 0; r < rows; ++r)
                offsets[first + r + 1] = static_cast<offset>(
                    shift + results_of(Operation, static_cast<number>(a[first + r + 1]),
                                       static_cast<number>(b[first + r + 1]), static_cast<number>(pairs[r])));
        }
    };
    const auto with_b = [&](auto* offsets, const auto* a) {
        if (k.b.offsets.wide)
            write(offsets, a, static_cast<const std::int64_t*>(k.b.offsets.data));
        else
            write(offsets, a, static_cast<const std::int32_t*>(k.b.offsets.data));
    };
    const auto with_a = [&](auto* offsets) {
        if (k.a.offsets.wide)
            with_b(offsets, static_cast<const std::int64_t*>(k.a.offsets.data));
        else
            with_b(offsets, static_cast<const std::int32_t*>(k.a.offsets.data));
    };
    if (k.wide)
        with_a(static_cast<std::int64_t*>(k.offsets));
    else
        with_a(static_cast<std::int32_t*>(k.offsets));
}

template <binary_id Op, class T, set_operation Operation>
void write_piece(const ewise_arguments& k, const shared_path& path, int p,
                 piece_writer<Op, T, Operation>& out) {
    const path_piece piece(k, path.cuts[p], path.cuts[p + 1]);
    const offset_t bits = plan::ewise_path::bits_of(p, piece.from);
    const auto join = [&](offset_t i, offset_t a_end, offset_t j, offset_t b_end) {
        out.join(i, a_end, j, b_end, i - piece.from.a + j - piece.from.b, path.of_a + bits,
                 path.pairs + bits);
    };
    offset_t i = piece.from.a, j = piece.from.b;
    for (index_t block = piece.first_block; block < piece.end_block; ++block)
        if (path.same[block]) {
            const offset_t row = offset_t{block} * plan::ewise_block_rows;
            const offset_t a_begin = k.a.offsets[row], b_begin = k.b.offsets[row],
                           length = k.a.offsets[row + plan::ewise_block_rows] - a_begin;
            join(i, a_begin, j, b_begin);
            out.join_same(a_begin, b_begin, length);
            i = a_begin + length;
            j = b_begin + length;
        }
    join(i, piece.to.a, j, piece.to.b);
}

}  // namespace balanced_detail

template <binary_id Op, class T>
void balanced_path_fill(const ewise_arguments& k) {
    using enum set_operation;
    const shared_path path(k);
    const auto fill = [&]<set_operation Operation>(int t) {
        const auto [first, last] = path.share(t);
        balanced_detail::piece_writer<Op, T, Operation> out(k, path, first);
        for (int p = first; p < last; ++p) {
            balanced_detail::write_offsets<Operation>(k, path, p);
            balanced_detail::write_piece(k, path, p, out);
        }
        out.finish();
    };
    if (k.wide)
        *static_cast<std::int64_t*>(k.offsets) = 0;
    else
        *static_cast<std::int32_t*>(k.offsets) = 0;
    parallel::run(k.threads, [&](int t, int) {
        switch (k.operation) {
            case unite:
                return fill.template operator()<unite>(t);
            case intersect:
                return fill.template operator()<intersect>(t);
            case subtract:
                return fill.template operator()<subtract>(t);
            case exclude:
                return fill.template operator()<exclude>(t);
        }
    });
}

}  // namespace nz::kernels::cpu
