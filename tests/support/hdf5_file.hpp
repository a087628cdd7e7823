// HDF5 files made by a test, right or wrong, with libhdf5 itself.
#pragma once

#include "nonzero/types.hpp"

#include <hdf5.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nz::test {

/// What a test stores a number as.
template <class T>
hid_t hdf5_type() {
    if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
    if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
    constexpr int at = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    const hid_t with_sign[] = {H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE};
    const hid_t without[] = {H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE};
    return std::is_signed_v<T> ? with_sign[at] : without[at];
}

/// Creates a file; members add to its root group. What a test gets wrong here shows in what it reads.
class hdf5_file {
public:
    explicit hdf5_file(const std::string& path)
        : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
    ~hdf5_file() { H5Fclose(file_); }
    hdf5_file(const hdf5_file&) = delete;
    hdf5_file& operator=(const hdf5_file&) = delete;

    /// A string of a fixed length without a zero at its end, or one of variable length.
    void descriptor(std::string_view json, bool variable = false, const char* name = "binsparse") {
        const std::string whole(json);
        const char* const start = whole.c_str();
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, variable ? H5T_VARIABLE : whole.size());
        H5Tset_strpad(type, variable ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
        H5Tset_cset(type, variable ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
        const hid_t attribute = H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, variable ? static_cast<const void*>(&start) : start);
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }
    /// `stored` is the type in the file: the values' own unless given. `layout` is a property list, or 0.
    template <class T>
    void array(const char* name, const std::vector<T>& values, hid_t stored = 0, hid_t layout = H5P_DEFAULT,
               bool write = true) {
        const hsize_t count = values.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        make(name, space, stored ? stored : hdf5_type<T>(), layout, write && count ? values.data() : nullptr,
             hdf5_type<T>());
    }
    /// An array of `dimensions` that nobody wrote to.
    void empty(const char* name, const std::vector<hsize_t>& dimensions, hid_t stored,
               hid_t layout = H5P_DEFAULT) {
        const hid_t space = H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr);
        make(name, space, stored, layout, nullptr, 0);
    }
    hid_t id() const { return file_; }

private:
    void make(const char* name, hid_t space, hid_t stored, hid_t layout, const void* data, hid_t type) {
        const hid_t set = H5Dcreate2(file_, name, stored, space, H5P_DEFAULT, layout, H5P_DEFAULT);
        if (data) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(set);
        H5Sclose(space);
    }
    hid_t file_;
};

/// {"binsparse": {...}} of a matrix whose arrays have types as given: "\"values\": \"float64\", ...".
inline std::string descriptor_of(std::string_view format, std::string_view shape, int stored,
                                 std::string_view types, std::string_view more = "") {
    return R"({"binsparse": {"version": "0.1", "format": ")" + std::string(format) + R"(", "shape": [)" +
           std::string(shape) + R"(], "number_of_stored_values": )" + std::to_string(stored) +
           R"(, "data_types": {)" + std::string(types) + "}" + std::string(more) +
           R"(}, "author": "a test"})";
}

}  // namespace nz::test
