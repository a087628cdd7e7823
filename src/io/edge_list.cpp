#include "io/edge_list.hpp"

#include "core/bits.hpp"
#include "io/tuples.hpp"
#include "io/words.hpp"
#include "storage/matrix_body.hpp"

#include <bit>
#include <limits>

namespace nz::io::edge_list {
namespace {

// A 64-bit weight: an integer until the block meets one that is none.
union weight {
    std::int64_t whole;
    double real;
};

struct edges_record : block_record {
    void* sources = nullptr;
    void* targets = nullptr;
    bool narrow = false;  // the ids of this block are index_t, not std::int64_t
    weight* weights = nullptr;
    offset_t count = 0;
    int columns = 0;    // 2 or 3, by the block's first edge
    bool real = false;  // the weights are doubles
    std::int64_t least = std::numeric_limits<std::int64_t>::max(),
                 most = std::numeric_limits<std::int64_t>::min();

    std::int64_t id(const void* ids, offset_t k) const {
        return narrow ? static_cast<const index_t*>(ids)[k] : static_cast<const std::int64_t*>(ids)[k];
    }
    std::int64_t source(offset_t k) const { return id(sources, k); }
    std::int64_t target(offset_t k) const { return id(targets, k); }
};

[[noreturn]] void refuse(std::string_view where, std::string reason) {
    throw text_error{where.data(), std::move(reason)};
}

// Blanks with at most one comma among them.
bool skip_separator(const char*& p) {
    const char* const start = p;
    skip_blanks(p);
    if (*p == ',') ++p;
    skip_blanks(p);
    return p != start;
}

std::string_view next_column(std::string_view& line) {
    const char* p = line.data();
    const char* const end = p + line.size();
    while (p != end && !is_space(*p) && *p != ',') ++p;
    const std::string_view word = line.substr(0, static_cast<std::size_t>(p - line.data()));
    bool comma = false;
    while (p != end && (is_space(*p) || (*p == ',' && !comma))) comma |= *p++ == ',';
    line.remove_prefix(static_cast<std::size_t>(p - line.data()));
    return word;
}

// What the ids of a file may be.
struct id_range {
    std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                 most = std::numeric_limits<std::int64_t>::max();
    bool holds(std::int64_t id) const { return id >= least && id <= most; }
};

// Where a thread keeps the ids of the block at hand, until their range is known.
struct id_scratch {
    buffer sources, targets;
    void grow(const context& ctx, std::size_t bytes) {
        if (sources.bytes() >= bytes) return;
        sources = buffer(ctx.memory(), bytes);
        targets = buffer(ctx.memory(), bytes);
    }
};

class block_parser {
public:
    block_parser(const text_block& block, id_range possible, tuple_arena& arena, id_scratch& scratch,
                 edges_record& record)
        : block_(block), possible_(possible), arena_(arena), scratch_(scratch), record_(record) {}

    void run(const context& ctx) {
        record_.measure(block_);
        scratch_.grow(ctx, record_.most_entries * sizeof(std::int64_t));
        for (const char* p = block_.begin; p < block_.end;) {
            const char* q = p;
            if (read_edge(q)) [[likely]] {
                p = q;
                continue;
            }
            const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(block_.end - p));
            const char* const stop = newline ? static_cast<const char*>(newline) : block_.end;
            parse_edge(std::string_view(p, static_cast<std::size_t>(stop - p)));
            p = newline ? stop + 1 : stop;
        }
        record_.narrow = record_.least >= 0 && record_.most < max_dimension;
        if (record_.narrow)
            keep<index_t>();
        else
            keep<std::int64_t>();
    }

private:
    template <class Id>
    void keep() {
        const auto count = static_cast<std::size_t>(record_.count);
        const auto copy = [&](const buffer& from) {
            auto* const ids = static_cast<Id*>(arena_.take(count * sizeof(Id)));
            std::transform(from.as<std::int64_t>(), from.as<std::int64_t>() + count, ids,
                           [](std::int64_t id) { return static_cast<Id>(id); });
            return ids;
        };
        record_.sources = copy(scratch_.sources);
        record_.targets = copy(scratch_.targets);
    }

    void store(std::int64_t source, std::int64_t target) {
        scratch_.sources.as<std::int64_t>()[record_.count] = source;
        scratch_.targets.as<std::int64_t>()[record_.count] = target;
        ++record_.count;
        record_.least = std::min({record_.least, source, target});
        record_.most = std::max({record_.most, source, target});
    }

