// The partition and the count of ewise/balanced_path; the essay stands in balanced_path.cuh.
#include "kernels/cuda/ewise/common_count.hpp"
#include "kernels/cuda/ewise/common_path.cuh"
#include "kernels/cuda/schedule/balanced.cuh"

#include <utility>

namespace nz::kernels::cuda {

namespace {

/// A word of the path a thread: what it does once counts for as many entries as a word holds.
constexpr int count_block = plan::ewise_tile_words, count_warps = count_block / 32;
/// What shared memory allows.
constexpr int count_blocks_an_sm = 13;

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

// Columns and notes of a tile are read by their addresses in the block's shared memory, which have 16 bits: sums of them are
// all there is to work out.
constexpr int column_bytes = sizeof(index_t);
__device__ int address_of(const void* shared) { return static_cast<int>(__cvta_generic_to_shared(shared)); }
__device__ index_t column_at(int address) {
    index_t column;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(column) : "r"(address));
    return column;
}

/// The first address in [low, high) of an ascending list whose column does not lie before `column`; with `Beyond`, that
/// lies beyond it.
template <bool Beyond = false>
__device__ int lower_place(int low, int high, index_t column) {
    while (low < high) {
        const int middle = (low + high) >> 1 & ~(column_bytes - 1);
        const index_t here = column_at(middle);
        if (Beyond ? here <= column : here < column)
            low = middle + column_bytes;
        else
            high = middle;
    }
    return low;
}

/// Neighbours of the path that a thread takes.
constexpr int thread_entries = word_entries;
constexpr std::uint32_t word_mask = (1u << word_entries) - 1;
static_assert(count_block * thread_entries == plan::ewise_tile_entries);
/// Rows that a thread asks for before it waits.
constexpr int rows_ahead = 2;

// Of a row of the tile it is noted, where it begins in the tile's path, at which addresses it ends in A's slice and in B's; and
// of a word of the path, in which row it begins: that row's place in the path, and the address of its first entry of A. Rows without entries
// in the tile are not noted.
__device__ std::uint32_t two_of(int low, int high) { return static_cast<std::uint32_t>(low | high << 16); }
__device__ int low_of(std::uint32_t two) { return static_cast<int>(two & 0xffff); }
__device__ int high_of(std::uint32_t two) { return static_cast<int>(two >> 16); }

struct tile_memory {
    alignas(16) index_t columns[slices_room<index_t>];
    std::uint32_t ends[plan::ewise_tile_entries];   ///< of the row that begins there
    std::uint32_t starts[plan::ewise_tile_words];   ///< where rows begin, as bits
    std::uint32_t running[plan::ewise_tile_words];  ///< the row that the word begins in
    std::uint32_t totals[count_warps];
    arrival columns_here;
};

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

/// The rows of a tile, of which a thread asks for the next few before it notes those it has.
template <class Offsets>
struct tile_rows {
    using bounds = row_bounds<decltype(std::declval<Offsets>()[0])>;
    Offsets a, b;
    offset_t first;
    int count;

