// Transposes of matrices that have (j,i) wherever they have (i,j): rows, columns and offsets of A^T are A's, and the value of its entry
// (i,j) is that at (j,i).
//
// Who owns what: a warp has 256 neighbouring entries, four times 32 at a time. It finds the row of the first by a search among the
//   offsets, 32 of them at once, and those of the others from windows of 32 offsets, a lane each. A lane looks for its entry's mirror: at
//   first as far from the end of row j as (i,j) is from the beginning of its own, where a stencil has it, then by bisection.
// Sync: none. An entry without a mirror sets a flag, after which no warp begins; the host reads it and goes another way.
// Determinism: there is one place for each value.
// Cost: of an entry 4 bytes and a value are read and written in order; the offsets of its column's row, a column of that row or more
//   and a value come from where neighbours have read just now, so long as columns that go together lie together, which the look at tiles
//   asks for. On an H200, with the look and memory taken and given back, 45 to 56% of a copy's rate in double: laplace3d:100 0.335 ms (two
//   deals 0.91), banded:1000000,21 0.215 (0.70), laplace2d:2000 0.245. Profiled (512 entries a warp, laplace3d:100), the L2 is at 86% of
//   its rate, memory at 51: half of the reads from other rows miss the first-level cache.
// Tried: 512 entries a warp 0.36, 0.23 and 0.265 ms, 128 0.32, 0.235 and 0.26, 128 two at a time 0.38, 0.22 and 0.24.
// Why not the deals alone: they read and write each entry twice, and keep order by votes and counts.
#pragma once

#include "storage/device_passes.cuh"

namespace nz::storage::device_mirror {

using device_passes::full_warp, device_passes::lanes, device_passes::no_value, device_passes::value_bytes_of;

inline constexpr unsigned threads = 256, warp_entries = 256, at_a_time = 4;
inline constexpr unsigned block_entries = threads / lanes * warp_entries;
inline constexpr unsigned nowhere = ~0u;

template <class Offset>
struct pattern {
    const Offset* offsets;
    const index_t* columns;
    index_t rows;
    unsigned nnz;
};

/// The rows of ascending entries, by 32 rows at a time: lane l knows where row first_ + l ends.
template <class Offset>
class row_window {
public:
    struct place {
        index_t row;
        unsigned before;  ///< entries before it in its row
    };

    /// From entry `k` on.
    __device__ row_window(const pattern<Offset>& a, unsigned k) : a_(a) { look_for(k, 0); }
    /// Of this lane's entry; the warp's are neighbours, and come after those asked for before. All lanes call it.
    __device__ place of(unsigned k) {
        place found{-1, 0};
        for (bool next = true;; next = false) {
            unsigned rows_before = 0;
#pragma unroll
            for (unsigned step = lanes / 2; step; step /= 2)
                if (__shfl_sync(full_warp, end_, rows_before + step - 1) <= k) rows_before += step;
            const unsigned end = __shfl_sync(full_warp, end_, rows_before),
                           begin = __shfl_sync(full_warp, end_, rows_before ? rows_before - 1 : 0);
            if (found.row < 0 && k < end)
                found = {first_ + static_cast<index_t>(rows_before), k - (rows_before ? begin : begin_)};
            const unsigned missing = __ballot_sync(full_warp, found.row < 0);
            if (!missing) return found;
            if (next)
                load(first_ + static_cast<index_t>(lanes));
            else  // over many rows without entries
                look_for(__shfl_sync(full_warp, k, __ffs(missing) - 1), first_);
        }
    }

private:
    // Row `low` begins at entry k or before.
    __device__ void look_for(unsigned k, index_t low) {
        index_t high = a_.rows;  // begins after it
        while (high - low > static_cast<index_t>(lanes)) {
            const index_t step = (high - low - 1) / static_cast<index_t>(lanes) + 1;
            const auto probe = offset_t{low} + offset_t{step} * (threadIdx.x % lanes);
            const bool before = probe < high && static_cast<unsigned>(a_.offsets[probe]) <= k;
            low += step * (__popc(__ballot_sync(full_warp, before)) - 1);
            high = min(high, low + step);
        }
        load(low);
    }
    __device__ void load(index_t first) {
        first_ = first;
        const auto last = offset_t{first} + threadIdx.x % lanes + 1;
        begin_ = static_cast<unsigned>(a_.offsets[first]);
        end_ = static_cast<unsigned>(a_.offsets[min(last, static_cast<offset_t>(a_.rows))]);
    }

