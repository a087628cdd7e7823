// A block's products of one step, dealt to the warps that own their places, where they are added in order.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

/// In shared memory. A place belongs to one warp of the block, so that sums need no order between warps.
template <class V>
class block_step {
public:
    /// Adds each product to the sum of its place, in the order of their numbers; place[u] < 0: none. All threads come.
    template <class Products>
    __device__ void add(const int (&place)[step_each], const V (&product)[step_each], V* sums) {
        const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32,
                  lane = static_cast<int>(threadIdx.x) % 32, each = products_each();
        int before[step_each], owner[step_each];
        unsigned peers[step_each];
        before_[warp][lane] = 0;
#pragma unroll
        for (int u = 0; u < step_each; ++u) {
            owner[u] = owner_of(place[u], warps);
            if (u < each) peers[u] = __match_any_sync(full_warp, place[u] < 0 ? -1 : owner[u]);
        }
        __syncwarp();  // the counts are 0
#pragma unroll
        for (int u = 0; u < step_each; ++u) {
            if (u >= each) break;
            const int below = __popc(peers[u] & ((1u << lane) - 1));
            if (place[u] >= 0) before[u] = before_[warp][owner[u]] + below;
            __syncwarp();
            if (place[u] >= 0 && below == 0)
                before_[warp][owner[u]] = static_cast<unsigned short>(before[u] + __popc(peers[u]));
            __syncwarp();
        }
        __syncthreads();
        // Warp w: how many of its products the warps before each have.
        const int theirs = lane < warps ? before_[lane][warp] : 0, up_to = sum_up_to<32>(theirs);
        if (lane < warps) before_[lane][warp] = static_cast<unsigned short>(up_to - theirs);
        if (lane == 31) totals_[warp] = up_to;
        __syncthreads();
        const int total = lane < warps ? totals_[lane] : 0, begin = sum_up_to<32>(total) - total;
#pragma unroll
        for (int u = 0; u < step_each; ++u) {
            const int of_owner = __shfl_sync(full_warp, begin, owner[u]);
            if (place[u] >= 0) before[u] += of_owner + before_[warp][owner[u]];
        }
#pragma unroll
        for (int u = 0; u < step_each; ++u) {
            if (place[u] < 0) continue;
            places_[before[u]] = place[u];
            products_[before[u]] = product[u];
        }
        __syncthreads();
        const int mine = __shfl_sync(full_warp, begin, warp), count = __shfl_sync(full_warp, total, warp);
        add_in_order<Products>(mine, mine + count, sums);
    }

private:
    /// Neighbours go to different warps: the first places are often those that most products meet at.
    __device__ static int owner_of(int place, int warps) {
        return (place ^ place >> 4 ^ place >> 8) & (warps - 1);
    }

    // Of 32 products at a time the first of each place adds those after it, some of them read at once.
    template <class Products>
    __device__ void add_in_order(int begin, int end, V* sums) const {
        constexpr int at_once = 4;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const auto place_at = [&](int n) { return n < end ? places_[n] : -1 - lane; };
        int next_place = place_at(begin + lane);
        unsigned next_peers = __match_any_sync(full_warp, next_place);
        for (int base = begin; base < end; base += 32) {
            const int place = next_place;
            const unsigned peers = next_peers;
            const bool first = place >= 0 && (peers & ((1u << lane) - 1)) == 0;
            unsigned left = first ? peers : 0;
            V sum{};
            if (first) sum = sums[place];
            next_place = place_at(base + 32 + lane);
            next_peers = __match_any_sync(full_warp, next_place);
            for (int turns = __reduce_max_sync(full_warp, __popc(left)); turns > 0; turns -= at_once) {
                V products[at_once];
                unsigned some = left;
#pragma unroll
                for (int i = 0; i < at_once; ++i) {
                    products[i] = products_[base + max(__ffs(static_cast<int>(some)) - 1, 0)];
                    some &= some - 1;
                }
#pragma unroll
                for (int i = 0; i < at_once; ++i) {
                    if (left) Products::add(sum, products[i]);
                    left &= left - 1;
                }
            }
            if (first) sums[place] = sum;
            __syncwarp();
        }
    }

    V products_[step_products];
    int places_[step_products];
    unsigned short before_[wide_row_block / 32][32];
    int totals_[32];
};

}  // namespace nz::kernels::cuda
