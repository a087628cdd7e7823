// Strongly connected components: trimming, searches forward and backward, and a walk over what is left
// (forward-backward: Fleischer, Hendrickson, Pinar 2000; trimming: McLendon et al. 2005).
//
// With `left` the vertices not settled yet, all products over (any, pair) and masked by `left`:
//     trimming:   in = A^T left,  keep<in> = A left:   who has no edge in or none out is a component of its own;
//     searches:   from the left vertex p with most edges, forward F = all that A^T reaches from {p} level by level, backward
//                 B = all that A reaches; F and B together are the component of p.
// Components lie within `left` whole or not at all, so a search need not look at what is settled. Real graphs have one large
// component, which one pair of searches settles at a few products a level, and many of one vertex, which trimming does.
// Both are worth their passes over n bits only while they settle much at once: a path of n vertices has n / 2 rounds of
// trimming and n levels. So trimming goes on while it takes an eighth of what is left, searches while they settle an eighth and
// for at most 512 levels. What is left then, millions of small components or a deep graph, is walked over depth first
// (Gabow 2000) on one thread: 28 bytes a vertex and one look at each of its edges. That is a plain loop over rows: an order
// that depends on every edge before it is no product, and no graph makes it slow.
// A loop keeps its vertex from being trimmed; the walk settles it.
// A graph whose pattern is symmetric has strong components where it has weak ones: `components` finds them.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "storage/growing.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace nz {
namespace {

constexpr offset_t worthwhile = 8;   // a round that settles less than this part of what is left is the last
constexpr int levels_at_most = 512;  // of a search: beyond, its passes over n bits cost more than a walk

class settling {
public:
    settling(const context& ctx, const matrix& a, const strong_components_options& o)
        : ctx_(ctx),
          a_(a),
          o_(o),
          n_(a.rows()),
          left_(vector::full(ctx, n_, scalar(true))),
          labels_(ctx, dtype::int64, n_) {}

    // The label of every vertex, -1 for those left.
    array<std::int32_t> run(strong_components_result& r) {
        trim(r);
        for (int k = 0; k < o_.searches && left_.count() > 0; ++k) {
            const offset_t before = left_.count();
            search(r);
            if ((before - left_.count()) * worthwhile < before) break;
            trim(r);
        }
        array<std::int32_t> labels(ctx_, static_cast<std::size_t>(n_));
        labels.fill(-1);
        const storage::vector_body& settled = labels_.body();
        const auto* const as = settled.values.as<std::int64_t>();
        storage::for_each_entry(settled, [&](index_t v, offset_t k) {
            labels[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(as[k]);
        });
        return labels;
    }

private:
    void trim(strong_components_result& r) {
        for (offset_t before = left_.count(), gone = before;
             o_.trim && gone * worthwhile >= before && before > 0; before = left_.count()) {
            vector in(ctx_, dtype::boolean, n_), keep(ctx_, dtype::boolean, n_),
                alone(ctx_, dtype::boolean, n_);
            mxv(ctx_, in, ring_, a_, left_, {.mask = &left_, .mask_structure = true, .transpose_a = true});
            mxv(ctx_, keep, ring_, a_, left_, {.mask = &in, .mask_structure = true});
            apply(ctx_, alone, unary_id::identity, left_,
                  {.mask = &keep, .mask_structure = true, .mask_complement = true});
            apply(ctx_, labels_, index_unary_id::rowindex, alone, scalar(std::int64_t{0}),
                  {.accum = binary_id::second});
            left_ = std::move(keep);
            gone = before - left_.count();
            r.trimmed += gone;
        }
    }
    // Settles the component of one vertex, unless that lies too deep.
    void search(strong_components_result& r) {
        const auto pivot = strongest();
        if (!pivot) return;
        const auto forward = reach(*pivot, true, r);
        if (!forward) return;
        const auto backward = reach(*pivot, false, r);
        if (!backward) return;
        vector members(ctx_, dtype::int64, n_), others(ctx_, dtype::boolean, n_);
        ewise_mult(ctx_, members, binary_id::pair, *forward, *backward);
        apply(ctx_, labels_, binary_id::second, members, scalar(first_of(members)),
              {.accum = binary_id::second});
        apply(ctx_, others, unary_id::identity, left_,
              {.mask = &members, .mask_structure = true, .mask_complement = true});
        left_ = std::move(others);
        r.searched += members.count();
    }
    // The left vertex of most edges, counted where it has fewer, in or out; the smallest of such.
    std::optional<index_t> strongest() {
        if (degrees_.size() == 0) {
            const vector ones = vector::full(ctx_, n_, scalar(std::int64_t{1}));
            vector in(ctx_, dtype::int64, n_), out(ctx_, dtype::int64, n_);
            mxv(ctx_, in, semiring("plus_pair_int64"), a_, ones, {.transpose_a = true});
            mxv(ctx_, out, semiring("plus_pair_int64"), a_, ones);
            degrees_ = vector(ctx_, dtype::int64, n_);
            ewise_mult(ctx_, degrees_, binary_id::min, in, out);
        }
        vector of_left(ctx_, dtype::int64, n_), best(ctx_, dtype::int64, n_);
        apply(ctx_, of_left, unary_id::identity, degrees_, {.mask = &left_, .mask_structure = true});
        if (of_left.count() == 0) return {};
        select(ctx_, best, index_unary_id::valueeq, of_left, reduce(ctx_, binary_id::max, of_left));
        return static_cast<index_t>(first_of(best));
    }
    // What can be reached from `pivot` within left along the edges or against them; nothing where that is too deep.
    std::optional<vector> reach(index_t pivot, bool along, strong_components_result& r) const {
        vector level(ctx_, dtype::boolean, n_), closed(ctx_, dtype::boolean, n_),
            reached(ctx_, dtype::boolean, n_);
        apply(ctx_, closed, unary_id::one, labels_);
        level.set(pivot, scalar(true));
        level.convert_to(vector_form::sparse);
        for (int depth = 0; level.count() > 0; ++depth) {
            if (depth == levels_at_most) return {};
            apply(ctx_, closed, unary_id::identity, level, {.accum = binary_id::second});
            vector next(ctx_, dtype::boolean, n_);
            const vector_options beyond{
                .mask = &closed, .mask_structure = true, .mask_complement = true, .transpose_a = along};
            r.plan = to_string(mxv(ctx_, next, ring_, a_, level, beyond));
            level = std::move(next);
        }
        ewise_mult(ctx_, reached, binary_id::pair, closed, left_);
        return reached;
    }
    offset_t first_of(const vector& present) const {
        vector places(ctx_, dtype::int64, n_);
        apply(ctx_, places, index_unary_id::rowindex, present, scalar(std::int64_t{0}));
        return reduce(ctx_, binary_id::min, places).get<offset_t>();
    }

    const context& ctx_;
    const matrix& a_;
    const strong_components_options& o_;
    const offset_t n_;
    const semiring ring_{binary_id::any, binary_id::pair, dtype::boolean};
    vector left_, labels_;
    vector degrees_{ctx_, dtype::int64, 0};
};

// Depth first over the vertices without a label. `path_` holds the vertices of the current path, less those that a cycle has
// joined to an earlier one; `open_` all that have been met and have no label yet, in that order.
class walk {
public:
    walk(const context& ctx, const storage::csr& rows, std::span<std::int32_t> labels)
        : rows_(rows), labels_(labels), number_(ctx, labels.size()), open_(ctx), path_(ctx), frames_(ctx) {
        number_.fill(0);
    }

