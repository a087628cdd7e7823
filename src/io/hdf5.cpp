#include "io/hdf5.hpp"

#include "core/checks.hpp"
#include "io/hdf5_heap.hpp"
#include "io/mapped_file.hpp"
#include "io/words.hpp"

#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace nz::io {
namespace {

constexpr hsize_t most_text = hsize_t{16} << 20;  // of an attribute: far more than any descriptor
constexpr std::uint64_t most_from_one = 1040;     // deflate makes at most 1032 bytes of one

// Around every call: libhdf5 need not be built for threads, and prints its errors unless told not to, which is the
// process's setting and not ours to keep.
class quiet {
public:
    quiet() : lock_(mutex()) {
        // After a damaged file it complains at the process's end too. Only the first call counts; a program that uses
        // libhdf5 itself has started it before, or closes its own files.
        H5dont_atexit();
        H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
    quiet(const quiet&) = delete;
    quiet& operator=(const quiet&) = delete;

private:
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    std::lock_guard<std::mutex> lock_;
    H5E_auto2_t print_ = nullptr;
    void* data_ = nullptr;
};

// An identifier that is given back.
class held {
public:
    held(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    ~held() {
        if (id_ >= 0) close_(id_);
    }
    held(const held&) = delete;
    held& operator=(const held&) = delete;
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

herr_t keep_description(unsigned, const H5E_error2_t* found, void* out) {
    auto& text = *static_cast<std::string*>(out);
    if (text.empty() && found->desc) text = found->desc;
    return 0;
}

// What libhdf5 says of the call that failed last: the innermost reason.
std::string reason() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_description, &text);
    // Where the system refused, its words; around them stand the time, descriptors and the temporary name.
    constexpr std::string_view said = "error message = '";
    if (const auto at = text.find(said); at != std::string::npos)
        text = text.substr(at + said.size(), text.find('\'', at + said.size()) - at - said.size());
    for (char& c : text)
        if (c < 0x20 || c >= 0x7f) c = '?';
    return text.empty() ? "libhdf5 gives no reason" : text.substr(0, 160);
}

// Files are renamed into place and read from there, so that nobody needs a lock, which some file systems do not have.
hid_t open_properties() {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    return access;
}

std::optional<dtype> integer_type(std::size_t bytes, bool has_sign) {
    switch (bytes) {
        case 1:
            return has_sign ? dtype::int8 : dtype::uint8;
        case 2:
            return has_sign ? dtype::int16 : dtype::uint16;
        case 4:
            return has_sign ? dtype::int32 : dtype::uint32;
        case 8:
            return has_sign ? dtype::int64 : dtype::uint64;
        default:
            return std::nullopt;
    }
}

std::optional<dtype> dtype_of_stored(hid_t type) {
    const std::size_t bytes = H5Tget_size(type);
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            return integer_type(bytes, H5Tget_sign(type) == H5T_SGN_2);
        case H5T_FLOAT:
            if (bytes == 4) return dtype::float32;
            if (bytes == 8) return dtype::float64;
            return std::nullopt;
        case H5T_ENUM:
            if (bytes == 1) return dtype::boolean;
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

hid_t native_type(dtype type) {
    switch (type) {
        case dtype::int8:
            return H5T_NATIVE_INT8;
        case dtype::int16:
            return H5T_NATIVE_INT16;
        case dtype::int32:
            return H5T_NATIVE_INT32;
        case dtype::int64:
            return H5T_NATIVE_INT64;
        case dtype::boolean:
        case dtype::uint8:
            return H5T_NATIVE_UINT8;
        case dtype::uint16:
            return H5T_NATIVE_UINT16;
        case dtype::uint32:
            return H5T_NATIVE_UINT32;
        case dtype::uint64:
            return H5T_NATIVE_UINT64;
        case dtype::float32:
            return H5T_NATIVE_FLOAT;
        case dtype::float64:
            break;
    }
    return H5T_NATIVE_DOUBLE;
}

// The text of an attribute whose type is known to be one; `where` stands in front of errors.
std::string read_text(hid_t attribute, hid_t type, const std::string& where) {
    if (H5Tis_variable_str(type) > 0) {
        char* found = nullptr;
        const bool done = H5Aread(attribute, type, &found) >= 0;
        const std::string text = done && found ? found : "";
        if (found) H5free_memory(found);
        if (!done) fail<invalid_format>("{} cannot be read: {}", where, reason());
        return text;
    }
    const std::size_t bytes = H5Tget_size(type);
    require<invalid_format>(bytes <= most_text, "{} has {} bytes, at most {} are read", where, bytes,
                            most_text);
    std::string text(bytes, '\0');
    if (H5Aread(attribute, type, text.data()) < 0)
        fail<invalid_format>("{} cannot be read: {}", where, reason());
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

}  // namespace

hdf5_reader::hdf5_reader(const context& ctx, const std::string& path) : ctx_(ctx), path_(path) {
    const quiet silence;
    std::error_code unknown;
    bytes_ = std::filesystem::file_size(path, unknown);
    require<invalid_format>(!unknown, "{}: an HDF5 file needs a place to seek in", path);
    const held access(open_properties(), H5Pclose);
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
    if (file_ < 0)
        fail<invalid_format>("{}: is no HDF5 file, or it is damaged or cut off: {}", path, reason());
}

hdf5_reader::~hdf5_reader() {
    const quiet silence;
    if (file_ >= 0) H5Fclose(file_);
}

std::string hdf5_reader::where(const char* array) const {
    return fmt::format("{}: array '{}'", path_, array);
}

std::string hdf5_reader::text(const char* name) const {
    const quiet silence;
    require<invalid_format>(H5Aexists(file_, name) > 0,
                            "{}: has no attribute '{}': it is an HDF5 file, but no Binsparse", path_, name);
    const std::string place = fmt::format("{}: attribute '{}'", path_, name);
    const held attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
    if (attribute < 0) fail<invalid_format>("{} cannot be opened: {}", place, reason());
    const held type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    require<invalid_format>(type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
                                H5Sget_simple_extent_npoints(space) == 1,
                            "{} is no text", place);
    if (H5Tis_variable_str(type) > 0) check_reference(name);
    return read_text(attribute, type, place);
}

// A text of variable length lies elsewhere in the file.
void hdf5_reader::check_reference(const char* attribute) const {
    const held creation(H5Fget_create_plist(file_), H5Pclose);
    hsize_t base = 0;
    std::size_t address = 0, length = 0;
    const bool known = creation >= 0 && H5Pget_userblock(creation, &base) >= 0 &&
                       H5Pget_sizes(creation, &address, &length) >= 0 && address == 8 && length == 8;
    const mapped_file file(ctx_, path_);
    require<invalid_format>(known && has_sound_text(file.bytes(), base, attribute),
                            "{}: attribute '{}' refers to no text in the file", path_, attribute);
}

bool hdf5_reader::contains(const char* array) const {
    const quiet silence;
    return H5Lexists(file_, array, H5P_DEFAULT) > 0;
}

void hdf5_reader::check_filters(std::int64_t layout, const char* array) const {
    const int filters = H5Pget_nfilters(layout);
    for (int k = 0; k < filters; ++k) {
        unsigned flags = 0, what = 0;
        std::size_t values = 0;
        char name[64] = {};
        const H5Z_filter_t filter = H5Pget_filter2(layout, static_cast<unsigned>(k), &flags, &values, nullptr,
                                                   sizeof name - 1, name, &what);
        require<invalid_format>(
            filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32,
            "{} is stored through filter {} ('{}'); read are deflate (gzip), shuffle and fletcher32",
            where(array), static_cast<int>(filter), quote(name));
    }
}

// Whether the file's own size proves the array's, before anything is allocated for it.
void hdf5_reader::check_storage(std::int64_t dataset, const char* array, const hdf5_array& found) const {
    const held layout(H5Dget_create_plist(dataset), H5Pclose);
    const H5D_layout_t kind = layout >= 0 ? H5Pget_layout(layout) : H5D_LAYOUT_ERROR;
    require<invalid_format>((kind == H5D_COMPACT || kind == H5D_CONTIGUOUS || kind == H5D_CHUNKED) &&
                                H5Pget_external_count(layout) == 0,
                            "{} lies in other files, or in a way that is not known", where(array));
    if (found.count == 0) return;
    const std::uint64_t stored = H5Dget_storage_size(dataset), width = size_of(found.type);
    const auto count = static_cast<std::uint64_t>(found.count);
    std::uint64_t largest = count;  // elements that libhdf5 handles at a time
    if (kind == H5D_CHUNKED) {
        check_filters(layout, array);
        hsize_t chunk = 0;
        require<invalid_format>(H5Pget_chunk(layout, 1, &chunk) == 1, "{} is no array of one dimension",
                                where(array));
        largest = std::max<std::uint64_t>(count, chunk);
    }
    const std::uint64_t held_at_most = std::min(stored, bytes_) * (kind == H5D_CHUNKED ? most_from_one : 1);
    require<invalid_format>(
        largest <= held_at_most / width,
        "{} has {} elements of {} bytes by its header, {} bytes are stored in a file of {}", where(array),
        largest, width, stored, bytes_);
}

hdf5_array hdf5_reader::describe(const char* array) const {
    const quiet silence;
    H5L_info_t link;
    require<invalid_format>(H5Lexists(file_, array, H5P_DEFAULT) > 0, "{} is not there", where(array));
    require<invalid_format>(
        H5Lget_info(file_, array, &link, H5P_DEFAULT) >= 0 && link.type != H5L_TYPE_EXTERNAL,
        "{} is a link to another file", where(array));
    const held dataset(H5Dopen2(file_, array, H5P_DEFAULT), H5Dclose);
    if (dataset < 0) fail<invalid_format>("{} cannot be opened: {}", where(array), reason());
    const held type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    const auto numbers = type >= 0 ? dtype_of_stored(type) : std::nullopt;
    require<invalid_format>(numbers.has_value(), "{} holds no numbers that a matrix can hold", where(array));
    require<invalid_format>(space >= 0 && H5Sget_simple_extent_ndims(space) <= 1,
                            "{} is no array of one dimension", where(array));
    const hdf5_array found{*numbers, H5Sget_simple_extent_npoints(space)};
    require<invalid_format>(found.count >= 0, "{} has an impossible length", where(array));
    check_storage(dataset, array, found);
    return found;
}

void hdf5_reader::read(const char* array, void* out) const {
    const quiet silence;
    const held dataset(H5Dopen2(file_, array, H5P_DEFAULT), H5Dclose), type(H5Dget_type(dataset), H5Tclose);
    const auto numbers = type >= 0 ? dtype_of_stored(type) : std::nullopt;
    // An enumeration converts to itself alone, and has no byte order.
    const bool done =
        numbers && H5Dread(dataset, *numbers == dtype::boolean ? hid_t{type} : native_type(*numbers), H5S_ALL,
                           H5S_ALL, H5P_DEFAULT, out) >= 0;
    if (!done) fail<invalid_format>("{} cannot be read: {}", where(array), reason());
}

hdf5_writer::hdf5_writer(const std::string& path, std::string name) : name_(std::move(name)) {
    const quiet silence;
    const held access(open_properties(), H5Pclose);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file_ < 0) fail<error>("{}: cannot be written: {}", name_, reason());
}

hdf5_writer::~hdf5_writer() {
    const quiet silence;
    if (file_ >= 0) H5Fclose(file_);
}

void hdf5_writer::text(const char* name, std::string_view content) {
    const quiet silence;
    const std::string whole(content);  // with the zero at its end, which other readers count on
    const held type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type, whole.size() + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const held attribute(H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (attribute < 0 || H5Awrite(attribute, type, whole.c_str()) < 0)
        fail<error>("{}: cannot be written: {}", name_, reason());
}

void hdf5_writer::array(const char* name, dtype type, offset_t count, const void* data) {
    const quiet silence;
    const auto size = static_cast<hsize_t>(count);
    const held space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const held properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties, false);  // no clock: the same matrix makes the same file
    const held dataset(
        H5Dcreate2(file_, name, native_type(type), space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
    const bool done = dataset >= 0 && (count == 0 || H5Dwrite(dataset, native_type(type), H5S_ALL, H5S_ALL,
                                                              H5P_DEFAULT, data) >= 0);
    if (!done) fail<error>("{}: cannot be written: {}", name_, reason());
}

void hdf5_writer::finish() {
    const quiet silence;
    if (H5Fclose(std::exchange(file_, -1)) < 0) fail<error>("{}: cannot be written: {}", name_, reason());
}

}  // namespace nz::io
