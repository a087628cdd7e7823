// Vectors and matrix rows as plain lists of entries: what the reference kernels loop over.
#pragma once

#include "storage/growing.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

struct entry {
    index_t index;
    element value;
};
using entry_list = storage::growing<entry>;

/// The entries of a vector, ascending.
inline entry_list entries_of(const storage::vector_body& v) {
    entry_list list(v.ctx);
    storage::for_each_entry(
        v, [&](index_t i, offset_t k) { list.push({i, storage::load(v.values.data(), v.type, k)}); });
    return list;
}
/// The entries of row i, ascending.
inline void take_row(const storage::csr& a, index_t i, entry_list& list) {
    list.clear();
    for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) list.push({a.index_data()[p], a.value(p)});
}
/// Calls f(index, value in a, value in b) for every index of either list, ascending; null where there is
/// none.
template <class F>
void for_each_in_union(const entry_list& a, const entry_list& b, F&& f) {
    const entry *x = a.begin(), *y = b.begin();
    while (x != a.end() || y != b.end()) {
        const bool in_a = x != a.end() && (y == b.end() || x->index <= y->index);
        const bool in_b = y != b.end() && (x == a.end() || y->index <= x->index);
        f(in_a ? x->index : y->index, in_a ? &x->value : nullptr, in_b ? &y->value : nullptr);
        x += in_a;
        y += in_b;
    }
}

}  // namespace nz::kernels::reference
