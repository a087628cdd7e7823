// NumPy's .npy: a small header in front of an array's bytes.
#pragma once

#include "core/buffer.hpp"
#include "nonzero/types.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace nz::io {

/// One array as a .npy file holds it.
struct npy_array {
    buffer storage;
    char kind = 0;         ///< b, i, u, f, c, S, U
    int width = 0;         ///< bytes of an element
    bool swapped = false;  ///< elements are big-endian
    bool fortran = false;  ///< the first index runs fastest
    std::vector<offset_t> shape;
    const char* data = nullptr;
    offset_t count = 0;  ///< product of the shape; the bytes are there

    /// The dtype of the elements. Throws invalid_format with `what` in front for those a matrix cannot hold.
    dtype type(std::string_view what) const;
    template <class T>
    T at(offset_t k) const {
        char bytes[sizeof(T)];
        std::memcpy(bytes, data + k * static_cast<offset_t>(sizeof(T)), sizeof(T));
        if (swapped) std::reverse(bytes, bytes + sizeof(T));
        if constexpr (std::is_same_v<T, bool>) return bytes[0] != 0;
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    /// Element k of a numeric array as a 64-bit integer, for shapes and small arrays; saturates.
    offset_t integer_at(offset_t k, std::string_view what) const;
    /// The text of an array of one string.
    std::string text(std::string_view what) const;
};

/// Takes a .npy file apart. Throws invalid_format with `what` in front.
npy_array parse_npy(buffer bytes, std::string_view what);

/// The header of an array, e.g. of type "<i4" and shape "(7,)".
std::string npy_header(std::string_view descr, std::string_view shape);
/// What NumPy calls a dtype here: "<f8", "|b1"...
std::string npy_name(dtype type);

}  // namespace nz::io
