// The product of matrices over semirings that are not compiled but whose multiply operator is, by itself: the places first, by the compiled
// product over any_pair, under its mask, then their values, some 4,096 products at a time.
//
// A thread puts the operands of whole rows' products one after the other, the operator's loop over whole arrays (ewise/words) forms them, and
//   each is added to its entry of the result, which a word for each column finds: set for the row's columns before, cleared after. A row of
//   more products goes by pieces.
// Who owns what: runs of rows of about as many products each go to whichever thread is free; a row belongs to one thread.
// Products whose column has no entry in the row are passed over: the mask barred it.
// Determinism: the products of one entry are added in the order of k: the bits of the generic path and of the reference.
// Memory: A's entries, B's rows and the result's, and for a thread a word a column and five arrays of a block.
// Cost: 2 to 10 ns a product and two threads, of which the places are a fifth to a third: docs/measurements/spgemm.md.
// Distance to the limit: 1.8 to 3.3 times the compiled kernels of plus_times.
// Why the generic path was not enough: two calls, conversions and a hash table of 16-byte sums a product.
#include "kernels/cpu/mxm/common_composed.hpp"

#include "algebra/bound.hpp"
#include "algebra/functors.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "plan/mxv_workspace.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace nz::kernels::cpu {
namespace {

using storage::csr;

constexpr offset_t composed_rows = 64;  // of a block, at most

// What a column's word says: no_place, or that its entry is the n-th of the row: -n before its first product, then n, from 1 on.
constexpr index_t no_place = 0;

// Adds products to the entries of one row that their columns have places in.
template <class T, class Add>
void add_up(const T* products, const index_t* columns, offset_t count, index_t* places, T* sums, Add&& add) {
    for (offset_t n = 0; n < count; ++n) {
        index_t& place = places[columns[n]];
        if (place > no_place) {
            sums[place - 1] = add(sums[place - 1], products[n]);
        } else if (place < no_place) {
            place = -place;
            sums[place - 1] = products[n];
        }
    }
}

using add_kernel = void (*)(const void* products, const index_t* columns, offset_t count, index_t* places,
                            void* sums);
template <binary_id Add, class T>
void add_typed(const void* products, const index_t* columns, offset_t count, index_t* places, void* sums) {
    add_up(static_cast<const T*>(products), columns, count, places, static_cast<T*>(sums),
           [](T x, T y) { return static_cast<T>(algebra::binary<Add>(x, y)); });
}
template <binary_id... Add>
add_kernel find_add(binary_id add, dtype type) {
    return dispatch(type, [&]<class T>(std::type_identity<T>) {
        add_kernel found = nullptr;
        ((add == Add ? void(found = &add_typed<Add, T>) : void()), ...);
        return found;
    });
}

// What one thread goes through.
class row_products {
public:
    row_products(const context& ctx, const semiring& s, const composed_multiply& multiply, const csr& a,
                 const csr& b, csr& c, offset_t products)
        : most_(plan::composed_block(products)),
          multiply_(multiply),
          a_(a),
          b_(b),
          c_(c),
          width_(size_of(c.type)),
          monoid_(s.add(), c.type),
          block_(ctx, multiply, most_),
          columns_(ctx, static_cast<std::size_t>(most_)),
          places_(ctx, static_cast<std::size_t>(b.columns)) {
        using enum binary_id;
        if (s.add().is_built_in())
            add_ = find_add<plus, times, min, max, lor, land, lxor, any>(s.add().id(), c.type);
    }

    void run(index_t first, index_t last) {
        if (!std::exchange(cleared_, true)) places_.fill(no_place);
        for (index_t i = first; i < last; ++i) {
            if (c_.offset(i) == c_.offset(i + offset_t{1})) continue;
            const offset_t products = products_of(i);
            if (count_ + products > most_ || held_ == composed_rows) flush();
            if (products > most_) {
                add_long_row(i);
                continue;
            }
            rows_[held_] = i;
            each_run(i, [&](offset_t p, offset_t q, offset_t n) { take(p, q, n); });
            ends_[held_++] = count_;
        }
        flush();
    }

private:
    offset_t products_of(index_t i) const {
        offset_t products = 0;
        for (offset_t p = a_.offset(i); p < a_.offset(i + offset_t{1}); ++p) {
            const offset_t k = a_.index_data()[p];
            products += b_.offset(k + 1) - b_.offset(k);
        }
        return products;
    }
    // Calls f(p, q, n) for the n entries of B from q on that entry p of A's row meets.
    template <class F>
    void each_run(index_t i, F&& f) const {
        for (offset_t p = a_.offset(i); p < a_.offset(i + offset_t{1}); ++p) {
            const offset_t k = a_.index_data()[p], q = b_.offset(k);
            f(p, q, b_.offset(k + 1) - q);
        }
    }
    void take(offset_t p, offset_t q, offset_t n) {
        std::copy_n(b_.index_data() + q, n, columns_.data() + count_);
        if (!multiply_.ignores_x) put(block_.x(), a_, p, n, 0);
        if (!multiply_.ignores_y) put(block_.y(), b_, q, n, 1);
        count_ += n;
    }
    // n values from p on (step 1), or the one there n times.
    void put(void* to, const csr& from, offset_t p, offset_t n, int step) const {
        storage::by_width(size_of(from.type), [&]<class U>(std::type_identity<U>) {
            U* const out = static_cast<U*>(to) + count_;
            if (step && from.kind == value_kind::full) {
                std::copy_n(from.values.as<const U>() + p, n, out);
            } else {
                std::fill_n(out, n, static_cast<U>(from.value(p).bits));
            }
        });
    }

