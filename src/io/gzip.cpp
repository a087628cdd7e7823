// Text out of a gzip stream. Whoever needs the next block inflates it, one thread at a time, while the others
// parse theirs: the whole runs at the speed of inflating, and only as many blocks are alive as there are threads. ISA-L
// inflates twice as fast as zlib, which leaves the time to build the matrix.
#include "io/text.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

namespace nz::io {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    throw text_error{nullptr, fmt::format(format, std::forward<Args>(args)...)};
}

class gzip_text final : public text_source {
public:
    gzip_text(const context& ctx, mapped_file file, std::string name)
        : text_source(std::move(name)), ctx_(ctx), file_(std::move(file)) {
        isal_inflate_init(stream_.get());
        stream_->crc_flag = ISAL_GZIP;  // a gzip wrapper, whose checksum and length are then verified
        place_ = file_.begin();
    }

    bool next(text_block& block) override {
        if (block.storage.bytes() == 0) block.storage = buffer(ctx_.memory(), block_bytes + text_padding);
        char* const text = block.storage.as<char>();
        std::size_t size = carry_.size();
        std::memcpy(text, carry_.data(), size);
        carry_.clear();
        while (size < block_bytes && !ended_) size += inflate_some(text + size, block_bytes - size);
        std::size_t whole = size;
        if (!ended_) {
            while (whole > 0 && text[whole - 1] != '\n') --whole;
            if (whole == 0) throw text_error{nullptr, "a line longer than a MiB"};
            carry_.assign(text + whole, size - whole);
        }
        std::memset(text + whole, 0, text_padding);
        block.end = text + whole;
        block.begin = std::exchange(first_, false) ? behind_mark(text, block.end) : text;
        return block.begin != block.end;
    }
    double share() const override {
        return static_cast<double>(place_ - file_.begin()) / static_cast<double>(file_.size());
    }

private:
    std::size_t inflate_some(char* out, std::size_t room) {
        inflate_state& state = *stream_;
        state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(place_));
        state.avail_in = static_cast<std::uint32_t>(
            std::min<std::size_t>(static_cast<std::size_t>(file_.end() - place_), INT_MAX));
        state.next_out = reinterpret_cast<std::uint8_t*>(out);
        state.avail_out = static_cast<std::uint32_t>(room);
        const int code = isal_inflate(&state);
        place_ = reinterpret_cast<const char*>(state.next_in);
        const std::size_t made = room - state.avail_out;
        if (code != ISAL_DECOMP_OK)
            refuse("the gzip data is damaged near byte {}: {}", place_ - file_.begin(), reason(code));
        if (state.block_state == ISAL_BLOCK_FINISH)
            next_member();
        else if (made == 0 && place_ == file_.end())
            refuse("the gzip data is cut off: the file ends after {} bytes, in the middle of a stream",
                   file_.size());
        return made;
    }
    static const char* reason(int code) {
        switch (code) {
            case ISAL_INCORRECT_CHECKSUM:
                return "the checksum or the length is wrong";
            case ISAL_INVALID_WRAPPER:
                return "the header is none of gzip's";
            case ISAL_UNSUPPORTED_METHOD:
                return "it is compressed by another method than deflate";
            case ISAL_INVALID_LOOKBACK:
                return "it refers to text before its begin";
            default:
                return "a block does not decode";
        }
    }
    // A file may hold several streams, and zeros that fill a tape's last record.
    void next_member() {
        const char* p = place_;
        while (p != file_.end() && *p == 0) ++p;
        if (p == file_.end()) {
            ended_ = true;
            return;
        }
        const auto left = file_.bytes().subspan(static_cast<std::size_t>(place_ - file_.begin()));
        if (!is_gzip(left)) refuse("{} bytes that are no gzip data follow the stream", left.size());
        isal_inflate_reset(stream_.get());
        stream_->crc_flag = ISAL_GZIP;
    }

    context ctx_;
    mapped_file file_;
    std::unique_ptr<inflate_state> stream_ = std::make_unique<inflate_state>();
    const char* place_ = nullptr;
    std::string carry_;
    bool first_ = true, ended_ = false;
};

}  // namespace

std::unique_ptr<text_source> open_gzip(const context& ctx, mapped_file file, std::string name) {
    return std::make_unique<gzip_text>(ctx, std::move(file), std::move(name));
}

}  // namespace nz::io