    // A line as nearly all are: numbers with blanks or a comma between them.
    bool read_edge(const char*& p) {
        std::int64_t source, target;
        weight w;
        skip_blanks(p);
        if (record_.columns == 0 || !read_integer(p, source) || !skip_separator(p) ||
            !read_integer(p, target) || !possible_.holds(source) || !possible_.holds(target))
            return false;
        if (record_.columns == 3) {
            if (!skip_separator(p)) return false;
            if (record_.real ? !read_real(p, block_.end, w.real) : !read_integer(p, w.whole)) return false;
        }
        skip_blanks(p);
        if (*p == '\r') ++p;
        if (*p++ != '\n') return false;
        if (record_.columns == 3) record_.weights[record_.count] = w;
        store(source, target);
        return true;
    }

    // The same with any spelling, comments and blank lines.
    void parse_edge(std::string_view line) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#' || line.front() == '%') {
            record_.skipped.push_back(static_cast<std::uint32_t>(record_.count));
            return;
        }
        const std::string_view whole = line;
        std::string_view words[3];
        int columns = 0;
        while (!line.empty() && columns < 3) words[columns++] = next_column(line);
        if (columns < 2 || !line.empty())
            refuse(whole,
                   fmt::format("an edge is 'source target' or 'source target weight', this line is '{}'",
                               quote(whole)));
        if (record_.columns == 0) set_columns(columns);
        if (columns != record_.columns)
            refuse(whole, fmt::format("this line has {} numbers, those before it have {}", columns,
                                      record_.columns));
        const std::int64_t source = parse_id(words[0], "source"), target = parse_id(words[1], "target");
        if (columns == 3) parse_weight(words[2]);
        store(source, target);
    }

    void set_columns(int columns) {
        record_.columns = columns;
        if (columns == 3)
            record_.weights = static_cast<weight*>(arena_.take(record_.most_entries * sizeof(weight)));
    }

    std::int64_t parse_id(std::string_view word, const char* what) {
        std::int64_t id = 0;
        const number_fault fault = parse_integer(word, id);
        if (fault == number_fault::not_a_number)
            refuse(word, fmt::format("the {} '{}' is no integer", what, quote(word)));
        if (fault == number_fault::too_large)
            refuse(word, fmt::format("the {} {} does not fit 64 bits", what, quote(word)));
        if (!possible_.holds(id))
            refuse(word, possible_.most < 0 ? "an edge, where the file is said to have no vertices"
                                            : fmt::format("vertex {} is outside 0..{}", id, possible_.most));
        return id;
    }

    void parse_weight(std::string_view word) {
        weight& w = record_.weights[record_.count];
        if (!record_.real && parse_integer(word, w.whole) == number_fault::none) return;
        double value = 0;
        const number_fault fault = parse_real(word, value);
        if (fault == number_fault::not_a_number)
            refuse(word, fmt::format("the weight '{}' is no number", quote(word)));
        if (fault == number_fault::too_large)
            refuse(word, fmt::format("the weight '{}' does not fit float64", quote(word)));
        if (!record_.real) make_real(record_);
        w.real = value;
    }

public:
    static void make_real(edges_record& record) {
        for (offset_t k = 0; k < record.count; ++k)
            record.weights[k].real = static_cast<double>(record.weights[k].whole);
        record.real = true;
    }

private:
    const text_block& block_;
    id_range possible_;
    tuple_arena& arena_;
    id_scratch& scratch_;
    edges_record& record_;
};

using records_type = std::deque<edges_record>;

template <class F>
void for_records(const context& ctx, records_type& records, F&& f) {
    parallel::for_pieces(
        ctx.threads(), static_cast<offset_t>(records.size()),
        [&](offset_t first, offset_t last) {
            for (offset_t r = first; r < last; ++r) f(records[r]);
        },
        1, 2);
}

// Ids that occur, ascending, and the place of each among them.
class id_table {
public:
    id_table(const context& ctx, records_type& records, std::int64_t least, std::int64_t most, offset_t edges)
        : least_(least) {
        // A bitmap over the range of ids where that is not much larger than the list itself; sorting else.
        const auto range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
        by_bitmap_ = range / 64 < static_cast<std::uint64_t>(edges) + 1024;
        if (by_bitmap_)
            mark(ctx, records, static_cast<std::size_t>(range / 64 + 1));
        else
            sort(ctx, records, edges);
    }

