// The words of a bit tile asked plainly and by AVX-512: the same answers, and nothing is read behind a tile's last word.
#include "kernels/cpu/traverse/common_words.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace nz::kernels::cpu {
namespace {

template <class Word>
class TileWords : public ::testing::Test {};
using word_types = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(TileWords, word_types);

template <class Word>
Word union_word_by_word(const std::vector<Word>& words, Word occupied, Word rows) {
    Word all = 0;
    std::size_t at = 0;
    for (int r = 0; r < static_cast<int>(8 * sizeof(Word)); ++r) {
        if (!(occupied >> r & 1)) continue;
        if (rows >> r & 1) all |= words[at];
        ++at;
    }
    return all;
}
template <class Word>
Word hits_word_by_word(const std::vector<Word>& words, Word occupied, Word rows, Word x) {
    Word found = 0;
    std::size_t at = 0;
    for (int r = 0; r < static_cast<int>(8 * sizeof(Word)); ++r) {
        if (!(occupied >> r & 1)) continue;
        if ((rows >> r & 1) && (words[at] & x)) found |= Word{1} << r;
        ++at;
    }
    return found;
}

// Calls f(words, occupied, rows, x) on tiles of every fill, some and all of their rows wanted, words where a read behind them is seen
// by an address sanitizer.
template <class Word, class F>
void for_tiles(F&& f) {
    constexpr int size = static_cast<int>(8 * sizeof(Word));
    std::mt19937_64 random(5);
    for (int round = 0; round < 3000; ++round) {
        Word occupied = static_cast<Word>(random());
        for (int k = 0; k < round % 5; ++k) occupied &= static_cast<Word>(random());
        if (round % 7 == 0) occupied = static_cast<Word>(~Word{0});
        if (round % 11 == 0) occupied = Word{1} << (round % size);
        std::vector<Word> words(static_cast<std::size_t>(std::popcount(occupied)));
        for (Word& w : words) w = static_cast<Word>(random() & random() & random());
        const Word rows = round % 3 == 0 ? occupied : static_cast<Word>(occupied & random());
        f(words, occupied, rows, static_cast<Word>(random() & random()));
    }
}

TYPED_TEST(TileWords, AskedPlainly) {
    for_tiles<TypeParam>([](const auto& words, auto occupied, auto rows, auto x) {
        using plain = plain_words<TypeParam>;
        EXPECT_EQ(plain::union_of(words.data(), occupied, rows), union_word_by_word(words, occupied, rows));
        EXPECT_EQ(plain::hits(words.data(), occupied, rows, x), hits_word_by_word(words, occupied, rows, x));
    });
}

TYPED_TEST(TileWords, AskedByAvx512) {
    if (!has_wide_words()) GTEST_SKIP() << "this machine has no AVX-512";
    for_tiles<TypeParam>([](const auto& words, auto occupied, auto rows, auto x) {
        using wide = wide_words<TypeParam>;
        EXPECT_EQ(wide::union_of(words.data(), occupied, rows), union_word_by_word(words, occupied, rows));
        EXPECT_EQ(wide::hits(words.data(), occupied, rows, x), hits_word_by_word(words, occupied, rows, x));
    });
}

TYPED_TEST(TileWords, WhicheverIsFaster) {
    for_tiles<TypeParam>([](const auto& words, auto occupied, auto rows, auto x) {
        const auto check = [&]<bool Wide>() {
            using either = tile_words<TypeParam, Wide>;
            EXPECT_EQ(either::union_of(words.data(), occupied, rows),
                      union_word_by_word(words, occupied, rows));
            EXPECT_EQ(either::hits(words.data(), occupied, rows, x),
                      hits_word_by_word(words, occupied, rows, x));
        };
        check.template operator()<false>();
        if (has_wide_words()) check.template operator()<true>();
    });
}

}  // namespace
}  // namespace nz::kernels::cpu
