#include "storage/device_csr.hpp"

#include "core/device.hpp"
#include "core/parallel.hpp"

#include <vector>

namespace nz::storage {

device_csr copy_to_device(const context& gpu, const csr& a) {
    constexpr std::size_t padding = 32;  // bytes: eight indices
    const auto& memory = gpu.device_memory();
    device_csr copy{&a, memory, buffer(memory, a.offsets.bytes()),
                    buffer(memory, a.indices.bytes() + padding),
                    buffer(memory, (static_cast<std::size_t>(a.rows) + 31) / 32 * 4)};
    device::session& session = *gpu.gpu();
    session.upload(copy.offsets.data(), a.offsets.data(), a.offsets.bytes());
    session.upload(copy.indices.data(), a.indices.data(), a.indices.bytes());
    session.fill(copy.indices.as<std::byte>() + a.indices.bytes(), 0, padding);
    std::vector<std::uint32_t> empty((static_cast<std::size_t>(a.rows) + 31) / 32);
    parallel::for_pieces(
        gpu.threads(), a.rows,
        [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                empty[static_cast<std::size_t>(i / 32)] |= std::uint32_t{a.offset(i) == a.offset(i + 1)}
                                                           << (i % 32);
        },
        32);
    session.upload(copy.empty_rows.data(), empty.data(), empty.size() * 4);
    session.wait();
    return copy;
}

}  // namespace nz::storage