    __device__ void read(int r, bounds (&to)[rows_ahead]) const {
#pragma unroll
        for (int k = 0; k < rows_ahead; ++k, r += count_block)
            if (r < count) {
                const offset_t row = first + r;
                to[k] = {a[row], a[row + 1], b[row], b[row + 1]};
            }
    }
};

/// Notes a row; whether it has as many entries of A as of B here, if those before have.
template <class Offset>
__device__ bool note_row(tile_memory& m, const row_bounds<Offset>& row, const plan::ewise_cut& from,
                         tile_slice of_a, tile_slice of_b) {
    const auto a_first = static_cast<Offset>(from.a), b_first = static_cast<Offset>(from.b);
    const int a_begin = static_cast<int>(max(row.a_begin - a_first, Offset{0})),
              a_end = static_cast<int>(min(row.a_end - a_first, static_cast<Offset>(of_a.size))),
              b_begin = static_cast<int>(max(row.b_begin - b_first, Offset{0})),
              b_end = static_cast<int>(min(row.b_end - b_first, static_cast<Offset>(of_b.size))),
              begin = a_begin + b_begin, end = a_end + b_end;
    if (begin < end) {
        const int a = address_of(m.columns + of_a.first), b = address_of(m.columns + of_b.first);
        m.ends[begin] = two_of(a + a_end * column_bytes, b + b_end * column_bytes);
        const unsigned word_of_begin = static_cast<unsigned>(begin) / word_entries,
                       bit = static_cast<unsigned>(begin) % word_entries;
        atomicOr(m.starts + word_of_begin, 1u << bit);
#pragma unroll 1
        for (int word = static_cast<int>(word_of_begin + (bit > 0)); word * word_entries < end; ++word)
            m.running[word] = two_of(begin, a + a_begin * column_bytes);
    }
    return a_end == b_end;
}

/// Notes the rows of a tile; whether all that the thread saw are as long in A as in B. The thread's first are there already.
template <class Rows>
__device__ bool note_rows(tile_memory& m, const Rows& rows, typename Rows::bounds (&here)[rows_ahead],
                          const plan::ewise_cut& from, tile_slice of_a, tile_slice of_b) {
    bool alike = true;
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r < rows.count; r += rows_ahead * count_block) {
        typename Rows::bounds next[rows_ahead];
        rows.read(r + rows_ahead * count_block, next);
#pragma unroll
        for (int k = 0; k < rows_ahead; ++k) {
            if (r + k * count_block < rows.count) alike &= note_row(m, here[k], from, of_a, of_b);
            here[k] = next[k];
        }
    }
    return alike;
}

/// Whether a thread's share of the columns is the same on both sides, which are equally long.
__device__ bool same_columns(const tile_memory& m, tile_slice a, tile_slice b) {
    constexpr int turns = (plan::ewise_tile_entries / 2 + count_block - 1) / count_block;
    index_t differ = 0;
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
        const int k = static_cast<int>(threadIdx.x) + turn * count_block;
        if (k < a.size) differ |= m.columns[a.first + k] ^ m.columns[b.first + k];
    }
    return differ == 0;
}

/// Of a thread's neighbours, bit by bit: which are A's, and which have their equal on the other side.
struct path_bits {
    std::uint32_t of_a, paired;
};

/// A row's part of the tile: addresses in A's slice and in B's.
struct row_part {
    int a_begin, a_end, b_begin, b_end;
};
/// Where the path has come to: the next of A and of B, and whether it stands between the two of a pair.
struct path_place {
    int a, b;
    bool in_pair;
};
/// The place in a row whose addresses in A and B sum up to `both`, among entries equal to `column` of which one side has more
/// than one: pairs come first, then what the longer side has left.
__device__ path_place place_in_run(const row_part& row, int both, index_t column) {
    const int a_first = lower_place(row.a_begin, row.a_end, column),
              b_first = lower_place(row.b_begin, row.b_end, column),
              a_length = lower_place<true>(a_first, row.a_end, column) - a_first,
              b_length = lower_place<true>(b_first, row.b_end, column) - b_first;
    const int of_run = both - a_first - b_first, pairs = min(a_length, b_length);
    if (of_run < 2 * pairs) {
        const bool in_pair = of_run / column_bytes % 2 != 0;
        const int half = (of_run - (in_pair ? column_bytes : 0)) / 2;
        return {a_first + half + (in_pair ? column_bytes : 0), b_first + half, in_pair};
    }
    return a_length > b_length ? path_place{a_first + of_run - pairs, b_first + pairs, false}
                               : path_place{a_first + pairs, b_first + of_run - pairs, false};
}
/// The place in a row whose addresses in A and B sum up to `both`: by bisection.
__device__ path_place place_in_row(const row_part& row, int both) {
    int low = max(row.a_begin, both - row.b_end), high = min(both - row.b_begin, row.a_end);
    while (low < high) {
        const int middle = (low + high) >> 1 & ~(column_bytes - 1);
        if (column_at(middle) <= column_at(both - column_bytes - middle))
            low = middle + column_bytes;
        else
            high = middle;
    }
    const path_place place{low, both - low, false};
    if (place.a == row.a_begin || place.b == row.b_end) return place;
    const index_t column = column_at(place.b);
    if (column_at(place.a - column_bytes) != column) return place;
    const bool repeats =
        (place.a - column_bytes > row.a_begin && column_at(place.a - 2 * column_bytes) == column) ||
        (place.a < row.a_end && column_at(place.a) == column) ||
        (place.b > row.b_begin && column_at(place.b - column_bytes) == column);
    return repeats ? place_in_run(row, both, column) : path_place{place.a, place.b, true};
}

