// What the kernels of mxd share on a GPU: neighbouring lanes that have a tile of columns, some of them each.
#pragma once

#include "algebra/before_first.hpp"
#include "algebra/cell.hpp"
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/device_mxd_arguments.hpp"
#include "plan/mxd_workspace.hpp"

#include <algorithm>
#include <cstring>

namespace nz::kernels::cuda {

/// How rows of B and C lie: anyhow; in aligned words of 16 bytes, of which a lane has all values or none; or in such words, and
/// nothing but whole tiles of them, so that no lane has to ask whether it has columns.
enum class tile_kind { loose, words, full };

/// A lane's columns of B and C: `Words` words of `PerWord` neighbours, with those of the `Lanes` lanes of its group side by side; the
/// grid's second dimension counts tiles.
template <class Cell, int Lanes, int Words, tile_kind Kind,
          int PerWord = plan::mxd_word_bytes / sizeof(typename Cell::value)>
class tile_lane {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static_assert(sizeof(T) == sizeof(V) && (sizeof(T) == 4 || sizeof(T) == 8));
    static constexpr int values = Words * PerWord, width = Lanes * values;

    __device__ explicit tile_lane(const mxd_arguments& a)
        : tile_(static_cast<index_t>(blockIdx.y) * width),
          left_(a.columns - tile_ - lane() * PerWord),
          b_step_(static_cast<unsigned>(a.b_row_step * offset_t{sizeof(T)})),
          c_step_(static_cast<unsigned>(a.c_row_step * offset_t{sizeof(V)})),
          b_(static_cast<const T*>(a.b) + (full || left_ > 0 ? tile_ + lane() * PerWord : 0)),
          c_(static_cast<V*>(a.c) + tile_ + lane() * PerWord) {}

    static __device__ int lane() { return static_cast<int>(threadIdx.x % Lanes); }
    index_t __device__ tile() const { return tile_; }
    /// Columns from the lane's first one to that of value v.
    static constexpr int column_of(int v) { return v / PerWord * between + v % PerWord; }
    /// Before the first product; for a row without any what it holds.
    static __device__ void reset(V (&sum)[values], bool empty = false) {
#pragma unroll
        for (int v = 0; v < values; ++v)
            sum[v] = empty ? algebra::identity_of<Cell::add_id, V>() : algebra::before_first<Cell>();
    }
    static __device__ void add(V (&sum)[values], const V (&x)[values]) {
#pragma unroll
        for (int v = 0; v < values; ++v) sum[v] = Cell::add(sum[v], x[v]);
    }
    static __device__ void add_product(V (&sum)[values], T a, const T (&b)[values]) {
#pragma unroll
        for (int v = 0; v < values; ++v) sum[v] = Cell::add(sum[v], Cell::multiply(a, b[v], 0, 0));
    }
    /// Row k of B.
    __device__ void load(index_t k, T (&x)[values]) const {
        const T* const row = row_at(b_, k, b_step_);
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            if constexpr (whole) {  // without columns too: what the group's first word is, and no branch
                const word found =
                    __ldg(reinterpret_cast<const word*>(row + (w == 0 || holds(w) ? w * between : 0)));
                memcpy(x + w * PerWord, &found, sizeof found);
            } else {
#pragma unroll
                for (int v = w * PerWord; v < (w + 1) * PerWord; ++v)
                    if (column_of(v) < left_) x[v] = __ldg(row + column_of(v));
            }
        }
    }
    /// Row i of C = x.
    __device__ void store(index_t i, const V (&x)[values]) const {
        V* const row = row_at(c_, i, c_step_);
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            if constexpr (whole) {
                word is;
                memcpy(&is, x + w * PerWord, sizeof is);
                if (holds(w)) __stcs(reinterpret_cast<word*>(row + w * between), is);
            } else {
#pragma unroll
                for (int v = w * PerWord; v < (w + 1) * PerWord; ++v)
                    if (column_of(v) < left_) row[column_of(v)] = x[v];
            }
        }
    }
    /// Row i of C = C (+) x.
    __device__ void add_to(index_t i, const V (&x)[values]) const {
        V sum[values];
        V* const row = row_at(c_, i, c_step_);
#pragma unroll
        for (int v = 0; v < values; ++v)
            if (full || column_of(v) < left_) sum[v] = Cell::add(row[column_of(v)], x[v]);
        store(i, sum);
    }

