// Text out of a gzip stream. Whoever needs the next block inflates it, one thread at a time, while the others
// parse theirs: the whole runs at the speed of zlib, and only as many blocks are alive as there are threads.
#include "io/text.hpp"

#include <zlib.h>

#include <algorithm>
#include <climits>
#include <cstring>

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
        // 15: the largest window; 16: a gzip wrapper, whose checksum and length zlib then verifies.
        require<out_of_memory>(inflateInit2(&stream_, 15 + 16) == Z_OK, "zlib has no memory to inflate {}",
                               this->name());
        place_ = file_.begin();
    }
    ~gzip_text() override { inflateEnd(&stream_); }

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
        block.begin = text;
        block.end = text + whole;
        return whole > 0;
    }
    double share() const override {
        return static_cast<double>(place_ - file_.begin()) / static_cast<double>(file_.size());
    }

private:
    std::size_t inflate_some(char* out, std::size_t room) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(place_));
        stream_.avail_in =
            static_cast<uInt>(std::min<std::size_t>(static_cast<std::size_t>(file_.end() - place_), INT_MAX));
        stream_.next_out = reinterpret_cast<Bytef*>(out);
        stream_.avail_out = static_cast<uInt>(room);
        const int code = ::inflate(&stream_, Z_NO_FLUSH);
        place_ = reinterpret_cast<const char*>(stream_.next_in);
        const std::size_t made = room - stream_.avail_out;
        const auto position = place_ - file_.begin();
        if (code == Z_STREAM_END) {
            next_member();
        } else if (code == Z_BUF_ERROR || (code == Z_OK && made == 0 && place_ == file_.end())) {
            refuse("the gzip data is cut off: the file ends after {} bytes, in the middle of a stream",
                   file_.size());
        } else if (code != Z_OK) {
            refuse("the gzip data is damaged near byte {}: {}", position,
                   stream_.msg ? stream_.msg : "zlib gives no reason");
        }
        return made;
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
        inflateReset(&stream_);
    }

    context ctx_;
    mapped_file file_;
    z_stream stream_{};
    const char* place_ = nullptr;
    std::string carry_;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<text_source> open_gzip(const context& ctx, mapped_file file, std::string name) {
    return std::make_unique<gzip_text>(ctx, std::move(file), std::move(name));
}

}  // namespace nz::io
