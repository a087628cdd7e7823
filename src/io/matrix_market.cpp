#include "io/matrix_market.hpp"

#include "io/tuples.hpp"
#include "io/words.hpp"
#include "storage/matrix_body.hpp"

#include <cmath>
#include <limits>

namespace nz::io::matrix_market {
namespace {

struct entries_record : block_record {
    tuple_room room;
    offset_t count = 0;
};

[[noreturn]] void refuse(std::string_view where, std::string reason) {
    throw text_error{where.data(), std::move(reason)};
}

std::string_view value_word(std::string_view& line) {
    const std::string_view word = next_word(line);
    if (word.empty()) refuse(line, "the value is missing");
    return word;
}
void check_number(number_fault fault, std::string_view word, const char* kind, dtype type) {
    if (fault == number_fault::not_a_number)
        refuse(word, fmt::format("the value '{}' is no {}", quote(word), kind));
    if (fault == number_fault::too_large)
        refuse(word, fmt::format("the value '{}' does not fit {}", quote(word), name_of(type)));
}

// How the values of a field are read: at once where they are written plainly (false: look again, carefully),
// and carefully, with a reason where they cannot be read.
struct no_value {
    using type = bool;
    static constexpr std::size_t bytes = 0;
    static bool read(const char*&, const char*, bool&) { return true; }
    static void parse(std::string_view&, bool&) {}
};
template <class T>
struct integer_value {
    using type = T;
    static constexpr std::size_t bytes = sizeof(T);
    static bool read(const char*& p, const char*, T& out) { return read_integer(p, out); }
    static void parse(std::string_view& line, T& out) {
        const std::string_view word = value_word(line);
        check_number(parse_integer(word, out), word, "integer", dtype_of<T>);
    }
};
template <class T>
struct real_value {
    using type = T;
    static constexpr std::size_t bytes = sizeof(T);
    static bool read(const char*& p, const char* end, T& out) { return read_real(p, end, out); }
    static void parse(std::string_view& line, T& out) {
        const std::string_view word = value_word(line);
        check_number(parse_real(word, out), word, "number", dtype_of<T>);
    }
};
struct modulus_value {
    using type = double;
    static constexpr std::size_t bytes = sizeof(double);
    static bool read(const char*& p, const char* end, double& out) {
        double re, im;
        if (!read_real(p, end, re) || !skip_blanks(p) || !read_real(p, end, im)) return false;
        out = std::hypot(re, im);
        return true;
    }
    static void parse(std::string_view& line, double& out) {
        double re = 0, im = 0;
        real_value<double>::parse(line, re);
        const std::string_view word = next_word(line);
        if (word.empty()) refuse(line, "the imaginary part is missing");
        check_number(parse_real(word, im), word, "number", dtype::float64);
        out = std::hypot(re, im);
    }
};

struct coordinate {
    std::uint64_t row = 0, column = 1;  // from 1; a vector names no column
};

// Whether the mirrored entry of a skew-symmetric matrix can hold -value: all but the smallest integer have one.
template <class T>
bool has_mirror(const header& h, T value) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return h.symmetry != symmetry::skew_symmetric || value != std::numeric_limits<T>::min();
    else
        return true;
}
template <class T>
void check_mirror(const header& h, std::string_view where, T value) {
    if (!has_mirror(h, value))
        refuse(where, fmt::format("the value {} has a mirror that does not fit {}", value, name_of(h.type)));
}

// One line as nearly all are: numbers with blanks between them, nothing else.
template <class Value>
bool read_entry(const header& h, const char*& p, const char* end, coordinate& at,
                typename Value::type& value) {
    skip_blanks(p);
    if (!read_unsigned(p, at.row)) return false;
    if (!h.vector && (!skip_blanks(p) || !read_unsigned(p, at.column))) return false;
    if (Value::bytes && (!skip_blanks(p) || !Value::read(p, end, value))) return false;
    skip_blanks(p);
    if (*p == '\r') ++p;
    return *p++ == '\n' && at.row - 1 < static_cast<std::uint64_t>(h.rows) &&
           at.column - 1 < static_cast<std::uint64_t>(h.columns) &&
           (h.symmetry != symmetry::skew_symmetric || at.row != at.column) && has_mirror(h, value);
}

std::uint64_t parse_index(std::string_view& line, const char* what, offset_t size) {
    const std::string_view word = next_word(line);
    if (word.empty()) refuse(line, fmt::format("the {} is missing", what));
    std::int64_t index = 0;
    const number_fault fault = parse_integer(word, index);
    if (fault == number_fault::not_a_number)
        refuse(word, fmt::format("the {} '{}' is no integer", what, quote(word)));
    if (fault == number_fault::too_large || index < 1 || index > size)
        refuse(word, size ? fmt::format("{} {} is outside 1..{}", what, quote(word), size)
                          : fmt::format("{} {} is outside the matrix, which has none", what, quote(word)));
    return static_cast<std::uint64_t>(index);
}

void check_end(std::string_view line) {
    line = trimmed(line);
    if (!line.empty()) refuse(line, fmt::format("'{}' stands behind the entry", quote(line)));
}

// The same with any blanks and spelling; false for a line without an entry.
template <class Value>
bool parse_entry(const header& h, std::string_view line, coordinate& at, typename Value::type& value) {
    const std::string_view whole = trimmed(line);
    if (whole.empty() || whole.front() == '%') return false;
    line = whole;
    at.row = parse_index(line, "row", h.rows);
    if (!h.vector) at.column = parse_index(line, "column", h.columns);
    Value::parse(line, value);
    check_end(line);
    if (h.symmetry == symmetry::skew_symmetric && at.row == at.column && value != 0)
        refuse(whole, fmt::format("entry ({0}, {0}) of a skew-symmetric matrix must be 0", at.row));
    check_mirror(h, whole, value);
    return true;
}

// Calls read(p), which may decline a line, then parse(line), for every line of a block; both say whether they
// stored one.
template <class Read, class Parse>
void each_line(const text_block& block, entries_record& record, Read&& read, Parse&& parse) {
    for (const char* p = block.begin; p < block.end;) {
        const char* q = p;
        if (read(q)) [[likely]] {
            ++record.count;
            p = q;
            continue;
        }
        const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(block.end - p));
        const char* const stop = newline ? static_cast<const char*>(newline) : block.end;
        if (parse(std::string_view(p, static_cast<std::size_t>(stop - p))))
            ++record.count;
        else
            record.skipped.push_back(static_cast<std::uint32_t>(record.count));
        p = newline ? stop + 1 : stop;
    }
}

