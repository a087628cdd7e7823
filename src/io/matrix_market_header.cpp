#include "io/matrix_market.hpp"
#include "io/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace nz::io::matrix_market {
namespace {

template <class Enum, std::size_t N>
Enum choose(const line_reader& reader, const char* what, std::string_view word,
            const std::array<std::pair<std::string_view, Enum>, N>& known) {
    for (const auto& [name, value] : known)
        if (equal_ignoring_case(word, name)) return value;
    std::string names;
    for (const auto& [name, value] : known) names += (names.empty() ? "" : ", ") + std::string(name);
    reader.fail(fmt::format("the banner's {} is '{}'; known are {}", what, quote(word), names));
}

constexpr std::array<std::pair<std::string_view, bool>, 2> objects{{{"matrix", false}, {"vector", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> formats{{{"coordinate", false}, {"array", true}}};
constexpr std::array<std::pair<std::string_view, field>, 6> fields{
    {{"real", field::real},
     {"double", field::real},
     {"integer", field::integer},
     {"unsigned-integer", field::unsigned_integer},
     {"complex", field::complex},
     {"pattern", field::pattern}}};
constexpr std::array<std::pair<std::string_view, symmetry>, 4> symmetries{
    {{"general", symmetry::general},
     {"symmetric", symmetry::symmetric},
     {"skew-symmetric", symmetry::skew_symmetric},
     {"hermitian", symmetry::hermitian}}};
constexpr std::string_view banner_word = "MatrixMarket";

dtype default_type(field f) {
    switch (f) {
        case field::integer:
            return dtype::int64;
        case field::unsigned_integer:
            return dtype::uint64;
        case field::pattern:
            return dtype::boolean;
        default:
            return dtype::float64;
    }
}

void read_banner(line_reader& reader, header& h) {
    std::string_view line;
    do {
        if (!reader.next(line))
            reader.fail("the file is empty; a Matrix Market file begins with a line '%%MatrixMarket ...'");
    } while (trimmed(line).empty());
    if (!is_banner(line))
        reader.fail(fmt::format(
            "a Matrix Market file begins with '%%MatrixMarket matrix ...', this one with '{}'", quote(line)));
    const auto words = split(line);
    // "%%MatrixMarket a b c d"; the percent signs are one or two (is_banner).
    if (words.size() != 5)
        reader.fail(fmt::format(
            "the banner has {} words; it must have 5: %%MatrixMarket OBJECT FORMAT FIELD SYMMETRY",
            words.size()));
    h.vector = choose(reader, "object", words[1], objects);
    h.array = choose(reader, "format", words[2], formats);
    h.field = choose(reader, "field", words[3], fields);
    h.symmetry = choose(reader, "symmetry", words[4], symmetries);
    h.type = default_type(h.field);
    if (h.array && h.field == field::pattern) reader.fail("an array has values, it cannot be 'pattern'");
    if (h.vector && h.symmetry != symmetry::general)
        reader.fail(fmt::format("a vector cannot be '{}'", words[4]));
    if (h.field == field::pattern && h.symmetry != symmetry::general && h.symmetry != symmetry::symmetric)
        reader.fail(fmt::format("a pattern has no values that could be '{}'", words[4]));
    if (h.symmetry == symmetry::skew_symmetric && h.field == field::unsigned_integer)
        reader.fail("unsigned values cannot be skew-symmetric");
}

// "%%GraphBLAS type <ctype>": the type that the values had in memory. Other GraphBLAS comments say nothing to
// us.
void read_graphblas_comment(line_reader& reader, header& h, std::string_view line) {
    const auto words = split(line);
    if (words.size() != 3 || !equal_ignoring_case(words[0], "%%GraphBLAS") ||
        !equal_ignoring_case(words[1], "type"))
        return;
    std::string_view name = words[2];
    if (equal_ignoring_case(name, "float complex") || equal_ignoring_case(name, "double complex")) return;
    if (name.ends_with("_t")) name.remove_suffix(2);
    try {
        h.type = parse_dtype(name);
    } catch (const domain_error&) {
        reader.fail(fmt::format("GraphBLAS type '{}' is none that a matrix can hold", quote(words[2])));
    }
    if (h.symmetry == symmetry::skew_symmetric && (is_unsigned_integer(h.type) || h.type == dtype::boolean))
        reader.fail(fmt::format("values of type '{}' cannot be skew-symmetric", quote(words[2])));
    if (h.field == field::complex) h.type = dtype::float64;
}

offset_t read_size(const line_reader& reader, std::string_view word, const char* what, offset_t most) {
    std::int64_t value = 0;
    switch (parse_integer(word, value)) {
        case number_fault::not_a_number:
            reader.fail(fmt::format("the number of {} is '{}', which is no integer", what, quote(word)));
        case number_fault::too_large:
            value = word[0] == '-' ? -1 : std::numeric_limits<std::int64_t>::max();
            break;
        case number_fault::none:
            break;
    }
    if (value < 0)
        reader.fail(fmt::format("the number of {} is {}, it cannot be negative", what, quote(word)));
    if (value > most)
        reader.fail(
            fmt::format("the number of {} is {}, the largest possible is {}", what, quote(word), most));
    return value;
}

void read_sizes(line_reader& reader, header& h, std::string_view line) {
    const auto words = split(line);
    const std::size_t expected = (h.vector ? 1u : 2u) + (h.array ? 0u : 1u);
    if (words.size() != expected) {
        const char* const names = h.vector  ? (h.array ? "the length" : "length and entries")
                                  : h.array ? "rows and columns"
                                            : "rows, columns and entries";
        reader.fail(fmt::format("the line of sizes must give {} ({}), it has {} words: '{}'", names, expected,
                                words.size(), quote(line)));
    }
    h.rows = read_size(reader, words[0], "rows", max_dimension);
    h.columns = h.vector ? 1 : read_size(reader, words[1], "columns", max_dimension);
    if (h.symmetry != symmetry::general && h.rows != h.columns)
        reader.fail(
            fmt::format("a matrix of {} rows and {} columns is not square, the banner says it is symmetric",
                        h.rows, h.columns));
    h.size_line = reader.line_number();
    if (!h.array) {
        h.entries = read_size(reader, words.back(), "entries", std::numeric_limits<std::int64_t>::max());
    } else if (h.symmetry == symmetry::general) {
        h.entries = h.rows * h.columns;  // below 2^62
    } else {
        h.entries = h.rows * (h.rows + 1) / 2 - (h.symmetry == symmetry::skew_symmetric ? h.rows : 0);
    }
}

}  // namespace

bool is_banner(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('%')) return false;
    line.remove_prefix(line.starts_with("%%") ? 2 : 1);
    return line.size() >= banner_word.size() &&
           equal_ignoring_case(line.substr(0, banner_word.size()), banner_word) &&
           (line.size() == banner_word.size() || is_blank(line[banner_word.size()]));
}

header read_header(line_reader& reader) {
    header h;
    read_banner(reader, h);
    std::string_view line;
    while (reader.next(line)) {
        line = trimmed(line);
        if (line.empty()) continue;
        if (line.starts_with('%')) {
            read_graphblas_comment(reader, h, line);
            continue;
        }
        read_sizes(reader, h, line);
        return h;
    }
    reader.fail("the file ends before the line of sizes");
}

}  // namespace nz::io::matrix_market
