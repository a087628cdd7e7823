// Matrices and vectors in another order of their vertices, and back: extract by the order as the list of rows and of columns, on a GPU
// where they lie there.
#include "core/bits.hpp"
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "nonzero/operations.hpp"
#include "nonzero/reorder.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <atomic>
#include <vector>

namespace nz {
namespace {

template <class T>
[[noreturn]] void say_what_is_wrong(std::span<const T> order) {
    std::vector<offset_t> place(order.size(), -1);
    const offset_t n = std::ssize(order);
    for (offset_t k = 0; k < n; ++k) {
        const T v = order[static_cast<std::size_t>(k)];
        require<domain_error>(v >= 0 && v < n, "the order has {} at place {}: vertices are 0 to {}", v, k,
                              n - 1);
        offset_t& at = place[static_cast<std::size_t>(v)];
        require<domain_error>(at < 0, "the order has {} at places {} and {}: it must name every vertex once",
                              v, at, k);
        at = k;
    }
    fail<domain_error>("the order changed while it was read");
}

// The order's own numbers, each of 0 to n - 1 once.
template <class T>
array<index_t> checked(const context& ctx, std::span<const T> order) {
    const offset_t n = std::ssize(order);
    array<index_t> old_of(ctx, order.size());
    array<bits::word> named(ctx, bits::words_for(n));
    named.fill(0);
    std::atomic<bool> once{true};
    parallel::for_pieces(ctx.threads(), n, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k) {
            const T v = order[static_cast<std::size_t>(k)];
            old_of.data()[k] = static_cast<index_t>(v);
            if (v < 0 || v >= n) {
                once = false;
                return;
            }
            const bits::word bit = bits::word{1} << (v % bits::per_word);
            if (std::atomic_ref(named.data()[v / bits::per_word]).fetch_or(bit, std::memory_order_relaxed) &
                bit) {
                once = false;
                return;
            }
        }
    });
    if (!once) say_what_is_wrong(order);
    return old_of;
}

array<index_t> checked(const context& ctx, const vector& order) {
    require<domain_error>(order.type() == dtype::int32 || order.type() == dtype::int64,
                          "the order is {}: it must be int32 or int64", name_of(order.type()));
    require<domain_error>(order.count() == order.size(),
                          "the order has {} entries of {}: none may be missing", order.count(), order.size());
    vector all = order;
    all.convert_to(vector_form::dense);
    return order.type() == dtype::int32 ? checked(ctx, all.values<std::int32_t>())
                                        : checked(ctx, all.values<std::int64_t>());
}

array<index_t> checked_for(const context& ctx, const char* what, const vector& v, const vector& order) {
    require<dimension_mismatch>(v.size() == order.size(), "{}: the vector has size {}, the order {}", what,
                                v.size(), order.size());
    return checked(ctx, order);
}

array<index_t> inverse_of(const context& ctx, const array<index_t>& old_of) {
    array<index_t> new_of(ctx, old_of.size());
    parallel::for_pieces(ctx.threads(), static_cast<offset_t>(old_of.size()),
                         [&](offset_t begin, offset_t end) {
                             for (offset_t k = begin; k < end; ++k)
                                 new_of.data()[old_of.data()[k]] = static_cast<index_t>(k);
                         });
    return new_of;
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
    const array<index_t> new_of = inverse_of(ctx, checked(ctx, order));
    return vector::dense<index_t>(ctx, {new_of.data(), new_of.size()});
}

matrix permute(const context& ctx, const matrix& a, const vector& order) {
    require<dimension_mismatch>(a.rows() == a.columns() && a.rows() == order.size(),
                                "permute: the matrix is {} x {}, the order has size {}; rows and columns are "
                                "renumbered alike, so all three must be equal",
                                a.rows(), a.columns(), order.size());
    const array<index_t> old_of = checked(ctx, order);
    matrix out(ctx, a.type(), a.rows(), a.columns());
    extract(ctx, out, a, list_of(old_of), list_of(old_of));
    if (!a.body().known_symmetric()) return out;
    const auto body = std::make_shared<storage::matrix_body>(out.body());
    body->declare_symmetric();
    return matrix(body);
}

vector permute(const context& ctx, const vector& v, const vector& order) {
    return moved(ctx, v, checked_for(ctx, "permute", v, order));
}

vector restore(const context& ctx, const vector& v, const vector& order) {
    return moved(ctx, v, inverse_of(ctx, checked_for(ctx, "restore", v, order)));
}

vector restore_vertices(const context& ctx, const vector& v, const vector& order) {
    require<domain_error>(v.type() == dtype::int32 || v.type() == dtype::int64,
                          "restore_vertices: the vector is {}: vertices are int32 or int64",
                          name_of(v.type()));
    const array<index_t> old_of = checked_for(ctx, "restore_vertices", v, order),
                         new_of = inverse_of(ctx, old_of);
    vector found = moved(ctx, v, new_of);
    storage::vector_body& w = found.mutable_body();
    const auto rename_all = [&]<class T>(T* values) {
        storage::for_each_entry(w, [&](index_t i, offset_t k) {
            require<index_out_of_bounds>(values[k] < v.size(),
                                         "restore_vertices: {} at place {} is no vertex: they are 0 to {}",
                                         values[k], new_of[static_cast<std::size_t>(i)], v.size() - 1);
            if (values[k] >= 0) values[k] = old_of[static_cast<std::size_t>(values[k])];
        });
    };
    v.type() == dtype::int32 ? rename_all(w.values.as<std::int32_t>())
                             : rename_all(w.values.as<std::int64_t>());
    return found;
}

}  // namespace nz
