// Sums of 16 neighbouring rows over a matrix's tiles (storage/value_tiles.hpp) by AVX-512, a lane a row: of products with x, or of x alone.
//
// Every entry of x there, tiles of 16: x's 16 values for a tile lie in one or two registers, in which an entry's packed place looks its
//   value up. Tiles of few entries: 16 products side by side, or twice 16, of rows 0 to 7 and of 8 to 15; in step t every row takes its
//   t-th of them by a permute and adds it. Fuller ones: eight entries of each row in a register of its own, turned round (a transpose),
//   so that step t is a register as it is; no branch on a row's length.
// x with gaps, tiles of any size: the entries that x meets are listed first, places and x's places (compress), with no branch on how many
//   they are; then they are added one after the other, each to its row's sum in memory, and misses of cache overlap.
// Sums are taken in the entries' order, whichever way: a plain loop's bits. They begin with -0, which leaves what is added as it is; no
//   product is fused into its sum: a permute lies between them, or `apart`.
// These functions are compiled for AVX-512 whatever the build is for; whether the machine has it is found out at run time.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nz {

#if defined(__x86_64__) && defined(__GNUC__)

#define NONZERO_WIDE gnu::target("avx512f,avx512bw,avx512dq,avx512vl")

inline constexpr bool have_wide_tiles = true;
inline bool has_wide_tiles() {
    static const bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return here;
}

/// 16 values side by side, and how they are looked up and summed. Places are 16 bytes, of which the low four bits count; counts of
/// entries and their places are 16 of std::int32_t.
template <class V>
struct wide_rows;

template <>
struct wide_rows<double> {
    __m512d low, high;

    [[NONZERO_WIDE, gnu::always_inline]] static wide_rows all(double x) {
        return {_mm512_set1_pd(x), _mm512_set1_pd(x)};
    }
    /// p's under the mask, else 0; nothing else of p is read.
    [[NONZERO_WIDE, gnu::always_inline]] static wide_rows load(const double* p, std::uint32_t mask) {
        return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), p),
                _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask >> 8), p + 8)};
    }
    [[NONZERO_WIDE, gnu::always_inline]] void store(double* p, std::uint32_t mask) const {
        _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), low);
        _mm512_mask_storeu_pd(p + 8, static_cast<__mmask8>(mask >> 8), high);
    }
    /// Those of this at 16 places.
    [[NONZERO_WIDE, gnu::always_inline]] wide_rows at(__m128i places) const {
        return {eight_at(places), eight_at(_mm_unpackhi_epi64(places, places))};
    }
    [[NONZERO_WIDE, gnu::always_inline]] wide_rows times(const wide_rows& x) const {
        return {_mm512_mul_pd(low, x.low), _mm512_mul_pd(high, x.high)};
    }
    /// Adds those of p at [first, end) to rows 0 to 7, of q to rows 8 to 15.
    [[NONZERO_WIDE, gnu::always_inline]] void add(const wide_rows& p, const wide_rows& q, __m512i first,
                                                  __m512i end) {
        const __m512i one = _mm512_set1_epi64(1);
        __m512i in_p = _mm512_maskz_cvtepi32_epi64(0xff, _mm512_maskz_extracti64x4_epi64(0xf, first, 0)),
                in_q = _mm512_maskz_cvtepi32_epi64(0xff, _mm512_maskz_extracti64x4_epi64(0xf, first, 1));
        for (__mmask16 left; (left = _mm512_cmplt_epi32_mask(first, end)) != 0;)
            for (int step = 0; step < 2;
                 ++step) {  // a second one for nothing costs less than a branch missed
                low = _mm512_mask_add_pd(low, static_cast<__mmask8>(left), low,
                                         _mm512_permutex2var_pd(p.low, in_p, p.high));
                high = _mm512_mask_add_pd(high, static_cast<__mmask8>(left >> 8), high,
                                          _mm512_permutex2var_pd(q.low, in_q, q.high));
                in_p = _mm512_add_epi64(in_p, one);
                in_q = _mm512_add_epi64(in_q, one);
                first = _mm512_add_epi32(first, _mm512_set1_epi32(1));
                left = _mm512_cmplt_epi32_mask(first, end);
            }
    }
    /// Adds entries [from, from + 8) of each row, which has `count` from `starts` on; x's values are this `table`. Reads: times `values`, of
    /// which there is one if Constant. What lies behind a row's entries is read, and left out.
    template <bool Reads, bool Constant>
    [[NONZERO_WIDE, gnu::always_inline]] void add_eight(const wide_rows& table, const std::uint8_t* starts,
                                                        int from, __m512i count, const std::uint8_t* places,
                                                        const double* values) {
        const std::uint32_t rows = _mm512_cmpgt_epi32_mask(count, _mm512_set1_epi32(from));
        if (rows & 0xff)
            table.add_half<Reads, Constant>(low, starts, from, _mm512_maskz_extracti64x4_epi64(0xf, count, 0),
                                            places, values);
        if (rows >> 8)
            table.add_half<Reads, Constant>(high, starts + 8, from,
                                            _mm512_maskz_extracti64x4_epi64(0xf, count, 1), places, values);
    }

