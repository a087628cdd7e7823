#include "io/gzip_writer.hpp"

#include "core/checks.hpp"

#include <zlib.h>

#include <vector>

namespace nz::io {

struct gzip_writer::state {
    z_stream stream{};
    std::vector<char> out = std::vector<char>(std::size_t{1} << 18);
    ~state() { deflateEnd(&stream); }
};

gzip_writer::gzip_writer(std::function<void(const void*, std::size_t)> sink)
    : sink_(std::move(sink)), state_(std::make_unique<state>()) {
    // 15: the largest window; 16: a gzip wrapper; 8: zlib's own choice of memory.
    const int code =
        deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    require<out_of_memory>(code == Z_OK, "zlib has no memory for a stream");
}

gzip_writer::~gzip_writer() = default;

void gzip_writer::deflate_all(std::string_view bytes, int flush) {
    z_stream& stream = state_->stream;
    auto& out = state_->out;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        deflate(&stream, flush);
        sink_(out.data(), out.size() - stream.avail_out);
    } while (stream.avail_out == 0);
}

void gzip_writer::write(std::string_view bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size())))
        deflate_all(bytes.substr(0, most), Z_NO_FLUSH);
}

void gzip_writer::finish() { deflate_all({}, Z_FINISH); }

}  // namespace nz::io
