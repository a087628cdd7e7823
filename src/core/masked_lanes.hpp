// Sixteen lanes with masks, where this build may use them (AVX-512): short lists are padded and merged without a branch. And stores that go past the caches. The one file with intrinsics of the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    defined(__BMI2__)
#define NONZERO_MASKED_LANES 1
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace nz {

/// Copies to memory that is not read again soon: whole lines go past the caches, which then need not read them first.
/// `to` and `bytes` are multiples of 64.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
#if defined(NONZERO_MASKED_LANES)
    for (std::size_t at = 0; at < bytes; at += 64)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(static_cast<std::byte*>(to) + at),
                            _mm512_loadu_si512(static_cast<const std::byte*>(from) + at));
#elif defined(__SSE2__)
    for (std::size_t at = 0; at < bytes; at += 16)
        _mm_stream_si128(
            reinterpret_cast<__m128i*>(static_cast<std::byte*>(to) + at),
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(static_cast<const std::byte*>(from) + at)));
#else
    std::memcpy(to, from, bytes);
#endif
}

/// After stream_copy, before another thread may read.
inline void finish_streams() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#if defined(NONZERO_MASKED_LANES)

inline constexpr bool have_masked_lanes = true;

/// Masks have a bit a lane, the lowest lane's the lowest.
struct masked_lanes {
    using mask = std::uint32_t;
    using eight = __m256i;    ///< of std::int32_t
    using sixteen = __m512i;  ///< of std::uint32_t

    /// p's under the mask, `rest` elsewhere; nothing else of p is read.
    static eight load(const std::int32_t* p, mask m, std::int32_t rest) {
        return _mm256_mask_loadu_epi32(_mm256_set1_epi32(rest), static_cast<__mmask8>(m), p);
    }
    static void store(std::int32_t* p, sixteen v) { _mm512_storeu_si512(p, v); }
    static mask at_most(eight v, std::int32_t x) { return _mm256_cmple_epi32_mask(v, _mm256_set1_epi32(x)); }
    /// Both in ascending order together, each as 16 times itself plus its lane: 0 to 7 of a, 8 to 15 of b. Both ascend
    /// and are below 2^28. A bitonic merge: b turned round, then four rounds of smaller and larger.
    static sixteen merged(eight a, eight b) {
        const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 15, 14, 13, 12, 11, 10, 9, 8);
        __m512i v = joined(a, b);
        v = _mm512_or_si512(
            _mm512_maskz_slli_epi32(0xffff, _mm512_maskz_permutexvar_epi32(0xffff, lanes, v), 4), lanes);
        v = ordered(v, _mm512_maskz_shuffle_i64x2(0xff, v, v, 0x4e), 0xff00);
        v = ordered(v, _mm512_maskz_shuffle_i64x2(0xff, v, v, 0xb1), 0xf0f0);
        v = ordered(v, _mm512_maskz_shuffle_epi32(0xffff, v, static_cast<_MM_PERM_ENUM>(0x4e)), 0xcccc);
        return ordered(v, _mm512_maskz_shuffle_epi32(0xffff, v, static_cast<_MM_PERM_ENUM>(0xb1)), 0xaaaa);
    }
    static sixteen sixteenth(sixteen v) { return _mm512_maskz_srli_epi32(0xffff, v, 4); }
    /// The lanes with bit 3, which in merged() are b's.
    static mask of_b(sixteen v) { return _mm512_test_epi32_mask(v, _mm512_set1_epi32(8)); }
    static sixteen next(sixteen v) { return _mm512_maskz_alignr_epi32(0xffff, v, v, 1); }
    static mask equal(sixteen v, sixteen w) { return _mm512_cmpeq_epi32_mask(v, w); }
    /// The lanes under the mask side by side.
    static sixteen pick(sixteen v, mask m) {
        return _mm512_maskz_compress_epi32(static_cast<__mmask16>(m), v);
    }
    /// The bits of `of` at the ones of `at`, side by side.
    static mask pick(mask of, mask at) { return _pext_u32(of, at); }

    /// Eight values of either list.
    template <class U>
    struct table {
        __m512i of[sizeof(U) == 8 ? 2 : 1];
    };
    /// Of p the values under the masks are read, nothing else.
    template <class U>
    static table<U> values(const U* a, mask of_a, const U* b, mask of_b) {
        const auto x = static_cast<__mmask8>(of_a), y = static_cast<__mmask8>(of_b);
        if constexpr (sizeof(U) == 8)
            return {_mm512_maskz_loadu_epi64(x, a), _mm512_maskz_loadu_epi64(y, b)};
        else
            return {joined(widened(a, x), widened(b, y))};
    }
    /// to[lane] = the value that the lane's low four bits name; 16 are written.
    template <class U>
    static void take(U* to, const table<U>& t, sixteen which) {
        if constexpr (sizeof(U) == 8) {
            const auto half = [&]<int Which>() {
                return _mm512_maskz_cvtepu32_epi64(0xff, _mm512_maskz_extracti32x8_epi32(0xff, which, Which));
            };
            const __m512i low = half.template operator()<0>(), high = half.template operator()<1>();
            _mm512_storeu_si512(to, _mm512_permutex2var_epi64(t.of[0], low, t.of[1]));
            _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi64(t.of[0], high, t.of[1]));
        } else {
            const __m512i v = _mm512_maskz_permutexvar_epi32(0xffff, which, t.of[0]);
            if constexpr (sizeof(U) == 4)
                _mm512_storeu_si512(to, v);
            else if constexpr (sizeof(U) == 2)
                _mm512_mask_cvtepi32_storeu_epi16(to, 0xffff, v);
            else
                _mm512_mask_cvtepi32_storeu_epi8(to, 0xffff, v);
        }
    }

private:
    static __m512i joined(__m256i low, __m256i high) {
        return _mm512_maskz_inserti32x8(0xffff, _mm512_castsi256_si512(low), high, 1);
    }
    // The smaller of each pair of lanes, the larger in the lanes of `larger`.
    static __m512i ordered(__m512i v, __m512i w, __mmask16 larger) {
        return _mm512_mask_max_epu32(_mm512_maskz_min_epu32(0xffff, v, w), larger, v, w);
    }
    template <class U>
    static __m256i widened(const U* p, __mmask8 m) {
        if constexpr (sizeof(U) == 4)
            return _mm256_maskz_loadu_epi32(m, p);
        else if constexpr (sizeof(U) == 2)
            return _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, p));
        else
            return _mm256_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, p));
    }
};

#else

inline constexpr bool have_masked_lanes = false;
struct masked_lanes {};

#endif

}  // namespace nz
