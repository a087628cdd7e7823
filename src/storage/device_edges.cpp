#include "storage/device_edges.hpp"

#include "core/device.hpp"
#include "core/parallel.hpp"

namespace nz::storage {
namespace {

constexpr offset_t staged = offset_t{1} << 22;  // edges joined on the host at a time: 32 or 64 MiB

template <class Weight>
void upload_edges(const context& gpu, const edge_weights& w, buffer& edges) {
    using edge = weighted_edge<Weight>;
    const csr& a = *w.source;
    const array<edge> stage(gpu, static_cast<std::size_t>(std::min(staged, a.nnz)));
    for (offset_t first = 0; first < a.nnz; first += staged) {
        const offset_t count = std::min(staged, a.nnz - first);
        parallel::for_pieces(gpu.threads(), count, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k)
                stage[static_cast<std::size_t>(k)] = {static_cast<std::uint32_t>(a.index_data()[first + k]),
                                                      w.at<Weight>(first + k)};
        });
        gpu.gpu()->upload(edges.as<edge>() + first, stage.data(),
                          static_cast<std::size_t>(count) * sizeof(edge));
        gpu.gpu()->wait();
    }
}

}  // namespace

device_edges copy_edges_to_device(const context& gpu, const edge_weights& w) {
    const csr& a = *w.source;
    const auto& memory = gpu.device_memory();
    device_edges copy{&a, w.type, memory, buffer(memory, a.offsets.bytes()),
                      buffer(memory, static_cast<std::size_t>(a.nnz) * 2 * size_of(w.type))};
    gpu.gpu()->upload(copy.offsets.data(), a.offsets.data(), a.offsets.bytes());
    dispatch(w.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (sizeof(T) >= 4) upload_edges<T>(gpu, w, copy.edges);
    });
    return copy;
}

}  // namespace nz::storage
