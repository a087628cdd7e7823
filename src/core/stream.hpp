// Stores that pass by the caches: for whole lines that nobody reads again soon, whose old content need not be
// fetched to be overwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nz::stream {

inline constexpr std::size_t line_bytes = 64;

/// Writes one line; `to` is aligned to it.
inline void put_line(void* to, const void* from) {
#if defined(__AVX512F__)
    _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__SSE2__)
    auto* target = static_cast<__m128i*>(to);
    const auto* source = static_cast<const __m128i*>(from);
    for (int k = 0; k < 4; ++k) _mm_stream_si128(target + k, _mm_loadu_si128(source + k));
#else
    std::memcpy(to, from, line_bytes);
#endif
}

/// Makes what was written visible to threads that are told of it after.
inline void finish() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// memcpy of bytes that do not overlap; call finish() before another thread reads them.
inline void copy(void* to, const void* from, std::size_t bytes) {
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % line_bytes;
    const std::size_t head = past == 0 ? 0 : line_bytes - past;
    if (bytes < head + line_bytes) {
        if (bytes) std::memcpy(target, source, bytes);
        return;
    }
    if (head) std::memcpy(target, source, head);
    std::size_t at = head;
    for (; at + line_bytes <= bytes; at += line_bytes) put_line(target + at, source + at);
    if (at < bytes) std::memcpy(target + at, source + at, bytes - at);
}

}  // namespace nz::stream
