// The product with a vector over semirings that are not compiled but whose multiply operator is, by itself: three loops over blocks of entries.
//
// A block is whole rows with up to 4,096 entries. The values of u that they name are gathered, all products are formed by the operator's loop
//   over whole arrays (ewise/words), and each row's are summed by the monoid's (reduce/rows); a longer row goes by pieces, each
//   beginning with the sum of those before it.
// Who owns what: runs of 256 rows go to whichever thread is free; a row, and the word of 64 rows that says which have a sum, belong to one thread.
// Entries of rows that a mask bars, or that u has nothing for, are left out by a list of the others.
// Determinism: a row's products are added in the order of k: the bits of the generic path and of the reference.
// Memory: A's rows once, u at random, and four arrays of a block that stay in the second cache; a sparse u is spread out before.
// Cost: 1.2 to 2 ns an entry and two threads: docs/measurements/spmv.md. Distance to the limit: 1.7 to 3.3 times the compiled kernel of plus_times.
// Why the generic path was not enough: two calls and conversions a product, 12 ns.
#include "kernels/cpu/mxv/common_composed.hpp"

#include "core/parallel.hpp"
#include "kernels/cpu/reduce/rows.hpp"
#include "plan/mxv_workspace.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

namespace nz::kernels::cpu {
namespace {

using storage::csr, storage::vector_body;

constexpr offset_t composed_rows_a_turn = 4 * bits::per_word;

// What one thread goes through.
class row_sums {
public:
    row_sums(const context& ctx, const semiring& s, const composed_multiply& multiply, const csr& a,
             const vector_body& u, const bits::word* mask, bool complement, vector_body& w)
        : s_(s),
          multiply_(multiply),
          a_(a),
          u_(u),
          mask_(mask),
          present_(u.form == vector_form::dense ? nullptr : u.words()),
          complement_(complement),
          lists_(mask || present_),
          w_(w),
          width_(size_of(w.type)),
          most_(plan::composed_block(a.nnz)),
          block_(ctx, multiply, most_),
          entries_(ctx, static_cast<std::size_t>(lists_ ? most_ : 0)),
          columns_(ctx, static_cast<std::size_t>(lists_ ? most_ : 0)),
          joined_(ctx.memory(), (static_cast<std::size_t>(most_) + 1) * width_) {
        if (a.kind != value_kind::full) fill_constant();
    }

    // Rows [first, last), from a whole word on.
    void run(offset_t first, offset_t last) {
        for (offset_t r = first; r < last; r += bits::per_word) w_.words()[r / bits::per_word] = 0;
        std::memset(sums_of(first), 0, static_cast<std::size_t>(last - first) * width_);
        for (offset_t r = first; r < last;) {
            if (entries_of(r) > most_) {
                sum_long_row(r++);
                continue;
            }
            const offset_t begin = r;
            begin_block(a_.offset(r));
            while (r < last && a_.offset(r) - a_.offset(begin) + entries_of(r) <= most_) {
                if (passes(r)) take(a_.offset(r), a_.offset(r + 1));
                starts_[++r - begin] = static_cast<std::int32_t>(count_);
            }
            sum_block(begin, r);
        }
    }

private:
    bool passes(offset_t row) const { return !mask_ ? !complement_ : bits::test(mask_, row) != complement_; }
    offset_t entries_of(offset_t row) const { return a_.offset(row + 1) - a_.offset(row); }
    std::byte* sums_of(offset_t row) const {
        return w_.values.as<std::byte>() + static_cast<std::size_t>(row) * width_;
    }