template <class Value>
void parse_coordinates(const header& h, const text_block& block, tuple_arena& arena, entries_record& record) {
    using T = typename Value::type;
    record.measure(block);
    record.room = arena.take_tuples(record.most_entries, Value::bytes);
    T* const values = static_cast<T*>(record.room.values);
    const tuple_room room = record.room;
    coordinate at;
    T value{};
    offset_t k = 0;
    const auto store = [&] {
        room.rows[k] = static_cast<index_t>(at.row - 1);
        room.columns[k] = static_cast<index_t>(at.column - 1);
        if constexpr (Value::bytes != 0) values[k] = value;
        ++k;
        return true;
    };
    each_line(
        block, record,
        [&](const char*& p) { return read_entry<Value>(h, p, block.end, at, value) && store(); },
        [&](std::string_view line) { return parse_entry<Value>(h, line, at, value) && store(); });
}

// Values only: which place each belongs to is known when all blocks are counted.
template <class Value>
void parse_values(const header& h, const text_block& block, tuple_arena& arena, entries_record& record) {
    using T = typename Value::type;
    record.measure(block);
    record.room = arena.take_tuples(record.most_entries, Value::bytes);
    T* values = static_cast<T*>(record.room.values);
    each_line(
        block, record,
        [&](const char*& p) {
            skip_blanks(p);
            if (!Value::read(p, block.end, *values)) return false;
            skip_blanks(p);
            if (*p == '\r') ++p;
            if (*p++ != '\n' || !has_mirror(h, *values)) return false;
            ++values;
            return true;
        },
        [&](std::string_view line) {
            line = trimmed(line);
            if (line.empty() || line.front() == '%') return false;
            const std::string_view whole = line;
            Value::parse(line, *values);
            check_end(line);
            check_mirror(h, whole, *values++);
            return true;
        });
}

// Names the rows and columns of an array's values; `k` is the number of the record's first one.
void place_values(const header& h, offset_t k, entries_record& record) {
    const bool triangle = h.symmetry != symmetry::general;
    const offset_t below =
        h.symmetry == symmetry::skew_symmetric ? 1 : 0;  // the first row stored, under the diagonal
    offset_t j = 0, i = 0;
    if (triangle) {
        for (; j < h.columns && k >= h.rows - j - below; ++j) k -= h.rows - j - below;
        i = j + below + k;
    } else {
        j = k / h.rows;
        i = k % h.rows;
    }
    for (offset_t n = 0; n < record.count; ++n) {
        record.room.rows[n] = static_cast<index_t>(i);
        record.room.columns[n] = static_cast<index_t>(j);
        if (++i == h.rows) {
            ++j;
            i = triangle ? j + below : 0;
        }
    }
}

