// A product on a CPU and a GPU together: how finely rows are handed out.
#pragma once

#include "plan/mxm_device_workspace.hpp"

#include <algorithm>

namespace nz::plan {

/// Pieces of equal products. At the end the slower side may have one piece, the GPU two on their way, still to do.
inline constexpr int hybrid_pieces = 128;
/// Pieces that the GPU takes at once while so many are left. (One by one it took 161 ms to fill
/// rmat_directed:17,8 with nothing for the CPU, so 72.)
constexpr std::size_t hybrid_turn(std::size_t left) { return std::max<std::size_t>(1, left / 4); }
/// Entries that leave the GPU together: a quarter of all, as far as a slot goes.
inline offset_t hybrid_slot(offset_t entries, std::size_t entry_bytes) {
    return std::clamp<offset_t>(entries / 4, 1, static_cast<offset_t>(mxm_slot_bytes / entry_bytes));
}
/// One thread waits for the GPU.
inline int hybrid_threads(int threads) { return std::max(1, threads - 1); }

/// Rows of bands (matam2012): the share of the CPU's where it takes alpha R for all of R products and the GPU beta R, and gamma S for
/// its S entries to cross the link, one after the other.
inline double band_share(double alpha, double beta, double gamma, double products, double entries) {
    const double gpu = beta * products + gamma * entries;
    return gpu / (alpha * products + gpu);
}
/// The same where computing and crossing overlap.
inline double band_share_overlapped(double alpha, double beta, double gamma, double products,
                                    double entries) {
    const double gpu = std::max(beta * products, gamma * entries);
    return gpu / (alpha * products + gpu);
}

}  // namespace nz::plan
