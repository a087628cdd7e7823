#include "support/small.hpp"

#include "support/model.hpp"

#include <fmt/format.h>

namespace nz::test {

std::string text(const matrix& a) {
    std::string all;
    const dictionary d = read(a);
    for (const auto& [at, x] : d.entries)
        all += fmt::format("{}({},{})={}", all.empty() ? "" : " ", at.first, at.second, show(x, d.type));
    return all;
}
std::string text(const vector& v) {
    std::string all;
    const dictionary d = read(v);
    for (const auto& [at, x] : d.entries)
        all += fmt::format("{}{}={}", all.empty() ? "" : " ", at.first, show(x, d.type));
    return all;
}

}  // namespace nz::test
