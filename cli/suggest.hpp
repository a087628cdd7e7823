// What somebody meant who wrote a word that there is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nz::cli {

/// Letters to insert, delete, replace or swap with their neighbour until `a` is `b`, each place touched once.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word of `known` that `word` is most likely a misspelling, or the beginning, of; empty where none is near. A third of
/// the letters may be wrong, three at most; of words equally near the first.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean WORD?", or nothing.
std::string did_you_mean(const std::string& word);

}  // namespace nz::cli
