// The words of a bit tile (storage/bit_tiles.hpp: one for each occupied row, one after the other) asked all at once: plainly, or by
// AVX-512 where the machine has it, which is known at run time.
//
// By AVX-512 (core/wide_words.hpp), of tiles in cache, EPYC (Zen 4), ns a tile: which of 64 stored words meet one, 57 plainly and 9 so
// (64 in a build for any x86-64), of 16 words of 32 bits 14 and 1.6, of 4 words 3 to 4 and 1.6; the union of half of 64 words 22 and 8.
// Determinism: the same words, whoever asks.
#pragma once

#include "core/wide_words.hpp"

#include <bit>
#include <cstdint>

namespace nz::kernels::cpu {

/// Rows from which the union of their words is faster by AVX-512.
inline constexpr int wide_union_from = 6;

/// Whichever is faster.
template <class Word, bool Wide>
struct tile_words {
    static Word union_of(const Word* words, Word occupied, Word rows) {
        if (Wide && std::popcount(rows) >= wide_union_from)
            return wide_words<Word>::union_of(words, occupied, rows);
        return plain_words<Word>::union_of(words, occupied, rows);
    }
    static Word hits(const Word* words, Word occupied, Word rows, Word x) {
        if (Wide) return wide_words<Word>::hits(words, occupied, rows, x);
        return plain_words<Word>::hits(words, occupied, rows, x);
    }
};

}  // namespace nz::kernels::cpu
