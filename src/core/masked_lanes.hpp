// Sixteen lanes with masks, where this build may use them (AVX-512): short lists are merged, values spread and picked, all without
// a branch. And stores that go past the caches.
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

#if defined(NONZERO_MASKED_LANES)

inline constexpr bool have_masked_lanes = true;

/// Masks have a bit a lane, the lowest lane's the lowest.
struct masked_lanes {
    using mask = std::uint32_t;
    using sixteen = __m512i;  ///< of std::uint32_t

    /// The numbers less `base` under the mask, no more than `most`, which elsewhere stands alone.
    static sixteen differences(const std::int32_t* p, mask m, std::int64_t base, std::int32_t most) {
        const __m512i top = _mm512_set1_epi32(most);
        const __m512i v = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(m), p),
                                           _mm512_set1_epi32(static_cast<std::int32_t>(base)));
        return _mm512_mask_min_epi32(top, static_cast<__mmask16>(m), v, top);
    }
    static sixteen differences(const std::int64_t* p, mask m, std::int64_t base, std::int32_t most) {
        const auto half = [&](const std::int64_t* from, mask lanes) {
            const auto k = static_cast<__mmask8>(lanes);
            return _mm512_maskz_cvtepi64_epi32(
                0xff, _mm512_mask_min_epi64(
                          _mm512_set1_epi64(most), k,
                          _mm512_sub_epi64(_mm512_maskz_loadu_epi64(k, from), _mm512_set1_epi64(base)),
                          _mm512_set1_epi64(most)));
        };
        return _mm512_maskz_inserti32x8(0xffff, _mm512_castsi256_si512(half(p, m)), half(p + 8, m >> 8), 1);
    }
    static mask unequal(sixteen v, sixteen w) { return _mm512_cmpneq_epi32_mask(v, w); }
    /// The lanes one further up, `first` in the lowest.
    static sixteen shifted_in(sixteen v, std::int32_t first) {
        return _mm512_maskz_alignr_epi32(0xffff, v, _mm512_set1_epi32(first), 15);
    }
    static std::int32_t highest(sixteen v) {
        return _mm_extract_epi32(_mm512_maskz_extracti32x4_epi32(0xf, v, 3), 3);
    }
    static sixteen sum(sixteen v, std::int32_t more) { return _mm512_add_epi32(v, _mm512_set1_epi32(more)); }
    static sixteen difference(sixteen v, sixteen less) { return _mm512_sub_epi32(v, less); }
    /// In each lane the sum of the lanes up to it.
    static sixteen running_sum(sixteen v) {
        const __m512i none = _mm512_setzero_si512();
        v = _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xffff, v, none, 15));
        v = _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xffff, v, none, 14));
        v = _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xffff, v, none, 12));
        return _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xffff, v, none, 8));
    }
    static sixteen load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
    static sixteen counted_from(std::int32_t first) {
        return _mm512_add_epi32(_mm512_set1_epi32(first),
                                _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }
    static sixteen zeros() { return _mm512_setzero_si512(); }
    static void store(void* to, sixteen v) { _mm512_storeu_si512(to, v); }
    /// Those under the mask, where they are.
    static void store(std::int32_t* to, sixteen v, mask m) {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(m), v);
    }
    /// Those under the mask, side by side; sixteen are written.
    static void store_picked(std::int32_t* to, sixteen v, mask m) {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(m), v));
    }
    /// The first number in eight lanes, the second in the others.
    static sixteen halves(std::int32_t low, std::int32_t high) {
        return _mm512_mask_set1_epi32(_mm512_set1_epi32(low), 0xff00, high);
    }
    /// Up to eight of a list that has so many left in either half, `rest` in the other lanes; nothing else is read.
    static sixteen lists(const std::int32_t* low, const std::int32_t* high, sixteen left, std::int32_t rest) {
        constexpr int no = 0x7fffffff;
        const __m512i of_low = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, no, no, no, no, no, no, no, no),
                      of_high = _mm512_setr_epi32(no, no, no, no, no, no, no, no, 0, 1, 2, 3, 4, 5, 6, 7);
        const __m512i v =
            _mm512_mask_loadu_epi32(_mm512_set1_epi32(rest), _mm512_cmpgt_epi32_mask(left, of_low), low);
        return _mm512_mask_loadu_epi32(
            v, _mm512_cmpgt_epi32_mask(left, of_high),
            reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(high) - 8 * sizeof(std::int32_t)));
    }
    /// Four numbers, each in four lanes side by side.
    static sixteen each_four_times(const std::int32_t* p) {
        const __m512i place = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        return _mm512_maskz_permutexvar_epi32(0xffff, place, four_times(p));
    }
    /// Four numbers, one after another, four times.
    static sixteen four_times(const std::int32_t* p) {
        return _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    /// Eight of either list.
    static sixteen lists(const std::int32_t* low, const std::int32_t* high) {
        return _mm512_maskz_inserti32x8(
            0xffff, _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low))),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high)), 1);
    }
    /// In all lanes the smaller of the eighths of those lists() that have more left, `rest` where neither has.
    static sixteen bound(sixteen lists, sixteen left, std::int32_t rest) {
        constexpr int no = 0x7fffffff;
        const __m512i eighth =
            _mm512_setr_epi32(no, no, no, no, no, no, no, 8, no, no, no, no, no, no, no, 8);
        const __m512i last =
            _mm512_mask_mov_epi32(_mm512_set1_epi32(rest), _mm512_cmpgt_epi32_mask(left, eighth), lists);
        const __m512i own = _mm512_setr_epi32(7, 7, 7, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15, 15, 15, 15),
                      other = _mm512_setr_epi32(15, 15, 15, 15, 15, 15, 15, 15, 7, 7, 7, 7, 7, 7, 7, 7);
        return _mm512_maskz_min_epi32(0xffff, _mm512_maskz_permutexvar_epi32(0xffff, own, last),
                                      _mm512_maskz_permutexvar_epi32(0xffff, other, last));
    }
    static mask above(sixteen v, sixteen w) { return _mm512_cmpgt_epi32_mask(v, w); }
    static mask at_most(sixteen v, sixteen w) { return _mm512_cmple_epi32_mask(v, w); }
    /// Two ascending lists, eight lanes each, in ascending order together, each as 16 times itself plus its lane; all below
    /// 2^28. A bitonic merge: each list against the other turned round, then three rounds within either half.
    static sixteen merged(sixteen lists) {
        const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                      turned = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        __m512i v = _mm512_or_si512(_mm512_maskz_slli_epi32(0xffff, lists, 4), lanes);
        v = ordered(v, _mm512_maskz_permutexvar_epi32(0xffff, turned, v), 0xff00);
        v = ordered(v, _mm512_maskz_shuffle_i64x2(0xff, v, v, 0xb1), 0xf0f0);
        v = ordered(v, _mm512_maskz_shuffle_epi32(0xffff, v, static_cast<_MM_PERM_ENUM>(0x4e)), 0xcccc);
        return ordered(v, _mm512_maskz_shuffle_epi32(0xffff, v, static_cast<_MM_PERM_ENUM>(0xb1)), 0xaaaa);
    }
    static sixteen sixteenth(sixteen v) { return _mm512_maskz_srli_epi32(0xffff, v, 4); }
    /// The lanes with bit 3, which in merged() are the second list's.
    static mask of_second(sixteen v) { return _mm512_movepi32_mask(_mm512_maskz_slli_epi32(0xffff, v, 28)); }
    static sixteen next(sixteen v) { return _mm512_maskz_alignr_epi32(0xffff, v, v, 1); }
    static mask equal(sixteen v, sixteen w) { return _mm512_cmpeq_epi32_mask(v, w); }
    /// The bits of `of` at the ones of `at`, side by side.
    static mask pick(mask of, mask at) { return _pext_u32(of, at); }
    /// Sixteen values of a type, bits alone: smaller ones take four bytes each here.
    template <class U>
    struct values {
        __m512i part[sizeof(U) == 8 ? 2 : 1];
    };
    /// The first of p, in order, in the lanes under the mask, `rest` elsewhere; nothing else of p is read.
    template <class U>
    static values<U> spread(const U* p, mask m, const values<U>& rest) {
        if constexpr (sizeof(U) == 8)
            return {_mm512_mask_expandloadu_epi64(rest.part[0], static_cast<__mmask8>(m), p),
                    _mm512_mask_expandloadu_epi64(rest.part[1], static_cast<__mmask8>(m >> 8),
                                                  p + _mm_popcnt_u32(m & 0xff))};
        else if constexpr (sizeof(U) == 4)
            return {_mm512_mask_expandloadu_epi32(rest.part[0], static_cast<__mmask16>(m), p)};
        else
            return {_mm512_mask_expand_epi32(
                rest.part[0], static_cast<__mmask16>(m),
                widened(p, static_cast<__mmask16>(_bzhi_u32(0xffff, _mm_popcnt_u32(m)))))};
    }
    /// p's under the mask, lane by lane, `rest` elsewhere; sixteen may be read.
    template <class U>
    static values<U> overlaid(const U* p, mask m, const values<U>& rest) {
        if constexpr (sizeof(U) == 8)
            return {_mm512_mask_loadu_epi64(rest.part[0], static_cast<__mmask8>(m), p),
                    _mm512_mask_loadu_epi64(rest.part[1], static_cast<__mmask8>(m >> 8), p + 8)};
        else if constexpr (sizeof(U) == 4)
            return {_mm512_mask_loadu_epi32(rest.part[0], static_cast<__mmask16>(m), p)};
        else
            return {_mm512_mask_mov_epi32(rest.part[0], static_cast<__mmask16>(m), widened(p, 0xffff))};
    }
    /// Sixteen are written.
    template <class U>
    static void store(U* to, const values<U>& v) {
        if constexpr (sizeof(U) >= 4)
            for (const __m512i& part : v.part) {
                _mm512_storeu_si512(to, part);
                to += 8;
            }
        else if constexpr (sizeof(U) == 2)
            _mm512_mask_cvtepi32_storeu_epi16(to, 0xffff, v.part[0]);
        else
            _mm512_mask_cvtepi32_storeu_epi8(to, 0xffff, v.part[0]);
    }
    /// Those under the mask, side by side; up to sixteen are written.
    template <class U>
    static void store_picked(U* to, const values<U>& v, mask m) {
        if constexpr (sizeof(U) == 8) {
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(m), v.part[0]));
            _mm512_storeu_si512(to + _mm_popcnt_u32(m & 0xff),
                                _mm512_maskz_compress_epi64(static_cast<__mmask8>(m >> 8), v.part[1]));
        } else {
            store<U>(to, {_mm512_maskz_compress_epi32(static_cast<__mmask16>(m), v.part[0])});
        }
    }

private:
    // The smaller of each pair of lanes, the larger in the lanes of `larger`.
    static __m512i ordered(__m512i v, __m512i w, __mmask16 larger) {
        return _mm512_mask_max_epu32(_mm512_maskz_min_epu32(0xffff, v, w), larger, v, w);
    }
    template <class U>
    static __m512i widened(const U* p, __mmask16 m) {
        if constexpr (sizeof(U) == 2)
            return _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_maskz_loadu_epi16(m, p));
        else
            return _mm512_maskz_cvtepu8_epi32(0xffff, _mm_maskz_loadu_epi8(m, p));
    }
};

#else

inline constexpr bool have_masked_lanes = false;
struct masked_lanes {};

#endif

}  // namespace nz
