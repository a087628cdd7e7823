#include "storage/device_edges.hpp"

#include "core/device.hpp"

#include <algorithm>

namespace nz::storage {

device_edges copy_edges_to_device(const context& gpu, const edge_weights& w) {
    constexpr offset_t staged = offset_t{1} << 22;  // edges joined on the host at a time: 32 or 64 MiB
    const csr& a = *w.source;
    const auto& memory = gpu.device_memory();
    const std::size_t edge_bytes = 2 * size_of(w.type);
    device_edges copy{&a,
                      w.type,
                      memory,
                      buffer(memory, a.offsets.bytes()),
                      buffer(memory, static_cast<std::size_t>(a.nnz) * edge_bytes),
                      w.one_for_all,
                      w.mean};
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

std::optional<device_edges> edges_of_rows_on_device(const context& gpu, const csr& shape,
                                                    std::shared_ptr<const device_csr> entries,
                                                    const void* values, dtype of) {
    const bool one = shape.kind != value_kind::full;
    const offset_t count = one ? std::min<offset_t>(shape.nnz, 1) : shape.nnz;
    const length_survey found = survey_lengths_on_device(gpu, values, shape.type, of, count);
    if (!found.all_lengths) return {};
    buffer converted;
    if (shape.type != of) {
        converted = converted_on_device(gpu, values, shape.type, of, one ? 1 : count);
        values = converted.data();
    }
    return device_edges{
        &shape,
        of,
        gpu.device_memory(),
        buffer::borrow(entries->offsets.data(), entries->offsets.bytes()),
        joined_on_device(gpu, entries->indices.as<index_t>(), values, size_of(of), one, shape.nnz),
        one,
        shape.kind == value_kind::pattern ? 1 : found.mean,
        entries};
}

}  // namespace nz::storage
