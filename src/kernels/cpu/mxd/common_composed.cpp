// The product with a dense matrix over semirings that are not compiled but whose operators are, by themselves: for each entry of A two loops over
// a row of B, one that multiplies and one that adds to a row of T (ewise/words).
//
// Who owns what: runs of 16 rows go to whichever thread is free; a row belongs to one thread. Rows of more than 4,096 columns go by pieces.
// Determinism: a row's products are added in the order of k: the bits of the generic path and of the reference.
// Memory: A's entries, a row of B each, T's row from the first cache; two or three arrays of a piece a thread.
// Cost: an entry some 30 ns for its calls, and 0.6 ns a column (laplace3d:40, double): docs/measurements/dense.md.
// Distance to the limit: 7 to 28 times csr_tiled over plus_times, which keeps a tile of sums in registers.
// Why the generic path was not enough: two calls and conversions a product.
#include "kernels/cpu/mxd/common_composed.hpp"

#include "core/parallel.hpp"
#include "plan/mxv_workspace.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace nz::kernels::cpu {
namespace {

using storage::csr, storage::dense;

constexpr offset_t mxd_rows_a_turn = 16;

// What one thread goes through.
class dense_rows {
public:
    dense_rows(const context& ctx, const semiring& s, const composed_multiply& multiply, words_kernel add,
               const csr& a, const dense& b, const dense& t)
        : multiply_(multiply),
          add_(add),
          a_(a),
          b_(b),
          t_(t),
          identity_(s.add().identity(t.type)),
          most_(plan::composed_block(b.columns)),
          block_(ctx, multiply, most_) {
        if (a.kind != value_kind::full) repeat(a.value(0));
    }

    void run(offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i)
            for (offset_t j = 0; j < b_.columns; j += most_) sum(i, j, std::min(most_, b_.columns - j));
    }

private:
    static std::byte* at(const dense& d, offset_t i, offset_t j) {
        return static_cast<std::byte*>(d.data) +
               static_cast<std::size_t>(i * d.row_step + j) * size_of(d.type);
    }
    void repeat(element x) const {
        storage::by_width(size_of(a_.type), [&]<class U>(std::type_identity<U>) {
            std::fill_n(static_cast<U*>(block_.x()), most_, static_cast<U>(x.bits));
        });
    }
    // Row i of T from column j on.
    void sum(offset_t i, offset_t j, offset_t columns) {
        std::byte* const sums = at(t_, i, j);
        const offset_t begin = a_.offset(i), end = a_.offset(i + 1);
        for (offset_t p = begin; p < end; ++p) {
            if (!multiply_.ignores_x && a_.kind == value_kind::full) repeat(a_.value(p));
            const void* const products = block_.multiply(block_.x(), at(b_, a_.index_data()[p], j), columns);
            if (p == begin)
                std::memcpy(sums, products, static_cast<std::size_t>(columns) * size_of(t_.type));
            else
                add_to(sums, products, columns);
        }
        if (begin == end)
            for (offset_t k = 0; k < columns; ++k) storage::store(sums, t_.type, k, identity_);
    }
    void add_to(void* sums, const void* products, offset_t columns) const {
        words_arguments k;
        k.a.values = sums;
        k.b.values = products;
        k.size = columns;
        k.values = sums;
        add_(k);
    }

    const composed_multiply& multiply_;
    const words_kernel add_;
    const csr& a_;
    const dense &b_, &t_;
    const element identity_;
    const offset_t most_;  // columns of a piece
    composed_block block_;
};

}  // namespace

void mxd_composed(const context& ctx, const semiring& s, const composed_multiply& multiply, words_kernel add,
                  const csr& a, const dense& b, const dense& t) {
    const int threads = a.rows <= mxd_rows_a_turn ? 1 : ctx.threads();
    std::vector<dense_rows> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int w = 0; w < threads; ++w) workers.emplace_back(ctx, s, multiply, add, a, b, t);
    std::atomic<offset_t> next{0};
    parallel::run(threads, [&](int w, int) {
        for (offset_t begin; (begin = next.fetch_add(mxd_rows_a_turn)) < a.rows;)
            workers[static_cast<std::size_t>(w)].run(begin,
                                                     std::min<offset_t>(a.rows, begin + mxd_rows_a_turn));
    });
}

}  // namespace nz::kernels::cpu
