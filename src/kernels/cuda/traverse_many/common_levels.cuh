// Levels of a batch as binary digits, as on the CPU (kernels/cpu/traverse_many/common_levels.hpp): a lane holds the
// digits of one vertex and writes its level for each source, 32 neighbouring vertices of a source at a time.
#pragma once

#include "kernels/cuda/traverse_many/common_search.cuh"

namespace nz::kernels::cuda::many {

/// Before the finds of a level: numbers it, and clears the digit that it is the first to use.
template <class Offset>
__device__ void begin_level(const search<Offset>& s, progress& p) {
    ++p.number;
    if (p.number & (p.number - 1)) return;
    auto* const digit = reinterpret_cast<ulonglong2*>(s.digits + s.stride * (__ffs(p.number) - 1));
    for (std::uint64_t i = grid_thread(); i < s.stride / 2; i += grid_threads()) digit[i] = {0, 0};
}

/// Half a word's sources, 32 bits each: the first time of all levels, so that nothing need be cleared beforehand.
template <int Digits, class Offset>
__device__ void write_all(const search<Offset>& s, std::uint32_t v, unsigned first_source, unsigned found,
                          const unsigned (&digit)[Digits]) {
    std::uint32_t* out = s.levels + std::uint64_t{first_source} * s.n + v;
    const unsigned count = min(32u, s.source_count - first_source);
#pragma unroll 8
    for (unsigned b = 0; b < count; ++b, out += s.n) {
        unsigned level = (found >> b & 1) - 1;  // all bits where not reached
#pragma unroll
        for (int k = 0; k < Digits; ++k) level |= (digit[k] >> b & 1) << k;
        if (v < s.n) __stcs(out, level);
    }
}

template <int Digits, class Offset>
__device__ void write_first(const search<Offset>& s, const progress& p) {
    for (unsigned g = grid_thread() / 32; g < s.groups; g += grid_warps()) {
        const std::uint32_t v = g * group + threadIdx.x % 32;
        const word seen = v < s.n ? s.seen[v] : 0;
        unsigned low[Digits], high[Digits];
#pragma unroll
        for (int k = 0; k < Digits; ++k) {
            const word digit = v < s.n && p.number >> k ? s.digits[s.stride * k + v] : 0;
            low[k] = static_cast<unsigned>(digit);
            high[k] = static_cast<unsigned>(digit >> 32);
        }
        write_all(s, v, 0, static_cast<unsigned>(seen), low);
        if (s.source_count > 32) write_all(s, v, 32, static_cast<unsigned>(seen >> 32), high);
    }
}

/// Later times: only what was found since.
template <class Offset>
__device__ void write_found(const search<Offset>& s, const progress& p) {
    for (unsigned g = grid_thread() / 32; g < s.groups; g += grid_warps()) {
        const std::uint32_t v = g * group + threadIdx.x % 32;
        word digit[plan::level_digits], found = 0;
#pragma unroll
        for (int k = 0; k < plan::level_digits; ++k) {
            digit[k] = v < s.n && p.number >> k ? s.digits[s.stride * k + v] : 0;
            found |= digit[k];
        }
        for (; found; found &= found - 1) {
            const int b = __ffsll(static_cast<long long>(found)) - 1;
            std::uint32_t level = p.base;
#pragma unroll
            for (int k = 0; k < plan::level_digits; ++k)
                level += static_cast<std::uint32_t>(digit[k] >> b & 1) << k;
            s.levels[std::uint64_t{static_cast<unsigned>(b)} * s.n + v] = level;
        }
    }
}

template <class Offset>
__device__ void write_levels(const search<Offset>& s, progress& p) {
    if (p.base > 0)
        write_found(s, p);
    else if (p.number < 4)
        write_first<2>(s, p);
    else if (p.number < 16)
        write_first<4>(s, p);
    else
        write_first<plan::level_digits>(s, p);
    p.base += p.number;
    p.number = 0;
}

}  // namespace nz::kernels::cuda::many
