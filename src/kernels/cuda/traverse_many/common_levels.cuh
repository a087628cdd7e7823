// Levels of a batch. The first nine have a plane of words each, what was found in them, which is the frontier as well: written where
// a mark says that something was found, so nothing is cleared and nothing read before the end. Deeper searches have binary digits, as
// on the CPU (kernels/cpu/traverse_many/common_levels.hpp), in the same planes. In the end a lane holds the digits of its vertices and
// writes their levels source by source, neighbouring vertices together.
#pragma once

#include "kernels/cuda/traverse_many/common_search.cuh"

#include <algorithm>
#include <bit>

namespace nz::kernels::cuda::many {

constexpr unsigned plane_digits = std::bit_width(unsigned{plan::level_planes});

/// Digits in place of planes: what these found becomes the digits of their numbers. The last plane stays, the frontier; all digits are
/// written.
template <class Offset>
__device__ __noinline__ void fold_planes(const search<Offset>& s) {
    for (std::uint32_t v = grid_thread(); v < s.n; v += grid_threads()) {
        word digit[plan::level_digits] = {};
#pragma unroll
        for (unsigned plane = 0; plane < plan::level_planes; ++plane) {
            if (!s.level_marks[plane * s.level_mark_stride + v / group]) continue;
            const word bits = s.planes[s.stride * plane + v];
#pragma unroll
            for (unsigned k = 0; k < plane_digits; ++k)
                if ((plane + 1) >> k & 1) digit[k] |= bits;
        }
#pragma unroll
        for (unsigned k = 0; k < plan::level_digits; ++k) s.planes[s.stride * k + v] = digit[k];
    }
}

/// Before the finds of a level: numbers it, and says where they go. Where they are digits, clears the one that it is the first to use.
template <class Offset>
__device__ void begin_level(const search<Offset>& s, progress& p) {
    ++p.number;
    if (p.in_planes && p.number <= plan::level_planes) {
        p.finds = s.planes + s.stride * (p.number - 1);
        return;
    }
    if (p.in_planes) {
        fold_planes(s);
        p.in_planes = false;  // and the last plane is the frontier for good
        return;
    }
    if (p.number & (p.number - 1)) return;
    auto* const digit = reinterpret_cast<ulonglong2*>(s.planes + s.stride * (__ffs(p.number) - 1));
    for (std::uint64_t i = grid_thread(); i < s.stride / 2; i += grid_threads()) digit[i] = {0, 0};
}

/// Bit b of eight to bit 4 b.
__device__ inline unsigned spread(unsigned bits) {
    bits = (bits | bits << 12) & 0x000f000fu;
    bits = (bits | bits << 6) & 0x03030303u;
    return (bits | bits << 3) & 0x11111111u;
}

constexpr unsigned lane_vertices =
    4;  // that a lane writes at a time: a warp's store is 512 bytes of one source

/// The levels of a lane's vertices from 32 sources, of up to four digits: eight sources at a time to numbers of four bits, one more than
/// the level, so that a level takes few instructions.
template <int Digits>
__device__ void write_few(const unsigned (&found)[lane_vertices],
                          const unsigned (&digit)[Digits][lane_vertices], std::uint32_t* out,
                          std::uint64_t stride, unsigned count) {
    static_assert(Digits <= 4);  // levels up to 14
#pragma unroll 1
    for (unsigned first = 0; first < count; first += 8) {
        unsigned more[lane_vertices];
#pragma unroll
        for (unsigned i = 0; i < lane_vertices; ++i) {
            more[i] = spread(found[i] >> first & 255);  // 0 where not reached
#pragma unroll
            for (int k = 0; k < Digits; ++k) more[i] += spread(digit[k][i] >> first & 255) << k;
        }
#pragma unroll
        for (unsigned b = 0; b < 8; ++b, out += stride) {
            if (first + b >= count) return;
            const auto level = [&](unsigned i) { return (more[i] >> 4 * b & 15) - 1; };
            __stcs(reinterpret_cast<uint4*>(out), uint4{level(0), level(1), level(2), level(3)});
        }
    }
}
/// ... whatever their digits.
template <int Digits>
__device__ void write_many(const unsigned (&found)[lane_vertices],
                           const unsigned (&digit)[Digits][lane_vertices], std::uint32_t* out,
                           std::uint64_t stride, unsigned count) {
#pragma unroll 2
    for (unsigned b = 0; b < count; ++b, out += stride) {
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

/// The first levels, so that nothing need be cleared beforehand: a warp takes 128 vertices and half of the sources, whose bits are
/// halves of words. (A warp with 32 vertices, whose words it loads whole and ahead, was slower: its stores are 128 bytes.)
template <int Digits, bool Planes, class Offset>
__device__ void write_first(const search<Offset>& s, unsigned number) {
    // Planes or digits that there may be, and how many are loaded at a time.
    constexpr unsigned words = Planes ? std::min<unsigned>(plan::level_planes, (1 << Digits) - 1) : Digits,
                       loads = 2;
    const word *const seen = s.seen, *const planes = s.planes;
    const std::uint64_t stride = s.stride;
    const unsigned char* const marks = s.level_marks;
    const std::uint32_t mark_stride = s.level_mark_stride, n = s.n;
    const unsigned lane = threadIdx.x % 32, halves = s.source_count > 32 ? 2 : 1;
    const unsigned tasks = (n + 32 * lane_vertices - 1) / (32 * lane_vertices) * halves;
    for (unsigned task = grid_thread() / 32; task < tasks; task += grid_warps()) {
        const unsigned half = task % halves, first = (task / halves * 32 + lane) * lane_vertices;
        if (first >= n) continue;
        // Arrays end with whole groups of 64 bytes.
        const auto load_of = [&](const word* of, bool there, uint4(&pairs)[2]) {
            pairs[0] = pairs[1] = {};
            if (there) {
                pairs[0] = __ldcs(reinterpret_cast<const uint4*>(of + first));
                pairs[1] = __ldcs(reinterpret_cast<const uint4*>(of + first) + 1);
            }
        };
        const auto half_of = [&](const uint4(&pairs)[2], unsigned i) {
            const uint4& two = pairs[i / 2];
            return i % 2 ? half ? two.w : two.z : half ? two.y : two.x;
        };
        unsigned found[lane_vertices], digit[Digits][lane_vertices] = {};
        uint4 pairs[loads][2];
        load_of(seen, true, pairs[0]);
#pragma unroll
        for (unsigned i = 0; i < lane_vertices; ++i) found[i] = half_of(pairs[0], i);
        unsigned held = (1u << std::bit_width(number)) - 1;  // what has something of these vertices
        if constexpr (Planes) {
            held = 0;
#pragma unroll
            for (unsigned k = 0; k < words; ++k)
                held |= (k < number && marks[k * mark_stride + first / group] ? 1u : 0u) << k;
        }
#pragma unroll
        for (unsigned from = 0; from < words; from += loads) {
            if (!(held >> from)) break;
#pragma unroll
            for (unsigned k = 0; k < loads; ++k)
                if (from + k < words) load_of(planes + stride * (from + k), held >> (from + k) & 1, pairs[k]);
#pragma unroll
            for (unsigned k = 0; k < loads; ++k)
#pragma unroll
                for (unsigned i = 0; i < lane_vertices; ++i)
#pragma unroll
                    for (unsigned d = 0; d < Digits; ++d)
                        if (from + k < words && (Planes ? (from + k + 1) >> d & 1 : from + k == d))
                            digit[d][i] |= half_of(pairs[k], i);
        }
        const unsigned count = min(32u, s.source_count - 32 * half);
        std::uint32_t* const out = s.levels + s.level_stride * (32 * half) + first;
        if constexpr (Planes)
            write_few<Digits>(found, digit, out, s.level_stride, count);
        else
            write_many<Digits>(found, digit, out, s.level_stride, count);
    }
}

/// Later times: only what was found since.
template <class Offset>
__device__ void write_found(const search<Offset>& s, unsigned number, unsigned base) {
    for (unsigned g = grid_thread() / 32; g < s.groups; g += grid_warps()) {
        const std::uint32_t v = g * group + threadIdx.x % 32;
        word digit[plan::level_digits], found = 0;
#pragma unroll
        for (int k = 0; k < plan::level_digits; ++k) {
            digit[k] = v < s.n && number >> k ? s.planes[s.stride * k + v] : 0;
            found |= digit[k];
        }
        for (; found; found &= found - 1) {
            const int b = __ffsll(static_cast<long long>(found)) - 1;
            std::uint32_t level = base;
#pragma unroll
            for (int k = 0; k < plan::level_digits; ++k)
                level += static_cast<std::uint32_t>(digit[k] >> b & 1) << k;
            s.levels[s.level_stride * static_cast<unsigned>(b) + v] = level;
        }
    }
}

/// The first levels, up to number. Apart from the search, whose registers it would take.
template <class Offset>
__device__ __noinline__ void write_firsts(const search<Offset>& s, unsigned number, bool in_planes) {
    if (in_planes && number < 8)
        write_first<3, true>(s, number);
    else if (in_planes)
        write_first<plane_digits, true>(s, number);
    else if (number < 16)
        write_first<4, false>(s, number);
    else
        write_first<plan::level_digits, false>(s, number);
}

/// Levels base + 1 to base + number.
template <class Offset>
__device__ void write_levels(const search<Offset>& s, const progress& p) {
    if (p.base > 0)
        write_found(s, p.number, p.base);
    else
        write_firsts(s, p.number, p.in_planes);
}

}  // namespace nz::kernels::cuda::many
