// The partition and the count of ewise/balanced_path; the essay stands in balanced_path.cuh.
#include "kernels/cuda/ewise/common_count.hpp"
#include "kernels/cuda/ewise/common_path.cuh"
#include "kernels/cuda/schedule/balanced.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace nz::kernels::cuda {

namespace {

/// What a multiprocessor's threads allow; 32 registers a thread.
constexpr int count_blocks_an_sm = 8;

/// Eight lanes a cut; and the sums of the groups begin at 0.
__global__ void __launch_bounds__(path_block)
    balanced_path_cut_kernel(device_side a, device_side b, index_t rows, offset_t steps, offset_t tiles,
                             plan::ewise_parts parts) {
    cudaTriggerProgrammaticLaunchCompletion();
    const offset_t thread = offset_t{blockIdx.x} * path_block + threadIdx.x, cut = thread / cut_lanes;
    if (thread < plan::ewise_groups(tiles)) parts.group_results[thread] = 0;
    const plan::ewise_cut found =
        cut_path(a.offsets, a.columns, b.offsets, b.columns, rows, min(cut * plan::ewise_tile_steps, steps));
    if (threadIdx.x % cut_lanes == 0 && cut <= tiles) parts.cuts[cut] = found;
}

// Inside a tile an entry's place is its place in tile_memory::columns, for both sides.

/// What a row of A in the tile has on the other side: B's entries from start + shift up to `end`, for the row that
/// begins at `start`.
struct row_slice {
    int shift, end;
};
__device__ std::uint32_t pack(int shift, int end) {
    return static_cast<std::uint32_t>(shift) << 16 | static_cast<std::uint32_t>(end);
}
__device__ row_slice unpack(std::uint32_t packed) {
    return {static_cast<int>(packed) >> 16, static_cast<int>(packed & 0xffff)};
}

/// The first place in [low, high) of an ascending list that does not lie before `column`; with `Beyond`, that lies
/// beyond it.
template <bool Beyond = false>
__device__ int lower_place(const index_t* list, int low, int high, index_t column) {
    for (int size = high - low; size > 0;) {
        const int half = size / 2;
        const index_t here = list[low + half];
        const bool before = Beyond ? here <= column : here < column;
        low = before ? low + half + 1 : low;
        size = before ? size - half - 1 : half;
    }
    return low;
}

/// One side's slice, `size` columns from place `first` on.
struct tile_slice {
    int first, size;
};

constexpr int column_room = plan::ewise_tile_entries + 16;  // two slices, each begun at 16 bytes

// Places before the path and behind it, for what is read with the tile's entries and is not of it.
constexpr int mark_lead = 8, mark_trail = 4;

struct tile_memory {
    alignas(16) index_t columns[column_room];
    alignas(8) std::uint8_t
        marks[mark_lead + plan::ewise_tile_entries + 2 * mark_trail];  ///< by path, from mark_lead on
    std::uint32_t slices[plan::ewise_tile_entries + 4];  ///< row_slice, at the first entry of A's row
    std::uint32_t starts[plan::ewise_tile_words + 1];    ///< which entries of A are the first of their row
    std::uint16_t running[plan::ewise_tile_words + 1];   ///< where the row began that runs into this word
    std::uint32_t totals[path_warps];
};

__device__ int4 load_four(const index_t* at) { return __ldg(reinterpret_cast<const int4*>(at)); }
__device__ int lead_of(const index_t* at) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) / sizeof(index_t) % 4);
}
/// Brings the rest of a slice, whose first four columns a thread are there, by 16 bytes.
__device__ void bring_rest(index_t* to, const index_t* aligned, int count) {
    for (int k = (static_cast<int>(threadIdx.x) + path_block) * 4; k < count; k += path_block * 4)
        *reinterpret_cast<int4*>(to + k) = load_four(aligned + k);
}

/// Offsets of 32 bits, where both sides have them: the common case, without a branch or 64-bit arithmetic.
struct narrow_offsets {
    const int* data;

