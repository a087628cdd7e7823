// Words of a line: splitting, comparing, and quoting them in messages.
#pragma once

#include "io/numbers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nz::io {

inline bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\v' || c == '\f'; }

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// Takes the first word off the front of a line; empty when there is none.
inline std::string_view next_word(std::string_view& line) {
    std::size_t begin = 0;
    while (begin < line.size() && is_space(line[begin])) ++begin;
    std::size_t end = begin;
    while (end < line.size() && !is_space(line[end])) ++end;
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

inline std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
        words.push_back(word);
    return words;
}

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (lower(a[k]) != lower(b[k])) return false;
    return true;
}

/// Foreign text fit for a message: short, and without bytes that a terminal would act on.
inline std::string quote(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string out;
    for (const char c : text.substr(0, most)) out += c >= 0x20 && c < 0x7f ? c : '?';
    if (text.size() > most) out += "...";
    return out;
}

}  // namespace nz::io