private:
    [[NONZERO_WIDE, gnu::always_inline]] __m512d eight_at(__m128i places) const {
        return _mm512_permutex2var_pd(low, _mm512_maskz_cvtepu8_epi64(0xff, places), high);
    }
    template <bool Reads, bool Constant>
    [[NONZERO_WIDE, gnu::always_inline]] void add_half(__m512d& sums, const std::uint8_t* starts, int from,
                                                       __m256i count, const std::uint8_t* places,
                                                       const double* values) const {
        __m512d row[8], step[8];
#pragma GCC unroll 8
        for (int r = 0; r < 8; ++r) {
            const int at = starts[r] + from;
            row[r] = eight_at(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places + at)));
            if constexpr (Reads)
                row[r] =
                    _mm512_mul_pd(Constant ? _mm512_set1_pd(*values) : _mm512_loadu_pd(values + at), row[r]);
        }
        turn(row, step);
#pragma GCC unroll 8
        for (int t = 0; t < 8; ++t)
            sums = _mm512_mask_add_pd(sums, _mm256_cmpgt_epi32_mask(count, _mm256_set1_epi32(from + t)), sums,
                                      step[t]);
    }
    /// step[t] has the t-th of each row.
    [[NONZERO_WIDE, gnu::always_inline]] static void turn(const __m512d* row, __m512d* step) {
#pragma GCC unroll 2
        for (int odd = 0; odd < 2; ++odd) {
            __m512d two[4];  // two rows', of every other entry
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k)
                two[k] = odd ? _mm512_maskz_unpackhi_pd(0xff, row[2 * k], row[2 * k + 1])
                             : _mm512_maskz_unpacklo_pd(0xff, row[2 * k], row[2 * k + 1]);
            const __m512d a = _mm512_maskz_shuffle_f64x2(0xff, two[0], two[1], 0x44),
                          b = _mm512_maskz_shuffle_f64x2(0xff, two[2], two[3], 0x44),
                          c = _mm512_maskz_shuffle_f64x2(0xff, two[0], two[1], 0xee),
                          d = _mm512_maskz_shuffle_f64x2(0xff, two[2], two[3], 0xee);
            step[odd] = _mm512_maskz_shuffle_f64x2(0xff, a, b, 0x88);
            step[odd + 2] = _mm512_maskz_shuffle_f64x2(0xff, a, b, 0xdd);
            step[odd + 4] = _mm512_maskz_shuffle_f64x2(0xff, c, d, 0x88);
            step[odd + 6] = _mm512_maskz_shuffle_f64x2(0xff, c, d, 0xdd);
        }
    }
};

template <>
struct wide_rows<float> {
    __m512 lanes;

