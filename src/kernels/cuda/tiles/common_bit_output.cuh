// What a warp has found of bit tiles: kept in shared memory until there is enough of it, then written side by side to a place
// that one addition to the arrays' counts gives.
#pragma once

#include "kernels/cuda/tiles/common_walk.cuh"
#include "kernels/device_tiles.hpp"
#include "storage/bit_tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace nz::kernels::cuda {

template <int Size>
using word_type = std::conditional_t<Size == 64, std::uint64_t, std::uint32_t>;
template <int Size>
using header_type = storage::tile_header<word_type<Size>>;

/// Words of a warp that wait for their place. (Of 640 a block's shared memory lets fewer blocks run at a time: grid2d:2000,0.3
/// 0.098 ms for 0.092, H100, the prototype.)
constexpr unsigned waiting_words = 192;

/// Headers of a warp that do: more where rows of tiles have more.
inline unsigned waiting_headers(const device_bit_build& b) {
    const double average = static_cast<double>(b.room.tiles) / std::max(b.tile_rows, index_t{1});
    return average < 24 ? 48 : average < 48 ? 96 : 128;
}
template <int Size>
constexpr unsigned output_bytes(unsigned headers) {
    return waiting_words * sizeof(word_type<Size>) + headers * sizeof(header_type<Size>);
}

__device__ inline bool has_room(std::uint32_t at, std::uint32_t count, std::uint32_t room) {
    return count <= room && at <= room - count;
}

/// Adds to the counts; all lanes have what they were.
__device__ inline bit_counts take_places(const device_bit_build& b, std::uint32_t tiles,
                                         std::uint32_t words) {
    static_assert(offsetof(bit_counts, tiles) == 0 && offsetof(bit_counts, words) == 4);
    unsigned long long before = 0;
    if (threadIdx.x % 32 == 0)
        before = atomicAdd(reinterpret_cast<unsigned long long*>(b.counts),
                           static_cast<unsigned long long>(words) << 32 | tiles);
    before = __shfl_sync(full_warp, before, 0);
    return {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(before >> 32)};
}
__device__ inline std::uint32_t take_places_outside(const device_bit_build& b, std::uint32_t count) {
    std::uint32_t before = 0;
    if (threadIdx.x % 32 == 0) before = atomicAdd(&b.counts->outside, count);
    return __shfl_sync(full_warp, before, 0);
}

/// Words of a tile stand together, headers of a row of tiles too. All lanes call everything.
template <int Size>
class bit_output {
public:
    using word = word_type<Size>;
    using tile_range = storage::tile_range;
    const device_bit_build& b;
    const int lane = static_cast<int>(threadIdx.x % 32);
    tile_range mine{}, outside{};  ///< of the warp's row of tiles that has the lane's number

    __device__ bit_output(const device_bit_build& build, void* memory, unsigned most_headers)
        : b(build),
          words_(static_cast<word*>(memory)),
          headers_(reinterpret_cast<header_type<Size>*>(words_ + waiting_words)),
          most_headers_(most_headers) {}

    /// Row of tiles number k of the warp follows.
    __device__ void begin_row() {
        if (pending_ && (header_count_ > most_headers_ / 2 || word_count_ > waiting_words / 2)) flush();
        first_ = header_count_;
    }
    /// A tile whose row r * 32 + lane has the bits word[r]. Where headers have no room left, `more()` tells how many tiles the row
    /// of tiles has from this one on.
    template <class More>
    __device__ void put(unsigned column, const word (&bits)[Size / 32], int k, More&& more) {
        if (word_count_ > waiting_words - Size) flush_words();
        if (header_count_ == most_headers_) {
            if (reserved_ == none)
                reserve(more(), k);
            else
                flush();
        }
        const unsigned lower = (1u << lane) - 1;
        word occupied = 0, all = 0;
        unsigned next = word_count_;
        for (int r = 0; r < Size / 32; ++r) {
            const unsigned here = __ballot_sync(full_warp, bits[r] != 0);
            if (bits[r]) words_[next + __popc(here & lower)] = bits[r];
            next += __popc(here);
            occupied |= word{here} << (32 * r);
            all |= bits[r];
        }
        const word reach = warp_or(all);
        if (lane == 0) headers_[header_count_] = {column / Size, word_count_, occupied, reach};
        word_count_ = next;
        ++header_count_;
    }
    __device__ void end_row(int k) {
        if (reserved_ != none) {
            flush();
            reserved_ = none;
        } else {
            if (lane == k) mine = {first_, header_count_};
            pending_ |= 1u << k;
        }
    }
    /// At the end.
    __device__ void finish() {
        if (pending_) flush();
    }

private:
    word* words_;
    header_type<Size>* headers_;
    unsigned most_headers_, word_count_ = 0, header_count_ = 0;
    unsigned first_ = 0;             // header of the row of tiles
    unsigned fixed_ = 0;             // headers before it know where their words are
    unsigned pending_ = 0;           // rows of tiles whose ranges count from the first header that waits
    std::uint32_t reserved_ = none;  // where the next headers go, if that is known

    __device__ void flush() {
        bit_counts at = take_places(b, reserved_ == none ? header_count_ : 0, word_count_);
        if (reserved_ != none) at.tiles = reserved_, reserved_ += header_count_;
        write(at);
    }
    // For all headers of the row of tiles.
    __device__ void reserve(unsigned more, int k) {
        const bit_counts at = take_places(b, header_count_ + more, word_count_);
        reserved_ = at.tiles + header_count_;
        if (lane == k) mine = {at.tiles + first_, reserved_ + more};
        write(at);
        first_ = 0;
    }
    __device__ void write(const bit_counts& at) {
        __syncwarp();
        write_words(at.words);
        if (has_room(at.tiles, header_count_, b.room.tiles))
            for (unsigned h = lane; h < header_count_; h += 32) {
                header_type<Size> out = headers_[h];
                if (h >= fixed_) out.start += at.words;
                static_cast<header_type<Size>*>(b.headers)[at.tiles + h] = out;
            }
        if (pending_ >> lane & 1) mine.begin += at.tiles, mine.end += at.tiles;
        pending_ = header_count_ = fixed_ = 0;
        __syncwarp();
    }
    __device__ void flush_words() {
        const bit_counts at = take_places(b, 0, word_count_);
        __syncwarp();
        write_words(at.words);
        for (unsigned h = fixed_ + lane; h < header_count_; h += 32) headers_[h].start += at.words;
        fixed_ = header_count_;
        __syncwarp();
    }
    __device__ void write_words(std::uint32_t at) {
        if (has_room(at, word_count_, b.room.words))
            for (unsigned w = lane; w < word_count_; w += 32)
                static_cast<word*>(b.row_words)[at + w] = words_[w];
        word_count_ = 0;
    }
};

}  // namespace nz::kernels::cuda
