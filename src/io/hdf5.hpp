// HDF5 through libhdf5: text attributes and arrays of numbers in the root group, which is what Binsparse needs.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace nz::io {

/// What an array holds; boolean stands for an enumeration of one byte.
struct hdf5_array {
    dtype type = dtype::float64;
    offset_t count = 0;
};

/// Reads members of a file's root group. Nothing is printed, whatever the process has told libhdf5 to print.
class hdf5_reader {
public:
    /// Throws invalid_format for what is no HDF5 file.
    hdf5_reader(const context& ctx, const std::string& path);
    ~hdf5_reader();
    hdf5_reader(const hdf5_reader&) = delete;
    hdf5_reader& operator=(const hdf5_reader&) = delete;

    /// The text of an attribute. Throws invalid_format where it is absent or no text.
    std::string text(const char* attribute) const;
    bool contains(const char* array) const;
    /// Type and length of an array of numbers, which the file is long enough to hold: memory may be taken for them.
    /// Throws invalid_format where it is absent, damaged or stored in a way that is not read.
    hdf5_array describe(const char* array) const;
    /// All its numbers, in this machine's byte order.
    void read(const char* array, void* out) const;

private:
    /// "FILE: array 'NAME'".
    std::string where(const char* array) const;
    void check_reference(const char* attribute) const;
    void check_storage(std::int64_t dataset, const char* array, const hdf5_array& found) const;
    void check_filters(std::int64_t layout, const char* array) const;

    const context& ctx_;
    std::string path_;
    std::uint64_t bytes_ = 0;  // of the file
    std::int64_t file_ = -1;
};

/// Writes a file of arrays that lie one after the other, neither compressed nor dated.
class hdf5_writer {
public:
    /// Truncates. Throws error, which calls the file `name`, where it cannot be written, as all its members do.
    hdf5_writer(const std::string& path, std::string name);
    ~hdf5_writer();
    hdf5_writer(const hdf5_writer&) = delete;
    hdf5_writer& operator=(const hdf5_writer&) = delete;

    void text(const char* attribute, std::string_view content);
    /// `type` must not be boolean.
    void array(const char* name, dtype type, offset_t count, const void* data);
    void finish();

private:
    std::string name_;
    std::int64_t file_ = -1;
};

}  // namespace nz::io
