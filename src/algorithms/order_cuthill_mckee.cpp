// Reverse Cuthill-McKee (Cuthill, McKee 1969; backwards: George 1971): vertices in the order in which a breadth-first search meets
// them, the neighbours of each by rising degree, ties by number; the whole backwards, which leaves the bandwidth and makes the
// profile no larger.
//
// Both ends of an edge lie on one level or on neighbouring ones, so the bandwidth is at most two levels' vertices: a search with many
// levels has narrow ones. Each component is therefore searched from a far end (George, Liu 1979): from its vertex of least
// degree, then from the vertex of least degree on the last level, as long as that makes more levels. Two or three
// searches do on meshes and roads; more than searches_at_most are not worth what they find.
//
// The queue of a search is the part of the result that is not filled yet, and the bitmap of vertices met is that of vertices
// placed, with the search's own bits taken back by walking the queue: 4 bytes and a bit a vertex, and nothing grows with the
// entries. Whether a neighbour is new is no branch, since nobody can guess it: it is written in any case and the queue's end moves
// or stays. What the queue's next vertices need is asked for ahead, or shuffled graphs would wait for memory at every row: their
// entries, and where the rows of their neighbours lie, which says their degrees as well. That makes an order of a shuffled grid of a
// million vertices two to four times as fast.
#include "algorithms/orders.hpp"
#include "core/bits.hpp"

#include <algorithm>
#include <vector>

namespace nz::algorithms {
namespace {

constexpr int searches_at_most = 8;
// Rows between the one that is read and the one whose entries, and whose neighbours' offsets, are asked for.
constexpr index_t entries_ahead = 20, neighbours_ahead = 10;

template <class Offset>
class walk {
public:
    walk(const context& ctx, const storage::csr& graph, const Offset* offsets, index_t* order)
        : n_(graph.rows),
          offsets_(offsets),
          columns_(graph.index_data()),
          order_(order),
          met_(ctx, bits::words_for(graph.rows)) {
        met_.fill(0);
        offset_t most = 0;
        for (index_t v = 0; v < n_; ++v) most = std::max<offset_t>(most, degree(v));
        fresh_.resize(static_cast<std::size_t>(most) + 1);
    }

    void run(const array<index_t>& seeds) {
        for (index_t k = 0; k < n_; ++k)
            if (const index_t v = seeds[static_cast<std::size_t>(k)]; !bits::test(met_.data(), v))
                place(far_end(v));
        std::reverse(order_, order_ + n_);
    }

private:
    struct search {
        index_t levels, last;  // how many; the vertex of least degree, then number, on the last
    };

    Offset degree(index_t v) const { return offsets_[v + 1] - offsets_[v]; }
    std::uint64_t rank(index_t v) const {
        return static_cast<std::uint64_t>(degree(v)) << 32 | static_cast<std::uint64_t>(v);
    }
    // Whether v had not been met; it has been now.
    bool meet(index_t v) const {
        bits::word& word = met_[static_cast<std::size_t>(v >> 6)];
        const bits::word bit = bits::word{1} << (v & 63);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }
    // Inline, because a compiler may drop a call that only prefetches.
    [[gnu::always_inline]] void ask_ahead(const index_t* at, const index_t* end) const {
        if (end - at > entries_ahead) __builtin_prefetch(columns_ + offsets_[at[entries_ahead]]);
        if (end - at <= neighbours_ahead) return;
        const index_t v = at[neighbours_ahead];
        for (Offset k = offsets_[v]; k < offsets_[v + 1]; ++k) __builtin_prefetch(offsets_ + columns_[k]);
    }

    index_t far_end(index_t v) const {
        search best = search_from(v);
        index_t start = v;
        for (int k = 1; k < searches_at_most && best.levels > 1; ++k) {
            start = best.last;
            const search next = search_from(start);
            if (next.levels <= best.levels) break;
            best = next;
        }
        return start;
    }
    search search_from(index_t v) const {
        index_t* const queue = order_ + placed_;
        index_t *level = queue, *end = queue;
        *end++ = v;
        meet(v);
        index_t levels = 0;
        for (index_t* at = queue; at != end; ++levels) {
            level = at;
            for (const index_t* const below = end; at != below; ++at) {
                ask_ahead(at, end);
                for (Offset k = offsets_[*at]; k < offsets_[*at + 1]; ++k) {
                    *end = columns_[k];
                    end += meet(columns_[k]);
                }
            }
        }
        const index_t* last =
            std::min_element(level, end, [&](index_t a, index_t b) { return rank(a) < rank(b); });
        for (const index_t* at = queue; at != end; ++at) bits::reset(met_.data(), *at);
        return {levels, *last};
    }
    // The component of v, in the order of Cuthill and McKee.
    void place(index_t v) {
        index_t *at = order_ + placed_, *end = at;
        *end++ = v;
        meet(v);
        for (; at != end; ++at) {
            ask_ahead(at, end);
            std::size_t count = 0;
            for (Offset k = offsets_[*at]; k < offsets_[*at + 1]; ++k) {
                fresh_[count] = static_cast<std::uint64_t>(columns_[k]);
                count += meet(columns_[k]);
            }
            const auto first = fresh_.begin(), last = first + static_cast<std::ptrdiff_t>(count);
            for (auto f = first; f != last; ++f) *f = rank(static_cast<index_t>(*f));
            std::sort(first, last);
            for (auto f = first; f != last; ++f) *end++ = static_cast<index_t>(*f & 0xffffffff);
        }
        placed_ = static_cast<index_t>(end - order_);
    }

    const index_t n_;
    const Offset* const offsets_;
    const index_t* const columns_;
    index_t* const order_;
    const array<bits::word> met_;
    index_t placed_ = 0;
    std::vector<std::uint64_t> fresh_;  // the new neighbours of a vertex, by degree and number
};

}  // namespace

array<index_t> order_cuthill_mckee(const context& ctx, const storage::csr& graph) {
    // One place more: what is not new is written behind the end of the queue.
    array<index_t> order(ctx, static_cast<std::size_t>(graph.rows) + 1);
    const array<index_t> seeds = by_degree(ctx, graph, false);
    storage::with_offsets(graph, [&]<class Offset>(const Offset* offsets) {
        walk<Offset>(ctx, graph, offsets, order.data()).run(seeds);
    });
    return order;
}

}  // namespace nz::algorithms
