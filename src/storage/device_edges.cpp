#include "storage/device_edges.hpp"

#include "core/device.hpp"

#include <algorithm>

namespace nz::storage {

device_edges copy_edges_to_device(const context& gpu, const edge_weights& w) {
    constexpr offset_t staged = offset_t{1} << 22;  // edges joined on the host at a time: 32 or 64 MiB
    const csr& a = *w.source;
    const auto& memory = gpu.device_memory();
    const std::size_t edge_bytes = 2 * size_of(w.type);
    device_edges copy{&a, w.type, memory, buffer(memory, a.offsets.bytes()),
                      buffer(memory, static_cast<std::size_t>(a.nnz) * edge_bytes)};
    gpu.gpu()->upload(copy.offsets.data(), a.offsets.data(), a.offsets.bytes());
    const buffer stage(gpu.memory(), static_cast<std::size_t>(std::min(staged, a.nnz)) * edge_bytes);
    for (offset_t first = 0; first < a.nnz; first += staged) {
        const offset_t count = std::min(staged, a.nnz - first);
        join_edges(gpu, w, first, count, stage.data());
        gpu.gpu()->upload(copy.edges.as<std::byte>() + static_cast<std::size_t>(first) * edge_bytes,
                          stage.data(), static_cast<std::size_t>(count) * edge_bytes);
        gpu.gpu()->wait();
    }
    return copy;
}

}  // namespace nz::storage
