// pagerank/step: what a step of PageRank does to its vectors once edges have carried ranks along (Brin and Page, 1998).
//
// Computes: r' = t + (1 - sum t) p, y' = scale r', and sum |r' - r|: one pass for the first sum, one for all else.
// Who owns what: even pieces of blocks of 2,048 places, the same for both passes; a block's sums go to its own place and are
//   added in order.
// Within a block eight partial sums run side by side (place i to sum i mod 8), in double whatever the vectors' type.
// Memory: t twice, r, p and scale once; r and y written once. Workspace: a double a block. Sync: two joins.
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

/// value(i, lane) over all places, which adds what it likes to the lane: block by block, and the blocks in order.
template <class Value>
double sum_blocks(const pagerank_step_arguments& k, Value&& value) {
    const offset_t blocks = (k.size + pagerank_block - 1) / pagerank_block;
    constexpr offset_t serial_below = 8;
    const auto sum = [&](offset_t first, offset_t last) {
        for (offset_t block = first; block < last; ++block) {
            const offset_t end = std::min(k.size, (block + 1) * pagerank_block);
            double part[lanes] = {};
            offset_t i = block * pagerank_block;
            for (; i + lanes <= end; i += lanes)
                for (int l = 0; l < lanes; ++l) part[l] += value(i + l);
            for (int l = 0; i < end; ++i, ++l) part[l] += value(i);
            for (int l = 1; l < lanes; ++l) part[0] += part[l];
            k.parts[block] = part[0];
        }
    };
    parallel::for_pieces(k.threads, blocks, sum, 1, serial_below);
    double total = 0;
    for (offset_t block = 0; block < blocks; ++block) total += k.parts[block];
    return total;
}

template <class T, bool HasStart, bool KeepsMoves>
void run(const pagerank_step_arguments& k) {
    const T *t = static_cast<const T*>(k.carried), *p = static_cast<const T*>(k.start),
            *scale = static_cast<const T*>(k.scale);
    T *r = static_cast<T*>(k.ranks), *y = static_cast<T*>(k.scaled), *moved = static_cast<T*>(k.moved);
    k.totals[0] = sum_blocks(k, [&](offset_t i) { return static_cast<double>(t[i]); });
    const double rest = 1 - k.totals[0];
    const T share = static_cast<T>(HasStart ? rest : rest / static_cast<double>(k.size));
    k.totals[1] = sum_blocks(k, [&](offset_t i) {
        const T next = t[i] + (HasStart ? share * p[i] : share), change = std::abs(next - r[i]);
        r[i] = next;
        y[i] = next * scale[i];
        if constexpr (KeepsMoves) moved[i] = change;
        return static_cast<double>(change);
    });
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