/// Goes on to the next column of A or of B, and sets a bit if it was A: five instructions, where a branch of the language becomes
/// ten.
__device__ void step_over(bool of_a, path_place& at, index_t& a_column, index_t& b_column,
                          std::uint32_t& bits, std::uint32_t bit) {
    asm volatile(
        "{.reg .pred of_a;\n\t"
        "setp.ne.s32 of_a, %5, 0;\n\t"
        "@of_a add.s32 %0, %0, 4;\n\t"
        "@of_a ld.shared.b32 %1, [%0];\n\t"
        "@!of_a add.s32 %2, %2, 4;\n\t"
        "@!of_a ld.shared.b32 %3, [%2];\n\t"
        "@of_a or.b32 %4, %4, %6;}"
        : "+r"(at.a), "+r"(a_column), "+r"(at.b), "+r"(b_column), "+r"(bits)
        : "r"(static_cast<int>(of_a)), "r"(bit));
}

/// Merges the entries of the path that are the thread's: finds where they begin, in the row that holds them, then takes one a
/// step.
__device__ path_bits merge_some(const tile_memory& m, tile_slice of_a, tile_slice of_b) {
    const int at = static_cast<int>(threadIdx.x) * thread_entries;
    if (at >= of_a.size + of_b.size) return {};
    // The addresses of the next of A and of B less the bytes of the path before them are always the same.
    const int ends = address_of(m.ends + at),
              both = 2 * address_of(m.columns) + (of_a.first + of_b.first) * column_bytes;
    const std::uint32_t running = m.running[threadIdx.x], starts = m.starts[threadIdx.x];
    const int row = low_of(running), a_begin = high_of(running);
    const std::uint32_t its_ends = m.ends[row];
    const row_part part{a_begin, low_of(its_ends), both + row * column_bytes - a_begin, high_of(its_ends)};
    path_place place = place_in_row(part, both + at * column_bytes);
    index_t a_column = column_at(place.a), b_column = column_at(place.b);
    int a_end = part.a_end, b_end = part.b_end;
    path_bits found{0, place.in_pair ? 1u : 0u};
#pragma unroll
    for (int k = 0; k < thread_entries; ++k) {
        if (k > 0 && starts >> k & 1) {
            const auto next_ends = static_cast<std::uint32_t>(column_at(ends + k * column_bytes));
            a_end = low_of(next_ends);
            b_end = high_of(next_ends);
        }
        const bool b_left = place.b < b_end;
        const bool takes_a = place.a < a_end && (!b_left || a_column <= b_column) && !place.in_pair;
        place.in_pair = takes_a && b_left && a_column == b_column;
        step_over(takes_a, place, a_column, b_column, found.of_a, 1u << k);
        if (place.in_pair) found.paired |= 3u << k;
    }
    return found;
}

/// Which of a word's entries, of which `size` are left, are results. Of a pair it is A's.
__device__ std::uint32_t results_of(set_operation operation, std::uint32_t of_a, std::uint32_t paired,
                                    int size) {
    const std::uint32_t valid = (1u << max(min(size, word_entries), 0)) - 1;
    const std::uint32_t results = operation == set_operation::unite       ? of_a | ~paired
                                  : operation == set_operation::intersect ? of_a & paired
                                  : operation == set_operation::subtract  ? of_a & ~paired
                                                                          : ~paired;
    return results & valid;
}

