// Dealing items into buckets of adjacent keys: the first half of every large sort by key here (transposes, matrices
// from coordinates, graphs from edges).
//
// Writing each item to the place that its key has in the result costs a miss of cache and TLB an item. So items are
// first dealt into at most 2^max_bucket_bits buckets, each small enough that its own sort stays in the second-level
// cache. An item waits with others of its bucket until four lines are full, which then go to memory past the caches: single
// lines, far apart, take half as long again. Threads take consecutive shares of the input and own consecutive places of every bucket: the order of the
// input is kept, so the outcome does not depend on their number.
#pragma once

#include "core/buffer.hpp"
#include "core/parallel.hpp"
#include "core/stream.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

namespace nz::storage {

/// Runs of 2^bits adjacent keys.
struct bucket_layout {
    int bits = 0;
    index_t count = 1;

    /// For keys below `keys`, so that `items` evenly spread ones make about `wanted` a bucket.
    bucket_layout(index_t keys, offset_t items, offset_t wanted) {
        const int key_bits = std::bit_width(static_cast<std::uint32_t>(std::max<index_t>(keys, 1) - 1));
        const auto parts = static_cast<std::uint64_t>(items / wanted + 1);
        bits = std::max(0, key_bits - std::min<int>(std::bit_width(parts), max_bucket_bits));
        count = keys == 0 ? 1 : static_cast<index_t>(((keys - 1) >> bits) + 1);
    }
    index_t of(index_t key) const { return key >> bits; }
    offset_t first(index_t bucket) const { return offset_t{bucket} << bits; }

    static constexpr int max_bucket_bits =
        11;  // their lines, 512 KiB, share the second-level cache with the input
};

/// Items bucket after bucket, each bucket's in the order of the input.
template <class Item>
struct dealt {
    array<Item> items;
    std::vector<offset_t> starts;  ///< [buckets + 1]
    offset_t size(index_t b) const { return starts[b + std::size_t{1}] - starts[b]; }
    offset_t largest() const {
        offset_t most = 0;
        for (std::size_t b = 0; b + 1 < starts.size(); ++b) most = std::max(most, starts[b + 1] - starts[b]);
        return most;
    }
};

/// One thread's batches of four lines, a batch a bucket. `next` holds where its first item of each bucket goes.
template <class Item>
class write_batches {
    static_assert(stream::line_bytes % sizeof(Item) == 0);
    static constexpr int lines = 4;
    static constexpr offset_t a_batch = lines * stream::line_bytes / sizeof(Item);

public:
    write_batches(const context& ctx, std::vector<offset_t> next, Item* target)
        : first_(next),
          next_(std::move(next)),
          batches_(ctx, next_.size() * static_cast<std::size_t>(a_batch)),
          target_(target) {}

    [[gnu::always_inline]] void put(index_t bucket, const Item& item) {
        const offset_t place = next_[bucket]++;
        Item* batch = batches_.data() + bucket * a_batch;
        batch[place % a_batch] = item;
        if (place % a_batch == a_batch - 1) write_batch(bucket, batch, place + 1 - a_batch);
    }
    /// What is left in batches that are not full.
    void finish() {
        for (std::size_t b = 0; b < next_.size(); ++b) {
            const offset_t end = next_[b], begin = std::max(first_[b], end / a_batch * a_batch);
            const Item* batch = batches_.data() + static_cast<offset_t>(b) * a_batch;
            if (begin < end)
                std::copy(batch + begin % a_batch, batch + (end - 1) % a_batch + 1, target_ + begin);
        }
        stream::finish();
    }

private:
    void write_batch(index_t bucket, const Item* batch, offset_t begin) {
        const offset_t from = first_[bucket];
        if (begin >= from) {
            for (offset_t k = 0; k < a_batch; k += a_batch / lines)
                stream::put_line(target_ + begin + k, batch + k);
            return;
        }
        // The head of the batch is another thread's or bucket's.
        std::copy(batch + from % a_batch, batch + a_batch, target_ + from);
    }

