// Groups around hubs: for graphs without a geometry, whose hubs join everything to everything.
//
// The vertex of largest degree without a place opens a group (ties: the smallest). The group takes, one after another, the vertex
// with most neighbours in it, among equals the one that a member named last, until it has group_at_most members or none of its
// members has a neighbour left. Members keep the order in which they came. So vertices that share neighbours lie together, and
// the columns that a group's rows name lie in few tiles.
//
// The counts of neighbours in the group only rise by 1, so the queue is a stack for each count: a vertex is pushed anew with each
// rise, and an entry whose count is old is dropped when it comes up. Every entry of the matrix is pushed at most once, when its
// row becomes a member, and the highest stack in use moves up by at most one a push: linear in the entries. Memory: 5 bytes a
// vertex, and the stacks, at most 4 bytes for each entry in the rows of one group.
//
// Tried beside it: breadth-first rings around hubs, with and without the largest hubs in front, all vertices by degree, and label
// propagation with bounded sizes. On four social graphs and a Kronecker graph the groups had 0.93 to 1.09 times the entries in
// a tile of 16 x 16 that has any of the best of these; none of the others came within 20% of the best on all five. Groups of 4,096 differ
// by a few percent up and down, and take longer: their counts leave the cache.
#include "algorithms/orders.hpp"
#include "core/bits.hpp"

#include <vector>

namespace nz::algorithms {
namespace {

constexpr index_t group_at_most = 1024;

template <class Offset>
class grouping {
public:
    grouping(const context& ctx, const storage::csr& graph, const Offset* offsets, index_t* order)
        : n_(graph.rows),
          offsets_(offsets),
          columns_(graph.index_data()),
          order_(order),
          placed_(ctx, bits::words_for(graph.rows)),
          inside_(ctx, static_cast<std::size_t>(graph.rows)),
          stacks_(group_at_most + 1) {
        placed_.fill(0);
        inside_.fill(0);
    }

    void run(const array<index_t>& hubs) {
        for (index_t k = 0; k < n_; ++k)
            if (const index_t v = hubs[static_cast<std::size_t>(k)]; !bits::test(placed_.data(), v)) grow(v);
    }

private:
    void grow(index_t hub) {
        const index_t* const first = order_;
        add(hub);
        while (order_ - first < group_at_most && top_ > 0) {
            std::vector<index_t>& stack = stacks_[top_];
            if (stack.empty()) {
                --top_;
                continue;
            }
            const index_t v = stack.back();
            stack.pop_back();
            if (!bits::test(placed_.data(), v) &&
                inside_[static_cast<std::size_t>(v)] == static_cast<index_t>(top_))
                add(v);
        }
        forget();
    }
    void add(index_t v) {
        bits::set(placed_.data(), v);
        *order_++ = v;
        for (Offset k = offsets_[v]; k < offsets_[v + 1]; ++k) {
            const index_t w = columns_[k];
            if (bits::test(placed_.data(), w)) continue;
            const auto count = static_cast<std::size_t>(++inside_[static_cast<std::size_t>(w)]);
            if (count == 1) counted_.push_back(w);
            stacks_[count].push_back(w);
            top_ = std::max(top_, count);
            highest_ = std::max(highest_, count);
        }
    }
    void forget() {
        for (const index_t v : counted_) inside_[static_cast<std::size_t>(v)] = 0;
        counted_.clear();
        for (; highest_ > 0; --highest_) stacks_[highest_].clear();
        top_ = 0;
    }

    const index_t n_;
    const Offset* const offsets_;
    const index_t* const columns_;
    index_t* order_;  // where the next vertex goes
    const array<bits::word> placed_;
    const array<index_t> inside_;               // neighbours in the group
    std::vector<std::vector<index_t>> stacks_;  // by that count
    std::vector<index_t> counted_;              // vertices whose count is not 0
    std::size_t top_ = 0, highest_ = 0;         // of the stacks: that may have entries, that had some
};

}  // namespace

array<index_t> order_cluster(const context& ctx, const storage::csr& graph) {
    array<index_t> order(ctx, static_cast<std::size_t>(graph.rows));
    const array<index_t> hubs = by_degree(ctx, graph, true);
    storage::with_offsets(graph, [&]<class Offset>(const Offset* offsets) {
        grouping<Offset>(ctx, graph, offsets, order.data()).run(hubs);
    });
    return order;
}

}  // namespace nz::algorithms
