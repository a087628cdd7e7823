#include "suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nz::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Distances of the first i letters of a, i - 1 and i - 2, to all beginnings of b.
    std::vector<std::size_t> before_last, last(b.size() + 1), row;
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row.assign(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = std::move(last);
        last = std::move(row);
    }
    return last.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    const auto letters = [](std::string_view w) {
        return w.substr(std::min(w.find_first_not_of('-'), w.size()));
    };
    const std::string_view meant = letters(word);
    std::size_t least = std::min<std::size_t>((meant.size() + 1) / 3, 3) + 1;
    std::string found;
    for (const auto& candidate : known) {
        const bool begins = meant.size() >= 3 && letters(candidate).starts_with(meant);
        const std::size_t distance = begins ? 0 : edit_distance(meant, letters(candidate));
        if (distance >= least) continue;
        least = distance;
        found = candidate;
    }
    return found;
}

std::string did_you_mean(const std::string& word) {
    return word.empty() ? "" : fmt::format("; did you mean {}?", word);
}

}  // namespace nz::cli