    const pattern<Offset>& a_;
    index_t first_;
    unsigned begin_, end_;
};

/// A look for a row among the columns of another.
struct look {
    unsigned low = 0, high = 0, at = 0;  // it is in [low, high) or nowhere; `at` is looked at next

    look() = default;
    /// At first so far from the end of row `in`.
    template <class Offset>
    __device__ look(const pattern<Offset>& a, index_t in, unsigned from_end)
        : low(static_cast<unsigned>(a.offsets[in])), high(static_cast<unsigned>(a.offsets[in + 1])) {
        at = from_end < high - low ? high - 1 - from_end : low;
    }
    template <class Offset>
    __device__ index_t first(const pattern<Offset>& a) const {
        return low < high ? a.columns[at] : -1;
    }
    /// Where `row` is, or nowhere. `found`: what the first look saw.
    template <class Offset>
    __device__ unsigned finish(const pattern<Offset>& a, index_t found, index_t row) {
        while (low < high) {
            if (found == row) return at;
            if (found < row)
                low = at + 1;
            else
                high = at;
            at = low + (high - low) / 2;
            found = first(a);
        }
        return nowhere;
    }
};

/// Whether all of a warp's 32 entries from k on have mirrors.
template <class Offset>
__device__ bool are_mirrored(const pattern<Offset>& a, unsigned k) {
    row_window<Offset> rows(a, k);
    k += threadIdx.x % lanes;
    const auto place = rows.of(k);
    look l(a, a.columns[k], place.before);
    return __all_sync(full_warp, l.finish(a, l.first(a), place.row) != nowhere);
}

/// Writes the columns and values of A^T, or sets `broken`. A warp each 256 entries.
template <class Value, class Offset>
__global__ void __launch_bounds__(threads, 5)
    mirror_kernel(pattern<Offset> a, const Value* from, index_t* columns, Value* to, unsigned* broken) {
    const offset_t begin = (offset_t{blockIdx.x} * threads + threadIdx.x) / lanes * warp_entries;
    const bool goes = begin < a.nnz && !*static_cast<volatile unsigned*>(broken);
    if (!__all_sync(full_warp, goes)) return;
    const auto first = static_cast<unsigned>(begin);
    const unsigned count = min(a.nnz - first, warp_entries), lane = threadIdx.x % lanes;
    row_window<Offset> rows(a, first);
    bool all = true;
    for (unsigned done = 0; done < count; done += lanes * at_a_time) {
        index_t column[at_a_time], row[at_a_time], found[at_a_time];
        look looks[at_a_time];
        unsigned mirror[at_a_time];
        const auto entry = [&](unsigned n) { return first + min(done + n * lanes + lane, count - 1); };
#pragma unroll
        for (unsigned n = 0; n < at_a_time; ++n) column[n] = a.columns[entry(n)];
#pragma unroll
        for (unsigned n = 0; n < at_a_time; ++n) {
            const auto place = rows.of(entry(n));
            row[n] = place.row;
            looks[n] = look(a, column[n], place.before);
        }
#pragma unroll
        for (unsigned n = 0; n < at_a_time; ++n) found[n] = looks[n].first(a);
#pragma unroll
        for (unsigned n = 0; n < at_a_time; ++n) {
            mirror[n] = looks[n].finish(a, found[n], row[n]);
            all = all && mirror[n] != nowhere;
        }
        if constexpr (value_bytes_of<Value> > 0) {
            Value value[at_a_time];
#pragma unroll
            for (unsigned n = 0; n < at_a_time; ++n)
                value[n] = from[mirror[n] == nowhere ? first : mirror[n]];
#pragma unroll
            for (unsigned n = 0; n < at_a_time; ++n)
                if (done + n * lanes + lane < count) to[entry(n)] = value[n];
        }
#pragma unroll
        for (unsigned n = 0; n < at_a_time; ++n)
            if (done + n * lanes + lane < count) columns[entry(n)] = column[n];
    }
    if (!all) *broken = 1;
}

}  // namespace nz::storage::device_mirror
