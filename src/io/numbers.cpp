#include "io/numbers.hpp"

#include <algorithm>
#include <string>

namespace nz::io {
namespace {

// Whether a decimal number that from_chars finds out of range is too small rather than too large: the place
// of its first digit that is not 0, moved by the exponent.
bool underflows(std::string_view word) {
    constexpr std::int64_t exponent_most = std::int64_t{1} << 62;  // no word has so many digits
    const std::size_t e = word.find_first_of("eE");
    const std::string_view digits = word.substr(0, e);
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view text = word.substr(e + 1);
        const bool negative = text.starts_with('-');
        if (negative || text.starts_with('+')) text.remove_prefix(1);
        const auto code = std::from_chars(text.data(), text.data() + text.size(), exponent).ec;
        if (code != std::errc{}) return negative;
        exponent = std::min(exponent, exponent_most);
        if (negative) exponent = -exponent;
    }
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
    return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent < 0;
}

template <class T>
number_fault parse_real_as(std::string_view word, T& out) {
    if (word.starts_with('+')) {
        word.remove_prefix(1);
        if (word.starts_with('-')) return number_fault::not_a_number;
    }
    std::string text(word);
    if (is_digit(text.empty() ? ' ' : text.back()))  // not in "inf", "nan"
        for (char& c : text)
            if (c == 'd' || c == 'D') c = 'e';
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, out);
    if (stop != end || code == std::errc::invalid_argument) return number_fault::not_a_number;
    if (code == std::errc{}) return number_fault::none;
    if (!underflows(text.starts_with('-') ? std::string_view(text).substr(1) : text))
        return number_fault::too_large;
    out = text.starts_with('-') ? -T(0) : T(0);
    return number_fault::none;
}

}  // namespace

number_fault parse_real(std::string_view word, double& out) { return parse_real_as(word, out); }
number_fault parse_real(std::string_view word, float& out) { return parse_real_as(word, out); }

std::int64_t count_lines(const char* begin, const char* end) {
    // Byte counters that a vector unit adds up; 255 rounds fill them.
    constexpr std::size_t lanes = 64, rounds = 255;
    std::int64_t total = 0;
    while (static_cast<std::size_t>(end - begin) >= lanes) {
        std::uint8_t counts[lanes] = {};
        const std::size_t n = std::min(rounds, static_cast<std::size_t>(end - begin) / lanes);
        for (std::size_t r = 0; r < n; ++r, begin += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                counts[lane] = static_cast<std::uint8_t>(counts[lane] + (begin[lane] == '\n'));
        for (const std::uint8_t c : counts) total += c;
    }
    return total + std::count(begin, end, '\n');
}

}  // namespace nz::io