    offset_t size() const { return size_; }
    std::int64_t place(std::int64_t id) const {
        if (!by_bitmap_)
            return std::lower_bound(sorted_.begin(), sorted_.begin() + size_, id) - sorted_.begin();
        const std::uint64_t at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least_);
        return before_[at / 64] + std::popcount(words_[at / 64] & ((bits::word{1} << (at % 64)) - 1));
    }
    std::vector<std::int64_t> list() const {
        if (!by_bitmap_) return {sorted_.begin(), sorted_.begin() + size_};
        std::vector<std::int64_t> ids;
        ids.reserve(static_cast<std::size_t>(size_));
        for (std::size_t w = 0; w < words_.size(); ++w)
            bits::for_each(words_[w], 0, [&](offset_t bit) {
                ids.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(least_) + w * 64 +
                                                        static_cast<std::uint64_t>(bit)));
            });
        return ids;
    }

private:
    void mark(const context& ctx, records_type& records, std::size_t words) {
        words_ = array<bits::word>(ctx, words);
        before_ = array<std::int64_t>(ctx, words);
        words_.fill(0);
        const auto set = [&](std::int64_t id) {
            const std::uint64_t at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least_);
            words_[at / 64] |= bits::word{1} << (at % 64);
        };
        for (const edges_record& r : records)
            for (offset_t k = 0; k < r.count; ++k) set(r.source(k)), set(r.target(k));
        for (std::size_t w = 0; w < words; ++w) {
            before_[w] = size_;
            size_ += std::popcount(words_[w]);
        }
    }
    void sort(const context& ctx, records_type& records, offset_t edges) {
        sorted_ = array<std::int64_t>(ctx, static_cast<std::size_t>(2 * edges));
        std::int64_t* out = sorted_.data();
        for (const edges_record& r : records) {
            for (offset_t k = 0; k < r.count; ++k) *out++ = r.source(k), *out++ = r.target(k);
        }
        std::sort(sorted_.begin(), out);
        size_ = std::unique(sorted_.begin(), out) - sorted_.begin();
    }

    std::int64_t least_;
    bool by_bitmap_;
    offset_t size_ = 0;
    array<bits::word> words_;
    array<std::int64_t> before_, sorted_;
};

// All blocks must agree on the columns.
void check_columns(const std::string& name, const records_type& records) {
    int columns = 0;
    for (const edges_record& r : records) {
        if (r.count == 0) continue;
        if (columns == 0) columns = r.columns;
        if (r.columns != columns)
            fail_at(name, r.line_of(0),
                    fmt::format("this line has {} numbers, those before it have {}", r.columns, columns));
    }
}

// All blocks get the same type of weights. Returns the number of edges.
offset_t unify(records_type& records) {
    offset_t edges = 0;
    bool real = false;
    for (const edges_record& r : records) {
        edges += r.count;
        real |= r.real;
    }
    for (edges_record& r : records)
        if (real && !r.real && r.count) block_parser::make_real(r);
    return edges;
}

// "# nonzero vertices N" among the comments in front; negative without.
offset_t read_size_comment(line_reader& reader) {
    std::string_view line;
    offset_t declared = -1;
    while (reader.next(line)) {
        line = trimmed(line);
        if (!line.empty() && line.front() != '#' && line.front() != '%') {
            reader.unread();
            break;
        }
        if (!line.starts_with(size_comment)) continue;
        const std::string_view word = trimmed(line.substr(size_comment.size()));
        offset_t vertices = 0;
        if (parse_integer(word, vertices) != number_fault::none || vertices < 0 || vertices > max_dimension)
            reader.fail(fmt::format("'{}' is no number of vertices", quote(word)));
        declared = vertices;
    }
    return declared;
}

// Turns ids into rows, 32 bits each, in the memory of the ids; `place` gives the row.
template <class Place>
std::vector<storage::tuple_chunk> number_edges(const context& ctx, records_type& records, Place&& place) {
    for_records(ctx, records, [&](edges_record& r) {
        for (void* ids : {r.sources, r.targets})
            for (offset_t k = 0; k < r.count; ++k) {
                const auto row = static_cast<index_t>(place(r.id(ids, k)));
                std::memcpy(static_cast<char*>(ids) + k * static_cast<offset_t>(sizeof row), &row,
                            sizeof row);
            }
    });
    std::vector<storage::tuple_chunk> chunks;
    for (const edges_record& r : records)
        if (r.count)
            chunks.push_back({static_cast<const index_t*>(r.sources), static_cast<const index_t*>(r.targets),
                              r.weights, r.count});
    return chunks;
}