/// Counts the threads' words, and leaves all in the workspace.
__device__ void keep_words(tile_memory& m, path_bits bits, set_operation operation, int size,
                           const plan::ewise_parts& parts) {
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    plan::ewise_word w{bits.of_a, bits.paired, 0, 0};
    w.results = results_of(operation, w.of_a, w.paired, size - static_cast<int>(t) * word_entries);
    const std::uint32_t own = __popc(w.of_a) | __popc(w.results) << 16;
    std::uint32_t upto = own;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t below = __shfl_up_sync(full_warp, upto, distance);
        if (lane >= distance) upto += below;
    }
    if (lane == 31) m.totals[warp] = upto;
    __syncthreads();
    for (unsigned earlier = 0; earlier + 1 < count_warps; ++earlier)
        if (warp > earlier) upto += m.totals[earlier];
    w.before = upto - own;
    const offset_t tile = blockIdx.x;
    parts.words[tile * plan::ewise_tile_words + t] = w;
    if (t == count_block - 1) {
        const int results = static_cast<int>(upto >> 16);
        parts.results[tile] = results;
        atomicAdd(reinterpret_cast<unsigned long long*>(parts.group_results + tile / plan::ewise_group_tiles),
                  static_cast<unsigned long long>(results));
    }
}

template <class Offsets>
__global__ void __launch_bounds__(count_block, count_blocks_an_sm)
    balanced_path_count_kernel(device_side a, device_side b, index_t rows, set_operation operation,
                               plan::ewise_parts parts) {
    __shared__ tile_memory m;
    const int t = static_cast<int>(threadIdx.x);
    m.starts[t] = 0;
    if (t == 0) m.columns_here.start(2);
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    const plan::ewise_cut from = parts.cuts[blockIdx.x], to = parts.cuts[blockIdx.x + 1];
    const int a_size = static_cast<int>(to.a - from.a), b_size = static_cast<int>(to.b - from.b);
    const tile_slice of_a = slice_behind(0, a.columns + from.a, a_size),
                     of_b = slice_behind(of_a.first + a_size, b.columns + from.b, b_size);
    const tile_rows<Offsets> of_tile{Offsets(a.offsets), Offsets(b.offsets), from.row,
                                     min(to.row, rows - 1) - from.row + 1};
    typename tile_rows<Offsets>::bounds first_rows[rows_ahead];
    of_tile.read(t, first_rows);
    if (t == 0) {
        m.columns_here.send_for(m.columns, a.columns + from.a, of_a, a.entries - from.a);
        m.columns_here.close();
    } else if (t == 32) {
        m.columns_here.send_for(m.columns, b.columns + from.b, of_b, b.entries - from.b);
        m.columns_here.close();
    }
    __syncthreads();
    const bool alike = note_rows(m, of_tile, first_rows, from, of_a, of_b);
    m.columns_here.wait();
    __syncthreads();
    // Rows with the same columns on both sides need no search: A's entries are the even ones of the path, a word's the odd ones where
    // words before hold an odd number.
    path_bits bits{(t * word_entries % 2 ? 0xaaaaaaaa : 0x55555555) & word_mask, word_mask};
    if (a_size != b_size || !__syncthreads_and(alike && same_columns(m, of_a, of_b)))
        bits = merge_some(m, of_a, of_b);
    keep_words(m, bits, operation, a_size + b_size, parts);
}

}  // namespace

void balanced_path_count(const device_ewise_arguments& k, void* stream) {
    const offset_t tiles = plan::ewise_tiles(k.rows, k.a_entries, k.b_entries);
    const plan::ewise_parts parts(k.workspace, tiles);
    const device_side a(k.a, k.a_entries), b(k.b, k.b_entries);
    const auto on = static_cast<cudaStream_t>(stream);
    const auto blocks = [](offset_t n) { return static_cast<unsigned>(n); };
    balanced_path_cut_kernel<<<blocks(tiles / (path_block / cut_lanes) + 1), path_block, 0, on>>>(
        a, b, k.rows, k.a_entries + k.b_entries + k.rows, tiles, parts);
    const auto count = a.offsets.wide || b.offsets.wide ? balanced_path_count_kernel<device_offsets>
                                                        : balanced_path_count_kernel<narrow_offsets>;
    check(cudaGetLastError());
    launch_close(count, blocks(tiles), count_block, on, true, a, b, k.rows, k.operation, parts);
}

}  // namespace nz::kernels::cuda
