// A file that appears whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace nz::io {

/// Writes beside the target, under a temporary name in the same folder; commit() renames. Without it, nothing
/// stays. Symbolic links are followed; what is no plain file (a pipe, /dev/null) is written to directly and
/// has no temporary path. Throws error with the path and the system's reason.
class output_file {
public:
    /// With `gzip`, what is written is compressed.
    output_file(const std::string& path, bool gzip = false);
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    void write(std::string_view bytes);
    void commit();
    /// Removes the temporary files of all that are being written, in a handler of a signal that ends the program.
    static void remove_unfinished() noexcept;
    /// As it was given: what messages call it.
    const std::string& name() const { return name_; }
    /// For writers that open the file themselves, in place of write(). Throws not_supported for what is no plain file.
    const std::string& temporary_path() const;

private:
    struct compressor;
    class watched_name;

    void open_beside();
    void write_plain(const char* data, std::size_t bytes);
    [[noreturn]] void fail_with(const char* what) const;

    std::string name_, path_, temporary_;
    std::unique_ptr<watched_name> watched_;
    int descriptor_ = -1;
    std::unique_ptr<compressor> compressor_;
};

}  // namespace nz::io