    [[NONZERO_WIDE, gnu::always_inline]] static wide_rows all(float x) { return {_mm512_set1_ps(x)}; }
    [[NONZERO_WIDE, gnu::always_inline]] static wide_rows load(const float* p, std::uint32_t mask) {
        return {_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p)};
    }
    [[NONZERO_WIDE, gnu::always_inline]] void store(float* p, std::uint32_t mask) const {
        _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), lanes);
    }
    [[NONZERO_WIDE, gnu::always_inline]] wide_rows at(__m128i places) const {
        return {_mm512_maskz_permutexvar_ps(0xffff, _mm512_maskz_cvtepu8_epi32(0xffff, places), lanes)};
    }
    [[NONZERO_WIDE, gnu::always_inline]] wide_rows times(const wide_rows& x) const {
        return {_mm512_mul_ps(lanes, x.lanes)};
    }
    [[NONZERO_WIDE, gnu::always_inline]] void add(const wide_rows& p, const wide_rows& q, __m512i first,
                                                  __m512i end) {
        const __m512i behind_p = _mm512_maskz_set1_epi32(0xff00, 16);
        first = _mm512_add_epi32(first, behind_p);
        end = _mm512_add_epi32(end, behind_p);
        for (__mmask16 left; (left = _mm512_cmplt_epi32_mask(first, end)) != 0;)
            for (int step = 0; step < 2; ++step) {
                lanes =
                    _mm512_mask_add_ps(lanes, left, lanes, _mm512_permutex2var_ps(p.lanes, first, q.lanes));
                first = _mm512_add_epi32(first, _mm512_set1_epi32(1));
                left = _mm512_cmplt_epi32_mask(first, end);
            }
    }
    template <bool Reads, bool Constant>
    [[NONZERO_WIDE, gnu::always_inline]] void add_eight(const wide_rows& table, const std::uint8_t* starts,
                                                        int from, __m512i count, const std::uint8_t* places,
                                                        const float* values) {
        __m512 two[8], step[8];  // of two rows, four apart
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
            const int r = k < 4 ? k : k + 4, at = starts[r] + from, other = starts[r + 4] + from;
            two[k] =
                table
                    .at(_mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places + at)),
                                           _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places + other))))
                    .lanes;
            if constexpr (Reads)
                two[k] = _mm512_mul_ps(Constant ? _mm512_set1_ps(*values) : both(values + at, values + other),
                                       two[k]);
        }
        turn(two, step);
#pragma GCC unroll 8
        for (int t = 0; t < 8; ++t)
            lanes = _mm512_mask_add_ps(lanes, _mm512_cmpgt_epi32_mask(count, _mm512_set1_epi32(from + t)),
                                       lanes, step[t]);
    }

private:
    [[NONZERO_WIDE, gnu::always_inline]] static __m512 both(const float* p, const float* q) {
        return _mm512_maskz_insertf32x8(0xffff, _mm512_castps256_ps512(_mm256_loadu_ps(p)),
                                        _mm256_loadu_ps(q), 1);
    }
    [[NONZERO_WIDE, gnu::always_inline]] static void turn(const __m512* two, __m512* step) {
        __m512 four[8];  // of each lane's four rows: entries 0, 1, 2, 3, or in its upper half 4, 5, 6, 7
#pragma GCC unroll 2
        for (int k = 0; k < 8; k += 4) {
            const __m512 a = _mm512_maskz_unpacklo_ps(0xffff, two[k], two[k + 1]),
                         b = _mm512_maskz_unpackhi_ps(0xffff, two[k], two[k + 1]),
                         c = _mm512_maskz_unpacklo_ps(0xffff, two[k + 2], two[k + 3]),
                         d = _mm512_maskz_unpackhi_ps(0xffff, two[k + 2], two[k + 3]);
            four[k] = _mm512_maskz_shuffle_ps(0xffff, a, c, 0x44);
            four[k + 1] = _mm512_maskz_shuffle_ps(0xffff, a, c, 0xee);
            four[k + 2] = _mm512_maskz_shuffle_ps(0xffff, b, d, 0x44);
            four[k + 3] = _mm512_maskz_shuffle_ps(0xffff, b, d, 0xee);
        }
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t) {
            step[t] = _mm512_maskz_shuffle_f32x4(0xffff, four[t], four[t + 4], 0x88);
            step[t + 4] = _mm512_maskz_shuffle_f32x4(0xffff, four[t], four[t + 4], 0xdd);
        }
    }
};

/// A matrix's tiles and x. `Local` is what row and column of an entry are packed in; Reads: products with the matrix's values, which are
/// `Constant`, one for all, or not.
template <class V, class Local, bool Reads, bool Constant>
struct wide_tiles {
    using rows = wide_rows<V>;
    static constexpr bool small = sizeof(Local) == 1;
    static constexpr int column_bits = small ? 4 : 6, column_mask = (1 << column_bits) - 1;
    /// Entries of a tile from which its rows are turned round: a mesh's tiles of three diagonals have 46 and gain nothing, at 55 a band's do.
    static constexpr int full_from = 49;

    int size;
    const index_t* columns;
    const offset_t* entry_starts;
    const Local* row_starts;
    const Local* locals;
    offset_t kept;  ///< entries in tiles, whose values come before those of the others
    const V* values;
    const V* x;
    offset_t x_size;

