#include "io/output_file.hpp"

#include "core/checks.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace nz::io {

namespace fs = std::filesystem;

output_file::output_file(std::string_view path) : path_(path) {
    std::error_code ignored;
    if (fs::is_symlink(path_, ignored))
        if (const fs::path target = fs::weakly_canonical(path_, ignored); !target.empty()) path_ = target;
    const bool direct = fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored);
    if (!direct) beside_ = fmt::format("{}.{}.part", path_, ::getpid());
    file_ = std::fopen(direct ? path_.c_str() : beside_.c_str(), "wb");
    if (!file_) {
        const int number = errno;
        beside_.clear();
        fail_with(number);
    }
}

output_file::~output_file() {
    if (file_) std::fclose(file_);
    if (!beside_.empty()) std::remove(beside_.c_str());
}

void output_file::write(const void* data, std::size_t bytes) {
    if (std::fwrite(data, 1, bytes, file_) != bytes) fail_with(errno);
}

void output_file::commit() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail_with(errno);
    if (beside_.empty()) return;
    if (std::rename(beside_.c_str(), path_.c_str()) != 0) fail_with(errno);
    beside_.clear();
}

void output_file::fail_with(int error_number) const {
    fail<error>("cannot write '{}': {}", path_, std::strerror(error_number));
}

}  // namespace nz::io
