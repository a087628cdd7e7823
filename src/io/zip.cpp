#include "io/zip.hpp"

#include "core/checks.hpp"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace nz::io {
namespace {

// minizip's calls to a file, served from memory.
voidpf open_memory(voidpf opaque, const void*, int) { return opaque; }
uLong read_memory(voidpf, voidpf s, void* out, uLong size) {
    auto& stream = *static_cast<zip_reader::stream*>(s);
    const std::uint64_t n = std::min<std::uint64_t>(
        size, stream.bytes.size() - std::min<std::uint64_t>(stream.place, stream.bytes.size()));
    if (n) std::memcpy(out, stream.bytes.data() + stream.place, n);
    stream.place += n;
    return static_cast<uLong>(n);
}
ZPOS64_T tell_memory(voidpf, voidpf s) { return static_cast<zip_reader::stream*>(s)->place; }
long seek_memory(voidpf, voidpf s, ZPOS64_T offset, int origin) {
    auto& stream = *static_cast<zip_reader::stream*>(s);
    const std::uint64_t size = stream.bytes.size();
    const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? stream.place
                               : origin == ZLIB_FILEFUNC_SEEK_END ? size
                                                                  : 0;
    if (offset > size - std::min(base, size)) return -1;
    stream.place = base + offset;
    return 0;
}
int close_memory(voidpf, voidpf) { return 0; }
int no_error(voidpf, voidpf) { return 0; }

constexpr std::size_t piece_bytes = std::size_t{1} << 30;  // minizip counts in 32 bits

}  // namespace

zip_reader::zip_reader(const context& ctx, std::span<const std::byte> bytes, std::string name)
    : ctx_(ctx), name_(std::move(name)), stream_{bytes, 0} {
    zlib_filefunc64_def calls{open_memory, read_memory,  nullptr,  tell_memory,
                              seek_memory, close_memory, no_error, &stream_};
    archive_ = unzOpen2_64("", &calls);
    require<invalid_format>(archive_ != nullptr,
                            "{}: is no zip archive, or its directory is damaged or cut off", name_);
    for (int code = unzGoToFirstFile(archive_); code == UNZ_OK; code = unzGoToNextFile(archive_)) {
        unz_file_info64 info;
        char member[256];
        unz64_file_pos at;
        if (unzGetCurrentFileInfo64(archive_, &info, member, sizeof member, nullptr, 0, nullptr, 0) != UNZ_OK)
            break;
        if (info.size_filename >= sizeof member || unzGetFilePos64(archive_, &at) != UNZ_OK) continue;
        members_.try_emplace(std::string(member, info.size_filename),
                             position{at.pos_in_zip_directory, at.num_of_file});
    }
}

zip_reader::~zip_reader() {
    if (archive_) unzClose(archive_);
}

namespace {

// Raw deflate data into all of `out`; how much of it was made.
std::size_t inflate_all(std::span<const std::byte> from, buffer& out) {
    const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    std::size_t read = 0, made = 0;
    state->avail_in = state->avail_out = 0;
    while (state->block_state != ISAL_BLOCK_FINISH) {
        const std::size_t in = std::min(from.size() - read, piece_bytes),
                          room = std::min(out.bytes() - made, piece_bytes);
        state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(from.data())) + read;
        state->avail_in = static_cast<std::uint32_t>(in);
        state->next_out = out.as<std::uint8_t>() + made;
        state->avail_out = static_cast<std::uint32_t>(room);
        const int code = isal_inflate(state.get());
        const std::size_t taken = in - state->avail_in, given = room - state->avail_out;
        read += taken;
        made += given;
        if (code != ISAL_DECOMP_OK || (taken == 0 && given == 0 && state->block_state != ISAL_BLOCK_FINISH))
            break;
    }
    return made;
}

}  // namespace