    /// The sums of 16 rows over tiles [tile, last) of 16, every entry of x there; returns the rows that have entries.
    [[NONZERO_WIDE, gnu::noinline]] std::uint64_t sum(std::uint32_t tile, std::uint32_t last, V* sums) const {
        rows s = rows::all(-V(0));
        std::uint32_t met = 0;
        for (; tile < last; ++tile) {
            const offset_t column = offset_t{columns[tile]} * 16;
            met |= add_tile(tile, rows::load(x + column, first_bits(x_size - column)), s);
        }
        s.store(sums, 0xffff);
        return met;
    }
    /// Adds to the rows' sums the entries of `count` tiles, at least one and no more than 64, that x meets; there(tile) has the bits of x's
    /// presence in its columns. Returns the rows.
    [[NONZERO_WIDE, gnu::noinline]] std::uint64_t add_met(const std::uint32_t* tiles,
                                                          const std::uint64_t* there, int count,
                                                          V* sums) const {
        listed l;
        int listed_count = 0;
        std::uint64_t met = 0;
        const offset_t base = entry_starts[tiles[0]];
        for (int k = 0; k < count; ++k) {
            const offset_t end = entry_starts[tiles[k] + 1];
            const __m512i column = _mm512_set1_epi32(columns[tiles[k]] * size);
            for (offset_t e = entry_starts[tiles[k]]; e < end; e += 16) {
                const __mmask16 held = static_cast<__mmask16>(first_bits(end - e));
                const __m512i at = columns_of(e, held);
                listed_count += l.put(listed_count, in_set(there[k], at, held),
                                      static_cast<std::int32_t>(e - base), _mm512_add_epi32(column, at));
                if (listed_count > listed::most)
                    met |= add_listed(l, std::exchange(listed_count, 0), base, sums);
            }
        }
        return met | add_listed(l, listed_count, base, sums);
    }
    /// Adds to the rows' sums entries [e, end) of those outside tiles, every entry of x there.
    std::uint64_t add_outside(const std::uint8_t* of_rows, const index_t* of_columns, offset_t e,
                              offset_t end, V* sums) const {
        std::uint64_t met = 0;
        for (; e < end; ++e) met |= add_one(of_rows[e], of_columns[e], kept + e, sums);
        return met;
    }
    /// Writes the sums of some rows.
    [[NONZERO_WIDE]] static void write(const V* sums, std::uint64_t wanted, V* out) {
        for (; wanted; wanted >>= 16, sums += 16, out += 16)
            rows::load(sums, wanted & 0xffff).store(out, wanted & 0xffff);
    }

private:
    struct listed {
        static constexpr int most = 256;
        std::uint32_t at[most + 16];
        index_t column[most + 16];

        [[NONZERO_WIDE, gnu::always_inline]] int put(int count, __mmask16 which, std::int32_t first,
                                                     __m512i columns) {
            const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm512_storeu_si512(at + count, _mm512_maskz_compress_epi32(
                                                which, _mm512_add_epi32(lane, _mm512_set1_epi32(first))));
            _mm512_storeu_si512(column + count, _mm512_maskz_compress_epi32(which, columns));
            return std::popcount(static_cast<std::uint32_t>(which));
        }
    };

    /// The lowest n bits of 16.
    static std::uint32_t first_bits(offset_t n) { return n >= 16 ? 0xffff : n <= 0 ? 0 : (1u << n) - 1; }
    /// The product, out of reach for a compiler that would fuse it into a sum.
    static V apart(V a, V b) {
        V product = a * b;
        __asm__("" : "+x"(product));
        return product;
    }
    [[gnu::always_inline]] std::uint64_t add_one(int row, index_t column, offset_t e, V* sums) const {
        if constexpr (Reads)
            sums[row] += apart(values[Constant ? 0 : e], x[column]);
        else
            sums[row] += x[column];
        return std::uint64_t{1} << row;
    }
    [[NONZERO_WIDE, gnu::always_inline]] std::uint64_t add_listed(const listed& l, int count, offset_t base,
                                                                  V* sums) const {
        std::uint64_t met = 0;
        for (int k = 0; k < count; ++k) {
            const offset_t e = base + l.at[k];
            met |= add_one(locals[e] >> column_bits, l.column[k], e, sums);
        }
        return met;
    }

