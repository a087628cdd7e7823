#include "io/text.hpp"

#include <algorithm>
#include <cstring>

namespace nz::io {
namespace {

// Small enough for a core's second cache, large enough that handing out costs nothing.
constexpr std::size_t block_most = std::size_t{1} << 20, block_least = std::size_t{1} << 16;

class plain_text final : public text_source {
public:
    plain_text(const context& ctx, mapped_file file, std::string name)
        : text_source(std::move(name)),
          file_(std::move(file)),
          place_(behind_mark(file_.begin(), file_.end())),
          block_bytes_(std::clamp(file_.size() / (static_cast<std::size_t>(ctx.threads()) * 8), block_least,
                                  block_most)) {}

    bool next(text_block& block) override {
        if (place_ == file_.end()) return false;
        block.begin = place_;
        if (static_cast<std::size_t>(file_.end() - place_) <= block_bytes_) {
            place_ = file_.end();
        } else {
            const char* const near = place_ + block_bytes_;
            const void* const newline = std::memchr(near, '\n', static_cast<std::size_t>(file_.end() - near));
            place_ = newline ? static_cast<const char*>(newline) + 1 : file_.end();
        }
        block.end = place_;
        return true;
    }
    double share() const override {
        return file_.size() ? static_cast<double>(place_ - file_.begin()) / static_cast<double>(file_.size())
                            : 1;
    }

private:
    mapped_file file_;
    const char* place_;
    std::size_t block_bytes_;
};

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

const char* behind_mark(const char* begin, const char* end) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return std::string_view(begin, end).starts_with(mark) ? begin + mark.size() : begin;
}

std::unique_ptr<text_source> open_text(const context& ctx, mapped_file file, std::string name) {
    if (is_gzip(file.bytes())) return open_gzip(ctx, std::move(file), std::move(name));
    return std::make_unique<plain_text>(ctx, std::move(file), std::move(name));
}
std::unique_ptr<text_source> open_text(const context& ctx, const std::string& path) {
    return open_text(ctx, mapped_file(ctx, path), path);
}
std::unique_ptr<text_source> open_text(const context& ctx, std::span<const std::byte> bytes,
                                       std::string name) {
    return open_text(ctx, mapped_file(ctx, bytes), std::move(name));
}

bool line_reader::next(std::string_view& line) {
    if (block_.begin == block_.end) {
        try {
            if (!source_.next(block_)) {
                block_.begin = block_.end = last_ = nullptr;
                return false;
            }
        } catch (const text_error& e) {
            fail_at(source_.name(), line_number_ + 1, e.reason);
        }
    }
    last_ = block_.begin;
    ++line_number_;
    const void* const newline =
        std::memchr(block_.begin, '\n', static_cast<std::size_t>(block_.end - block_.begin));
    const char* stop = newline ? static_cast<const char*>(newline) : block_.end;
    block_.begin = newline ? stop + 1 : stop;
    if (stop > last_ && stop[-1] == '\r') --stop;
    line = {last_, static_cast<std::size_t>(stop - last_)};
    return true;
}

void line_reader::unread() {
    block_.begin = last_;
    --line_number_;
}

void line_reader::fail(std::string_view reason) const {
    fail_at(source_.name(), std::max<std::int64_t>(line_number_, 1), reason);
}

}  // namespace nz::io
