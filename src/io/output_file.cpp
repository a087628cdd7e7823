#include "io/output_file.hpp"

#include "core/checks.hpp"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nz::io {

// ISA-L's second level of three: adds 0.2 s to writing 100 MB of Matrix Market (rmat:18,16), which gzip's usual level takes 5.5 for, and
// makes a tenth more bytes.
struct output_file::compressor {
    isal_zstream stream;
    std::vector<std::uint8_t> level = std::vector<std::uint8_t>(ISAL_DEF_LVL2_DEFAULT),
                              out = std::vector<std::uint8_t>(std::size_t{1} << 18);

    compressor() {
        isal_deflate_init(&stream);
        stream.gzip_flag = IGZIP_GZIP;
        stream.level = 2;
        stream.level_buf = level.data();
        stream.level_buf_size = static_cast<std::uint32_t>(level.size());
    }
};

// A temporary name that a signal must not leave behind. Its handler may neither wait nor allocate, so that names stand in places
// that are there, and whoever swaps one out of its place has it. (A file that finds no place is not watched.)
class output_file::watched_name {
public:
    explicit watched_name(const char* name) {
        for (auto& place : places_) {
            const char* free = nullptr;
            if (!place.compare_exchange_strong(free, name)) continue;
            place_ = &place;
            return;
        }
    }
    ~watched_name() {
        // Where the handler was faster the program is about to end, and the name is being read.
        while (place_ && !place_->exchange(nullptr)) ::pause();
    }
    watched_name(const watched_name&) = delete;
    watched_name& operator=(const watched_name&) = delete;

    static void unlink_all() noexcept {
        for (auto& place : places_)
            if (const char* name = place.exchange(nullptr)) ::unlink(name);
    }

private:
    static inline std::array<std::atomic<const char*>, 16> places_{};
    std::atomic<const char*>* place_ = nullptr;
};

namespace {

// Where a rename must put the file: behind symbolic links, so that they stay links.
std::string resolved(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    return real ? real.get() : path;
}

// A terminal, a pipe, /dev/null: nothing that a file may be renamed onto.
bool is_special(const std::string& path) {
    struct stat status;
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

output_file::output_file(const std::string& path, bool gzip) : name_(path), path_(resolved(path)) {
    if (gzip)
        compressor_ =
            std::make_unique<compressor>();  // first: whatever fails once there is a file has to remove it
    if (is_special(path_))
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    else
        open_beside();
    if (descriptor_ < 0) fail_with("cannot be created");
}

void output_file::open_beside() {
    // Not mkstemp: its file is private, and giving it the mode of any new file needs the process's umask.
    static std::atomic<unsigned> number{0};
    do {
        watched_.reset();
        temporary_ = fmt::format("{}.part-{}-{}", path_, ::getpid(), number++);
        watched_ = std::make_unique<watched_name>(temporary_.c_str());
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    // Who may read a file that is there may read what takes its place; where the mode cannot be set, it is written all the same.
    struct stat there;
    if (descriptor_ >= 0 && ::stat(path_.c_str(), &there) == 0) ::fchmod(descriptor_, there.st_mode & 0777);
}

void output_file::remove_unfinished() noexcept { watched_name::unlink_all(); }

output_file::~output_file() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

const std::string& output_file::temporary_path() const {
    require<not_supported>(!temporary_.empty(), "{}: a file of this format needs a place to seek in", name_);
    return temporary_;
}

void output_file::fail_with(const char* what) const {
    fail<error>("{}: {}: {}", name_, what, std::strerror(errno));
}

void output_file::write_plain(const char* data, std::size_t bytes) {
    while (bytes) {
        const ssize_t n = ::write(descriptor_, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_with("cannot be written");
        data += n;
        bytes -= static_cast<std::size_t>(n);
    }
}

void output_file::write(std::string_view bytes) {
    if (!compressor_) return write_plain(bytes.data(), bytes.size());
    constexpr std::size_t most = std::size_t{1} << 30;  // it counts in 32 bits
    isal_zstream& stream = compressor_->stream;
    auto& out = compressor_->out;
    const bool last = bytes.empty();
    do {
        const std::string_view piece = bytes.substr(0, most);
        bytes.remove_prefix(piece.size());
        stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(piece.data()));
        stream.avail_in = static_cast<std::uint32_t>(piece.size());
        stream.end_of_stream = last;
        do {
            stream.next_out = out.data();
            stream.avail_out = static_cast<std::uint32_t>(out.size());
            isal_deflate(&stream);  // fails for settings alone
            write_plain(reinterpret_cast<const char*>(out.data()), out.size() - stream.avail_out);
        } while (stream.avail_out == 0);
    } while (!bytes.empty());
}

void output_file::commit() {
    if (compressor_) write({});  // the end of the stream
    const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
    if (temporary_.empty() && closed) return;
    if (closed && ::rename(temporary_.c_str(), path_.c_str()) == 0) return;
    const int reason = errno;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    errno = reason;
    fail_with("cannot be written");
}

}  // namespace nz::io
