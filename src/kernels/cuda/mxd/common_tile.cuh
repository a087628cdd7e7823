// What the kernels of mxd share on a GPU: neighbouring lanes that have a tile of columns, some of them each.
#pragma once

#include "algebra/before_first.hpp"
#include "algebra/cell.hpp"
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/device_mxd_arguments.hpp"
#include "plan/mxd_workspace.hpp"

#include <cstring>

namespace nz::kernels::cuda {

/// How rows of B and C lie: anyhow; in aligned words of 16 bytes, of which a lane has all values or none; or in such words, as
/// many as lanes, without gaps, so that addresses are known beforehand.
enum class tile_kind { loose, words, sole };

/// Columns [first, first + Values) of B and C, in one lane of `Lanes`; the grid's second dimension counts tiles.
template <class Cell, int Lanes, int Values, tile_kind Kind>
class tile_lane {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static_assert(sizeof(T) == sizeof(V) && (sizeof(T) == 4 || sizeof(T) == 8));
    static constexpr int width = Lanes * Values, values = Values;

    __device__ explicit tile_lane(const mxd_arguments& a)
        : tile_(sole ? 0 : static_cast<index_t>(blockIdx.y) * width),
          first_(tile_ + static_cast<index_t>(threadIdx.x % Lanes) * Values),
          held_(sole ? Values : max(0, min(Values, a.columns - first_))),
          b_step_(sole ? sizeof(T) * width : static_cast<unsigned>(a.b_row_step * offset_t{sizeof(T)})),
          c_step_(sole ? sizeof(V) * width : static_cast<unsigned>(a.c_row_step * offset_t{sizeof(V)})),
          b_(static_cast<const T*>(a.b) + (held_ > 0 ? first_ : 0)),
          c_(static_cast<V*>(a.c) + first_) {}

    index_t __device__ tile() const { return tile_; }
    /// Before the first product; for a row without any what it holds.
    static __device__ void reset(V (&sum)[Values], bool empty = false) {
#pragma unroll
        for (int v = 0; v < Values; ++v)
            sum[v] = empty ? algebra::identity_of<Cell::add_id, V>() : algebra::before_first<Cell>();
    }
    static __device__ void add(V (&sum)[Values], const V (&x)[Values]) {
#pragma unroll
        for (int v = 0; v < Values; ++v) sum[v] = Cell::add(sum[v], x[v]);
    }
    static __device__ void add_product(V (&sum)[Values], T a, const T (&b)[Values]) {
#pragma unroll
        for (int v = 0; v < Values; ++v) sum[v] = Cell::add(sum[v], Cell::multiply(a, b[v], 0, 0));
    }
    /// Row k of B.
    __device__ void load(index_t k, T (&x)[Values]) const {
        const T* const row = row_at(b_, k, b_step_);
        if constexpr (whole) {  // lanes without columns too, which ask for what others do: no branch
            word_to(__ldg(reinterpret_cast<const word*>(row)), x);
        } else {
#pragma unroll
            for (int v = 0; v < Values; ++v)
                if (v < held_) x[v] = __ldg(row + v);
        }
    }
    /// Row i of C = x.
    __device__ void store(index_t i, const V (&x)[Values]) const {
        V* const row = row_at(c_, i, c_step_);
        if constexpr (whole) {
            word w;
            memcpy(&w, x, sizeof w);
            if (sole || held_) __stcs(reinterpret_cast<word*>(row), w);
        } else {
#pragma unroll
            for (int v = 0; v < Values; ++v)
                if (v < held_) row[v] = x[v];
        }
    }
    /// Row i of C = C (+) x.
    __device__ void add_to(index_t i, const V (&x)[Values]) const {
        V sum[Values];
        V* const row = row_at(c_, i, c_step_);
#pragma unroll
        for (int v = 0; v < Values; ++v)
            if (v < held_) sum[v] = Cell::add(row[v], x[v]);
        store(i, sum);
    }

private:
    static constexpr bool whole = Kind != tile_kind::loose, sole = Kind == tile_kind::sole;
    using word = std::conditional_t<Values * sizeof(T) == 16, uint4,
                                    std::conditional_t<Values * sizeof(T) == 8, uint2, unsigned>>;
    static_assert(!whole || sizeof(word) == Values * sizeof(T));

    /// Steps are bytes and fit 32 bits (ops has turned what does not), so that an address is one multiplication.
    template <class X>
    static __device__ X* row_at(X* first, index_t row, unsigned step) {
        using byte = std::conditional_t<std::is_const_v<X>, const char, char>;
        return reinterpret_cast<X*>(reinterpret_cast<byte*>(first) +
                                    std::size_t{static_cast<unsigned>(row)} * step);
    }
    static __device__ void word_to(word w, T (&x)[Values]) { memcpy(x, &w, sizeof w); }

    index_t tile_, first_;
    int held_;
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

/// Calls f.template operator()<Lanes, Values, Kind>(tiles) for the tile that suits the number of columns.
template <class Cell, class F>
void with_tile(const mxd_arguments& a, F&& f) {
    constexpr int bytes = sizeof(typename Cell::value), values = plan::mxd_word_bytes / bytes;
    const auto call = [&]<int Lanes, tile_kind Kind>() {
        constexpr int width = Lanes * values;
        f.template operator()<Lanes, values, Kind>(static_cast<unsigned>((a.columns + width - 1) / width));
    };
    const auto call_whole = [&]<int Lanes>() {
        constexpr int width = Lanes * values;
        if (a.columns == width && a.b_row_step == width && a.c_row_step == width && !a.accumulates)
            return call.template operator()<Lanes, tile_kind::sole>();
        call.template operator()<Lanes, tile_kind::words>();
    };
    if (!whole_words(a, bytes)) return call.template operator()<plan::mxd_loose_lanes, tile_kind::loose>();
    switch (plan::mxd_tile_lanes(a.columns, bytes)) {
        case 4:
            return call_whole.template operator()<4>();
        case 8:
            return call_whole.template operator()<8>();
        case 16:
            return call_whole.template operator()<16>();
        default:
            return call_whole.template operator()<32>();
    }
}

}  // namespace nz::kernels::cuda
