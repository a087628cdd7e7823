// A check of labels that takes no kernel's word: a union of all edges, one after another, and then labels and roots must
// name the same sets.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <vector>

namespace nz {

std::string validate_components(const context&, const matrix& a, const vector& labels) {
    require<dimension_mismatch>(a.rows() == a.columns() && labels.size() == a.rows(),
                                "validate_components: the graph is {} x {}, there are {} labels", a.rows(),
                                a.columns(), labels.size());
    if (labels.count() != labels.size())
        return fmt::format("{} of {} vertices have a label", labels.count(), labels.size());
    const storage::csr& rows = a.body().rows();
    std::vector<index_t> parent(static_cast<std::size_t>(a.rows()));
    std::iota(parent.begin(), parent.end(), 0);
    const auto root_of = [&](index_t v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    std::vector<std::int64_t> label(parent.size());
    storage::for_each_entry(labels.body(), [&](index_t v, offset_t k) {
        label[v] = scalar(labels.type(), storage::load(labels.body().values.data(), labels.type(), k))
                       .get<std::int64_t>();
    });
    for (index_t u = 0; u < rows.rows; ++u)
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
            const index_t v = rows.index_data()[k];
            if (label[u] != label[v])
                return fmt::format("edge {} -> {} joins labels {} and {}", u, v, label[u], label[v]);
            parent[root_of(u)] = root_of(v);
        }
    std::map<std::int64_t, index_t> root_with;  // each label is met in one component alone
    for (index_t v = 0; v < rows.rows; ++v) {
        const auto [at, first] = root_with.emplace(label[v], root_of(v));
        if (!first && at->second != root_of(v))
            return fmt::format("label {} is in two components, of vertices {} and {}", label[v], v,
                               at->second);
    }
    return {};
}

}  // namespace nz
