// The specification of shortest in GraphBLAS's words (yang2015's algorithm 3 over (min, +)): the frontier is the entries
// that changed. yang2018's two phases: push, then pull from the round on in which the frontier is large; pull may read
// all distances in place of the frontier (operand reuse), which only adds candidates that change nothing.
#include "ops/shortest_loop.hpp"

#include "kernels/cpu/shortest/common_parents.hpp"
#include "nonzero/operations.hpp"
#include "ops/shortest.hpp"
#include "ops/shortest_result.hpp"
#include "plan/direction.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

// Sums of 32-bit lengths are formed in 64 bits: n - 1 of them fit. Those of two 64-bit ones fit without a sign.
template <class Weight>
using computed_in =
    std::conditional_t<std::is_same_v<Weight, std::int32_t>, std::int64_t,
                       std::conditional_t<std::is_same_v<Weight, std::int64_t>, std::uint64_t, Weight>>;
dtype computing_type(dtype distances) {
    return distances == dtype::int32 ? dtype::int64 : distances == dtype::int64 ? dtype::uint64 : distances;
}

struct closure {
    const context& ctx;
    const matrix& a;
    const shortest_switches& switches;
    const semiring ring;
    vector distances, frontier;
    bool pulls = false, dropped = false;  // dropped: a path was longer than the type of distances says
    offset_t rounds = 0;

    closure(const context& c, const matrix& graph, offset_t source, const shortest_switches& s, dtype type)
        : ctx(c),
          a(graph),
          switches(s),
          ring(binary_id::min, binary_id::plus, type),
          distances(c, type, graph.rows()),
          frontier(c, type, graph.rows()) {
        distances.set(source, scalar(type, element{0}));
        frontier = distances;
    }

    void run() {
        for (; frontier.count() > 0; ++rounds) relax();
    }

    // frontier = the entries of A^T frontier that are below the distances; distances = the smaller of both.
    void relax() {
        const plan::direction_thresholds t;
        pulls |= switches.change_direction &&
                 static_cast<double>(frontier.count()) > t.alpha * static_cast<double>(frontier.size());
        vector_options through{.transpose_a = true};
        if (distances.type() != dtype::uint64)  // which is not compiled
            through.kernel = pulls ? "csr_row" : "csc_gather_radix";
        vector candidates(ctx, distances.type(), distances.size());
        mxv(ctx, candidates, ring, a, pulls && switches.operand_reuse ? distances : frontier, through);
        vector no_better(ctx, dtype::boolean, distances.size());
        ewise_mult(ctx, no_better, binary_id::ge, candidates, distances);
        vector changed(ctx, distances.type(), distances.size());
        apply(ctx, changed, unary_id::identity, candidates,
              {.mask = &no_better, .mask_complement = true, .replace = true});
        if (is_floating(distances.type()))
            keep(changed, index_unary_id::valuelt, scalar(std::numeric_limits<double>::infinity()));
        else if (distances.type() == dtype::uint64)
            keep(changed, index_unary_id::valuele, scalar(std::numeric_limits<std::int64_t>::max()));
        ewise_add(ctx, distances, binary_id::min, distances, changed);
        frontier = std::move(changed);
    }

    void keep(vector& v, index_unary_id which, scalar most) {
        vector kept(ctx, v.type(), v.size());
        select(ctx, kept, which, v, most);
        dropped |= kept.count() != v.count();
        v = std::move(kept);
    }
};

// The closure's entries as the words that finish_shortest takes; reports those that do not fit.
template <class Weight>
void as_words(const vector& from, storage::vector_body& to, kernels::shortest_report& report) {
    using length = kernels::path_length<Weight>;
    auto* const words = to.values.as<typename length::key>();
    std::fill_n(words, to.size, length::unreached);
    using computed = computed_in<Weight>;
    storage::for_each_entry(from.body(), [&](index_t i, offset_t k) {
        const computed x = from.body().values.as<computed>()[k];
        if (x > static_cast<computed>(std::numeric_limits<Weight>::max()))
            report.dropped = 1;
        else
            words[i] = length::of(static_cast<Weight>(x));
    });
}

}  // namespace

shortest_result shortest_loop(const context& ctx, const matrix& a, offset_t source,
                              const shortest_options& o) {
    const dtype type = distance_type(a.type(), o.type);
    const auto weights = a.body().weights_as(type);
    const auto n = static_cast<index_t>(a.rows());
    closure c(ctx, a, source, o.switches, computing_type(type));
    c.run();
    kernels::shortest_report report{0, static_cast<std::uint64_t>(c.rounds), 0, 0};
    report.dropped = c.dropped;
    auto distances = make_distances(ctx, type, n);
    kernels::with_weight(type, [&]<class Weight>(std::type_identity<Weight>) {
        as_words<Weight>(c.distances, distances, report);
    });
    auto parents = make_parents(ctx, o.parents ? n : 0);
    kernels::shortest_arguments k = host_arguments(ctx, a.body().rows(), *weights, source);
    k.distances = distances.values.data();
    k.parents = o.parents ? parents.values.as<std::int32_t>() : nullptr;
    if (o.parents) kernels::cpu::shortest_parents(k);
    return finish_shortest(ctx, k, report, std::move(distances), std::move(parents));
}

}  // namespace nz::ops
