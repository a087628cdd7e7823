// ewise/words: w = u op v for vectors that are dense or bitmaps, as union or intersection, a word of 64 places at a time.
//
// Who owns what: a thread owns an even piece of the places, cut at whole words, so that it alone writes the words of
//   presence. No synchronisation but the join at the end.
// Where both operands have all places of a piece it is one loop, which the compiler turns into vector instructions; a
//   fixed operand (of apply, or what absent entries count as) is a register. Elsewhere the bits of a word choose:
//   those of both, then those of one alone.
// Memory: each operand once, the result once; it may take the place of an operand. No workspace.
// Determinism: no sum.
// Cost: bytes; 64 tests of a bit at most where words are mixed.
// Why balanced_path was not enough: it merges lists of places, which dense vectors do not have.
#pragma once

#include "algebra/functors.hpp"
#include "core/parallel.hpp"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cpu {

namespace words_detail {

template <binary_id Op, class T, int AStep, int BStep>
void join_piece(const words_arguments& k, offset_t begin, offset_t end) {
    using R = decltype(algebra::binary<Op>(T{}, T{}));
    const T *a = static_cast<const T*>(k.a.values), *b = static_cast<const T*>(k.b.values);
    R* out = static_cast<R*>(k.values);
    const auto both = [&](offset_t i) {
        out[i] = static_cast<R>(algebra::binary<Op>(a[i * AStep], b[i * BStep]));
    };
    if (!k.a.present && !k.b.present) {
        for (offset_t i = begin; i < end; ++i) both(i);
        return;
    }
    for (offset_t first = begin; first < end; first += bits::per_word) {
        const auto w = static_cast<std::size_t>(first / bits::per_word);
        const bits::word all = bits::valid(k.size, w), in_a = k.a.present ? k.a.present[w] : all,
                         in_b = k.b.present ? k.b.present[w] : all;
        bits::for_each(in_a & in_b, first, both);
        bits::word here = in_a & in_b;
        if (k.operation == set_operation::unite) {
            bits::for_each(in_a & ~in_b, first, [&](offset_t i) { out[i] = convert<R>(a[i * AStep]); });
            bits::for_each(in_b & ~in_a, first, [&](offset_t i) { out[i] = convert<R>(b[i * BStep]); });
            here = in_a | in_b;
        }
        if (k.present) k.present[w] = here;
    }
}

}  // namespace words_detail

template <binary_id Op, class T>
void words(const words_arguments& k) {
    const auto run = [&]<int AStep, int BStep>() {
        parallel::for_pieces(
            k.threads, k.size,
            [&](offset_t begin, offset_t end) {
                words_detail::join_piece<Op, T, AStep, BStep>(k, begin, end);
            },
            bits::per_word);
    };
    if (k.a.step == 0)
        run.template operator()<0, 1>();
    else if (k.b.step == 0)
        run.template operator()<1, 0>();
    else
        run.template operator()<1, 1>();
}

}  // namespace nz::kernels::cpu
