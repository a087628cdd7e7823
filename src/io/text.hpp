// Text in blocks of whole lines, from a file or out of a gzip stream, parsed by all threads in file order.
#pragma once

#include "core/buffer.hpp"
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "io/mapped_file.hpp"
#include "io/numbers.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nz::io {

/// Whole lines; only the last block of a text may end without '\n'. text_padding bytes behind the end can be
/// read.
struct text_block {
    const char* begin = nullptr;
    const char* end = nullptr;
    buffer storage;  ///< where a gzip stream puts its text; empty for a mapped file
};

/// Where (in the block at hand) and why a text breaks its format; parse_blocks makes an invalid_format of it.
struct text_error {
    const char* where;
    std::string reason;
};

/// Blocks of one text, in order. One caller at a time.
class text_source {
public:
    explicit text_source(std::string name) : name_(std::move(name)) {}
    virtual ~text_source() = default;
    /// Fills in the next block, reusing its storage; false at the end. Throws text_error without a place for
    /// data that cannot be decompressed.
    virtual bool next(text_block& block) = 0;
    /// The share of the input that has been handed out.
    virtual double share() const = 0;
    const std::string& name() const { return name_; }

private:
    std::string name_;
};

/// The text of a file or of bytes in memory: plain, or gzip by its first two bytes.
std::unique_ptr<text_source> open_text(const context& ctx, const std::string& path);
std::unique_ptr<text_source> open_text(const context& ctx, std::span<const std::byte> bytes,
                                       std::string name);
/// The same for a file that has been mapped; gzip: src/io/gzip.cpp.
std::unique_ptr<text_source> open_text(const context& ctx, mapped_file file, std::string name);
std::unique_ptr<text_source> open_gzip(const context& ctx, mapped_file file, std::string name);
bool is_gzip(std::span<const std::byte> bytes);
/// Where a text begins behind the mark that some editors put in front of UTF-8.
const char* behind_mark(const char* begin, const char* end);

/// Lines one at a time, for headers; what is behind them goes on to parse_blocks.
class line_reader {
public:
    explicit line_reader(text_source& source) : source_(source) {}
    /// The next line without its end ('\n' or "\r\n"); false behind the last one.
    bool next(std::string_view& line);
    /// The number of the line that next() gave last, from 1.
    std::int64_t line_number() const { return line_number_; }
    /// Steps back to the begin of the line that next() gave last.
    void unread();
    /// invalid_format for the line that next() gave last (or, behind the end, for the end).
    [[noreturn]] void fail(std::string_view reason) const;

    text_source& source() { return source_; }
    const std::string& source_name() const { return source_.name(); }
    text_block& rest() { return block_; }

private:
    text_source& source_;
    text_block block_;
    const char* last_ = nullptr;
    std::int64_t line_number_ = 0;
};

[[noreturn]] inline void fail_at(std::string_view name, std::int64_t line, std::string_view reason) {
    fail<invalid_format>("{}:{}: {}", name, line, reason);
}

/// What a block's parser leaves; formats add to it.
struct block_record {
    std::int64_t lines = 0;                ///< '\n' in the block
    std::int64_t first_line = 0;           ///< of the block in the file, from 1; filled in when all is parsed
    std::size_t most_entries = 0;          ///< lines, also an unfinished last one
    std::vector<std::uint32_t> skipped{};  ///< for each line without an entry, the entries before it

    void measure(const text_block& block) {
        lines = count_lines(block.begin, block.end);
        most_entries = static_cast<std::size_t>(lines) + (block.begin != block.end && block.end[-1] != '\n');
    }
    std::int64_t last_line() const { return first_line + static_cast<std::int64_t>(most_entries) - 1; }
    /// The line of the block's entry k; there is one a line, except on skipped lines.
    std::int64_t line_of(std::int64_t k) const {
        return first_line + k +
               (std::upper_bound(skipped.begin(), skipped.end(), static_cast<std::uint32_t>(k)) -
                skipped.begin());
    }
};

/// Hands the blocks behind a header to all threads and gives the records in file order. parse(thread, block,
/// record) throws text_error; the first one in the file becomes an invalid_format with file, line and reason.
/// check(records) looks for what lines break together: at all records, or at those up to that first error, which it goes before.
template <class Record, class Parse, class Check>
std::deque<Record> parse_blocks(const context& ctx, line_reader& reader,
                                const std::function<void(double)>& progress, Parse&& parse, Check&& check) {
    struct failure {
        std::size_t block;
        std::int64_t line;  // within the block, from 0
        std::string reason;
    };
    text_source& source = reader.source();
    std::mutex mutex;
    std::deque<Record> records;
    std::optional<failure> first;
    std::exception_ptr other;
    bool ended = false;

    const auto take = [&](text_block& block, double& share) -> Record* {
        const std::lock_guard lock(mutex);
        share = source.share();
        if (ended) return nullptr;
        try {
            const bool header_rest = records.empty() && reader.rest().begin != reader.rest().end;
            if (header_rest)
                std::swap(block, reader.rest());
            else
                ended = !source.next(block);
        } catch (text_error& e) {
            ended = true;
            if (!first) first = failure{records.size(), 0, std::move(e.reason)};
        }
        return ended ? nullptr : &records.emplace_back();
    };
    const auto work = [&](int thread) {
        text_block block;
        double share = 0;
        while (Record* record = take(block, share)) {
            if (progress && thread == 0) progress(share);
            try {
                parse(thread, std::as_const(block), *record);
            } catch (text_error& e) {
                const std::lock_guard lock(mutex);
                const auto index =
                    static_cast<std::size_t>(std::find_if(records.begin(), records.end(),
                                                          [&](const Record& r) { return &r == record; }) -
                                             records.begin());
                if (!first || index < first->block)
                    first = failure{index, count_lines(block.begin, e.where), std::move(e.reason)};
                ended = true;
            }
        }
    };
    parallel::run(ctx.threads(), [&](int thread, int) {
        try {
            work(thread);
        } catch (...) {
            const std::lock_guard lock(mutex);
            ended = true;
            if (!other) other = std::current_exception();
        }
    });
    std::int64_t line = reader.line_number() + 1;
    for (std::size_t k = 0; k < records.size(); ++k) {
        records[k].first_line = line;
        if (first && first->block == k) break;
        line += records[k].lines;
    }
    if (first) {
        records.resize(std::min(records.size(), first->block + 1));
        check(std::as_const(records));
        fail_at(source.name(), line + first->line, first->reason);
    }
    if (other) std::rethrow_exception(other);
    check(std::as_const(records));
    if (progress) progress(source.share());  // whoever read the last block, the caller hears of the end
    return records;
}

}  // namespace nz::io
