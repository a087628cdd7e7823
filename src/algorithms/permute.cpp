// Matrices and vectors in another order of their vertices, and back: extract by the order as the list of rows and of columns, on a GPU
// where they lie there.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "nonzero/operations.hpp"
#include "nonzero/reorder.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <atomic>

namespace nz {
namespace {

// An order that was checked: `old_of` its own numbers, `new_of` their inverse.
struct renumbering {
    array<index_t> old_of, new_of;
};

template <class T>
void check_place(std::span<const T> order, offset_t k, std::span<index_t> new_of) {
    const T v = order[static_cast<std::size_t>(k)];
    const auto n = std::ssize(order);
    require<domain_error>(v >= 0 && v < n, "the order has {} at place {}: vertices are 0 to {}", v, k, n - 1);
    index_t& place = new_of[static_cast<std::size_t>(v)];
    require<domain_error>(place < 0, "the order has {} at places {} and {}: it must name every vertex once",
                          v, place, k);
    place = static_cast<index_t>(k);
}

template <class T>
renumbering checked(const context& ctx, std::span<const T> order) {
    const offset_t n = std::ssize(order);
    renumbering r{{ctx, order.size()}, {ctx, order.size()}};
    r.new_of.fill(-1);
    std::atomic<bool> once{true};
    parallel::for_pieces(ctx.threads(), n, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k) {
            const T v = order[static_cast<std::size_t>(k)];
            r.old_of.data()[k] = static_cast<index_t>(v);
            if (v < 0 || v >= n ||
                std::atomic_ref(r.new_of.data()[v])
                        .exchange(static_cast<index_t>(k), std::memory_order_relaxed) >= 0)
                once = false;
        }
    });
    if (once) return r;
    r.new_of.fill(-1);
    for (offset_t k = 0; k < n; ++k) check_place(order, k, {r.new_of.data(), r.new_of.size()});
    return r;
}

renumbering checked(const context& ctx, const vector& order) {
    require<domain_error>(order.type() == dtype::int32 || order.type() == dtype::int64,
                          "the order is {}: it must be int32 or int64", name_of(order.type()));
    require<domain_error>(order.count() == order.size(),
                          "the order has {} entries of {}: none may be missing", order.count(), order.size());
    vector all = order;
    all.convert_to(vector_form::dense);
    return order.type() == dtype::int32 ? checked(ctx, all.values<std::int32_t>())
                                        : checked(ctx, all.values<std::int64_t>());
}

renumbering checked_for(const context& ctx, const char* what, const vector& v, const vector& order) {
    require<dimension_mismatch>(v.size() == order.size(), "{}: the vector has size {}, the order {}", what,
                                v.size(), order.size());
    return checked(ctx, order);
}

index_list list_of(const array<index_t>& places) {
    return std::span<const index_t>(places.data(), places.size());
}

// w(i) = v(source_of(i)), in v's form.
vector moved(const context& ctx, const vector& v, const array<index_t>& source_of) {
    vector w(ctx, v.type(), v.size());
    extract(ctx, w, v, list_of(source_of));
    if (w.form() != v.form()) w.convert_to(v.form());
    return w;
}

}  // namespace

vector inverse(const context& ctx, const vector& order) {
    const renumbering r = checked(ctx, order);
    return vector::dense<index_t>(ctx, {r.new_of.data(), r.new_of.size()});
}

matrix permute(const context& ctx, const matrix& a, const vector& order) {
    require<dimension_mismatch>(a.rows() == a.columns() && a.rows() == order.size(),
                                "permute: the matrix is {} x {}, the order has size {}; rows and columns are "
                                "renumbered alike, so all three must be equal",
                                a.rows(), a.columns(), order.size());
    const renumbering r = checked(ctx, order);
    matrix out(ctx, a.type(), a.rows(), a.columns());
    extract(ctx, out, a, list_of(r.old_of), list_of(r.old_of));
    if (!a.body().known_symmetric()) return out;
    const auto body = std::make_shared<storage::matrix_body>(out.body());
    body->declare_symmetric();
    return matrix(body);
}

vector permute(const context& ctx, const vector& v, const vector& order) {
    return moved(ctx, v, checked_for(ctx, "permute", v, order).old_of);
}

vector restore(const context& ctx, const vector& v, const vector& order) {
    return moved(ctx, v, checked_for(ctx, "restore", v, order).new_of);
}

vector restore_vertices(const context& ctx, const vector& v, const vector& order) {
    require<domain_error>(v.type() == dtype::int32 || v.type() == dtype::int64,
                          "restore_vertices: the vector is {}: vertices are int32 or int64",
                          name_of(v.type()));
    const renumbering r = checked_for(ctx, "restore_vertices", v, order);
    vector found = moved(ctx, v, r.new_of);
    storage::vector_body& w = found.mutable_body();
    const auto rename_all = [&]<class T>(T* values) {
        storage::for_each_entry(w, [&](index_t i, offset_t k) {
            require<index_out_of_bounds>(values[k] < v.size(),
                                         "restore_vertices: {} at place {} is no vertex: they are 0 to {}",
                                         values[k], r.new_of[static_cast<std::size_t>(i)], v.size() - 1);
            if (values[k] >= 0) values[k] = r.old_of[static_cast<std::size_t>(values[k])];
        });
    };
    v.type() == dtype::int32 ? rename_all(w.values.as<std::int32_t>())
                             : rename_all(w.values.as<std::int64_t>());
    return found;
}

}  // namespace nz
