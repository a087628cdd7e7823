// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace nz::io {

/// Writes beside `path` and takes its place at commit(); without a commit nothing is left behind. A path that
/// is something else than a plain file (a terminal, a pipe, /dev/null) is written to directly. Throws error.
class output_file {
public:
    explicit output_file(std::string_view path);
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file();

    void write(const void* data, std::size_t bytes);
    void commit();

private:
    [[noreturn]] void fail_with(int error_number) const;

    std::string path_, beside_;  ///< beside_ is empty when path_ is written to directly
    std::FILE* file_ = nullptr;
};

}  // namespace nz::io
