// Numbers out of text. The fast forms read what nearly all files hold, from text that stays readable for
// text_padding bytes behind its end; what they decline goes to the careful forms, which know every spelling
// and say what is wrong.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

namespace nz::io {

inline constexpr std::size_t text_padding = 16;

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Whether there were any blanks; steps over them.
inline bool skip_blanks(const char*& p) {
    const char* const start = p;
    while (is_blank(*p)) ++p;
    return p != start;
}

/// Reads up to eight digits at p at once; returns how many there are (8: perhaps more follow).
inline int read_digits_8(const char* p, std::uint64_t& value) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t x;
    std::memcpy(&x, p, 8);
    x ^= 0x3030303030303030;  // digits become 0..9
    // Bit 7 of every byte that is no digit. A carry can only spoil bytes behind the first of them.
    const std::uint64_t others = ((x + 0x7676767676767676) | x) & 0x8080808080808080;
    const int count = others ? std::countr_zero(others) >> 3 : 8;
    if (count == 0) return 0;
    x <<= (8 - count) * 8;  // leading zeros
    x = ((x * 2561) >> 8) & 0x00ff00ff00ff00ff;
    x = ((x * 6553601) >> 16) & 0x0000ffff0000ffff;
    value = (x * 42949672960001) >> 32;
    return count;
}

/// Appends the digits at p to value; false when that overflows.
inline bool append_digits(const char*& p, std::uint64_t& value) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    for (; is_digit(*p); ++p) {
        const auto digit = static_cast<std::uint64_t>(*p - '0');
        if (value > (most - digit) / 10) return false;
        value = value * 10 + digit;
    }
    return true;
}

/// Reads digits; false when there are none or the number needs more than 64 bits.
inline bool read_unsigned(const char*& p, std::uint64_t& value) {
    const int count = read_digits_8(p, value);
    p += count;
    if (count < 8) [[likely]]
        return count > 0;
    return append_digits(p, value);
}

/// Whether a sign and a magnitude make a T (a bool is 0 or 1); stores it.
template <class T>
bool fit_integer(bool negative, std::uint64_t magnitude, T& out) {
    if constexpr (std::is_floating_point_v<T>) {
        out = negative ? -static_cast<T>(magnitude) : static_cast<T>(magnitude);
        return true;
    } else {
        const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        if (negative) {
            if (magnitude > (std::is_signed_v<T> ? most + 1 : 0)) return false;
            out = static_cast<T>(0 - magnitude);
        } else {
            if (magnitude > most) return false;
            out = static_cast<T>(magnitude);
        }
        return true;
    }
}

/// Reads an integer with an optional sign; false when it is none or does not fit.
template <class T>
bool read_integer(const char*& p, T& out) {
    const bool negative = *p == '-';
    p += negative || *p == '+';
    std::uint64_t magnitude;
    return read_unsigned(p, magnitude) && fit_integer(negative, magnitude, out);
}

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Reads digits into a mantissa, counting them; stops at 19, beyond which a mantissa may overflow.
inline void read_mantissa(const char*& p, std::uint64_t& mantissa, int& count) {
    constexpr std::uint64_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (count <= 11) {
        std::uint64_t part;
        const int n = read_digits_8(p, part);
        if (n == 0) return;
        mantissa = mantissa * scale[n] + part;
        count += n;
        p += n;
        if (n < 8) return;
    }
    for (; is_digit(*p) && count < 19; ++p, ++count)
        mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
}

/// Reads a decimal number whose value one exact multiplication or division yields, the rest by from_chars up
/// to `end`. False for what neither takes: a leading '+', Fortran's exponents, overflow.
inline bool read_real(const char*& p, const char* end, double& out) {
    const char* const start = p;
    const bool negative = *p == '-';
    p += negative;
    std::uint64_t mantissa = 0;
    int digits = 0, exponent = 0;
    read_mantissa(p, mantissa, digits);
    if (*p == '.') {
        ++p;
        const int before = digits;
        read_mantissa(p, mantissa, digits);
        exponent = before - digits;
    }
    bool simple = digits > 0 && !is_digit(*p);
    if (simple && (*p == 'e' || *p == 'E')) {
        const char* q = p + 1;
        int given = 0;
        simple = read_integer(q, given) && given > -1000 && given < 1000;
        exponent += given;
        p = q;
    }
    if (simple && mantissa < (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) [[likely]] {
        const auto whole = static_cast<double>(mantissa);
        const double x =
            exponent < 0 ? whole / exact_powers_of_ten[-exponent] : whole * exact_powers_of_ten[exponent];
        out = negative ? -x : x;
        return true;
    }
    const auto [stop, code] = std::from_chars(start, end, out);
    p = stop;
    return code == std::errc{};
}
inline bool read_real(const char*& p, const char* end, float& out) {
    const auto [stop, code] = std::from_chars(p, end, out);  // through double it would be rounded twice
    p = stop;
    return code == std::errc{};
}

/// What the careful forms find.
enum class number_fault : std::uint8_t { none, not_a_number, too_large };

/// A whole word as an integer with an optional sign.
template <class T>
number_fault parse_integer(std::string_view word, T& out) {
    const bool sign = !word.empty() && (word[0] == '-' || word[0] == '+');
    const std::string_view digits = word.substr(sign);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return number_fault::not_a_number;
    std::uint64_t magnitude = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (code != std::errc{}) return number_fault::too_large;
    return fit_integer(word[0] == '-', magnitude, out) ? number_fault::none : number_fault::too_large;
}

/// A whole word as a real: any sign, Fortran's D exponents, inf and nan. Underflow gives 0.
number_fault parse_real(std::string_view word, double& out);
number_fault parse_real(std::string_view word, float& out);

/// How many '\n' there are.
std::int64_t count_lines(const char* begin, const char* end);

}  // namespace nz::io
