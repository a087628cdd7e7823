#include "transform.hpp"

#include "common.hpp"
#include "core/buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace nz::cli {
namespace {

// New number of each vertex, -1 for those left out.
struct renumbering {
    std::vector<index_t> to;
    offset_t count = 0;
};

renumbering keep_all(offset_t n) {
    renumbering r{std::vector<index_t>(static_cast<std::size_t>(n)), n};
    std::iota(r.to.begin(), r.to.end(), 0);
    return r;
}

// Union by smallest vertex with path halving: the label of a component is its smallest vertex.
std::vector<index_t> component_labels(const structure& rows) {
    std::vector<index_t> parent(static_cast<std::size_t>(rows.rows()));
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](index_t v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    for (index_t i = 0; i < rows.rows(); ++i) {
        for (const index_t j : rows.row(i)) {
            const index_t a = find(i), b = find(j);
            parent[std::max(a, b)] = std::min(a, b);
        }
    }
    for (index_t v = 0; v < rows.rows(); ++v) parent[v] = find(v);
    return parent;
}

// The first of the largest components.
renumbering keep_largest(const structure& rows) {
    const auto label = component_labels(rows);
    std::vector<offset_t> size(label.size());
    for (const index_t l : label) ++size[l];
    const auto largest = std::ranges::max_element(size) - size.begin();
    renumbering r{std::vector<index_t>(label.size(), -1), 0};
    for (std::size_t v = 0; v < label.size(); ++v)
        if (label[v] == largest) r.to[v] = static_cast<index_t>(r.count++);
    return r;
}

template <class T>
std::span<const T> values_of(const matrix& a, const structure& rows) {
    return rows.offset_bytes() == 4 ? a.csr<T, std::int32_t>().values : a.csr<T, std::int64_t>().values;
}

// Copies what stays; `first` keeps A's own value where the reversed entry is there too.
template <class T>
matrix rebuild(const context& ctx, const matrix& a, const renumbering& vertices, const transformation& t) {
    const structure rows(a);
    const auto values = values_of<T>(a, rows);
    const bool full = a.values_held() == value_kind::full;
    const auto room = static_cast<std::size_t>(a.nnz()) * (t.symmetrize ? 2 : 1);
    const array<index_t> from(ctx, room), to(ctx, room);
    const array<T> kept(ctx, full ? room : 0);
    std::size_t count = 0;
    const auto keep = [&](index_t i, index_t j, const T* value) {
        if (full) kept[count] = *value;
        from[count] = i;
        to[count++] = j;
    };
    for (index_t i = 0; i < rows.rows(); ++i) {
        auto p = static_cast<std::size_t>(rows.begin(i));
        for (const index_t j : rows.row(i)) {
            const std::size_t at = p++;
            if (vertices.to[i] < 0 || vertices.to[j] < 0 || (t.drop_loops && i == j)) continue;
            keep(vertices.to[i], vertices.to[j], full ? &values[at] : nullptr);
        }
    }
    const std::size_t once = count;
    for (std::size_t k = 0; t.symmetrize && k < once; ++k) keep(to[k], from[k], full ? &kept[k] : nullptr);
    const auto n = static_cast<index_t>(vertices.count);
    const std::span<const index_t> rows_kept(from.data(), count), columns_kept(to.data(), count);
    const std::span<const T> stored = full ? std::span<const T>(kept.data(), count) : values;
    return matrix::build<T>(ctx, {n, n, rows_kept, columns_kept, stored}, binary_id::first);
}

}  // namespace

void transform(const context& ctx, input& in, transformation t) {
    if (!t.any()) return;
    const matrix& a = in.matrix;
    if (a.rows() != a.columns())
        throw usage_error(fmt::format(
            "the matrix is {} x {}: --symmetrize, --drop-loops and --largest-component need a square one",
            a.rows(), a.columns()));
    if (t.symmetrize && (in.declared_symmetric || a.facts().symmetric_pattern)) t.symmetrize = false;
    if (!t.any() || a.rows() == 0) return;
    const renumbering vertices = t.largest_component ? keep_largest(structure(a)) : keep_all(a.rows());
    if (vertices.count < a.rows()) {
        std::vector<std::int64_t> ids(static_cast<std::size_t>(vertices.count));
        for (std::size_t v = 0; v < vertices.to.size(); ++v)
            if (vertices.to[v] >= 0)
                ids[vertices.to[v]] =
                    in.original_ids.empty() ? static_cast<std::int64_t>(v) : in.original_ids[v];
        in.original_ids = std::move(ids);
    }
    matrix rebuilt =
        dispatch(a.type(), [&]<class T>(std::type_identity<T>) { return rebuild<T>(ctx, a, vertices, t); });
    in.matrix = std::move(rebuilt);
}

matrix with_type(const context& ctx, const matrix& a, dtype type) {
    if (a.type() == type || a.values_held() == value_kind::pattern) return a;
    const structure rows(a);
    return dispatch(type, [&]<class T>(std::type_identity<T>) {
        std::unique_ptr<T[]> values;
        std::size_t count = 0;
        dispatch(a.type(), [&]<class From>(std::type_identity<From>) {
            const auto old = values_of<From>(a, rows);
            count = old.size();
            values.reset(new T[count + 1]);
            std::ranges::transform(old, values.get(), [](From x) { return convert<T>(x); });
        });
        return rows.with_values<T>(ctx, {values.get(), count});
    });
}

}  // namespace nz::cli
