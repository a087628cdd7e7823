#include "io/mapped_file.hpp"

#include "core/checks.hpp"
#include "io/numbers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace nz::io {
namespace {

constexpr std::size_t page = 4096;

struct descriptor {
    int number;
    ~descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

mapped_file::mapped_file(const context& ctx, const std::string& path) {
    const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    require<invalid_format>(file.number >= 0, "{}: cannot be opened: {}", path, std::strerror(errno));
    struct stat facts {};
    require<invalid_format>(::fstat(file.number, &facts) == 0, "{}: cannot be examined: {}", path,
                            std::strerror(errno));
    require<invalid_format>(!S_ISDIR(facts.st_mode), "{}: is a folder, not a file", path);
    if (!S_ISREG(facts.st_mode)) {
        read_all(ctx, file.number, path);
        return;
    }
    size_ = static_cast<std::size_t>(facts.st_size);
    // One page more than the file: the mapping of the file lies over its begin, zeros remain at its end.
    mapped_bytes_ = (size_ + page - 1) / page * page + page;
    void* const place = ::mmap(nullptr, mapped_bytes_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require<out_of_memory>(place != MAP_FAILED, "{}: {} bytes cannot be mapped: {}", path, size_,
                           std::strerror(errno));
    data_ = static_cast<const char*>(place);
    if (size_ == 0) return;
    if (::mmap(place, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.number, 0) == MAP_FAILED) {
        ::munmap(place, mapped_bytes_);
        mapped_bytes_ = 0;
        read_all(ctx, file.number, path);
        return;
    }
    ::madvise(place, size_, MADV_SEQUENTIAL);  // a wish: read ahead on a cold file
}

mapped_file::mapped_file(const context& ctx, std::span<const std::byte> bytes)
    : size_(bytes.size()), copy_(ctx.memory(), bytes.size() + text_padding) {
    if (size_) std::memcpy(copy_.data(), bytes.data(), size_);
    std::memset(copy_.as<char>() + size_, 0, text_padding);
    data_ = copy_.as<char>();
}

mapped_file::mapped_file(mapped_file&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      copy_(std::move(other.copy_)) {}

mapped_file::~mapped_file() {
    if (mapped_bytes_) ::munmap(const_cast<char*>(data_), mapped_bytes_);
}

// Pipes and what else cannot be mapped: the buffer doubles until all is read.
void mapped_file::read_all(const context& ctx, int descriptor, const std::string& path) {
    copy_ = buffer(ctx.memory(), std::size_t{1} << 16);
    size_ = 0;
    for (;;) {
        if (copy_.bytes() - size_ <= text_padding) {
            buffer larger(ctx.memory(), copy_.bytes() * 2);
            std::memcpy(larger.data(), copy_.data(), size_);
            copy_ = std::move(larger);
        }
        const ssize_t n = ::read(descriptor, copy_.as<char>() + size_, copy_.bytes() - size_ - text_padding);
        if (n < 0 && errno == EINTR) continue;
        require<invalid_format>(n >= 0, "{}: cannot be read: {}", path, std::strerror(errno));
        if (n == 0) break;
        size_ += static_cast<std::size_t>(n);
    }
    std::memset(copy_.as<char>() + size_, 0, text_padding);
    data_ = copy_.as<char>();
}

}  // namespace nz::io
