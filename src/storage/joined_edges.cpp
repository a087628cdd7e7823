#include "storage/joined_edges.hpp"

#include "core/parallel.hpp"

namespace nz::storage {

void join_edges(const context& ctx, const edge_weights& w, offset_t first, offset_t count, void* to) {
    const index_t* const targets = w.source->index_data() + first;
    dispatch(w.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (sizeof(T) >= 4) {
            auto* const edges = static_cast<weighted_edge<T>*>(to);
            parallel::for_pieces(ctx.threads(), count, [&](offset_t begin, offset_t end) {
                for (offset_t k = begin; k < end; ++k)
                    edges[k] = {static_cast<std::uint32_t>(targets[k]), w.at<T>(first + k)};
            });
        }
    });
}

joined_edges join_edges(const context& ctx, const edge_weights& w) {
    const auto bytes = static_cast<std::size_t>(w.source->nnz) * 2 * size_of(w.type);
    joined_edges joined{w.source, w.type, buffer(ctx.memory(), bytes)};
    join_edges(ctx, w, 0, w.source->nnz, joined.edges.data());
    return joined;
}

}  // namespace nz::storage