    __device__ explicit narrow_offsets(device_offsets from) : data(static_cast<const int*>(from.data)) {}
    __device__ int operator[](offset_t i) const { return __ldg(data + i); }
};

/// Where a row lies in both matrices.
template <class Offset>
struct row_bounds {
    Offset a_begin, a_end, b_begin, b_end;
};
template <class Offsets>
__device__ auto bounds_of(Offsets a, Offsets b, offset_t row) {
    return row_bounds<decltype(a[0])>{a[row], a[row + 1], b[row], b[row + 1]};
}

/// Notes where a row begins in A and what it has in B.
template <class Offset>
__device__ void note_row(tile_memory& m, const row_bounds<Offset>& row, const plan::ewise_cut& from,
                         tile_slice a, tile_slice b) {
    const auto a_first = static_cast<Offset>(from.a), b_first = static_cast<Offset>(from.b);
    const int begin = a.first + static_cast<int>(max(row.a_begin - a_first, Offset{0})),
              end = a.first + static_cast<int>(min(row.a_end - a_first, static_cast<Offset>(a.size)));
    if (begin >= end) return;
    const int b_begin = b.first + static_cast<int>(max(row.b_begin - b_first, Offset{0})),
              b_end = b.first + static_cast<int>(min(row.b_end - b_first, static_cast<Offset>(b.size)));
    m.slices[begin] = pack(b_begin - begin, b_end);
    atomicOr(m.starts + begin / 32, 1u << begin % 32);
#pragma unroll 1
    for (int word = begin / 32 + 1; word * 32 < end; ++word)
        m.running[word] = static_cast<std::uint16_t>(begin);
}

/// Brings the columns and the rows of a tile to shared memory. All that a thread reads first it asks for at once.
template <class Offsets>
__device__ void bring_tile(tile_memory& m, const device_side& a, const device_side& b, index_t rows,
                           const plan::ewise_cut& from, index_t last_row, tile_slice of_a, tile_slice of_b) {
    const int t = static_cast<int>(threadIdx.x), row_count = min(last_row, rows - 1) - from.row + 1;
    const int a_lead = of_a.first, b_lead = of_b.first % 4, b_to = of_b.first - b_lead;
    const index_t *a_at = a.columns + from.a - a_lead, *b_at = b.columns + from.b - b_lead;
    const Offsets a_offsets(a.offsets), b_offsets(b.offsets);
    int4 first_a, first_b;
    row_bounds<decltype(a_offsets[0])> row;
    if (t * 4 < a_lead + of_a.size) first_a = load_four(a_at + t * 4);
    if (t * 4 < b_lead + of_b.size) first_b = load_four(b_at + t * 4);
    if (t < row_count) row = bounds_of(a_offsets, b_offsets, offset_t{from.row} + t);
    if (t * 4 < a_lead + of_a.size) *reinterpret_cast<int4*>(m.columns + t * 4) = first_a;
    if (t * 4 < b_lead + of_b.size) *reinterpret_cast<int4*>(m.columns + b_to + t * 4) = first_b;
    if (t < row_count) note_row(m, row, from, of_a, of_b);
    bring_rest(m.columns, a_at, a_lead + of_a.size);
    bring_rest(m.columns + b_to, b_at, b_lead + of_b.size);
    for (int r = t + path_block; r < row_count; r += path_block)
        note_row(m, bounds_of(a_offsets, b_offsets, offset_t{from.row} + r), from, of_a, of_b);
}

// A mark of an entry of the path: bit 0 where it is A's, bit 4 where it has its equal on the other side.
constexpr std::uint8_t mark_of_a = 0x01, mark_paired = 0x10;

/// An entry of A, `path` entries into the tile's path, and whether it has its equal.
__device__ void mark(tile_memory& m, int path, bool paired) {
    std::uint8_t* const at = m.marks + mark_lead + path;
    at[0] = paired ? mark_of_a | mark_paired : mark_of_a;
    if (paired) at[1] = mark_paired;
}

