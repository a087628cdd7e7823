// A check of strong components by Tarjan's algorithm (1972), with a stack of its own in place of recursion: lowest numbers
// reached are handed back from child to parent. Then labels and the components found must name the same sets.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace nz {
namespace {

struct tarjan {
    const storage::csr& rows;
    std::vector<std::int64_t> number, lowest, component;
    std::vector<offset_t> next;
    std::vector<index_t> stack, trail;
    std::int64_t met = 0, components = 0;

    explicit tarjan(const storage::csr& a)
        : rows(a),
          number(static_cast<std::size_t>(a.rows), -1),
          lowest(number),
          component(number),
          next(number) {
        for (index_t v = 0; v < rows.rows; ++v)
            if (number[v] < 0) from(v);
    }
    void meet(index_t v) {
        number[v] = lowest[v] = met++;
        next[v] = rows.offset(v);
        stack.push_back(v);
        trail.push_back(v);
    }
    void from(index_t root) {
        meet(root);
        while (!trail.empty()) {
            const index_t v = trail.back();
            if (next[v] < rows.offset(v + offset_t{1})) {
                const index_t w = rows.index_data()[next[v]++];
                if (number[w] < 0)
                    meet(w);
                else if (component[w] < 0)
                    lowest[v] = std::min(lowest[v], number[w]);
                continue;
            }
            trail.pop_back();
            if (!trail.empty()) lowest[trail.back()] = std::min(lowest[trail.back()], lowest[v]);
            if (lowest[v] == number[v]) close(v);
        }
    }
    void close(index_t v) {
        index_t w;
        do {
            w = stack.back();
            stack.pop_back();
            component[w] = components;
        } while (w != v);
        ++components;
    }
};

}  // namespace

std::string validate_strong_components(const context&, const matrix& a, const vector& labels) {
    require<dimension_mismatch>(a.rows() == a.columns() && labels.size() == a.rows(),
                                "validate_strong_components: the graph is {} x {}, there are {} labels",
                                a.rows(), a.columns(), labels.size());
    if (labels.count() != labels.size())
        return fmt::format("{} of {} vertices have a label", labels.count(), labels.size());
    const tarjan right(a.body().rows());
    std::unordered_map<std::int64_t, index_t> with_label, of_component;  // a vertex of each
    for (index_t v = 0; v < static_cast<index_t>(labels.size()); ++v) {
        const std::int64_t label = labels.get(v)->get<std::int64_t>(), component = right.component[v];
        const index_t same_label = with_label.emplace(label, v).first->second,
                      same_component = of_component.emplace(component, v).first->second;
        if (right.component[same_label] != component)
            return fmt::format(
                "vertices {} and {} have label {}, but no path leads from one to the other and back",
                same_label, v, label);
        if (labels.get(same_component)->get<std::int64_t>() != label)
            return fmt::format("vertices {} and {} reach each other, but have labels {} and {}",
                               same_component, v, labels.get(same_component)->get<std::int64_t>(), label);
    }
    return {};
}

}  // namespace nz
