// Words of 32 or 64 bits that stand for the set bits of one more, one after the other, asked plainly or eight or sixteen at a time by
// AVX-512. What is wanted becomes a mask over the words (pext), they are loaded and asked under it, and what is found becomes bits again
// (pdep). These functions are compiled for AVX-512 whatever the build is for; whether the machine has it is found out at run time.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nz {

/// Of the words for the bits of `occupied`: the union of those for `rows`, and which of `rows` have one that meets x. Rows are occupied.
template <class Word>
struct plain_words {
    static Word lowest(Word w) { return w & (Word{0} - w); }
    /// The place of the word of row `low`, a single bit.
    static int place(Word occupied, Word low) {
        return std::popcount(static_cast<Word>(occupied & (low - 1)));
    }
    static Word union_of(const Word* words, Word occupied, Word rows) {
        Word all = 0;
        for (; rows; rows &= rows - 1) all |= words[place(occupied, lowest(rows))];
        return all;
    }
    static Word hits(const Word* words, Word occupied, Word rows, Word x) {
        Word found = 0;
        if (2 * std::popcount(rows) < std::popcount(occupied)) {
            for (; rows; rows &= rows - 1) {
                const Word low = lowest(rows);
                found |= words[place(occupied, low)] & x ? low : Word{0};
            }
            return found;
        }
        for (Word rest = occupied; rest; rest &= rest - 1, ++words)  // most of them: one after the other
            found |= *words & x ? lowest(rest) : Word{0};
        return found & rows;
    }
};

#if defined(__x86_64__) && defined(__GNUC__)

inline bool has_wide_words() {
    static const bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("bmi2");
    return here;
}

/// The same by AVX-512.
template <class Word>
struct wide_words {
    [[gnu::target("avx512f,bmi2")]] static Word union_of(const Word* words, Word occupied, Word rows) {
        __m512i all = _mm512_setzero_si512();
        for (std::uint64_t wanted = _pext_u64(rows, occupied); wanted; wanted >>= at_once, words += at_once)
            all = _mm512_or_si512(all, load(wanted, words));
        alignas(64) std::uint64_t part[8];  // _mm512_reduce_or_epi64, which GCC 12 warns of
        _mm512_store_si512(part, all);
        const std::uint64_t sum =
            (part[0] | part[1] | part[2] | part[3]) | (part[4] | part[5] | part[6] | part[7]);
        return static_cast<Word>(eight ? sum : sum | sum >> 32);
    }
    [[gnu::target("avx512f,bmi2")]] static Word hits(const Word* words, Word occupied, Word rows, Word x) {
        const __m512i asked = everywhere(x);
        std::uint64_t found = 0;
        int at = 0;
        for (std::uint64_t wanted = _pext_u64(rows, occupied); wanted; wanted >>= at_once, at += at_once)
            found |= meeting(load(wanted, words + at), asked) << at;
        return static_cast<Word>(_pdep_u64(found, occupied));
    }

private:
    static constexpr int at_once = 64 / sizeof(Word);
    static constexpr bool eight = at_once == 8;

    /// Zero where `wanted` has no bit.
    [[gnu::target("avx512f")]] static __m512i load(std::uint64_t wanted, const Word* words) {
        if constexpr (eight)
            return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(wanted), words);
        else
            return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(wanted), words);
    }
    [[gnu::target("avx512f")]] static __m512i everywhere(Word x) {
        if constexpr (eight)
            return _mm512_set1_epi64(static_cast<long long>(x));
        else
            return _mm512_set1_epi32(static_cast<int>(x));
    }
    [[gnu::target("avx512f")]] static std::uint64_t meeting(__m512i words, __m512i x) {
        if constexpr (eight)
            return _mm512_test_epi64_mask(words, x);
        else
            return _mm512_test_epi32_mask(words, x);
    }
};

#else

inline bool has_wide_words() { return false; }
template <class Word>
using wide_words = plain_words<Word>;

#endif

}  // namespace nz
