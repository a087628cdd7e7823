// Words of 32 or 64 bits that stand for the set bits of one more, one after the other, asked eight or sixteen at a time by AVX-512. What
// is wanted becomes a mask over the words (pext), they are loaded and asked under it, and what is found becomes bits again (pdep).
// These functions are compiled for AVX-512 whatever the build is for; whether the machine has it is found out at run time.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

namespace nz {

inline bool has_wide_words() {
    static const bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("bmi2");
    return here;
}

/// (_mm512_reduce_or_epi64, which GCC 12 warns of.)
[[gnu::target("avx512f")]] inline std::uint64_t union_of_parts(__m512i all) {
    alignas(64) std::uint64_t part[8];
    _mm512_store_si512(part, all);
    return (part[0] | part[1] | part[2] | part[3]) | (part[4] | part[5] | part[6] | part[7]);
}

/// Of the words for the bits of `occupied`: the union of those for `rows`, and which of `rows` have one that meets x. Rows are occupied.
template <class Word>
struct wide_words;

template <>
struct wide_words<std::uint64_t> {
    [[gnu::target("avx512f,bmi2")]] static std::uint64_t union_of(const std::uint64_t* words,
                                                                  std::uint64_t occupied,
                                                                  std::uint64_t rows) {
        __m512i all = _mm512_setzero_si512();
        for (std::uint64_t wanted = _pext_u64(rows, occupied); wanted; wanted >>= 8, words += 8)
            all = _mm512_or_si512(all, _mm512_maskz_loadu_epi64(static_cast<__mmask8>(wanted), words));
        return union_of_parts(all);
    }
    [[gnu::target("avx512f,bmi2")]] static std::uint64_t hits(const std::uint64_t* words,
                                                              std::uint64_t occupied, std::uint64_t rows,
                                                              std::uint64_t x) {
        const __m512i asked = _mm512_set1_epi64(static_cast<long long>(x));
        std::uint64_t found = 0;
        int at = 0;
        for (std::uint64_t wanted = _pext_u64(rows, occupied); wanted; wanted >>= 8, at += 8) {
            const auto mask = static_cast<__mmask8>(wanted);
            const __m512i some = _mm512_maskz_loadu_epi64(mask, words + at);
            found |= std::uint64_t{_mm512_mask_test_epi64_mask(mask, some, asked)} << at;
        }
        return _pdep_u64(found, occupied);
    }
};

template <>
struct wide_words<std::uint32_t> {
    [[gnu::target("avx512f,bmi2")]] static std::uint32_t union_of(const std::uint32_t* words,
                                                                  std::uint32_t occupied,
                                                                  std::uint32_t rows) {
        __m512i all = _mm512_setzero_si512();
        for (std::uint32_t wanted = _pext_u32(rows, occupied); wanted; wanted >>= 16, words += 16)
            all = _mm512_or_si512(all, _mm512_maskz_loadu_epi32(static_cast<__mmask16>(wanted), words));
        const std::uint64_t both = union_of_parts(all);
        return static_cast<std::uint32_t>(both | both >> 32);
    }
    [[gnu::target("avx512f,bmi2")]] static std::uint32_t hits(const std::uint32_t* words,
                                                              std::uint32_t occupied, std::uint32_t rows,
                                                              std::uint32_t x) {
        const __m512i asked = _mm512_set1_epi32(static_cast<int>(x));
        std::uint32_t found = 0;
        int at = 0;
        for (std::uint32_t wanted = _pext_u32(rows, occupied); wanted; wanted >>= 16, at += 16) {
            const auto mask = static_cast<__mmask16>(wanted);
            const __m512i some = _mm512_maskz_loadu_epi32(mask, words + at);
            found |= std::uint32_t{_mm512_mask_test_epi32_mask(mask, some, asked)} << at;
        }
        return _pdep_u32(found, occupied);
    }
};

}  // namespace nz

#else

namespace nz {

inline bool has_wide_words() { return false; }

/// One after the other: where there is no AVX-512.
template <class Word>
struct wide_words {
    static Word union_of(const Word* words, Word occupied, Word rows) {
        Word all = 0;
        for (; occupied; occupied &= occupied - 1, ++words)
            if (rows & occupied & (Word{0} - occupied)) all |= *words;
        return all;
    }
    static Word hits(const Word* words, Word occupied, Word rows, Word x) {
        Word found = 0;
        for (; occupied; occupied &= occupied - 1, ++words)
            if (*words & x) found |= occupied & (Word{0} - occupied);
        return found & rows;
    }
};

}  // namespace nz

#endif
