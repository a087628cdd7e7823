// A file in memory, read only: mapped where the system can, else read.
#pragma once

#include "core/buffer.hpp"

#include <span>
#include <string>

namespace nz::io {

/// The bytes of a file, readable (as zeros) for a page behind their end, so that parsers may look ahead.
class mapped_file {
public:
    /// Throws invalid_format with the path and the system's reason.
    mapped_file(const context& ctx, const std::string& path);
    /// A padded copy of bytes that are in memory already.
    mapped_file(const context& ctx, std::span<const std::byte> bytes);
    /// The same bytes once more, for a second look; not beyond the life of this one.
    mapped_file alias() const {
        mapped_file other;
        other.data_ = data_;
        other.size_ = size_;
        return other;
    }
    mapped_file(mapped_file&& other) noexcept;
    mapped_file& operator=(mapped_file&&) = delete;
    ~mapped_file();

    const char* begin() const { return data_; }
    const char* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }
    std::span<const std::byte> bytes() const { return {reinterpret_cast<const std::byte*>(data_), size_}; }

private:
    mapped_file() = default;
    void read_all(const context& ctx, int descriptor, const std::string& path);

    const char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_bytes_ = 0;  // 0: the bytes are in copy_
    buffer copy_;
};

}  // namespace nz::io
