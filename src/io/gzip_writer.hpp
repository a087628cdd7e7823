// Compressing what is written.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace nz::io {

/// A gzip stream; its bytes go to `sink`, in order. Without finish() the stream has no end.
class gzip_writer {
public:
    explicit gzip_writer(std::function<void(const void*, std::size_t)> sink);
    ~gzip_writer();
    gzip_writer(const gzip_writer&) = delete;
    gzip_writer& operator=(const gzip_writer&) = delete;

    void write(std::string_view bytes);
    void finish();

private:
    struct state;
    void deflate_all(std::string_view bytes, int flush);

    std::function<void(const void*, std::size_t)> sink_;
    std::unique_ptr<state> state_;
};

}  // namespace nz::io
