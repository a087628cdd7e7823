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
// Cost: on 262,144 places with two threads 0.055 ms of float32 and 0.060 of float64 (AVX-512, the vectors in cache), 20 and 40 bytes
//   a place without p; docs/measurements/graphs.md (PageRank).
// Why ewise, apply and reduce were not enough: seven passes, of which five read what the one before wrote.
#include "kernels/cpu/pagerank/step.hpp"

#include "core/parallel.hpp"
#include "core/registers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nz::kernels::cpu {
namespace {

// Vector types of the compiler, as in mxv/common_lanes.hpp and no wider than a register: from a loop over scalars GCC made sums
// across places, with a dozen permutations each, three times the time.
constexpr int lanes = 8, width = std::min<int>(lanes, register_bytes / sizeof(double)),
              pieces = lanes / width;
template <class T>
struct piece_of {
    typedef T type __attribute__((vector_size(width * sizeof(T))));
    typedef T anywhere __attribute__((vector_size(width * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <class T>
using piece = typename piece_of<T>::type;
using sum_piece = piece<double>;

template <class T>
piece<T> load(const T* from) {
    return *reinterpret_cast<const typename piece_of<T>::anywhere*>(from);
}
template <class T>
void store(T* to, piece<T> x) {
    *reinterpret_cast<typename piece_of<T>::anywhere*>(to) = x;
}
template <class T>
sum_piece widened(piece<T> x) {
    return __builtin_convertvector(x, sum_piece);
}

/// A block's sums, eight of each side by side.
struct lane_sums {
    sum_piece moved[pieces] = {}, carried[pieces] = {};

    double& moved_of(int lane) { return reinterpret_cast<double*>(moved)[lane]; }
    double& carried_of(int lane) { return reinterpret_cast<double*>(carried)[lane]; }
};

/// Calls pass.whole(i, moved, carried) for pieces of places, pass.one(i, moved, carried) for what a block leaves over, which add to
/// the sums that they are given: block by block, and the blocks in order.
template <class Pass>
pagerank_sums sum_blocks(const pagerank_step_arguments& k, const Pass& pass) {
    const offset_t blocks = (k.size + pagerank_block - 1) / pagerank_block;
    constexpr offset_t serial_below = 8;
    const auto sum = [&](offset_t first, offset_t last) {
        for (offset_t block = first; block < last; ++block) {
            const offset_t end = std::min(k.size, (block + 1) * pagerank_block);
            lane_sums part;
            offset_t i = block * pagerank_block;
            for (; i + lanes <= end; i += lanes)
                for (int q = 0; q < pieces; ++q) pass.whole(i + q * width, part.moved[q], part.carried[q]);
            for (int l = 0; i < end; ++i, ++l) pass.one(i, part.moved_of(l), part.carried_of(l));
            pagerank_sums& all = k.parts[block];
            all = {part.moved_of(0), part.carried_of(0)};
            for (int l = 1; l < lanes; ++l) all.moved += part.moved_of(l), all.carried += part.carried_of(l);
        }
    };
    parallel::for_pieces(k.threads, blocks, sum, 1, serial_below);
    pagerank_sums total{};
    for (offset_t block = 0; block < blocks; ++block)
        total.moved += k.parts[block].moved, total.carried += k.parts[block].carried;
    return total;
}

/// Sums t.
template <class T>
struct carried_pass {
    const T* t;

    void whole(offset_t i, sum_piece&, sum_piece& carried) const { carried += widened<T>(load(t + i)); }
    void one(offset_t i, double&, double& carried) const { carried += static_cast<double>(t[i]); }
};

template <class T, bool HasStart, bool KeepsMoves>
struct step_pass {
    const T *t, *p, *scale;
    T *r, *y, *moves;
    T share;

    void whole(offset_t i, sum_piece& moved, sum_piece& carried) const {
        piece<T> next = load(t + i);
        if constexpr (HasStart)
            next += share * load(p + i);
        else
            next += share;
        const piece<T> by = load(scale + i);
        piece<T> change = next - load(r + i);
        change = change < 0 ? -change : change;
        store(r + i, next);
        store(y + i, next * by);
        if constexpr (KeepsMoves) store(moves + i, change);
        moved += widened<T>(change);
        carried += widened<T>(by != 0 ? next : piece<T>{});
    }
    void one(offset_t i, double& moved, double& carried) const {
        const T next = t[i] + (HasStart ? share * p[i] : share), change = std::abs(next - r[i]);
        r[i] = next;
        y[i] = next * scale[i];
        if constexpr (KeepsMoves) moves[i] = change;
        moved += static_cast<double>(change);
        carried += scale[i] != 0 ? static_cast<double>(next) : 0;
    }
};

template <class T, bool HasStart, bool KeepsMoves>
void run(const pagerank_step_arguments& k) {
    const auto* const t = static_cast<const T*>(k.carried);
    const double sum = k.sum_known ? k.sum : sum_blocks(k, carried_pass<T>{t}).carried, rest = 1 - sum;
    const step_pass<T, HasStart, KeepsMoves> pass{
        .t = t,
        .p = static_cast<const T*>(k.start),
        .scale = static_cast<const T*>(k.scale),
        .r = static_cast<T*>(k.ranks),
        .y = static_cast<T*>(k.scaled),
        .moves = static_cast<T*>(k.moved),
        .share = static_cast<T>(HasStart ? rest : rest / static_cast<double>(k.size))};
    *k.sums = sum_blocks(k, pass);
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
