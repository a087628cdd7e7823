// reduce/blocks: the sum of a vector's entries over a monoid.
//
// Who owns what: blocks of 8,192 places go to whichever thread is free; a block's sum is written to its own place, and
//   one thread adds those up.
// Entry i of a block goes to partial sum i mod 256, and these are added in a tree; so are the blocks' sums. That is what 256 threads
//   of a GPU do, so both sides give the same bits. The partial sums stay in the first cache, and the additions of one of them lie 256
//   entries apart, so none waits for the one before.
// Memory: values once. Workspace: a value and a byte a block. Synchronisation: one join.
// Determinism: the order depends on size and presence alone: the same bits for floats with any number of threads.
// Why the reference was not enough: one thread, an indirect call an entry, each waiting for the one before.
#pragma once

#include "algebra/functors.hpp"
#include "core/parallel.hpp"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cpu {

/// Partial sums of which some may have met nothing.
template <binary_id Add, class T>
class lane_sums {
public:
    void put(offset_t lane, T x) {
        value_[lane] = met_[lane] ? add(value_[lane], x) : x;
        met_[lane] = true;
    }
    /// The same for all of [x, x + size), from lane 0 on; the first ones.
    void put_all(const T* x, offset_t size) {
        const offset_t first = std::min(size, reduce_lanes);
        std::copy_n(x, first, value_);
        std::fill_n(met_, first, true);
        offset_t i = first;
        for (; i + reduce_lanes <= size; i += reduce_lanes)
            for (offset_t l = 0; l < reduce_lanes; ++l) value_[l] = add(value_[l], x[i + l]);
        for (offset_t l = 0; i < size; ++i, ++l) value_[l] = add(value_[l], x[i]);
    }
    /// Their sum; false without any.
    bool sum(T& total) {
        for (offset_t distance = reduce_lanes / 2; distance > 0; distance /= 2)
            for (offset_t l = 0; l < distance; ++l)
                if (met_[l + distance]) put(l, value_[l + distance]);
        if (met_[0]) total = value_[0];
        return met_[0];
    }

private:
    static T add(T x, T y) { return static_cast<T>(algebra::binary<Add>(x, y)); }

    T value_[reduce_lanes];
    bool met_[reduce_lanes] = {};
};

template <binary_id Add, class T>
bool reduce_blocks(const reduce_arguments& k) {
    const T* x = static_cast<const T*>(k.values);
    const offset_t blocks = (k.size + reduce_block - 1) / reduce_block;
    T* parts = static_cast<T*>(k.parts);
    bool* met = reinterpret_cast<bool*>(parts + blocks);
    parallel::for_chunks(k.threads, blocks, 1, [&](offset_t block, offset_t) {
        const offset_t begin = block * reduce_block, end = std::min(k.size, begin + reduce_block);
        lane_sums<Add, T> sums;
        if (!k.present) sums.put_all(x + begin, end - begin);
        for (offset_t first = begin; k.present && first < end; first += bits::per_word)
            bits::for_each(k.present[first / bits::per_word], first,
                           [&](offset_t i) { sums.put(i % reduce_lanes, x[i]); });
        met[block] = sums.sum(parts[block]);
    });
    lane_sums<Add, T> sums;
    for (offset_t block = 0; block < blocks; ++block)
        if (met[block]) sums.put(block % reduce_lanes, parts[block]);
    return sums.sum(*static_cast<T*>(k.result));
}

}  // namespace nz::kernels::cpu
