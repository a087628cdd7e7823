#include "storage/assemble.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <vector>

namespace nz::storage {
namespace {

// Entries below which a second thread costs more than it brings.
constexpr offset_t parallel_from = 32768;

struct work {
    const context& ctx;
    std::span<const tuple_chunk> chunks;
    mirror expand;
    int threads;
    offset_t tuples;

    // Calls f(i, j, chunk, position, mirrored) for thread t's share, a run of the input, so that input order
    // is kept within a thread and between threads.
    template <class F>
    void visit(int t, F&& f) const {
        const auto [begin, end] = parallel::piece(tuples, t, threads);
        offset_t skip = begin, left = end - begin;
        for (const tuple_chunk& chunk : chunks) {
            if (left == 0) return;
            const offset_t first = std::min(skip, chunk.count), last = std::min(chunk.count, first + left);
            skip -= first;
            left -= last - first;
            if (expand == mirror::none)
                for (offset_t k = first; k < last; ++k) f(chunk.rows[k], chunk.columns[k], chunk, k, false);
            else
                for (offset_t k = first; k < last; ++k) {
                    const index_t i = chunk.rows[k], j = chunk.columns[k];
                    f(i, j, chunk, k, false);
                    if (i != j) f(j, i, chunk, k, true);
                }
        }
    }
};

element negated(element x, dtype type) { return unary_op(unary_id::ainv).resolve(type)(nullptr, x); }

// Writes every tuple to the place that `next(t, i)` gives for its row.
template <class Next>
void scatter(const work& w, csr& out, Next&& next) {
    index_t* indices = out.indices.as<index_t>();
    if (out.kind != value_kind::full) {
        parallel::run(w.threads, [&](int t, int) {
            w.visit(t, [&](index_t i, index_t j, const tuple_chunk&, offset_t, bool) {
                indices[next(t, i)] = j;
            });
        });
        return;
    }
    by_width(out.value_bytes(), [&]<class U>(std::type_identity<U>) {
        U* values = out.values.as<U>();
        parallel::run(w.threads, [&](int t, int) {
            if (w.expand != mirror::skew_symmetric)
                w.visit(t, [&](index_t i, index_t j, const tuple_chunk& chunk, offset_t k, bool) {
                    const auto place = next(t, i);
                    indices[place] = j;
                    values[place] = static_cast<const U*>(chunk.values)[k];
                });
            else
                w.visit(t, [&](index_t i, index_t j, const tuple_chunk& chunk, offset_t k, bool mirrored) {
                    const auto place = next(t, i);
                    const element x{static_cast<const U*>(chunk.values)[k]};
                    indices[place] = j;
                    values[place] = static_cast<U>(mirrored ? negated(x, out.type).bits : x.bits);
                });
        });
    });
}

// Turns the counts of every row and thread into the places where that thread's entries of the row begin;
// returns the number of entries. Pieces of the rows are summed first, then the places given out.
template <class Count>
offset_t places_from_counts(const work& w, std::size_t rows, Count* counts) {
    const int pieces = static_cast<offset_t>(rows) < parallel_from ? 1 : w.threads;
    std::vector<offset_t> sums(static_cast<std::size_t>(pieces) + 1);
    const auto each_count = [&](int p, auto&& f) {
        const auto [first, last] = parallel::piece(static_cast<offset_t>(rows), p, pieces);
        for (offset_t i = first; i < last; ++i)
            for (int t = 0; t < w.threads; ++t) f(counts[rows * t + i]);
    };
    parallel::run(pieces, [&](int p, int) {
        offset_t sum = 0;
        each_count(p, [&](Count c) { sum += c; });
        sums[p + 1] = sum;
    });
    for (int p = 0; p < pieces; ++p) sums[p + 1] += sums[p];
    parallel::run(pieces, [&](int p, int) {
        offset_t running = sums[p];
        each_count(p, [&](Count& c) { running += std::exchange(c, static_cast<Count>(running)); });
    });
    return sums[pieces];
}

// Counting sort by row with a histogram a thread. Count is wide enough for the entries that the tuples can
// make.
template <class Count>
csr assemble_counting(const work& w, const csr& shape) {
    const auto rows = static_cast<std::size_t>(shape.rows);
    array<Count> counts(w.ctx, rows * w.threads);
    parallel::run(w.threads, [&](int t, int) {
        Count* count = counts.data() + rows * t;
        std::fill_n(count, rows, Count{0});
        w.visit(t, [&](index_t i, index_t, const tuple_chunk&, offset_t, bool) { ++count[i]; });
    });
    const offset_t entries = places_from_counts(w, rows, counts.data());
    csr out = allocate_csr(w.ctx, shape.type, shape.kind, shape.rows, shape.columns, entries);
    // A row begins where the first thread's entries of it do.
    by_width(static_cast<std::size_t>(out.offset_bytes), [&]<class U>(std::type_identity<U>) {
        U* offsets = out.offsets.as<U>();
        parallel::for_pieces(w.threads, shape.rows, [&](offset_t first, offset_t last) {
            for (offset_t i = first; i < last; ++i) offsets[i] = static_cast<U>(counts[i]);
        });
        offsets[rows] = static_cast<U>(entries);
    });
    scatter(w, out, [&](int t, index_t i) { return counts[rows * t + i]++; });
    return out;
}

// Far more rows than tuples: sort the tuples instead of counting rows. One thread.
template <class Count>
csr assemble_sorting(const work& w, const csr& shape) {
    std::vector<std::pair<index_t, Count>> order;  // (row, position in input order)
    order.reserve(static_cast<std::size_t>(w.tuples));
    w.visit(0, [&](index_t i, index_t, const tuple_chunk&, offset_t, bool) {
        order.emplace_back(i, static_cast<Count>(order.size()));
    });
    std::sort(order.begin(), order.end());
    std::vector<Count> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k].second] = static_cast<Count>(k);
    csr out = allocate_csr(w.ctx, shape.type, shape.kind, shape.rows, shape.columns,
                           static_cast<offset_t>(order.size()));
    by_width(static_cast<std::size_t>(out.offset_bytes), [&]<class U>(std::type_identity<U>) {
        U* offsets = out.offsets.as<U>();
        index_t row = 0;
        for (std::size_t k = 0; k < order.size(); ++k)
            while (row <= order[k].first) offsets[row++] = static_cast<U>(k);
        std::fill(offsets + row, offsets + out.rows + 1, static_cast<U>(out.nnz));
    });
    scatter(w, out, [&, input = std::size_t{0}](int, index_t) mutable { return place[input++]; });
    return out;
}

}  // namespace

csr assemble(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
             std::span<const tuple_chunk> chunks, mirror expand, const binary_op& duplicates) {
    offset_t tuples = 0;
    for (const tuple_chunk& chunk : chunks) tuples += chunk.count;
    csr shape;
    shape.rows = rows;
    shape.columns = columns;
    shape.type = type;
    shape.kind = kind;
    const bool hypersparse = tuples < rows / 8;
    // Only as many threads as keep their counters below the tuples' own size.
    const offset_t most_threads =
        std::clamp<offset_t>(4 * tuples / std::max<offset_t>(rows, 1), 1, ctx.threads());
    const int threads = tuples < parallel_from || hypersparse ? 1 : static_cast<int>(most_threads);
    const work w{ctx, chunks, expand, threads, tuples};
    const bool narrow = offset_bytes_for(expand == mirror::none ? tuples : 2 * tuples) == 4;
    csr out;
    if (hypersparse)
        out = narrow ? assemble_sorting<std::int32_t>(w, shape) : assemble_sorting<std::int64_t>(w, shape);
    else
        out = narrow ? assemble_counting<std::int32_t>(w, shape) : assemble_counting<std::int64_t>(w, shape);
    sort_rows(ctx, out, duplicates);
    return out;
}

}  // namespace nz::storage