buffer zip_reader::read(const std::string& member) {
    const auto found = members_.find(member);
    require<invalid_format>(found != members_.end(), "{}: has no member '{}'", name_, member);
    const unz64_file_pos at{found->second.directory, found->second.number};
    unz_file_info64 info;
    int method = 0, level = 0;
    constexpr int raw = 1, stored = 0;
    const bool there =
        unzGoToFilePos64(archive_, &at) == UNZ_OK &&
        unzGetCurrentFileInfo64(archive_, &info, nullptr, 0, nullptr, 0, nullptr, 0) == UNZ_OK &&
        unzOpenCurrentFile2(archive_, &method, &level, raw) == UNZ_OK;
    require<invalid_format>(there, "{}: member '{}' cannot be opened: the archive is damaged", name_, member);
    const ZPOS64_T begin = unzGetCurrentFileZStreamPos64(archive_);
    unzCloseCurrentFile(archive_);
    require<invalid_format>(method == stored || method == Z_DEFLATED,
                            "{}: member '{}' is compressed by method {}: read are deflate and none", name_,
                            member, method);
    require<invalid_format>(!(info.flag & 1), "{}: member '{}' is encrypted", name_, member);
    // Deflate makes at most 1032 bytes of one: a larger claim is false, and must not be allocated.
    require<invalid_format>(
        info.compressed_size <= stream_.bytes.size() && info.uncompressed_size / 1040 <= info.compressed_size,
        "{}: member '{}' claims {} bytes, more than its {} compressed bytes can hold", name_, member,
        info.uncompressed_size, info.compressed_size);
    buffer out(ctx_.memory(), info.uncompressed_size);
    const auto from = stream_.bytes.subspan(std::min<std::size_t>(begin, stream_.bytes.size()));
    const auto given = from.first(std::min<std::size_t>(info.compressed_size, from.size()));
    std::size_t done = 0;
    if (method == stored) {
        done = std::min(given.size(), out.bytes());
        if (done) std::memcpy(out.data(), given.data(), done);
    } else {
        done = inflate_all(given, out);
    }
    require<invalid_format>(done == out.bytes(), "{}: member '{}' is damaged or cut off after {} of {} bytes",
                            name_, member, done, out.bytes());
    require<invalid_format>(crc32_gzip_refl(0, out.as<const unsigned char>(), out.bytes()) == info.crc,
                            "{}: member '{}' does not have its checksum: it is damaged", name_, member);
    return out;
}

zip_writer::zip_writer(const std::string& path, std::string name)
    : name_(std::move(name)), archive_(zipOpen64(path.c_str(), APPEND_STATUS_CREATE)) {
    require<error>(archive_ != nullptr, "{}: cannot be written", name_);
}

zip_writer::~zip_writer() {
    if (archive_) zipClose(archive_, nullptr);
}

void zip_writer::check(int code, const char* what) const {
    const int reason = errno;
    require<error>(code != ZIP_ERRNO, "{}: cannot be written: {}", name_, std::strerror(reason));
    require<error>(code == ZIP_OK, "{}: cannot be written ({}: {})", name_, what, code);
}

void zip_writer::begin(const std::string& member) {
    if (open_member_) check(zipCloseFileInZip(archive_), "end of a member");
    zip_fileinfo info{};
    info.tmz_date.tm_mday = 1;  // no clock: the same matrix makes the same file
    info.tmz_date.tm_year = 1980;
    check(zipOpenNewFileInZip64(archive_, member.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                                Z_BEST_SPEED, 1),
          "a new member");
    open_member_ = true;
}

void zip_writer::write(const void* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += piece_bytes)
        check(zipWriteInFileInZip(archive_, static_cast<const char*>(data) + done,
                                  static_cast<unsigned>(std::min(bytes - done, piece_bytes))),
              "data");
}

void zip_writer::finish() {
    if (open_member_) check(zipCloseFileInZip(archive_), "end of a member");
    check(zipClose(std::exchange(archive_, nullptr), nullptr), "directory");
}

}  // namespace nz::io
