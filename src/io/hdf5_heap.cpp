// After the HDF5 File Format Specification: an attribute message is version, flags, the sizes of name, type and space
// (2 bytes each), from version 3 on an encoding, then these three and the data; in version 1 the three are padded to 8
// bytes. The data of a text of variable length are its length (4), the address of a collection (8) and an index in it
// (4). A collection is "GCOL", a version and its size, then objects: index (2), references (2), nothing (4), size (8) and
// content, padded to 8 bytes; index 0 is the room that is left.
#include "io/hdf5_heap.hpp"

#include <cstring>
#include <string>

namespace nz::io {
namespace {

using bytes = std::span<const std::byte>;

// A number as HDF5 and this machine write it, the low byte first; 0 beyond the end.
template <class T>
T number_at(bytes file, std::uint64_t at) {
    T value = 0;
    if (at <= file.size() && file.size() - at >= sizeof(T)) std::memcpy(&value, file.data() + at, sizeof(T));
    return value;
}

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

// Whether a collection keeps its rules, and its object `index` has at least `length` bytes.
bool holds(bytes file, std::uint64_t at, std::uint32_t index, std::uint64_t length) {
    constexpr std::uint64_t header = 16;
    if (at > file.size() || file.size() - at < header || std::memcmp(file.data() + at, "GCOL\1", 5) != 0)
        return false;
    const auto size = number_at<std::uint64_t>(file, at + 8);
    if (size < header || size > file.size() - at) return false;
    bool found = false;
    for (std::uint64_t place = header; size - place >= header;) {
        const auto object = number_at<std::uint16_t>(file, at + place);
        const auto content = number_at<std::uint64_t>(file, at + place + 8);
        if (object == 0) return found && content == size - place;
        if (content > size - place - header || padded(content) > size - place - header) return false;
        found = found || (object == index && content >= length);
        place += header + padded(content);
    }
    return found;
}

// Whether an attribute's message, whose name begins at `name`, refers to such an object.
bool refers_to_text(bytes file, std::uint64_t base, std::uint64_t name, std::size_t length, int version) {
    const std::uint64_t prefix = version < 3 ? 8 : 9;
    if (name < prefix) return false;
    const std::uint64_t at = name - prefix;
    if (number_at<std::uint8_t>(file, at) != version || number_at<std::uint16_t>(file, at + 2) != length)
        return false;
    const auto aligned = [=](std::uint64_t size) { return version == 1 ? padded(size) : size; };
    const std::uint64_t data = name + aligned(length) + aligned(number_at<std::uint16_t>(file, at + 4)) +
                               aligned(number_at<std::uint16_t>(file, at + 6));
    const auto text = number_at<std::uint32_t>(file, data);
    const auto address = number_at<std::uint64_t>(file, data + 4);
    const auto index = number_at<std::uint32_t>(file, data + 12);
    return address <= file.size() && holds(file, base + address, index, text);
}

}  // namespace

bool has_sound_text(std::span<const std::byte> file, std::uint64_t base, std::string_view name) {
    const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
    const std::string ended = std::string(name) + '\0';
    for (std::size_t at = all.find(ended); at != std::string_view::npos; at = all.find(ended, at + 1))
        for (int version = 1; version <= 3; ++version)
            if (refers_to_text(file, base, at, ended.size(), version)) return true;
    return false;
}

}  // namespace nz::io