    std::vector<offset_t> first_, next_;
    array<Item> batches_;
    Item* target_;
};

/// Deals what visit(t, f), for thread t of `threads`, hands to f(key, item); keys(t, f) hands the same keys to f(key).
template <class Item, class Keys, class Visit>
dealt<Item> deal(const context& ctx, const bucket_layout& layout, int threads, Keys&& keys, Visit&& visit) {
    std::vector<std::vector<offset_t>> next(static_cast<std::size_t>(threads));
    parallel::run(threads, [&](int t, int) {
        std::vector<offset_t> counts(static_cast<std::size_t>(layout.count));
        keys(t, [&](index_t key) { ++counts[layout.of(key)]; });
        next[t] = std::move(counts);
    });
    dealt<Item> out;
    out.starts.resize(static_cast<std::size_t>(layout.count) + 1);
    offset_t running = 0;
    for (index_t b = 0; b < layout.count; ++b) {
        out.starts[b] = running;
        for (auto& places : next) running += std::exchange(places[b], running);
    }
    out.starts[layout.count] = running;
    out.items = array<Item>(ctx, static_cast<std::size_t>(running));
    parallel::run(threads, [&](int t, int) {
        write_batches<Item> batches(ctx, std::move(next[t]), out.items.data());
        visit(t, [&](index_t key, const Item& item) { batches.put(layout.of(key), item); });
        batches.finish();
    });
    return out;
}

/// Where sort_buckets writes: offsets of all keys and their end, indices, and values where there are any.
template <class Offset, class U>
struct sorted_target {
    Offset* offsets;
    index_t* indices;
    U* values;
};

/// Entries of a bucket: its columns and 8-byte values fill 3/8 of a second-level cache of 1 MiB, beside its items.
inline constexpr offset_t bucket_entries = 32768;

/// Sorts each bucket by key, stably, by whichever thread is free: in that thread's own arrays, and from there in one
/// run to the target; a bucket that the caches cannot hold (a long row) goes there at once. move(values, at, item)
/// stores an item's value; settle(b, offsets, keys, indices, values, base) may then work on the bucket's rows, whose
/// entry at position p lies at p - base, and says how many it keeps. Items have a key and the other index.
template <class Offset, class U, class Item, class Move, class Settle>
void sort_buckets(const context& ctx, int threads, const bucket_layout& layout, index_t keys,
                  const dealt<Item>& all, const sorted_target<Offset, U>& out, Move&& move, Settle&& settle) {
    constexpr offset_t most_own = 4 * bucket_entries;
    const auto own = static_cast<std::size_t>(std::min(most_own, all.largest()));
    std::atomic<index_t> next{0};
    parallel::run(threads, [&](int, int) {
        const array<index_t> own_indices(ctx, own);
        const array<U> own_values(ctx, out.values ? own : 0);
        for (index_t b; (b = next.fetch_add(1)) < layout.count;) {
            const offset_t begin = all.starts[b], low = layout.first(b),
                           high = std::min<offset_t>(keys, layout.first(b + 1));
            const std::span<const Item> items(all.items.data() + begin,
                                              static_cast<std::size_t>(all.size(b)));
            const bool streams = all.size(b) <= most_own;
            const offset_t base = streams ? begin : 0;
            index_t* indices = streams ? own_indices.data() : out.indices;
            U* values = streams ? own_values.data() : out.values;
            // The target's own offsets count: first how many, then where the next goes, which ends where the next key
            // begins.
            Offset* places = out.offsets + low;
            std::fill_n(places, high - low, Offset{0});
            for (const Item& item : items) ++places[item.key - low];
            auto running = static_cast<Offset>(begin);
            for (offset_t k = 0; k < high - low; ++k) running += std::exchange(places[k], running);
            for (const Item& item : items) {
                const offset_t at = places[item.key - low]++ - base;
                indices[at] = item.other;
                move(values, at, item);
            }
            if (high > low) {
                std::memmove(places + 1, places, static_cast<std::size_t>(high - low - 1) * sizeof(Offset));
                places[0] = static_cast<Offset>(begin);
            }
            const auto kept = static_cast<std::size_t>(settle(b, places, high - low, indices, values, base));
            if (!streams || kept == 0) continue;
            stream::copy(out.indices + begin, indices, kept * sizeof(index_t));
            if (out.values) stream::copy(out.values + begin, values, kept * sizeof(U));
        }
        stream::finish();
    });
    out.offsets[keys] = static_cast<Offset>(all.starts.back());
}

/// Items that sort_buckets takes.
struct keyed_index {
    index_t key, other;
};
template <class U>
struct alignas(16) keyed_value {
    index_t key, other;
    U value;
};

/// Whether runs of `keys`, in the order in which they come, lie close to ones that came just before: then the caches
/// hold the places they go to, and dealing them first is in vain. For each of some stretches: span_at(k) for the
/// stretch that begins at item k of n.
template <class SpanAt>
bool keys_stay_near(offset_t n, SpanAt&& span_at) {
    constexpr offset_t stretches = 48, length = 384, window = 128;
    constexpr index_t near = 8;  // places of a line of columns, about
    constexpr double share = 0.75;
    offset_t seen = 0, close = 0;
    for (offset_t s = 0; s < stretches; ++s) {
        const std::span<const index_t> all = span_at(n / stretches * s);
        const auto keys = all.first(std::min<std::size_t>(all.size(), length));
        for (std::size_t k = window; k < keys.size(); ++k) {
            bool found = false;
            for (std::size_t back = k - window; back < k; ++back)
                found |= keys[back] - keys[k] <= near && keys[k] - keys[back] <= near;
            close += found;
            ++seen;
        }
    }
    return seen > 0 && static_cast<double>(close) >= share * static_cast<double>(seen);
}

}  // namespace nz::storage
