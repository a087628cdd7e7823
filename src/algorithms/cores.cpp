// Core numbers by peeling (Seidman 1983; rounds as in Dhulipala, Blelloch, Shun 2017): the k-core is what is left when
// vertices of fewer than k neighbours are taken away until there is none; a vertex's core number is the largest k
// whose core it is in.
//
// With d the degrees among those left, a round takes away all with d <= k at once:
//     gone = d <= k,    core<gone> = k,    d = d - A gone over (plus, pair);
// when none is left to take, k rises to the least degree. What is gone gets a degree that no round reaches. A round costs
// a few passes over n numbers and the edges of those that go: every edge is looked at once in each direction. Where one k has many
// rounds, as a long path has, what is left of them goes by a queue on the host, whose rounds cost the edges alone (a path of
// 20,000 vertices has 10,000).
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "storage/growing.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace nz {
namespace {

constexpr std::int64_t out_of_reach = std::int64_t{1}
                                      << 40;  // more than any degree, and stays so when lowered

constexpr int long_chain =
    64;  // rounds of one k, after which the queue has the others; other lengths were not measured

class peeling {
public:
    peeling(const context& ctx, const matrix& a)
        : ctx_(ctx),
          a_(a),
          n_(a.rows()),
          degrees_(vector::full(ctx, n_, scalar(std::int64_t{0}))),
          numbers_(degrees_) {
        const vector ones = vector::full(ctx, n_, scalar(std::int64_t{1}));
        matrix loops(ctx, a.type(), n_, n_);
        select(ctx, loops, index_unary_id::diag, a, scalar(std::int64_t{0}));
        mxv(ctx, degrees_, ring_, a, ones, {.accum = binary_id::second});
        mxv(ctx, degrees_, ring_, loops, ones, {.accum = binary_id::minus});
    }

    cores_result run() {
        cores_result result{vector(ctx_, dtype::int64, 0), 0, 0, {}};
        std::int64_t k = 0;
        for (offset_t left = n_; left > 0;) {
            k = std::max(k, reduce(ctx_, binary_id::min, degrees_).get<std::int64_t>());
            int chain = 0;
            for (offset_t taken; left > 0 && chain < long_chain && (taken = take(k, result.plan)) > 0;
                 ++chain)
                left -= taken;
            result.rounds += chain;
            if (chain == long_chain && left > 0) left -= take_by_queue(k, result.rounds);
        }
        result.greatest = k;
        result.numbers = std::move(numbers_);
        return result;
    }

private:
    // Takes away all vertices of degree k or less; returns how many.
    offset_t take(std::int64_t k, std::string& plan) {
        vector few(ctx_, dtype::boolean, n_), gone(ctx_, dtype::int64, n_), seen(ctx_, dtype::int64, n_);
        apply(ctx_, few, binary_id::le, degrees_, scalar(k));
        if (!reduce(ctx_, binary_id::lor, few).get<bool>()) return 0;
        apply(ctx_, gone, unary_id::identity, degrees_, {.mask = &few});
        set_to(numbers_, gone, k);
        set_to(degrees_, gone, out_of_reach);
        plan = to_string(mxv(ctx_, seen, ring_, a_, gone));
        apply(ctx_, degrees_, unary_id::identity, seen, {.accum = binary_id::minus});
        return gone.count();
    }
    // All that goes for this k, round by round.
    offset_t take_by_queue(std::int64_t k, int& rounds) {
        const storage::csr& a = a_.body().rows();
        const auto copy_of = [this](const vector& v) {
            const auto values = v.values<std::int64_t>();
            array<std::int64_t> copy(ctx_, values.size());
            std::ranges::copy(values, copy.begin());
            return copy;
        };
        const array<std::int64_t> degrees_there = copy_of(degrees_), numbers_there = copy_of(numbers_);
        const std::span<std::int64_t> degrees(degrees_there.data(), degrees_there.size()),
            numbers(numbers_there.data(), numbers_there.size());
        storage::growing<index_t> round(ctx_), next(ctx_);
        for (index_t v = 0; v < a.rows; ++v)
            if (degrees[v] <= k) round.push(v);
        offset_t taken = 0;
        for (; !round.empty(); ++rounds, std::swap(round, next), next.clear()) {
            taken += static_cast<offset_t>(round.size());
            for (const index_t v : round) degrees[v] = out_of_reach, numbers[v] = k;
            for (const index_t v : round)
                for (offset_t e = a.offset(v); e < a.offset(v + offset_t{1}); ++e)
                    if (const index_t u = a.index_data()[e]; u != v && --degrees[u] == k) next.push(u);
        }
        degrees_ = vector::dense<std::int64_t>(ctx_, degrees);
        numbers_ = vector::dense<std::int64_t>(ctx_, numbers);
        return taken;
    }
    void set_to(vector& w, const vector& where, std::int64_t x) const {
        apply(ctx_, w, binary_id::second, where, scalar(x), {.accum = binary_id::second});
    }

    const context& ctx_;
    const matrix& a_;
    const offset_t n_;
    const semiring ring_{binary_id::plus, binary_id::pair, dtype::int64};
    vector degrees_, numbers_;
};

}  // namespace

cores_result cores(const context& ctx, const matrix& a) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "cores: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    require<domain_error>(a.facts().symmetric_pattern,
                          "cores: the graph has edges in one direction only: store both first (symmetrize)");
    return peeling(ctx, a).run();
}

}  // namespace nz
