#include "ops/shortest_result.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"

#include <atomic>
#include <cmath>

namespace nz::ops {
namespace {

using kernels::path_length;

template <class Weight>
void refuse_unfit(const kernels::shortest_arguments& a) {
    using length = path_length<Weight>;
    const auto* d = static_cast<const typename length::key*>(a.distances);
    const auto* weights = static_cast<const Weight*>(a.weights);
    for (index_t u = 0; u < a.vertices; ++u)
        for (offset_t k = a.offsets[u]; d[u] != length::unreached && k < a.offsets[u + offset_t{1}]; ++k) {
            const Weight w = weights[a.one_weight ? 0 : k];
            if (d[a.neighbours[k]] != length::unreached || w > std::numeric_limits<Weight>::max()) continue;
            fail<not_supported>("the distance of vertex {} is beyond {}: {}", a.neighbours[k],
                                name_of(a.type),
                                a.type == dtype::float64 ? "scale the weights down"
                                : a.type == dtype::int64 || a.type == dtype::float32
                                    ? "store the weights as float64, or ask for such distances"
                                    : "store the weights as int64 or float64, or ask for such distances");
        }
}

template <class Weight>
void take_entries(const context& ctx, const kernels::shortest_arguments& a, storage::vector_body& v,
                  shortest_result& result) {
    using length = path_length<Weight>;
    auto* d = v.values.as<typename length::key>();
    std::atomic<offset_t> reached{0}, edges{0};
    parallel::for_pieces(
        ctx.threads(), a.vertices,
        [&](offset_t begin, offset_t end) {
            offset_t my_reached = 0, my_edges = 0;
            for (offset_t i = begin; i < end; ++i) {
                if (d[i] == length::unreached) {
                    d[i] = 0;
                    continue;
                }
                bits::set(v.words(), i);
                ++my_reached;
                my_edges += a.offsets[i + 1] - a.offsets[i];
            }
            reached += my_reached;
            edges += my_edges;
        },
        bits::per_word);
    v.count = result.reached = reached;
    result.edges = edges;
}

}  // namespace

kernels::shortest_arguments host_arguments(const context& ctx, const storage::csr& rows,
                                           const storage::edge_weights& weights, offset_t source) {
    kernels::shortest_arguments k;
    k.vertices = rows.rows;
    k.offsets = {rows.offsets.data(), rows.offset_bytes == 8};
    k.neighbours = rows.index_data();
    k.weights = weights.data;
    k.one_weight = weights.one_for_all;
    k.type = weights.type;
    k.source = static_cast<index_t>(source);
    k.threads = ctx.threads();
    return k;
}

storage::vector_body make_distances(const context& ctx, dtype type, index_t n) {
    return storage::make_vector_body(ctx, type, n, vector_form::bitmap, 0);
}
storage::vector_body make_parents(const context& ctx, index_t n) {
    return storage::make_vector_body(ctx, dtype::int32, n, vector_form::dense, n);
}

shortest_result finish_shortest(const context& ctx, const kernels::shortest_arguments& a,
                                const kernels::shortest_report& report, storage::vector_body distances,
                                storage::vector_body parents) {
    shortest_result result{vector(ctx, a.type, 0), vector(ctx, dtype::int32, 0)};
    kernels::with_weight(a.type, [&]<class Weight>(std::type_identity<Weight>) {
        if (report.dropped) refuse_unfit<Weight>(a);
        take_entries<Weight>(ctx, a, distances, result);
    });
    result.distances = storage::make_vector(std::move(distances));
    result.parents = storage::make_vector(std::move(parents));
    take_report(report, result);
    return result;
}

void take_report(const kernels::shortest_report& report, shortest_result& result) {
    result.relaxations = static_cast<offset_t>(report.relaxations);
    result.rounds = static_cast<offset_t>(report.rounds);
    result.buckets = static_cast<offset_t>(report.buckets);
}

}  // namespace nz::ops
