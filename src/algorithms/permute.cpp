// Matrices and vectors in another order of their vertices, and back.
//
// A row of P A P^T is a row of A with its columns renamed, then sorted in the cache of the thread that wrote it: 2 reads and a
// write of every entry, the rows of A in the order's sequence. Threads take rows as they are free; places do not depend on who
// does.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "nonzero/reorder.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>
#include <cstring>

namespace nz {
namespace {

constexpr offset_t rows_a_time = 2048;

// An order that was checked: `old_of` its own numbers, `new_of` their inverse.
struct renumbering {
    array<index_t> old_of, new_of;
};

template <class T>
renumbering checked(const context& ctx, std::span<const T> order) {
    const auto n = static_cast<offset_t>(order.size());
    renumbering r{{ctx, order.size()}, {ctx, order.size()}};
    r.new_of.fill(-1);
    for (offset_t k = 0; k < n; ++k) {
        const T v = order[static_cast<std::size_t>(k)];
        require<domain_error>(v >= 0 && v < n, "the order has {} at place {}: vertices are 0 to {}", v, k,
                              n - 1);
        index_t& place = r.new_of[static_cast<std::size_t>(v)];
        require<domain_error>(
            place < 0, "the order has {} at places {} and {}: it must name every vertex once", v, place, k);
        place = static_cast<index_t>(k);
        r.old_of[static_cast<std::size_t>(k)] = static_cast<index_t>(v);
    }
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

// Row i of `out` is row old_of(i) of `a`, columns renamed; move(place, k) takes the value at k along.
template <class Offset, class Move>
void rename(const context& ctx, const storage::csr& a, const renumbering& r, const storage::csr& out,
            Move&& move) {
    const auto *from = a.offsets.as<const Offset>(), *to = out.offsets.as<const Offset>();
    parallel::for_chunks(ctx.threads(), a.rows, rows_a_time, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i) {
            Offset place = to[i];
            const index_t v = r.old_of[static_cast<std::size_t>(i)];
            for (Offset k = from[v]; k < from[v + 1]; ++k, ++place) {
                out.indices.as<index_t>()[place] = r.new_of[static_cast<std::size_t>(a.index_data()[k])];
                move(place, k);
            }
        }
    });
}

storage::csr renamed(const context& ctx, const storage::csr& a, const renumbering& r) {
    return storage::with_offsets(a, [&]<class Offset>(const Offset* offsets) {
        const array<index_t> lengths(ctx, static_cast<std::size_t>(a.rows));
        parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                lengths[i] = static_cast<index_t>(offsets[r.old_of[i] + 1] - offsets[r.old_of[i]]);
        });
        storage::csr out = storage::allocate_csr(ctx, a.type, a.kind, a.rows, a.columns,
                                                 std::span<const index_t>(lengths.data(), lengths.size()));
        if (a.kind != value_kind::full) {
            if (out.values.bytes()) std::memcpy(out.values.data(), a.values.data(), out.values.bytes());
            rename<Offset>(ctx, a, r, out, [](Offset, Offset) {});
        } else {
            storage::by_width(a.value_bytes(), [&]<class U>(std::type_identity<U>) {
                const U* source = a.values.as<const U>();
                U* target = out.values.as<U>();
                rename<Offset>(ctx, a, r, out, [=](Offset to, Offset k) { target[to] = source[k]; });
            });
        }
        return out;
    });
}

// w(place_of(i)) = v(i), in v's form.
storage::vector_body moved(const context& ctx, const storage::vector_body& v,
                           const array<index_t>& place_of) {
    const bool dense = v.form == vector_form::dense;
    storage::vector_body w = storage::make_vector_body(
        ctx, v.type, v.size, dense ? vector_form::dense : vector_form::bitmap, v.count);
    storage::by_width(size_of(v.type), [&]<class U>(std::type_identity<U>) {
        storage::for_each_entry(v, [&](index_t i, offset_t k) {
            const index_t place = place_of[static_cast<std::size_t>(i)];
            w.values.as<U>()[place] = v.values.as<const U>()[k];
            if (!dense) bits::set(w.words(), place);
        });
    });
    return v.form == vector_form::sparse ? storage::convert(w, vector_form::sparse) : std::move(w);
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
    storage::csr out = renamed(ctx, a.body().rows(), r);
    storage::sort_rows(ctx, out, binary_id::first);
    const auto body = std::make_shared<storage::matrix_body>(ctx, std::move(out));
    if (a.body().known_symmetric()) body->declare_symmetric();
    return matrix(body);
}

vector permute(const context& ctx, const vector& v, const vector& order) {
    const renumbering r = checked_for(ctx, "permute", v, order);
    return storage::make_vector(moved(ctx, v.body(), r.new_of));
}

vector restore(const context& ctx, const vector& v, const vector& order) {
    const renumbering r = checked_for(ctx, "restore", v, order);
    return storage::make_vector(moved(ctx, v.body(), r.old_of));
}

vector restore_vertices(const context& ctx, const vector& v, const vector& order) {
    require<domain_error>(v.type() == dtype::int32 || v.type() == dtype::int64,
                          "restore_vertices: the vector is {}: vertices are int32 or int64",
                          name_of(v.type()));
    const renumbering r = checked_for(ctx, "restore_vertices", v, order);
    storage::vector_body w = moved(ctx, v.body(), r.old_of);
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
    return storage::make_vector(std::move(w));
}

}  // namespace nz
