#include "io/binsparse_descriptor.hpp"

#include "core/checks.hpp"
#include "io/words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace nz::io::binsparse {
namespace {

using json = nlohmann::json;

constexpr struct {
    std::string_view name;
    binsparse::layout layout;
    bool vector;
} layouts[] = {
    {"CSR", layout::csr, false},    {"CSC", layout::csc, false},     {"DCSR", layout::dcsr, false},
    {"DCSC", layout::dcsc, false},  {"COO", layout::coor, false},    {"COOR", layout::coor, false},
    {"COOC", layout::cooc, false},  {"DVEC", layout::dvec, true},    {"CVEC", layout::cvec, true},
    {"DMAT", layout::dmatr, false}, {"DMATR", layout::dmatr, false}, {"DMATC", layout::dmatc, false}};

constexpr struct {
    std::string_view name;
    binsparse::structure structure;
    bool lower;
} structures[] = {{"symmetric_lower", structure::symmetric, true},
                  {"symmetric_upper", structure::symmetric, false},
                  {"skew_symmetric_lower", structure::skew_symmetric, true},
                  {"skew_symmetric_upper", structure::skew_symmetric, false},
                  {"hermitian_lower", structure::hermitian, true},
                  {"hermitian_upper", structure::hermitian, false}};

const json& member(const json& object, const char* key, const std::string& file) {
    const auto found = object.find(key);
    require<invalid_format>(found != object.end(), "{}: the descriptor has no '{}'", file, key);
    return *found;
}

// Of what is nested the brackets alone: dump() calls itself, and a file nests as deep as it likes.
std::string shown(const json& value) {
    if (std::ranges::any_of(value, [](const json& part) { return part.is_structured(); }))
        return value.is_array() ? "[...]" : "{...}";
    return quote(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

std::string word(const json& object, const char* key, const std::string& file) {
    const json& value = member(object, key, file);
    require<invalid_format>(value.is_string(), "{}: the descriptor's '{}' is {}, not a text", file, key,
                            shown(value));
    return value.get<std::string>();
}

// A whole number from 0; some writers have doubles for all numbers.
std::optional<offset_t> whole(const json& value) {
    constexpr std::uint64_t most = std::numeric_limits<offset_t>::max();
    constexpr double most_exact = 9007199254740992;  // 2^53
    if (value.is_number_unsigned()) {
        const auto x = value.get<std::uint64_t>();
        return x <= most ? std::optional(static_cast<offset_t>(x)) : std::nullopt;
    }
    if (!value.is_number_float()) return std::nullopt;
    const auto x = value.get<double>();
    if (!(x >= 0 && x <= most_exact) || x != std::floor(x)) return std::nullopt;
    return static_cast<offset_t>(x);
}

// "0.1", "0.1.0", and the number 0.1 of early writers. A file without one is of a draft.
void check_version(const json& d, const std::string& file) {
    const auto found = d.find("version");
    if (found == d.end()) return;
    const bool known = found->is_string()
                           ? found->get<std::string>().starts_with("0.")
                           : found->is_number() && found->get<double>() >= 0 && found->get<double>() < 1;
    require<invalid_format>(known, "{}: version {} of the format is not known; versions 0.x are read", file,
                            shown(*found));
}

bool read_layout(const json& d, descriptor& out, const std::string& file) {
    const std::string name = word(d, "format", file);
    for (const auto& known : layouts)
        if (known.name == name) {
            out.layout = known.layout;
            return known.vector;
        }
    fail<invalid_format>(
        "{}: the format is '{}'; known are CSR, CSC, DCSR, DCSC, COO, COOR, COOC, DMAT, DMATR, DMATC, DVEC and CVEC",
        file, quote(name));
}

void read_shape(const json& d, bool vector, descriptor& out, const std::string& file) {
    const json& shape = member(d, "shape", file);
    const std::size_t expected = vector ? 1 : 2;
    require<invalid_format>(shape.is_array() && shape.size() == expected,
                            "{}: the shape is {}, this format has {} dimensions", file, shown(shape),
                            expected);
    offset_t* const sizes[] = {&out.rows, &out.columns};
    for (std::size_t k = 0; k < expected; ++k) {
        const auto size = whole(shape[k]);
        require<invalid_format>(size && *size <= max_dimension, "{}: the shape is {}: possible are 0..{}",
                                file, shown(shape), max_dimension);
        *sizes[k] = *size;
    }
    const json& stored = member(d, "number_of_stored_values", file);
    const auto count = whole(stored);
    require<invalid_format>(count.has_value(), "{}: 'number_of_stored_values' is {}, which is no count", file,
                            shown(stored));
    out.stored = *count;
}

void read_structure(const json& d, descriptor& out, const std::string& file) {
    const auto found = d.find("structure");
    if (found == d.end() || *found == "general") return;
    for (const auto& known : structures)
        if (*found == known.name) {
            out.structure = known.structure;
            out.lower = known.lower;
        }
    require<invalid_format>(
        out.structure != structure::general,
        "{}: the structure is {}; known are symmetric, skew_symmetric and hermitian, each with _lower or _upper",
        file, shown(*found));
    const bool sparse = out.layout < layout::dvec;
    require<invalid_format>(
        sparse && out.rows == out.columns, "{}: the structure is {}, which this {} of {} x {} cannot have",
        file, shown(*found), sparse ? "matrix" : "dense array or vector", out.rows, out.columns);
}

// Takes "name[" and its "]" off the ends.
bool unwrapped(std::string_view& text, std::string_view name) {
    if (!text.starts_with(name) || !text.ends_with(']') || text.size() < name.size() + 2 ||
        text[name.size()] != '[')
        return false;
    text = text.substr(name.size() + 1, text.size() - name.size() - 2);
    return true;
}

void read_types(const json& d, descriptor& out, const std::string& file) {
    const json& types = member(d, "data_types", file);
    require<invalid_format>(types.is_object(), "{}: the descriptor's 'data_types' is {}, no object", file,
                            shown(types));
    for (const auto& [name, value] : types.items()) {
        array_type a{name};
        std::string text = value.is_string() ? value.get<std::string>() : "";
        std::string_view rest = text;
        a.iso = unwrapped(rest, "iso");
        a.complex = unwrapped(rest, "complex");
        bool known = false;
        for (int k = 0; k < dtype_count; ++k)
            if (format_name(static_cast<dtype>(k)) == rest) {
                if (a.complex && static_cast<dtype>(k) == dtype::boolean) continue;
                a.type = static_cast<dtype>(k);
                known = true;
            }
        require<invalid_format>(known, "{}: array '{}' is of type {}, which is none of the format's", file,
                                quote(name), shown(value));
        out.arrays.push_back(std::move(a));
    }
}

}  // namespace

const array_type* descriptor::find(std::string_view array) const {
    for (const array_type& a : arrays)
        if (a.array == array) return &a;
    return nullptr;
}

std::string_view format_name(dtype type) { return type == dtype::boolean ? "bint8" : name_of(type); }

descriptor parse_descriptor(std::string_view text, const std::string& file) {
    const json whole_text = json::parse(text, nullptr, false);
    require<invalid_format>(whole_text.is_object(), "{}: the descriptor is no JSON object", file);
    const json& d = member(whole_text, "binsparse", file);
    require<invalid_format>(d.is_object(), "{}: the descriptor's 'binsparse' is no JSON object", file);
    check_version(d, file);
    descriptor out;
    const bool vector = read_layout(d, out, file);
    read_shape(d, vector, out, file);
    read_structure(d, out, file);
    read_types(d, out, file);
    const auto fill = d.find("fill");
    out.fill = fill != d.end() && *fill == true;
    const auto base = d.find("index_base");
    require<invalid_format>(base == d.end() || *base == 0,
                            "{}: its indices count from {}; read are those from 0", file,
                            base == d.end() ? "" : shown(*base));
    return out;
}

}  // namespace nz::io::binsparse