// The first of an edge's lines counts. With both directions, a direction with a line of its own keeps that one's weight: all
// mirrored edges stand behind all edges.
storage::csr build(const context& ctx, dtype type, index_t vertices,
                   std::vector<storage::tuple_chunk>& chunks, bool both_directions,
                   const std::function<void()>& tuples_read) {
    const bool pattern = type == dtype::boolean;
    if (both_directions && !pattern) {
        const std::size_t count = chunks.size();
        chunks.reserve(2 * count);
        for (std::size_t k = 0; k < count; ++k)
            chunks.push_back({chunks[k].columns, chunks[k].rows, chunks[k].values, chunks[k].count});
    }
    return storage::assemble(ctx, type, pattern ? value_kind::pattern : value_kind::full, vertices, vertices,
                             chunks,
                             both_directions && pattern ? storage::mirror::symmetric : storage::mirror::none,
                             binary_id::first, tuples_read);
}

// Whether (i, j) and (j, i) have the same weight, where both are there always. Rows are walked in order, so that each one's entries
// left of the diagonal are met in order too.
bool has_equal_directions(const context& ctx, const storage::csr& a) {
    if (a.kind == value_kind::pattern) return true;
    const auto* const weights = a.values.as<const std::uint64_t>();
    return storage::with_offsets(a, [&]<class Offset>(const Offset* offsets) {
        array<Offset> next(ctx, static_cast<std::size_t>(a.rows));
        std::copy_n(offsets, a.rows, next.data());
        for (index_t i = 0; i < a.rows; ++i)
            for (Offset k = next[i]; k < offsets[i + 1]; ++k)
                if (weights[k] != weights[next[a.index_data()[k]]++]) return false;
        return true;
    });
}

}  // namespace

input read(const context& ctx, text_source& source, ids meaning, const read_options& options) {
    line_reader reader(source);
    const offset_t declared = meaning == ids::rows ? read_size_comment(reader) : -1;
    const offset_t last = declared >= 0 ? declared : max_dimension;
    const id_range possible = meaning == ids::rows ? id_range{0, last - 1} : id_range{};
    auto arenas = make_arenas(ctx);
    std::vector<id_scratch> scratch(arenas.size());
    auto records = parse_blocks<edges_record>(
        ctx, reader, options.progress,
        [&](int thread, const text_block& block, edges_record& record) {
            block_parser(block, possible, arenas[thread], scratch[thread], record).run(ctx);
        },
        [&](const records_type& parsed) { check_columns(source.name(), parsed); });
    scratch.clear();
    const offset_t edges = unify(records);
    if (edges == 0 && declared < 0)
        reader.fail("there are no edges in the file, so nothing says how many vertices it means");
    std::int64_t least = std::numeric_limits<std::int64_t>::max(),
                 most = std::numeric_limits<std::int64_t>::min();
    dtype type = dtype::boolean;
    for (const edges_record& r : records) {
        if (r.count == 0) continue;
        least = std::min(least, r.least);
        most = std::max(most, r.most);
        if (r.columns == 3) type = r.real ? dtype::float64 : dtype::int64;
    }
    bool fits = edges == 0 || (least >= 0 && most < last);
    std::optional<id_table> table;
    if (meaning == ids::names) {
        table.emplace(ctx, records, least, most, edges);
        // Too many rows that no edge names would only cost memory.
        fits = fits && most < 4 * table->size();
    }
    const offset_t vertices = !fits ? table->size() : declared >= 0 ? declared : most + 1;
    require<not_supported>(vertices <= max_dimension, "{}: {} vertices: the largest dimension is {}",
                           source.name(), vertices, max_dimension);
    std::vector<std::int64_t> original;
    if (!fits) original = table->list();
    auto chunks = fits ? number_edges(ctx, records, [](std::int64_t id) { return id; })
                       : number_edges(ctx, records, [&](std::int64_t id) { return table->place(id); });
    table.reset();
    const auto n = static_cast<index_t>(vertices);
    storage::csr a = build(ctx, type, n, chunks, options.symmetrize, [&] { arenas.clear(); });
    const bool symmetric = options.symmetrize && has_equal_directions(ctx, a);
    auto body = std::make_shared<storage::matrix_body>(ctx, std::move(a));
    if (symmetric) body->declare_symmetric();
    return {matrix(std::move(body)), "edge list", symmetric, std::move(original)};
}

input read(const context& ctx, std::span<const std::byte> bytes, std::string name, ids meaning,
           const read_options& options) {
    return read(ctx, *open_text(ctx, bytes, std::move(name)), meaning, options);
}

}  // namespace nz::io::edge_list
