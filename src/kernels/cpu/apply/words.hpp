// apply/words: w = f(u) for a vector's entries, which keep their places.
//
// Who owns what: a thread owns an even piece of the values. Without absent places it is one loop, which the compiler turns
//   into vector instructions; in a bitmap the bits of a word choose.
// Memory: u once, w once. No workspace, no synchronisation but the join at the end. Determinism: no sum.
// Why the reference was not enough: one thread, and an indirect call an entry.
#pragma once

#include "algebra/functors.hpp"
#include "core/parallel.hpp"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cpu {

template <unary_id Op, class T>
void apply_words(const apply_arguments& k) {
    const T* from = static_cast<const T*>(k.from);
    T* to = static_cast<T*>(k.to);
    parallel::for_pieces(
        k.threads, k.size,
        [&](offset_t begin, offset_t end) {
            if (!k.present) {
                for (offset_t i = begin; i < end; ++i) to[i] = algebra::unary<Op>(from[i]);
                return;
            }
            for (offset_t first = begin; first < end; first += bits::per_word)
                bits::for_each(k.present[first / bits::per_word], first,
                               [&](offset_t i) { to[i] = algebra::unary<Op>(from[i]); });
        },
        bits::per_word);
}

}  // namespace nz::kernels::cpu