    void flush() {
        if (count_) {
            const auto* const products =
                static_cast<const std::byte*>(block_.multiply(block_.x(), block_.y(), count_));
            offset_t begin = 0;
            for (index_t r = 0; r < held_; ++r) {
                mark(rows_[r]);
                add(rows_[r], products + static_cast<std::size_t>(begin) * width_, begin, ends_[r]);
                clear(rows_[r]);
                begin = ends_[r];
            }
        }
        held_ = 0;
        count_ = 0;
    }
    void add_long_row(index_t i) {
        mark(i);
        const auto piece = [&] {
            add(i, block_.multiply(block_.x(), block_.y(), count_), 0, count_);
            count_ = 0;
        };
        each_run(i, [&](offset_t p, offset_t q, offset_t n) {
            while (n > 0) {
                const offset_t some = std::min(n, most_ - count_);
                take(p, q, some);
                q += some;
                n -= some;
                if (count_ == most_) piece();
            }
        });
        if (count_) piece();
        clear(i);
    }

    void mark(index_t i) {
        index_t n = 0;
        for (offset_t p = c_.offset(i); p < c_.offset(i + offset_t{1}); ++p)
            places_[static_cast<std::size_t>(c_.index_data()[p])] = --n;
    }
    void clear(index_t i) {
        for (offset_t p = c_.offset(i); p < c_.offset(i + offset_t{1}); ++p)
            places_[static_cast<std::size_t>(c_.index_data()[p])] = no_place;
    }
    // Products, of columns [begin, end) of the block, to row i.
    void add(index_t i, const void* products, offset_t begin, offset_t end) {
        void* const sums = c_.values.as<std::byte>() + static_cast<std::size_t>(c_.offset(i)) * width_;
        const index_t* const columns = columns_.data() + begin;
        if (add_) return add_(products, columns, end - begin, places_.data(), sums);
        storage::by_width(width_, [&]<class U>(std::type_identity<U>) {
            add_up(static_cast<const U*>(products), columns, end - begin, places_.data(),
                   static_cast<U*>(sums),
                   [&](U x, U y) { return static_cast<U>(monoid_(element{x}, element{y}).bits); });
        });
    }

    const offset_t most_;  // products of a block
    const composed_multiply& multiply_;
    const csr &a_, &b_;
    csr& c_;
    const std::size_t width_;
    const algebra::bound_monoid monoid_;
    add_kernel add_ = nullptr;
    composed_block block_;
    array<index_t> columns_, places_;
    bool cleared_ = false;
    // Rows in the block, and where their products end.
    index_t rows_[composed_rows];
    offset_t ends_[composed_rows];
    index_t held_ = 0;
    offset_t count_ = 0;
};

}  // namespace

void mxm_composed(const context& ctx, const semiring& s, const composed_multiply& multiply, const csr& a,
                  const csr& b, const offset_t* products, int threads, csr& places) {
    places.values = buffer(ctx.memory(), static_cast<std::size_t>(places.nnz) * size_of(multiply.value));
    places.type = multiply.value;
    places.kind = value_kind::full;
    mxm_arguments k;
    k.rows = a.rows;
    k.products = products;
    k.threads = threads;
    // Their memory is taken before they run: whether there is room does not depend on who is when where.
    std::vector<row_products> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) workers.emplace_back(ctx, s, multiply, a, b, places, products[a.rows]);
    for_runs_of_rows(k, [&](int t) {
        return [&worker = workers[static_cast<std::size_t>(t)]](index_t first, index_t last) {
            if (first < last) worker.run(first, last);
        };
    });
}

}  // namespace nz::kernels::cpu
