// Levels of a batch. The first nine have a plane of words each, what was found in them, which is the frontier as well: written where
// a mark says that something was found, so nothing is cleared. In the end, or when a tenth level comes, a lane holds the digits of its
// vertices and writes their levels source by source, neighbouring vertices together, also of what was not reached. What later levels
// find, the sweep writes where it belongs, a store each, while it is little; the next levels have the planes where it is much.
#pragma once

#include "kernels/cuda/common_words.cuh"
#include "kernels/cuda/traverse_many/common_search.cuh"

#include <algorithm>
#include <bit>

namespace nz::kernels::cuda::many {

constexpr unsigned plane_digits = std::bit_width(unsigned{plan::level_planes});

/// Bit b of eight to bit 4 b.
__device__ inline unsigned spread(unsigned bits) {
    bits = (bits | bits << 12) & 0x000f000fu;
    bits = (bits | bits << 6) & 0x03030303u;
    return (bits | bits << 3) & 0x11111111u;
}

/// Vertices that a lane writes at a time: a warp's store is 512 bytes of one source.
constexpr unsigned lane_vertices = 4;

/// The levels of a lane's vertices from 32 sources: eight sources at a time to numbers of four bits, one more than the level, so that a
/// level takes few instructions.
template <int Digits>
__device__ void write_lane(const unsigned (&found)[lane_vertices],
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
/// Plane k has something of group g.
template <class Offset>
__device__ void note_level(const search<Offset>& s, unsigned g, unsigned k) {
    asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" ::"l"(s.level_marks + g / 2),
                 "r"(1u << (16 * (g % 2) + k))
                 : "memory");
}
template <class Offset>
__device__ unsigned levels_of(const search<Offset>& s, unsigned g) {
    return reinterpret_cast<const unsigned short*>(s.level_marks)[g];
}

/// Writes the levels of what 32 neighbouring vertices, a lane each, found: level(b) that of bit b.
template <class Offset, class Level>
__device__ void write_found(const search<Offset>& s, std::uint32_t v, word bits, Level&& level) {
    for (word left = warp_or(bits); left; left &= left - 1) {
        const int b = __ffsll(static_cast<long long>(left)) - 1;
        if (bits >> b & 1) s.levels[s.level_stride * static_cast<unsigned>(b) + v] = level(b);
    }
}

/// The first levels, from their planes: a warp takes 128 vertices and half of the sources, whose bits are halves of words. (A warp
/// with 32 vertices, whose words it loads whole and ahead, was slower: its stores are 128 bytes.)
template <int Digits, class Offset>
__device__ void write_planes(const search<Offset>& s) {
    // Planes that there may be, and how many are loaded at a time.
    constexpr unsigned planes_at_most = std::min<unsigned>(plan::level_planes, (1 << Digits) - 1), loads = 2;
    const word *const seen = s.seen, *const planes = s.planes;
    const std::uint64_t stride = s.stride;
    const std::uint32_t n = s.n;
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
        const unsigned held = levels_of(s, first / group);  // planes that have something of these vertices
#pragma unroll
        for (unsigned from = 0; from < planes_at_most; from += loads) {
            if (!(held >> from)) break;
#pragma unroll
            for (unsigned k = 0; k < loads; ++k)
                if (from + k < planes_at_most)
                    load_of(planes + stride * (from + k), held >> (from + k) & 1, pairs[k]);
#pragma unroll
            for (unsigned k = 0; k < loads; ++k)
#pragma unroll
                for (unsigned i = 0; i < lane_vertices; ++i)
#pragma unroll
                    for (unsigned d = 0; d < Digits; ++d)
                        if (from + k < planes_at_most && (from + k + 1) >> d & 1)
                            digit[d][i] |= half_of(pairs[k], i);
        }
        const unsigned count = min(32u, s.source_count - 32 * half);
        std::uint32_t* const out = s.levels + s.level_stride * (32 * half) + first;
        write_lane<Digits>(found, digit, out, s.level_stride, count);
    }
}

/// Levels of what the planes have, base + 1 and later, where others were written before.
template <class Offset>
__device__ void write_planes_after(const search<Offset>& s, unsigned base) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned g = grid_thread() / 32; g < s.groups; g += grid_warps()) {
        const unsigned held = levels_of(s, g);
        if (!held) continue;
        const std::uint32_t v = g * group + lane;
        word digit[plane_digits] = {}, found = 0;
#pragma unroll
        for (unsigned k = 0; k < plan::level_planes; ++k) {
            const word bits = held >> k & 1 && v < s.n ? s.planes[s.stride * k + v] : 0;
            found |= bits;
#pragma unroll
            for (unsigned d = 0; d < plane_digits; ++d)
                if ((k + 1) >> d & 1) digit[d] |= bits;
        }
        write_found(s, v, found, [&](int b) {
            unsigned level = base;
#pragma unroll
            for (unsigned d = 0; d < plane_digits; ++d) level += (digit[d] >> b & 1) << d;
            return level;
        });
    }
}

/// Apart from the search, whose registers it would take.
template <class Offset>
__device__ __noinline__ void write_levels(const search<Offset>& s, unsigned base, unsigned number) {
    if (base > 0)
        write_planes_after(s, base);
    else if (number < 8)
        write_planes<3>(s);
    else
        write_planes<plane_digits>(s);
}

template <class Offset>
__device__ void clear_level_marks(const search<Offset>& s) {
    for (unsigned i = grid_thread(); i < (s.groups + task_groups) / 2; i += grid_threads())
        s.level_marks[i] = 0;
}

/// A level whose frontier has fewer pairs of a vertex and a source than one in so many vertices has few finds, as a rule.
constexpr unsigned few_pairs = 4;

/// Before a level's finds: says where they go, and writes the levels before it when the planes are full.
template <class Offset, class Sync>
__device__ void begin_level(const search<Offset>& s, progress& p, const frontier_counts& frontier,
                            Sync&& sync) {
    const bool full = p.in_planes && p.depth - p.base > plan::level_planes;
    if (full) write_levels(s, p.base, plan::level_planes);
    if (full || !p.in_planes) {
        p.in_planes = frontier.pairs * few_pairs >= s.n;
        p.base = p.depth - 1;
        if (full && p.in_planes) sync();
        if (p.in_planes) clear_level_marks(s);
    }
    p.finds = p.in_planes ? s.planes + s.stride * (p.depth - p.base - 1) : s.frontier;
}

}  // namespace nz::kernels::cuda::many