/// Where the row begins that A's entry at `place` is of, of whose word `starts` are the first entries of rows.
__device__ int row_start(const tile_memory& m, std::uint32_t starts, int place) {
    const std::uint32_t begun = starts & ((2u << place % 32u) - 1);
    return begun ? (place | 31) - __clz(static_cast<int>(begun)) : m.running[place / 32u];
}

/// Marks one entry of A, in rows whose columns may repeat: the k-th of a run is paired with B's k-th.
__device__ void mark_repeated(tile_memory& m, int place, int origin) {
    const int start = row_start(m, m.starts[place / 32u], place);
    const row_slice slice = unpack(m.slices[start]);
    const index_t column = m.columns[place];
    const int k = place - lower_place(m.columns, start, place, column);
    const int first = lower_place(m.columns, start + slice.shift, slice.end, column), equal = first + k;
    const bool paired = equal < slice.end && m.columns[equal] == column;
    mark(m,
         place + (paired ? equal : lower_place<true>(m.columns, first, min(equal, slice.end), column)) -
             origin,
         paired);
}

/// Neighbours of A that a thread looks for at once.
constexpr int looks = 4;
/// Entries that two slices may differ by for their rows to be tried for equal columns.
constexpr int alike_difference = 4;

/// Finds four neighbours of A in the parts of B's rows from `low` up to `ends`, and marks them. All four are halved together
/// whatever they find, so that a warp's lanes stay together as well. Places are counted in bytes: no address to work out.
__device__ void mark_found(tile_memory& m, int path, const index_t (&columns)[looks], int (&low)[looks],
                           const int (&ends)[looks]) {
    constexpr int bytes = sizeof(index_t);
    const auto column_at = [&](int place) {
        return *reinterpret_cast<const index_t*>(reinterpret_cast<const char*>(m.columns) + place);
    };
    int size[looks], end[looks];
#pragma unroll
    for (int k = 0; k < looks; ++k) {
        size[k] = ends[k] - low[k];
        low[k] *= bytes;
        end[k] = ends[k] * bytes;
    }
    while (static_cast<unsigned>(size[0] | size[1] | size[2] | size[3]) > 1) {
#pragma unroll
        for (int k = 0; k < looks; ++k) {
            const int half = size[k] >> 1, middle = low[k] + half * bytes;
            if (column_at(middle - bytes) < columns[k]) low[k] = middle;
            size[k] -= half;
        }
    }
#pragma unroll
    for (int k = 0; k < looks; ++k)
        if (low[k] < end[k] && column_at(low[k]) < columns[k]) low[k] += bytes;
#pragma unroll
    for (int k = 0; k < looks; ++k)
        mark(m, path + k + static_cast<int>(static_cast<unsigned>(low[k]) / bytes),
             low[k] < end[k] && column_at(low[k]) == columns[k]);
}

