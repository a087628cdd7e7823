#include "storage/assemble.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/deal.hpp"
#include "storage/sort_row.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace nz::storage {
namespace {

// Entries below which a second thread costs more than it brings.
constexpr offset_t parallel_from = 32768;
// Tuples below which the result stays in the second-level cache: nothing is gained by dealing them.
constexpr offset_t dealt_from = offset_t{1} << 16;
// With so few rows their next places stay there.
constexpr index_t few_rows = 4096;

struct work {
    const context& ctx;
    std::span<const tuple_chunk> chunks;
    mirror expand;
    int threads;
    offset_t tuples;
    const std::function<void()>& tuples_read;

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

// What repeats of a place become.
class combiner {
public:
    combiner(const binary_op& op, dtype type)
        : op_(op),
          call_(op.resolve(type)),
          type_(type),
          in_(op.input_type(type)),
          out_(op.output_type(type)) {}
    element operator()(element x, element y) const {
        return cast(call_(op_.context(), cast(x, type_, in_), cast(y, type_, in_)), out_, type_);
    }

private:
    const binary_op& op_;
    binary_op::function call_;
    dtype type_, in_, out_;
};

// Sorts one row, stably; whether it has repeats.
template <class U>
bool sort_one(index_t* columns, U* values, std::size_t n, row_scratch<U>& scratch) {
    if (n < 2) return false;
    if (n <= rank_most) return sort_short_row(columns, values, n);
    bool falls = false, repeats = false;  // without branches, for the vector unit
    for (std::size_t k = 1; k < n; ++k) falls |= columns[k] < columns[k - 1];
    if (falls) values ? sort_row(columns, values, n, scratch) : std::sort(columns, columns + n);
    for (std::size_t k = 1; k < n; ++k) repeats |= columns[k] == columns[k - 1];
    return repeats;
}

// Sorts the rows of a bucket and combines their repeats, in place; how many entries are left. Rows begin at starts[r],
// counted from `base`.
template <class Offset, class U>
offset_t settle_rows(Offset* starts, offset_t rows, offset_t end, index_t* columns, U* values, offset_t base,
                     row_scratch<U>& scratch, const combiner& combine) {
    if (rows == 0) return 0;
    const offset_t begin = starts[0];
    offset_t kept = begin - base;
    for (offset_t r = 0; r < rows; ++r) {
        const offset_t first = starts[r] - base, last = (r + 1 < rows ? starts[r + 1] : end) - base;
        starts[r] = static_cast<Offset>(kept + base);
        const bool repeats = sort_one(columns + first, values ? values + first : nullptr,
                                      static_cast<std::size_t>(last - first), scratch);
        if (!repeats && kept == first) {
            kept = last;
            continue;
        }
        for (offset_t k = first; k < last; ++k) {
            if (k > first && columns[k] == columns[kept - 1]) {
                if (values) {
                    const element x{static_cast<std::uint64_t>(values[kept - 1])},
                        y{static_cast<std::uint64_t>(values[k])};
                    values[kept - 1] = static_cast<U>(combine(x, y).bits);
                }
                continue;
            }
            columns[kept] = columns[k];
            if (values) values[kept] = values[k];
            ++kept;
        }
    }
    return kept - (begin - base);
}

// `a` has the first kept[b] entries of each bucket's; the same without the gaps between them.
csr close_gaps(const context& ctx, const csr& a, const bucket_layout& layout,
               std::span<const offset_t> starts, std::span<const offset_t> kept) {
    std::vector<offset_t> places(kept.size() + 1);
    for (std::size_t b = 0; b < kept.size(); ++b) places[b + 1] = places[b] + kept[b];
    csr out = allocate_csr(ctx, a.type, a.kind, a.rows, a.columns, places.back());
    const std::size_t width = a.kind == value_kind::full ? a.value_bytes() : 0;
    with_offsets(a, [&](const auto* from) {
        by_width(static_cast<std::size_t>(out.offset_bytes), [&]<class U>(std::type_identity<U>) {
            U* to = out.offsets.as<U>();
            parallel::for_chunks(ctx.threads(), layout.count, 1, [&](offset_t b, offset_t) {
                const auto n = static_cast<std::size_t>(kept[b]);
                const offset_t last = std::min<offset_t>(a.rows, layout.first(static_cast<index_t>(b) + 1));
                for (offset_t i = layout.first(static_cast<index_t>(b)); i < last; ++i)
                    to[i] = static_cast<U>(from[i] - starts[b] + places[b]);
                if (n == 0) return;
                std::memcpy(out.indices.as<index_t>() + places[b], a.index_data() + starts[b],
                            n * sizeof(index_t));
                if (width)
                    std::memcpy(out.values.as<char>() + places[b] * width,
                                a.values.as<char>() + starts[b] * width, n * width);
            });
            to[a.rows] = static_cast<U>(out.nnz);
        });
    });
    return out;
}

// Tuples in any order: dealt into buckets of adjacent rows (deal.hpp), which are sorted, row by row, and combined in
// the cache.
template <class Item, class U, class Make, class Move>
csr assemble_dealt(const work& w, const csr& shape, const binary_op& duplicates, Make&& make, Move&& move) {
    const bool valued = shape.kind == value_kind::full;
    const bucket_layout layout(shape.rows, w.expand == mirror::none ? w.tuples : 2 * w.tuples,
                               bucket_entries);
    const auto all = deal<Item>(
        w.ctx, layout, w.threads,
        [&](int t, auto&& f) {
            w.visit(t, [&](index_t i, index_t, const tuple_chunk&, offset_t, bool) { f(i); });
        },
        [&](int t, auto&& f) {
            w.visit(t, [&](index_t i, index_t j, const tuple_chunk& chunk, offset_t k, bool mirrored) {
                f(i, make(i, j, chunk, k, mirrored));
            });
        });
    if (w.tuples_read) w.tuples_read();
    csr out = allocate_csr(w.ctx, shape.type, shape.kind, shape.rows, shape.columns, all.starts.back());
    std::vector<offset_t> kept(static_cast<std::size_t>(layout.count));
    const combiner combine(duplicates, shape.type);
    const auto sort = [&]<class Offset>(Offset* offsets) {
        const sorted_target<Offset, U> target{offsets, out.indices.as<index_t>(),
                                              valued ? out.values.as<U>() : nullptr};
        sort_buckets(
            w.ctx, w.threads, layout, shape.rows, all, target, move,
            [&](index_t b, Offset* starts, offset_t rows, index_t* columns, U* values, offset_t base) {
                thread_local row_scratch<U> scratch;
                return kept[b] = settle_rows(starts, rows, all.starts[b + std::size_t{1}], columns, values,
                                             base, scratch, combine);
            });
    };
    out.offset_bytes == 4 ? sort(out.offsets.as<std::int32_t>()) : sort(out.offsets.as<std::int64_t>());
    const offset_t left = std::accumulate(kept.begin(), kept.end(), offset_t{0});
    return left == out.nnz ? std::move(out) : close_gaps(w.ctx, out, layout, all.starts, kept);
}

csr assemble_dealt(const work& w, const csr& shape, const binary_op& duplicates) {
    if (shape.kind != value_kind::full)
        return assemble_dealt<keyed_index, std::uint8_t>(
            w, shape, duplicates,
            [](index_t i, index_t j, const tuple_chunk&, offset_t, bool) { return keyed_index{i, j}; },
            [](std::uint8_t*, offset_t, const keyed_index&) {});
    return by_width(shape.value_bytes(), [&]<class U>(std::type_identity<U>) {
        const auto move = [](U* values, offset_t at, const keyed_value<U>& item) { values[at] = item.value; };
        const auto value = [](const tuple_chunk& chunk, offset_t k) {
            return static_cast<const U*>(chunk.values)[k];
        };
        if (w.expand != mirror::skew_symmetric)
            return assemble_dealt<keyed_value<U>, U>(
                w, shape, duplicates,
                [=](index_t i, index_t j, const tuple_chunk& chunk, offset_t k, bool) {
                    return keyed_value<U>{i, j, value(chunk, k)};
                },
                move);
        return assemble_dealt<keyed_value<U>, U>(
            w, shape, duplicates,
            [=, &shape](index_t i, index_t j, const tuple_chunk& chunk, offset_t k, bool mirrored) {
                const element x{value(chunk, k)};
                return keyed_value<U>{i, j, static_cast<U>(mirrored ? negated(x, shape.type).bits : x.bits)};
            },
            move);
    });
}

// Whether tuples come in an order in which writing each to its row at once meets the caches.
bool comes_in_order(const work& w) {
    const auto near = [&](const index_t* tuple_chunk::*keys) {
        return keys_stay_near(w.tuples, [&](offset_t k) -> std::span<const index_t> {
            for (const tuple_chunk& chunk : w.chunks) {
                if (k < chunk.count) return {chunk.*keys + k, chunk.*keys + chunk.count};
                k -= chunk.count;
            }
            return {};
        });
    };
    return near(&tuple_chunk::rows) && (w.expand == mirror::none || near(&tuple_chunk::columns));
}

}  // namespace

csr assemble(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
             std::span<const tuple_chunk> chunks, mirror expand, const binary_op& duplicates,
             const std::function<void()>& tuples_read) {
    static_cast<void>(
        combiner(duplicates, type));  // an operator that is not for this type is refused, repeats or not
    offset_t tuples = 0;
    for (const tuple_chunk& chunk : chunks) tuples += chunk.count;
    csr shape;
    shape.rows = rows;
    shape.columns = columns;
    shape.type = type;
    shape.kind = kind;
    const bool hypersparse = tuples < rows / 8;
    if (tuples >= dealt_from && (hypersparse || rows > few_rows)) {
        const work all{ctx, chunks, expand, ctx.threads(), tuples, tuples_read};
        if (hypersparse || !comes_in_order(all)) return assemble_dealt(all, shape, duplicates);
    }
    // Only as many threads as keep their counters below the tuples' own size.
    const offset_t most_threads =
        std::clamp<offset_t>(4 * tuples / std::max<offset_t>(rows, 1), 1, ctx.threads());
    const int threads = tuples < parallel_from || hypersparse ? 1 : static_cast<int>(most_threads);
    const work w{ctx, chunks, expand, threads, tuples, tuples_read};
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