    void begin_block(offset_t first_entry) {
        first_ = first_entry;
        count_ = 0;
        starts_[0] = 0;
    }
    // Entries [p, end), which follow those of the block.
    void take(offset_t p, offset_t end) {
        if (!lists_) {
            count_ += end - p;
            return;
        }
        for (; p < end; ++p) {  // no branch: which of a row u has is anyone's guess
            const index_t k = a_.index_data()[p];
            entries_[static_cast<std::size_t>(count_)] = p;
            columns_[static_cast<std::size_t>(count_)] = k;
            count_ += !present_ || bits::test(present_, k);
        }
    }
    const void* multiply() {
        const index_t* const columns = lists_ ? columns_.data() : a_.index_data() + first_;
        if (!multiply_.ignores_y) gather(u_.type, u_.values.data(), columns, block_.y());
        return block_.multiply(matrix_values(), block_.y(), count_);
    }
    const void* matrix_values() {
        if (multiply_.ignores_x || a_.kind != value_kind::full) return block_.x();
        if (!lists_)
            return a_.values.as<const std::byte>() + static_cast<std::size_t>(first_) * size_of(a_.type);
        gather(a_.type, a_.values.data(), entries_.data(), block_.x());
        return block_.x();
    }
    template <class Place>
    void gather(dtype type, const void* from, const Place* places, void* to) const {
        storage::by_width(size_of(type), [&]<class U>(std::type_identity<U>) {
            const U* const x = static_cast<const U*>(from);
            U* const out = static_cast<U*>(to);
            for (offset_t n = 0; n < count_; ++n) out[n] = x[places[n]];
        });
    }
    void fill_constant() {
        const element one = a_.value(0);
        for (offset_t n = 0; n < most_; ++n) storage::store(block_.x(), a_.type, n, one);
    }

    void sum_block(offset_t begin, offset_t end) {
        if (count_ == 0) return;
        sum(multiply(), end - begin, sums_of(begin));
        for (offset_t r = begin; r < end; ++r)
            if (starts_[r - begin + 1] > starts_[r - begin]) bits::set(w_.words(), r);
    }
    void sum(const void* products, offset_t rows, void* sums) {
        bits::word some[composed_rows_a_turn / bits::per_word];
        reduce_rows_arguments k;
        k.add = &s_.add();
        k.a.rows = static_cast<index_t>(rows);
        k.a.offsets = {starts_, false};
        k.a.values = products;
        k.a.type = w_.type;
        k.sums = sums;
        k.present = some;
        reduce_rows(k);
    }
    void sum_long_row(offset_t row) {
        if (!passes(row)) return;
        bool any = false;
        for (offset_t p = a_.offset(row), end = a_.offset(row + 1); p < end; p += most_) {
            begin_block(p);
            take(p, std::min(end, p + most_));
            if (count_ == 0) continue;
            std::byte* const all = joined_.as<std::byte>();
            std::memcpy(all, sums_of(row), width_);
            std::memcpy(all + width_, multiply(), static_cast<std::size_t>(count_) * width_);
            starts_[1] = static_cast<std::int32_t>(count_ + any);
            sum(any ? all : all + width_, 1, sums_of(row));
            any = true;
        }
        if (any) bits::set(w_.words(), row);
    }

    const semiring& s_;
    const composed_multiply& multiply_;
    const csr& a_;
    const vector_body& u_;
    const bits::word *const mask_, *const present_;
    const bool complement_, lists_;
    vector_body& w_;
    const std::size_t width_;
    const offset_t most_;  // entries of a block
    composed_block block_;
    array<offset_t> entries_;
    array<index_t> columns_;
    buffer joined_;
    offset_t first_ = 0, count_ = 0;
    std::int32_t starts_[composed_rows_a_turn + 1];
};

}  // namespace

vector_body mxv_composed(const context& ctx, const semiring& s, const composed_multiply& multiply,
                         const csr& a, const vector_body& u, const bits::word* mask, bool complement) {
    std::optional<vector_body> spread;
    if (u.form == vector_form::sparse) spread = storage::convert(u, vector_form::bitmap);
    vector_body w = storage::make_vector_body(ctx, multiply.value, a.rows, vector_form::bitmap, 0, false);
    const int threads = a.rows <= composed_rows_a_turn ? 1 : ctx.threads();
    // Their memory is taken before they run: whether there is room does not depend on who is when where.
    std::vector<row_sums> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t)
        workers.emplace_back(ctx, s, multiply, a, spread ? *spread : u, mask, complement, w);
    std::atomic<offset_t> next{0};
    parallel::run(threads, [&](int t, int) {
        for (offset_t begin; (begin = next.fetch_add(composed_rows_a_turn)) < a.rows;)
            workers[static_cast<std::size_t>(t)].run(
                begin, std::min<offset_t>(a.rows, begin + composed_rows_a_turn));
    });
    w.count = bits::count(w.words(), w.size);
    return w;
}

}  // namespace nz::kernels::cpu