/// Finds each entry of A among B's of its row, and marks the path. A thread takes four neighbours. Those before A's slice and
/// behind it are marked before the path and behind it.
__device__ void mark_path(tile_memory& m, tile_slice a, tile_slice b) {
    const int end = a.first + a.size, b_end = b.first + b.size, origin = a.first + b.first;
    // Rows with the same columns on both sides come in slices of the same length.
    const bool alike = abs(a.size - b.size) <= alike_difference;
    const auto unsigned_size = static_cast<unsigned>(a.size);
    for (int place = static_cast<int>(threadIdx.x) * looks; place < end; place += path_block * looks) {
        const int4 four = *reinterpret_cast<const int4*>(m.columns + place);
        const index_t columns[looks] = {four.x, four.y, four.z, four.w};
        std::uint32_t starts = m.starts[place / 32u];
        int start = 0;
        row_slice slice{b.first, b.first};
        index_t previous = 0, other = 0;
        if (place >= a.first) {
            start = row_start(m, starts, place);
            slice = unpack(m.slices[start]);
            if (place > start) {
                previous = m.columns[place - 1];
                if (alike) other = m.columns[min(place + slice.shift, slice.end) - 1];
            }
        }
        starts >>= place % 32u;
        int low[looks], ends[looks], equal[looks];
        bool repeats = false, found = alike;
#pragma unroll
        for (int k = 0; k < looks; ++k) {
            const bool first = starts >> k & 1;
            if (first) {
                start = place + k;
                slice = unpack(m.slices[start]);
            }
            low[k] = start + slice.shift;
            ends[k] = slice.end;
            repeats |= !first && previous == columns[k];
            previous = columns[k];
            if (!alike) continue;
            equal[k] = place + k + slice.shift;
            const index_t there = m.columns[min(equal[k], slice.end)];
            const bool hit = equal[k] < slice.end && there == columns[k] && (first || other != there);
            found = found && (hit || static_cast<unsigned>(place + k - a.first) >= unsigned_size);
            other = there;
        }
        if (place < a.first || place + looks > end) {
#pragma unroll
            for (int k = 0; k < looks; ++k) {
                if (place + k < a.first) equal[k] = b.first - mark_trail;
                if (place + k >= end) low[k] = ends[k] = b_end, equal[k] = b_end + mark_trail;
            }
        }
        if (repeats) {
#pragma unroll 1
            for (int k = max(a.first - place, 0); k < min(end - place, looks); ++k)
                mark_repeated(m, place + k, origin);
        } else if (found) {
#pragma unroll
            for (int k = 0; k < looks; ++k) mark(m, place + k + equal[k] - origin, true);
        } else {
            mark_found(m, place - origin, columns, low, ends);
        }
    }
}

/// Which of a word's entries, of which `size` are left, are results. Of a pair it is A's.
__device__ std::uint32_t results_of(set_operation operation, std::uint32_t of_a, std::uint32_t paired,
                                    int size) {
    const std::uint32_t valid = size >= 32 ? ~0u : size > 0 ? (1u << size) - 1 : 0;
    const std::uint32_t results = operation == set_operation::unite       ? of_a | ~paired
                                  : operation == set_operation::intersect ? of_a & paired
                                  : operation == set_operation::subtract  ? of_a & ~paired
                                                                          : ~paired;
    return results & valid;
}

/// Bits 0 of four marks, side by side in bits 0 to 3, and their bits 4 in bits 4 to 7.
__device__ std::uint32_t pack_marks(std::uint32_t four) { return four * 0x01020408u >> 24; }

/// Packs the marks into words (eight a thread, so four lanes a word), counts, and leaves all in the workspace.
__device__ void keep_words(tile_memory& m, set_operation operation, int size,
                           const plan::ewise_parts& parts) {
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, word = t / 4;
    const uint2 marks = reinterpret_cast<const uint2*>(m.marks + mark_lead)[t];
    const std::uint32_t four = pack_marks(marks.x), next_four = pack_marks(marks.y);
    // Eight bits of each kind; with the neighbour's sixteen, with the next pair's the word's.
    std::uint32_t mine = (four & 15) | (next_four & 15) << 4 | (four & 0xf0) << 4 | (next_four & 0xf0) << 8;
    const std::uint32_t next = __shfl_xor_sync(full_warp, mine, 1);
    mine = lane % 2 ? __byte_perm(next, mine, 0x5140) : __byte_perm(mine, next, 0x5140);
    const std::uint32_t other = __shfl_xor_sync(full_warp, mine, 2);
    const std::uint32_t low = lane % 4 < 2 ? mine : other, high = lane % 4 < 2 ? other : mine;
    plan::ewise_word w;
    w.of_a = __byte_perm(low, high, 0x5410);
    w.paired = __byte_perm(low, high, 0x7632);
    w.results = results_of(operation, w.of_a, w.paired, size - static_cast<int>(word * 32));
    const std::uint32_t own = __popc(w.of_a) | __popc(w.results) << 16;
    std::uint32_t upto = own;
    for (unsigned distance = 4; distance < 32; distance *= 2) {
        const std::uint32_t below = __shfl_up_sync(full_warp, upto, distance);
        if (lane >= distance) upto += below;
    }
    if (lane == 31) m.totals[warp] = upto;
    __syncthreads();
    upto += __reduce_add_sync(full_warp, lane < warp ? m.totals[lane] : 0u);
    w.before = upto - own;
    const offset_t tile = blockIdx.x;
    if (lane % 4 == 0) parts.words[tile * plan::ewise_tile_words + word] = w;
    if (t == path_block - 1) {
        const int results = static_cast<int>(upto >> 16);
        parts.results[tile] = results;
        atomicAdd(reinterpret_cast<unsigned long long*>(parts.group_results + tile / plan::ewise_group_tiles),
                  static_cast<unsigned long long>(results));
    }
}

