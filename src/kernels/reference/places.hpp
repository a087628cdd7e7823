// Index lists looked at from the side of the places they name.
#pragma once

#include "nonzero/operations.hpp"

#include <algorithm>
#include <vector>

namespace nz::kernels::reference {

/// A place and its position in the list: list[source] == place.
struct target {
    index_t place;
    index_t source;
    friend bool operator<(const target& a, const target& b) {
        return a.place != b.place ? a.place < b.place : a.source < b.source;
    }
};

/// Every position of the list, by place and then by position.
inline std::vector<target> by_place(const index_list& list, offset_t extent) {
    std::vector<target> targets;
    targets.reserve(static_cast<std::size_t>(list.size(extent)));
    for (offset_t k = 0; k < list.size(extent); ++k) targets.push_back({list[k], static_cast<index_t>(k)});
    std::sort(targets.begin(), targets.end());
    return targets;
}

/// The places of the list, each once with the last position that names it.
inline std::vector<target> last_by_place(const index_list& list, offset_t extent) {
    std::vector<target> targets = by_place(list, extent), last;
    for (std::size_t k = 0; k < targets.size(); ++k)
        if (k + 1 == targets.size() || targets[k + 1].place != targets[k].place) last.push_back(targets[k]);
    return last;
}

inline bool names(const std::vector<target>& targets, index_t place) {
    const auto at = std::lower_bound(targets.begin(), targets.end(), target{place, 0});
    return at != targets.end() && at->place == place;
}

}  // namespace nz::kernels::reference
