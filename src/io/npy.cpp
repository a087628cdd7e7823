#include "io/npy.hpp"

#include "core/checks.hpp"
#include "io/words.hpp"

namespace nz::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

// The text behind "'key':" of a header, which is a Python dictionary of fixed shape.
std::string_view value_of(std::string_view header, std::string_view key, std::string_view what) {
    const std::size_t at = header.find(key);
    require<invalid_format>(at != std::string_view::npos, "{}: the array's header has no {}", what, key);
    header.remove_prefix(at + key.size());
    return trimmed(header);
}

void parse_descr(npy_array& a, std::string_view text, std::string_view what) {
    require<invalid_format>(text.size() > 4 && (text[0] == '\'' || text[0] == '"'),
                            "{}: the array's type is structured: '{}'", what, quote(text));
    const std::size_t end = text.find(text[0], 1);
    require<invalid_format>(end != std::string_view::npos && end >= 4, "{}: the array's type is '{}'", what,
                            quote(text));
    const std::string_view descr = text.substr(1, end - 1);  // "<i4"
    std::int64_t width = 0;
    const bool known = std::string_view("<>|=").find(descr[0]) != std::string_view::npos &&
                       std::string_view("biufcSU").find(descr[1]) != std::string_view::npos &&
                       parse_integer(descr.substr(2), width) == number_fault::none && width > 0 &&
                       width < (1 << 16);
    require<invalid_format>(known, "{}: the array's type is '{}', which is not supported", what,
                            quote(descr));
    a.kind = descr[1];
    a.width = static_cast<int>(a.kind == 'U' ? 4 * width : width);
    a.swapped = descr[0] == '>';
}

void parse_shape(npy_array& a, std::string_view text, std::string_view what) {
    const std::size_t end = text.find(')');
    require<invalid_format>(text.starts_with('(') && end != std::string_view::npos,
                            "{}: the array's shape is '{}'", what, quote(text));
    text = text.substr(1, end - 1);
    a.count = 1;
    while (!trimmed(text).empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        offset_t size = 0;
        require<invalid_format>(parse_integer(trimmed(text.substr(0, comma)), size) == number_fault::none &&
                                    size >= 0 && a.shape.size() < 8,
                                "{}: the array's shape is '({})'", what, quote(text));
        a.shape.push_back(size);
        require<invalid_format>(!__builtin_mul_overflow(a.count, size, &a.count),
                                "{}: the array's shape '({})' is too large", what, quote(text));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

}  // namespace

npy_array parse_npy(buffer bytes, std::string_view what) {
    const std::string_view all(bytes.as<const char>(), bytes.bytes());
    require<invalid_format>(all.size() >= 10 && all.starts_with(magic), "{}: is no array of NumPy", what);
    const int version = all[6];
    require<invalid_format>(version >= 1 && version <= 3, "{}: version {} of NumPy's format is not known",
                            what, version);
    const std::size_t begin = version == 1 ? 10 : 12;
    std::uint32_t length = 0;
    if (all.size() >= begin) std::memcpy(&length, all.data() + 8, begin - 8);
    require<invalid_format>(all.size() >= begin && length <= all.size() - begin,
                            "{}: is cut off in the array's header", what);
    const std::string_view header = all.substr(begin, length);
    npy_array a;
    parse_descr(a, value_of(header, "'descr':", what), what);
    a.fortran = value_of(header, "'fortran_order':", what).starts_with("True");
    parse_shape(a, value_of(header, "'shape':", what), what);
    const std::size_t left = all.size() - begin - length;
    require<invalid_format>(static_cast<std::uint64_t>(a.count) <= left / static_cast<std::size_t>(a.width),
                            "{}: the array has {} elements of {} bytes by its header, {} bytes are there",
                            what, a.count, a.width, left);
    a.data = all.data() + begin + length;
    a.storage = std::move(bytes);
    return a;
}

dtype npy_array::type(std::string_view what) const {
    if (width <= 8) switch (kind * 16 + width) {
            case 'b' * 16 + 1:
                return dtype::boolean;
            case 'i' * 16 + 1:
                return dtype::int8;
            case 'i' * 16 + 2:
                return dtype::int16;
            case 'i' * 16 + 4:
                return dtype::int32;
            case 'i' * 16 + 8:
                return dtype::int64;
            case 'u' * 16 + 1:
                return dtype::uint8;
            case 'u' * 16 + 2:
                return dtype::uint16;
            case 'u' * 16 + 4:
                return dtype::uint32;
            case 'u' * 16 + 8:
                return dtype::uint64;
            case 'f' * 16 + 4:
                return dtype::float32;
            case 'f' * 16 + 8:
                return dtype::float64;
            default:
                break;
        }
    fail<invalid_format>("{}: elements of type '{}{}' are none that a matrix can hold", what, kind, width);
}

offset_t npy_array::integer_at(offset_t k, std::string_view what) const {
    return dispatch(type(what), [&]<class T>(std::type_identity<T>) {
        const T x = at<T>(k);
        require<invalid_format>(std::is_integral_v<T>, "{}: holds real numbers where integers belong", what);
        if constexpr (std::is_same_v<T, std::uint64_t>)
            return static_cast<offset_t>(std::min<std::uint64_t>(x, std::numeric_limits<offset_t>::max()));
        else
            return convert<offset_t>(x);
    });
}

std::string npy_array::text(std::string_view what) const {
    require<invalid_format>((kind == 'S' || kind == 'U') && count == 1, "{}: is no text", what);
    const int step = kind == 'U' ? 4 : 1;
    std::string out;
    for (int k = 0; k < width; k += step) {
        const char c = data[k + (swapped ? step - 1 : 0)];
        if (c == 0) break;
        out += c;
    }
    return out;
}

std::string npy_header(std::string_view descr, std::string_view shape) {
    std::string dictionary =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
    // Magic, version, length and dictionary together are a multiple of 64 bytes, ending in a newline.
    const std::size_t total = (10 + dictionary.size() + 1 + 63) / 64 * 64;
    dictionary.resize(total - 11, ' ');
    dictionary += '\n';
    std::string out(magic);
    out += '\x01';
    out += '\0';
    out += static_cast<char>(dictionary.size() & 255);
    out += static_cast<char>(dictionary.size() >> 8);
    return out + dictionary;
}

std::string npy_name(dtype type) {
    const char kind = type == dtype::boolean    ? 'b'
                      : is_floating(type)       ? 'f'
                      : is_signed_integer(type) ? 'i'
                                                : 'u';
    return fmt::format("{}{}{}", size_of(type) == 1 ? '|' : '<', kind, size_of(type));
}

}  // namespace nz::io
