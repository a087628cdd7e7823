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

    // Calls f(i, j, chunk, position, mirrored) for thread t's share: whole chunks, so that input order is
    // kept within a thread and between threads.
    template <class F>
    void visit(int t, F&& f) const {
        const auto [first, last] = parallel::piece(static_cast<offset_t>(chunks.size()), t, threads);
        for (offset_t c = first; c < last; ++c) {
            const tuple_chunk& chunk = chunks[c];
            if (expand == mirror::none)
                for (offset_t k = 0; k < chunk.count; ++k)
                    f(chunk.rows[k], chunk.columns[k], chunk, k, false);
            else
                for (offset_t k = 0; k < chunk.count; ++k) {
                    const index_t i = chunk.rows[k], j = chunk.columns[k];
                    f(i, j, chunk, k, false);
                    if (i != j) f(j, i, chunk, k, true);
                }
        }
    }
};

offset_t count_entries(const work& w) {
    offset_t total = 0;
    std::vector<offset_t> counts(w.threads);
    parallel::run(w.threads, [&](int t, int) { w.visit(t, [&](auto&&...) { ++counts[t]; }); });
    for (const offset_t c : counts) total += c;
    return total;
}

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

// Counting sort by row with a histogram a thread.
template <class Offset>
void assemble_counting(const work& w, csr& out) {
    const auto rows = static_cast<std::size_t>(out.rows);
    auto* offsets = out.offsets.as<Offset>();
    array<Offset> counts(w.ctx, rows * w.threads);
    parallel::run(w.threads, [&](int t, int) {
        Offset* count = counts.data() + rows * t;
        std::fill_n(count, rows, Offset{0});
        w.visit(t, [&](index_t i, index_t, const tuple_chunk&, offset_t, bool) { ++count[i]; });
    });
    Offset running = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        offsets[i] = running;
        for (int t = 0; t < w.threads; ++t) running += std::exchange(counts[rows * t + i], running);
    }
    offsets[rows] = running;
    scatter(w, out, [&](int t, index_t i) { return counts[rows * t + i]++; });
}

// Far more rows than entries: sort the tuples instead of counting rows. One thread.
template <class Offset>
void assemble_sorting(work w, csr& out) {
    w.threads = 1;
    std::vector<std::pair<index_t, Offset>> order;  // (row, position in input order)
    order.reserve(out.nnz);
    w.visit(0, [&](index_t i, index_t, const tuple_chunk&, offset_t, bool) {
        order.emplace_back(i, static_cast<Offset>(order.size()));
    });
    std::sort(order.begin(), order.end());
    std::vector<Offset> place(order.size());
    auto* offsets = out.offsets.as<Offset>();
    index_t row = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
        while (row <= order[k].first) offsets[row++] = static_cast<Offset>(k);
        place[order[k].second] = static_cast<Offset>(k);
    }
    std::fill(offsets + row, offsets + out.rows + 1, static_cast<Offset>(out.nnz));
    scatter(w, out, [&, input = offset_t{0}](int, index_t) mutable { return place[input++]; });
}

}  // namespace

csr assemble(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
             std::span<const tuple_chunk> chunks, mirror expand, const binary_op& duplicates) {
    offset_t tuples = 0;
    for (const tuple_chunk& chunk : chunks) tuples += chunk.count;
    work w{ctx, chunks, expand, tuples < parallel_from ? 1 : ctx.threads()};
    const offset_t entries = expand == mirror::none ? tuples : count_entries(w);
    csr out = allocate_csr(ctx, type, kind, rows, columns, entries);
    const bool hypersparse = entries < rows / 8;
    if (out.offset_bytes == 4)
        hypersparse ? assemble_sorting<std::int32_t>(w, out) : assemble_counting<std::int32_t>(w, out);
    else
        hypersparse ? assemble_sorting<std::int64_t>(w, out) : assemble_counting<std::int64_t>(w, out);
    sort_rows(ctx, out, duplicates);
    return out;
}

}  // namespace nz::storage