// Throws for more entries than declared; returns how many there are.
offset_t check_count(const header& h, const line_reader& reader, const std::deque<entries_record>& records) {
    offset_t count = 0;
    for (const entries_record& record : records) {
        if (record.count > h.entries - count)
            fail_at(reader.source_name(), record.line_of(h.entries - count),
                    fmt::format("one entry more than the {} that line {} declares", h.entries, h.size_line));
        count += record.count;
    }
    return count;
}

void check_end_of_file(const header& h, const line_reader& reader,
                       const std::deque<entries_record>& records) {
    if (const offset_t count = check_count(h, reader, records); count < h.entries)
        fail_at(reader.source_name(), records.empty() ? reader.line_number() : records.back().last_line(),
                fmt::format("the file ends after {} entries, line {} declares {}", count, h.size_line,
                            h.entries));
}

// All entries, checked: what the file says, not yet a matrix. The records point into the arenas.
template <class Value>
std::deque<entries_record> parse_entries(const context& ctx, line_reader& reader, const header& h,
                                         const read_options& options, std::vector<tuple_arena>& arenas) {
    auto records = parse_blocks<entries_record>(
        ctx, reader, options.progress,
        [&](int thread, const text_block& block, entries_record& record) {
            if (h.array)
                parse_values<Value>(h, block, arenas[thread], record);
            else
                parse_coordinates<Value>(h, block, arenas[thread], record);
        },
        [&](const auto& parsed) { check_count(h, reader, parsed); });
    check_end_of_file(h, reader, records);
    return records;
}

template <class Value>
input read_entries(const context& ctx, line_reader& reader, const header& h, const read_options& options) {
    auto arenas = make_arenas(ctx);
    auto records = parse_entries<Value>(ctx, reader, h, options, arenas);
    std::vector<storage::tuple_chunk> chunks;
    offset_t count = 0;
    for (entries_record& record : records) {
        if (record.count == 0) continue;
        if (h.array) place_values(h, count, record);
        chunks.push_back(record.room.chunk(record.count));
        count += record.count;
    }
    const bool equal =
        h.symmetry == symmetry::symmetric || h.symmetry == symmetry::hermitian || h.field == field::complex;
    const auto mirror = h.symmetry == symmetry::general ? storage::mirror::none
                        : equal                         ? storage::mirror::symmetric
                                                        : storage::mirror::skew_symmetric;
    auto body = std::make_shared<storage::matrix_body>(
        ctx, storage::assemble(ctx, h.type, Value::bytes ? value_kind::full : value_kind::pattern,
                               static_cast<index_t>(h.rows), static_cast<index_t>(h.columns), chunks, mirror,
                               binary_id::plus, [&] { arenas.clear(); }));
    if (mirror == storage::mirror::symmetric) body->declare_symmetric();
    return {matrix(std::move(body)), "matrix market", mirror == storage::mirror::symmetric};
}

// Calls f.operator()<Value>() with the way in which the header's values are read.
template <class F>
auto with_values(const line_reader& reader, const header& h, const read_options& options, F&& f) {
    if (h.field == field::pattern) return f.template operator()<no_value>();
    if (h.field == field::complex) {
        if (!options.complex_modulus)
            fail_at(
                reader.source_name(), 1,
                "the values are complex numbers, which a matrix cannot hold; the option complex_modulus (--complex-modulus) reads "
                "them as |z|");
        return f.template operator()<modulus_value>();
    }
    return dispatch(h.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T>)
            return f.template operator()<real_value<T>>();
        else
            return f.template operator()<integer_value<T>>();
    });
}

}  // namespace

input read(const context& ctx, text_source& source, const read_options& options) {
    line_reader reader(source);
    const header h = read_header(reader);
    return with_values(reader, h, options,
                       [&]<class Value> { return read_entries<Value>(ctx, reader, h, options); });
}

offset_t check(const context& ctx, text_source& source, const read_options& options) {
    line_reader reader(source);
    const header h = read_header(reader);
    return with_values(reader, h, options, [&]<class Value> {
        auto arenas = make_arenas(ctx);
        parse_entries<Value>(ctx, reader, h, options, arenas);
        return h.entries;
    });
}

input read(const context& ctx, std::span<const std::byte> bytes, std::string name,
           const read_options& options) {
    return read(ctx, *open_text(ctx, bytes, std::move(name)), options);
}

}  // namespace nz::io::matrix_market
