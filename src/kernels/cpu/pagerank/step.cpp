// pagerank/step: what a step of PageRank does to its vectors once edges have carried ranks along (Brin and Page, 1998).
//
// Computes: r' = t + (1 - sum t) p, y' = scale r', and sum |r' - r|, in one pass; also d sum r' over vertices with edges out,
//   which is what the next t sums up to when every row takes part in it. Where some did not (the adaptive form), a pass of its own
//   takes the sum of t first.
// Who owns what: even pieces of blocks of 2,048 places, the same for both passes; a block's sums go to its own place and are
//   added in order.
// Within a block eight partial sums run side by side (place i to sum i mod 8), in double whatever the vectors' type.
// Memory: t, r, p and scale once; r and y written once. Workspace: two doubles a block. Sync: a join a pass.
// Determinism: the order depends on the size alone: the same bits with any number of threads.
// Why ewise, apply and reduce were not enough: seven passes, of which five read what the one before wrote.
#include "kernels/cpu/pagerank/step.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nz::kernels::cpu {
namespace {

constexpr int lanes = 8;

/// A block's sums, eight of each side by side.
struct lane_sums {
    double moved[lanes] = {}, carried[lanes] = {};
};

/// add(i, l, sums) over all places, which adds to lane l what it likes: block by block, and the blocks in order.
template <class Add>
pagerank_sums sum_blocks(const pagerank_step_arguments& k, Add&& add) {
    const offset_t blocks = (k.size + pagerank_block - 1) / pagerank_block;
    constexpr offset_t serial_below = 8;
    const auto sum = [&](offset_t first, offset_t last) {
        for (offset_t block = first; block < last; ++block) {
            const offset_t end = std::min(k.size, (block + 1) * pagerank_block);
            lane_sums part;
            offset_t i = block * pagerank_block;
            for (; i + lanes <= end; i += lanes)
                for (int l = 0; l < lanes; ++l) add(i + l, l, part);
            for (int l = 0; i < end; ++i, ++l) add(i, l, part);
            pagerank_sums& all = k.parts[block];
            all = {part.moved[0], part.carried[0]};
            for (int l = 1; l < lanes; ++l) all.moved += part.moved[l], all.carried += part.carried[l];
        }
    };
    parallel::for_pieces(k.threads, blocks, sum, 1, serial_below);
    pagerank_sums total{};
    for (offset_t block = 0; block < blocks; ++block)
        total.moved += k.parts[block].moved, total.carried += k.parts[block].carried;
    return total;
}

template <class T, bool HasStart, bool KeepsMoves>
void run(const pagerank_step_arguments& k) {
    const T *t = static_cast<const T*>(k.carried), *p = static_cast<const T*>(k.start),
            *scale = static_cast<const T*>(k.scale);
    T *r = static_cast<T*>(k.ranks), *y = static_cast<T*>(k.scaled), *moved = static_cast<T*>(k.moved);
    const double sum = k.sum_known ? k.sum : sum_blocks(k, [&](offset_t i, int l, lane_sums& sums) {
                                                 sums.carried[l] += static_cast<double>(t[i]);
                                             }).carried;
    const double rest = 1 - sum;
    const T share = static_cast<T>(HasStart ? rest : rest / static_cast<double>(k.size));
    *k.sums = sum_blocks(k, [&](offset_t i, int l, lane_sums& sums) {
        const T next = t[i] + (HasStart ? share * p[i] : share), change = std::abs(next - r[i]);
        r[i] = next;
        y[i] = next * scale[i];
        if constexpr (KeepsMoves) moved[i] = change;
        sums.moved[l] += static_cast<double>(change);
        sums.carried[l] += scale[i] != 0 ? static_cast<double>(next) : 0;
    });
    k.sums->carried *= k.damping;
}

template <class T>
void run(const pagerank_step_arguments& k) {
    if (k.start)
        k.moved ? run<T, true, true>(k) : run<T, true, false>(k);
    else
        k.moved ? run<T, false, true>(k) : run<T, false, false>(k);
}

}  // namespace

void pagerank_step(const pagerank_step_arguments& k) {
    k.type == dtype::float32 ? run<float>(k) : run<double>(k);
}

}  // namespace nz::kernels::cpu
