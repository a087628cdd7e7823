// Semirings by name: ours ("min_plus") and GraphBLAS's ("GrB_MIN_PLUS_SEMIRING_INT32",
// "GxB_ANY_SECONDI_INT32").
#include "algebra/table.hpp"
#include "core/checks.hpp"
#include "nonzero/algebra.hpp"

#include <algorithm>
#include <cctype>

namespace nz {
namespace {

std::string lower(std::string_view s) {
    std::string out(s);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool strip_suffix(std::string& word, std::string_view suffix) {
    if (!word.ends_with(suffix)) return false;
    word.resize(word.size() - suffix.size());
    return true;
}

// Takes "_fp64", "_int32"... off the end of a GraphBLAS name.
std::optional<dtype> strip_type(std::string& word) {
    if (strip_suffix(word, "_fp32")) return dtype::float32;
    if (strip_suffix(word, "_fp64")) return dtype::float64;
    for (int k = 0; k < dtype_count; ++k)
        if (strip_suffix(word, "_" + std::string(name_of(static_cast<dtype>(k)))))
            return static_cast<dtype>(k);
    return {};
}

struct parsed_name {
    binary_id add, multiply;
    std::optional<dtype> pinned;
};

parsed_name parse(std::string_view name) {
    std::string word = lower(name);
    if (word.starts_with("grb_") || word.starts_with("gxb_")) word.erase(0, 4);
    auto pinned = strip_type(word);
    strip_suffix(word, "_semiring");
    // GraphBLAS's secondi1... (one-based) are not offered; pair is also called oneb.
    if (word.ends_with("_oneb")) word.replace(word.size() - 4, 4, "pair");
    for (const auto& add : algebra::binary_rows()) {
        if (!add.is_monoid || !word.starts_with(add.name) || word.size() <= add.name.size() ||
            word[add.name.size()] != '_')
            continue;
        const std::string_view rest = std::string_view(word).substr(add.name.size() + 1);
        for (const auto& multiply : algebra::binary_rows())
            if (multiply.name == rest) return {add.id, multiply.id, pinned};
    }
    fail<domain_error>(
        "'{}' is not a semiring: join a monoid (plus, times, min, max, any, lor, land, lxor, lxnor, eq, bor, band, bxor, "
        "bxnor) and a multiply operator with '_', e.g. plus_times, min_plus, any_secondi",
        name);
}

bool is_logical(binary_id op) { return op >= binary_id::lor && op <= binary_id::lxnor; }
bool boolean_only(binary_id add) { return is_logical(add) || add == binary_id::eq; }

}  // namespace

semiring::semiring(std::string_view name) : add_(binary_id::plus), multiply_(binary_id::times) {
    const auto [add, multiply, pinned] = parse(name);
    *this = semiring(monoid(add), binary_op(multiply), pinned);
}

std::string semiring::name() const {
    std::string name = std::string(add_.name()) + "_" + std::string(multiply_.name());
    return pinned_ ? name + "_" + std::string(name_of(*pinned_)) : name;
}

namespace {
// The type that both operands promote to; an ignored operand has no say in it.
dtype common_type(const semiring& s, const std::optional<dtype>& pinned, dtype a, dtype b) {
    if (pinned) return *pinned;
    return s.ignores_a() == s.ignores_b() ? promote(a, b) : s.ignores_a() ? b : a;
}
}  // namespace

dtype semiring::operand_type(dtype a, dtype b) const {
    dtype common = common_type(*this, pinned_, a, b);
    if (boolean_only(add_.id()) && multiply_.id() != binary_id::user &&
        multiply_.output_type(common) != dtype::boolean)
        common = dtype::boolean;  // lor_plus and the like compute on truth values
    return multiply_.positional() ? common : multiply_.input_type(common);
}

bool semiring::converts_twice(dtype a, dtype b) const {
    if (!pinned_ || *pinned_ == dtype::boolean || multiply_.positional() ||
        operand_type(a, b) != dtype::boolean)
        return false;
    const auto keeps = [&](dtype type) {
        if (type == dtype::boolean) return true;
        if (is_floating(type) != is_floating(*pinned_)) return is_floating(*pinned_);
        return size_of(type) <= size_of(*pinned_);
    };
    return !(ignores_a() || keeps(a)) || !(ignores_b() || keeps(b));
}

dtype semiring::value_type(dtype a, dtype b) const {
    if (multiply_.positional()) return add_.value_type(pinned_ == dtype::int32 ? dtype::int32 : dtype::int64);
    // plus_lor and the like count their truth values in the operands' type, as GraphBLAS's GxB_PLUS_LOR_INT32
    // does.
    if (is_logical(multiply_.id())) return add_.value_type(common_type(*this, pinned_, a, b));
    return add_.value_type(multiply_.output_type(operand_type(a, b)));
}

namespace {
// Bitwise operators are for integers: not for the truth values of a comparison, nor for a sum that makes truth values of its products.
bool both_defined(const algebra::binary_row& add, const algebra::binary_row& multiply) {
    using algebra::domain;
    if (add.inputs == domain::integers)
        return multiply.output != algebra::result::truth || is_logical(multiply.id);
    return !boolean_only(add.id) || multiply.inputs != domain::integers;
}
}  // namespace

std::vector<std::string> semiring_names() {
    std::vector<std::string> names;
    for (const auto& add : algebra::binary_rows())
        for (const auto& multiply : algebra::binary_rows())
            if (add.is_monoid && multiply.id != binary_id::any && both_defined(add, multiply))
                names.push_back(std::string(add.name) + "_" + std::string(multiply.name));
    std::ranges::sort(names);
    return names;
}

}  // namespace nz