    void run() {
        for (index_t root = 0; root < rows_.rows; ++root) {
            if (labels_[root] >= 0) continue;
            enter(root);
            while (!frames_.empty()) step();
        }
    }

private:
    struct frame {
        index_t vertex;
        offset_t next;  // position of the edge to look at
    };

    void enter(index_t v) {
        number_of(v) = ++entered_;
        open_.push(v);
        path_.push(v);
        frames_.push({v, rows_.offset(v)});
    }
    void step() {
        frame& top = frames_.back();
        if (top.next == rows_.offset(top.vertex + offset_t{1})) return leave();
        const index_t w = rows_.index_data()[top.next++];
        if (labels_[w] >= 0) return;
        if (number_of(w) == 0) return enter(w);
        while (number_of(path_.back()) > number_of(w)) path_.pop();
    }
    void leave() {
        const index_t v = frames_.back().vertex;
        frames_.pop();
        if (path_.back() != v) return;
        path_.pop();
        auto first = open_.end();
        do --first;
        while (*first != v);
        const index_t name = *std::min_element(first, open_.end());
        for (auto at = first; at != open_.end(); ++at) labels_[*at] = name;
        open_.cut(static_cast<std::size_t>(first - open_.begin()));
    }
    index_t& number_of(index_t v) const { return number_[static_cast<std::size_t>(v)]; }

    const storage::csr& rows_;
    const std::span<std::int32_t> labels_;
    const array<index_t> number_;  // in the order of entering, from 1; 0: not yet
    index_t entered_ = 0;
    storage::growing<index_t> open_, path_;
    storage::growing<frame> frames_;
};

}  // namespace

strong_components_result strong_components(const context& ctx, const matrix& a,
                                           const strong_components_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "strong_components: the matrix is {} x {}; a graph needs a square one",
                                a.rows(), a.columns());
    strong_components_result r{vector(ctx, dtype::int32, 0), 0, 0, 0, 0, "no product was worth it"};
    if (options.searches > 0 && a.facts().symmetric_pattern) {
        components_result weak = components(ctx, a);
        r.labels = std::move(weak.labels);
        r.count = weak.count;
        r.plan = "every edge has its reverse: " + weak.plan;
        return r;
    }
    const array<std::int32_t> found = settling(ctx, a, options).run(r);
    const std::span<std::int32_t> labels(found.data(), found.size());
    r.walked = std::ranges::count(labels, -1);
    if (r.walked > 0) walk(ctx, a.body().rows(), labels).run();
    for (std::size_t v = 0; v < labels.size(); ++v) r.count += labels[v] == static_cast<std::int32_t>(v);
    r.labels = vector::dense<std::int32_t>(ctx, labels);
    return r;
}

}  // namespace nz