template <class Offsets>
__global__ void __launch_bounds__(path_block, count_blocks_an_sm)
    balanced_path_count_kernel(device_side a, device_side b, index_t rows, set_operation operation,
                               plan::ewise_parts parts) {
    static_assert(plan::ewise_tile_entries == path_block * 8);
    __shared__ tile_memory m;
    const int t = static_cast<int>(threadIdx.x);
    if (t <= plan::ewise_tile_words) m.starts[t] = 0;
    reinterpret_cast<uint2*>(m.marks + mark_lead)[t] = {0, 0};
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    const plan::ewise_cut from = parts.cuts[blockIdx.x], to = parts.cuts[blockIdx.x + 1];
    const int a_size = static_cast<int>(to.a - from.a), b_size = static_cast<int>(to.b - from.b);
    const tile_slice of_a{lead_of(a.columns + from.a), a_size};
    const tile_slice of_b{(a_size + 6) / 4 * 4 + lead_of(b.columns + from.b), b_size};
    __syncthreads();
    bring_tile<Offsets>(m, a, b, rows, from, to.row, of_a, of_b);
    __syncthreads();
    mark_path(m, of_a, of_b);
    __syncthreads();
    keep_words(m, operation, a_size + b_size, parts);
}

/// The results before each tile: a block a group, a thread a tile.
__global__ void __launch_bounds__(path_block)
    balanced_path_start_kernel(offset_t tiles, plan::ewise_parts parts) {
    using scan = cub::BlockScan<int, path_block>;
    using sum = cub::BlockReduce<offset_t, path_block>;
    __shared__ typename scan::TempStorage of_group;
    __shared__ typename sum::TempStorage of_groups;
    __shared__ offset_t earlier;
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    const offset_t tile = offset_t{blockIdx.x} * path_block + threadIdx.x;
    const int results = tile < tiles ? parts.results[tile] : 0;
    offset_t groups = 0;
    for (unsigned g = threadIdx.x; g < blockIdx.x; g += path_block) groups += parts.group_results[g];
    groups = sum(of_groups).Sum(groups);
    if (threadIdx.x == 0) earlier = groups;
    int before = 0;
    scan(of_group).ExclusiveSum(results, before);
    __syncthreads();
    if (tile <= tiles) parts.starts[tile] = earlier + before;
}

}  // namespace

void balanced_path_count(const device_ewise_arguments& k, void* stream) {
    const offset_t tiles = plan::ewise_tiles(k.rows, k.a_entries, k.b_entries);
    const plan::ewise_parts parts(k.workspace, tiles);
    const device_side a(k.a), b(k.b);
    const auto on = static_cast<cudaStream_t>(stream);
    const auto blocks = [](offset_t n) { return static_cast<unsigned>(n); };
    balanced_path_cut_kernel<<<blocks(tiles / (path_block / cut_lanes) + 1), path_block, 0, on>>>(
        a, b, k.rows, k.a_entries + k.b_entries + k.rows, tiles, parts);
    const auto count = a.offsets.wide || b.offsets.wide ? balanced_path_count_kernel<device_offsets>
                                                        : balanced_path_count_kernel<narrow_offsets>;
    check(cudaGetLastError());
    launch_close(count, blocks(tiles), path_block, on, true, a, b, k.rows, k.operation, parts);
    launch_close(balanced_path_start_kernel, blocks(tiles / plan::ewise_group_tiles + 1), path_block, on,
                 true, tiles, parts);
}

}  // namespace nz::kernels::cuda
