// reduce/blocks: the sum of a vector's entries over a monoid.
//
// Who owns what: blocks of 8,192 places go to whichever thread is free; a block's sum is written to its own place, and
//   one thread adds those up in order.
// Within a block without absent places sixteen partial sums run side by side (entry i to sum i mod 16), which is one or
//   two vector registers and hides the latency of an addition; then they are added in order.
// Memory: values once. Workspace: a value a block. Synchronisation: one join.
// Determinism: the order depends on size and presence alone: the same bits for floats with any number of threads.
// Why the reference was not enough: one thread, an indirect call an entry, each waiting for the one before.
#pragma once

#include "algebra/functors.hpp"
#include "core/parallel.hpp"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cpu {

namespace blocks_detail {

inline constexpr int lanes = 16;

template <binary_id Add, class T>
T add(T x, T y) {
    return static_cast<T>(algebra::binary<Add>(x, y));
}

/// The sum over [begin, end), not empty.
template <binary_id Add, class T>
T sum_all(const T* x, offset_t begin, offset_t end) {
    if (end - begin < lanes) {
        T total = x[begin];
        for (offset_t i = begin + 1; i < end; ++i) total = add<Add>(total, x[i]);
        return total;
    }
    T part[lanes];
    std::copy_n(x + begin, lanes, part);
    offset_t i = begin + lanes;
    for (; i + lanes <= end; i += lanes)
        for (int l = 0; l < lanes; ++l) part[l] = add<Add>(part[l], x[i + l]);
    for (int l = 0; i < end; ++i, ++l) part[l] = add<Add>(part[l], x[i]);
    for (int l = 1; l < lanes; ++l) part[0] = add<Add>(part[0], part[l]);
    return part[0];
}

/// The same over present places; false without any.
template <binary_id Add, class T>
bool sum_present(const T* x, const bits::word* present, offset_t begin, offset_t end, T& total) {
    bool any = false;
    for (offset_t first = begin; first < end; first += bits::per_word)
        bits::for_each(present[first / bits::per_word], first, [&](offset_t i) {
            total = any ? add<Add>(total, x[i]) : x[i];
            any = true;
        });
    return any;
}

}  // namespace blocks_detail

template <binary_id Add, class T>
bool reduce_blocks(const reduce_arguments& k) {
    const T* x = static_cast<const T*>(k.values);
    T* parts = static_cast<T*>(k.parts);
    const offset_t blocks = (k.size + reduce_block - 1) / reduce_block;
    std::atomic<offset_t> empty{0};
    const auto is_empty = [&](offset_t block) {  // only asked where some block is
        const offset_t begin = block * reduce_block, end = std::min(k.size, begin + reduce_block);
        for (offset_t w = begin / bits::per_word; w * bits::per_word < end; ++w)
            if (k.present[w]) return false;
        return true;
    };
    parallel::for_chunks(k.threads, blocks, 1, [&](offset_t block, offset_t) {
        const offset_t begin = block * reduce_block, end = std::min(k.size, begin + reduce_block);
        if (!k.present)
            parts[block] = blocks_detail::sum_all<Add>(x, begin, end);
        else if (!blocks_detail::sum_present<Add>(x, k.present, begin, end, parts[block]))
            ++empty;
    });
    T* total = static_cast<T*>(k.result);
    bool any = false;
    for (offset_t block = 0; block < blocks; ++block) {
        if (empty > 0 && is_empty(block)) continue;
        *total = any ? blocks_detail::add<Add>(*total, parts[block]) : parts[block];
        any = true;
    }
    return any;
}

}  // namespace nz::kernels::cpu
