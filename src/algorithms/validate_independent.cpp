// Checks of independent sets and colourings by their definitions, edge by edge.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <vector>

namespace nz {
namespace {

// The values of all vertices; throws where sizes do not agree.
std::vector<std::int64_t> values_of(const char* what, const matrix& a, const vector& v) {
    require<dimension_mismatch>(a.rows() == a.columns() && v.size() == a.rows(),
                                "{}: the graph is {} x {}, there are values for {} vertices", what, a.rows(),
                                a.columns(), v.size());
    std::vector<std::int64_t> values(static_cast<std::size_t>(v.size()));
    if (v.count() == v.size())
        for (offset_t i = 0; i < v.size(); ++i)
            values[static_cast<std::size_t>(i)] = v.get(i)->get<std::int64_t>();
    return values;
}

// Calls f(u, v) for every edge that is no loop until it says something.
template <class F>
std::string first_complaint(const storage::csr& rows, F&& f) {
    for (index_t u = 0; u < rows.rows; ++u)
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
            const index_t v = rows.index_data()[k];
            if (u == v) continue;
            if (std::string complaint = f(u, v); !complaint.empty()) return complaint;
        }
    return {};
}

}  // namespace

std::string validate_independent_set(const context&, const matrix& a, const vector& members) {
    const auto member = values_of("validate_independent_set", a, members);
    if (members.count() != members.size())
        return fmt::format("{} of {} vertices are in the set or out of it", members.count(), members.size());
    std::vector<bool> near(member.size());
    std::string complaint = first_complaint(a.body().rows(), [&](index_t u, index_t v) -> std::string {
        if (member[u] && member[v])
            return fmt::format("vertices {} and {} are members and joined by an edge", u, v);
        if (member[u]) near[v] = true;
        if (member[v]) near[u] = true;
        return {};
    });
    if (!complaint.empty()) return complaint;
    for (std::size_t v = 0; v < member.size(); ++v)
        if (!member[v] && !near[v])
            return fmt::format("vertex {} is no member, and no neighbour of it is", v);
    return {};
}

std::string validate_colouring(const context&, const matrix& a, const vector& colours) {
    const auto colour = values_of("validate_colouring", a, colours);
    if (colours.count() != colours.size())
        return fmt::format("{} of {} vertices have a colour", colours.count(), colours.size());
    for (std::size_t v = 0; v < colour.size(); ++v)
        if (colour[v] < 0) return fmt::format("vertex {} has colour {}", v, colour[v]);
    return first_complaint(a.body().rows(), [&](index_t u, index_t v) -> std::string {
        return colour[u] == colour[v]
                   ? fmt::format("vertices {} and {} have colour {} and an edge joins them", u, v, colour[u])
                   : std::string();
    });
}

}  // namespace nz