    /// Columns in their tile of the entries from e on that the mask has.
    [[NONZERO_WIDE, gnu::always_inline]] __m512i columns_of(offset_t e, __mmask16 held) const {
        __m512i local;
        if constexpr (small)
            local = _mm512_maskz_cvtepu8_epi32(0xffff, _mm_maskz_loadu_epi8(held, locals + e));
        else
            local = _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_maskz_loadu_epi16(held, locals + e));
        return _mm512_and_si512(local, _mm512_set1_epi32(column_mask));
    }
    /// Which of some columns have a bit in `set`.
    [[NONZERO_WIDE, gnu::always_inline]] static __mmask16 in_set(std::uint64_t set, __m512i column,
                                                                 __mmask16 held) {
        __m512i words = _mm512_set1_epi64(static_cast<long long>(set));
        if constexpr (small)
            words = _mm512_set1_epi32(static_cast<int>(set));
        else
            words = _mm512_maskz_permutexvar_epi32(0xffff, _mm512_maskz_srli_epi32(0xffff, column, 5), words);
        const __m512i bit = _mm512_and_si512(column, _mm512_set1_epi32(31));
        return _mm512_mask_test_epi32_mask(held, _mm512_maskz_srlv_epi32(0xffff, words, bit),
                                           _mm512_set1_epi32(1));
    }
    /// The products of `count` entries of a tile of 16.
    [[NONZERO_WIDE, gnu::always_inline]] rows products(const rows& table, offset_t e, int count) const {
        const std::uint32_t held = first_bits(count);
        const rows of_x = table.at(_mm_maskz_loadu_epi8(static_cast<__mmask16>(held), locals + e));
        if constexpr (!Reads)
            return of_x;
        else
            return (Constant ? rows::all(*values) : rows::load(values + e, held)).times(of_x);
    }
    [[NONZERO_WIDE, gnu::always_inline]] std::uint32_t add_tile(std::uint32_t tile, const rows& table,
                                                                rows& s) const {
        const offset_t begin = entry_starts[tile];
        const int count = static_cast<int>(entry_starts[tile + 1] - begin);
        const Local* row_start = row_starts + offset_t{tile} * 16;
        const __m512i starts =
            _mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(row_start)));
        const __m512i ends = _mm512_maskz_alignr_epi32(0xffff, _mm512_set1_epi32(count), starts, 1);
        if (count >= full_from && begin + count + 16 <= kept)
            add_full(begin, row_start, _mm512_sub_epi32(ends, starts), table, s);
        else if (count > 16)
            add_halves(begin, row_start[8], count, starts, ends, table, s);
        else {
            const rows p = products(table, begin, count);
            s.add(p, p, starts, ends);
        }
        return _mm512_cmplt_epi32_mask(starts, ends);
    }
    [[NONZERO_WIDE, gnu::always_inline]] void add_full(offset_t begin, const Local* row_start, __m512i length,
                                                       const rows& table, rows& s) const {
        for (int from = 0; _mm512_cmpgt_epi32_mask(length, _mm512_set1_epi32(from)); from += 8)
            s.template add_eight<Reads, Constant>(table, row_start, from, length, locals + begin,
                                                  Constant || !Reads ? values : values + begin);
    }
    /// Rows 8 to 15 begin at entry `middle`.
    [[NONZERO_WIDE, gnu::always_inline]] void add_halves(offset_t begin, int middle, int count,
                                                         __m512i starts, __m512i ends, const rows& table,
                                                         rows& s) const {
        for (int a = 0, b = middle; a < middle || b < count; a += 16, b += 16) {
            const __m512i from = _mm512_mask_blend_epi32(0xff00, _mm512_set1_epi32(a), _mm512_set1_epi32(b));
            const __m512i to = _mm512_add_epi32(from, _mm512_set1_epi32(16));
            s.add(products(table, begin + a, middle - a), products(table, begin + b, count - b),
                  _mm512_sub_epi32(_mm512_maskz_max_epi32(0xffff, starts, from), from),
                  _mm512_sub_epi32(_mm512_maskz_min_epi32(0xffff, ends, to), from));
        }
    }
};

#undef NONZERO_WIDE

#else

inline constexpr bool have_wide_tiles = false;
inline bool has_wide_tiles() { return false; }
template <class V, class Local, bool Reads, bool Constant>
struct wide_tiles;

#endif

}  // namespace nz
