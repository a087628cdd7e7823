// Zip archives in memory and on disk, through minizip.
#pragma once

#include "core/buffer.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nz::io {

/// Reads members of an archive that is in memory.
class zip_reader {
public:
    /// Throws invalid_format for bytes that are no zip archive.
    zip_reader(const context& ctx, std::span<const std::byte> bytes, std::string name);
    ~zip_reader();
    zip_reader(const zip_reader&) = delete;
    zip_reader& operator=(const zip_reader&) = delete;

    bool contains(const std::string& member) const { return members_.contains(member); }
    /// The member's bytes. Throws invalid_format where they are damaged or not what the archive says.
    buffer read(const std::string& member);
    const std::string& name() const { return name_; }

    struct stream {
        std::span<const std::byte> bytes;
        std::uint64_t place;
    };

private:
    struct position {
        std::uint64_t directory, number;
    };

    context ctx_;
    std::string name_;
    stream stream_;
    void* archive_ = nullptr;
    std::map<std::string, position> members_;
};

/// Writes an archive to a path, member by member. Throws error, which calls the file `name`.
class zip_writer {
public:
    zip_writer(const std::string& path, std::string name);
    ~zip_writer();
    zip_writer(const zip_writer&) = delete;
    zip_writer& operator=(const zip_writer&) = delete;

    void begin(const std::string& member);
    void write(const void* data, std::size_t bytes);
    /// Writes the directory; without it the file is no archive.
    void finish();

private:
    void check(int code, const char* what) const;

    std::string name_;
    void* archive_ = nullptr;
    bool open_member_ = false;
};

}  // namespace nz::io
