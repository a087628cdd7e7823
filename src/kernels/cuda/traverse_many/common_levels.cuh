// Levels of a batch as binary digits, as on the CPU (kernels/cpu/traverse_many/common_levels.hpp): a lane holds the
// digits of its vertices and writes their levels source by source, neighbouring vertices together.
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

constexpr unsigned lane_vertices =
    4;  // that a lane writes at a time: a warp's store is 512 bytes of one source

/// The first time all levels are written, so that nothing need be cleared beforehand: a warp takes 128 vertices and
/// half of the sources, whose bits and digits are halves of words.
template <int Digits, class Offset>
__device__ void write_first(const search<Offset>& s, const progress& p) {
    const unsigned lane = threadIdx.x % 32, halves = s.source_count > 32 ? 2 : 1;
    const unsigned tasks = (s.n + 32 * lane_vertices - 1) / (32 * lane_vertices) * halves;
    for (unsigned task = grid_thread() / 32; task < tasks; task += grid_warps()) {
        const unsigned half = task % halves, first = (task / halves * 32 + lane) * lane_vertices;
        const auto half_of = [&](const word* words, unsigned i) {
            return first + i < s.n ? reinterpret_cast<const unsigned*>(words + first + i)[half] : 0;
        };
        unsigned found[lane_vertices], digit[Digits][lane_vertices];
#pragma unroll
        for (unsigned i = 0; i < lane_vertices; ++i) {
            found[i] = half_of(s.seen, i);
#pragma unroll
            for (int k = 0; k < Digits; ++k)
                digit[k][i] = p.number >> k ? half_of(s.digits + s.stride * k, i) : 0;
        }
        if (first >= s.n) continue;
        const unsigned count = min(32u, s.source_count - 32 * half);
        std::uint32_t* out = s.levels + s.level_stride * (32 * half) + first;
#pragma unroll 2
        for (unsigned b = 0; b < count; ++b, out += s.level_stride) {
            unsigned level[lane_vertices];
#pragma unroll
            for (unsigned i = 0; i < lane_vertices; ++i) {
                level[i] = (found[i] >> b & 1) - 1;  // all bits where not reached
#pragma unroll
                for (int k = 0; k < Digits; ++k) level[i] |= (digit[k][i] >> b & 1) << k;
            }
            __stcs(reinterpret_cast<uint4*>(out), uint4{level[0], level[1], level[2], level[3]});
        }
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
            s.levels[s.level_stride * static_cast<unsigned>(b) + v] = level;
        }
    }
}

template <class Offset>
__device__ void write_levels(const search<Offset>& s, progress& p) {
    if (p.base > 0)
        write_found(s, p);
    else if (p.number < 4)
        write_first<2>(s, p);
    else if (p.number < 8)
        write_first<3>(s, p);
    else if (p.number < 16)
        write_first<4>(s, p);
    else
        write_first<plan::level_digits>(s, p);
    p.base += p.number;
    p.number = 0;
}

}  // namespace nz::kernels::cuda::many
