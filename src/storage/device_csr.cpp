#include "storage/device_csr.hpp"

#include "core/device.hpp"

namespace nz::storage {

void csr_residence::bring_home() {
    if (at_home_) return;
    const std::lock_guard lock(mutex_);
    if (at_home_) return;
    csr filled = allocate_csr(gpu_, rows_->type, rows_->kind, rows_->rows, rows_->columns, rows_->nnz);
    device::session& session = *gpu_.gpu();
    session.download(filled.offsets.data(), entries_->offsets.data(), filled.offsets.bytes());
    session.download(filled.indices.data(), entries_->indices.data(), filled.indices.bytes());
    session.download(filled.values.data(), values_->values.data(), filled.values.bytes());
    rows_->offsets = std::move(filled.offsets);
    rows_->indices = std::move(filled.indices);
    rows_->values = std::move(filled.values);
    at_home_ = true;
}

device_csr copy_to_device(const context& gpu, const csr& a) {
    constexpr std::size_t padding = index_padding;
    const auto& memory = gpu.device_memory();
    device_csr copy{
        &a, memory, buffer(memory, a.offsets.bytes()), buffer(memory, a.indices.bytes() + padding), {}};
    device::session& session = *gpu.gpu();
    session.upload(copy.offsets.data(), a.offsets.data(), a.offsets.bytes());
    session.upload(copy.indices.data(), a.indices.data(), a.indices.bytes());
    session.fill(copy.indices.as<std::byte>() + a.indices.bytes(), 0, padding);
    session.wait();
    return copy;
}

device_values values_on_device(const context& gpu, const csr& a, dtype type) {
    device_values v{&a, gpu.device_memory(), type, {}};
    buffer converted;
    const buffer* from = &a.values;
    if (a.kind != value_kind::full) {
        converted = buffer(gpu.memory(), sizeof(element));
        store(converted.data(), type, 0, cast(a.value(0), a.type, type));
        from = &converted;
    } else if (a.type != type) {
        converted = convert_array(gpu, a.values, a.type, type, a.nnz);
        from = &converted;
    }
    v.values = buffer(gpu.device_memory(), from->bytes());
    gpu.gpu()->upload(v.values.data(), from->data(), from->bytes());
    gpu.gpu()->wait();
    return v;
}

}  // namespace nz::storage
