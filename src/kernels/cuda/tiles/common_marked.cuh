// Rows of tiles side by side in a warp's hands: a lane has one to four rows that follow each other, and the lanes of a row of
// tiles agree on the next tile by shuffles, so that short rows of tiles cost a fraction of a warp each. Each row's first column
// is marked in shared memory by its highest bit, which no column has: what stands behind a row's last entry is larger than all
// columns, and nobody asks where rows end.
#pragma once

#include "kernels/cuda/tiles/common_staged.cuh"

namespace nz::kernels::cuda {

constexpr unsigned row_mark = 1u << 31, last_column = row_mark - 1;  // which no matrix has

template <int Size, int Rows, bool Apart = false>
struct marked_walk {
    static constexpr int group = Size / Rows, groups = 32 / group;
    using word = std::conditional_t<Size == 64, std::uint64_t, std::uint32_t>;
    const int lane;       ///< in the group
    unsigned at[Rows];    ///< where the rows' next columns stand
    unsigned head[Rows];  ///< those columns, or more than any where there is none

    /// Rows of tiles number k to k + count of those that are here, count at most `groups`.
    __device__ marked_walk(const staged_rows<Size>& from, int k, int count) : lane(from.lane % group) {
        const unsigned columns = shared_address(from.columns) - 4 * from.bias;
        const bool here = from.lane / group < count;
        const unsigned* const starts = from.starts + (here ? k + from.lane / group : k) * Size;
        __syncwarp();  // rows before may have looked as far as these
        unsigned begin[Rows], end[Rows];
        read_rows(starts, begin, end);
        for (int r = 0; r < Rows; ++r) {
            at[r] = here ? columns + 4 * begin[r] : none;
            head[r] = here && begin[r] != end[r] ? load_shared(at[r]) & ~row_mark : none;
        }
        for (int r = 0; r < Rows; ++r)
            if (head[r] != none) store_shared(at[r], head[r] | row_mark);
        if (from.lane == 0) {
            const unsigned behind = columns + 4 * from.starts[(k + count) * Size];
            store_shared(behind, load_shared(behind) | row_mark);
        }
        __syncwarp();
    }
    /// The lane's row number r of its row of tiles: one of neighbours, or if Apart of as many as the group has lanes.
    __device__ int row(int r) const { return Apart ? r * group + lane : lane * Rows + r; }
    /// The smallest column that the group's rows stand at, or last_column.
    __device__ unsigned next() const {
        unsigned least = last_column;
        for (int r = 0; r < Rows; ++r) least = min(least, head[r]);
        if constexpr (group == 32) {
            least = __reduce_min_sync(full_warp, least);
        } else {
            for (int distance = 1; distance < group; distance *= 2)
                least = min(least, __shfl_xor_sync(full_warp, least, distance));
        }
        return least;
    }
    /// Whether any group has a next tile.
    __device__ static bool on(unsigned column) {
        return group == 32 ? column != last_column : __any_sync(full_warp, column != last_column);
    }
    /// Takes the rows past the tile that begins with column `base`; of a group that has none, no row.
    __device__ void take(unsigned base) {
        for_rows_below(base, Size, [&](int r) {
            if constexpr (Rows < 4)
                take_four(head[r], at[r], base);
            else
                take_one(head[r], at[r], base);
        });
    }
    /// The same, in threes where columns are neighbours; what the rows have in the tile as bits.
    __device__ void take_threes(unsigned base, word (&bits)[Rows]) {
        for_rows_below(base, Size, [&](int r) { take_three(head[r], at[r], base, bits[r]); });
    }
    /// The same, one by one; `after` are the columns after those that the rows stand at.
    __device__ void take_ahead(unsigned base, unsigned (&after)[Rows], word (&bits)[Rows]) {
        for_rows_below(base, Size, [&](int r) { take_ahead(head[r], after[r], at[r], base, bits[r]); });
    }
    __device__ void look_ahead(unsigned (&after)[Rows]) const {
        for (int r = 0; r < Rows; ++r) after[r] = load_shared(at[r] + 4);
    }
    __device__ static int sum(int x) {
        if constexpr (group == 32) {
            return __reduce_add_sync(full_warp, x);
        } else {
            for (int distance = 1; distance < group; distance *= 2)
                x += __shfl_xor_sync(full_warp, x, distance);
            return x;
        }
    }
    __device__ static int of_last(int x) { return __shfl_sync(full_warp, x, group - 1, group); }

private:
    // Where the lane's rows begin and end.
    __device__ void read_rows(const unsigned* starts, unsigned (&begin)[Rows], unsigned (&end)[Rows]) const {
        if constexpr (Rows > 1 && !Apart) {
            struct alignas(4 * Rows) neighbours {
                unsigned of[Rows];
            };
            const neighbours all = reinterpret_cast<const neighbours*>(starts)[lane];
            for (int r = 0; r < Rows; ++r) begin[r] = all.of[r];
            for (int r = 1; r < Rows; ++r) end[r - 1] = begin[r];
            end[Rows - 1] = starts[(lane + 1) * Rows];
        } else {
            for (int r = 0; r < Rows; ++r) begin[r] = starts[row(r)], end[r] = starts[row(r) + 1];
        }
    }
    // Calls f(r) for all rows until none of them stands at a column below base + extent.
    template <class F>
    __device__ void for_rows_below(unsigned base, unsigned extent, F&& f) {
        unsigned nearest;
        do {
            nearest = none;
            for (int r = 0; r < Rows; ++r) {
                f(r);
                nearest = min(nearest, head[r] - base);
            }
        } while (__any_sync(full_warp, nearest < extent));
    }
    __device__ static void take_one(unsigned& head, unsigned& at, unsigned base) {
        asm volatile(
            "{.reg .pred here; setp.lt.u32 here, %2, %3;"
            "@here add.u32 %1, %1, 4; @here ld.shared.u32 %0, [%1];}"
            : "+r"(head), "+r"(at)
            : "r"(head - base), "n"(Size)
            : "memory");
    }
    // Up to four columns, whose loads are under way together. (From C++ it is 1.5 times the instructions.)
    __device__ static void take_four(unsigned& head, unsigned& at, unsigned base) {
        asm volatile(
            "{.reg .pred a, b, c, d; .reg .u32 w, x, y, z, t;"
            "sub.u32 t, %0, %2; setp.lt.u32 a, t, %3;"
            "@a ld.shared.u32 w, [%1+4]; @a ld.shared.u32 x, [%1+8];"
            "@a ld.shared.u32 y, [%1+12]; @a ld.shared.u32 z, [%1+16];"
            "@a mov.u32 %0, w; @a add.u32 %1, %1, 4; sub.u32 t, w, %2; setp.lt.and.u32 b, t, %3, a;"
            "@b mov.u32 %0, x; @b add.u32 %1, %1, 4; sub.u32 t, x, %2; setp.lt.and.u32 c, t, %3, b;"
            "@c mov.u32 %0, y; @c add.u32 %1, %1, 4; sub.u32 t, y, %2; setp.lt.and.u32 d, t, %3, c;"
            "@d mov.u32 %0, z; @d add.u32 %1, %1, 4;}"
            : "+r"(head), "+r"(at)
            : "r"(base), "n"(Size)
            : "memory");
    }
    __device__ static void take_ahead(unsigned& head, unsigned& after, unsigned& at, unsigned base,
                                      std::uint32_t& bits) {
        asm volatile(
            "{.reg .pred here; .reg .u32 bit; setp.lt.u32 here, %4, %5; shl.b32 bit, 1, %4; @here or.b32 %3, %3, bit;"
            "@here mov.u32 %0, %1; @here add.u32 %2, %2, 4; @here ld.shared.u32 %1, [%2+4];}"
            : "+r"(head), "+r"(after), "+r"(at), "+r"(bits)
            : "r"(head - base), "n"(Size)
            : "memory");
    }
    __device__ static void take_ahead(unsigned& head, unsigned& after, unsigned& at, unsigned base,
                                      std::uint64_t& bits) {
        asm volatile(
            "{.reg .pred here; .reg .u64 bit; setp.lt.u32 here, %4, %5; shl.b64 bit, 1, %4; @here or.b64 %3, %3, bit;"
            "@here mov.u32 %0, %1; @here add.u32 %2, %2, 4; @here ld.shared.u32 %1, [%2+4];}"
            : "+r"(head), "+r"(after), "+r"(at), "+l"(bits)
            : "r"(head - base), "n"(Size)
            : "memory");
    }
    // Three columns if they are neighbours, else one: their loads are under way together.
    __device__ static void take_three(unsigned& head, unsigned& at, unsigned base, word& bits) {
        unsigned taken = 0;
        const unsigned place = head - base;
        asm volatile(
            "{.reg .pred here, three; .reg .u32 x, y, z, t;"
            "setp.lt.u32 here, %3, %4;"
            "@here ld.shared.u32 x, [%1+4]; @here ld.shared.u32 y, [%1+8]; @here ld.shared.u32 z, [%1+12];"
            "setp.lt.and.u32 three, %3, %5, here;"
            "sub.u32 t, x, %0; setp.eq.and.u32 three, t, 1, three;"
            "sub.u32 t, y, %0; setp.eq.and.u32 three, t, 2, three;"
            "@here selp.b32 %0, z, x, three; selp.b32 t, 12, 4, three; @here add.u32 %1, %1, t;"
            "@here selp.b32 %2, 7, 1, three;}"
            : "+r"(head), "+r"(at), "+r"(taken)
            : "r"(place), "n"(Size), "n"(Size - 2)
            : "memory");
        bits |= word{taken} << (place % Size);
    }
};

}  // namespace nz::kernels::cuda
