// select/rows on a GPU: the entries of a matrix whose place or value compares with a number as asked.
//
// Who owns what: a warp has a tile of 1,024 entries, whatever rows they are in, and leaves a bit for each that is kept, and how many
//   its words have before them; a scan of the tiles' counts gives every entry kept its place. Rows have theirs from the same bits:
//   how many are kept before the row begins. So no row is counted, and long and empty ones cost what others do.
// Rows are looked for only where the place is compared: the tile's first by 32 rows a look, the others by the bits at which they begin.
// Shared memory (there): 4 bytes an entry of the tiles under way, for the rows that begin in them.
// Memory: columns and values that are compared, once; columns and values that are kept, twice; 48 bits for 32 entries, written once and
//   read twice; offsets once and the new ones. Sync: launches. Determinism: nothing is summed.
// Workspace: plan::select_workspace, a fifth of a byte an entry, and the scan's.
// Why the CPU's was not enough: the matrix would go to the host and back, and its function is called entry by entry.
#include "kernels/cuda/select/common_flags.cuh"
#include "kernels/cuda/select/rows.cuh"
#include "kernels/select_compare.hpp"

#include <type_traits>

namespace nz::kernels::cuda {
namespace {

using select_detail::block, select_detail::words_a_tile;

struct by_place : place_compares {
    static constexpr bool needs_row = true, needs_column = true;
};
template <class T>
struct by_value : value_compares<T> {
    static constexpr bool needs_row = false, needs_column = false;
};

struct no_value {};

// Columns and values that are kept, moved to their places; `U`: as wide as a value.
template <class U>
__global__ void __launch_bounds__(block) move_entries(device_select_arguments k, plan::select_parts parts) {
    const offset_t tile = offset_t{blockIdx.x} * (block / 32) + threadIdx.x / 32;
    if (tile >= plan::select_tiles(k.entries)) return;
    const unsigned lane = threadIdx.x % 32;
    const offset_t first = tile * words_a_tile, begin = tile * plan::select_tile, start = parts.starts[tile];
    const unsigned mine = parts.words[first + lane], mine_before = parts.before[first + lane];
#pragma unroll 4
    for (int w = 0; w < words_a_tile; ++w) {
        const unsigned word = __shfl_sync(full_warp, mine, w),
                       before = __shfl_sync(full_warp, mine_before, w);
        if (word >> lane & 1) {
            const offset_t from = begin + w * plan::select_word + lane,
                           to = start + before + __popc(word & ((1u << lane) - 1));
            const index_t column = __ldg(k.columns + from);
            k.out_columns[to] = k.place_of ? __ldg(k.place_of + column) : column;
            if constexpr (!std::is_same_v<U, no_value>)
                static_cast<U*>(k.out_values)[to] = static_cast<const U*>(k.values)[from];
        }
    }
}

// A thread has a row's offset.
__global__ void __launch_bounds__(block) move_offsets(device_select_arguments k, plan::select_parts parts) {
    const offset_t row = offset_t{blockIdx.x} * block + threadIdx.x;
    if (row > k.rows) return;
    const offset_t begin = device_offsets{k.offsets.data, k.offsets.wide}[row];
    offset_t place = parts.starts[begin / plan::select_tile];
    if (begin < k.entries) {
        const offset_t word = begin / plan::select_word;
        place += parts.before[word] + __popc(parts.words[word] & ((1u << begin % plan::select_word) - 1));
    } else {
        place = parts.starts[plan::select_tiles(k.entries)];
    }
    if (k.wide)
        static_cast<std::int64_t*>(k.out_offsets)[row] = place;
    else
        static_cast<std::int32_t*>(k.out_offsets)[row] = static_cast<std::int32_t>(place);
}

template <class U>
void move(const device_select_arguments& k, const plan::select_parts& parts, cudaStream_t on) {
    if (k.entries > 0) move_entries<U><<<select_detail::blocks_of_tiles(k.entries), block, 0, on>>>(k, parts);
}

}  // namespace

std::size_t select_scan_bytes(offset_t entries) {
    std::size_t bytes = 0;
    offset_t* const none = nullptr;
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, none, none, plan::select_tiles(entries)));
    return bytes;
}

void select_rows_count(const device_select_arguments& k, void* stream) {
    if (k.op < index_unary_id::valueeq)
        return select_detail::count(k, by_place{{k.op, from_element<std::int64_t>(k.thunk)}}, stream);
    dispatch(k.type, [&]<class T>(std::type_identity<T>) {
        select_detail::count(
            k, by_value<T>{{k.op, from_element<T>(k.thunk), static_cast<const T*>(k.values)}}, stream);
    });
}

void select_fill(const device_select_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const plan::select_parts parts(k.workspace, k.entries);
    switch (k.out_values ? size_of(k.type) : 0) {
        case 0:
            move<no_value>(k, parts, on);
            break;
        case 1:
            move<std::uint8_t>(k, parts, on);
            break;
        case 2:
            move<std::uint16_t>(k, parts, on);
            break;
        case 4:
            move<std::uint32_t>(k, parts, on);
            break;
        default:
            move<std::uint64_t>(k, parts, on);
    }
    move_offsets<<<static_cast<unsigned>((k.rows + offset_t{block}) / block), block, 0, on>>>(k, parts);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