private:
    static constexpr bool whole = Kind != tile_kind::loose, full = Kind == tile_kind::full;
    static constexpr int between = Lanes * PerWord;  ///< columns from one of a lane's words to the next
    using word = std::conditional_t<PerWord * sizeof(T) == 16, uint4,
                                    std::conditional_t<PerWord * sizeof(T) == 8, uint2, unsigned>>;
    static_assert(!whole || sizeof(word) == PerWord * sizeof(T));

    __device__ bool holds(int w) const { return full || w * between < left_; }
    /// Steps are bytes and fit 32 bits (ops has turned what does not), so that an address is one multiplication.
    template <class X>
    static __device__ X* row_at(X* first, index_t row, unsigned step) {
        using byte = std::conditional_t<std::is_const_v<X>, const char, char>;
        return reinterpret_cast<X*>(reinterpret_cast<byte*>(first) +
                                    std::size_t{static_cast<unsigned>(row)} * step);
    }

    index_t tile_, left_;       ///< columns from the lane's first one on
    unsigned b_step_, c_step_;  ///< bytes
    const T* b_;
    V* c_;
};

inline __device__ device_offsets on_device(const offset_reader& r) { return {r.data, r.wide}; }

/// Whether all rows of B and C consist of aligned words of 16 bytes.
inline bool whole_words(const mxd_arguments& a, std::size_t value_bytes) {
    constexpr std::size_t word = plan::mxd_word_bytes;
    const auto aligned = [&](const void* data, offset_t step) {
        return reinterpret_cast<std::uintptr_t>(data) % word == 0 &&
               static_cast<std::size_t>(step) * value_bytes % word == 0;
    };
    return static_cast<std::size_t>(a.columns) * value_bytes % word == 0 && aligned(a.b, a.b_row_step) &&
           aligned(a.c, a.c_row_step);
}

/// Of one launch, whose grid counts tiles by its second dimension, up to 65,535.
inline constexpr index_t columns_a_launch = index_t{1} << 19;

/// f(arguments) for so many columns at a time.
template <class Cell, class F>
void for_columns(const device_mxd_arguments& a, F&& f) {
    for (offset_t first = 0; first < a.common.columns; first += columns_a_launch) {
        device_mxd_arguments part = a;
        part.common.columns =
            static_cast<index_t>(std::min(a.common.columns - first, offset_t{columns_a_launch}));
        part.common.b = static_cast<const typename Cell::operand*>(a.common.b) + first;
        part.common.c = static_cast<typename Cell::value*>(a.common.c) + first;
        f(part);
    }
}

/// Calls f.template operator()<Lanes, Words, Kind>(tiles) for the tile that suits the number of columns: at most `MostBytes` wide.
template <class Cell, int MostBytes, class F>
void with_tile(const mxd_arguments& a, F&& f) {
    constexpr int bytes = sizeof(typename Cell::value);
    const auto call = [&]<int Lanes, int Words, tile_kind Kind>() {
        constexpr int width = Lanes * Words * plan::mxd_word_bytes / bytes;
        f.template operator()<Lanes, Words, Kind>(static_cast<unsigned>((a.columns + width - 1) / width));
    };
    if (!whole_words(a, bytes)) return call.template operator()<plan::mxd_loose_lanes, 1, tile_kind::loose>();
    const auto call_whole = [&]<int Lanes, int Words>() {
        constexpr int width = Lanes * Words * plan::mxd_word_bytes / bytes;
        if (a.columns % width == 0 && !a.accumulates)
            return call.template operator()<Lanes, Words, tile_kind::full>();
        call.template operator()<Lanes, Words, tile_kind::words>();
    };
    switch (plan::mxd_tile_bytes(a.columns, bytes, MostBytes)) {
        case 64:
            return call_whole.template operator()<4, 1>();
        case 128:
            return call_whole.template operator()<8, 1>();
        case 256:
            return call_whole.template operator()<8, 2>();
        default:
            if constexpr (MostBytes > 256) call_whole.template operator()<16, 2>();
    }
}

}  // namespace nz::kernels::cuda
