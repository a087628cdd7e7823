// Sorting 30 million edges by row through memory costs a cache miss an edge. So they are first dealt into
// buckets of adjacent rows small enough for the cache (storage/deal.hpp), then every bucket is sorted there by (row, column)
// with a radix sort, after which repeats are neighbours. The outcome does not depend on the order of the
// edges, hence not on the number of threads.
#include "io/adjacency.hpp"

#include "core/parallel.hpp"
#include "storage/deal.hpp"

#include <atomic>
#include <bit>
#include <vector>

namespace nz::io {
namespace {

// An entry within its bucket: row number in the bucket, then column. Sorting these sorts the bucket.
using key = std::uint64_t;

constexpr int digit_bits = 11;  // the radix sort's histogram is 8 KiB: it stays in the first-level cache

struct layout {
    storage::bucket_layout buckets;
    int column_bits = 1;  ///< of a key

    layout(index_t vertices, offset_t entries)
        : buckets(vertices, entries, storage::bucket_entries),
          column_bits(std::bit_width(static_cast<std::uint32_t>(vertices))) {}
    int row_bits() const { return buckets.bits; }
    key key_of(edge e) const {
        const auto row = static_cast<key>(e.from) & ((key{1} << row_bits()) - 1);
        return row << column_bits | static_cast<key>(e.to);
    }
};

template <class F>
void visit(std::span<const edge> edges, bool both_directions, F&& f) {
    for (const edge e : edges) {
        if (e.from == e.to) continue;
        f(e);
        if (both_directions) f(edge{e.to, e.from});
    }
}

storage::dealt<key> deal(const context& ctx, const layout& l, const array<edge>& edges,
                         bool both_directions) {
    const int threads = edges.size() < 65536 ? 1 : ctx.threads();
    const auto share = [&](int t) {
        const auto [begin, end] = parallel::piece(static_cast<offset_t>(edges.size()), t, threads);
        return std::span<const edge>(edges.data() + begin, edges.data() + end);
    };
    return storage::deal<key>(
        ctx, l.buckets, threads,
        [&](int t, auto&& f) { visit(share(t), both_directions, [&](edge e) { f(e.from); }); },
        [&](int t, auto&& f) { visit(share(t), both_directions, [&](edge e) { f(e.from, l.key_of(e)); }); });
}

// Sorts keys of `bits` bits, lowest digit first; returns where the sorted ones are: `keys` or `scratch`.
key* radix_sort(key* keys, key* scratch, offset_t n, int bits) {
    constexpr key mask = (key{1} << digit_bits) - 1;
    std::uint32_t place[std::size_t{1} << digit_bits];
    for (int shift = 0; shift < bits; shift += digit_bits) {
        std::fill(std::begin(place), std::end(place), 0);
        for (offset_t k = 0; k < n; ++k) ++place[keys[k] >> shift & mask];
        std::uint32_t running = 0;
        for (auto& p : place) running += std::exchange(p, running);
        for (offset_t k = 0; k < n; ++k) scratch[place[keys[k] >> shift & mask]++] = keys[k];
        std::swap(keys, scratch);
    }
    return keys;
}

// Sorts one bucket and counts its rows; its columns, repeats dropped, take the place of its first keys.
void settle(const layout& l, key* keys, key* scratch, offset_t n, index_t* lengths) {
    const key* sorted = radix_sort(keys, scratch, n, l.column_bits + l.row_bits());
    const key column_mask = (key{1} << l.column_bits) - 1;
    auto* columns = reinterpret_cast<index_t*>(keys);  // column k is written after key k was read
    offset_t kept = 0;
    key last = ~key{0};
    for (offset_t k = 0; k < n; ++k) {
        const key x = sorted[k];
        if (x == last) continue;
        last = x;
        ++lengths[x >> l.column_bits];
        const auto column = static_cast<index_t>(x & column_mask);
        std::memcpy(columns + kept++, &column, sizeof column);
    }
}

}  // namespace

storage::csr adjacency(const context& ctx, index_t vertices, array<edge> edges, bool both_directions) {
    const layout l(vertices, static_cast<offset_t>(edges.size()) * (both_directions ? 2 : 1));
    const storage::dealt<key> all = deal(ctx, l, edges, both_directions);
    edges = {};
    array<index_t> lengths(ctx, vertices);
    std::atomic<index_t> next{0};
    parallel::run(ctx.threads(), [&](int, int) {
        array<key> scratch(ctx, static_cast<std::size_t>(all.largest()));
        for (index_t b; (b = next.fetch_add(1)) < l.buckets.count;) {
            const offset_t first = l.buckets.first(b), rows = std::min(l.buckets.first(1), vertices - first);
            std::fill_n(lengths.data() + first, std::max(offset_t{0}, rows), 0);
            settle(l, all.items.data() + all.starts[b], scratch.data(), all.size(b), lengths.data() + first);
        }
    });
    storage::csr a = storage::allocate_csr(ctx, dtype::boolean, value_kind::pattern, vertices, vertices,
                                           std::span<const index_t>(lengths.data(), vertices));
    parallel::for_chunks(ctx.threads(), l.buckets.count, 1, [&](offset_t b, offset_t) {
        const auto bucket = static_cast<index_t>(b);
        const offset_t first = l.buckets.first(bucket),
                       last = std::min<offset_t>(vertices, l.buckets.first(bucket + 1));
        if (first >= last) return;
        const offset_t begin = a.offset(first), end = a.offset(last);
        if (begin < end)
            std::memcpy(a.indices.as<index_t>() + begin, all.items.data() + all.starts[b],
                        (end - begin) * sizeof(index_t));
    });
    return a;
}

}  // namespace nz::io
